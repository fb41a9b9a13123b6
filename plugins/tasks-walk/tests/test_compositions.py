"""A bound for each composition: the sets of services take turns, whoever makes the tries."""

from pathlib import Path

import pytest

from compoworld_core import plugins
from compoworld_core.generation import Request, generate
from compoworld_core.run import Run

pytestmark = pytest.mark.timeout(600)  # the first test of a changed core learns all tools

ASKED = Request(
    n=6, k=2, walk=(2, 2), distractors=0, scale=20, seed=3, per_composition=1,
    services=("gmail", "shopify", "stripe", "slack"), options={"least_writes": 1},
)  # fmt: skip


def contents(path: Path) -> dict[str, bytes]:
    files = sorted(p for p in path.rglob("*") if p.is_file())
    return {str(p.relative_to(path)): p.read_bytes() for p in files}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "run"
    generate(ASKED, path, max_tries=30)
    return path


def test_no_two_tasks_are_of_the_same_services(whole: Path) -> None:
    sets = [frozenset(task.services) for task in Run.open(whole).tasks()]
    assert len(set(sets)) == len(sets) >= 4


def test_a_composition_that_has_its_tasks_is_passed_over(whole: Path) -> None:
    outcomes = [line for line in Run.open(whole).metrics() if line["kind"] == "try"]
    assert [line["index"] for line in outcomes] == list(range(len(outcomes)))
    had: set[frozenset[str]] = set()
    passed = 0
    for line in outcomes:
        turn = frozenset(ASKED.of_try(line["index"]).services)
        full = line.get("probe") == "composition"
        assert full == (turn in had)
        passed += full
        if "task" in line:
            had.add(turn)
    assert passed


@pytest.mark.parametrize("workers", [2, 3])
def test_the_bytes_do_not_depend_on_who_passed_a_try_over(
    whole: Path, tmp_path: Path, workers: int
) -> None:
    pool = plugins.executors().load("local")
    generate(ASKED, tmp_path / "run", workers=workers, executor=pool(), max_tries=30)
    assert contents(tmp_path / "run") == contents(whole)


def test_a_run_that_was_broken_off_goes_on_with_what_is_left(
    whole: Path, tmp_path: Path
) -> None:
    generate(ASKED, tmp_path / "run", max_tries=5)
    generate(ASKED, tmp_path / "run", max_tries=30)
    assert contents(tmp_path / "run") == contents(whole)
