"""Drawing: values that texts state or rows differ by, and the fields of sentences."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from compoworld_core.types import Kind
from compoworld_tasks_walk.catalogue import Barren, FieldProfile, TableProfile
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


def told_apart(values: list[Any]) -> list[Any]:
    """Values of the same forms, each moved on by another step."""
    return [_shifted(value, steps) for steps, value in enumerate(values)]


def outdone(value: Any) -> Any:
    """What amounts, and dates written year first, are ordered by."""
    try:
        return Decimal(str(value))
    except ArithmeticError:
        return str(value)


def _shifted(value: Any, steps: int) -> Any:
    """A value of the same form, told apart from the others of the set."""
    if value is None:
        raise Barren("a row of the set has no such value")
    if isinstance(value, int):
        return value + 137 * steps
    if isinstance(value, float):
        return value + 3.5 * steps
    if value[4:5] == "-" and value[:4].isdigit():
        day = date.fromisoformat(value[:10]) + timedelta(days=2 * steps)
        return f"{day.isoformat()}{value[10:]}"
    return str(Decimal(value) + 3 * steps)


def more(value: Any) -> Any:
    """A visibly larger value of the same form."""
    if isinstance(value, int):
        return value + 7300
    if isinstance(value, float):
        return value + 73.0
    if isinstance(value, str) and value[4:5] == "-" and value[:4].isdigit():
        return f"{int(value[:4]) + 1}{value[4:]}"
    return str(Decimal(str(value)) + 73)
