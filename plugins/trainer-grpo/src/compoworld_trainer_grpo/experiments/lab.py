"""Lab: the steps of every experiment, each a run folder that a later call finds again.

Tasks are generated and proven, demonstrations are the oracle's rollouts, models are trained by
the trainers of this plugin and scored by the core's evaluation. Nothing here is special to an
experiment; `compoworld tasks`, `rollouts`, `train` and `eval` do the same one by one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

from attrs import asdict, define, field, frozen

from compoworld_core import cards, excerpt, plugins
from compoworld_core.cli.extension import load_command
from compoworld_core.cli.options import load_executor
from compoworld_core.episode import Limits
from compoworld_core.errors import UsageError
from compoworld_core.evaluation import Evaluation, evaluate, play
from compoworld_core.generation import Request, generate
from compoworld_core.records import Task
from compoworld_core.rollout import Job, run_rollouts
from compoworld_core.run import Run, write_whole
from compoworld_trainer_grpo.configuration import shared
from compoworld_trainer_grpo.experiments.record import Record

Say = Callable[[str], None]

EVERY: Final = 25
"""Steps of SFT between checkpoints, where GRPO starts from one of them."""
DRAWS: Final = 3
"""First weights that are drawn at most, where SFT does not learn from some of them."""
DRAWS_APART: Final = 1000
"""Between their seeds."""
FIRST: Final = 75
"""The first one that is tried: until then no seed of `tiny` has done a task (measured)."""
_TRIED: Final = 16
"""Practice tasks that a checkpoint is tried on, two rollouts each."""


@frozen
class Budget:
    """Where an episode of a small model ends at the latest."""

    turns: int = 20
    turn_tokens: int = 96
    episode_tokens: int = 1024
    observation_tokens: int = 512

    def settings(self) -> dict[str, int]:
        """As GrpoSettings take it."""
        return asdict(self)


class Course(Protocol):
    """One seed's share of an experiment: all that a process of its own needs to know."""

    @property
    def seed(self) -> int:
        """Which one."""

    def take(self, lab: Lab) -> Record:
        """Train and score; what was found, as rows and curves."""


