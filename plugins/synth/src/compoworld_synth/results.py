"""Results: what a source says that its tools return: fields of records, shape of lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from compoworld_synth import described, told
from compoworld_synth.design import FieldDesign, FieldType
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import singular, snake, words
from compoworld_synth.schemas import outputs
from compoworld_synth.semantics import semantic_of

if TYPE_CHECKING:
    from compoworld_synth.listing import ToolSpec
    from compoworld_synth.schemas import Param

_TYPES: Final[dict[str, FieldType]] = {
    "str": "str", "int": "int", "num": "float", "bool": "bool",
}  # fmt: skip
_ONE: Final = frozenset({
    "get", "create", "update", "transition", "upload", "upsert", "copy", "get_by", "part_get",
    "part_update", "current_get", "current_update",
})  # fmt: skip
_MANY: Final = frozenset({"list", "search", "link_list", "batch_get", "get_or_list"})
_SHOWING: Final = _MANY | {"get", "get_by", "part_get", "current_get"}
_MOST: Final = 40
"""Fields of one record that come from results."""
_ROWS: Final = frozenset({"items", "results", "data", "rows", "records", "entries", "elements"})
_BESIDE: Final = frozenset({"groups", "errors", "warnings", "facets", "included", "links"})
"""Arrays that stand beside the rows of a list."""
_BY_NAME: Final = re.compile(
    r"\b(?:by|in|matching|against) (?:the |its |their |a )?(?:\w+ )?"
    r"(?P<name>name|title|subject)s?\b",
    re.IGNORECASE,
)
_NAMES: Final = ("name", "title", "subject")
_OF_A_WRITE: Final = word_set(
    "message success ok error errors result confirmation deleted sent email_sent status_code"
    " confirmation_message response notes warning warnings"
)
"""What an answer says of a change, not of its record."""
_TOKENS: Final = ("next_page_token", "next_token", "next_cursor", "next_marker", "next_page")


def stated(spec: ToolSpec) -> tuple[Param, ...]:
    """The properties of the tool's result, by schema or laid out in its description.

    Empty where its source says nothing.
    """
    return by_schema(spec) or laid_out(spec)


def by_schema(spec: ToolSpec) -> tuple[Param, ...]:
    """The properties of the tool's result as its schema states them."""
    found = outputs(spec)
    if [each.name for each in found] == ["result"] and found[0].kind != "arr":
        return ()  # a framework's wrapper around what the tool returns
    return found


def laid_out(spec: ToolSpec) -> tuple[Param, ...]:
    """The properties of the tool's result where only its description lays them out."""
    free = spec.rest is None and not by_schema(spec)
    return told.parts(spec.description) if free else ()


def wrapped(spec: ToolSpec, noun: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """(property that holds a single record, names of those beside it); empty without.

    Only of an answer that a description lays out: `Response: job (id, title), stages[]`.
    """
    found = laid_out(spec)
    inner = [p for p in found if p.kind == "obj" and words(p.name)[-1:] == (noun[-1],)]
    if len(inner) != 1 or not inner[0].properties:
        return "", ()
    return inner[0].name, tuple(p.name for p in found if p is not inner[0])


def shape(spec: ToolSpec, noun: Sequence[str]) -> tuple[str, str]:
    """(property of the rows, property of the next page's token) of a list; empty if unsaid."""
    properties = stated(spec)
    rows = [p for p in properties if p.kind == "arr" and p.items is not None]
    rows = [p for p in rows if p.items is not None and p.items.kind in ("obj", "any")]
    named = [p for p in rows if singular(words(p.name)[-1]) == noun[-1]]
    usual = [p for p in rows if snake(p.name) in _ROWS]
    rest = [p for p in rows if snake(p.name) not in _BESIDE]
    chosen = (named or usual or rest)[:1]
    token = next((p.name for p in properties if snake(p.name) in _TOKENS), "")
    return (chosen[0].name if chosen else ""), token


def fields(
    uses: Sequence[tuple[str, ToolSpec]], noun: Sequence[str], known: set[str]
) -> list[FieldDesign]:
    """Fields of a record that results or descriptions show and no parameter gives.

    Args:
        uses: kind and tool of each operation on such records.
        noun: the record's noun.
        known: names of fields that there are already, and of the key.
    """
    found: dict[str, FieldDesign] = {}
    for kind, spec in uses:
        for param in of_record(kind, spec, noun):
            name = snake(param.name)
            if name not in known and name not in found and len(found) < _MOST:
                found[name] = _field(name, param)
    for kind, spec in uses:
        said = _BY_NAME.search(spec.description[:300]) if kind == "search" else None
        names = known | {*found}
        if said is not None and not any(name.endswith(_NAMES) for name in names):
            name = said["name"].lower()
            found[name] = FieldDesign(name, name, "str", semantic="title", source="described")
        if stated(spec):
            continue
        text = spec.description if kind in _SHOWING else described.answer(spec.description)
        for item in described.fields(text, tuple(noun), many=kind in _MANY):
            if (
                not described.same(item.name, known | {*found}, tuple(noun))
                and len(found) < _MOST
            ):
                found[item.name] = item
    return list(found.values())


def of_record(kind: str, spec: ToolSpec, noun: Sequence[str]) -> tuple[Param, ...]:
    """The properties of a record, as the result of an operation of this kind shows them."""
    properties = stated(spec)
    if kind in _ONE:
        inner = [p for p in properties if p.kind == "obj" and words(p.name)[-1:] == (noun[-1],)]
        alone = len(properties) <= 2 and inner and inner[0].properties
        if wrapped(spec, noun)[0]:
            return (*inner[0].properties, *(p for p in properties if p is not inner[0]))
        writes = kind not in _SHOWING and bool(laid_out(spec))
        said = tuple(p for p in properties if snake(p.name) not in _OF_A_WRITE)
        return inner[0].properties if alone else said if writes else properties
    if kind in _MANY:
        rows = shape(spec, noun)[0]
        listed = next((p for p in properties if p.name == rows), None)
        if listed is None and told.flat(laid_out(spec)):
            return properties
        return listed.items.properties if listed is not None and listed.items else ()
    return ()


def _field(name: str, param: Param) -> FieldDesign:
    kind: FieldType = _TYPES.get(param.kind, "json")
    listed = param.kind == "arr" and param.items is not None and param.items.kind == "str"
    return FieldDesign(
        name,
        param.name,
        "list" if listed else kind,
        semantic=semantic_of(name, param),
        enum=tuple(v for v in param.enum if isinstance(v, str | int)),
        minimum=param.minimum,
        maximum=param.maximum,
        pattern=param.pattern or None,
        source="output",
        description=param.description,
        parts=_parts(param),
        several=param.kind == "arr",
    )


_SMALL: Final = 12
"""Properties of a nested object that are kept; larger ones stay open."""


def _parts(param: Param) -> tuple[FieldDesign, ...]:
    """The properties of each thing that a nested list or object holds."""
    inner = param.items.properties if param.items is not None else param.properties
    if len(inner) > _SMALL or any(each.pattern for each in inner):
        return ()
    return tuple(_field(snake(each.name), each) for each in inner)
