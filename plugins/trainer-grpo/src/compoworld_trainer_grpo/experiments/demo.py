"""Demo: an embedded model learns composed tasks, by SFT and then by GRPO, in minutes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final

from attrs import evolve, frozen

from compoworld_core.run import Run
from compoworld_trainer_grpo.experiments.lab import (
    DRAWS,
    EVERY,
    Budget,
    Lab,
    draws,
    metrics,
    warmup,
)
from compoworld_trainer_grpo.experiments.pools import Pool, divide, hold_out
from compoworld_trainer_grpo.experiments.record import Record

NEW_RECORDS: Final = "new records"
NEW_COMPOSITION: Final = "new composition"
UNTRAINED, AFTER_SFT, AFTER_RL = "untrained", "after SFT", "after GRPO"
ALL_SFT = "SFT to its end"

SERVICES: Final = ("github", "gmail", "hubspot", "shopify", "stripe", "zendesk")
REDUCED: Final = {"registers": ["terse"], "pools": 24, "least_writes": 1}
"""Options of the generator: one register, customers of closed pools of names, one deed."""

POOL: Final = Pool(services=SERVICES, options=REDUCED)
"""Two visits: something is looked up in one service and a deed done in the other."""

SMALL: Final = evolve(
    POOL,
    services=("shopify", "zendesk"),
    patterns=("named", "update"),
    deeds=("create_refund",),
    kept=0.35,
)
"""A ticket mentions an order, which is to be refunded. Where there are several deeds, a small
model learns last, and late, which of them is asked for; here what fails is copying a value."""

SHORT: Final = Budget(turns=12, turn_tokens=32, episode_tokens=640)
"""The oracle's longest episode of these has 10 turns, 18 tokens a turn and 515 in all; one that
has gone astray costs more the longer it may go on."""


@frozen
class Size:
    """How much is done."""

    pool: Pool = SMALL
    budget: Budget = SHORT
    seeds: int = 1
    demonstrations: int = 100
    """Tasks with a demonstration."""
    practice: int = 32
    """Other tasks, for GRPO: it needs no demonstration."""
    held: int = 24
    """Tasks of each test."""
    samples: int = 2
    """Rollouts of a held-out task."""
    sft_steps: int = 150
    """Of two rows each: many small steps learn more than few large ones (measured)."""
    sft_rate: float = 2.5e-3
    """At its highest; it falls to 0."""
    start: float = 0.2
    """GRPO goes on from the first checkpoint of SFT of which so many rollouts of practice tasks
    succeed; from the last one where none does."""
    grpo_steps: int = 4
    grpo_rate: float = 3e-4
    """Of all weights. At 1e-3, tiny models lose what they know."""
    gradient_norm: float = 1.0
    """Of a step of GRPO at most."""
    rollouts: int = 8
    tasks_per_step: int = 8
    updates: int = 2
    """Optimiser steps on what is sampled at once."""
    temperature: float = 1.0
    """At which rollouts are sampled: in GRPO, and of held-out tasks."""

    def scaled(self, factor: float) -> Size:
        """As much more or less of everything but seeds and rates; at least a little."""
        if factor == 1:
            return self
        counts = ("demonstrations", "practice", "held", "sft_steps", "grpo_steps")
        return evolve(self, **{n: max(4, round(getattr(self, n) * factor)) for n in counts})


QUICK: Final = Size()
"""For `make demo`: minutes in all; it prints whatever it finds."""

LEARN: Final = Size(seeds=3, practice=160, held=40, samples=4, sft_steps=300, grpo_steps=32)
"""For `make demo-learn`: an hour in all."""

LEAST_GAIN: Final = 0.15

_NOTES: Final = (
    (
        "Same generator, same certificates, same four meta-tools as everywhere; what is reduced"
        " is said under tasks. The model is `tiny` with an induction circuit as its start, and"
        " is trained from nothing."
    ),
    (
        "No held-out task was seen in training. New records: other tasks of compositions that"
        " were trained on, with other parties, values and wording."
    ),
    "Success is the share of rollouts that pass whole, sampled as GRPO samples them.",
    (
        "SFT is ended early, so that something is left to learn: after SFT means the first"
        " checkpoint that does some practice tasks. SFT to its end is what the same"
        " demonstrations give where they are used up, and is there to compare."
    ),
    (
        "Of about one start in five, SFT never learns where to look for a value. Where no"
        f" checkpoint does {QUICK.start:.0%} of what is practised, other first weights are"
        f" drawn, {DRAWS - 1} times at most."
    ),
)


def run(lab: Lab, size: Size, name: str) -> Record:
    """Generate, demonstrate, train twice, and score before, between and after."""
    record = Record(
        name,
        "An embedded model learns composed tasks",
        "Does GRPO on rubric rewards raise the success of a model that SFT has prepared?",
        settings={"tasks": size.pool.said(), "size": _said(size)},
        notes=[*_NOTES],
    )
    lab.budget = size.budget
    train, practice, tests = _tasks(lab, size, record)
    data = lab.demonstrations("demonstrations", train)
    courses = [
        Course(size, seed, data, practice.path, {name: run.path for name, run in tests.items()})
        for seed in range(size.seeds)
    ]
    lab.take(record, courses)
    if size.grpo_steps:
        gain = record.gain(AFTER_RL, AFTER_SFT, NEW_RECORDS)
        record.claim(
            f"GRPO raises held-out success over SFT by at least {LEAST_GAIN} on the median"
            f" seed of {size.seeds}",
            gain,
            holds=gain >= LEAST_GAIN,
        )
    return record


def _said(size: Size) -> str:
    return (
        f"{size.demonstrations} demonstrations; {size.practice} other tasks for GRPO; SFT"
        f" {size.sft_steps} steps of 2 rows, rate {size.sft_rate:g}, ended at {size.start:.0%}"
        f" success; GRPO {size.grpo_steps} steps of {size.tasks_per_step} x {size.rollouts}"
        f" rollouts, {size.updates} updates each, rate {size.grpo_rate:g}; temperature"
        f" {size.temperature}; {size.held} tasks x {size.samples} rollouts for each test"
    )


def _tasks(lab: Lab, size: Size, record: Record) -> tuple[Run, Run, dict[str, Run]]:
    """Training tasks, those that GRPO practises on, and the tests by name."""
    wanted = size.demonstrations + size.practice + size.held
    if len(size.pool.services) > size.pool.k:
        # a composition that is held out takes its share of what is generated
        wanted = round(wanted * 1.25) + size.held
    whole = lab.tasks("tasks", size.pool.request(round(wanted / size.pool.kept), seed=1))
    # the last ones that a run accepts are the least like the others; so no part is the end
    tasks = [task for task in whole.tasks() if size.pool.takes(task)]
    Random("parts").shuffle(tasks)
    held = hold_out(tasks, size.held // 2)
    train, records, others = divide(tasks, [held] if held else [], size.held)
    shown, fresh = train[: size.demonstrations], train[size.demonstrations :]
    tests = {NEW_RECORDS: lab.part(whole, "test-records", records)}
    if held:
        tests[NEW_COMPOSITION] = lab.part(whole, "test-composition", others[: size.held])
        record.notes.append(
            "New composition: tasks of services that training never had together:"
            f" {' + '.join(sorted(held))}."
        )
    kinds = f"{len(records)} with new records"
    if held:
        kinds += f", {min(size.held, len(others))} of a new composition"
    record.notes.append(
        f"{len(shown)} tasks are demonstrated, {len(fresh)} others are for GRPO; held out:"
        f" {kinds}."
    )
    lab.say(record.notes[-1])
    # what was demonstrated is known by heart after some epochs: it teaches GRPO little
    return lab.part(whole, "train", shown), lab.part(whole, "practice", fresh), tests


@frozen
class Course:
    """One seed's training: all that a process of its own needs to know."""

    size: Size
    seed: int
    data: Path
    practice: Path
    tests: Mapping[str, Path]

    def take(self, lab: Lab) -> Record:
        """Train by SFT, then by GRPO, and score before, between and after."""
        size, record = self.size, Record("course", "", "")
        for folder, weights in draws(self.seed):
            start = lab.model(f"{folder}/start", [self.data], size.pool.services, seed=weights)
            whole = lab.imitate(
                f"{folder}/sft",
                start,
                self.data,
                seed=self.seed,
                steps=size.sft_steps,
                rate=size.sft_rate,
                checkpoint_every=EVERY,
                keep=size.sft_steps,
            )
            self._draw(record, whole, "SFT", ("loss",))
            begun = lab.earliest(
                record,
                f"{folder}/tried",
                whole,
                self.practice,
                last=size.sft_steps,
                success=size.start,
                seed=self.seed,
            )
            if begun is not None:
                break
        model = begun or whole
        # it never ends by itself
        self._score(lab, record, UNTRAINED, start, (NEW_RECORDS,))
        self._score(lab, record, ALL_SFT, whole, (NEW_RECORDS,))
        self._score(lab, record, AFTER_SFT, model)
        if size.grpo_steps:
            model = lab.train(
                "grpo",
                f"{folder}/grpo",
                model=model,
                tasks=[str(self.practice)],
                seed=self.seed,
                learning_rate=size.grpo_rate,
                # a rollout that breaks a gate earns nothing, and one that does nothing no more:
                # where none succeeds, gates as criteria would teach not to act (measured)
                reward_options={"gates": "multiply"},
                warmup=warmup(size.grpo_steps * size.updates),
                gradient_norm=size.gradient_norm,
                steps=size.grpo_steps,
                epochs=1000,
                rollouts=size.rollouts,
                tasks_per_step=size.tasks_per_step,
                temperature=size.temperature,
                micro_batch=8,
                updates=size.updates,
                checkpoint_every=10,
            )
            self._draw(record, model, "GRPO", ("success", "uniform", "reward"))
            self._score(lab, record, AFTER_RL, model)
        return record

    def _draw(self, record: Record, run: str, stage: str, figures: Sequence[str]) -> None:
        of = "" if stage == "SFT" else " of sampled rollouts"
        for figure, points in metrics(run, "train", figures).items():
            record.draw(f"{stage}: {figure}{of}", f"seed {self.seed}", points)

    def _score(
        self, lab: Lab, record: Record, arm: str, model: str, tests: Sequence[str] = ()
    ) -> None:
        size = self.size
        for test in tests or self.tests:
            folder = f"seed{self.seed}/{arm} on {test}".replace(" ", "-")
            found = lab.score(
                folder,
                model,
                Run.open(self.tests[test]),
                n=1 if arm == UNTRAINED else size.samples,
                temperature=size.temperature,
                seed=self.seed,
            )
            row = record.add(arm, test, self.seed, found)
            lab.say(
                f"seed {self.seed}, {arm}, {test}: success {row.success['mean']:.1%}, uniform"
                f" {row.uniform['mean']:.3f}"
            )
