"""Environment: what a call may change, how it fails, forks, diffs, simulated tools."""

import json
from typing import Any

import pytest
from desk import DeskState
from desk import service as desk
from faulty import counting_reader, crashing, writing_reader
from ledgerbook import service as ledgerbook

from compoworld_core import Context, Entity, Service, State, Table, ToolError, compose
from compoworld_core.environment import Environment
from compoworld_core.errors import DuplicateName, ServiceError, SimulationError
from compoworld_core.observation import Observation
from compoworld_core.patch import Operation, Patch
from compoworld_core.table import WriteRefused


@pytest.fixture
def env() -> Environment:
    return compose(desk, ledgerbook, seed=3, scale=30)


def a_ticket(env: Environment) -> str:
    return env.state("desk").table("tickets").keys()[0]  # type: ignore[return-value]


def dump(env: Environment) -> list[str]:
    return [state.model_dump_json() for state in env.states.values()]


def test_a_call_takes_a_mapping_text_or_bytes(env: Environment) -> None:
    key = a_ticket(env)
    texts = {
        env.call("desk.get_ticket", arguments).text
        for arguments in ({"ticket_id": key}, f'{{"ticket_id":"{key}"}}')
    }
    texts.add(env.call("desk.get_ticket", f'{{"ticket_id":"{key}"}}'.encode()).text)
    assert len(texts) == 1
    assert json.loads(texts.pop())["id"] == key


def test_data_is_the_json_value_and_none_for_an_error(env: Environment) -> None:
    assert env.call("desk.list_agents").data[0]["id"]
    assert env.call("desk.get_ticket", {"ticket_id": "no"}).data is None


def test_a_write_changes_its_own_service_only(env: Environment) -> None:
    before = dict(env.states)
    env.call("desk.set_motto", {"motto": "Onwards"})
    assert env.states["ledgerbook"] is before["ledgerbook"]
    assert env.state("desk").motto == "Onwards"  # type: ignore[attr-defined]


def test_a_read_changes_no_state_object(env: Environment) -> None:
    before = dict(env.states)
    env.call("desk.list_tickets", {"status": "open"})
    assert all(env.states[name] is state for name, state in before.items())


def test_a_call_that_fails_after_its_writes_leaves_every_byte(env: Environment) -> None:
    taker, *givers = env.state("desk").table("agents").keys()
    for giver in givers:  # each call moves tickets and takes an id before it looks at the load
        before = dump(env)
        if env.call("desk.hand_over", {"giver": giver, "taker": taker}).is_error:
            assert dump(env) == before
            break
    else:
        pytest.fail("no call failed after its writes")
    assert env.call("desk.sign_motto", {"motto": "x", "author": "no"}).is_error
    assert dump(env) == before


def test_a_write_moves_clock_and_count_once(env: Environment) -> None:
    ledger = env.state("desk").ledger.copy_out()
    key = a_ticket(env)
    agent = env.state("desk").table("agents").keys()[0]
    env.call(
        "desk.comment", {"ticket_id": key, "author": agent, "text": "two writes, one call"}
    )
    after = env.state("desk").ledger
    assert after.writes == ledger.writes + 1
    assert after.now > ledger.now


def test_a_call_without_effect_moves_nothing(env: Environment) -> None:
    key = a_ticket(env)
    status = env.call("desk.get_ticket", {"ticket_id": key}).data["status"]
    before = env.digest()
    assert not env.call("desk.set_status", {"ticket_id": key, "status": status}).is_error
    assert env.digest() == before


def test_extra_reads_and_failures_change_no_id_and_no_time(env: Environment) -> None:
    arguments = {"subject": "New", "requester": "a@b.co"}
    quiet = env.fork().call("desk.create_ticket", arguments).text
    env.call("desk.list_tickets", {})
    env.call("desk.get_ticket", {"ticket_id": "no"})
    env.call("desk.create_ticket", {"subject": 3})
    assert env.call("desk.create_ticket", arguments).text == quiet


