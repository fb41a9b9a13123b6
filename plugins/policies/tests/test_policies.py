"""Policies without a model: what each earns, how it finds out, and that the seed decides."""

import json
from typing import Any

import jsonschema
import pytest
from compoworld_policies.null import Null
from compoworld_policies.reference import oracle, partial
from compoworld_policies.slips import slip
from compoworld_policies.wanderer import wanderer
from sample_tasks import draft, sample_world

from compoworld_core import plugins
from compoworld_core.conversation import target, tool_calls, undescribed_calls
from compoworld_core.environment import Environment
from compoworld_core.episode import play_episode
from compoworld_core.errors import UsageError
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


def names(trajectory: Trajectory) -> list[str]:
    return [call.name for call in tool_calls(trajectory.messages)]


# -- oracle --------------------------------------------------------------------------------


@pytest.mark.parametrize("discovery", ["eager", "on-demand", "seeded"])
def test_the_oracle_ends_in_the_goal_and_describes_what_it_calls(
    made: Made, discovery: Any
) -> None:
    trajectory = play_episode(*made, oracle(made[0], seed=5, discovery=discovery))
    assert verdict(trajectory).success
    assert trajectory.final_digest == made[0].goal_digest
    assert undescribed_calls(trajectory) == []
    assert trajectory.usage["failed_calls"] == 0
    assert trajectory.answer == (
        "Done: everything you asked for is in place in billing, tracker, notes and crm."
    )


def test_it_lists_services_first_then_the_tools_of_those_it_needs(made: Made) -> None:
    trajectory = play_episode(*made, oracle(made[0], seed=0))
    assert names(trajectory)[0] == "list_services"
    listed = [
        json.loads(call.arguments)["service"]
        for call in tool_calls(trajectory.messages)
        if call.name == "list_tools"
    ]
    assert listed == list(dict.fromkeys(made[0].walk))


def test_it_describes_each_tool_once(made: Made) -> None:
    calls = tool_calls(play_episode(*made, oracle(made[0], seed=0)).messages)
    described = [target(call) for call in calls if call.name == "describe_tool"]
    used = {target(call) for call in calls if call.name == "call_tool"}
    assert len(described) == len(set(described))
    assert set(described) == used


def test_eager_looks_everything_up_first_and_on_demand_only_when_needed(made: Made) -> None:
    eager = names(play_episode(*made, oracle(made[0], seed=0, discovery="eager")))
    assert set(eager[eager.index("call_tool") :]) == {"call_tool"}
    later = names(play_episode(*made, oracle(made[0], seed=0, discovery="on-demand")))
    assert later[:4] == ["list_services", "list_tools", "describe_tool", "call_tool"]
    assert sorted(later) == sorted(eager)


def test_the_seed_decides_how_it_discovers(made: Made) -> None:
    ways = [tuple(names(play_episode(*made, oracle(made[0], seed=seed)))) for seed in range(12)]
    assert len(set(ways)) == 2
    assert ways == [
        tuple(names(play_episode(*made, oracle(made[0], seed=seed)))) for seed in range(12)
    ]


def test_it_reads_what_is_there(made: Made) -> None:
    """In another world the same policy makes other calls: it was not told the values."""
    task, initial = made
    world = task.certificate.worlds[0]
    other = initial.fork()
    other.commit(world.service, world.patch)
    here, there = (
        {
            call.arguments
            for call in tool_calls(play_episode(task, w, oracle(task, seed=0)).messages)
        }
        for w in (initial, other)
    )
    assert any("ana@hero-mills.example" in text for text in here - there)
    assert any("bo@shadow-mills.example" in text for text in there - here)


def test_where_a_call_fails_it_says_so_and_stops(made: Made) -> None:
    task, initial = made
    changed = initial.fork()
    changed.call("billing.delete_invoice", {"invoice_id": "in_o"})
    trajectory = play_episode(task, changed, oracle(task, seed=0))
    assert not verdict(trajectory).success
    assert (trajectory.answer or "").startswith("I could not finish: ")


def test_an_unknown_way_of_discovery_is_refused(made: Made) -> None:
    with pytest.raises(UsageError, match="there are: seeded, eager, on-demand"):
        oracle(made[0], seed=0, discovery="never")  # type: ignore[arg-type]  # the point


# -- partial -------------------------------------------------------------------------------


def test_partial_lies_strictly_between_null_and_oracle(made: Made) -> None:
    verdicts = [verdict(play_episode(*made, partial(made[0], seed=n))) for n in range(24)]
    assert 0.2 < sum(each.uniform for each in verdicts) / len(verdicts) < 0.95
    assert not all(each.success for each in verdicts)


def test_with_few_slips_some_rollouts_pass(made: Made) -> None:
    played = [play_episode(*made, partial(made[0], seed=n, rate=0.1)) for n in range(24)]
    assert 0 < sum(verdict(each).success for each in played) < len(played)


