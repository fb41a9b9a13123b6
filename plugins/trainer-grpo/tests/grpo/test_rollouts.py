"""Rollouts of training: whole groups, whoever played them, and what is written of them."""

from types import SimpleNamespace
from typing import Any

import pytest
from compoworld_rewards.completion import completion_focused
from compoworld_trainer_grpo.advantages import Scoring
from compoworld_trainer_grpo.rollouts import OURS, Rollouts
from compoworld_trainer_grpo.runs import TrainingRun
from compoworld_trainer_grpo.settings import GrpoSettings
from doubles import Bandit, bandit_tasks

from compoworld_core.records import Task
from compoworld_core.run import Run

N = 4


class Alone:
    """What `accelerate` says in one process."""

    process_index = 0

    def unwrap_model(self, model: Any) -> Any:
        return model

    state = SimpleNamespace(deepspeed_plugin=None, fsdp_plugin=None)


def trainer(loaded: Any, step: int) -> Any:
    return SimpleNamespace(
        state=SimpleNamespace(global_step=step),
        accelerator=Alone(),
        model_wrapped=loaded.model,
        args=SimpleNamespace(gradient_checkpointing_kwargs=None),
    )


@pytest.fixture
def run(tmp_path: Any, tasks_run: Run) -> TrainingRun:
    settings = GrpoSettings(model="tiny", tasks=(str(tasks_run.path),), tensorboard=False)
    return TrainingRun.start(tmp_path / "run", settings)


def rollouts(run: TrainingRun, loaded: Any, tasks: list[Task], **options: Any) -> Rollouts:
    scoring = Scoring(completion_focused, {"lam": 0.01})
    pool, sampler = bandit_tasks(tasks, 6), Bandit(loaded)
    made: Any = Rollouts(
        run, pool, sampler, scoring, n=N, seed=2, lam=0.01, **options  # type: ignore[arg-type]
    )  # fmt: skip
    return made


def test_each_row_has_the_advantage_of_its_own_group(
    run: TrainingRun, loaded: Any, tasks: list[Task]
) -> None:
    made = rollouts(run, loaded, tasks)
    prompts = [name for name in ("task-1", "task-4") for _ in range(N)]
    with run.run.writing():
        rows = made(prompts, trainer(loaded, 0))
    verdicts = [[int(ids[0] % 2 == 0), int(ids[0] % 4 == 0)] for ids in rows["completion_ids"]]
    assert len({tuple(verdict) for verdict in verdicts}) > 1
    for start in (0, N):
        group = rows["advantage"][start : start + N]
        assert sum(group) == pytest.approx(0, abs=1e-9)
        order = sorted(range(N), key=lambda i: sum(verdicts[start + i]))
        assert [group[i] for i in order] == sorted(group)


def test_a_rollout_without_a_verdict_teaches_nothing(
    run: TrainingRun, loaded: Any, tasks: list[Task]
) -> None:
    made = rollouts(run, loaded, tasks)
    sampler: Any = made.sampler
    sampler.spoil = frozenset({2})
    with run.run.writing():
        rows = made(["task-1"] * N, trainer(loaded, 0))
    assert [each is None for each in rows["advantage"]] == [False, False, True, False]
    assert made.figures["errors"] == 0.25


def test_seeds_repeat_with_the_step_and_differ_between_steps(
    run: TrainingRun, loaded: Any, tasks: list[Task]
) -> None:
    drawn = []
    for step in (0, 2, 0):
        made = rollouts(run, loaded, tasks)
        with run.run.writing():
            drawn.append(made(["task-1"] * N, trainer(loaded, step))["completion_ids"])
    assert drawn[0] == drawn[2]
    assert drawn[0] != drawn[1]


def flat_bandit(made: Rollouts, until: int) -> None:
    """Have the first plays come to nothing, in all groups."""
    sampler: Any = made.sampler
    play = sampler.play_seats

    def wanting(seats: Any, seed: int) -> Any:
        found = play(seats, seed)
        if len(sampler.seeds) <= until:
            failed = found[0].trajectory.verdict.model_copy(
                update={"criteria": {"even": False, "fourth": False}}
            )
            found = [
                type(each)(
                    each.task, each.prompt_ids, each.completion_ids, each.model_mask,
                    each.logprobs, each.trajectory, failed,
                )
                for each in found
            ]  # fmt: skip
        return found

    sampler.play_seats = wanting


def test_groups_without_signal_are_counted(
    run: TrainingRun, loaded: Any, tasks: list[Task]
) -> None:
    made = rollouts(run, loaded, tasks)
    flat_bandit(made, until=1)
    with run.run.writing():
        rows = made(["task-1"] * N + ["task-2"] * N, trainer(loaded, 0))
    assert rows["advantage"] == [0.0] * 2 * N
    assert made.figures["zero_signal"] == made.figures["zero_signal_left"] == 1.0


def test_groups_without_signal_make_room_for_other_tasks(
    run: TrainingRun, loaded: Any, tasks: list[Task]
) -> None:
    made = rollouts(run, loaded, tasks, resample=3)
    flat_bandit(made, until=2)
    with run.run.writing():
        rows = made(["task-1"] * N + ["task-2"] * N, trainer(loaded, 0))
    assert any(rows["advantage"])
    assert (made.figures["zero_signal"], made.figures["zero_signal_left"]) == (1.0, 0.0)
    sampler: Any = made.sampler
    assert len(set(sampler.seeds)) == len(sampler.seeds) == 3
    [kept] = (run.path / "trajectories").iterdir()
    played = [each.task for each in Run.open(kept).trajectories()]
    assert played == [played[0]] * N + [played[N]] * N  # still whole groups
    assert not {"task-1", "task-2"} & set(played[:1])


def test_curves_and_trajectories_of_a_step(
    run: TrainingRun, loaded: Any, tasks: list[Task]
) -> None:
    made = rollouts(run, loaded, tasks)
    with run.run.writing():
        rows = made(["task-3"] * N, trainer(loaded, 6))
    first = [ids[0] for ids in rows["completion_ids"]]
    even = sum(token % 2 == 0 for token in first) / N
    fourth = sum(token % 4 == 0 for token in first) / N
    figures = made.figures
    assert figures["criteria/create"] == even
    assert figures["weights/update"] == pytest.approx(0.01 + 1 - fourth)
    assert figures["success"] == fourth
    assert figures["uniform"] == (even + fourth) / 2
    [line] = list(run.run.metrics())
    assert (line["kind"], line["step"], line["task"]) == ("group", 7, "task-3")
    assert line["criteria"] == {"even": even, "fourth": fourth}
    kept = list(Run.open(run.path / "trajectories" / "step-00007").trajectories())
    assert [each.reward for each in kept] == [
        pytest.approx(reward, abs=1e-6) for reward in line["rewards"]
    ]


def test_figures_reach_the_log(run: TrainingRun, loaded: Any, tasks: list[Task]) -> None:
    made = rollouts(run, loaded, tasks)
    with run.run.writing():
        rows = made(["task-3"] * N, trainer(loaded, 0))
    logged: dict[str, float] = {}
    given = made.advantage(
        completions=[], advantage=rows["advantage"], log_metric=logged.__setitem__, prompts=[]
    )
    assert given == rows["advantage"]
    assert logged[f"{OURS}success"] == made.figures["success"]
