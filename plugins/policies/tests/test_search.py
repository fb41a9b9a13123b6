"""Search: what it finds within its budget, what misleads it, and that it only reads before."""

import json
from typing import Any

import pytest
from compoworld_policies.search import search
from sample_services import Mail
from sample_tasks import draft, sample_world

from compoworld_core.conversation import tool_calls, undescribed_calls
from compoworld_core.environment import Environment
from compoworld_core.episode import play_episode
from compoworld_core.errors import UsageError
from compoworld_core.expressions import Condition, Lit, Pick
from compoworld_core.proof.certificate import prove
from compoworld_core.records import Task, Trajectory, Verdict

Made = tuple[Task, Environment]


@pytest.fixture(scope="module")
def made() -> Made:
    draft_ = draft(sample_world(scale=40))
    initial = draft_.initial()
    return prove(draft_.candidate(), initial, draft_.bases()), initial


def verdict(trajectory: Trajectory) -> Verdict:
    assert trajectory.verdict is not None
    return trajectory.verdict


def passed(made: Made, tries: int = 24, **options: Any) -> float:
    played = [play_episode(*made, search(made[0], seed=n, **options)) for n in range(tries)]
    return sum(verdict(each).success for each in played) / tries


def called(trajectory: Trajectory) -> list[tuple[str, str]]:
    made = [json.loads(c.arguments) for c in tool_calls(trajectory.messages)
            if c.name == "call_tool"]  # fmt: skip
    return [(each["service"], each["tool"]) for each in made]


def test_who_is_never_misled_ends_in_the_goal(made: Made) -> None:
    trajectory = play_episode(*made, search(made[0], seed=0, noise=0))
    assert verdict(trajectory).success
    assert trajectory.final_digest == made[0].goal_digest
    assert trajectory.answer == "Done."


def test_a_larger_budget_passes_more_often(made: Made) -> None:
    rates = [passed(made, budget=budget, noise=0.4) for budget in (0, 2, 5, 12)]
    assert rates == sorted(rates)
    assert rates[0] < 0.2
    assert rates[-1] > 0.8


def test_more_noise_passes_less_often(made: Made) -> None:
    rates = [passed(made, budget=2, noise=noise) for noise in (0, 0.3, 2)]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == 1
    assert rates[-1] < 0.2


def test_more_services_pass_less_often(made: Made) -> None:
    """Distractors: their tools look promising too."""
    task, initial = made
    few = Environment.of(
        [(initial.services[name], initial.states[name].fork()) for name in task.services]
    )
    pairs = [(service, few.states[name].fork()) for name, service in few.services.items()]
    more = Environment.of([*pairs, *_others()])
    assert passed((task, few), budget=3, noise=0.3) > passed((task, more), budget=3, noise=0.3)


def _others() -> list[tuple[Any, Any]]:
    """The sample services once more, under other names."""
    from compoworld_core.service import Service

    world = sample_world(scale=40)
    pairs = []
    for name, service in world.services.items():
        for n in range(3):
            other: Service[Any] = Service(f"{name}_{n}", state=service.state, domain="samples")
            for tool in service.tools.values():
                other.tool(name=tool.name, read_only=tool.read_only)(tool.function)
            pairs.append((other, world.states[name].fork()))
    return pairs


def test_it_describes_what_it_calls_and_writes_nothing_on_its_way(made: Made) -> None:
    task, initial = made
    writes = {(step.service, step.tool) for step in task.reference.steps if step.write}
    tried = set()
    for seed in range(12):
        trajectory = play_episode(*made, search(task, seed=seed, noise=0.5))
        assert undescribed_calls(trajectory) == []
        tried |= set(called(trajectory))
    read_only = {
        (name, tool.name)
        for name, service in initial.services.items()
        for tool in service.tools.values()
        if tool.read_only
    }
    planned = {(step.service, step.tool) for step in task.reference.steps}
    assert tried - writes <= read_only
    assert tried - planned, "nothing else was ever tried"


def test_what_it_did_not_find_it_does_not_claim(made: Made) -> None:
    answers = set()
    for seed in range(24):
        trajectory = play_episode(*made, search(made[0], seed=seed, noise=0.4))
        answers.add((trajectory.answer, set(called(trajectory)) >= _writes(made[0])))
    assert ("Done.", True) in answers
    assert ("Done.", False) not in answers


def _writes(task: Task) -> set[tuple[str, str]]:
    return {(step.service, step.tool) for step in task.reference.steps if step.write}


def test_items_that_are_alike_use_its_budget_up() -> None:
    """It looks at the mails of one subject until the budget is spent, and takes the next."""
    made = draft(sample_world(scale=40))
    hero: Mail = made.row("mailbox", "ml_hero")
    for n in range(3):
        twin = {"id": f"ml_twin{n}", "label": "archive", "sender": f"no{n}@else.example"}
        made.rows["mailbox"].insert(0, ("mails", hero.model_copy(update=twin)))
    sender: Pick = made.plan.step("s2").arguments[0].expr  # type: ignore[assignment]  # as drafted
    inbox = Condition(
        path=("label",), kind="status", equals=Lit(literal="inbox", kind="status")
    )
    task = _task(made, sender.model_copy(update={"where": (*sender.where, inbox)}))
    senders = {
        budget: _asked_for(play_episode(task, made.initial(), search(task, seed=0, noise=0,
                                                                    budget=budget)))
        for budget in (0, 2, 3)
    }  # fmt: skip
    assert senders == {0: "no2@else.example", 2: "no0@else.example", 3: hero.sender}


def _task(made: Any, sender: Pick) -> Task:
    from sample_tasks import arg

    proven = draft(made.world)
    task = prove(proven.candidate(), proven.initial(), proven.bases())
    made.step("s2", arguments=(arg("email", sender),))
    return task.model_copy(update={"reference": made.plan})


def _asked_for(trajectory: Trajectory) -> str:
    for call in tool_calls(trajectory.messages):
        values = json.loads(call.arguments)
        if call.name == "call_tool" and values["tool"] == "list_contacts":
            return str(values["arguments"]["email"])
    return ""


def test_the_seed_decides_everything(made: Made) -> None:
    played = [play_episode(*made, search(made[0], seed=n, noise=0.5)) for n in (1, 1, 2)]
    assert played[0].messages == played[1].messages != played[2].messages


@pytest.mark.parametrize("budget", [-1, 2.5, "3", True])
def test_a_budget_is_a_number_of_tries(made: Made, budget: Any) -> None:
    with pytest.raises(UsageError, match="whole number of tries"):
        search(made[0], seed=0, budget=budget)


@pytest.mark.parametrize("noise", [-0.1, "0.2", True, float("nan"), float("inf")])
def test_noise_is_no_negative_number(made: Made, noise: Any) -> None:
    with pytest.raises(UsageError, match="number from 0 up"):
        search(made[0], seed=0, noise=noise)
