"""The policy `local`: a model in this process, with or without an adapter.

Asked turn by turn, as any policy, it reads the whole conversation each time. Where whole
rollouts are wanted (`compoworld eval`), it plays many at once and reads each token once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from compoworld_core.errors import UsageError
from compoworld_core.run import open_task
from compoworld_core.schema import problems
from compoworld_trainer_grpo import settings
from compoworld_trainer_grpo.sampling import Sampler, Sampling, Seat

if TYPE_CHECKING:
    from compoworld_core.environment import Environment
    from compoworld_core.records import Task, Trajectory
    from compoworld_core.rollout import Job
    from compoworld_core.run import Run
    from compoworld_trainer_grpo.models.loading import Loaded


class Options(settings.Options):
    """What a rollout with a local model is made with."""

    model: str = ""
    """`tiny`, `smollm2`, a folder (a model's, or a training run's), or a hub name."""
    adapter: str = ""
    template: str = ""
    temperature: float = Field(default=1.0, ge=0)
    """0 takes the likeliest token."""
    top_p: float = Field(default=1.0, gt=0, le=1)
    top_k: int = Field(default=0, ge=0)
    turn_tokens: int = Field(default=1024, ge=1)
    episode_tokens: int = Field(default=16384, ge=8)
    observation_tokens: int = Field(default=2048, ge=8)
    batch: int = Field(default=64, ge=1)
    """Rollouts that are played at once."""
    device: str = "auto"
    """auto takes a GPU where there is one; or a device as torch names it: cpu, cuda:1."""
    precision: settings.Precision = "fp32"

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Options:
        """Checked; UsageError that says which is wrong."""
        try:
            return cls.model_validate(dict(given))
        except ValidationError as error:
            said = "; ".join(problems(error)[:3])
            raise UsageError(f"the policy 'local': {said}") from error

    def sampling(self, turns: int, calls: int) -> Sampling:
        """As the sampler takes them, with the limits of a rollout."""
        return Sampling(
            temperature=self.temperature,
            top_p=self.top_p,
            top_k=self.top_k,
            turns=turns,
            turn_tokens=self.turn_tokens,
            episode_tokens=self.episode_tokens,
            observation_tokens=self.observation_tokens,
            calls=calls,
            batch=self.batch,
        )

    def load(self) -> Loaded:
        """The model, loaded once in a process."""
        if not self.model:
            raise UsageError(
                "the policy 'local' does not know the model; give --option model=NAME: tiny,"
                " smollm2, a model's folder, the folder of a training run, or a hub name"
            )
        return _loaded(self.model, self.adapter, self.template, self.device, self.precision)


class Turns:
    """The policy of one rollout that is asked turn by turn."""

    def __init__(self, options: Options, seed: int) -> None:
        self._sampler = Sampler(options.load(), options.sampling(1, 1), start=_nowhere)
        self._seed = seed

    def act(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """The model's next message."""
        from compoworld_core.conversation import to_chat

        # each turn has random numbers of its own, or it would repeat the last one's
        seed = (self._seed + len(messages)) % (1 << 31)
        return to_chat(self._sampler.reply([messages], [seed])[0])


class Local:
    """The factory of the policy `local`, which can also play whole rollouts at once."""

    def __call__(
        self,
        task: Task,
        *,
        seed: int,
        model: str = "",
        adapter: str = "",
        template: str = "",
        temperature: float = 1.0,
        top_p: float = 1.0,
        top_k: int = 0,
        turn_tokens: int = 1024,
        episode_tokens: int = 16384,
        observation_tokens: int = 2048,
        batch: int = 64,
        device: str = "auto",
        precision: str = "fp32",
    ) -> Turns:
        """A policy for one rollout; UsageError where there is no such model.

        Args:
            task: is not looked at.
            seed: of its random numbers.
            model: `tiny`, `smollm2`, a folder (a model's or a training's), or a hub name.
            adapter: the folder of a PEFT adapter.
            template: a chat template's name, instead of the model's own.
            temperature: 0 takes the likeliest token.
            top_p: of the nucleus that is drawn from.
            top_k: tokens that are drawn from; 0 is no limit.
            turn_tokens: new tokens of a turn at most.
            episode_tokens: tokens of a rollout at most.
            observation_tokens: tokens of an observation at most.
            batch: rollouts that are played at once, where whole ones are.
            device: auto takes a GPU where there is one; or cpu, cuda:1.
            precision: fp32, or bf16 in half the memory.
        """
        options = Options.of(
            {
                "model": model,
                "adapter": adapter,
                "template": template,
                "temperature": temperature,
                "top_p": top_p,
                "top_k": top_k,
                "turn_tokens": turn_tokens,
                "episode_tokens": episode_tokens,
                "observation_tokens": observation_tokens,
                "batch": batch,
                "device": device,
                "precision": precision,
            }
        )
        return Turns(options, seed)

    def inputs(self, options: Mapping[str, Any]) -> dict[str, str]:
        """Digests of the folders that the options name: retrained, a model is another one."""
        from compoworld_trainer_grpo.models.loading import digest
        from compoworld_trainer_grpo.start import origin

        chosen = Options.of(options)
        found = origin(chosen.model, chosen.adapter)
        folders = {"model": Path(found.model), "adapter": found.adapter}
        return {
            name: digest(folder)
            for name, folder in folders.items()
            if folder and folder.is_dir()
        }

    def play(
        self, run: Run, job: Job, wanted: Iterable[tuple[Task, int]]
    ) -> Iterator[Trajectory]:
        """Whole rollouts, in the order in which they are wanted, many at once.

        Args:
            run: that the tasks are from.
            job: seed, limits, and the options above.
            wanted: each a task and which of its rollouts it is.
        """
        options = Options.of(job.options)
        sampler = Sampler(
            options.load(),
            options.sampling(job.limits.turns, job.limits.calls),
            start=partial(_start, run),
            policy=job.policy,
        )
        left = iter(wanted)
        while some := list(islice(left, options.batch)):
            episodes = sampler.play_seats([Seat(task, n) for task, n in some], job.seed)
            for (task, sample), episode in zip(some, episodes, strict=True):
                key = job.key(task.id, sample)
                yield episode.trajectory.model_copy(update={"id": key})


local = Local()


@lru_cache(maxsize=1)
def _loaded(
    model: str, adapter: str, template: str, device: str, precision: settings.Precision
) -> Loaded:
    from compoworld_trainer_grpo.models.loading import load
    from compoworld_trainer_grpo.start import origin

    found = origin(model, adapter)
    loaded = load(found.model, adapter=found.adapter, template=template or None)
    return loaded.on(device, precision)


def _start(run: Run, task: Task) -> Environment:
    return open_task(run, task)


def _nowhere(task: Task) -> Environment:
    raise UsageError(f"nobody plays {task.id} here: the policy is asked turn by turn")
