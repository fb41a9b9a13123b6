"""Comparisons: the paper's experiments in miniature, with seeds, intervals and claims.

All start from models of a million parameters and reduced tasks, so that hours of two cores
suffice; what they say about large models is said nowhere. What fails stays in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

from attrs import evolve

from compoworld_core.errors import UnknownName, UsageError
from compoworld_core.records import Task
from compoworld_core.registry import closest
from compoworld_core.run import Run
from compoworld_trainer_grpo.experiments.courses import SIZES, Course, Data, Practice, Size
from compoworld_trainer_grpo.experiments.demo import POOL
from compoworld_trainer_grpo.experiments.lab import Lab
from compoworld_trainer_grpo.experiments.pools import Pool, divide, hold_out
from compoworld_trainer_grpo.experiments.record import Record

FEW: Final = evolve(POOL, services=("github", "gmail", "zendesk"), patterns=())
"""Three services that tell one another, and themselves, much the same: what a customer wrote is
passed on. So tasks of one service and of several differ in little else."""


def runner(name: str, seeds: int | None, scale: float, preset: str) -> Callable[[Lab], Record]:
    """The comparison of a name, at a size.

    Raises UnknownName where there is no size for the preset.
    """
    if preset not in SIZES:
        raise UnknownName("preset", preset, closest(preset, SIZES), ", ".join(SIZES))
    size = SIZES[preset] if scale == 1 else SIZES[preset].scaled(scale)
    size = evolve(size, seeds=seeds or size.seeds)
    made = {"composed": composed, "growth": growth, "rewards": rewards, "lengths": lengths}
    return lambda lab: made[name](lab, size)


# -- (a) ---------------------------------------------------------------------------------


def composed(lab: Lab, size: Size) -> Record:
    """Demonstrations on compositions against as many on single services."""
    record = _record(
        "composed",
        "Composed against single services",
        "Do demonstrations on compositions teach more than as many on single services?",
        size,
        FEW,
    )
    whole = lab.tasks("composed", FEW.request(size.demonstrations + 2 * size.held, seed=5))
    alone = lab.tasks("single", evolve(FEW, k=1).request(size.demonstrations, seed=7))
    held = hold_out(whole.tasks(), size.held // 2)
    train, records, others = divide(whole.tasks(), [held] if held else [], size.held)
    tests = {"compositions, new records": lab.part(whole, "test-records", records)}
    if held:
        tests["a new composition"] = lab.part(whole, "test-new", others[: size.held])
        record.notes.append(f"The new composition: {' + '.join(sorted(held))}.")
    count = min(size.demonstrations, len(train), sum(1 for _ in alone.tasks()))
    record.notes.append(f"{count} demonstrations in each arm.")
    arms = {
        "composed": lab.part(whole, "train-composed", train[:count]),
        "single services": lab.part(alone, "train-single", list(alone.tasks())[:count]),
    }
    _supervise(lab, record, size, FEW.services, arms, tests)
    for test in tests:
        _better(record, "composed", "single services", test)
    return record


# -- (b) ---------------------------------------------------------------------------------


EACH: Final = evolve(POOL, services=(), k=3, walk=(3, 3), per_composition=1)
"""A task of each set of three services."""
SETS: Final = 160
"""About so many of the 220 sets of our twelve services make a task of three visits; between the
others nobody would carry anything (measured)."""


def growth(lab: Lab, size: Size) -> Record:
    """Growing numbers of demonstrations, each of another set of services."""
    record = _record(
        "growth",
        "Growing numbers of compositions",
        "Does success grow with demonstrations, each of which is of another set of services?",
        size,
        EACH,
    )
    whole = lab.tasks("tasks", EACH.request(min(size.demonstrations + size.held, SETS), seed=4))
    tasks = list(whole.tasks())
    test = "new sets of services"
    held = min(size.held, len(tasks) // 4)
    tests = {test: lab.part(whole, "test", tasks[:held])}
    left = tasks[held:]
    record.notes.append(f"{len(tasks)} sets of {EACH.k} services; {held} of them tested.")
    arms: dict[str, Run] = {}
    count = len(left)
    while count >= 4 and len(arms) < 4:
        arms[f"{count} sets"] = lab.part(whole, f"train-{count}", left[:count])
        count //= 2
    if len(arms) < 2:
        raise UsageError(f"{len(tasks)} sets of services are too few; raise --scale")
    services = tuple(sorted({name for task in tasks for name in task.services}))
    _supervise(lab, record, evolve(size, budget=size.wide), services, arms, tests)
    most, *_, least = arms
    _better(record, most, least, test)
    return record


# -- (c) ---------------------------------------------------------------------------------

TOLD: Final = Pool(
    services=("shopify", "zendesk"),
    walk=(3, 3),
    patterns=(),
    options={"registers": ["terse"], "pools": 24},
    deeds=("create_refund", "update_ticket"),
    kept=0.4,
)
"""An order that a ticket mentions is refunded, and the ticket's refund amount is set to its
total: a criterion for each."""

_OURS: Final = "completion-focused"
_GATES: Final = {"gates": "multiply"}
_REWARDS: Final[Mapping[str, Mapping[str, Any]]] = {
    _OURS: {"reward": "completion-focused", "reward_options": _GATES},
    "uniform": {"reward": "uniform", "reward_options": _GATES},
    "binary": {"reward": "binary"},
    "f-grpo": {"reward": "binary", "scale": "f-grpo"},
}


def rewards(lab: Lab, size: Size) -> Record:
    """Four rewards from the same SFT start, on the same tasks.

    A broken gate earns nothing under each of them: as one more criterion it would be met by
    whoever does nothing, which is what small models then learn (measured).
    """
    record = _record(
        "rewards",
        "Completion-focused reward against others",
        "From one SFT start, which reward raises held-out success most?",
        size,
        TOLD,
    )
    wanted = round((size.shown + size.practice + size.held) / TOLD.kept)
    whole = lab.tasks("tasks", TOLD.request(wanted, seed=1))
    # the last ones that a run accepts are the least like the others; so no part is the end
    tasks = [task for task in whole.tasks() if TOLD.takes(task)]
    Random("parts").shuffle(tasks)
    train, records, _ = divide(tasks, (), size.held)
    test = "new records"
    tests = {test: lab.part(whole, "test", records)}
    shown = lab.part(whole, "train", train[: size.shown])
    practice = lab.part(whole, "practice", train[size.shown :])
    size = evolve(size, budget=size.short, sft_steps=size.short_steps)
    _supervise(
        lab,
        record,
        size,
        TOLD.services,
        {"SFT": shown},
        tests,
        Practice,
        rewards=_REWARDS,
        practice=practice.path,
    )
    for other in _REWARDS:
        if other != _OURS:
            _better(record, _OURS, other, test)
    return record


# -- (d) ---------------------------------------------------------------------------------


def lengths(lab: Lab, size: Size) -> Record:
    """Services and visits of training against those of the test."""
    shapes = {
        "K=2, L=2": FEW,
        "K=2, L=3": evolve(FEW, walk=(3, 3)),
        "K=3, L=3": evolve(FEW, k=3, walk=(3, 3)),
    }
    record = _record(
        "lengths",
        "Size of training tasks against that of the test",
        "Do larger training tasks help on larger tests, at the same number of demonstrations?",
        size,
        FEW,
    )
    tests: dict[str, Run] = {}
    left: dict[str, tuple[Run, list[Task]]] = {}
    for number, (name, pool) in enumerate(shapes.items()):
        wanted = size.demonstrations + size.held
        whole = lab.tasks(f"tasks-{number}", pool.request(wanted, seed=10 + number))
        tasks = list(whole.tasks())
        held = min(size.held, len(tasks) // 3)
        tests[name] = lab.part(whole, f"test-{number}", tasks[:held])
        left[name] = whole, tasks[held:]
    count = min(len(tasks) for _, tasks in left.values())
    record.notes.append(f"{count} demonstrations in each arm.")
    arms = {
        name: lab.part(whole, f"train-{number}", tasks[:count])
        for number, (name, (whole, tasks)) in enumerate(left.items())
    }
    _supervise(lab, record, evolve(size, budget=size.wide), FEW.services, arms, tests)
    small, *_, large = arms
    _better(record, large, small, large)
    _better(record, small, large, small)
    return record


# -- what they share ---------------------------------------------------------------------


def _record(name: str, title: str, question: str, size: Size, pool: Pool) -> Record:
    return Record(
        name,
        title,
        question,
        settings={"tasks": pool.said(), "size": str(size)},
        notes=[
            (
                "Small models on reduced tasks: this says how the method behaves at this size,"
                " not what the paper's models do."
            ),
            (
                "Turns: the share of the oracle's turns that the model writes too, each after"
                " the oracle's own beginning. It tells arms apart where none does a whole task."
            ),
        ],
    )


def _supervise(
    lab: Lab,
    record: Record,
    size: Size,
    services: tuple[str, ...],
    arms: Mapping[str, Run],
    tests: Mapping[str, Run],
    make: Callable[..., Course] = Course,
    **more: Any,
) -> None:
    """Take the courses of all seeds."""
    lab.budget, lab.base = size.budget, {**lab.base, **size.settings}
    data = {name: Data.of(lab, run) for name, run in arms.items()}
    asked = {name: Data.of(lab, run) for name, run in tests.items()}
    courses = [make(size, seed, services, data, asked, **more) for seed in range(size.seeds)]
    lab.take(record, courses)


def _better(record: Record, one: str, other: str, test: str) -> None:
    """Claim that an arm is above another one, in each figure."""
    for figure in ("success", "uniform", "turns"):
        gain = record.gain(one, other, test, figure)
        text = f"{one} is above {other} on {test}: {figure} (median gain)"
        record.claim(text, gain, holds=gain > 0)