@define
class Lab:
    """A folder in which an experiment is made."""

    path: Path
    say: Say
    workers: int = 1
    budget: Budget = Budget()
    base: Mapping[str, Any] = field(factory=lambda: shared("tiny-cpu"))
    """Settings of both trainers, the model first of all."""

    def take(self, record: Record, courses: Sequence[Course]) -> None:
        """Add what each course finds; several at once where there are several processors."""
        for found in self._taken(courses):
            record.rows += found.rows
            record.curves += found.curves

    def _taken(self, courses: Sequence[Course]) -> Iterator[Record]:
        workers = min(self.workers, len(courses))
        executor = load_executor("local", workers) if workers > 1 else None
        if executor is None:
            yield from (course.take(self) for course in courses)
            return
        # more threads than processors spin for one another: many times slower (measured)
        threads = max(1, (os.cpu_count() or 1) // workers)
        alone = partial(_alone, self.path, self.budget, self.base, threads)
        for course, (record, said) in zip(
            courses, executor.map(alone, courses, workers=workers), strict=True
        ):
            assert course.seed == record.rows[0].seed
            for line in said:
                self.say(line)
            yield record

    # -- tasks -----------------------------------------------------------------------------

    def tasks(self, name: str, request: Request) -> Run:
        """Proven tasks; UsageError where too few were accepted."""
        path = self.path / name
        executor = load_executor("local", self.workers) if self.workers > 1 else None
        tally = generate(request, path, workers=self.workers, executor=executor)
        if tally.accepted < request.n:
            self.say(f"{name}: {tally.accepted} tasks of {request.n} in {tally.tried} tries")
        if not tally.accepted:
            raise UsageError(f"{path}: no task was accepted in {tally.tried} tries")
        return Run.open(path)

    def part(self, run: Run, name: str, tasks: Sequence[Task]) -> Run:
        """Some tasks of a run, as a run of their own."""
        said = {"command": "experiment", "part": name, "source": excerpt.origin(run)}
        return excerpt.write(run, self.path / name, said, [task.id for task in tasks])

    def demonstrations(self, name: str, run: Run) -> Path:
        """The oracle's rollouts of a run's tasks, exported for training."""
        rollouts, out = self.path / f"{name}-oracle", self.path / f"{name}.jsonl"
        job = Job("oracle", n=1, options={"discovery": "on-demand"}, reward="uniform")
        run_rollouts(run, rollouts, job)
        if not out.is_file():
            arguments = [str(rollouts), "--tasks", str(run.path), "--out", str(out), "--quiet"]
            load_command("export sft").main(arguments, standalone_mode=False)
        return out

    # -- models ----------------------------------------------------------------------------

    def model(
        self,
        name: str,
        data: Sequence[Path],
        services: Sequence[str],
        *,
        documents: int = 0,
        **options: Any,
    ) -> str:
        """The model to start from.

        `tiny` is built: its tokenizer of the demonstrations and the services' documents.

        Args:
            name: of its folder.
            data: exported demonstrations.
            services: whose documents are tokens.
            documents: that become tokens of another model, at most, which then writes calls as
                `tiny` does; 0 leaves it as it is.
            options: of `tiny.build`.
        """
        from compoworld_trainer_grpo.arguments import hush
        from compoworld_trainer_grpo.examples import read
        from compoworld_trainer_grpo.models.extension import extend
        from compoworld_trainer_grpo.models.loading import load
        from compoworld_trainer_grpo.models.tiny import build, catalogue
        from compoworld_trainer_grpo.sft import rendered

        hush()  # whatever process this is, it loads models from here on
        path, pretrained = self.path / name, self.base["model"]
        if pretrained != "tiny" and not documents:
            return str(pretrained)
        if not (path / "config.json").is_file():
            texts = [*rendered(read(data)), *catalogue(services)]
            if pretrained == "tiny":
                made = build(texts, **options)
            else:
                made = extend(load(pretrained, template="compact"), texts, most=documents)
            made.save(path)
        return str(path)

    def train(self, kind: str, name: str, **settings: Any) -> str:
        """Train by SFT or GRPO; the run's folder, which stands for the model it made."""
        from compoworld_trainer_grpo.trainers import GrpoTrainer, SftTrainer

        out = self.path / name
        trainer = SftTrainer() if kind == "sft" else GrpoTrainer()
        more = self.budget.settings() if kind == "grpo" else {}
        base = {**self.base, "launch": {"launcher": "none"}}
        trainer.train({**base, "out": str(out), **more, **settings})
        return str(out)

    def imitate(
        self, name: str, model: str, data: Path, *, seed: int, steps: int, rate: float,
        rows: int = 2, **settings: Any,
    ) -> str:  # fmt: skip
        """SFT on demonstrations, few rows a step: many small steps teach more than few large.

        Args:
            name: of the run.
            model: to start from.
            data: exported demonstrations.
            seed: of rows and weights.
            steps: of the optimiser.
            rate: at its highest.
            rows: of a step.
            settings: others of SftSettings.
        """
        return self.train(
            "sft", name, model=model, data=[str(data)], seed=seed, steps=steps,
            learning_rate=rate, warmup=0.05, batch=rows, epochs=100_000, evaluation=0,
            **{"micro_batch": min(rows, 2), **settings},
        )  # fmt: skip

    def earliest(
        self,
        record: Record,
        name: str,
        sft: str,
        practice: Path,
        *,
        last: int,
        success: float,
        seed: int,
        first: int = FIRST,
        every: int = EVERY,
    ) -> str | None:
        """The first checkpoint of SFT that does enough of the tasks to practise, if any.

        Before it, no group has a signal; long after it, most have none any more, and SFT has
        left nothing to gain.

        Args:
            record: takes up how much each did.
            name: of the rollouts' folders.
            sft: the run, which kept its checkpoints.
            practice: a run whose first tasks are tried.
            last: step of SFT.
            success: that is enough.
            seed: of the rollouts.
            first: step that is tried.
            every: so many steps another one, each with a checkpoint.
        """
        whole = Run.open(practice)
        tried = self.part(whole, f"{name}-tasks", list(whole.tasks())[:_TRIED])
        points: list[list[float]] = []
        chosen, at = None, "no checkpoint"
        for step in range(first, last, every):
            checkpoint = str(Path(sft) / "checkpoints" / f"checkpoint-{step}")
            found = self.score(f"{name}-{step}", checkpoint, tried, n=2, seed=seed)
            points.append([step, found.figures()["success"]["mean"]])
            if points[-1][1] >= success:
                chosen, at = checkpoint, f"step {step}"
                break
        record.draw("SFT: success of practice tasks", f"seed {seed}", points)
        self.say(f"seed {seed}: {at} of SFT does {success:.0%} of what is practised")
        return chosen

    def score(
        self,
        name: str,
        model: str,
        run: Run,
        *,
        n: int,
        temperature: float = 1.0,
        seed: int = 0,
    ) -> Evaluation:
        """A model's rollouts of a run's tasks, summed up."""
        out = self.path / name
        budget = self.budget
        options = {
            "model": model,
            "temperature": temperature,
            "turn_tokens": budget.turn_tokens,
            "episode_tokens": budget.episode_tokens,
            "observation_tokens": budget.observation_tokens,
            "batch": 128,
            "precision": self.base.get("precision", "fp32"),
        }
        limits = Limits(turns=budget.turns)
        job = Job("local", n=n, seed=seed, options=options, reward="uniform", limits=limits)
        play(run, out, job)
        return evaluate(run.tasks(), Run.open(out).trajectories(), domains(), seed=seed)


def _alone(
    path: Path, budget: Budget, base: Mapping[str, Any], threads: int, course: Course
) -> tuple[Record, list[str]]:
    """A course in a process of its own, and what it said."""
    import torch

    torch.set_num_threads(threads)
    said: list[str] = []
    return course.take(Lab(path, said.append, budget=budget, base=base)), said


def domains() -> dict[str, str]:
    """Service → domain."""
    return {each.card.name: each.card.domain for each in cards.all_cards(plugins.services())[0]}


def draws(seed: int) -> Iterator[tuple[str, int]]:
    """The folders of a seed, and the seeds of the first weights that are drawn there.

    Now and then SFT of a small model does not learn where to look for a value, whatever else
    it learns; other first weights are drawn then.
    """
    yield f"seed{seed}", seed
    for draw in range(1, DRAWS):
        yield f"seed{seed}-draw{draw}", seed + draw * DRAWS_APART


def warmup(updates: int) -> float:
    """The share of a training's updates in which the rate rises: seven of them, or half.

    The first steps of Adam are as long as all others, however little is known yet: with two
    of sixteen batches for it, success fell in three of three seeds.
    """
    return min(0.5, 7 / updates)


def metrics(path: str | Path, kind: str, names: Sequence[str]) -> dict[str, list[list[float]]]:
    """Curves of a training: figure → [step, value] pairs.

    Args:
        path: of its run.
        kind: of its lines.
        names: of figures; `group/` stands for all of a group.
    """
    groups = tuple(name for name in names if name.endswith("/"))
    found: dict[str, list[list[float]]] = {}
    for line in Run.open(path).metrics():
        if line.get("kind") != kind:
            continue
        for name, value in line.items():
            wanted = name in names or name.startswith(groups)
            if wanted and isinstance(value, int | float):
                found.setdefault(name, []).append([line["step"], float(value)])
    return found


def keep(path: Path, record: Mapping[str, Any]) -> None:
    """Write an experiment's record."""
    text = json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False)
    write_whole(path, (text + "\n").encode())
