"""Comparisons: the paper's experiments in miniature, with seeds, intervals and claims.

All start from models of a million parameters and reduced tasks, so that hours of two cores
suffice; what they say about large models is said nowhere. What fails stays in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from attrs import evolve, field, frozen

from compoworld_core.errors import UnknownName, UsageError
from compoworld_core.records import Task
from compoworld_core.registry import closest
from compoworld_core.run import Run
from compoworld_trainer_grpo.experiments.demo import POOL, SHORT, SMALL
from compoworld_trainer_grpo.experiments.foreseen import foreseen
from compoworld_trainer_grpo.experiments.lab import (
    EVERY,
    Budget,
    Lab,
    Pool,
    composition,
    divide,
    hold_out,
    metrics,
    warmup,
)
from compoworld_trainer_grpo.experiments.record import Record

FEW: Final = evolve(POOL, services=("github", "gmail", "zendesk"), patterns=())
"""Three services that tell one another, and themselves, much the same: what a customer wrote is
passed on. So tasks of one service and of several differ in little else."""

BUDGET: Final = Budget(turns=20, turn_tokens=48, episode_tokens=1280)
"""The oracle's longest episode has 17 turns, 41 tokens a turn and 1,213 in all (measured); one
that has gone astray costs more the longer it may go on."""


@frozen
class Size:
    """How much a comparison does; the defaults are for `tiny`."""

    seeds: int = 3
    demonstrations: int = 160
    shown: int = 100
    """Demonstrations before GRPO."""
    practice: int = 160
    """Other tasks, for GRPO."""
    held: int = 40
    samples: int = 4
    sft_steps: int = 600
    sft_rows: int = 2
    """Of a step."""
    sft_rate: float = 2.5e-3
    """At its highest; it falls to 0."""
    budget: Budget = BUDGET
    short: Budget = SHORT
    """Of the tasks that rewards are compared on."""
    grpo_steps: int = 16
    tasks_per_step: int = 8
    rollouts: int = 8
    """Of a task."""
    micro_batch: int = 8
    """Rollouts that an update computes at once."""
    grpo_rate: float = 3e-4
    start: float = 0.2
    """GRPO goes on from the first checkpoint of SFT of which so many rollouts of practice tasks
    succeed: something is left to learn, and there is something to learn from. 0 goes on from
    the last one, and tries none."""

    def scaled(self, factor: float) -> Size:
        """As much more or less of everything but seeds and rates."""
        counts = ("demonstrations", "shown", "practice", "held", "sft_steps", "grpo_steps")
        return evolve(self, **{n: max(4, round(getattr(self, n) * factor)) for n in counts})


SIZES: Final[Mapping[str, Size]] = {
    "tiny-cpu": Size(),
    # a row of these has 3,500 to 6,000 tokens, a minute of one core: two hours allow no more
    "smollm2-cpu-lora": Size(
        demonstrations=20,
        shown=20,
        practice=20,
        held=6,
        samples=1,
        sft_steps=20,
        sft_rows=1,
        sft_rate=1e-3,
        budget=Budget(20, turn_tokens=160, episode_tokens=8192, observation_tokens=1024),
        short=Budget(12, turn_tokens=160, episode_tokens=6144, observation_tokens=1024),
        grpo_steps=4,
        tasks_per_step=1,
        rollouts=4,
        micro_batch=1,
        grpo_rate=1e-4,
        start=0,
    ),
    # for whoever has a GPU; never run here
    "single-gpu-lora": Size(
        demonstrations=400,
        held=80,
        sft_steps=300,
        sft_rows=8,
        sft_rate=1e-4,
        budget=Budget(40, turn_tokens=1024, episode_tokens=16384, observation_tokens=2048),
        short=Budget(24, turn_tokens=1024, episode_tokens=8192, observation_tokens=2048),
        grpo_steps=50,
        micro_batch=1,
        grpo_rate=1e-5,
    ),
}
"""By the preset that says which model is trained, and where."""


@frozen
class Data:
    """Tasks, and the oracle's way through them."""

    tasks: Path
    demonstrations: Path

    @classmethod
    def of(cls, lab: Lab, run: Run) -> Data:
        """Those of a run."""
        return cls(run.path, lab.demonstrations(run.path.name, run))


