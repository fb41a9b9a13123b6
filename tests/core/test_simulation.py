"""Who simulates: services without code, and whole services by request."""

from typing import Any

import pytest
from desk import service as desk

from compoworld_core import Observation, compose
from compoworld_core.errors import UnknownName, UsageError
from compoworld_core.patch import Patch
from compoworld_core.registry import Registry
from compoworld_core.simulation import Simulation, fully_simulated


class Echo:
    """Answers with the tool's name."""

    def __init__(self, *, mark: str = "") -> None:
        self.mark = mark

    def simulate(
        self, service: Any, tool: Any, state: Any, arguments: Any
    ) -> tuple[Patch, Observation]:
        return Patch(), Observation(f'"{self.mark}{tool.name}"')


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry("simulator", "compoworld plugins list")
    registry.register("echo", Echo)
    monkeypatch.setattr("compoworld_core.plugins.simulators", lambda: registry)


def test_a_whole_service_is_simulated_with_its_schemas_and_marks() -> None:
    copy = fully_simulated(desk)
    assert {tool.kind for tool in copy.tools.values()} == {"simulated"}
    assert copy.tools["get_ticket"].input_schema == desk.tools["get_ticket"].input_schema
    assert copy.tools["get_ticket"].read_only
    assert desk.tools["get_ticket"].kind == "deterministic"


def test_only_tools_without_code_are_simulated_unless_told_otherwise() -> None:
    env = Simulation("echo").applied(compose(desk, scale=20))
    assert env.call("desk.ask_expert", {"question": "?"}).data == "ask_expert"
    assert env.call("desk.list_agents", {}).data != "list_agents"


def test_a_whole_service_is_answered_with_the_simulators_options() -> None:
    env = Simulation("echo", {"mark": "*"}, ("desk",)).applied(compose(desk, scale=20))
    assert env.call("desk.list_agents", {}).data == "*list_agents"


def test_the_environment_that_it_is_applied_to_stays_as_it_was() -> None:
    env = compose(desk, scale=20)
    Simulation("echo", services=("desk",)).applied(env)
    assert env.call("desk.ask_expert", {"question": "?"}).code == "unavailable"


def test_without_a_name_nothing_is_simulated() -> None:
    env = Simulation().applied(compose(desk, scale=20))
    assert env.call("desk.ask_expert", {"question": "?"}).code == "unavailable"


def test_wrong_names_and_options_are_said_with_the_closest() -> None:
    env = compose(desk, scale=20)
    with pytest.raises(UsageError, match="--simulator NAME"):
        Simulation("", {}, ("desk",))
    with pytest.raises(UnknownName, match="desk"):
        Simulation("echo", services=("dask",)).applied(env)
    with pytest.raises(UsageError, match="mork: closest mark"):
        Simulation("echo", {"mork": 1}).applied(env)
