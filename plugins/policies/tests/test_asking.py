"""Oracle and partial where a task has a user: they ask, and use what they hear."""

from typing import Any

import pytest
from compoworld_policies.reference import oracle, partial
from compoworld_policies.script import SAY, Scripted
from held_back import DUE, QUESTIONS, TITLE, held_back

from compoworld_core.conversation import tool_calls, undescribed_calls
from compoworld_core.environment import Environment
from compoworld_core.episode import play_episode
from compoworld_core.records import Task, Trajectory
from compoworld_core.user import USER, PlainUser

Made = tuple[Task, Environment]


@pytest.fixture(scope="module")
def made() -> Made:
    found = held_back()
    return found.prove(), found.initial()


def said(trajectory: Trajectory, role: str) -> list[str]:
    texts = [m.content for m in trajectory.messages[2:] if m.role == role and m.content]
    return [text for text in texts if text is not None]


@pytest.mark.parametrize("discovery", ["eager", "on-demand"])
def test_the_oracle_asks_each_question_once_and_passes(made: Made, discovery: Any) -> None:
    trajectory = play_episode(*made, oracle(made[0], seed=1, discovery=discovery))
    assert trajectory.verdict is not None
    assert trajectory.verdict.success
    assert trajectory.final_digest == made[0].goal_digest
    assert said(trajectory, "assistant")[:-1] == [QUESTIONS["due"], QUESTIONS["title"]]
    assert said(trajectory, "user") == [DUE.sentence, TITLE.sentence]


def test_the_user_is_no_service_that_it_looks_up(made: Made) -> None:
    trajectory = play_episode(*made, oracle(made[0], seed=1, discovery="eager"))
    assert undescribed_calls(trajectory) == []
    assert not [c for c in tool_calls(trajectory.messages) if USER in c.arguments]
    assert trajectory.usage["failed_calls"] == 0


def test_what_the_user_says_decides_what_it_writes(made: Made) -> None:
    """Another user, who says another day: the oracle does as told, and fails this rubric."""
    task, _ = made
    assert task.user is not None
    other = DUE.model_copy(update={"value": DUE.other})
    trajectory = play_episode(*made, oracle(task, seed=1), user=PlainUser((other, TITLE)))
    assert trajectory.verdict is not None
    failed = [name for name, ok in trajectory.verdict.criteria.items() if not ok]
    assert failed == ["dues"]


def test_where_the_user_does_not_say_it_the_oracle_says_so(made: Made) -> None:
    trajectory = play_episode(*made, oracle(made[0], seed=1), user=PlainUser((TITLE,)))
    assert (trajectory.answer or "").startswith("I could not finish: expected one date")


@pytest.mark.parametrize("seed", range(6))
def test_partial_asks_too_and_breaks_on_no_reply(made: Made, seed: int) -> None:
    trajectory = play_episode(*made, partial(made[0], seed=seed, rate=0.5))
    assert trajectory.error == ""
    assert said(trajectory, "user") == [DUE.sentence, TITLE.sentence]


def test_a_script_says_its_last_message_again_to_a_user_who_goes_on() -> None:
    def script() -> Any:
        heard = yield SAY, {"question": "When?"}
        return f"It is {heard}."

    policy = Scripted(script())
    assert policy.act([], []) == {"role": "assistant", "content": "When?"}
    first = policy.act([{"role": "user", "content": "today"}], [])
    assert first["content"] == "It is today."
    assert policy.act([{"role": "user", "content": "And?"}], []) == first
