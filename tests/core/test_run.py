"""The run folder: whole lines or none, one writer, errors that name the place."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pydantic import BaseModel
from sample_services import SAMPLES
from sample_tasks import draft, sample_world

from compoworld_core import lines
from compoworld_core.errors import RecordError, UsageError
from compoworld_core.proof.certificate import prove
from compoworld_core.records import Task, Trajectory
from compoworld_core.run import METRIC_SCHEMA, Run
from compoworld_core.world import base_digest


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.start(tmp_path / "run", {"seed": 1, "walk": (7, 12)}, {"compoworld": "0.1.0"})


def figure(number: int) -> dict[str, object]:
    return {"schema": METRIC_SCHEMA, "kind": "test", "number": number, "text": "x" * 50}


# -- run.toml ------------------------------------------------------------------------------


def test_the_configuration_is_read_back_as_it_was(tmp_path: Path) -> None:
    configuration = {
        "text": 'a "quoted" back\\slash, a tab\t, ünïcode 🙂 and \x7f',
        "numbers": [1, 2.5, -3],
        "flags": {"on": True, "a key": "b", "ключ": []},
        "none": None,
    }
    Run.start(tmp_path / "run", configuration, {"my-pack": "1.0"})
    found = Run.open(tmp_path / "run")
    assert found.configuration == {k: v for k, v in configuration.items() if v is not None}
    assert found.versions == {"my-pack": "1.0"}


def test_the_same_run_is_opened_again(run: Run) -> None:
    again = Run.start(run.path, {"seed": 1, "walk": [7, 12]}, {"compoworld": "0.1.0"})
    assert again.path == run.path


def test_another_version_is_refused(run: Run) -> None:
    with pytest.raises(UsageError, match="the version of compoworld was"):
        Run.start(run.path, run.configuration, {"compoworld": "0.2.0"})


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(UsageError, match="not empty"):
        Run.start(tmp_path, {}, {})


def test_a_file_that_is_no_toml_is_named(run: Run) -> None:
    (run.path / "run.toml").write_text("seed = = 1")
    with pytest.raises(RecordError, match=r"run\.toml: not TOML"):
        Run.open(run.path)


# -- lines ---------------------------------------------------------------------------------


def test_appended_records_are_read_in_order(run: Run) -> None:
    with run.writing():
        for number in range(5):
            run.append("metrics", figure(number))
    assert [m["number"] for m in run.metrics()] == list(range(5))


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_cut_last_line_is_skipped_by_readers_and_dropped_by_writers(
    run: Run, cut: int
) -> None:
    with run.writing():
        run.append("metrics", figure(0))
        run.append("metrics", figure(1))
    file = run.path / "metrics.jsonl"
    file.write_bytes(file.read_bytes()[:-cut])
    whole = [0, 1] if cut == 1 else [0]  # only the line break is missing
    assert [m["number"] for m in run.metrics()] == whole
    with run.writing():
        run.append("metrics", figure(2))
    assert [m["number"] for m in run.metrics()] == [*whole, 2]


def test_a_first_line_that_was_cut_leaves_an_empty_file(run: Run) -> None:
    (run.path / "metrics.jsonl").write_bytes(b'{"schema": "compo')
    with run.writing():
        run.append("metrics", figure(7))
    assert [m["number"] for m in run.metrics()] == [7]


def test_a_cut_line_longer_than_a_block_is_dropped(run: Run) -> None:
    with run.writing():
        run.append("metrics", figure(0))
    with (run.path / "metrics.jsonl").open("ab") as file:
        file.write(b'{"text": "' + b"x" * 300_000)
    with run.writing():
        run.append("metrics", figure(1))
    assert [m["number"] for m in run.metrics()] == [0, 1]


def test_a_broken_line_in_the_middle_is_an_error_with_its_place(run: Run) -> None:
    file = run.path / "metrics.jsonl"
    file.write_text('{"kind"\n' + lines.to_line(figure(1)) + "\n")
    with pytest.raises(RecordError, match=r"metrics\.jsonl:1: not JSON"):
        list(run.metrics())


def test_large_files_go_on_in_numbered_ones(tmp_path: Path) -> None:
    writer = lines.Writer(tmp_path, "tasks", limit=200)
    for number in range(9):
        writer.append(lines.to_line(figure(number)))
    writer.close()
    again = lines.Writer(tmp_path, "tasks", limit=200)
    again.append(lines.to_line(figure(9)))
    again.close()
    files = lines.shards(tmp_path, "tasks")
    assert [f.name for f in files[:2]] == ["tasks.jsonl", "tasks-00001.jsonl"]
    found = [data["number"] for file in files for _, data in lines.read(file)]
    assert found == list(range(10))


def test_text_beyond_ascii_survives(run: Run) -> None:
    with run.writing():
        run.append(
            "metrics",
            figure(0) | {"text": "naïve 🙂 \u2028 \ud800".encode("utf-8", "replace").decode()},
        )
    assert len(list(run.metrics())) == 1


class Inner(BaseModel, extra="forbid"):
    colour: str


class Outer(BaseModel, extra="forbid"):
    schema_: str = ""
    inner: Inner | None = None

    model_config = {"extra": "ignore"}


def test_an_unknown_key_of_an_inner_record_says_the_closest() -> None:
    with pytest.raises(
        RecordError, match=r"here:3: .*did you mean 'colour' instead of 'color'"
    ):
        lines.parse(Outer, {"schema": "x@1", "inner": {"color": "red"}}, "here:3", "x@1")


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (None, 'names no schema; expected "schema": "compoworld/task@1"'),
        ("compoworld/task@2", "this version reads compoworld/task@1"),
        ("compoworld/cast@1", "not 'compoworld/task@1'"),
    ],
)
def test_a_record_of_another_schema_is_refused(schema: str | None, said: str) -> None:
    with pytest.raises(RecordError) as caught:
        lines.parse(Task, {"schema": schema} if schema else {}, "x:1", "compoworld/task@1")
    assert said in str(caught.value)


# -- one writer ----------------------------------------------------------------------------


def test_a_second_writer_is_refused(run: Run) -> None:
    second = Run.open(run.path)
    with (
        run.writing(),
        pytest.raises(UsageError, match="being written to by another"),
        second.writing(),
    ):
        pass


def test_the_folder_can_be_written_again_afterwards(run: Run) -> None:
    for _ in range(2):
        with run.writing():
            run.append("metrics", figure(0))
    assert len(list(run.metrics())) == 2


KILLED = """
import sys
from compoworld_core.run import METRIC_SCHEMA, Run
run = Run.open(sys.argv[1])
with run.writing():
    number = len(list(run.metrics()))
    while True:
        text = "x" * (number * 37 % 5000)
        run.append("metrics", {"schema": METRIC_SCHEMA, "number": number, "text": text})
        number += 1