def test_an_integer_written_as_a_float_is_the_same_call(env: Environment) -> None:
    number = env.state("ledgerbook").table("invoices").keys()[0]
    ends = set()
    for text in ("33", "33.0", "33.00"):
        fork = env.fork()
        fork.call("ledgerbook.update-invoice", f'{{"number": {number}.0, "total": {text}}}')
        ends.add(fork.digest())
    assert len(ends) == 1
    assert ends != {env.digest()}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("nodot", "{}", "no service 'nodot'"),
        ("dask.get_ticket", "{}", "Closest: desk"),
        ("desk.get_tickets", "{}", "desk.get_ticket"),
        ("desk.get_ticket", "{", "invalid JSON"),
        ("desk.get_ticket", "{}", "ticket_id: missing"),
        ("desk.get_ticket", "null", "arguments: "),
        ("desk.get_ticket", "[]", "arguments: "),
        ("desk.get_ticket", '{"ticket": "x"}', "Closest: ticket_id"),
        ("desk.get_ticket", '{"ticket_id": 5}', "ticket_id: input should be a valid string"),
        ("desk.list_agents", '{"x": 1}', "no arguments"),
        ("desk.get_ticket", '{"ticket_id": "a"}{"ticket_id": "b"}', "invalid JSON"),
        ("desk.get_ticket", '{"ticket_id": "a",}', "invalid JSON"),
        ("desk.get_ticket", '{"ticket_id": "C:\\temp\\x"}', "invalid JSON"),
        ("desk.get_ticket", '{"ticket_id": "a\nb"}', "invalid JSON"),
    ],
)
def test_a_wrong_call_is_an_observation_that_helps(
    env: Environment, name: str, text: str, says: str
) -> None:
    before = env.digest()
    observation = env.call(name, text)
    assert observation.is_error
    assert says.casefold() in observation.text.casefold()
    assert env.digest() == before


@pytest.mark.parametrize(
    "arguments",
    [
        '{"ticket_id": "\\ud800"}',
        {"ticket_id": "\ud800"},
        "\ud800",
        {"ticket_id": float("nan")},
    ],
)
def test_text_that_is_no_text_is_an_observation(env: Environment, arguments: Any) -> None:
    assert env.call("desk.get_ticket", arguments).is_error


def test_a_tag_inside_a_string_is_text(env: Environment) -> None:
    subject = "</tool_call> ``` } { \u2028"
    made = env.call("desk.create_ticket", {"subject": subject, "requester": "a@b.co"})
    assert made.data["subject"] == subject


def test_a_long_observation_is_cut_with_a_notice() -> None:
    env = compose(desk, seed=3, scale=30, limit=200)
    observation = env.call("desk.list_tickets", {})
    assert observation.text.startswith('{"items"')
    assert "[cut: 200 of" in observation.text
    assert observation.data is None


@pytest.mark.parametrize(
    ("service", "tool", "arguments"),
    [
        (crashing, "crashing_tool", {"note_id": "no"}),
        (counting_reader, "counting_reader_tool", {}),
        (writing_reader, "writing_reader_tool", {"note_id": "no"}),
    ],
)
def test_a_tool_that_breaks_its_contract_is_a_service_error(
    service: Service[Any], tool: str, arguments: dict[str, Any]
) -> None:
    env = compose(service, scale=20)
    if arguments and service is writing_reader:
        arguments = {"note_id": env.state(service.name).table("notes").keys()[0]}
    before = env.digest()
    with pytest.raises(ServiceError, match=tool):
        env.call(f"{service.name}.{tool}", arguments)
    assert env.digest() == before
    assert not env.call(
        f"{service.name}.get_note",
        {"note_id": env.state(service.name).table("notes").keys()[0]},
    ).is_error


class Blob(Entity):
    id: str
    at: int = 0


class BlobState(State):
    blobs: Table[Blob] = Table()


def broken_after_write() -> Environment:
    service = Service("blob", state=BlobState, domain="data_analytics")

    @service.tool
    def grow(state: BlobState, ctx: Context, key: str, how: str) -> object:
        """Write, then end as asked."""
        state.blobs.insert(Blob(id=ctx.new_id("b_")))
        if how == "tool error":
            raise ToolError("conflict", "no")
        if how == "crash":
            raise RuntimeError("no")
        if how == "invalid row":
            state.blobs.update(key, at="x")
        if how == "not JSON":
            return object()
        return 1

    return Environment.of([(service, BlobState(blobs=Table([Blob(id="a")])))])


@pytest.mark.parametrize("how", ["tool error", "crash", "invalid row", "not JSON"])
def test_whatever_ends_a_call_undoes_its_writes_and_ids(how: str) -> None:
    env = broken_after_write()
    before = dump(env)
    try:
        observation = env.call("blob.grow", {"key": "a", "how": how})
    except ServiceError:
        assert how in ("crash", "not JSON")
    else:
        assert observation.is_error
    assert dump(env) == before
    assert env.call("blob.grow", {"key": "a", "how": "well"}).text == "1"
    assert len(env.state("blob").table("blobs")) == 2


