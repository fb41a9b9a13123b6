"""Drawing: values that texts state, and the fields of sentences that state them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from compoworld_core.types import Kind
from compoworld_tasks_walk.catalogue import FieldProfile, TableProfile
from compoworld_tasks_walk.draft import Draft


def proses(profile: TableProfile) -> Iterator[FieldProfile]:
    """The fields of a table that hold sentences."""
    for column in profile.fields.values():
        if column.fact.kind == "text" and column.prose and not column.fact.many:
            yield column


def drawn(draft: Draft, kind: Kind, count: int) -> list[Any]:
    """Different values of a kind, as JSON has them, that no text of the plan states."""
    rng = draft.rng
    held = [rec.pair.said.values() for rec in draft.records.values() if rec.pair]
    told = {
        str(v) for texts in held for text in texts for s in text for v in (s.hero, s.shadow)
    }
    if kind == "date":
        today: date = draft.catalogue.world.cast.today.date()
        days = [today + timedelta(days=ahead) for ahead in range(12, 90)]
        working = [day.isoformat() for day in days if day.weekday() < 5]
        return rng.sample([day for day in working if day not in told], count)
    return [
        f"{value}.{rng.randrange(100):02d}" for value in rng.sample(range(310, 9800), count)
    ]
