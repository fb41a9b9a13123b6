"""Offers: the words that a tool's schema names for its arguments."""

from typing import Annotated, Literal

import pytest
from pydantic import Field

from compoworld_core import Service, State
from compoworld_core.schema import offers

service = Service("offers", state=State, domain="samples", summary="Words in a schema.")


@service.tool
def paint(
    state: State,
    colour: Literal["red", "green"],
    finish: str = "matt",
    size: Annotated[str, Field(examples=["large"])] = "",
) -> str:
    """Paint a "blue" wall."""
    return colour


@pytest.mark.parametrize("word", ["red", "green", "matt", "large"])
def test_a_word_of_the_schema_is_offered(word: str) -> None:
    assert word in service.tools["paint"].offered


@pytest.mark.parametrize("word", ["blue", "colour", "string", "object"])
def test_names_types_and_descriptions_are_not_offered(word: str) -> None:
    assert word not in service.tools["paint"].offered


def test_words_inside_a_default_are_offered() -> None:
    schema = {"properties": {"filter": {"default": {"states": ["open", {"by": "me"}]}}}}
    assert set(offers(schema)) == {"open", "me"}
