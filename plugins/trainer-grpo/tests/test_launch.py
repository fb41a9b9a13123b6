"""How a training is started, and what is said where it cannot be."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from compoworld_trainer_grpo import launch, memory, rehearsal
from compoworld_trainer_grpo import sft as sft_module
from compoworld_trainer_grpo.configuration import settings
from compoworld_trainer_grpo.models import tiny
from compoworld_trainer_grpo.runs import TrainingRun
from compoworld_trainer_grpo.settings import Launch, SftSettings

from compoworld_core import cli
from compoworld_core.errors import RecordError, UsageError

GIB = 1 << 30


def sft(**values: Any) -> SftSettings:
    chosen = {"model": "tiny", "data": ["sft.jsonl"], "device": "cpu", **values}
    return settings(SftSettings, values=chosen)


@pytest.mark.parametrize("zero", [1, 2, 3])
def test_deepspeeds_file_has_the_stage_and_no_optimiser_of_its_own(zero: int) -> None:
    made = launch.deepspeed_configuration(sft(**{"launch.zero": zero}))
    assert made["zero_optimization"]["stage"] == zero
    assert "optimizer" not in made  # or the learner would differ from the one without DeepSpeed


def test_stage_3_saves_weights_that_others_can_load() -> None:
    values = {"model": "tiny", "data": ["a"]}
    chosen = settings(SftSettings, presets=["zero3-offload"], values=values)
    made = launch.deepspeed_configuration(chosen)
    zero = made["zero_optimization"]
    assert zero["stage3_gather_16bit_weights_on_model_save"]
    assert zero["offload_param"] == zero["offload_optimizer"] == {"device": "cpu"}


def test_several_machines_are_told_where_they_stand(tmp_path: Path) -> None:
    place = {"processes": 4, "machines": 2, "machine_rank": 1, "main_address": "10.0.0.1",
             "main_port": 29500}  # fmt: skip
    made = launch.accelerate_configuration(sft(launch=place), tmp_path, cpu=True)
    assert (made["num_processes"], made["num_machines"]) == (4, 2)
    assert (made["main_process_ip"], made["main_process_port"]) == ("10.0.0.1", 29500)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"processes": 3, "machines": 2, "main_port": 1}, "give 4"),
        ({"processes": 2, "machines": 2}, "give launch.main_port"),
        ({"processes": 2, "machines": 2, "machine_rank": 2, "main_port": 1}, "counted from 0"),
        ({"processes": 2, "launcher": "none"}, "give --processes 1"),
        ({"offload": "all", "zero": 2}, "give --zero 3"),
    ],
)
def test_launches_that_cannot_be_are_refused(values: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        launch.check_launch(Launch(**values))


def test_without_a_compiler_training_falls_back_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = sft(**{"launch.processes": 2, "batch": 8})
    assert launch.launchable(wanted) == (wanted, "")
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    made, note = launch.launchable(wanted)
    assert (made.launch.launcher, made.launch.processes, made.batch) == ("none", 1, 8)
    assert "a C++ compiler (c++ or g++)" in note


@pytest.fixture
def run(tmp_path: Path, exported: Path) -> TrainingRun:
    return TrainingRun.start(tmp_path / "run", sft(data=[str(exported)]))


def test_processes_that_were_killed_are_taken_for_a_lack_of_memory(run: TrainingRun) -> None:
    ended = launch._without_a_word(run, 1, "worker failed\n  exitcode  : -9 (pid: 77)\n")
    assert ended["outcome"] == "out-of-memory"
    assert "--set checkpointing=true" in ended["message"]


def test_processes_that_end_without_a_word_leave_the_end_of_their_log(run: TrainingRun) -> None:
    log = "\n".join(f"line {n}" for n in range(100))
    ended = launch._without_a_word(run, 3, log)
    assert ended["outcome"] == "failed"
    assert "ended with 3" in ended["message"]
    assert ended["message"].endswith("line 98\nline 99")


def test_the_estimate_counts_the_parameters_that_there_are(tmp_path: Path) -> None:
    shape = {"layers": 2, "hidden": 64, "vocabulary": 600}
    loaded = tiny.build(["abc"], **shape)
    there = sum(each.numel() for each in loaded.model.parameters())
    folder = loaded.save(tmp_path / "model")
    read = memory.size_of(sft(model=str(folder)))
    named = memory.size_of(sft(tiny=shape))
    assert read is not None
    assert named is not None
    assert read.parameters == there
    assert read.keys == named.keys
    surplus = (600 - loaded.model.config.vocab_size) * 64
    assert named.parameters == pytest.approx(there + surplus, rel=0.01)


def part(name: str, **values: Any) -> float:
    size = {"parameters": 1e9, "layers": 10, "hidden": 100, "vocabulary": 1000}
    found = memory.estimate(sft(model="x", size=size, **values))
    assert found is not None
    return float(getattr(found, name))


def test_each_stage_shares_what_it_says() -> None:
    four = {"launch.processes": 4}
    for name, least in (("optimizer", 1), ("gradients", 2), ("weights", 3)):
        for zero in (1, 2, 3):
            share = part(name, **four, **{"launch.zero": zero}) / part(
                name, **{"launch.zero": zero}
            )
            assert share == (0.25 if zero >= least else 1.0), (name, zero)


def test_an_adapter_needs_no_optimiser_for_the_rest() -> None:
    assert part("optimizer", **{"lora.rank": 8}) < part("optimizer") / 100


def test_offload_moves_the_optimiser_to_the_host() -> None:
    moved = {"launch.zero": 2, "launch.offload": "optimizer"}
    assert part("optimizer", **moved) == 0
    assert part("offloaded", **moved) == part("optimizer", **{"launch.zero": 2})


Say = Callable[..., Any]


def dry(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert cli.run(["train", *arguments, "--out", "nowhere", "--dry-run", "--json"]) == 0
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    return said


def test_a_dry_run_of_the_paper_says_all_its_numbers(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = dry(capsys, "grpo", "--tasks", str(tmp_path), "--preset", "paper")
    assert said["layout"]["rows"] == 256
    assert said["layout"]["groups"] * said["layout"]["processes"] * 8 == 256
    assert said["parameters"] == 35e9
    assert 0 < said["memory_gib"]["total"] < 141
    assert [f"--machine_rank {rank}" in text for rank, text in enumerate(said["commands"])] == [
        True,
        True,
    ]
    assert not Path("nowhere").exists()


def test_a_dry_run_names_a_layout_that_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = ["--tasks", str(tmp_path), "--preset", "tiny-cpu", "--processes", "3"]
    assert cli.run(["train", "grpo", *arguments, "--out", "nowhere", "--dry-run"]) == 2
    assert "tasks_per_step that fits: 3, 6" in capsys.readouterr().err


def test_nothing_to_train_on_says_what_to_give(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["train", "sft", "--model", "tiny", "--out", "nowhere"]) == 2
    assert "give FILE..." in capsys.readouterr().err


def test_a_stack_that_is_missing_says_what_to_install(
    capsys: pytest.CaptureFixture[str], exported: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(launch, "STACK", ("torch", "no_such_package"))
    out = tmp_path / "run"
    assert cli.run(["train", "sft", str(exported), "--model", "tiny", "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert "no_such_package" in said
    assert "pip install 'compoworld[train]'" in said
    assert not out.exists()


def command(exported: Path, out: Path, *more: str) -> list[str]:
    small = ("tiny.layers=1", "tiny.vocabulary=600", "tensorboard=false")
    sets = [part for each in small for part in ("--set", each)]
    named = ["--model", "tiny", "--launcher", "none", "--epochs", "1", "--out", str(out)]
    return ["train", "sft", str(exported), *named, *sets, *more]


def test_the_command_trains_and_a_second_time_has_nothing_to_do(
    capsys: pytest.CaptureFixture[str], exported: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    typed = command(exported, out, "--batch", "16", "--json")
    assert cli.run(typed) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["outcome"], said["step"]) == ("finished", 1)
    assert Path(said["model"]).is_dir()
    before = (out / "metrics.jsonl").read_bytes()
    assert cli.run(typed) == 0
    assert (out / "metrics.jsonl").read_bytes() == before


def test_a_command_whose_training_diverges_fails(
    capsys: pytest.CaptureFixture[str], exported: Path, tmp_path: Path
) -> None:
    more = ("--batch", "4", "--learning-rate", "1e30")
    assert cli.run(command(exported, tmp_path / "run", *more)) == 1
    assert "training diverged: step" in capsys.readouterr().err


def test_a_command_that_runs_out_of_memory_says_what_to_do(
    capsys: pytest.CaptureFixture[str], exported: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    import torch

    def full(*_: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")

    monkeypatch.setattr(sft_module, "tokenized", full)
    assert cli.run(command(exported, tmp_path / "run")) == 1
    said = capsys.readouterr().err
    assert "training out-of-memory: CUDA out of memory" in said
    assert "--set micro_batch=2" in said


@pytest.mark.parametrize("launcher", ["none", "accelerate"])
def test_a_second_training_in_the_folder_touches_nothing(
    launcher: str, tmp_path: Path, exported: Path
) -> None:
    chosen = sft(data=[str(exported)], launch={"launcher": launcher})
    run = TrainingRun.start(tmp_path / "run", chosen)
    with run.run.alone("-launch-0"):
        with pytest.raises(UsageError, match="by another process"):
            launch.launch(run, lambda _: None)
        assert run.ended() is None
        assert not (run.path / "launch").exists()


@pytest.mark.parametrize("told", ["{", "[]", '{"outcome": "finished"}'])
def test_a_damaged_end_is_named(told: str, tmp_path: Path, exported: Path) -> None:
    run = TrainingRun.start(tmp_path / "run", sft(data=[str(exported)]))
    (run.path / "end.json").write_text(told)
    with pytest.raises(RecordError, match=r"end\.json is damaged"):
        run.ended()


def test_a_rehearsal_says_what_is_not_there(tmp_path: Path, exported: Path) -> None:
    assert rehearsal.plan(sft(data=[str(exported)]), tmp_path)["missing"] == ""
    said = rehearsal.plan(sft(data=["nowhere.jsonl"]), tmp_path)
    assert "nowhere.jsonl is not there" in next(rehearsal.lines(said))


@pytest.mark.parametrize(("address", "told"), [("127.0.0.1", True), ("10.0.0.1", False)])
def test_a_rehearsal_says_that_machines_do_not_find_one_another(
    address: str, told: bool, tmp_path: Path, exported: Path
) -> None:
    launch = {"machines": 2, "processes": 2, "main_port": 29500, "main_address": address}
    said = list(
        rehearsal.lines(rehearsal.plan(sft(data=[str(exported)], launch=launch), tmp_path))
    )
    assert any("the address of machine 0" in line for line in said) is told


def test_a_rehearsal_says_that_a_folder_is_missing(tmp_path: Path, exported: Path) -> None:
    """It could be a hub name, were its parent not here."""
    there = str(tmp_path / "nothere")
    assert (
        "no folder"
        in rehearsal.plan(sft(data=[str(exported)], model=there), tmp_path)["missing"]
    )


def test_a_mistake_is_refused_before_there_is_a_folder(
    capsys: pytest.CaptureFixture[str], exported: Path, tmp_path: Path
) -> None:
    out, model = tmp_path / "run", str(tmp_path / "nothere")
    assert cli.run(["train", "sft", str(exported), "--model", model, "--out", str(out)]) == 2
    assert "there is no folder" in capsys.readouterr().err
    assert not out.exists()


def test_rows_that_are_left_out_are_told_of(
    capsys: pytest.CaptureFixture[str], exported: Path, tmp_path: Path
) -> None:
    whole = tmp_path / "whole"
    assert cli.run(command(exported, whole, "--batch", "16")) == 0
    assert "left out" not in capsys.readouterr().err
    longest = next(
        line["longest_row"] for line in TrainingRun.open(whole).run.metrics() if "rows" in line
    )
    short = ["--batch", "16", "--set", f"max_length={longest - 1:.0f}"]
    assert cli.run(command(exported, tmp_path / "short", *short)) == 0
    assert "longer than max_length and were left out" in capsys.readouterr().err
