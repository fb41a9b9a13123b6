"""Rollouts: N tries of each task of a run, rewarded group by group, kept in a run folder.

A rollout is a pure function of task, policy, seed and sample. Groups are written whole and in
the order of the tasks, so the bytes do not depend on the number of workers, and a run that was
killed goes on where it stopped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from attrs import asdict, define, field, frozen

from compoworld_core import lines, plugins
from compoworld_core.environment import Environment
from compoworld_core.episode import Limits, play_episode
from compoworld_core.errors import PluginError, RecordError, UsageError
from compoworld_core.events import RolloutFinished, TaskJudged
from compoworld_core.lines import to_line
from compoworld_core.records import Task, Trajectory, Verdict
from compoworld_core.registry import check_options
from compoworld_core.run import (
    METRIC_SCHEMA,
    Run,
    installed_versions,
    open_task,
    write_whole,
)
from compoworld_core.simulation import Simulation
from compoworld_core.user import make_user

if TYPE_CHECKING:
    from compoworld_core.protocols import Executor, Policy, PolicyFactory, Reward

REWARD: Final = "completion-focused"
"""The reward that is used where none is named."""


@define
class Summary:
    """What a run's rollouts came to; one that ended in an error counts as 0 in each mean."""

    rollouts: int = 0
    passed: int = 0
    uniform: float = 0.0
    """Sum of uniform scores."""
    reward: float = 0.0
    """Sum of rewards."""
    errors: int = 0
    groups: int = 0
    zero_signal: int = 0
    """Groups whose rewards are all equal."""
    truncated: int = 0
    """Rollouts that a limit ended."""

    def add(self, group: Sequence[Trajectory]) -> TaskJudged:
        """Count a group; what it came to alone."""
        verdicts = [t.verdict for t in group if t.verdict is not None]
        rewards = [t.reward for t in group if t.reward is not None]
        passed = sum(verdict.success for verdict in verdicts)
        uniform = sum(verdict.uniform for verdict in verdicts)
        errors = sum(bool(t.error) for t in group)
        self.rollouts += len(group)
        self.passed += passed
        self.uniform += uniform
        self.reward += sum(rewards)
        self.errors += errors
        self.groups += 1
        flat = len(set(rewards)) <= 1
        self.zero_signal += flat
        self.truncated += sum(t.usage.get("truncated", 0) for t in group)
        return TaskJudged(
            task=group[0].task,
            policy=group[0].policy,
            rollouts=len(group),
            passed=passed,
            uniform=uniform / len(group),
            reward=sum(rewards) / len(group),
            errors=errors,
            zero_signal=flat,
        )

    def figures(self) -> dict[str, Any]:
        """Means and counts, as `--json` shows them."""
        count = max(self.rollouts, 1)
        return {
            "rollouts": self.rollouts,
            "pass_rate": self.passed / count,
            "uniform": self.uniform / count,
            "reward": self.reward / count,
            "errors": self.errors,
            "groups": self.groups,
            "zero_signal": self.zero_signal,
            "truncated": self.truncated,
        }


@frozen
class Job:
    """What is the same for all rollouts of a run."""

    policy: str
    n: int = 8
    """Rollouts of each task."""
    seed: int = 0
    options: dict[str, Any] = field(factory=dict)
    """Of the policy."""
    reward: str = REWARD
    reward_options: dict[str, Any] = field(factory=dict)
    limits: Limits = field(factory=Limits)
    user: str = ""
    """Who plays the users of tasks that have one; by default whom each task names."""
    user_options: dict[str, Any] = field(factory=dict)
    simulation: Simulation = field(factory=Simulation)
    """Who answers tools without code."""

    def sample_seed(self, task: str, sample: int) -> int:
        """The seed of one rollout; it fits 31 bits, as endpoints want it."""
        text = f"{self.seed}:{task}:{sample}"
        return int.from_bytes(sha256(text.encode()).digest()[:4]) >> 1

    def key(self, task: str, sample: int) -> str:
        """The id of one rollout's trajectory; the reward is no part of it."""
        parts = [self.policy, self.options, self.seed, task, sample, asdict(self.limits)]
        if self.user or self.user_options:
            parts += [self.user, self.user_options]
        if self.simulation:
            parts.append(asdict(self.simulation))
        text = json.dumps(parts, sort_keys=True)
        return f"rollout-{sha256(text.encode()).hexdigest()[:12]}"


