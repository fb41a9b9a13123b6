"""The policy `local`: whole rollouts at once and turn by turn are the same conversation."""

from pathlib import Path
from typing import Any

import pytest
from compoworld_trainer_grpo.local import Local, Options, local

from compoworld_core import hookimpl, plugins
from compoworld_core.episode import Limits, play_episode
from compoworld_core.errors import UsageError
from compoworld_core.evaluation import evaluate, play
from compoworld_core.records import Task
from compoworld_core.rollout import Job
from compoworld_core.run import Run, open_task

LIMITS = Limits(turns=3)


class WithLocal:
    @hookimpl
    def register_policies(self, register: Any) -> None:
        register("local-here", local)


@pytest.fixture
def options(loaded: Any, installed: Any, tmp_path: Path) -> dict[str, Any]:
    """Of a model that always takes the likeliest token."""
    model = str(loaded.save(tmp_path / "model"))
    if "local-here" not in plugins.policies():
        plugins.current().add(WithLocal(), "local-here")
    return {"model": model, "temperature": 0, "turn_tokens": 12, "batch": 2}


def test_whole_rollouts_say_what_turn_by_turn_says(
    tasks_run: Run, tasks: list[Task], options: dict[str, Any], tmp_path: Path
) -> None:
    job = Job("local-here", n=1, options=options, reward="uniform", limits=LIMITS)
    play(tasks_run, tmp_path / "out", job)
    for task, whole in zip(tasks, Run.open(tmp_path / "out").trajectories(), strict=True):
        policy = Local()(task, seed=0, **options)
        initial = open_task(tasks_run, task)
        single = play_episode(task, initial, policy, limits=LIMITS)
        # a turn that its budget cuts ends a rollout here, and is a final answer there
        first, same = (
            next(m.content for m in each.messages if m.role == "assistant")
            for each in (whole, single)
        )
        assert first == same
        assert whole.task == task.id
        assert whole.id == job.key(task.id, 0)


def test_another_model_in_the_same_folder_is_another_run(
    tasks_run: Run, options: dict[str, Any], loaded: Any, tmp_path: Path
) -> None:
    from copy import deepcopy

    job = Job("local-here", n=1, options=options, reward="uniform", limits=LIMITS)
    play(tasks_run, tmp_path / "out", job)
    before = (tmp_path / "out" / "trajectories.jsonl").read_bytes()
    play(tasks_run, tmp_path / "out", job)
    trained = deepcopy(loaded.model)
    next(trained.parameters()).data[0] += 1
    trained.save_pretrained(options["model"])
    with pytest.raises(UsageError, match="policy_inputs"):
        play(tasks_run, tmp_path / "out", job)
    assert (tmp_path / "out" / "trajectories.jsonl").read_bytes() == before


def test_the_model_is_played_in_half_precision_where_asked(options: dict[str, Any]) -> None:
    import torch

    weights = Options.of({**options, "precision": "bf16"}).load().model.parameters()
    assert {weight.dtype for weight in weights} == {torch.bfloat16}


def test_a_rollout_does_not_depend_on_its_batch(
    tasks_run: Run, options: dict[str, Any], tmp_path: Path
) -> None:
    found = []
    for batch in (1, 5):
        given = {**options, "temperature": 1.0, "batch": batch}
        job = Job("local-here", n=2, options=given, reward="uniform", limits=LIMITS)
        play(tasks_run, tmp_path / str(batch), job)
        runs = Run.open(tmp_path / str(batch)).trajectories()
        found.append([(t.task, t.sample, t.messages) for t in runs])
    assert found[0] == found[1]


def test_it_goes_on_where_it_was_killed(
    tasks_run: Run, tasks: list[Task], options: dict[str, Any], tmp_path: Path
) -> None:
    job = Job("local-here", n=2, options=options, reward="uniform", limits=LIMITS)
    play(tasks_run, tmp_path / "out", job)
    file = tmp_path / "out" / "trajectories.jsonl"
    whole = file.read_bytes()
    file.write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))  # one group and a half
    play(tasks_run, tmp_path / "out", job)
    assert file.read_bytes() == whole
    found = evaluate(tasks, Run.open(tmp_path / "out").trajectories(), {})
    assert [each.rollouts for each in found.outcomes] == [2, 2, 2]


def test_a_model_must_be_named(tasks: list[Task]) -> None:
    with pytest.raises(UsageError, match="--option model=NAME"):
        Local()(tasks[0], seed=0)


def test_a_device_that_is_not_there_is_named(
    tasks: list[Task], options: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match="'cuda:99' cannot be used"):
        Local()(tasks[0], seed=0, **options, device="cuda:99")


@pytest.mark.parametrize(
    "wrong", [{"temperature": -1}, {"temperature": "hot"}, {"top_p": 0}, {"batch": 0}]
)
def test_options_out_of_range_are_named(
    wrong: dict[str, Any], tasks_run: Run, options: dict[str, Any], tmp_path: Path
) -> None:
    job = Job("local-here", n=1, options={**options, **wrong}, reward="uniform", limits=LIMITS)
    with pytest.raises(UsageError, match=f"the policy 'local': {next(iter(wrong))}: "):
        play(tasks_run, tmp_path / "out", job)
