"""Literals: values that the instruction gives for what a write needs besides a carried fact."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from random import Random
from typing import Any

from compoworld_core.types import KEY_KINDS, Kind
from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.script import Said

USUAL = re.compile(r"request|other")
"""The reasons that fit whatever the story is."""
RECIPIENTS = ("to", "recipient", "recipients", "to_email")
"""Fields that say whom a message goes to."""


def usual(name: str, values: Sequence[Any]) -> Sequence[Any]:
    """The values of a field that fit any story, of those that it may have."""
    fitting = [value for value in values if USUAL.search(str(value).lower())]
    return fitting if fitting and "reason" in name.lower() else values


def literal(
    draft: Draft, write: Write, name: str, said: Sequence[tuple[str, Said]]
) -> tuple[Any, Kind]:
    """A value for a sink that the instruction gives, and its kind; Barren where none is honest.

    Args:
        draft: the plan so far.
        write: what is called.
        name: the sink.
        said: the literals of the call so far: what ends comes after what begins.
    """
    rng = draft.rng
    column = draft.profile(write.service, write.table).fields[name]
    fact, slot = column.fact, write.sinks[name].slot
    options = list(slot.enum or fact.enum)
    if options:
        return rng.choice(usual(name, options)), "status"
    kind: Kind = fact.kind
    if name in write.unique and kind in KEY_KINDS:
        return draft.planter.fresh(column), kind
    cast = draft.catalogue.world.cast
    if kind == "boolean" or slot.json_type == "boolean":
        return False, "boolean"
    if kind in ("date", "datetime"):
        day = cast.today.date() + timedelta(days=4 + len(said) % 3 + rng.randint(0, 20))
        day += timedelta(days=max(0, 7 - day.weekday()) if day.weekday() > 4 else 0)
        earlier = [s.value for _, s in said if s.kind == kind]
        if kind == "date":
            return max([day.isoformat(), *earlier]), kind
        hour = 9 + rng.randint(0, 4)
        if earlier:
            first = earlier[-1]
            return f"{first[:11]}{int(first[11:13]) + 1:02d}:00:00Z", kind
        return f"{day.isoformat()}T{hour:02d}:00:00Z", kind
    customer = draft.hero is not None and not draft.inward and name.lower() in RECIPIENTS
    if kind == "email" and customer and draft.hero is not None:
        return draft.hero.person.email, kind
    if kind == "email":
        return Random(draft.topic).choice(cast.staff[1:]).email, kind  # the same all through
    archetype = draft.catalogue.archetype(write.service, write.table)
    if kind == "title":
        return draft.title(archetype), kind
    if kind == "file_name" and archetype == "document":
        return draft.title(archetype), "title"
    if kind == "file_name":
        end = str(draft.planter.fresh(column)).rpartition(".")[2]
        return f"{draft.title().lower().replace(' ', '-')}.{end}", kind
    if kind == "text" and column.values and not column.prose:
        return rng.choice(sorted(set(column.values))), "tag"
    if kind == "text":
        return draft.sentence(archetype), kind
    if kind in ("cents", "quantity") or slot.json_type == "integer":
        number = rng.randrange(2, 40) * (1000 if kind == "cents" else 1)
        return number, kind if kind in ("cents", "quantity", "percent", "money") else "quantity"
    if kind in ("money", "percent"):
        return str(rng.randrange(20, 900)) if slot.json_type == "string" else rng.randrange(
            20, 900
        ), kind
    if kind in ("id", "status", "tag", "currency", "country"):
        raise Barren(f"{write.service}.{write.tool}: no honest value for {name}")
    return draft.planter.fresh(column), kind
