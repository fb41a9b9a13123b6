"""Where settings come from, and what is said where they are wrong."""

from pathlib import Path
from typing import Any

import pytest
from compoworld_trainer_grpo.configuration import known_presets, settings
from compoworld_trainer_grpo.layout import GrpoLayout, SftLayout
from compoworld_trainer_grpo.settings import GrpoSettings, SftSettings

from compoworld_core.errors import UnknownName, UsageError

SFT = {"model": "tiny", "data": ["sft.jsonl"]}
GRPO = {"model": "tiny", "tasks": ["run"]}


def test_sft_defaults_are_the_recipes() -> None:
    made = settings(SftSettings, values=SFT)
    assert (made.epochs, made.batch, made.learning_rate) == (3, 32, 1e-4)


def test_grpo_defaults_are_the_recipes() -> None:
    made = settings(GrpoSettings, values=GRPO)
    assert (made.rollouts, made.learning_rate) == (8, 1e-5)
    assert (made.clip_low, made.clip_high) == (0.20, 0.28)
    assert (made.delta, made.weight_decay, made.reward) == (1e-4, 0, "completion-focused")
    assert made.launch.launcher == "accelerate"


def test_by_default_the_clip_can_act() -> None:
    layout = GrpoLayout.of(settings(GrpoSettings, values=GRPO))
    assert layout.per_generation > layout.accumulation


@pytest.mark.parametrize("preset", known_presets())
def test_each_preset_gives_both_trainers_a_layout_that_fits(preset: str) -> None:
    SftLayout.of(settings(SftSettings, presets=[preset], values=SFT))
    GrpoLayout.of(settings(GrpoSettings, presets=[preset], values=GRPO))


@pytest.mark.parametrize("preset", known_presets())
def test_there_is_a_checkpoint_before_a_training_can_collapse(preset: str) -> None:
    made = settings(GrpoSettings, presets=[preset], values=GRPO)
    assert made.checkpoint_every <= made.collapse_after


def test_the_paper_preset_has_the_papers_numbers() -> None:
    made = settings(GrpoSettings, presets=["paper"], options={"tasks": ["run"]})
    assert made.model == "Qwen/Qwen3.6-35B-A3B"
    assert (made.rollouts, made.clip_low, made.clip_high) == (8, 0.20, 0.28)
    assert (made.learning_rate, made.reward_options) == (1e-5, {"lam": 0.01})


def test_later_sources_win(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(
        "[all]\nseed = 3\n[sft]\nbatch = 4\nlearning_rate = 2e-3\n[grpo]\nrollouts = 2"
    )
    made = settings(
        SftSettings,
        presets=["tiny-cpu", "zero3"],
        file=file,
        values={"batch": 8, "lora.rank": 4, "data": ["a"]},
        options={"seed": 5, "epochs": None},
    )
    assert (made.seed, made.batch, made.learning_rate, made.epochs) == (5, 8, 2e-3, 20)
    assert made.lora is not None
    assert (made.lora.rank, made.launch.zero, made.device) == (4, 3, "cpu")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"learning_rat": 1}, "closest: learning_rate"),
        ({"launch.zer": 1}, "closest: zero"),
        ({"lora.rnk": 1}, "closest: rank"),
        ({"batch": 0}, "batch: input should be greater"),
    ],
)
def test_a_wrong_setting_is_named_with_the_closest(values: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        settings(SftSettings, values={**SFT, **values})


def test_an_unknown_preset_is_named_with_the_closest() -> None:
    with pytest.raises(UnknownName, match="Closest: tiny-cpu"):
        settings(SftSettings, presets=["tinycpu"], values=SFT)


def test_an_unknown_table_of_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text("[stf]\nbatch = 4")
    with pytest.raises(UsageError, match=r"'stf' is no table.*closest: sft"):
        settings(SftSettings, file=file, values=SFT)


def test_without_a_model_presets_that_name_one_are_offered() -> None:
    with pytest.raises(UsageError, match=r"--preset paper\|single-gpu-lora\|smollm2-cpu-lora"):
        settings(SftSettings, presets=["zero3"], values={"data": ["a"]})


def sft(**values: Any) -> SftSettings:
    return SftSettings.model_validate({**SFT, **values})


def grpo(**values: Any) -> GrpoSettings:
    return GrpoSettings.model_validate({**GRPO, **values})


def test_a_batch_is_spread_over_processes_and_accumulated() -> None:
    layout = SftLayout.of(sft(batch=32, micro_batch=4, launch={"processes": 2}))
    assert layout.accumulation * layout.micro_batch * layout.processes == 32


def test_a_batch_that_does_not_divide_is_refused_with_what_fits() -> None:
    with pytest.raises(UsageError, match=r"processes that fit: 1, 2, 5, 10$"):
        SftLayout.of(sft(batch=10, launch={"processes": 3}))
    with pytest.raises(UsageError, match=r"micro_batch that fits: 1, 5$"):
        SftLayout.of(sft(batch=10, micro_batch=4, launch={"processes": 2}))


def test_groups_stay_whole_on_each_process() -> None:
    layout = GrpoLayout.of(grpo(tasks_per_step=4, rollouts=8, launch={"processes": 2}))
    local = layout.micro_batch * layout.per_generation
    assert (local, local % 8, layout.rows) == (16, 0, 32)


def test_a_layout_that_splits_a_group_is_refused_with_what_fits() -> None:
    with pytest.raises(
        UsageError, match=r"tasks_per_step that fits: 4, 8; processes.*: 1, 2, 3, 6"
    ):
        GrpoLayout.of(grpo(tasks_per_step=6, launch={"processes": 4}))


def test_updates_that_do_not_divide_are_refused_with_what_fits() -> None:
    with pytest.raises(UsageError, match=r"updates that fit: 1, 2, 4, 8$"):
        GrpoLayout.of(grpo(tasks_per_step=1, rollouts=8, updates=3))
    with pytest.raises(UsageError, match=r"micro_batch that fits: 1, 2, 4$"):
        GrpoLayout.of(grpo(tasks_per_step=1, rollouts=8, updates=2, micro_batch=3))


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_numbers_are_finite(value: float) -> None:
    with pytest.raises(UsageError, match="learning_rate: input should be a finite number"):
        settings(SftSettings, values={"model": "tiny", "data": ["a"], "learning_rate": value})


def test_a_name_with_a_dot_is_unknown(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[all]\nmodel = "tiny"\n"foo.bar" = 1\n')
    with pytest.raises(UsageError, match="no such setting"):
        settings(SftSettings, file=file, values={"data": ["a"]})


def test_a_models_folder_is_found_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mine", "tiny"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    made = [
        settings(SftSettings, values={"model": name, "data": ["a"]}).model
        for name in ("mine", "tiny", "org/name")
    ]
    assert made == [str(tmp_path / "mine"), "tiny", "org/name"]
