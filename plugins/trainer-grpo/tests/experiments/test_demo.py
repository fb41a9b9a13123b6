"""The demo: what is reduced is said, what is held out stays so, seeds come back in order."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import define, evolve, field
from compoworld_trainer_grpo.experiments import demo, lab
from compoworld_trainer_grpo.experiments.lab import Lab
from compoworld_trainer_grpo.experiments.record import Record, Row

from compoworld_core import cli
from compoworld_core.evaluation import Evaluation
from compoworld_core.records import Task
from compoworld_core.run import Run

SIZE = demo.Size(seeds=3)


def courses() -> list[demo.Course]:
    return [demo.Course(SIZE, seed, Path("data"), Path("tasks"), {}) for seed in range(3)]


def taken(self: demo.Course, where: Lab) -> Record:
    """A course without a training."""
    where.say(f"seed {self.seed}")
    figures = {"mean": 0.5, "low": 0.4, "high": 0.6}
    record = Record("course", "", "")
    record.rows.append(Row(demo.AFTER_SFT, demo.NEW_RECORDS, self.seed, 4, 8, figures, figures))
    return record


class Elsewhere:
    """An executor that notes how many workers it was given."""

    def __init__(self) -> None:
        self.workers = 0

    def map(
        self, function: Callable[[Any], Any], items: Iterable[Any], *, workers: int
    ) -> Iterator[Any]:
        self.workers = workers
        return map(function, items)


@pytest.mark.parametrize(("processors", "workers"), [(1, 0), (2, 2), (8, 3)])
def test_seeds_are_trained_beside_one_another_and_come_back_in_order(
    processors: int, workers: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    executor, said = Elsewhere(), list[str]()
    monkeypatch.setattr(demo.Course, "take", taken)
    monkeypatch.setattr(lab, "load_executor", lambda _name, _workers: executor)
    record = Record("demo", "", "")
    Lab(tmp_path, said.append, workers=processors).take(record, courses())
    assert [row.seed for row in record.rows] == [0, 1, 2]
    assert said == ["seed 0", "seed 1", "seed 2"]
    assert executor.workers == workers


def test_reduced_tasks_are_said_with_all_that_reduces_them() -> None:
    said = demo.LEARN.pool.said()
    for part in ("2 of shopify", "walks of 2 visits", "pools=24", "least_writes=1", "terse"):
        assert part in said
    assert "only tasks that end in create_refund" in said


def test_the_quick_demo_asks_for_less() -> None:
    for name in ("practice", "held", "grpo_steps", "seeds"):
        assert getattr(demo.QUICK, name) < getattr(demo.LEARN, name)


def test_grpo_has_enough_tasks_of_its_own() -> None:
    """In the quick one each task is new; in the long one each comes twice at most."""
    for size, times in ((demo.QUICK, 1), (demo.LEARN, 2)):
        assert size.practice * times >= size.tasks_per_step * size.grpo_steps


SMALL = demo.Size(seeds=1, demonstrations=4, practice=3, held=2)
SEVERAL = evolve(demo.POOL, services=("github", "gmail", "zendesk"))
POOLS = {"one composition": SMALL.pool, "several": SEVERAL}


@define
class Made:
    """A demo without trainings: its tasks, and what each training was to learn from."""

    composition: bool
    """Whether one is held out."""
    folder: Path
    record: Record
    given: dict[str, set[str]] = field(factory=lambda: defaultdict(set))
    """Stage → ids of tasks."""

    def part(self, name: str) -> list[Task]:
        return list(Run.open(self.folder / name).tasks())

    @property
    def held(self) -> list[Task]:
        names = ("test-records", *(["test-composition"] if self.composition else []))
        return [task for name in names for task in self.part(name)]


def shown(files: Iterable[Path]) -> set[str]:
    return {
        json.loads(line)["task"] for file in files for line in file.read_bytes().splitlines()
    }


def practised(run: Path | str) -> set[str]:
    return {task.id for task in Run.open(run).tasks()}


@pytest.fixture(scope="module", params=POOLS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The demo's course with real tasks, up to where each training would begin.

    What a stage is given is written down in its place: here only the split is at issue, and the
    trainings themselves take minutes; `make demo` and the slow tests run them.
    """
    folder = tmp_path_factory.mktemp("demo")
    found = Made(request.param == "several", folder, Record("", "", ""))

    def built(_: Lab, name: str, data: list[Path], *__: object, **___: object) -> str:
        found.given["tokenizer"] |= shown(data)
        return name

    def imitate(_: Lab, name: str, __: str, data: Path, **___: object) -> str:
        found.given["SFT"] |= shown([data])
        return name

    def earliest(_: Lab, __: Record, name: str, ___: str, run: Path, **____: object) -> str:
        found.given["tried"] |= practised(run)
        return name

    def train(_: Lab, __: str, name: str, *, tasks: list[str], **___: object) -> str:
        found.given["GRPO"] |= {task for run in tasks for task in practised(run)}
        return name

    with pytest.MonkeyPatch.context() as patch:
        stages = {"model": built, "imitate": imitate, "earliest": earliest, "train": train}
        for name, writes_down in stages.items():
            patch.setattr(Lab, name, writes_down)
        patch.setattr(Lab, "score", lambda *_, **__: Evaluation())
        patch.setattr(demo.Course, "_draw", lambda *_: None)
        size = evolve(SMALL, pool=POOLS[request.param])
        found.record = demo.run(Lab(folder, str), size, "demo")
    return found


