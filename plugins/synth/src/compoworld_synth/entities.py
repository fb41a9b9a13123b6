"""Entities: the fields of each resource, its key's form, its parents, what is invented."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal

from attrs import evolve

from compoworld_synth import paths, results
from compoworld_synth.archetypes import archetype_of, invented_fields
from compoworld_synth.cut import Piece
from compoworld_synth.design import (
    Design,
    EntityDesign,
    FieldDesign,
    FieldType,
    IdForm,
    LinkDesign,
    OperationDesign,
    ParamDesign,
    ToolDesign,
)
from compoworld_synth.filters import EVERYTHING
from compoworld_synth.kinds.plan import READING
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import camel, plural, snake, spelling
from compoworld_synth.resources import Catalogue, Resource
from compoworld_synth.semantics import semantic_of

if TYPE_CHECKING:
    from compoworld_synth.listing import Listing, ToolSpec
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
_FEW: Final = 3
"""A record with fewer fields of its own gets those that such things have."""
_OPTED: Final = frozenset({"get", "delete", "part_get", "current_get", "batch_get"})
"""Kinds whose optional arguments select no records."""


def complete(piece: Piece, listing: Listing, catalogue: Catalogue) -> Design:
    """The design of a piece: its entities with their fields, references kept inside it."""
    used = _used(piece)
    resources = [one for one in catalogue.resources.values() if one.name in used]
    held = frozenset(one.name for one in resources)
    tools = tuple(_closed(tool, held) for tool in piece.tools)
    operations = [one for tool in tools for one in tool.operations if one.deterministic]
    uses: dict[str, list[tuple[str, ToolSpec]]] = {}
    for tool in tools:
        for one in tool.operations:
            if one.deterministic and one.entity:
                uses.setdefault(one.entity, []).append((one.kind, tool.spec))
    made = tuple(
        _entity(
            resource,
            operations,
            resource.name in piece.hubs and not _own(resource, operations),
            uses.get(resource.name, []),
        )
        for resource in resources
    )
    hubs = tuple(one.name for one in made if one.hub)
    links = _links(operations, catalogue, held)
    return Design(piece.name, listing.domain, tools, made, links, hubs)


def _links(
    operations: Sequence[OperationDesign], catalogue: Catalogue, held: frozenset[str]
) -> tuple[LinkDesign, ...]:
    """The memberships of which this piece holds both ends."""
    found: dict[str, LinkDesign] = {}
    for one in operations:
        pair = catalogue.pairs.get(one.link or "")
        if pair is None or not {pair.left, pair.right} <= held:
            continue
        fields = {p.field: _field(p, one, None, ()) for p in one.of("field") if p.field}
        known = found.get(pair.name)
        more = {item.name: item for item in (known.fields if known else ())} | fields
        noun = tuple(pair.name.split("_"))
        found[pair.name] = LinkDesign(
            pair.name,
            f"{camel(noun)}Pair",
            snake(f"{pair.name}_pairs"),
            pair.left,
            pair.right,
            f"{pair.left}_id",
            f"{pair.right}_id",
            tuple(more.values()),
        )
    return tuple(found.values())


def _used(piece: Piece) -> frozenset[str]:
    """Entities of deterministic operations, and hubs that they refer to."""
    found = set()
    for tool in piece.tools:
        for one in tool.operations:
            if one.deterministic and one.entity:
                found.add(one.entity)
                found |= {p.ref for p in one.params if p.ref and p.ref in piece.hubs}
                found |= {p.ref for p in one.params if p.ref and one.link}
    return frozenset(found)


def _own(resource: Resource, operations: Iterable[OperationDesign]) -> bool:
    return any(one.entity == resource.name for one in operations)


def _closed(tool: ToolDesign, held: frozenset[str]) -> ToolDesign:
    """A tool whose references to entities outside the piece are plain values."""
    operations = []
    for one in tool.operations:
        params = tuple(_inside(param, one, held) for param in one.params)
        operations.append(evolve(one, params=params))
    return evolve(tool, operations=tuple(operations))


def _inside(param: ParamDesign, one: OperationDesign, held: frozenset[str]) -> ParamDesign:
    if param.ref is None or param.ref in held:
        return param
    if param.role == "alias":
        return evolve(param, ref=None)
    reads = one.kind in READING or one.kind in ("delete", "batch_delete")
    return evolve(param, ref=None, role="filter" if reads else "field")


def _entity(
    resource: Resource,
    operations: Sequence[OperationDesign],
    hub: bool,
    uses: Sequence[tuple[str, ToolSpec]],
) -> EntityDesign:
    mine = [one for one in operations if one.entity == resource.name]
    key, shown = _key(resource)
    told = {param.name for how, spec in uses for param in _told(how, spec, resource)}
    stated = [name for name, _ in resource.keys.most_common() if name in told]
    if stated and key == "id":
        key, shown = snake(stated[0]), stated[0]
    keys = [param.param for one in mine for param in one.params if param.role == "id"]
    keys += [
        param.param for one in operations for param in one.params if param.ref == resource.name
    ]
    form, kind, patterns = id_form(keys, resource.natural)
    above = paths.below(uses) if not keys else ()
    if above:
        form, kind, patterns = "path", "str", above
    if form == "path":
        named = any(each.name == "resourceName" for each in keys)
        key, shown = ("resource_name", "resourceName") if named else ("name", "name")
    kind_of = archetype_of(resource.noun)
    fields = _fields(mine, key)
    known = {key, "id", *(item.name for item in fields)}
    fields = (*fields, *results.fields(uses, resource.noun, known))
    singleton = any(one.kind in ("current_get", "current_update") for one in mine)
    parents = tuple(
        dict.fromkeys(
            item.ref for item in fields if item.ref and item.required and item.type != "list"
        )
    )
    fields = tuple(_called(item, kind_of) for item in fields)
    telling = [item for item in fields if item.ref is None and item.source != "filter"]
    extra = (
        invented_fields(kind_of, {key, *(item.name for item in fields)})
        if len(telling) < _FEW and not any(results.stated(spec) for _, spec in uses)
        else ()
    )
    if any(one.kind in ("part_get", "part_update") for one in mine):
        # its key is its owner's: a name of its own would look like the owner's
        value = FieldDesign("value", "value", "str", semantic="title", invented=True)
        extra = () if fields else (evolve(value, source="archetype"),)
    return EntityDesign(
        resource.name,
        camel(resource.noun),
        snake("_".join((*resource.noun[:-1], plural(resource.noun[-1])))),
        key,
        shown,
        form,
        kind,
        patterns,
        parents,
        (*fields, *extra),
        singleton and not any(one.kind in ("list", "get") for one in mine),
        hub,
    )


def _called(item: FieldDesign, archetype: str) -> FieldDesign:
    """The name of a person or a company is one, not a title."""
    named = item.name in ("name", "full_name", "display_name") and item.semantic == "title"
    if named and item.type == "str" and archetype in ("person", "company"):
        return evolve(item, semantic=archetype)
    return item


def _told(kind: str, spec: ToolSpec, resource: Resource) -> tuple[Param, ...]:
    """What a REST source says that results show of a record."""
    return results.of_record(kind, spec, resource.noun) if spec.rest is not None else ()


def _key(resource: Resource) -> tuple[str, str]:
    """Field of the key and its spelling: the bare one that parameters use, else `id`."""
    if resource.natural:
        return "name", resource.keys.most_common(1)[0][0]
    for name, _times in resource.keys.most_common():
        if name.lower() in ("id", "gid", "sid", "uid", "uuid", "key"):
            return snake(name), name
    return "id", "id"


def id_form(
    keys: Sequence[Param], natural: bool
) -> tuple[IdForm, Literal["str", "int"], tuple[str, ...]]:
    """The form that satisfies every parameter which takes the key."""
    pattern = next((param.pattern for param in keys if param.pattern), None)
    if keys and all(param.kind in ("int", "num") for param in keys):
        return "number", "int", ()
    keys = [p.items if p.kind == "arr" and p.items is not None else p for p in keys]
    named = [p.pattern for p in keys if paths.template(p.pattern)]
    if len(named) * 2 > len(keys):
        return "path", "str", tuple(dict.fromkeys(named))
    if natural:
        return "natural", "str", ()
    if any(param.format == "uuid" or "uuid" in param.description.lower() for param in keys):
        return "uuid", "str", ()
    if any(param.kind in ("int", "num") for param in keys):
        return "digits", "str", ()
    if pattern is not None:
        return _fitting(pattern), "str", ()
    return "prefixed", "str", ()


_SAMPLES: Final[tuple[tuple[IdForm, str], ...]] = (
    ("prefixed", "tsk_4f9a2c81"),
    ("digits", "104512"),
    ("hex24", "5f1d7f3a9c2b4e6d8a0c1b2e"),
    ("hex32", "5f1d7f3a9c2b4e6d8a0c1b2e5f1d7f3a"),
    ("uuid", "5f1d7f3a-9c2b-4e6d-8a0c-1b2e5f1d7f3a"),
    ("code", "ENG-12"),
)


def _fitting(pattern: str) -> IdForm:
    import jsonschema_rs  # matches a stranger's pattern in linear time

    for form, sample in _SAMPLES:
        try:
            if jsonschema_rs.is_valid({"pattern": pattern}, sample):
                return form
        except (ValueError, jsonschema_rs.ValidationError):
            return "prefixed"
    return "prefixed"


def _fields(operations: Sequence[OperationDesign], key: str) -> tuple[FieldDesign, ...]:
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
                    made = _field(param, one, found.get(name), creates)
                    found[name] = made
        for name, value in one.sets:
            if name not in found and value is not None:
                kind: FieldType = "bool" if isinstance(value, bool) else "str"
                semantic = None if kind == "bool" else "status"
                found[name] = FieldDesign(name, name, kind, semantic=semantic)
    for one in operations:
        for param in one.of("sort"):
            for made in sort_fields(param.param, {spelling(name) for name in found} | {"id"}):
                found.setdefault(made.name, made)
    return tuple(found.values())


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
    for value in param.enum:
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


def _field(
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
