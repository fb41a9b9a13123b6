"""Predictions of an endpoint that is right, wrong, slow, malformed and malicious."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from compoworld_simulator_llm.simulator import ModelSimulator

from compoworld_core import Environment, Service, compose, plugins
from compoworld_core.errors import RecordError, UsageError
from compoworld_core.simulation import Simulation
from compoworld_core.testing.endpoint import ScriptedEndpoint

ASK = ("desk.ask_expert", {"question": "Who is free?"})
FAST = {"pause": 0.01, "tries": 1, "timeout": 5.0}

Opened = Callable[..., Environment]


@pytest.fixture
def opened(desk: Service[Any], ledgerbook: Service[Any]) -> Opened:
    def make(**options: Any) -> Environment:
        simulator = ModelSimulator(**{**FAST, **options})
        return compose(desk, ledgerbook, seed=3, scale=60, simulator=simulator)

    return make


def predict(endpoint: ScriptedEndpoint, *answers: Any) -> None:
    """Let the model predict these in order; what is no text is written as JSON."""
    endpoint.say(*(each if isinstance(each, str) else json.dumps(each) for each in answers))


def account(env: Environment) -> Any:
    assert isinstance(env.simulator, ModelSimulator)
    return env.simulator.account


def tickets(env: Environment) -> Any:
    return env.state("desk").table("tickets")


def rename(env: Environment, subject: object = "Sorted out") -> dict[str, Any]:
    key = tickets(env).keys()[0]
    patch = [{"op": "replace", "path": f"/tickets/{key}/subject", "value": subject}]
    return {"patch": patch, "observation": "done"}


def new_ticket(key: str, **fields: Any) -> dict[str, Any]:
    row = {
        "subject": "New",
        "requester": "zoe@example.com",
        "created_at": "2026-03-02T09:00:00Z",
    }
    patch = [{"op": "add", "path": f"/tickets/{key}", "value": row | fields}]
    return {"patch": patch, "observation": key}


def told(body: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(body["messages"][1]["content"])
    return found


# -- right ---------------------------------------------------------------------------------


def test_an_accepted_prediction_is_seen_by_deterministic_tools(
    endpoint: ScriptedEndpoint, opened: Opened
) -> None:
    env = opened()
    key = tickets(env).keys()[0]
    predict(endpoint, rename(env))
    assert env.call(*ASK).data == "done"
    assert env.call("desk.get_ticket", {"ticket_id": key}).data["subject"] == "Sorted out"


def test_a_prediction_changes_no_other_service_and_no_fork(
    endpoint: ScriptedEndpoint, opened: Opened
) -> None:
    env = opened()
    other, before = env.states["ledgerbook"], env.fork()
    predict(endpoint, rename(env))
    digest = before.digest()
    env.call(*ASK)
    assert env.states["ledgerbook"] is other
    assert (before.digest(), env.digest() == digest) == (digest, False)


def test_a_row_is_inserted_under_a_fresh_id_which_is_not_given_again(
    endpoint: ScriptedEndpoint, opened: Opened
) -> None:
    env = opened()

    def take_first(body: dict[str, Any]) -> str:
        return json.dumps(new_ticket(told(body)["fresh_ids"]["tickets"][0]))

    endpoint.model = take_first
    first, second = env.call(*ASK).data, env.call(*ASK).data
    assert first.startswith("tk_")
    assert first != second
    assert {first, second} <= set(tickets(env).keys())


def test_the_clock_moves_with_a_prediction_as_with_any_write(
    endpoint: ScriptedEndpoint, opened: Opened
) -> None:
    env = opened()
    start = env.state("desk").ledger
    endpoint.model = lambda body: json.dumps(new_ticket(told(body)["fresh_ids"]["tickets"][0]))
    env.call(*ASK)
    assert env.state("desk").ledger.writes == start.writes + 1
    assert env.state("desk").ledger.now > start.now


def test_a_setting_is_set(endpoint: ScriptedEndpoint, opened: Opened) -> None:
    env = opened()
    patch = [{"op": "replace", "path": "/motto", "value": "Ask us."}]
    predict(endpoint, {"patch": patch, "observation": "ok"})
    env.call(*ASK)
    assert env.state("desk").motto == "Ask us."  # type: ignore[attr-defined]  # DeskState's


def test_an_error_is_the_tools_answer_and_is_not_asked_again(
    endpoint: ScriptedEndpoint, opened: Opened
) -> None:
    env = opened()
    predict(endpoint, {"error": {"code": "conflict", "message": "taken"}})
    assert env.call(*ASK).text == "conflict: taken"
    assert len(endpoint.bodies) == 1


def test_an_answer_in_a_fence_is_read(endpoint: ScriptedEndpoint, opened: Opened) -> None:
    predict(endpoint, 'Here:\n```json\n{"patch": [], "observation": "ok"}\n```')
    assert opened().call(*ASK).data == "ok"


# -- what the model sees -------------------------------------------------------------------


def test_rows_that_the_arguments_name_are_shown_first(
    endpoint: ScriptedEndpoint, desk: Service[Any]
) -> None:
    predict(endpoint, {"error": {"code": "conflict", "message": "no"}})
    given = {"simulate": ("desk",), "options": {**FAST, "rows": 3}}
    env = Simulation("llm", given["options"], ("desk",)).applied(compose(desk, scale=60))
    key = env.state("desk").table("tickets").keys()[-1]
    env.call("desk.get_ticket", {"ticket_id": key})
    shown = told(endpoint.bodies[0])["records"]["tickets"]
    assert (shown[0]["id"], len(shown)) == (key, 3)


def test_a_prompt_stays_bounded_in_a_large_world(
    endpoint: ScriptedEndpoint, desk: Service[Any]
) -> None:
    predict(endpoint, {"patch": [], "observation": "ok"})
    for scale in (60, 2000):
        compose(desk, scale=scale, simulator=ModelSimulator(**FAST)).call(*ASK)
    small, large = (len(json.dumps(body)) for body in endpoint.bodies)
    assert large < 1.5 * small


# -- wrong ---------------------------------------------------------------------------------


def test_a_wrong_prediction_is_asked_for_again_with_the_error(
    endpoint: ScriptedEndpoint, opened: Opened
) -> None:
    env = opened()
    predict(endpoint, rename(env, {"no": "text"}), rename(env))
    assert env.call(*ASK).data == "done"
    assert "subject" in endpoint.bodies[1]["messages"][-1]["content"]
    assert (account(env).refused, account(env).accepted) == (1, 1)


MALFORMED: dict[str, Any] = {
    "no JSON": "I would rather not.",
    "a list": "[1]",
    "cut": '{"patch": [',
    "no observation": {"patch": []},
    "patch is text": {"patch": "x", "observation": "y"},
    "no path": {"patch": [{"op": "add", "value": 1}], "observation": "y"},
    "no such op": {"patch": [{"op": "burn", "path": "/motto"}], "observation": "y"},
    "no pointer": {"patch": [{"op": "remove", "path": "motto"}], "observation": "y"},
    "missing row": {"patch": [{"op": "remove", "path": "/tickets/no"}], "observation": "y"},
    "row is text": {
        "patch": [{"op": "add", "path": "/tickets/x", "value": "t"}],
        "observation": "y",
    },
    "failed test": {
        "patch": [{"op": "test", "path": "/motto", "value": "?"}],
        "observation": "y",
    },
    "unknown field": {**new_ticket("tk_x", colour="red")},
    "wrong type of result": {"patch": [], "observation": {"a": 1}},
    "unknown code": {"error": {"code": "teapot", "message": "x"}},
    "not a number": '{"patch": [], "observation": NaN}',
    "deep observation": '{"patch": [], "observation": ' + "[" * 900 + "]" * 900 + "}",
    "deep patch": '{"patch": [{"op": "replace", "path": "/motto", "value": '
    + "[" * 900
    + "]" * 900
    + '}], "observation": "y"}',
    "deeper than can be read": '{"patch": ' + "[" * 40_000,
    "removed setting": {"patch": [{"op": "remove", "path": "/motto"}], "observation": "y"},
}
MALICIOUS: dict[str, Any] = {
    "another service": {
        "patch": [{"op": "add", "path": "/ledgerbook/x", "value": {}}],
        "observation": "y",
    },
    "the ledger": {
        "patch": [{"op": "replace", "path": "/ledger/key", "value": 1}],
        "observation": "y",
    },
    "everything": {"patch": [{"op": "replace", "path": "", "value": {}}], "observation": "y"},
    "a whole table": {"patch": [{"op": "remove", "path": "/tickets"}], "observation": "y"},
    "another id": new_ticket("tk_x", id="tk_y"),
    "a megabyte": {**new_ticket("tk_x", subject="x" * 1_000_000)},
    "many operations": {
        "patch": [{"op": "test", "path": "/motto", "value": "We answer."}] * 1000,
        "observation": "y",
    },
}


@pytest.mark.parametrize("name", [*MALFORMED, *MALICIOUS])
def test_what_does_not_fit_ends_as_unavailable_and_changes_nothing(
    endpoint: ScriptedEndpoint, opened: Opened, name: str
) -> None:
    env = opened(attempts=2)
    before = env.digest()
    predict(endpoint, (MALFORMED | MALICIOUS)[name])
    seen = env.call(*ASK)
    assert (seen.code, env.digest()) == ("unavailable", before)
    assert len(endpoint.bodies) == 2
    assert len(seen.text) < 5000


def test_what_is_wrong_with_the_result_is_said_of_the_result(
    endpoint: ScriptedEndpoint, opened: Opened
) -> None:
    predict(endpoint, {"patch": [], "observation": {"a": 1}})
    assert "observation does not fit" in opened(attempts=1).call(*ASK).text


def test_copies_that_double_are_refused_before_they_are_made(
    endpoint: ScriptedEndpoint, opened: Opened
) -> None:
    env = opened(attempts=1)
    place = f"/tickets/{tickets(env).keys()[0]}/subject"
    patch: list[dict[str, Any]] = [{"op": "replace", "path": place, "value": {"a": "x"}}]
    patch += [{"op": "copy", "from": place, "path": f"{place}/{n}"} for n in range(40)]
    predict(endpoint, {"patch": patch, "observation": "y"})
    started = time.monotonic()
    assert "copies may have" in env.call(*ASK).text
    assert time.monotonic() - started < 5


def test_deleting_half_the_state_is_refused_and_a_row_is_not(
    endpoint: ScriptedEndpoint, opened: Opened
) -> None:
    env = opened(attempts=1)
    keys = tickets(env).keys()
    gone = [{"op": "remove", "path": f"/tickets/{key}"} for key in keys[: len(keys) // 2]]
    predict(
        endpoint,
        {"patch": gone, "observation": "gone"},
        {"patch": gone[:1], "observation": "1"},
    )
    assert "delete 3 rows at most" in env.call(*ASK).text
    assert len(tickets(env)) == len(keys)
    assert env.call(*ASK).data == "1"
    assert len(tickets(env)) == len(keys) - 1


def test_terminal_escapes_reach_neither_the_caller_nor_the_state(
    endpoint: ScriptedEndpoint, opened: Opened
) -> None:
    env = opened()
    answer = rename(env, "a\x1b[2Jb\u202e\x9bc")
    predict(endpoint, {**answer, "observation": "x\x1b]0;owned\x07\u202ey\ud800z"})
    assert env.call(*ASK).data == "x]0;ownedyz"
    assert next(iter(tickets(env))).subject == "a[2Jbc"


def test_a_read_may_not_write(endpoint: ScriptedEndpoint, desk: Service[Any]) -> None:
    simulation = Simulation("llm", {**FAST, "attempts": 1}, ("desk",))
    env = simulation.applied(compose(desk, scale=60))
    before, key = env.digest(), env.state("desk").table("tickets").keys()[0]
    row = json.loads(compose(desk, scale=60).call("desk.get_ticket", {"ticket_id": key}).text)
    predict(endpoint, {**rename(env), "observation": row})
    assert "only reads" in env.call("desk.get_ticket", {"ticket_id": key}).text
    assert env.digest() == before


# -- slow, gone ----------------------------------------------------------------------------


def test_a_slow_endpoint_is_unavailable_and_changes_nothing(
    endpoint: ScriptedEndpoint, opened: Opened
) -> None:
    env = opened(timeout=0.2)
    before = env.digest()
    predict(endpoint, rename(env))
    endpoint.delay = 1.0
    seen = env.call(*ASK)
    assert (seen.code, env.digest()) == ("unavailable", before)
    assert "0.2 s" in seen.text


def test_an_endpoint_that_garbles_is_unavailable(
    endpoint: ScriptedEndpoint, opened: Opened
) -> None:
    endpoint.say(b"<html>busy</html>")
    assert opened().call(*ASK).code == "unavailable"


# -- recordings, budget, options -----------------------------------------------------------


def test_a_recorded_trajectory_replays_without_the_model(
    endpoint: ScriptedEndpoint, opened: Opened, tmp_path: Path
) -> None:
    first = opened(recordings=str(tmp_path))
    predict(endpoint, rename(first, {"no": 1}), rename(first))
    seen = first.call(*ASK)
    asked = len(endpoint.bodies)
    second = opened(recordings=str(tmp_path), replay=True)
    assert (second.call(*ASK).text, second.digest()) == (seen.text, first.digest())
    assert (len(endpoint.bodies), account(second).replayed) == (asked, 2)


def test_what_was_not_recorded_is_unavailable_in_a_replay(
    endpoint: ScriptedEndpoint, opened: Opened, tmp_path: Path
) -> None:
    seen = opened(recordings=str(tmp_path), replay=True).call(*ASK)
    assert (seen.code, endpoint.bodies) == ("unavailable", [])


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "compoworld/prediction@1"}'])
def test_a_damaged_recording_is_named(
    endpoint: ScriptedEndpoint, opened: Opened, tmp_path: Path, text: str
) -> None:
    predict(endpoint, {"patch": [], "observation": "ok"})
    opened(recordings=str(tmp_path)).call(*ASK)
    (file,) = tmp_path.rglob("*.json")
    file.write_text(text)
    with pytest.raises(RecordError, match=f"{file.name} is no"):
        opened(recordings=str(tmp_path)).call(*ASK)


def test_tokens_and_time_are_counted(endpoint: ScriptedEndpoint, opened: Opened) -> None:
    env = opened()
    endpoint.delay = 0.05
    predict(endpoint, {"patch": [], "observation": "ok"})
    env.call(*ASK)
    spent = account(env)
    assert (spent.prompt_tokens, spent.completion_tokens, spent.requests) == (100, 10, 1)
    assert spent.seconds >= 0.05


@pytest.mark.parametrize("budget", [{"budget_requests": 2}, {"budget_tokens": 220}])
def test_a_budget_ends_the_asking(
    endpoint: ScriptedEndpoint, opened: Opened, budget: dict[str, int]
) -> None:
    env = opened(**budget)
    predict(endpoint, {"patch": [], "observation": "ok"})
    seen = [env.call(*ASK) for _ in range(3)]
    assert [each.is_error for each in seen] == [False, False, True]
    assert "budget" in seen[-1].text
    assert len(endpoint.bodies) == 2


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"attempts": 0}, "attempts is 0"),
        ({"rows": True}, "rows is True"),
        ({"replay": True}, "recordings=DIR"),
        ({"tries": 0}, "tries is 0"),
        ({"replay": True, "recordings": "nowhere"}, "no folder nowhere"),
    ],
)
def test_a_wrong_option_is_said(
    endpoint: ScriptedEndpoint, options: dict[str, Any], why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        ModelSimulator(**options)


def test_it_is_found_by_name() -> None:
    assert plugins.simulators().load("llm") is ModelSimulator
