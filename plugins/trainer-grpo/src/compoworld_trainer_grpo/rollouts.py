"""Rollouts of training: TRL's rollout function, which plays groups and scores them whole.

TRL hands each process its rows of a generation batch, in one global order: N rows of a task,
then N of the next. Episodes are played here; verdicts are gathered with their task ids, since
a reward over a group needs the whole group; then each process takes its own advantages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from random import Random
from typing import Any

from attrs import define, field

from compoworld_core.records import Task, Trajectory, Verdict
from compoworld_core.run import METRIC_SCHEMA
from compoworld_trainer_grpo import curves
from compoworld_trainer_grpo.advantages import Scored, Scoring
from compoworld_trainer_grpo.runs import TrainingRun
from compoworld_trainer_grpo.sampling import Episode, Sampler, Seat


@define
class Rollouts:
    """Plays the rows of a generation batch; what TRL calls `rollout_func`."""

    run: TrainingRun
    tasks: Mapping[str, Task]
    """By id, in the order in which others may take a task's place."""
    sampler: Sampler
    scoring: Scoring
    n: int
    """Rollouts of a task."""
    seed: int
    resample: int = 0
    lam: float | None = None
    """λ of the completion-focused reward, for the curves."""
    gather: bool = True
    """Under ZeRO-3: have the whole model on each device while sampling, so that no pass is
    collective; otherwise processes keep step, pass by pass."""
    figures: dict[str, float] = field(factory=dict)
    """Of the last generation batch; the same on every process."""

    def __call__(self, prompts: Sequence[str], trainer: Any) -> dict[str, list[Any]]:
        """Play this process' rows; what TRL wants of each, and its advantage."""
        step = int(trainer.state.global_step)
        rank = trainer.accelerator.process_index
        first = rank * len(prompts)
        before = self.sampler.tally.copy()
        rows = list(prompts)
        with self._model(trainer):
            episodes, groups = self._played(rows, first, step)
        count = len(rows)
        advantages = [each for group in groups for each in group.advantages]
        rewards = [each for group in groups for each in group.rewards]
        own = slice(first, first + count)
        self._note(step, episodes, groups, rewards[own], before, main=rank == 0)
        return {
            "prompt_ids": [episode.prompt_ids for episode in episodes],
            "completion_ids": [episode.completion_ids for episode in episodes],
            "logprobs": [episode.logprobs for episode in episodes],
            "env_mask": [episode.model_mask for episode in episodes],
            "advantage": [
                None if reward is None else advantage
                for advantage, reward in zip(advantages[own], rewards[own], strict=True)
            ],
        }

    def _played(
        self, rows: list[str], first: int, step: int
    ) -> tuple[list[Episode], list[Scored]]:
        """Episodes of the rows, and the groups of all processes; flat groups played again."""
        here = range(len(rows))
        episodes = self._play(rows, here, first, self._seed(step, 0))
        groups = self._score(episodes)
        flat = [number for number, group in enumerate(groups) if group.no_signal]
        self.figures = {
            "zero_signal": len(flat) / len(groups),
            "success_drawn": _success(groups),
        }
        for again in range(1, self.resample + 1):
            if not flat:
                break
            # another task, as in DAPO's dynamic sampling: these say that it is too hard or easy
            batch = {group.task for group in groups}
            others = [name for name in self.tasks if name not in batch] or list(self.tasks)
            draw = Random(f"{self.seed}:{step}:{again}")
            place = {number: draw.choice(others) for number in flat}
            taken = [row for row in here if (first + row) // self.n in place]
            for row in taken:
                rows[row] = place[(first + row) // self.n]
            new = self._play(rows, taken, first, self._seed(step, again))
            for row, episode in zip(taken, new, strict=True):
                episodes[row] = episode
            groups = self._score(episodes)
            flat = [number for number, group in enumerate(groups) if group.no_signal]
        self.figures["zero_signal_left"] = len(flat) / len(groups)
        return episodes, groups

    def _play(
        self, rows: Sequence[str], which: Sequence[int], first: int, seed: int
    ) -> list[Episode]:
        seats = [Seat(self.tasks[rows[row]], (first + row) % self.n) for row in which]
        return self.sampler.play_seats(seats, seed)

    def _score(self, episodes: Sequence[Episode]) -> list[Scored]:
        """All processes' groups, whole, the same on each of them."""
        told = gathered([(each.task.id, _bare(each.verdict)) for each in episodes])
        names, verdicts = [name for name, _ in told], [verdict for _, verdict in told]
        return self.scoring.score_batch(names, verdicts, n=self.n)

    def _seed(self, step: int, again: int) -> int:
        """Of a generation batch: no two have the same, and a resumed run has them again."""
        text = f"{self.seed}:{step}:{again}"
        return int.from_bytes(sha256(text.encode()).digest()[:4]) >> 1

    # -- figures ---------------------------------------------------------------------------

    def _note(
        self,
        step: int,
        episodes: Sequence[Episode],
        groups: Sequence[Scored],
        rewards: Sequence[float | None],
        before: Any,
        *,
        main: bool,
    ) -> None:
        """Gather what curves are drawn from; the main process keeps the trajectories."""
        own = [
            episode.trajectory.model_copy(update={"reward": reward})
            for episode, reward in zip(episodes, rewards, strict=True)
        ]
        trajectories: list[Trajectory] = gathered(own)
        self.figures |= curves.figures(groups, self.tasks, lam=self.lam)
        self.figures |= curves.behaviour(trajectories)
        spent = self.sampler.tally.since(before)
        self.figures |= {
            "sampling_seconds": spent.seconds,
            "environment_seconds": spent.environment_seconds,
            "sampled_tokens_per_second": spent.model_tokens / max(spent.seconds, 1e-9),
            "read_tokens_per_second": spent.read_tokens / max(spent.seconds, 1e-9),
        }
        if main:
            # what is sampled before a step is first used in the next one
            self.run.keep(step + 1, trajectories)
            for number, group in enumerate(groups):
                line = curves.group_line(group, lam=self.lam)
                head = {"schema": METRIC_SCHEMA, "kind": "group", "step": step + 1}
                self.run.run.append("metrics", {**head, "index": number, **line})

    def advantage(
        self,
        completions: Sequence[Any],
        advantage: Sequence[float | None],
        log_metric: Callable[[str, float], None],
        **_: Any,
    ) -> list[float | None]:
        """TRL's reward function: the advantages that are there already, ready to be used.

        With `scale_rewards="none"` TRL subtracts the group's mean from them, which is 0. A row
        without a verdict is None: TRL leaves it out.
        """
        for name, value in self.figures.items():
            log_metric(f"{OURS}{name}", value)
        return list(advantage)

    # -- the model -------------------------------------------------------------------------

    @contextmanager
    def _model(self, trainer: Any) -> Iterator[None]:
        """Have the engine generate with the model as it is now."""
        from trl.models.utils import unwrap_model_for_generation

        engine: Any = self.sampler.engine
        if not hasattr(engine, "model"):  # vLLM has the weights: TRL sent them there
            yield
            return
        engine.anyone = None if self.gather else somebody
        with unwrap_model_for_generation(
            trainer.model_wrapped,
            trainer.accelerator,
            gather_deepspeed3_params=self.gather,
            gradient_checkpointing_kwargs=trainer.args.gradient_checkpointing_kwargs,
        ) as model:
            engine.model = model
            yield


OURS = "ours/"
"""Marks our figures among TRL's, some of which have the same names."""


def gathered(items: list[Any]) -> list[Any]:
    """The items of all processes, in the order of their ranks; collective."""
    from accelerate.utils import gather_object

    found: list[Any] = gather_object(items)
    return found


def somebody(here: bool) -> bool:
    """Whether it is so on any process; collective."""
    import torch

    if not torch.distributed.is_initialized():
        return here
    on_gpu = torch.distributed.get_backend() == "nccl"
    said = torch.tensor([int(here)], device="cuda" if on_gpu else "cpu")
    torch.distributed.all_reduce(said, op=torch.distributed.ReduceOp.MAX)
    return bool(said.item())


def _bare(verdict: Verdict | None) -> Verdict | None:
    """A verdict without its texts, which every process would be sent."""
    return None if verdict is None else verdict.model_copy(update={"findings": ()})


def _success(groups: Sequence[Scored]) -> float:
    rows = sum(len(group.verdicts) for group in groups)
    return sum(each.success for group in groups for each in group.judged) / max(1, rows)
