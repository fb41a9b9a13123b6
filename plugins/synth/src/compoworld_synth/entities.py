"""Entities: the fields of each resource, its key's form, its parents, what is invented."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal

from attrs import evolve

from compoworld_synth import alternatives, entity_fields, paths, results
from compoworld_synth.archetypes import archetype_of, invented_fields
from compoworld_synth.cut import Piece
from compoworld_synth.design import (
    Design,
    EntityDesign,
    FieldDesign,
    IdForm,
    LinkDesign,
    OperationDesign,
    ParamDesign,
    ToolDesign,
)
from compoworld_synth.kinds.plan import READING
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import camel, plural, singular, snake, words
from compoworld_synth.resources import Catalogue, Resource

if TYPE_CHECKING:
    from compoworld_synth.listing import Listing, ToolSpec
    from compoworld_synth.schemas import Param

_FEW: Final = 3
"""A record with fewer fields of its own gets those that such things have."""


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
            resource.name in piece.hubs,
            uses.get(resource.name, []),
        )
        for resource in resources
    )
    made = tuple(_keyed_as_owner(one, made, operations) for one in made)
    made = tuple(_referring(one, made) for one in made)
    made = tuple(_parental(one, made) for one in made)
    hubs = tuple(one.name for one in made if one.hub)
    links = _links(operations, catalogue, held)
    return Design(piece.name, listing.domain, tools, made, links, hubs)


def child_of(
    name: str, entity: EntityDesign, others: Iterable[EntityDesign]
) -> tuple[str, str] | None:
    """(entity, its field) of the records of this name that are part of an entity's."""
    last = singular(words(name)[-1])
    for other in others:
        if other.name == entity.name or other.name.split("_")[-1] != last or other.hub:
            continue
        for item in other.fields:
            if item.ref == entity.name and item.type != "list":
                return other.name, item.name
    return None


def _keyed_as_owner(
    entity: EntityDesign, others: Iterable[EntityDesign], operations: Iterable[OperationDesign]
) -> EntityDesign:
    """The part of each record of another entity, whose keys are that one's."""
    owners = {one.owner for one in operations if one.entity == entity.name and one.owner}
    for owner in others:
        if owner.name in owners:
            form, kind, patterns = owner.id_form, owner.id_type, owner.id_patterns
            return evolve(entity, id_form=form, id_type=kind, id_patterns=patterns)
    return entity


def _referring(entity: EntityDesign, others: Sequence[EntityDesign]) -> EntityDesign:
    """The entity whose shown `job_id` is the key of a job that the service holds."""
    held = {f"{other.name}_id": other for other in others if other.id_type == "str"}
    fields = []
    for item in entity.fields:
        other = held.get(item.name) if item.ref is None and item.source == "output" else None
        plain = other is not None and item.type == "str" and not item.unique
        if other is not None and plain and other.name != entity.name:
            fields.append(evolve(item, ref=other.name, semantic="id"))
        else:
            fields.append(item)
    return evolve(entity, fields=tuple(fields))


def _parental(entity: EntityDesign, others: Sequence[EntityDesign]) -> EntityDesign:
    """The entity whose described lists of things that are records of their own show these."""
    kept, children = [], []
    for item in entity.fields:
        told = item.type == "list" and item.ref is None and item.source == "described"
        child = child_of(item.name, entity, others) if told else None
        if child is None:
            kept.append(item)
        else:
            children.append((item.shown, *child))
    return evolve(entity, fields=tuple(kept), children=tuple(children))


def _links(
    operations: Sequence[OperationDesign], catalogue: Catalogue, held: frozenset[str]
) -> tuple[LinkDesign, ...]:
    """The memberships of which this piece holds both ends."""
    found: dict[str, LinkDesign] = {}
    for one in operations:
        pair = catalogue.pairs.get(one.link or "")
        if pair is None or not {pair.left, pair.right} <= held:
            continue
        fields = {
            p.field: entity_fields.of_one(p, one, None, ()) for p in one.of("field") if p.field
        }
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
        param.param
        for one in operations
        for param in one.params
        if param.ref == resource.name or (param.role == "id" and one.owner == resource.name)
    ]
    form, kind, patterns = id_form(keys, resource.natural)
    above = paths.below(uses) if not keys else ()
    if above:
        form, kind, patterns = "path", "str", above
    if form == "path":
        named = any(each.name == "resourceName" for each in keys)
        key, shown = ("resource_name", "resourceName") if named else ("name", "name")
    kind_of = archetype_of(resource.noun)
    fields = entity_fields.of_operations(mine, key)
    known = {key, "id", *(item.name for item in fields)}
    fields = (*fields, *results.fields(uses, resource.noun, known))
    fields = _named(resource, operations, fields, key)
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
        if len(telling) < _FEW
        and not any(results.of_record(how, spec, resource.noun) for how, spec in uses)
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


def _named(
    resource: Resource,
    operations: Sequence[OperationDesign],
    fields: tuple[FieldDesign, ...],
    key: str,
) -> tuple[FieldDesign, ...]:
    """The fields with those by which calls may name a record in place of its key."""
    asked = dict.fromkeys(
        name
        for one in operations
        for param in one.params
        if param.ref == resource.name or (param.role == "id" and one.entity == resource.name)
        for name in alternatives.fields_of(param.also)
    )
    made = list(fields)
    for name in asked:
        known = alternatives.held(name, made, resource.noun[-1])
        if name == key or (known is None and key == "name" and name == "name"):
            continue
        if known is not None:
            made[made.index(known)] = evolve(known, unique=True, invented=False)
            continue
        kind = {"email": "email", "name": "title", "title": "title"}.get(name, "code")
        made.append(
            FieldDesign(name, name, "str", semantic=kind, source="described", unique=True)
        )
    return tuple(made)


def _called(item: FieldDesign, archetype: str) -> FieldDesign:
    """The name of a person or a company is one, not a title."""
    if archetype in ("money", "product", "discount") and item.semantic is None:
        amount = _AMOUNTS & {*item.name.split("_")} and item.type in ("float", "int")
        if amount and not {*item.name.split("_")} & _NO_AMOUNTS:
            cents = item.type == "int" and "cent" in item.description.lower()
            return evolve(item, semantic="cents" if cents else "money", type=(
                "int" if cents else "float"))  # fmt: skip
    named = item.name in ("name", "full_name", "display_name") and item.semantic == "title"
    if named and item.type == "str" and archetype in ("person", "company"):
        return evolve(item, semantic=archetype)
    return item


_AMOUNTS: Final = word_set(
    "amount price total subtotal cost balance fee due paid value tax discount charge refunded"
)
_NO_AMOUNTS: Final = word_set("count quantity number rate percent id ids date at days type")


def _told(kind: str, spec: ToolSpec, resource: Resource) -> tuple[Param, ...]:
    """What a REST source says that results show of a record."""
    stated = spec.rest is not None or results.laid_out(spec)
    return results.of_record(kind, spec, resource.noun) if stated else ()


def _key(resource: Resource) -> tuple[str, str]:
    """Field of the key and its spelling: the bare one that parameters use, else `id`."""
    if resource.natural:
        shown = resource.keys.most_common(1)[0][0]
        return snake(shown), shown
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