def test_the_state_of_an_environment_is_not_written_past_it(env: Environment) -> None:
    with pytest.raises(WriteRefused, match="environment"):
        env.state("desk").table("tickets").delete(a_ticket(env))
    with pytest.raises(WriteRefused, match="environment"):
        env.state("desk").motto = "no"  # type: ignore[attr-defined]


def test_two_services_of_one_name_do_not_compose() -> None:
    with pytest.raises(DuplicateName, match="desk"):
        compose(desk, desk, scale=20)


def test_forks_write_apart_in_both_directions(env: Environment) -> None:
    env.call("desk.set_motto", {"motto": "zero"})
    one, before = env.fork(), dump(env)
    other = one.fork()
    one.call("desk.set_motto", {"motto": "one"})
    env.call("desk.set_motto", {"motto": "origin"})
    assert [e.state("desk").motto for e in (env, one, other)] == [  # type: ignore[attr-defined]
        "origin",
        "one",
        "zero",
    ]
    assert dump(other) == before
    assert env.transcript
    assert len(one.transcript) == 1


def test_a_diff_names_records_and_reads_like_a_sentence(env: Environment) -> None:
    fork, key = env.fork(), a_ticket(env)
    fork.call("desk.update_ticket", {"ticket_id": key, "subject": "Changed"})
    (change,) = env.diff(fork)
    assert (change.service, change.table, change.id) == ("desk", "tickets", key)
    assert change.before is not None
    assert change.after == {
        **change.before,
        "subject": "Changed",
        "updated_at": change.after["updated_at"],
    }  # type: ignore[index]
    assert "subject" in str(change)
    assert env.diff(env.fork()) == []


def test_a_digest_tells_states_apart_and_not_transcripts(env: Environment) -> None:
    fork = env.fork()
    fork.call("desk.list_agents")
    assert fork.digest() == env.digest()
    fork.call("desk.set_motto", {"motto": "new"})
    assert fork.digest() != env.digest()


def test_the_order_of_services_is_not_part_of_the_digest() -> None:
    one = compose(desk, ledgerbook, seed=1, scale=20)
    other = compose(ledgerbook, desk, seed=1, scale=20)
    assert one.digest() == other.digest()


def test_a_transcript_holds_calls_as_they_came(env: Environment) -> None:
    env.call("desk.list_agents", "{}")
    env.call("desk.nothing", '{"a": 1}')
    assert [(call.tool, call.arguments) for call in env.transcript] == [
        ("desk.list_agents", "{}"),
        ("desk.nothing", '{"a": 1}'),
    ]


class Canned:
    """A simulator that predicts a motto."""

    def __init__(self, patch: Patch, observation: Observation) -> None:
        self.answer = (patch, observation)

    def simulate(
        self, service: Any, tool: Any, state: Any, arguments: Any
    ) -> tuple[Patch, Observation]:
        return self.answer


SET = Operation(op="set", table="motto", row={"value": "asked"})


def simulated(patch: Patch, observation: Observation) -> Environment:
    return compose(desk, scale=20, simulator=Canned(patch, observation))


def test_without_a_simulator_a_simulated_tool_is_unavailable(env: Environment) -> None:
    observation = env.call("desk.ask_expert", {"question": "?"})
    assert observation.code == "unavailable"
    assert "simulator" in observation.text


def test_a_prediction_commits_like_a_call_and_is_recorded() -> None:
    env = simulated(Patch(operations=[SET]), Observation('"yes"'))
    assert env.call("desk.ask_expert", {"question": "?"}).data == "yes"
    assert env.state("desk").motto == "asked"  # type: ignore[attr-defined]
    assert env.state("desk").ledger.writes == 1
    assert env.transcript[0].prediction == Patch(operations=[SET])


def test_a_prediction_that_does_not_fit_changes_nothing() -> None:
    wrong = Operation(op="delete", table="tickets", id="no")
    env = simulated(Patch(operations=[SET, wrong]), Observation('"yes"'))
    before = dump(env)
    with pytest.raises(SimulationError, match="no row"):
        env.call("desk.ask_expert", {"question": "?"})
    assert dump(env) == before


def test_an_error_of_the_simulator_commits_nothing() -> None:
    env = simulated(Patch(operations=[SET]), Observation("conflict: no", True, "conflict"))
    before = dump(env)
    assert env.call("desk.ask_expert", {"question": "?"}).is_error
    assert dump(env) == before


def test_a_state_of_its_own_is_free_to_write() -> None:
    state = DeskState()
    state.motto = "mine"
    assert state.motto == "mine"