def test_without_slips_it_is_the_oracle_and_with_nothing_but_slips_it_fails(
    made: Made,
) -> None:
    assert verdict(play_episode(*made, partial(made[0], seed=1, rate=0))).success
    for seed in range(8):
        assert not verdict(play_episode(*made, partial(made[0], seed=seed, rate=1))).success


def test_more_slips_earn_less(made: Made) -> None:
    def earned(rate: float) -> float:
        return sum(
            verdict(play_episode(*made, partial(made[0], seed=seed, rate=rate))).uniform
            for seed in range(16)
        )

    assert earned(0.1) > earned(0.4) > earned(0.9)


def test_the_seed_decides_the_slips(made: Made) -> None:
    played = [play_episode(*made, partial(made[0], seed=n, rate=0.5)) for n in (1, 1, 2)]
    assert played[0].messages == played[1].messages != played[2].messages


def test_it_describes_what_it_calls(made: Made) -> None:
    for seed in range(8):
        trajectory = play_episode(*made, partial(made[0], seed=seed, rate=0.5))
        assert undescribed_calls(trajectory) == []


def test_it_does_not_claim_what_it_left_out(made: Made) -> None:
    whole = names(play_episode(*made, oracle(made[0], seed=0))).count("call_tool")
    claims = []
    for seed in range(24):
        trajectory = play_episode(*made, partial(made[0], seed=seed, rate=0.2))
        made_all = names(trajectory).count("call_tool") == whole
        claims.append((made_all, (trajectory.answer or "").startswith("Done")))
    assert (False, True) not in claims
    assert {(True, True), (False, False)} <= set(claims)


@pytest.mark.parametrize("rate", [-0.1, 1.1, "0.5", True, float("nan")])
def test_a_rate_is_a_share(made: Made, rate: Any) -> None:
    with pytest.raises(UsageError, match="share of writes, from 0 to 1"):
        partial(made[0], seed=0, rate=rate)


@pytest.mark.parametrize("value", ["INV-9917", "high", "two words", "x", "", 5, 2.5, True])
def test_a_slip_changes_a_value(value: Any) -> None:
    from random import Random

    for seed in range(10):
        before = {"a": {"b": [value]}}
        after = slip(before, Random(seed))
        assert after != before == {"a": {"b": [value]}}


def test_there_is_nothing_to_slip_on_without_values() -> None:
    from random import Random

    assert slip({"a": None, "b": []}, Random(0)) == {"a": None, "b": []}


# -- null, random --------------------------------------------------------------------------


def test_null_calls_nothing_and_earns_nothing(made: Made) -> None:
    trajectory = play_episode(*made, Null(made[0], seed=0))
    assert names(trajectory) == []
    assert verdict(trajectory).uniform == 0
    assert trajectory.final_digest == made[1].digest()


@pytest.mark.parametrize("seed", range(6))
def test_random_calls_fit_their_schemas(made: Made, seed: int) -> None:
    tools = made[1].tools()
    trajectory = play_episode(*made, wanderer(made[0], seed=seed, calls=25))
    for call in tool_calls(trajectory.messages):
        if call.name == "call_tool":
            given = json.loads(call.arguments)
            schema = tools[f"{given['service']}.{given['tool']}"].input_schema
            jsonschema.validate(given["arguments"], schema)


def test_random_calls_are_bounded_and_described(made: Made) -> None:
    trajectory = play_episode(*made, wanderer(made[0], seed=3, calls=15))
    assert names(trajectory).count("call_tool") == 15
    assert undescribed_calls(trajectory) == []
    assert not verdict(trajectory).success


def test_random_reuses_ids_that_it_has_seen(made: Made) -> None:
    """Calls of tools that need an id succeed now and then: it cannot guess one."""
    answered = 0
    for seed in range(8):
        trajectory = play_episode(*made, wanderer(made[0], seed=seed, calls=30))
        results = {m.tool_call_id: m for m in trajectory.messages if m.role == "tool"}
        for call in tool_calls(trajectory.messages):
            if call.name == "call_tool" and '_id"' in call.arguments:
                answered += not results[call.id].is_error
    assert answered > 20


def test_the_seed_decides_what_random_does(made: Made) -> None:
    played = [play_episode(*made, wanderer(made[0], seed=n)).messages for n in (1, 1, 2)]
    assert played[0] == played[1] != played[2]


@pytest.mark.parametrize("calls", [-1, 2.5, True, "3"])
def test_a_number_of_calls_is_a_number(made: Made, calls: Any) -> None:
    with pytest.raises(UsageError, match="whole number from 0 up"):
        wanderer(made[0], seed=0, calls=calls)


def test_random_with_no_calls_ends_at_once(made: Made) -> None:
    trajectory = play_episode(*made, wanderer(made[0], seed=0, calls=0))
    assert names(trajectory) == ["list_services"]


# -- registered ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["oracle", "partial", "null", "random", "search"])
def test_it_is_found_by_name(made: Made, name: str) -> None:
    factory: Any = plugins.policies().load(name)
    message = factory(made[0], seed=0).act([], [])
    assert message["role"] == "assistant"