@frozen
class Course:
    """One seed of a comparison: SFT of each arm from one start, each scored on each test."""

    size: Size
    seed: int
    services: tuple[str, ...]
    arms: Mapping[str, Data]
    """By name: what each is trained on, as many steps each."""
    tests: Mapping[str, Data]
    rewards: Mapping[str, Mapping[str, str]] = field(factory=dict)
    """Arms of GRPO, by name: settings of the reward. They start from the only arm of SFT."""
    practice: Path = Path()
    """Their tasks."""

    def take(self, lab: Lab) -> Record:
        """Train and score."""
        record, folder = Record("course", "", ""), f"seed{self.seed}"
        # one tokenizer, of all arms' demonstrations, so that arms differ in what they train on
        data = [arm.demonstrations for arm in self.arms.values()]
        base = lab.model(f"{folder}/start", data, self.services, seed=self.seed)
        for name, arm in self.arms.items():
            made = lab.imitate(
                f"{folder}/{_file(name)}",
                base,
                arm.demonstrations,
                seed=self.seed,
                steps=self.size.sft_steps,
                rate=self.size.sft_rate,
                rows=self.size.sft_rows,
                **({"checkpoint_every": EVERY, "keep": 1000} if self.rewards else {}),
            )
            self._draw(record, made, "SFT", name, ("loss",))
            if self.rewards:
                made = lab.earliest(
                    record,
                    f"{folder}/tried",
                    made,
                    self.practice,
                    last=self.size.sft_steps if self.size.start else 0,
                    success=self.size.start,
                    seed=self.seed,
                )
            self._score(lab, record, name, made)
            for reward, given in self.rewards.items():
                self._practise(lab, record, reward, made, given)
        return record

    def _practise(
        self, lab: Lab, record: Record, name: str, start: str, given: Mapping[str, Any]
    ) -> None:
        made = lab.train(
            "grpo",
            f"seed{self.seed}/{name}",
            model=start,
            tasks=[str(self.practice)],
            seed=self.seed,
            learning_rate=self.size.grpo_rate,
            warmup=warmup(self.size.grpo_steps * _UPDATES),
            updates=_UPDATES,
            steps=self.size.grpo_steps,
            epochs=1000,
            tasks_per_step=self.size.tasks_per_step,
            rollouts=self.size.rollouts,
            micro_batch=self.size.micro_batch,
            checkpoint_every=10_000,
            **given,
        )
        figures = ("reward", "success", "uniform", "criteria/")
        self._draw(record, made, "GRPO", name, figures)
        self._score(lab, record, name, made)

    def _draw(
        self, record: Record, made: str, stage: str, arm: str, figures: Sequence[str]
    ) -> None:
        of = "" if stage == "SFT" else " of sampled rollouts"
        for figure, points in metrics(made, "train", figures).items():
            record.draw(f"{stage}: {figure}{of}", f"{arm}, {self.seed}", points)

    def _score(self, lab: Lab, record: Record, arm: str, model: str) -> None:
        for test, data in self.tests.items():
            folder = f"seed{self.seed}/{_file(arm)}-on-{_file(test)}"
            run = Run.open(data.tasks)
            found = lab.score(folder, model, run, n=self.size.samples, seed=self.seed)
            turns = foreseen(model, [data.demonstrations])
            row = record.add(arm, test, self.seed, found, turns)
            lab.say(
                f"seed {self.seed}, {arm} on {test}: success {row.success['mean']:.1%},"
                f" uniform {row.uniform['mean']:.3f}, turns {turns:.1%}"
            )


_UPDATES: Final = 2
"""Optimiser steps on what is sampled at once."""


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