def run_rollouts(
    run: Run,
    out: Path | str,
    job: Job,
    *,
    limit: int | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    progress: Callable[[Summary, int], None] = lambda summary, wanted: None,
) -> Summary:
    """Let a policy play the tasks of a run, N times each, into a run folder of its own.

    Args:
        run: where the tasks are.
        out: the new folder; a half-written one of the same job is gone on with.
        job: policy, reward and their options.
        limit: only the first tasks.
        workers: how many rollouts at a time; the result does not depend on it.
        executor: spreads the rollouts; None plays them here, one by one.
        progress: called after each group, with the number of rollouts wanted.
    """
    if job.n < 1:
        raise UsageError(f"n is {job.n}; give at least 1 rollout a task")
    tasks = _tasks(run, limit)
    make_policy(job.policy, tasks[0], seed=0, options=job.options)  # before anything is written
    _try_reward(job)
    _try_user(job, tasks)
    job.simulation.applied(open_task(run, tasks[0]))
    task_lines = [to_line(task) for task in tasks]
    configuration = {
        "command": "rollouts",
        **asdict(job),
        "tasks": len(tasks),
        "tasks_digest": sha256("\n".join(task_lines).encode()).hexdigest(),
    }
    read = _inputs(job)
    if read:
        configuration["policy_inputs"] = read
    if not job.simulation:
        del configuration["simulation"]  # runs without one are resumed as before there were any
    services = sorted({name for t in tasks for name in (*t.services, *t.distractors)})
    players = sorted({job.user or t.user.simulator for t in tasks if t.user is not None})
    sources = [
        plugins.policies().get(job.policy).distribution,
        plugins.rewards().get(job.reward).distribution,
        *(plugins.users().get(name).distribution for name in players),
        *(
            [plugins.simulators().get(job.simulation.name).distribution]
            if job.simulation
            else []
        ),
    ]
    kept = Run.start(out, configuration, installed_versions(services, *sources))
    summary, wanted = Summary(), job.n * len(tasks)
    with kept.writing():
        _drop_partial_group(kept, job.n)
        done = _recount(kept, job, tasks, summary)
        progress(summary, wanted)
        items = [
            (line, sample) for line in task_lines[done:] for sample in range(job.n)
        ]  # the lines are shared, not copied
        function = partial(_roll_out, str(run.path.resolve()), job)
        results: Iterator[Trajectory] = (
            map(function, items)
            if executor is None
            else executor.map(function, items, workers=workers)
        )
        group: list[Trajectory] = []
        try:
            for trajectory in results:
                group.append(trajectory)
                if len(group) == job.n:
                    _keep(kept, job, group, summary)
                    group = []
                    progress(summary, wanted)
        finally:
            close = getattr(results, "close", None)
            if close is not None:
                close()
    return summary


def _inputs(job: Job) -> Mapping[str, str]:
    """What a policy is made of, where its factory says so: by the same name, a folder may hold
    another model when the rollouts are gone on with."""
    read = getattr(load_policy(job.policy), "inputs", None)
    return read(job.options) if read is not None else {}


def _tasks(run: Run, limit: int | None) -> list[Task]:
    if limit is not None and limit < 1:
        raise UsageError(f"the limit is {limit} tasks; give at least 1")
    tasks = []
    for task in run.tasks():
        tasks.append(task)
        if len(tasks) == limit:
            break
    if not tasks:
        raise UsageError(
            f"{run.path} holds no tasks; make some: compoworld tasks generate --out {run.path}"
        )
    return tasks


def _roll_out(path: str, job: Job, item: tuple[str, int]) -> Trajectory:
    """One rollout in whatever process: the task as its line, the run by its path."""
    line, sample = item
    task, opened = _opened_task(path, line)
    seed = job.sample_seed(task.id, sample)
    policy = load_policy(job.policy)(task, seed=seed, **job.options)
    return play_episode(
        task,
        job.simulation.applied(opened),
        policy,
        name=job.policy,
        key=job.key(task.id, sample),
        seed=seed,
        sample=sample,
        limits=job.limits,
        user=make_user(task, seed=seed, name=job.user, options=job.user_options),
    )


@lru_cache(maxsize=2)
def _opened_task(path: str, line: str) -> tuple[Task, Environment]:
    task = Task.model_validate_json(line)
    return task, open_task(_opened_run(path), task)


@lru_cache(maxsize=2)
def _opened_run(path: str) -> Run:
    return Run.open(path)


# -- rewards and what is registered --------------------------------------------------------


