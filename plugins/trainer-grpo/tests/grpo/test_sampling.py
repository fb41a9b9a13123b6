"""Sampling: episodes are the core's, and their tokens are those that training wants."""

from typing import Any

import pytest
from compoworld_trainer_grpo import masks
from compoworld_trainer_grpo.sampling import Sampler, Sampling, Seat
from doubles import Scripted, spoken

from compoworld_core.errors import UsageError
from compoworld_core.meta import SCHEMAS
from compoworld_core.records import Task, Trajectory

ROOMY = Sampling(turn_tokens=4000, episode_tokens=32_000, observation_tokens=20_000)


def sampler(loaded: Any, opener: Any, scripts: Any, sampling: Sampling = ROOMY) -> Sampler:
    return Sampler(loaded, sampling, opener, engine=Scripted(loaded, scripts))


def call(name: str, arguments: str = "{}") -> str:
    return f"<tool_call>{name} {arguments}<|im_end|>"


def decode(loaded: Any, ids: list[int]) -> str:
    text: str = loaded.tokenizer.decode(ids)
    return text


def test_a_solution_said_in_tokens_is_the_oracles_episode(
    loaded: Any, opener: Any, tasks: list[Task], solved: list[Trajectory]
) -> None:
    scripts = [spoken(trajectory, loaded) for trajectory in solved]
    episodes = sampler(loaded, opener, scripts).play(tasks, 1, seed=0)
    for episode, oracle in zip(episodes, solved, strict=True):
        assert oracle.verdict is not None
        assert oracle.verdict.success
        assert episode.verdict == oracle.verdict
        assert episode.trajectory.final_digest == oracle.final_digest
        assert [m.content or "" for m in episode.trajectory.messages] == [
            m.content or "" for m in oracle.messages
        ]


def test_the_mask_marks_what_the_model_said_token_by_token(
    loaded: Any, opener: Any, tasks: list[Task], solved: list[Trajectory]
) -> None:
    script = spoken(solved[0], loaded)
    [episode] = sampler(loaded, opener, [script]).play(tasks[:1], 1, seed=0)
    own = [i for i, m in zip(episode.completion_ids, episode.model_mask, strict=True) if m]
    assert decode(loaded, own) == "".join(script)
    drawn = [log for log, m in zip(episode.logprobs, episode.model_mask, strict=True) if m]
    assert set(drawn) == {-0.5}
    assert sum(episode.logprobs) == -0.5 * len(own)


def test_fine_tuning_and_sampling_see_the_same_tokens(
    loaded: Any, opener: Any, tasks: list[Task], solved: list[Trajectory]
) -> None:
    [episode] = sampler(loaded, opener, [spoken(solved[1], loaded)]).play(tasks[1:2], 1, 0)
    [row] = masks.rows(solved[1].messages, SCHEMAS, loaded)
    assert episode.prompt_ids + episode.completion_ids == row.input_ids
    assert [0] * len(episode.prompt_ids) + episode.model_mask == row.assistant_mask


def test_the_model_reads_all_that_it_did_not_say(
    loaded: Any, opener: Any, tasks: list[Task]
) -> None:
    made = sampler(loaded, opener, [[call("list_services"), "Done.<|im_end|>"]])
    [episode] = made.play(tasks[:1], 1, seed=0)
    engine: Any = made.engine
    said = [i for i, m in zip(episode.completion_ids, episode.model_mask, strict=True) if not m]
    assert engine.heard[0] == episode.prompt_ids + said
    assert '{"services":' in decode(loaded, said)


def test_rollouts_of_a_task_stand_together_and_have_their_own_seed(
    loaded: Any, opener: Any, tasks: list[Task]
) -> None:
    made = sampler(loaded, opener, [["Done.<|im_end|>"]])
    found = [episode.trajectory for episode in made.play(tasks[:2], 3, seed=5)]
    assert [(t.task, t.sample) for t in found] == [
        (task.id, sample) for task in tasks[:2] for sample in range(3)
    ]
    assert len({t.seed for t in found}) == len({t.id for t in found}) == 6


def test_shuffled_seats_give_shuffled_episodes(
    loaded: Any, opener: Any, tasks: list[Task]
) -> None:
    """With the real model: a rollout is a function of weights, task, sample and seed."""
    short = Sampling(turn_tokens=12, episode_tokens=4000, turns=2, batch=4)
    seats = [Seat(task, sample) for task in tasks for sample in range(2)]
    order = [4, 0, 3, 5, 1, 2]
    before = Sampler(loaded, short, opener).play_seats(seats, seed=1)
    after = Sampler(loaded, short, opener).play_seats([seats[i] for i in order], seed=1)
    assert len({tuple(episode.completion_ids) for episode in before}) == 6
    for place, number in enumerate(order):
        assert after[place].completion_ids == before[number].completion_ids
        assert after[place].trajectory == before[number].trajectory


