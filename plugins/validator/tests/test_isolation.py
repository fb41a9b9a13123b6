"""Sequences are played in processes in which nothing was called before."""

from collections.abc import Iterator

import pytest
from compoworld_validator import validate
from compoworld_validator.isolation import Spring

from compoworld_core import Entity, Service, State, Table, compose


class Mark(Entity):
    id: str
    label: str = ""


class MarksState(State):
    marks: Table[Mark] = Table()


def marks(memory: list[str] | None) -> Service[MarksState]:
    """A service of one read, which remembers past its state where there is a memory."""
    service = Service("marks", state=MarksState, domain="productivity_collaboration")

    @service.tool(read_only=True)
    def last_label(state: MarksState, label: str | None = None) -> str:
        """Show a label.

        Args:
            label: the one to show.
        """
        if memory is not None and label is not None:
            memory[:] = [label]
        return label or (memory[0] if memory else "none")

    return service


@pytest.fixture
def spring() -> Iterator[Spring]:
    found = Spring.of(compose(marks([]), seed=1, scale=20))
    assert found is not None
    yield found
    found.close()


def test_each_request_begins_where_nothing_was_called(spring: Spring) -> None:
    plain, given = [("last_label", {})], [("last_label", {"label": "red"})]
    one = spring.outcomes([plain, given])
    two = spring.outcomes([given, plain])
    assert one[0][0] == '"none"'
    assert two[1][0] == '"red"'
    assert spring.outcomes([plain, given]) == one


def test_a_large_answer_comes_back_whole(spring: Spring) -> None:
    long = "x" * 300_000
    assert len(spring.outcomes([[("last_label", {"label": long})]])[0][0]) >= 20_000


def test_an_answer_that_depends_on_earlier_worlds_is_a_fault() -> None:
    found = validate(marks([])).findings
    assert {tool: f.reason.value for tool, f in found.items()} == {
        "last_label": "outside_state"
    }


def test_one_that_does_not_is_none() -> None:
    assert validate(marks(None)).findings == {}
