"""A model's cases are tried like all others; its wrong expectations are doubts."""

import json
from typing import Any

import pytest
from click.testing import CliRunner
from compoworld_validator import validate
from compoworld_validator.command import validate as command
from compoworld_validator.derivation import asking, concrete, derived
from compoworld_validator.world import World

from compoworld_core import Entity, Service, State, Table, ToolError, compose
from compoworld_core.testing.endpoint import MODEL, scripted_endpoint


class Gate(Entity):
    id: str
    word: str


class GatesState(State):
    gates: Table[Gate] = Table()


def gates() -> Service[GatesState]:
    """A service with a tool that only a specification's reader can use."""
    service = Service("gates", state=GatesState, domain="productivity_collaboration")

    @service.tool(read_only=True)
    def list_gates(state: GatesState) -> list[Gate]:
        """List the gates."""
        return list(state.gates)

    @service.tool(read_only=True)
    def open_gate(state: GatesState, spell: str) -> str:
        """Open a gate. The spell is the gate's word, an exclamation mark and forty-two.

        Args:
            spell: what is said.
        """
        if not any(spell == f"{gate.word}!42" for gate in state.gates):
            raise ToolError("not_found", "nothing opens")
        raise KeyError(spell)

    @service.seed
    def seed(ctx: Any, scale: int) -> GatesState:
        return GatesState(ledger=ctx.ledger, gates=Table([Gate(id="g_1", word="sesame")]))

    return service


def reply(*cases: tuple[list[tuple[str, dict[str, Any]]], bool]) -> str:
    told = [
        {
            "calls": [{"tool": name, "arguments": given} for name, given in calls],
            "accepted": accepted,
            "why": "as it says",
        }
        for calls, accepted in cases
    ]
    return f"Here they are:\n```json\n{json.dumps({'cases': told})}\n```"


def test_the_model_sees_the_specification_and_nothing_of_the_state() -> None:
    asked: list[str] = []
    derived(list(gates().tools.values()), lambda text: asked.append(text) or "")
    (text,) = asked
    assert "an exclamation mark" in text
    assert "sesame" not in text


@pytest.mark.parametrize(
    "said",
    [
        "",
        "no",
        "{}",
        '{"cases": 3}',
        '{"cases": [{"calls": [{"tool": "rm"}], "accepted": true}]}',
    ],
)
def test_what_is_no_case_is_left_out(said: str) -> None:
    assert derived(list(gates().tools.values()), lambda text: said) == []


def test_a_result_is_put_into_the_next_call() -> None:
    service = gates()
    world = World.of(compose(service, seed=1, scale=20), service.tools)
    calls = [("list_gates", {}), ("open_gate", {"spell": "$0.0.id"})]
    assert concrete(world, calls) == [("list_gates", {}), ("open_gate", {"spell": "g_1"})]
    assert concrete(world, [("open_gate", {"spell": "$4.id"})]) is None


def test_an_expectation_that_is_not_met_is_a_doubt_and_no_fault() -> None:
    said = reply(([("open_gate", {"spell": "please"})], True))
    verdicts = validate(gates(), ask=lambda text: said)
    (doubt,) = verdicts.doubts
    assert (doubt["tool"], doubt["seen"]) == ("open_gate", "not_found: nothing opens")
    assert verdicts.findings == {}


def test_the_command_asks_the_endpoint_that_it_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "compoworld_validator.place.opened", lambda name: iter([(gates(), None)])
    )
    with scripted_endpoint() as endpoint:
        endpoint.say(reply(([("open_gate", {"spell": "please"})], True)))
        told = ["gates", "--derive", "--base-url", endpoint.base_url, "--model", MODEL]
        done = CliRunner().invoke(command, told)
    assert "doubt: open_gate: as it says" in done.output
    assert "open_gate" in endpoint.complaint(0)


def test_a_reply_without_text_adds_nothing() -> None:
    with scripted_endpoint() as endpoint:
        endpoint.say(None)
        assert asking(endpoint.base_url, MODEL)("hello") == ""


def test_an_endpoint_without_derive_is_refused() -> None:
    done = CliRunner().invoke(command, ["gates", "--model", MODEL])
    assert "--derive" in str(done.exception or done.output)
