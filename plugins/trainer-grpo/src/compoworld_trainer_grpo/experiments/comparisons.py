"""Comparisons: the paper's experiments in miniature, with seeds, intervals and claims.

All start from models of a million parameters and reduced tasks, so that hours of two cores
suffice; what they say about large models is said nowhere. What fails stays in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from attrs import evolve, field, frozen

from compoworld_core.errors import UsageError
from compoworld_core.records import Task
from compoworld_core.run import Run
from compoworld_trainer_grpo.experiments.demo import POOL, REDUCED
from compoworld_trainer_grpo.experiments.lab import (
    Lab,
    Pool,
    composition,
    divide,
    hold_out,
    metrics,
)
from compoworld_trainer_grpo.experiments.record import Record

_SEEDS: Final = 3


@frozen
class Size:
    """How much a comparison does."""

    seeds: int = _SEEDS
    demonstrations: int = 160
    held: int = 40
    samples: int = 4
    sft_steps: int = 1000
    grpo_steps: int = 40

    def scaled(self, factor: float) -> Size:
        """As much more or less of everything but seeds."""
        counts = ("demonstrations", "held", "sft_steps", "grpo_steps")
        return evolve(self, **{n: max(4, round(getattr(self, n) * factor)) for n in counts})


@frozen
class Arm:
    """A way of training: its name and its demonstrations' tasks."""

    name: str
    tasks: Run
    steps: int = 0
    """SFT steps, where not those of the size."""


@frozen
class Setting:
    """What all arms of a comparison share."""

    size: Size
    services: tuple[str, ...] = field(default=POOL.services)
    rate: float = 2.5e-3


