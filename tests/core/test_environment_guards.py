"""Environment: whatever a caller writes is answered, and what it hands out changes nothing."""

import json
from typing import Any

import pytest
from desk import service as desk
from ledgerbook import service as ledgerbook

from compoworld_core import compose
from compoworld_core.environment import Environment
from compoworld_core.table import WriteRefused

HUGE = "x" * 1_000_000


@pytest.fixture
def env() -> Environment:
    return compose(desk, ledgerbook, seed=3, scale=30)


@pytest.mark.parametrize("arguments", [None, [1], 5, {(1, 2): 3}, {"motto": "\ud800"}, {1, 2}])
def test_arguments_of_any_type_are_answered(env: Environment, arguments: Any) -> None:
    assert env.call("desk.set_motto", arguments).code == "invalid_argument"
    json.loads(env.transcript[-1].arguments)


def test_arguments_that_hold_themselves_are_answered(env: Environment) -> None:
    loop: dict[str, Any] = {}
    loop["motto"] = loop
    assert env.call("desk.set_motto", loop).code == "invalid_argument"


@pytest.mark.parametrize("name", [None, 5, [], {}])
def test_a_name_of_any_type_is_answered(env: Environment, name: Any) -> None:
    assert env.call(name, {}).code == "invalid_argument"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (HUGE, {}),
        (f"desk.{HUGE}", {}),
        ("desk.set_motto", {HUGE: 1}),
        ("desk.set_motto", {f"{n}{HUGE[:300]}": 1 for n in range(1000)}),
    ],
)
def test_an_error_repeats_the_beginning_of_a_huge_name(
    env: Environment, name: str, arguments: dict[str, Any]
) -> None:
    observation = env.call(name, arguments)
    assert observation.is_error
    assert len(observation.text) < 4200


def test_a_ledger_that_is_looked_at_can_be_spoiled_for_nobody(env: Environment) -> None:
    before = env.digest()
    for held in (env, env.fork()):
        ledger = held.state("desk").ledger
        ledger.actor = "someone@example.com"
        ledger.counters["x"] = 9
    assert env.digest() == before


def test_a_state_that_is_looked_at_refuses_writes(env: Environment) -> None:
    with pytest.raises(WriteRefused):
        env.state("desk").motto = "mine"  # type: ignore[attr-defined]  # the desk has one


def test_an_environment_says_in_a_line_what_it_is(env: Environment) -> None:
    assert repr(env) == f"Environment(desk, ledgerbook; {len(env.tools())} tools)"