"""


def test_kill_minus_nine_at_any_point_loses_and_doubles_nothing(run: Run) -> None:
    for round_ in range(3):
        writer = subprocess.Popen([sys.executable, "-c", KILLED, str(run.path)])
        before, deadline = len(list(run.metrics())), time.monotonic() + 20
        while len(list(run.metrics())) < before + 50 and time.monotonic() < deadline:
            time.sleep(0.01 + 0.003 * round_)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
    numbers = [metric["number"] for metric in run.metrics()]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= 150


# -- bases and worlds ----------------------------------------------------------------------


def test_a_world_is_read_back_as_it_was(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    services = {service.name: service for service in SAMPLES}
    monkeypatch.setattr("compoworld_core.run.load_service", services.__getitem__)
    world = sample_world(scale=40)
    with run.writing():
        run.save_world(world)
    read = Run.open(run.path).world()
    assert read.cast == world.cast
    for name, base in world.bases.items():
        assert read.bases[name].state.digest() == base.state.digest()
        assert base_digest(read.bases[name].state) == base.digest


def test_a_base_is_stored_once_under_its_content(run: Run) -> None:
    state = sample_world(scale=40).states["crm"]
    assert run.save_base(state) == run.save_base(state.fork())
    assert len(list((run.path / "bases").iterdir())) == 1


def test_a_missing_base_is_named(run: Run) -> None:
    with pytest.raises(RecordError, match="is missing: the s0 of a task stands on it"):
        run.load_base("0" * 64, SAMPLES[0])


def test_a_base_that_does_not_fit_the_service_says_so(run: Run) -> None:
    digest = run.save_base(sample_world(scale=40).states["crm"])
    with pytest.raises(RecordError, match="does not fit the installed notes"):
        run.load_base(digest, SAMPLES[4])


def test_tasks_are_found_by_the_beginning_of_their_id(run: Run) -> None:
    made = draft(sample_world(scale=40))
    task = prove(made.candidate(), made.initial(), made.bases())
    with run.writing():
        run.append("tasks", task)
    assert run.task(task.id[:8]).id == task.id
    with pytest.raises(UsageError, match="no task is called 'nope'"):
        run.task("nope")


def test_an_ambiguous_beginning_of_an_id_is_refused(run: Run) -> None:
    played = Trajectory(
        id="rollout-1", task="t", policy="p", seed=0, sample=0, messages=(), verdict=None
    )
    with run.writing():
        run.append("trajectories", played)
        run.append("trajectories", played.model_copy(update={"id": "rollout-2"}))
    assert run.trajectory("rollout-2").id == "rollout-2"
    with pytest.raises(UsageError, match="2 trajectories are called 'rollout'"):
        run.trajectory("rollout")
