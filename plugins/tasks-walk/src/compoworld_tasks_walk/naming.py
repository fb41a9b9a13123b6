"""Naming: rows of the base world, or documents of the errand, that are called by name."""

from __future__ import annotations

import re
from typing import Any

from compoworld_tasks_walk.catalogue import Barren, TableProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Rec
from compoworld_tasks_walk.selecting import Wanted, select

LABELS = ("title", "company", "person", "email", "code", "tag")
"""Kinds by which people name a row of a base table, best first."""


TEAMS = re.compile(r"support|operations|service|success|customer", re.IGNORECASE)
"""Names of teams that look after customers."""


def named_row(
    draft: Draft, visit: int, service: str, table: str, like: dict[str, tuple[Any, ...]]
) -> Rec:
    """A row of the base world that the instruction names ("the Sales team"), looked up."""
    profile = draft.profile(service, table)
    if draft.catalogue.archetype(service, table) == "document":
        return _own_document(draft, visit, profile, like)
    for kind in LABELS:
        for column in profile.fields.values():
            if column.fact.kind != kind or column.fact.many or not column.fact.distinct:
                continue
            if column.filled < 0.9:
                continue
            if draft.catalogue.way(profile, [column.name]) is None:
                continue
            shown = draft.catalogue.like(profile, [column.name], like)
            rows = list(draft.catalogue.donors(profile, shown))
            draft.rng.shuffle(rows)
            rows.sort(key=lambda row: not TEAMS.search(str(getattr(row, column.name))))
            for row in rows[:4]:
                value = getattr(row, column.name)
                if not isinstance(value, str) or draft.planter.holds(
                    profile, column.name, value
                ):
                    continue
                if not 2 <= len(value) <= 60 or "'" in value or '"' in value:
                    continue
                expr, said = draft.say(value, column.fact.kind)
                draft.planter.reserve(profile, column.name, value)
                rec = select(draft, visit, service, table, [Wanted(column.name, expr, said)])
                rec.hero = row.model_dump(mode="json")
                return rec
    raise Barren(f"rows of {service}.{table} have no name to call them by")


def _own_document(
    draft: Draft, visit: int, profile: TableProfile, like: dict[str, tuple[Any, ...]]
) -> Rec:
    """A document of the undertaking itself, planted; one about something else is no place."""
    for column in profile.fields.values():
        if column.fact.kind != "title" or not column.fact.distinct:
            continue
        if draft.catalogue.way(profile, [column.name]) is None:
            continue
        shown = draft.catalogue.like(profile, [column.name], like)
        planted = draft.planter.plant(profile, "hero", like=shown)
        expr, said = draft.say(planted.row[column.name], "title")
        wanted = [Wanted(column.name, expr, said)]
        rec = select(draft, visit, profile.service, profile.name, wanted)
        rec.hero = planted.row
        return rec
    raise Barren(f"documents of {profile.service} have no title")
