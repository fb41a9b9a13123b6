"""Seed: the module that fills a state, parents first, people and companies from the cast."""

from __future__ import annotations

from compoworld_synth.design import Design, EntityDesign, FieldDesign
from compoworld_synth.emit.models import holders, shown_key, state_name
from compoworld_synth.emit.values import attribute, identifier, literal

HEAD = '''"""A plausible world for {service}, with people and companies of the shared cast."""

from __future__ import annotations

from datetime import timedelta

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
        ready = [
            each
            for each in left
            if not {f.ref for f in each.fields if f.ref != each.name} & (names - {each.name})
        ] or left[:1]
        done += ready
        left = [each for each in left if each not in ready]
    return done


def _value(item: FieldDesign, design: Design, entity: EntityDesign, seeded: set[str]) -> str:
    target = design.by_entity.get(item.ref or "")
    if item.ref:
        if target is None or target.name not in seeded:
            return "None"
        chosen = f"kit.pick(state.{identifier(target.table)}, n)"
        return f"({chosen},)" if item.type == "list" else chosen
    if item.enum:
        chosen = f"kit.cycle(n, {literal(item.enum)})"
        return f"({chosen},)" if item.type == "list" else chosen
    if item.type == "str":
        if item.semantic in _PEOPLE:
            return _PEOPLE[item.semantic]
        if entity.hub:  # pieces of one server agree: nothing of the service's own draws
            return "ctx.cast.companies[n % len(ctx.cast.companies)].name"
        if item.semantic in _DRAWN:
            return f"str(draw({literal(item.semantic)}, ctx.rng))"
        if item.pattern:
            return "None"
        if item.name in ("name", "label", "subject", "summary"):
            return 'str(draw("title", ctx.rng))'
        return f"kit.cycle(n, {literal([f'{item.name}-{i}' for i in range(1, 5)])})"
    if item.type in ("int", "float"):
        low = int(item.minimum or 0)
        return f"{low} + n % {max(1, min(int((item.maximum or low + 9) - low), 9) + 1)}"
    if item.type == "bool":
        return "n % 2 == 0"
    if item.type == "datetime":
        return "ctx.now - timedelta(hours=7 * n + 3)"
    if item.type == "date":
        return "(ctx.now + timedelta(days=n - 10)).date()"
    if item.type == "list" and item.item == "str":
        return f"(kit.cycle(n, {literal([f'{item.name}-{i}' for i in range(1, 4)])}),)"
    return "None"


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
        own = shown_key(entity)
        values = "".join(
            f"\n            {attribute(item)}={_value(item, design, entity, seeded)},"
            for item in entity.fields
        )
        repeated = f"\n            {own}=key," if own else ""
        rows = "1" if entity.singleton else "12" if entity.hub else "rows"
        people = "ctx.cast.staff" if entity.hub else "ctx.cast.people"
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
        + "\n".join(calls)
        + "\n    return state\n"
    )
    return "\n\n".join(parts)