def group_rewards(
    reward: Reward, verdicts: Sequence[Verdict | None], options: Mapping[str, Any]
) -> list[float | None]:
    """The rewards of one task's rollouts; None, and no part of the group, where unjudged."""
    judged = [verdict for verdict in verdicts if verdict is not None]
    scores = reward(judged, **options) if judged else []
    if len(scores) != len(judged):
        raise PluginError(
            f"the reward gave {len(scores)} numbers for {len(judged)} verdicts; one each is due"
        )
    left = iter(scores)
    return [None if verdict is None else float(next(left)) for verdict in verdicts]


def load_policy(name: str) -> PolicyFactory:
    """The factory of the installed policy of this name."""
    return cast("PolicyFactory", plugins.policies().load(name))


def load_reward(name: str) -> Reward:
    """The installed reward of this name."""
    return cast("Reward", plugins.rewards().load(name))


def make_policy(name: str, task: Task, *, seed: int, options: Mapping[str, Any]) -> Policy:
    """A policy for one rollout; UsageError where an option is not one of its own."""
    factory = load_policy(name)
    check_options(f"policy {name!r}", factory, options, task, seed=seed)
    return factory(task, seed=seed, **options)


def _try_reward(job: Job) -> None:
    """UsageError where the reward does not take its options, or refuses their values."""
    reward = load_reward(job.reward)
    check_options(f"reward {job.reward!r}", reward, job.reward_options, ())
    sample = Verdict(criteria={"criterion": True}, gates={"gate": True})
    group_rewards(reward, [sample], job.reward_options)


def _try_user(job: Job, tasks: Sequence[Task]) -> None:
    """UsageError where no task has a user to play, or one cannot be played like this."""
    with_user = [task for task in tasks if task.user is not None]
    if not with_user and (job.user or job.user_options):
        raise UsageError(
            "none of the tasks has a user; make some that have:"
            " compoworld tasks generate --option user=1"
        )
    for task in with_user[: 1 if job.user else None]:
        make_user(task, seed=0, name=job.user, options=job.user_options)


# -- the folder ----------------------------------------------------------------------------


def _keep(run: Run, job: Job, group: Sequence[Trajectory], summary: Summary) -> None:
    """Reward a group and write it, in one piece."""
    verdicts = [trajectory.verdict for trajectory in group]
    rewards = group_rewards(load_reward(job.reward), verdicts, job.reward_options)
    rewarded = [
        trajectory.model_copy(update={"reward": reward})
        for trajectory, reward in zip(group, rewards, strict=True)
    ]
    run.append("trajectories", "\n".join(to_line(trajectory) for trajectory in rewarded))
    judged = summary.add(rewarded)
    run.append("metrics", _metric(judged, summary.groups - 1))
    for trajectory in rewarded:
        plugins.emit(RolloutFinished(trajectory))
    plugins.emit(judged)


def _metric(judged: TaskJudged, index: int) -> dict[str, Any]:
    return {"schema": METRIC_SCHEMA, "kind": "group", "index": index, **asdict(judged)}


def _recount(run: Run, job: Job, tasks: Sequence[Task], summary: Summary) -> int:
    """Count the groups that are there, and make their figures again where a kill cost some."""
    metrics = []
    group: list[Trajectory] = []
    for number, trajectory in enumerate(run.trajectories()):
        task, sample = divmod(number, job.n)
        if task >= len(tasks) or trajectory.id != job.key(tasks[task].id, sample):
            raise RecordError(
                f"{run.path}: trajectory {number + 1}, {trajectory.id}, is none of this run:"
                " the file was changed by hand; choose another --out"
            )
        group.append(trajectory)
        if len(group) == job.n:
            metrics.append(_metric(summary.add(group), summary.groups - 1))
            group = []
    if sum(1 for _ in run.metrics()) != len(metrics):
        for path in lines.shards(run.path, "metrics")[1:]:
            path.unlink()
        text = "".join(f"{to_line(metric)}\n" for metric in metrics)
        write_whole(run.path / "metrics.jsonl", text.encode())
    return summary.groups


def _drop_partial_group(run: Run, n: int) -> None:
    """Cut off the trajectories of a group that was not written whole."""
    shards = lines.shards(run.path, "trajectories")
    if not shards:
        return
    counts = [sum(1 for _ in lines.read(path)) for path in shards]
    extra = sum(counts) % n
    if not extra:
        return
    keep = counts[-1] - extra
    with shards[-1].open("r+b") as file:
        for _ in range(keep):
            file.readline()
        file.truncate(file.tell())
