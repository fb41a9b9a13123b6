"""Courses: how much a comparison does, and one seed of it, which is one process.

A course is SFT of each arm from one start, or GRPO of each reward from one SFT, and each scored
on each test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import evolve, field, frozen

from compoworld_core.run import Run
from compoworld_trainer_grpo.experiments.foreseen import foreseen
from compoworld_trainer_grpo.experiments.lab import (
    EVERY,
    FIRST,
    Budget,
    Lab,
    draws,
    metrics,
    warmup,
)
from compoworld_trainer_grpo.experiments.record import Record

_UPDATES: Final = 2
"""Optimiser steps on what is sampled at once."""
BUDGET: Final = Budget(turns=20, turn_tokens=48, episode_tokens=1280)
"""The oracle's longest episode has 17 turns, 41 tokens a turn and 1,213 in all (measured); one
that has gone astray costs more the longer it may go on."""
WIDE: Final = Budget(turns=28, turn_tokens=80, episode_tokens=2304)
"""The same for three visits: the oracle needs 24, 72 and 2,276."""
SHORT: Final = Budget(turns=14, turn_tokens=32, episode_tokens=800)
"""The same where rewards are compared: the oracle needs 12, 19 and 605."""


@frozen
class Size:
    """How much a comparison does; the defaults are for `tiny`."""

    seeds: int = 3
    demonstrations: int = 160
    shown: int = 120
    """Demonstrations before GRPO."""
    practice: int = 200
    """Other tasks, for GRPO."""
    held: int = 40
    samples: int = 4
    sft_steps: int = 600
    sft_rows: int = 2
    """Of a step."""
    sft_rate: float = 2.5e-3
    """At its highest; it falls to 0."""
    budget: Budget = BUDGET
    wide: Budget = WIDE
    """Of tasks of three visits."""
    short: Budget = SHORT
    """Of the tasks that rewards are compared on."""
    short_steps: int = 400
    """Of SFT on these."""
    grpo_steps: int = 16
    tasks_per_step: int = 8
    rollouts: int = 8
    """Of a task."""
    micro_batch: int = 8
    """Rollouts that an update computes at once."""
    grpo_rate: float = 3e-4
    documents: int = 0
    """Of the services, that become tokens of a pretrained model; see `models/extension.py`."""
    settings: Mapping[str, Any] = field(factory=dict)
    """Of both trainers, in place of the preset's."""
    first: int = FIRST
    every: int = EVERY
    """Steps of SFT between checkpoints that are tried, from the first one on."""
    start: float = 0.2
    """GRPO goes on from the first checkpoint of SFT of which so many rollouts of practice tasks
    succeed: something is left to learn, and there is something to learn from. 0 goes on from
    the last one, and tries none."""

    def scaled(self, factor: float) -> Size:
        """As much more or less of everything but seeds and rates."""
        counts = (
            "demonstrations", "shown", "practice", "held",
            "sft_steps", "short_steps", "grpo_steps",
        )  # fmt: skip
        return evolve(self, **{n: max(4, round(getattr(self, n) * factor)) for n in counts})


SIZES: Final[Mapping[str, Size]] = {
    "tiny-cpu": Size(),
    # a row of a thousand tokens costs a core seven seconds, an episode ten: two hours of two
    # cores allow no more
    "smollm2-cpu-lora": Size(
        demonstrations=80,
        shown=60,
        practice=60,
        held=24,
        samples=1,
        sft_steps=80,
        sft_rows=1,
        sft_rate=1e-3,
        budget=Budget(20, turn_tokens=160, episode_tokens=3072, observation_tokens=1024),
        wide=Budget(28, turn_tokens=240, episode_tokens=5120, observation_tokens=1024),
        short=Budget(14, turn_tokens=160, episode_tokens=2560, observation_tokens=1024),
        short_steps=60,
        grpo_steps=3,
        tasks_per_step=4,
        rollouts=4,
        micro_batch=1,
        grpo_rate=1e-4,
        documents=512,
        settings={"precision": "bf16", "checkpointing": False},
        first=30,
        every=10,
    ),
    # for whoever has a GPU; never run here
    "single-gpu-lora": Size(
        demonstrations=400,
        held=80,
        sft_steps=300,
        sft_rows=8,
        sft_rate=1e-4,
        budget=Budget(40, turn_tokens=1024, episode_tokens=16384, observation_tokens=2048),
        wide=Budget(48, turn_tokens=1024, episode_tokens=24576, observation_tokens=2048),
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

    def take(self, lab: Lab) -> Record:
        """Train and score."""
        record, folder = Record("course", "", ""), f"seed{self.seed}"
        base = self._base(lab, folder, self.seed)
        for name in self.arms:
            made = self._imitate(lab, record, folder, base, name)
            self._score(lab, record, name, made)
        return record

    def _base(self, lab: Lab, folder: str, weights: int) -> str:
        # one tokenizer, of all arms' demonstrations, so that arms differ in what they train on
        return lab.model(
            f"{folder}/start",
            [arm.demonstrations for arm in self.arms.values()],
            self.services,
            documents=self.size.documents,
            seed=weights,
        )

    def _imitate(
        self, lab: Lab, record: Record, folder: str, base: str, name: str, **settings: Any
    ) -> str:
        made = lab.imitate(
            f"{folder}/{_file(name)}",
            base,
            self.arms[name].demonstrations,
            seed=self.seed,
            steps=self.size.sft_steps,
            rate=self.size.sft_rate,
            rows=self.size.sft_rows,
            **settings,
        )
        self._draw(record, made, "SFT", name, ("loss",))
        return made

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


@frozen
class Practice(Course):
    """One seed of a comparison of rewards: GRPO with each, from one SFT, the only arm."""

    rewards: Mapping[str, Mapping[str, Any]]
    """By name: settings of each."""
    practice: Path
    """Tasks of GRPO."""

    def take(self, lab: Lab) -> Record:
        """Train and score."""
        record = Record("course", "", "")
        (name,) = self.arms
        start = self._start(lab, record, name)
        self._score(lab, record, name, start)
        for reward, given in self.rewards.items():
            self._practise(lab, record, reward, start, given)
        return record

    def _start(self, lab: Lab, record: Record, name: str) -> str:
        """The model that GRPO starts from."""
        made = ""
        for folder, weights in draws(self.seed):
            base = self._base(lab, folder, weights)
            if not self.size.start:
                return self._imitate(lab, record, folder, base, name)
            kept = {"checkpoint_every": self.size.every, "keep": self.size.sft_steps}
            made = self._imitate(lab, record, folder, base, name, **kept)
            chosen = lab.earliest(
                record,
                f"{folder}/tried",
                made,
                self.practice,
                last=self.size.sft_steps,
                success=self.size.start,
                seed=self.seed,
                first=self.size.first,
                every=self.size.every,
            )
            if chosen is not None:
                return chosen
        return made

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


def _file(name: str) -> str:
    return name.replace(",", "").replace(" ", "-").replace("=", "")