def growth(lab: Lab, size: Size) -> Record:
    """Growing numbers of demonstrations, each of another set of services."""
    pool = Pool(services=(), k=3, walk=(3, 3), patterns=())
    record = _record(
        "growth",
        "Growing numbers of compositions",
        "Does success grow with demonstrations, each of which is of another set of services?",
        size,
        pool,
    )
    whole = lab.tasks("tasks", pool.request(size.demonstrations + size.held, seed=4))
    first: dict[frozenset[str], Task] = {}
    for task in whole.tasks():
        first.setdefault(composition(task), task)
    distinct = list(first.values())
    held = min(size.held, len(distinct) // 4)
    test = "new sets of services"
    tests = {test: lab.part(whole, "test", distinct[:held])}
    left = distinct[held:]
    record.notes.append(f"{len(distinct)} distinct sets of 3 services; {held} of them tested.")
    arms: dict[str, Run] = {}
    count = len(left)
    while count >= 4 and len(arms) < 4:
        arms[f"{count} sets"] = lab.part(whole, f"train-{count}", left[:count])
        count //= 2
    if len(arms) < 2:
        raise UsageError(f"{len(distinct)} sets of services are too few; raise --scale")
    services = tuple(sorted({name for task in distinct for name in task.services}))
    _supervise(lab, record, size, services, arms, tests)
    most, *_, least = arms
    _better(record, most, least, test)
    return record


# -- (c) ---------------------------------------------------------------------------------

_OURS: Final = "completion-focused"
_REWARDS: Final[Mapping[str, Mapping[str, Any]]] = {
    _OURS: {"reward": "completion-focused"},
    "uniform": {"reward": "uniform"},
    "binary": {"reward": "binary"},
    "f-grpo": {"reward": "binary", "scale": "f-grpo"},
}


def rewards(lab: Lab, size: Size) -> Record:
    """Four rewards from the same SFT start, on the same tasks.

    The tasks are the demo's, which GRPO is known to learn (`learn`): one deed, whose criterion
    is seldom met at first, and the gate that nothing else changes, which whoever does nothing
    meets. What a reward gives for that is what tells rewards apart.
    """
    record = _record(
        "rewards",
        "Completion-focused reward against others",
        "From one SFT start, which reward raises held-out success most?",
        size,
        SMALL,
    )
    wanted = round((size.shown + size.practice + size.held) / SMALL.kept)
    whole = lab.tasks("tasks", SMALL.request(wanted, seed=1))
    # the last ones that a run accepts are the least like the others; so no part is the end
    tasks = [task for task in whole.tasks() if SMALL.takes(task)]
    Random("parts").shuffle(tasks)
    train, records, _ = divide(tasks, (), size.held)
    test = "new records"
    tests = {test: lab.part(whole, "test", records)}
    shown = lab.part(whole, "train", train[: size.shown])
    practice = lab.part(whole, "practice", train[size.shown :])
    size = evolve(size, budget=size.short)
    _supervise(
        lab,
        record,
        size,
        SMALL.services,
        {"SFT": shown},
        tests,
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
    arms, tests = {}, {}
    for number, (name, pool) in enumerate(shapes.items()):
        wanted = size.demonstrations + size.held
        whole = lab.tasks(f"tasks-{number}", pool.request(wanted, seed=10 + number))
        tasks = list(whole.tasks())
        held = min(size.held, len(tasks) // 3)
        tests[name] = lab.part(whole, f"test-{number}", tasks[:held])
        arms[name] = lab.part(whole, f"train-{number}", tasks[held:])
    _supervise(lab, record, size, FEW.services, arms, tests)
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
    **more: Any,
) -> None:
    """Take the courses of all seeds."""
    lab.budget = size.budget
    data = {name: Data.of(lab, run) for name, run in arms.items()}
    asked = {name: Data.of(lab, run) for name, run in tests.items()}
    courses = [Course(size, seed, services, data, asked, **more) for seed in range(size.seeds)]
    lab.take(record, courses)


def _better(record: Record, one: str, other: str, test: str) -> None:
    """Claim that an arm is above another one, in each figure."""
    for figure in ("success", "uniform", "turns"):
        gain = record.gain(one, other, test, figure)
        text = f"{one} is above {other} on {test}: {figure} (median gain)"
        record.claim(text, gain, holds=gain > 0)


def _file(name: str) -> str:
    return name.replace(",", "").replace(" ", "-").replace("=", "")
