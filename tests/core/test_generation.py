"""Generation: the same bytes with any number of workers, after any kill, in bounded tries."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from compoworld_core import plugins
from compoworld_core.errors import PluginError, RecordError, UsageError
from compoworld_core.generation import Rejection, Request, attempt, generate, load_generator
from compoworld_core.proof.certificate import reprove
from compoworld_core.records import Task
from compoworld_core.run import Run, open_task
from compoworld_core.world import World

SERVICES = Path(__file__).parents[1] / "services"
NAMES = ("mailbox", "crm", "billing", "tracker", "notes")


@pytest.fixture(autouse=True, scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The sample services and their generator are installed, and no other service."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SERVICES / "installed"))
        patch.setenv("PYTHONPATH", f"{SERVICES}{os.pathsep}{SERVICES / 'installed'}")
        patch.setenv("COMPOWORLD_DISABLE_PLUGINS", "services")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        plugins.current.cache_clear()
        yield
    plugins.current.cache_clear()


def request(**changes: object) -> Request:
    values = {"n": 4, "distractors": 0, "services": NAMES, "scale": 60, "generator": "sample"}
    return Request.model_validate(values | changes)


def contents(path: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was generated without interruption."""
    path = tmp_path_factory.mktemp("whole") / "run"
    generate(request(), path)
    return path


def test_the_first_n_that_pass_are_kept_in_order_of_their_tries(whole: Path) -> None:
    tasks = list(Run.open(whole).tasks())
    assert [task.provenance["try"] for task in tasks] == [0, 2, 4, 7]


def test_a_task_file_has_the_promised_keys(whole: Path) -> None:
    record = json.loads((whole / "tasks.jsonl").read_text().splitlines()[0])
    assert {
        "schema", "id", "instruction", "services", "distractors", "walk", "graph", "s0",
        "criteria", "gates", "reference", "goal_digest", "certificate", "difficulty",
        "provenance",
    } <= set(record)  # fmt: skip
    assert list(record) == sorted(record)


def test_provenance_names_seed_try_generator_and_versions(whole: Path) -> None:
    provenance = next(Run.open(whole).tasks()).provenance
    assert provenance["versions"] == {"compo-samples": "0.1.0", "compoworld": "0.1.0"}
    assert (provenance["seed"], provenance["try"], provenance["generator"]) == (0, 0, "sample")


def test_tasks_prove_again_from_the_folder_alone(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = tmp_path / "elsewhere"
    shutil.copytree(whole, moved)
    monkeypatch.setattr("compoworld_core.service.Service.new_state", None)
    run = Run.open(moved)
    for task in run.tasks():
        reprove(task, open_task(run, task))


@pytest.mark.parametrize("workers", [1, 2])
def test_the_bytes_do_not_depend_on_the_workers(
    whole: Path, tmp_path: Path, workers: int
) -> None:
    pool = plugins.executors().load("local")
    assert isinstance(pool, type)
    generate(request(), tmp_path / "run", workers=workers, executor=pool())
    assert contents(tmp_path / "run") == contents(whole)


def test_the_bytes_do_not_depend_on_the_process(whole: Path, tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from compoworld_core.generation import Request, generate\n"
        "generate(Request.model_validate_json(sys.argv[2]), sys.argv[1])"
    )
    subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "run"), request().model_dump_json()],
        check=True, env=os.environ | {"PYTHONHASHSEED": "77"},
    )  # fmt: skip
    assert contents(tmp_path / "run") == contents(whole)


def test_another_seed_gives_other_tasks(whole: Path, tmp_path: Path) -> None:
    generate(request(seed=1), tmp_path / "run")
    assert contents(tmp_path / "run")["tasks.jsonl"] != contents(whole)["tasks.jsonl"]


# -- resuming ------------------------------------------------------------------------------


def cut(path: Path, name: str, keep: int) -> None:
    """Leave the first bytes of a file, as a kill in the middle of a write might."""
    content = (path / name).read_bytes()
    (path / name).write_bytes(content[:keep])


@pytest.mark.parametrize("share", [0.0, 0.2, 0.51, 0.99])
def test_a_killed_run_goes_on_without_loss_or_duplicates(
    whole: Path, tmp_path: Path, share: float
) -> None:
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    metrics = (path / "metrics.jsonl").read_bytes()
    kept = int(len(metrics) * share)
    accepted = metrics[:kept].count(b'"task"')
    starts = [0]
    for line in (path / "tasks.jsonl").read_bytes().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    cut(path, "metrics.jsonl", kept)
    # a task is written before its figure: one more may be there, whole or in part
    cut(path, "tasks.jsonl", min(starts[accepted] + 700, starts[-1]))
    generate(request(), path)
    assert contents(path) == contents(whole)