def runner(name: str, seeds: int | None, scale: float) -> Callable[[Lab], Record]:
    """The comparison of a name, at a size."""
    size = Size() if scale == 1 else Size().scaled(scale)
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
    )
    whole = lab.tasks("composed", POOL.request(size.demonstrations + 2 * size.held, seed=2))
    single = evolve(POOL, k=1)
    alone = lab.tasks("single", single.request(size.demonstrations, seed=3))
    held = hold_out(whole.tasks(), size.held // 2)
    train, records, others = divide(whole.tasks(), [held] if held else [], size.held)
    tests = {"compositions, new records": lab.part(whole, "test-records", records)}
    if held:
        tests["a new composition"] = lab.part(whole, "test-new", others[: size.held])
    count = min(size.demonstrations, len(train), sum(1 for _ in alone.tasks()))
    arms = [
        Arm("composed", lab.part(whole, "train-composed", train[:count])),
        Arm("single services", lab.part(alone, "train-single", list(alone.tasks())[:count])),
    ]
    _supervise(lab, record, Setting(size), arms, tests)
    for test in tests:
        gain = record.gain("composed", "single services", test)
        record.claim(f"composed data is better on {test} (median gain)", gain, holds=gain > 0)
    return record


# -- (b) ---------------------------------------------------------------------------------


def growth(lab: Lab, size: Size) -> Record:
    """Growing numbers of demonstrations, each of another set of services."""
    record = _record(
        "growth",
        "Growing numbers of compositions",
        "Does success grow with demonstrations, each of which is of another set of services?",
        size,
    )
    pool = Pool(services=(), k=3, walk=(3, 3), patterns=())
    whole = lab.tasks("tasks", pool.request(size.demonstrations + size.held, seed=4))
    first: dict[frozenset[str], Task] = {}
    for task in whole.tasks():
        first.setdefault(composition(task), task)
    distinct = list(first.values())
    held = min(size.held, len(distinct) // 4)
    tests = {"new sets of services": lab.part(whole, "test", distinct[:held])}
    left = distinct[held:]
    record.notes.append(f"{len(distinct)} distinct sets of 3 services; {held} of them tested")
    arms: list[Arm] = []
    count = len(left)
    while count >= 4 and len(arms) < 4:
        arms.insert(0, Arm(f"{count} sets", lab.part(whole, f"train-{count}", left[:count])))
        count //= 2
    if len(arms) < 2:
        raise UsageError(f"{len(distinct)} sets of services are too few; raise --scale")
    services = sorted({name for task in distinct for name in task.services})
    _supervise(lab, record, Setting(size, tuple(services)), arms, tests)
    gain = record.gain(arms[-1].name, arms[0].name, "new sets of services", "uniform")
    record.claim(
        f"{arms[-1].name} give a higher uniform score than {arms[0].name} (median gain)",
        gain,
        holds=gain > 0,
    )
    return record


# -- (c) ---------------------------------------------------------------------------------

_REWARDS: Final[Mapping[str, Mapping[str, str]]] = {
    "completion-focused": {"reward": "completion-focused"},
    "uniform": {"reward": "uniform"},
    "binary": {"reward": "binary"},
    "f-grpo": {"reward": "binary", "scale": "f-grpo"},
}


_SEVERAL: Final = evolve(POOL, walk=(3, 3), options={**REDUCED, "least_writes": 2})
"""Rewards differ where a task has several criteria, so these have two deeds at least."""


def rewards(lab: Lab, size: Size) -> Record:
    """Four rewards from the same SFT start, on the same tasks."""
    record = _record(
        "rewards",
        "Completion-focused reward against others",
        "From one SFT start, which reward raises held-out success most?",
        size,
        _SEVERAL,
    )
    wanted = size.demonstrations * 2 + size.held
    whole = lab.tasks("tasks", _SEVERAL.request(wanted, seed=1))
    train, records, _ = divide(whole.tasks(), (), size.held)
    tests = {"new records": lab.part(whole, "test", records)}
    shown = lab.part(whole, "train", train[: size.demonstrations])
    practice = lab.part(whole, "practice", train[size.demonstrations :])
    setting = Setting(size)
    _supervise(lab, record, setting, [Arm("SFT", shown)], tests)
    for seed in range(size.seeds):
        for name, given in _REWARDS.items():
            made = lab.train(
                "grpo",
                f"seed{seed}/{name}",
                model=str(lab.path / f"seed{seed}/SFT"),
                tasks=[str(practice.path)],
                seed=seed,
                learning_rate=3e-4,
                steps=size.grpo_steps,
                epochs=1000,
                micro_batch=16,
                checkpoint_every=10_000,
                **given,
            )
            for figure, points in metrics(made, "train", ("success", "uniform")).items():
                record.draw(f"GRPO: {figure} of sampled rollouts", f"{name}, {seed}", points)
            _score(lab, record, size, name, made, tests, seed)
    ours = "completion-focused"
    for other in _REWARDS:
        if other != ours:
            gain = record.gain(ours, other, "new records")
            record.claim(f"{ours} is above {other} (median gain)", gain, holds=gain > 0)
    return record


# -- (d) ---------------------------------------------------------------------------------


def lengths(lab: Lab, size: Size) -> Record:
    """Services and visits of training against those of the test."""
    record = _record(
        "lengths",
        "Size of training tasks against that of the test",
        "Do larger training tasks help on larger tests, at the same number of demonstrations?",
        size,
    )
    shapes = {
        "K=2, L=3": evolve(POOL, k=2, walk=(3, 3)),
        "K=3, L=3": evolve(POOL, k=3, walk=(3, 3)),
        "K=3, L=4": evolve(POOL, k=3, walk=(4, 4)),
    }
    arms, tests = [], {}
    for number, (name, pool) in enumerate(shapes.items()):
        wanted = size.demonstrations + size.held
        whole = lab.tasks(f"tasks-{number}", pool.request(wanted, seed=10 + number))
        tasks = list(whole.tasks())
        held = min(size.held, len(tasks) // 3)
        tests[name] = lab.part(whole, f"test-{number}", tasks[:held])
        arms.append(Arm(name, lab.part(whole, f"train-{number}", tasks[held:])))
    _supervise(lab, record, Setting(size), arms, tests)
    small, large = arms[0].name, arms[-1].name
    gain = record.gain(large, small, large)
    record.claim(
        f"on {large}, training on it beats {small} (median gain)", gain, holds=gain > 0
    )
    loss = record.gain(large, small, small)
    record.claim(f"on {small}, {large} is not worse than {small}", loss, holds=loss >= 0)
    return record


# -- what they share ---------------------------------------------------------------------


def _record(name: str, title: str, question: str, size: Size, pool: Pool = POOL) -> Record:
    return Record(
        name,
        title,
        question,
        settings={"tasks": pool.said(), "size": str(size)},
        notes=[
            (
                "Models of a million parameters, trained from nothing on reduced tasks: this"
                " says how the method behaves at this size, not what the paper's models do."
            )
        ],
    )


def _supervise(
    lab: Lab,
    record: Record,
    setting: Setting,
    arms: Sequence[Arm],
    tests: Mapping[str, Run],
) -> None:
    """Train each arm by SFT from one start per seed, as many steps each, and score it."""
    size = setting.size
    data = {arm.name: lab.demonstrations(f"demo-{_file(arm.name)}", arm.tasks) for arm in arms}
    for seed in range(size.seeds):
        # one tokenizer, of all arms' demonstrations, so that arms differ in what they train on
        base = lab.model(f"seed{seed}/start", list(data.values()), setting.services, seed=seed)
        for arm in arms:
            made = lab.train(
                "sft",
                f"seed{seed}/{_file(arm.name)}",
                model=base,
                data=[str(data[arm.name])],
                seed=seed,
                learning_rate=setting.rate,
                warmup=0.05,
                batch=2,
                micro_batch=2,
                steps=arm.steps or size.sft_steps,
                epochs=100_000,
                evaluation=0,
                checkpoint_every=10_000,
            )
            for figure, points in metrics(made, "train", ("loss",)).items():
                record.draw(f"SFT: {figure}", f"{arm.name}, {seed}", points)
            _score(lab, record, size, arm.name, made, tests, seed)


def _score(
    lab: Lab,
    record: Record,
    size: Size,
    arm: str,
    model: str,
    tests: Mapping[str, Run],
    seed: int,
) -> None:
    for test, run in tests.items():
        folder = f"seed{seed}/{_file(arm)}-on-{_file(test)}"
        found = lab.score(folder, model, run, n=size.samples, seed=seed)
        row = record.add(arm, test, seed, found)
        lab.say(f"seed {seed}, {arm} on {test}: success {row.success['mean']:.1%}")


def _file(name: str) -> str:
    return name.replace(",", "").replace(" ", "-").replace("=", "")