def test_a_message_over_the_turn_budget_ends_the_episode(
    loaded: Any, opener: Any, tasks: list[Task]
) -> None:
    budget = Sampling(turn_tokens=6, episode_tokens=32_000)
    scripts = [["I shall think about this for a very long time indeed.<|im_end|>"]]
    [episode] = sampler(loaded, opener, scripts, budget).play(tasks[:1], 1, 0)
    assert len(episode.completion_ids) == 6
    assert episode.truncated
    assert episode.trajectory.answer is None
    assert episode.verdict is not None  # judged as it stands
    assert not episode.verdict.success


def test_an_episode_keeps_to_its_budget(loaded: Any, opener: Any, tasks: list[Task]) -> None:
    script = [call("list_services")] * 50
    made = sampler(loaded, opener, [script], Sampling(turn_tokens=500, episode_tokens=1500))
    [episode] = made.play(tasks[:1], 1, 0)
    length = len(episode.prompt_ids) + len(episode.completion_ids)
    assert episode.truncated
    assert 1000 < length <= 1500
    assert episode.model_mask[-1] == 1  # no loss is computed after the last own token


def test_an_episode_has_so_many_turns(loaded: Any, opener: Any, tasks: list[Task]) -> None:
    made = sampler(loaded, opener, [[call("list_services")] * 9], Sampling(turns=3))
    [episode] = made.play(tasks[:1], 1, 0)
    assert episode.trajectory.usage["turns"] == 3
    assert episode.truncated


def test_a_long_observation_is_cut_with_a_notice(
    loaded: Any, opener: Any, tasks: list[Task]
) -> None:
    scripts = [[call("list_services"), "Done.<|im_end|>"]]
    made = sampler(loaded, opener, scripts, Sampling(observation_tokens=15))
    [episode] = made.play(tasks[:1], 1, 0)
    [told] = [m for m in episode.trajectory.messages if m.role == "tool"]
    assert "[cut: " in (told.content or "")
    kept = (told.content or "").partition("\n[cut")[0]
    assert 10 <= len(loaded.tokenizer(kept)["input_ids"]) <= 15
    # the record says what the model saw
    assert (told.content or "") in decode(loaded, episode.completion_ids)


def test_a_malformed_call_is_told_and_counted(
    loaded: Any, opener: Any, tasks: list[Task]
) -> None:
    scripts = [[call("list_services", "{oops"), "Done.<|im_end|>"]]
    [episode] = sampler(loaded, opener, scripts).play(tasks[:1], 1, 0)
    told = episode.trajectory.messages[3]
    assert told.is_error
    assert "not JSON" in (told.content or "")
    assert episode.trajectory.usage["malformed_calls"] == 1


def test_episodes_end_one_by_one(loaded: Any, opener: Any, tasks: list[Task]) -> None:
    scripts = [[*[call("list_services")] * turns, "Done.<|im_end|>"] for turns in range(4)]
    made = sampler(loaded, opener, scripts)
    found = [e.trajectory.usage for e in made.play(tasks[:1], 4, 0)]
    assert [usage["turns"] for usage in found] == [1, 2, 3, 4]


def test_a_prompt_that_does_not_fit_is_refused(
    loaded: Any, opener: Any, tasks: list[Task]
) -> None:
    made = sampler(loaded, opener, [["x"]], Sampling(episode_tokens=50))
    with pytest.raises(UsageError, match="an episode may have 50"):
        made.play(tasks[:1], 1, 0)


def test_a_policy_is_asked_turn_by_turn(loaded: Any, opener: Any, tasks: list[Task]) -> None:
    made = sampler(loaded, opener, [[call("list_services")], ["Done.<|im_end|>"]])
    history = [{"role": "user", "content": "Do it."}]
    said = made.reply([history, history], [1, 2])
    assert [call.name for call in said[0].tool_calls] == ["list_services"]
    assert said[1].content == "Done."


def test_the_tally_counts_tokens_and_the_services_share(
    loaded: Any, opener: Any, tasks: list[Task], solved: list[Trajectory]
) -> None:
    made = sampler(loaded, opener, [spoken(solved[0], loaded)])
    [episode] = made.play(tasks[:1], 1, seed=0)
    assert made.tally.model_tokens == sum(episode.model_mask)
    said = len(episode.completion_ids) - sum(episode.model_mask)
    assert made.tally.read_tokens == len(episode.prompt_ids) + said
    assert 0 < made.tally.environment_seconds < made.tally.seconds