def test_a_task_whose_figure_was_lost_is_not_made_twice(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    lines = (path / "metrics.jsonl").read_bytes().splitlines(keepends=True)
    (path / "metrics.jsonl").write_bytes(b"".join(lines[:2]))
    tasks = (path / "tasks.jsonl").read_bytes().splitlines(keepends=True)
    (path / "tasks.jsonl").write_bytes(b"".join(tasks[:2]))
    generate(request(), path)
    assert contents(path) == contents(whole)


def test_a_run_killed_before_its_world_is_whole_goes_on(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.mkdir()
    shutil.copy(whole / "run.toml", path)
    (path / "bases").mkdir()
    some = next((whole / "bases").iterdir())
    (path / "bases" / f"{some.name}.part").write_bytes(some.read_bytes()[:100])
    generate(request(), path)
    made = contents(path)
    made.pop(f"bases/{some.name}.part", None)
    assert made == contents(whole)


def test_a_finished_run_is_left_as_it_is(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    tally = generate(request(), path)
    assert (tally.accepted, tally.tried) == (4, 8)
    assert contents(path) == contents(whole)


def test_another_request_does_not_mix_with_a_run(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    with pytest.raises(
        UsageError, match=r"another run: the option seed was 0 and is 3; choose"
    ):
        generate(request(seed=3), path)


# -- bounds and counts ---------------------------------------------------------------------


def test_tries_are_bounded_and_what_was_accepted_is_kept(tmp_path: Path) -> None:
    tally = generate(request(n=50), tmp_path / "run", max_tries=6)
    assert (tally.accepted, tally.tried) == (3, 6)
    assert len(list(Run.open(tmp_path / "run").tasks())) == 3


def test_more_tries_later_go_on_where_they_ended(tmp_path: Path, whole: Path) -> None:
    generate(request(), tmp_path / "run", max_tries=3)
    generate(request(), tmp_path / "run", max_tries=30)
    assert contents(tmp_path / "run") == contents(whole)


def test_rejections_are_counted_by_probe_and_services(tmp_path: Path) -> None:
    tally = generate(request(n=50), tmp_path / "run", max_tries=8)
    assert tally.rejected == {"unambiguous": 2, "walk": 1, "service-error": 1}
    assert tally.reasons["walk"] == {"no plan for try …": 1}
    assert tally.services["mailbox"] == [4, 6]
    assert tally.services["notes"] == [4, 7]


def test_progress_is_told_after_each_try(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    generate(
        request(),
        tmp_path / "run",
        progress=lambda tally: seen.append((tally.accepted, tally.tried)),
    )
    assert seen == [(0, 0), (1, 1), (1, 2), (2, 3), (2, 4), (3, 5), (3, 6), (3, 7), (4, 8)]


def test_a_service_that_breaks_its_contract_is_a_rejection(whole: Path) -> None:
    world: World = Run.open(whole).world()
    result = attempt(world, load_generator("sample"), request(), 6)
    assert isinstance(result, Rejection)
    assert (result.probe, result.services) == ("service-error", ("billing",))


def test_a_bug_in_a_generator_names_the_try(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"'sample' failed in try 2 of seed 0: KeyError"):
        generate(request(options={"bug": 2}), tmp_path / "run")


def test_a_try_does_not_depend_on_those_before_it(whole: Path) -> None:
    world, generator = Run.open(whole).world(), load_generator("sample")
    alone = attempt(world, generator, request(), 7)
    assert isinstance(alone, Task)
    assert alone.id == list(Run.open(whole).tasks())[-1].id


def test_services_in_excess_are_distractors_of_the_world(tmp_path: Path) -> None:
    generate(request(n=1, k=2, walk=(2, 3), distractors=1, services=("crm", "notes")),
             tmp_path / "run", max_tries=1)  # fmt: skip
    record = json.loads((tmp_path / "run" / "world.json").read_text())
    assert set(NAMES) <= set(record["bases"])


# -- wrong requests ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"services": ("crm", "notes")}, "give --k 2 or name more services"),
        ({"services": ("crm", "note")}, "Closest: notes"),
        ({"generator": "sampel"}, "Closest: sample"),
        ({"domains": ("sampels",)}, "Closest: samples"),
        ({"patterns": ("joyn",)}, "no pattern is called 'joyn'"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_written(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        generate(request(**changes), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_walk_shorter_than_the_services_is_refused() -> None:
    with pytest.raises(ValueError, match="such as 5:5"):
        request(walk=(3, 4))


def test_a_walk_that_nobody_asked_for_fits_the_services() -> None:
    assert Request(n=1).walk == (7, 12)
    assert request(k=9, walk=None).walk == (9, 14)


def test_a_base_that_was_changed_is_noticed(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    base = next((path / "bases").iterdir())
    base.write_bytes(base.read_bytes().replace(b"2026", b"2027", 1))
    with pytest.raises(RecordError, match="was changed"):
        Run.open(path).world()
