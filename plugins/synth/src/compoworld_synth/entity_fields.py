"""Entity fields: what operations say that a record holds: written, compared, sorted, shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from compoworld_synth import defaults, switches
from compoworld_synth.design import FieldDesign, FieldType, OperationDesign, ParamDesign
from compoworld_synth.filters import EVERYTHING
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import snake, spelling, words
from compoworld_synth.semantics import semantic_of

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

_TYPES: Final[dict[str, FieldType]] = {
    "str": "str",
    "int": "int",
    "num": "float",
    "bool": "bool",
    "arr": "list",
    "obj": "object",
}
_WRITING: Final = frozenset({
    "create", "update", "upsert", "transition", "upload", "batch_create", "batch_update",
    "part_update", "current_update",
})  # fmt: skip
_OPTED: Final = frozenset({"get", "delete", "part_get", "current_get", "batch_get"})
"""Kinds whose optional arguments select no records."""


def of_operations(operations: Sequence[OperationDesign], key: str) -> tuple[FieldDesign, ...]:
    """Written fields first, then those of filters alone, then what transitions set."""
    found: dict[str, FieldDesign] = {}
    creates = [one for one in operations if one.kind == "create"]
    ordered = sorted(
        operations, key=lambda one: (one.kind != "create", one.kind not in _WRITING)
    )
    for one in ordered:
        for param in one.params if one.link is None else ():
            if one.kind in _OPTED and param.role == "filter" and not param.param.required:
                continue  # an option of the call, of which the record knows nothing
            if param.field and param.role in ("field", "ref", "refs", "filter", "bag", "token"):
                name = param.field
                if name not in (key, "id"):
                    made = of_one(param, one, found.get(name), creates)
                    found[name] = made
        for name, value in one.sets:
            if name not in found and value is not None:
                kind: FieldType = "bool" if isinstance(value, bool) else "str"
                semantic = None if kind == "bool" else "status"
                found[name] = FieldDesign(name, name, kind, semantic=semantic)
    for one in operations:
        for param in one.of("hidden", "part"):
            for made in _switched(param, found):
                found.setdefault(made.name, made)
        for param in one.of("query"):
            for made in _looked_into(param, found):
                found.setdefault(made.name, made)
        for param in one.of("sort"):
            for made in sort_fields(param.param, {spelling(name) for name in found} | {"id"}):
                found.setdefault(made.name, made)
    return tuple(found.values())


def _switched(param: ParamDesign, found: Mapping[str, FieldDesign]) -> list[FieldDesign]:
    """The field that a switch is about, where no other tool speaks of it."""
    name = param.field or ""
    if param.role == "hidden":
        known = flag_of(name, found.values()) is not None
        return [] if known else [FieldDesign(name, name, "bool", source="described")]
    last = words(name)[-1]
    if last not in switches.TEXTS or part_of(name, found.values()) is not None:
        return []
    return [FieldDesign(last, last, "str", semantic="text", source="described")]


_LOOKED_INTO: Final = re.compile(
    r"\b(by|in|on|match(?:es|ing)?|against)\b (?:the |its |their |a |an )?(?:\w+(?:'s)? )?"
    r"(?P<name>name|title|subject)s?\b",
    re.IGNORECASE,
)


def _looked_into(param: ParamDesign, found: Mapping[str, FieldDesign]) -> list[FieldDesign]:
    """`Search by name`: the name that a record has, where no other tool speaks of it."""
    said = _LOOKED_INTO.search(param.param.description)
    if said is None or any(name.endswith(("name", "title", "subject")) for name in found):
        return []
    name = said["name"].lower()
    return [FieldDesign(name, name, "str", semantic="title", source="described")]


def flag_of(state: str, fields: Iterable[FieldDesign]) -> tuple[FieldDesign, Any] | None:
    """(field, value) that says that a record is in a state: a flag, a time, a status."""
    for item in fields:
        names = (state, f"is_{state}", f"{state}_at", f"{state}_on")
        if item.name in names and item.type in ("bool", "datetime", "date"):
            return item, None
        if item.name in ("status", "state"):
            value = next((v for v in item.enum if str(v).lower() == state), None)
            if value is not None:
                return item, value
    return None


def part_of(name: str, fields: Iterable[FieldDesign]) -> FieldDesign | None:
    """The field that an `include_…` switch shows."""
    wanted = {spelling(name), spelling(words(name)[-1])}
    return next((item for item in fields if spelling(item.name) in wanted), None)


_TIMES: Final = re.compile(
    r"(created?|updated?|modified|completed?|closed|due|start(ed)?|end(ed)?|published|added|"
    r"last\w*|expir\w*|scheduled|sent|joined|deleted)_?(at|date|time|on)?|date|time"
)
_TEXTS: Final = word_set(
    "name title subject status state priority type email key label category slug username"
)
_NUMBERS: Final = word_set(
    "price amount total count size position order rank score number value rating popularity"
    " votes views duration"
)
_CHOSEN: Final = word_set(
    "relevance relevancy random best hot trending include default none match similarity"
    " distance asc desc newest oldest top"
)
"""Orders that are no value of a field."""
_WAY: Final = re.compile(r"[\s:_.\[-]*(asc|desc|ascending|descending)\]?$", re.IGNORECASE)


def sort_fields(param: Param, known: set[str]) -> list[FieldDesign]:
    """Fields that the values of a sort parameter name and nothing else does."""
    made = []
    usual = defaults.of(param) if param.kind == "str" else None
    named = (
        usual if isinstance(usual, str) and re.fullmatch(r"[-+]?[a-z_A-Z]+", usual) else None
    )
    for value in param.enum or ((named,) if named else ()):
        name = snake(_WAY.sub("", str(value).lstrip("+-")))
        plain = spelling(name)
        near = {plain, f"{plain}at", f"{plain}date", plain.removesuffix("date") + "at"}
        if near & known:
            continue
        known.add(plain)
        kind: FieldType | None = None
        if _TIMES.fullmatch(name):
            kind = "datetime"
        elif name.split("_")[-1] in _TEXTS:
            kind = "str"
        elif name.split("_")[-1] in _NUMBERS or not _CHOSEN & set(name.split("_")):
            kind = "float"
        if kind is not None:
            made.append(FieldDesign(name, name, kind, source="filter"))
    return made


def of_one(
    param: ParamDesign,
    one: OperationDesign,
    known: FieldDesign | None,
    creates: Sequence[object],
) -> FieldDesign:
    """A field as one parameter shows it, merged with what is known."""
    spec, name = param.param, param.field or param.param.name
    required = one.kind == "create" and spec.required and len(creates) == 1
    if known is not None:
        enum = known.enum and spec.enum and tuple(dict.fromkeys((*known.enum, *spec.enum)))
        several = known.ref and param.ref and known.ref != param.ref  # a key of either kind
        return evolve(known, enum=enum or (), ref=None if several else known.ref or param.ref)
    written = one.kind in _WRITING
    listed = param.role == "filter" and param.comparison == "in" and not written
    inner = spec.items if spec.kind == "arr" else None
    kind: FieldType = _TYPES.get(spec.kind, "json")
    item: FieldType = _TYPES.get(inner.kind, "json") if inner is not None else "str"
    if listed or (param.role == "refs" and not written):
        kind, item = item, "str"
    semantic = semantic_of(name, spec) if param.ref is None else "id"
    shown = spec.name if param.comparison == "eq" and snake(spec.name) == name else name
    enum_of = spec.enum or (inner.enum if inner is not None else ())
    enum_of = tuple(v for v in enum_of if str(v).casefold() not in EVERYTHING)
    return FieldDesign(
        name,
        shown,
        kind,
        item,
        semantic,
        param.ref,
        required,
        not required,
        tuple(enum_of),
        spec.default,
        spec.minimum,
        spec.maximum,
        spec.pattern or None,
        False,
        "written" if written else "filter",
        spec.description,
    )
