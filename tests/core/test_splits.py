"""Splits: what is held out is nowhere else, which the folders alone prove."""

import json
import shutil
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from bare_tasks import bare_run, bare_task, words

from compoworld_core import splits
from compoworld_core.errors import UnknownName, UsageError
from compoworld_core.holdout import Wanted, split
from compoworld_core.lines import to_line
from compoworld_core.records import Task
from compoworld_core.run import Run

SHARES: dict[splits.Name, float] = {"train": 0.7, "validation": 0.15, "test": 0.15}
TWO: dict[splits.Name, float] = {"train": 0.8, "validation": 0.0, "test": 0.2}
PATTERNS = ("copy", "join", "each", "rule", "sum")


def varied() -> list[Task]:
    """Tasks over ten services, of two or three services, two to eight visits, two patterns."""
    found = []
    pairs = list(combinations("abcdefghij", 2))
    for number in range(180):
        pair = pairs[number % len(pairs)]
        walk = (*pair, *((pair * 4)[: number % 7]))
        if number % 5 == 0:
            walk = (*walk, "abcdefghij"[number % 10])
            walk = tuple(n for i, n in enumerate(walk) if i == 0 or walk[i - 1] != n)
        named = [PATTERNS[number % 2], PATTERNS[(number // 2) % len(PATTERNS)]]
        found.append(bare_task(number, walk, provenance={"patterns": ["start", *named]}))
    return found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return bare_run(tmp_path_factory.mktemp("all") / "run", varied())


def wanted(by: Any, **changes: Any) -> Wanted:
    return Wanted(**({"by": by, "shares": SHARES} | changes))


def made(tasks: Sequence[Task], by: Any, **changes: Any) -> splits.Split:
    return split([splits.row_of(task) for task in tasks], wanted(by, **changes))


def written(run: Run, out: Path, by: Any, **changes: Any) -> dict[str, Any]:
    return splits.write(run, out, made(list(run.tasks()), by, **changes), {"seed": 0})


def folders(out: Path) -> list[Run]:
    return [Run.open(out / name) for name in splits.NAMES]


# -- the claim -----------------------------------------------------------------------------


@pytest.mark.parametrize("by", splits.BYS)
def test_every_way_holds_by_its_folders_and_loses_no_count(
    run: Run, tmp_path: Path, by: splits.By
) -> None:
    record = written(run, tmp_path, by)
    assert record["proof"]["holds"], record["proof"]["violations"]
    assert sum(record["counts"].values()) + sum(record["dropped"].values()) == 180
    assert all(record["counts"].values())
    assert record == json.loads((tmp_path / "split.json").read_text())
    counts = [len(list(each.tasks())) for each in folders(tmp_path)]
    assert counts == list(record["counts"].values())


def test_no_test_task_has_a_service_of_training(run: Run) -> None:
    found = made(list(run.tasks()), "services")
    seen = {s for row in found.tasks["train"] for s in row.services}
    assert all(seen.isdisjoint(row.services) for row in found.tasks["test"])
    assert found.dropped["its services are of two splits"] > 0


def test_no_training_task_has_all_services_of_a_test_task(run: Run) -> None:
    found = made(list(run.tasks()), "compositions")
    for row in found.tasks["test"]:
        assert not any(row.services <= other.services for other in found.tasks["train"])


def test_each_test_task_has_a_pattern_that_training_lacks(run: Run) -> None:
    found = made(list(run.tasks()), "patterns")
    seen = {p for row in found.tasks["train"] for p in row.patterns}
    assert seen
    assert all(row.patterns - seen for row in found.tasks["test"])


def test_test_tasks_are_longer_than_all_others(run: Run) -> None:
    found = made(list(run.tasks()), "length")
    longest = [max(row.length for row in found.tasks[name]) for name in splits.NAMES]
    least = [min(row.length for row in found.tasks[name]) for name in splits.NAMES]
    assert longest[0] < least[1] <= longest[1] < least[2]


@pytest.mark.parametrize("by", splits.BYS)
def test_the_proof_finds_a_task_that_was_put_into_training(
    run: Run, tmp_path: Path, by: splits.By
) -> None:
    written(run, tmp_path, by)
    task = next(Run.open(tmp_path / "test").tasks())
    other = task.model_copy(
        update={
            "id": "task-ffffffffffff",
            "instruction": words(9_999),
            "s0": bare_task(9_999, "ab").s0,
        }
    )
    with (tmp_path / "train" / "tasks.jsonl").open("a") as file:
        file.write(f"{to_line(other)}\n")
    found = splits.proof(by, folders(tmp_path))
    assert not found["holds"]
    assert "train and test" in " ".join(found["violations"])


@pytest.mark.parametrize("kept", ["instruction", "s0", "id"])
def test_the_proof_finds_what_stands_in_two_splits(run: Run, tmp_path: Path, kept: str) -> None:
    written(run, tmp_path, "length", shares=TWO)
    train, test = (next(Run.open(tmp_path / name).tasks()) for name in ("train", "test"))
    twin = test.model_copy(update={kept: getattr(train, kept)})
    with (tmp_path / "test" / "tasks.jsonl").open("a") as file:
        file.write(f"{to_line(twin)}\n")
    found = splits.proof("length", folders(tmp_path))
    what = {"instruction": "skeleton", "s0": "s0", "id": "task"}[kept]
    assert any(f"train and test share the {what}" in each for each in found["violations"])


def test_twins_are_dropped_from_the_larger_split() -> None:
    tasks = [bare_task(n, "ababa"[: 2 + n % 4]) for n in range(40)]
    tasks[0] = bare_task(0, "ab", instruction=tasks[3].instruction)
    found = made(tasks, "length", shares=TWO, hold=("5",))
    assert found.dropped == {"the same task, skeleton or s0 is in a later split": 1}
    assert tasks[0].id not in [row.id for row in found.tasks["train"]]


# -- what is held out ----------------------------------------------------------------------


def test_another_seed_holds_out_other_services(run: Run) -> None:
    tasks = list(run.tasks())
    held = {tuple(made(tasks, "services", seed=seed).held["test"]) for seed in range(6)}
    assert len(held) > 1
    assert made(tasks, "services", seed=3) == made(tasks, "services", seed=3)


@pytest.mark.parametrize(
    ("by", "hold", "held"),
    [
        ("services", ("a", "b", "c"), ["a", "b", "c"]),
        ("patterns", ("each",), ["each"]),
        ("length", ("7",), ["7", "8", "9"]),
    ],
)
def test_what_is_named_is_held_out_for_test(
    run: Run, by: splits.By, hold: tuple[str, ...], held: list[str]
) -> None:
    assert made(list(run.tasks()), by, hold=hold, shares=TWO).held["test"] == held


def test_a_named_composition_goes_to_test_whole(run: Run) -> None:
    found = made(list(run.tasks()), "compositions", hold=("a+b", "c + d"), shares=TWO)
    together = ({"a", "b"}, {"c", "d"})
    for name, rows in found.tasks.items():
        for row in rows:
            assert any(pair <= row.services for pair in together) == (name == "test")


def test_services_of_another_split_among_distractors_are_counted(tmp_path: Path) -> None:
    tasks = [
        bare_task(n, "ab" if n % 2 else "cd", distractors=("a",) if n == 4 else ())
        for n in range(10)
    ]
    run = bare_run(tmp_path / "run", tasks)
    record = written(run, tmp_path / "out", "services", shares=TWO, hold=("a", "b"))
    assert record["exposed"] == 1


# -- what cannot be ------------------------------------------------------------------------


def test_a_split_that_would_be_empty_says_what_would_fit() -> None:
    tasks = [bare_task(n, "abcde") for n in range(20)]
    with pytest.raises(UsageError, match=r"test would be empty.*such as --k 2:3.*--by length"):
        made(tasks, "services", shares=TWO)
    with pytest.raises(UsageError, match=r"would be empty: of 20 tasks"):
        made(tasks, "length")


@pytest.mark.parametrize(
    ("by", "hold", "said"),
    [
        ("services", ("aa",), "no service of this run is called 'aa'"),
        ("patterns", ("joins",), "Closest: join"),
        ("compositions", ("a+zz",), "no task of this run has a \\+ zz together"),
        ("length", ("99",), "no task of this run has 99 visits"),
        ("length", ("a",), "give one number"),
    ],
)
def test_what_cannot_be_held_out_is_named(
    run: Run, by: splits.By, hold: tuple[str, ...], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        made(list(run.tasks()), by, hold=hold)


@pytest.mark.parametrize("shares", [(0.5, 0.1, 0.1), (1.1, -0.2, 0.1), (1.0, 0.0, 0.0)])
def test_shares_must_sum_up(shares: tuple[float, ...]) -> None:
    with pytest.raises(UsageError, match=r"must be (0 or )?more"):
        wanted("length", shares=dict(zip(splits.NAMES, shares, strict=True)))


def test_an_unknown_service_is_an_unknown_name(run: Run) -> None:
    with pytest.raises(UnknownName):
        made(list(run.tasks()), "services", hold=("nothing",))


# -- folders -------------------------------------------------------------------------------


def test_a_half_written_split_goes_on(run: Run, tmp_path: Path) -> None:
    written(run, tmp_path / "whole", "length")
    shutil.copytree(tmp_path / "whole", tmp_path / "half")
    file = tmp_path / "half" / "train" / "tasks.jsonl"
    file.write_bytes(file.read_bytes()[:1_500])
    shutil.rmtree(tmp_path / "half" / "test")
    (tmp_path / "half" / "split.json").unlink()
    written(run, tmp_path / "half", "length")
    for name in ("train/tasks.jsonl", "test/tasks.jsonl", "test/run.toml", "split.json"):
        assert (tmp_path / "half" / name).read_bytes() == (
            tmp_path / "whole" / name
        ).read_bytes()


def test_another_split_into_the_same_folder_is_refused(run: Run, tmp_path: Path) -> None:
    written(run, tmp_path, "length")
    with pytest.raises(UsageError, match="the option by was"):
        written(run, tmp_path, "patterns")


def test_a_run_is_not_split_into_itself(run: Run) -> None:
    with pytest.raises(UsageError, match="is a run itself"):
        written(run, run.path, "length")
