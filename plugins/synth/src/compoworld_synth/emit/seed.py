"""Seed: the module that fills a state, parents first, people and companies from the cast."""

from __future__ import annotations

from typing import Final

from compoworld_synth import paths
from compoworld_synth.design import Design, EntityDesign, FieldDesign
from compoworld_synth.emit.models import holders, shown_key, state_name
from compoworld_synth.emit.values import attribute, identifier, literal
from compoworld_synth.lexicon import word_set

HEAD = '''"""A plausible world for {service}, with people and companies of the shared cast."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from compoworld_core import Context
from compoworld_core.draws import draw
from compoworld_synth import runtime as kit

from .models import {classes}
from .tools import service
'''

_PEOPLE = {"person": "person.name", "email": "person.email", "phone": "person.phone",
           "company": "person.company", "country": "person.country"}  # fmt: skip
_DRAWN = ("title", "text", "tag", "code", "url", "file_name", "currency")


def ordered(design: Design) -> list[EntityDesign]:
    """The entities so that each comes after those it refers to, cycles left as they are."""
    done: list[EntityDesign] = []
    left = list(design.entities)
    while left:
        names = {each.name for each in left}
        ready = [e for e in left if not _before(e, design) & (names - {e.name})]
        if not ready:  # a circle: first what most of it refers to
            free = [e for e in left if not {*e.parents} & (names - {e.name})] or left
            named = [name for each in left for name in _before(each, design)]
            ready = [max(free, key=lambda e: named.count(e.name))]
        done += ready
        left = [each for each in left if each not in ready]
    return done


def _before(entity: EntityDesign, design: Design) -> set[str]:
    """The entities that must be there first: those referred to, and the owner."""
    owner = _owner(design, entity)
    found = {f.ref for f in entity.fields if f.ref and f.ref != entity.name}
    for pattern in entity.id_patterns:
        above = paths.holder(paths.template(pattern)[:-2], design.entities)
        found |= {above.name} if above is not None else set()
    return found | ({owner.name} if owner is not None else set())


def _value(item: FieldDesign, design: Design, entity: EntityDesign, seeded: set[str]) -> str:
    target = design.by_entity.get(item.ref or "")
    if item.ref:
        if target is None or target.name not in seeded:
            return "None"
        chosen = f"kit.pick(state.{identifier(target.table)}, n)"
        if item.type == "list":
            return f"({chosen},)"
        return _through(item, design, entity, seeded) or chosen
    if item.enum:
        chosen = f"kit.cycle(n, {literal(item.enum)})"
        return f"({chosen},)" if item.type == "list" else chosen
    if item.type == "str":
        if item.unique and item.semantic in (None, "code"):
            return _own_value(item, entity)
        if item.semantic in _PEOPLE:
            value = _PEOPLE[item.semantic]
            if {*item.name.split("_")} & _STAFF:
                return value.replace("person", "ctx.cast.staff[n % len(ctx.cast.staff)]", 1)
            return value
        if entity.hub:  # pieces of one server agree: nothing of the service's own draws
            return "ctx.cast.companies[n % len(ctx.cast.companies)].name"
        if item.semantic in ("date", "datetime"):
            return f"kit.iso({_moment(item)}, {literal(item.semantic)})"
        if item.semantic in _DRAWN:
            return f"str(draw({literal(item.semantic)}, ctx.rng))"
        if item.pattern:
            return "None"
        if item.name in ("name", "label", "subject", "summary"):
            return 'str(draw("title", ctx.rng))'
        return f"kit.cycle(n, {literal([f'{item.name}-{i}' for i in range(1, 5)])})"
    if item.type in ("int", "float"):
        low = int(item.minimum or 0)
        value = f"{low} + n % {max(1, min(int((item.maximum or low + 9) - low), 9) + 1)}"
        decimal = item.type == "float" or item.semantic == "money"
        return f"Decimal({value})" if decimal else value
    if item.type == "bool":
        return "n % 4 == 3" if item.name in _RARE else "n % 2 == 0"
    if item.type == "datetime":
        return _moment(item)
    if item.type == "date":
        return f"({_moment(item)}).date()"
    if item.parts and not entity.hub:
        inner = ", ".join(
            f"{literal(each.shown)}: {value}"
            for each in item.parts
            if (value := _value(each, design, entity, seeded)) != "None"
        )
        return f"kit.freeze([{{{inner}}}])" if item.several else f"kit.freeze({{{inner}}})"
    if item.type == "list" and item.item == "str":
        return f"(kit.cycle(n, {literal([f'{item.name}-{i}' for i in range(1, 4)])}),)"
    return "None"


def _own_value(item: FieldDesign, entity: EntityDesign) -> str:
    """A value that no other record has: `TIC-101`, or a slug."""
    noun = entity.name.split("_")[-1]
    if item.name in ("identifier", "key", "number", "code"):
        return f'f"{noun[:3].upper()}-{{n + 1}}"'
    return f'f"{noun.replace("_", "-")}-{{n + 1}}"'


_STAFF: Final = word_set(
    "assignee agent owner author creator reviewer approver manager employee recruiter"
    " interviewer teacher instructor staff member host organizer user responder coordinator"
)
"""Words for our own people; whoever else a record names is a customer."""


def _ours(entity: EntityDesign) -> bool:
    """Whether records are our own people rather than those outside."""
    return bool({*entity.name.split("_")} & _STAFF)


