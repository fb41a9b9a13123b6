"""Demo: an embedded model learns composed tasks, by SFT and then by GRPO, in minutes."""

from __future__ import annotations

from statistics import median
from typing import Any, Final

from attrs import evolve, frozen

from compoworld_core.evaluation import Evaluation
from compoworld_core.run import Run
from compoworld_trainer_grpo.experiments.lab import Lab, Pool, divide, hold_out, metrics
from compoworld_trainer_grpo.experiments.record import Record

NEW_RECORDS: Final = "new records"
NEW_COMPOSITION: Final = "new composition"
UNTRAINED, AFTER_SFT, AFTER_RL = "untrained", "after SFT", "after GRPO"

POOL: Final = Pool(services=("github", "gmail", "hubspot", "shopify", "stripe", "zendesk"))


@frozen
class Size:
    """How much is done."""

    seeds: int = 1
    demonstrations: int = 120
    """Tasks with a demonstration."""
    practice: int = 120
    """Further tasks that GRPO alone has: it needs no demonstration."""
    held: int = 32
    """Tasks of each test."""
    samples: int = 4
    """Rollouts of a held-out task."""
    sft_steps: int = 300
    """Of two rows each: many small steps learn more than few large ones (measured)."""
    stop_loss: float = 0.05
    sft_rate: float = 2.5e-3
    grpo_steps: int = 12
    grpo_rate: float = 3e-4
    rollouts: int = 8
    tasks_per_step: int = 4

    def scaled(self, factor: float) -> Size:
        """As much more or less of everything but seeds and rates; at least a little."""
        if factor == 1:
            return self
        counts = ("demonstrations", "practice", "held", "sft_steps", "grpo_steps")
        return evolve(self, **{n: max(4, round(getattr(self, n) * factor)) for n in counts})


QUICK: Final = Size()
"""For `make demo`: minutes in all; it prints whatever it finds."""

LEARN: Final = Size(
    seeds=3, demonstrations=240, practice=400, held=60, sft_steps=1500, grpo_steps=60
)
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
        " were trained on, with other parties, values and wording. New composition: tasks of"
        " services that training never had together."
    ),
    "Success is the share of rollouts sampled at temperature 1 that pass whole.",
)


def run(lab: Lab, size: Size, name: str) -> Record:
    """Generate, demonstrate, train twice, and score before, between and after."""
    record = Record(
        name,
        "An embedded model learns composed tasks",
        "Does GRPO on rubric rewards raise the success of a model that SFT has prepared?",
        settings={"tasks": POOL.said(), "size": _said(size)},
        notes=[*_NOTES],
    )
    train, practice, tests = _tasks(lab, size, record)
    data = lab.demonstrations("demonstrations", train)
    for seed in range(size.seeds):
        _learn(lab, size, seed, record, data, practice, tests)
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
        f"{size.demonstrations} demonstrations; {size.practice} more tasks for GRPO; SFT"
        f" {size.sft_steps} steps of 2 rows at most or to a loss of {size.stop_loss}; GRPO"
        f" {size.grpo_steps} steps of {size.tasks_per_step} x {size.rollouts} rollouts;"
        f" {size.held} tasks x {size.samples} rollouts for each test"
    )


def _tasks(lab: Lab, size: Size, record: Record) -> tuple[Run, Run, dict[str, Run]]:
    """Training tasks, those that GRPO practises on, and the tests by name."""
    wanted = size.demonstrations + size.practice + size.held
    # a composition that is held out takes its share of what is generated
    whole = lab.tasks("tasks", POOL.request(round(wanted * 1.25) + size.held, seed=1))
    held = hold_out(whole.tasks(), size.held // 2)
    train, records, others = divide(whole.tasks(), [held] if held else [], size.held)
    shown = train[: size.demonstrations]
    tests = {NEW_RECORDS: lab.part(whole, "test-records", records)}
    if held:
        tests[NEW_COMPOSITION] = lab.part(whole, "test-composition", others[: size.held])
        record.notes.append(f"The new composition: {' + '.join(sorted(held))}.")
    record.notes.append(
        f"{len(train)} tasks to train on, {len(shown)} of them demonstrated; held out:"
        f" {len(records)} with new records, {min(size.held, len(others))} of a new composition."
    )
    lab.say(record.notes[-1])
    return lab.part(whole, "train", shown), lab.part(whole, "practice", train), tests


def _learn(
    lab: Lab,
    size: Size,
    seed: int,
    record: Record,
    data: Any,
    practice: Run,
    tests: dict[str, Run],
) -> None:
    base = lab.model(f"seed{seed}/start", [data], POOL.services, seed=seed)
    stages = {UNTRAINED: base}
    _score(lab, size, seed, record, tests, UNTRAINED, base)
    stages[AFTER_SFT] = lab.train(
        "sft",
        f"seed{seed}/sft",
        model=base,
        data=[str(data)],
        seed=seed,
        learning_rate=size.sft_rate,
        warmup=0.05,
        batch=2,
        micro_batch=2,
        steps=size.sft_steps,
        epochs=1000,
        stop_loss=size.stop_loss,
        evaluation=0,
        checkpoint_every=10_000,
    )
    _score(lab, size, seed, record, tests, AFTER_SFT, stages[AFTER_SFT])
    for figure, points in metrics(stages[AFTER_SFT], "train", ("loss",)).items():
        record.draw(f"SFT: {figure}", f"seed {seed}", points)
    if not size.grpo_steps:
        return
    stages[AFTER_RL] = lab.train(
        "grpo",
        f"seed{seed}/grpo",
        model=stages[AFTER_SFT],
        tasks=[str(practice.path)],
        seed=seed,
        learning_rate=size.grpo_rate,
        steps=size.grpo_steps,
        epochs=1000,
        rollouts=size.rollouts,
        tasks_per_step=size.tasks_per_step,
        micro_batch=16,
        updates=2,
        checkpoint_every=10_000,
    )
    for figure, points in metrics(
        stages[AFTER_RL], "train", ("success", "uniform", "reward")
    ).items():
        record.draw(f"GRPO: {figure} of sampled rollouts", f"seed {seed}", points)
    _score(lab, size, seed, record, tests, AFTER_RL, stages[AFTER_RL])


def _score(
    lab: Lab,
    size: Size,
    seed: int,
    record: Record,
    tests: dict[str, Run],
    arm: str,
    model: str,
) -> None:
    for test, run in tests.items():
        folder = f"seed{seed}/{arm} on {test}".replace(" ", "-")
        samples = 1 if arm == UNTRAINED else size.samples
        found: Evaluation = lab.score(folder, model, run, n=samples, seed=seed)
        row = record.add(arm, test, seed, found)
        lab.say(
            f"seed {seed}, {arm}, {test}: success {row.success['mean']:.1%}, uniform"
            f" {row.uniform['mean']:.3f}"
        )


def headline(record: Record) -> str:
    """Success before, between and after, in a line."""
    parts = []
    for arm in (UNTRAINED, AFTER_SFT, AFTER_RL):
        values = record.values(arm, NEW_RECORDS)
        if values:
            parts.append(f"{arm} {median(values.values()):.1%}")
    return "held-out success: " + ", ".join(parts)