def test_no_task_that_is_held_out_is_trained_on(made: Made) -> None:
    """Neither the same task nor another one of the same words."""
    seen = [*made.part("train"), *made.part("practice")]
    assert len(made.held) >= SMALL.held
    for name in ("id", "instruction"):
        kept, told = ({getattr(task, name) for task in part} for part in (made.held, seen))
        assert not kept & told
        assert len(kept) == len(made.held)


def test_each_stage_learns_from_its_own_tasks_alone(made: Made) -> None:
    own = {name: {task.id for task in made.part(name)} for name in ("train", "practice")}
    stages = {"tokenizer": "train", "SFT": "train", "tried": "practice", "GRPO": "practice"}
    assert made.given == {stage: own[part] for stage, part in stages.items()}
    assert not own["train"] & own["practice"]


def test_a_new_composition_is_told_of_where_one_is_held_out(made: Made) -> None:
    notes = [note for note in made.record.notes if "ew composition" in note]
    assert bool(notes) is made.composition
    arms = {row.test for row in made.record.rows}
    assert (demo.NEW_COMPOSITION in arms) is made.composition
    sets = {frozenset(task.services) for task in made.part("train")}
    others = [task for task in made.held if frozenset(task.services) not in sets]
    assert bool(others) is made.composition


GAINS = [("learn", 0.14, 1), ("learn", 0.16, 0), ("demo", 0.0, 0)]


@pytest.mark.parametrize(("name", "gain", "code"), GAINS)
def test_learn_is_a_no_where_grpo_adds_too_little(
    name: str, gain: float, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The demo prints whatever it finds."""

    def take(_: Lab, record: Record, __: object) -> None:
        for arm, mean in ((demo.AFTER_SFT, 0.5), (demo.AFTER_RL, 0.5 + gain)):
            figures = {"mean": mean, "low": mean, "high": mean}
            record.rows.append(Row(arm, demo.NEW_RECORDS, 0, 4, 8, figures, figures))

    nothing = SimpleNamespace(path=tmp_path)
    monkeypatch.setattr(demo, "_tasks", lambda *_: (nothing, nothing, {}))
    monkeypatch.setattr(Lab, "demonstrations", lambda *_: tmp_path)
    monkeypatch.setattr(Lab, "take", take)
    assert cli.run(["experiment", name, "--out", str(tmp_path / "out")]) == code
    kept = json.loads((tmp_path / "out" / "result" / "experiment.json").read_bytes())
    assert [claim["holds"] for claim in kept["claims"]] == [gain >= demo.LEAST_GAIN]