_RARE: Final = frozenset(
    {"archived", "deleted", "disabled", "hidden", "trashed", "is_archived"}
)
"""Flags that most records do not have."""
_PAST: Final = ("created", "updated", "modified", "last", "completed", "closed", "posted")


def _moment(item: FieldDesign) -> str:
    """The expression of a time: past for what happened, around today for what is planned."""
    if item.name.startswith(_PAST):
        return "ctx.now - timedelta(hours=7 * n + 3)"
    return "ctx.now + timedelta(days=n - 10, hours=n % 7)"


def _through(item: FieldDesign, design: Design, entity: EntityDesign, seeded: set[str]) -> str:
    """The key as another parent of the record has it, so that both name one grandparent."""
    for other in entity.fields:
        parent = design.by_entity.get(other.ref or "")
        if other is item or other.type == "list" or parent is None:
            continue
        if parent.name not in seeded or parent.name in (entity.name, item.ref):
            continue
        held = next((f for f in parent.fields if f.ref == item.ref and f.type != "list"), None)
        if held is not None:
            table = f"state.{identifier(parent.table)}"
            field = literal(attribute(held))
            return f"kit.parent({table}, kit.pick({table}, n), {field})"
    return ""


def _links(design: Design) -> list[str]:
    """The statements that join some records of each membership."""
    lines = []
    for link in design.links:
        left, right = design.by_entity[link.left], design.by_entity[link.right]
        tables = f"state.{identifier(left.table)}, state.{identifier(right.table)}"
        one, two = identifier(link.left_field), identifier(link.right_field)
        lines.append(f"    for left, right in kit.couples({tables}):")
        lines.append(
            f"        state.{identifier(link.table)}.insert({link.class_name}("
            f'id=f"{{left}}:{{right}}", {one}=left, {two}=right))'
        )
    return lines


def _owner(design: Design, entity: EntityDesign) -> EntityDesign | None:
    """The entity whose records have this one as a part each."""
    for tool in design.tools:
        for one in tool.operations:
            if one.entity == entity.name and one.owner:
                return design.by_entity.get(one.owner)
    return None


def _path(entity: EntityDesign, design: Design, seeded: set[str]) -> str:
    """The expression of a resource name, of each pattern in turn, below one that is there."""
    made = [_named(entity, pattern, design, seeded) for pattern in entity.id_patterns]
    return made[0] if len(made) == 1 else f"({', '.join(made)})[n % {len(made)}]"


def _named(entity: EntityDesign, pattern: str, design: Design, seeded: set[str]) -> str:
    parts = paths.template(pattern)
    last = f'f"{entity.name.replace("_", "-")}-{{n + 1}}"'
    if len(parts) == 2:
        return f"{literal(parts[0] + '/')} + {last}"
    above = paths.holder(parts[:-2], design.entities)
    head = literal(paths.first(parts[:-2]))
    if above is not None and above.name in seeded and above is not entity:
        wanted = literal(paths.pattern(parts[:-2]))
        head = f"kit.pick_like(state.{identifier(above.table)}, n, {wanted})"
    return f"kit.below({head}, {literal(parts[-2])}, {last})"


def source(design: Design) -> str:
    """The text of `seed.py`."""
    classes = [each.class_name for each in holders(design)]
    parts = [
        HEAD.format(
            service=design.service, classes=", ".join(sorted({*classes, state_name(design)}))
        )
    ]
    calls = []
    seeded: set[str] = set()
    for entity in ordered(design):
        name = f"_{identifier(entity.table)}"
        calls.append(f"    {name}(ctx, state, kit.share(scale, {len(design.entities)}))")
        form, noun = literal(entity.id_form), literal(entity.name)
        key = (
            f"kit.hub_key(ctx, {form}, {noun}, n)"
            if entity.hub
            else f"kit.key(ctx, {form}, {noun})"
        )
        if entity.id_form == "path":
            key = _path(entity, design, seeded)
        own = shown_key(entity)
        values = "".join(
            f"\n            {attribute(item)}={_value(item, design, entity, seeded)},"
            for item in entity.fields
        )
        repeated = f"\n            {own}=key," if own else ""
        owner = _owner(design, entity)
        if owner is not None and owner.name in seeded:
            key = f"kit.pick(state.{identifier(owner.table)}, n)"
        rows = "1" if entity.singleton else "12" if entity.hub else "rows"
        if owner is not None and owner.name in seeded:
            rows = f"len(state.{identifier(owner.table)})"
        people = "ctx.cast.staff" if entity.hub or _ours(entity) else "ctx.cast.customers"
        parts.append(
            f"def {name}(ctx: Context, state: {state_name(design)}, rows: int) -> None:\n"
            f"    for n in range({rows}):\n        person = {people}[n % len({people})]\n"
            f"        key = {key}\n        row = {entity.class_name}(\n            id=key,"
            f"{repeated}{values}\n        )\n"
            f"        state.{identifier(entity.table)}.insert(row)\n"
        )
        seeded.add(entity.name)
    parts.append(
        f"@service.seed\ndef seed(ctx: Context, scale: int) -> {state_name(design)}:\n"
        f'    """About `scale` records."""\n    state = {state_name(design)}()\n'
        + "\n".join([*calls, *_links(design)])
        + "\n    return state\n"
    )
    return "\n\n".join(parts)
