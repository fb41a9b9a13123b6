"""From signatures and docstrings to schemas."""

from typing import Annotated, Any, Optional

import pytest
from pydantic import BaseModel, Field, ValidationError

from compoworld_core import UNSET, Context, Forms, Ref
from compoworld_core.schema import (
    argument_model,
    describe,
    input_schema,
    output_schema,
    problems,
    signature,
)
from compoworld_core.types import Email


def schema_of(function: Any) -> dict[str, Any]:
    return input_schema(argument_model("tool", function))


def documented(
    state: object, ctx: Context, query: str, limit: int = 10, from_: str = ""
) -> str:
    """Find things.

    They are found by words.

    Args:
        query: words,
            all of them.
        limit (int): how many.
        from: who wrote it.

    Returns:
        Things.
    """
    return query


def test_a_docstring_gives_description_and_parameters() -> None:
    text, parameters = describe(documented)
    assert text == "Find things.\n\nThey are found by words."
    assert parameters == {
        "query": "words, all of them.",
        "limit": "how many.",
        "from": "who wrote it.",
    }


def test_state_and_context_are_not_arguments() -> None:
    assert list(schema_of(documented)["properties"]) == ["query", "limit", "from"]
    assert signature(documented).context == "ctx"


def test_defaults_descriptions_and_required_reach_the_schema() -> None:
    schema = schema_of(documented)
    assert schema["required"] == ["query"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["limit"] == {
        "type": "integer",
        "default": 10,
        "description": "how many.",
    }


def test_a_reserved_word_has_its_public_name() -> None:
    model = argument_model("tool", documented)
    assert model.model_validate({"query": "q", "from": "a"}).from_ == "a"  # type: ignore[attr-defined]


def bare(state: object, size: int | None = None) -> int:
    return 1


def optional(state: object, size: Optional[int] = None) -> int:  # noqa: UP045  # the point
    return 1


def described_inside(
    state: object, size: Annotated[int | None, Field(description="d")] = None
) -> int:
    return 1


def described_deep(
    state: object, size: Annotated[int, Field(description="d")] | None = None
) -> int:
    return 1


def described_on_default(state: object, size: int | None = Field(None, description="d")) -> int:
    return 1


@pytest.mark.parametrize(
    "function", [bare, optional, described_inside, described_deep, described_on_default]
)
def test_five_ways_to_write_an_optional_are_one_schema(function: Any) -> None:
    schema = schema_of(function)
    size = schema["properties"]["size"]
    kinds = [{k: v for k, v in part.items() if k != "description"} for part in size["anyOf"]]
    assert kinds == [{"type": "integer"}, {"type": "null"}]
    assert size["default"] is None
    assert "required" not in schema


def unset(state: object, size: int = UNSET, note: str | None = UNSET) -> int:
    return 1


def test_omitted_is_not_null() -> None:
    model = argument_model("tool", unset)
    assert model.model_validate_json("{}").size is UNSET  # type: ignore[attr-defined]
    assert model.model_validate_json('{"note": null}').note is None  # type: ignore[attr-defined]
    with pytest.raises(ValidationError) as caught:
        model.model_validate_json('{"size": null}')
    assert problems(caught.value) == ["size: input should be a valid integer"]


def test_an_unset_default_is_not_in_the_schema() -> None:
    assert schema_of(unset)["properties"]["size"] == {"type": "integer"}


def test_a_field_with_bounds_as_default_keeps_them() -> None:
    def bounded(state: object, size: int = Field(20, ge=1, le=100)) -> int:
        return size

    assert schema_of(bounded)["properties"]["size"] == {
        "type": "integer",
        "default": 20,
        "minimum": 1,
        "maximum": 100,
    }


def test_documented_forms_are_examples() -> None:
    def find(state: object, query: Annotated[str, Forms(sender="from:{}")]) -> int:
        return 1

    assert schema_of(find)["properties"]["query"]["examples"] == ["from:{}"]


def test_arguments_without_a_type_or_a_name_are_refused() -> None:
    def untyped(state, thing):  # type: ignore[no-untyped-def]
        return thing

    def starred(state: object, *things: str) -> int:
        return 1

    with pytest.raises(TypeError, match="thing needs a type"):
        argument_model("tool", untyped)
    with pytest.raises(TypeError, match="name each parameter"):
        argument_model("tool", starred)


class Node(BaseModel):
    name: str
    title: str = ""
    children: list["Node"] = []


def test_a_self_referencing_result_has_an_object_at_the_root() -> None:
    schema = output_schema(Node)
    assert schema["type"] == "object"
    assert schema["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert "Node" in schema["$defs"]


def test_titles_go_but_a_property_called_title_stays() -> None:
    schema = output_schema(Node)
    assert "title" not in schema
    assert "title" in schema["properties"]
    assert "title" not in schema["properties"]["name"]


def test_a_reference_is_a_string_for_the_agent() -> None:
    def show(state: object, key: Ref["Node"], email: Email | None = None) -> int:
        return 1

    assert schema_of(show)["properties"]["key"] == {"type": "string"}


def test_problems_are_one_line_each_without_links() -> None:
    model = argument_model("tool", documented)
    with pytest.raises(ValidationError) as caught:
        model.model_validate_json('{"limit": "many", "extra": 1}')
    assert problems(caught.value) == [
        "query: missing",
        "limit: input should be a valid integer, unable to parse string as an integer",
        "extra: unknown argument",
    ]
