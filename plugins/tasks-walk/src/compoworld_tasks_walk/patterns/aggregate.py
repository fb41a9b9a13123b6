"""Aggregate: the sum, largest or latest value over a filtered set goes on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Literal

from compoworld_core.expressions import Fn
from compoworld_core.patch import Operation
from compoworld_tasks_walk.catalogue import Barren, FieldProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Counter, Known
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.sets import SetKey, select_set, set_keys
from compoworld_tasks_walk.planting import Planted
from compoworld_tasks_walk.script import Figure

Op = Literal["sum", "largest", "smallest"]


class Aggregate:
    """Read only: the figure is what the next visit uses."""

    name = "aggregate"
    writes = False

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each table that the key finds several rows of, with each amount or date of them."""
        for key in set_keys(draft, visit, fact):
            for figure in key.profile.fields.values():
                kind = figure.fact.kind
                if kind not in ("money", "cents", "date") or figure.filled < 0.9:
                    continue

                def apply(key: SetKey = key, figure: FieldProfile = figure) -> None:
                    self._apply(draft, visit, fact, key, figure)

                yield Option(1.2, 1.5, apply)

    def _apply(
        self,
        draft: Draft,
        visit: int,
        fact: Known,
        key: SetKey,
        figure: FieldProfile,
    ) -> None:
        rec, heroes, shadows = select_set(draft, visit, fact, key)
        name, kind = figure.name, figure.fact.kind
        if name not in rec.lookup.reveals or name in rec.used:
            raise Barren(f"the list does not show {name}")
        op: Op = "sum" if kind != "date" and draft.rng.random() < 0.6 else "largest"
        for steps, planted in enumerate((*heroes, *shadows)):
            planted.row[name] = _shifted(planted.row[name], steps)
        values = [planted.row[name] for planted in heroes]
        if len(set(map(str, values))) < len(values):
            raise Barren(f"{name} does not tell the rows of the set apart")
        deciding = max(heroes, key=lambda planted: _number(planted.row[name]))
        siblings = self._siblings(draft, key, heroes)
        self._outdo(figure, deciding, siblings, op)
        result, other = _figure(op, values), _figure(op, [p.row[name] for p in shadows])
        if result == other:
            raise Barren("hero and shadow have the same figure")
        changed = _more(deciding.row[name])
        draft.carry(fact, visit)
        draft.known.append(
            Known(
                rec.service, rec.table, f"{op}.{name}", kind,
                Fn(name=op, args=(rec.items(tuple(rec.lookup.reveals[name])),), kinds=(kind,)),
                result, other, visit, Figure(op, rec.id, name, kind),
                Counter(
                    rec.service,
                    (Operation(op="update", table=rec.table, id=deciding.row["id"],
                               row={name: changed}),),
                    f"{rec.table} {deciding.row['id']}: {name} is {changed!r}"
                    f" instead of {deciding.row[name]!r}",
                ),
                source="aggregate", record=rec.id,
                decoys=self._decoys(op, name, heroes, siblings),
            )
        )  # fmt: skip

    @staticmethod
    def _siblings(draft: Draft, key: SetKey, heroes: list[Planted]) -> list[Planted]:
        """The planted rows that share the key and do not pass the filter."""
        own = {planted.row["id"] for planted in heroes}
        shared = heroes[0].row[key.column.name]
        return [
            planted
            for planted in draft.planter.rows
            if (planted.service, planted.table) == (key.profile.service, key.profile.name)
            and planted.row.get(key.column.name) == shared
            and planted.row["id"] not in own
        ]

    @staticmethod
    def _outdo(
        figure: FieldProfile, deciding: Planted, siblings: list[Planted], op: Op
    ) -> None:
        """Distractors must bite: what the filter leaves out exceeds the true answer."""
        if op == "largest" and siblings:
            siblings[0].row[figure.name] = _more(_more(deciding.row[figure.name]))

    @staticmethod
    def _decoys(
        op: Op, name: str, heroes: list[Planted], siblings: list[Planted]
    ) -> tuple[Any, ...]:
        every = [p.row[name] for p in (*heroes, *siblings) if p.row[name] is not None]
        return (_figure(op, every),)


def _number(value: Any) -> Any:
    try:
        return Decimal(str(value))
    except ArithmeticError:
        return str(value)


def _figure(op: Op, values: list[Any]) -> Any:
    if op == "sum":
        total = sum((Decimal(str(v)) for v in values), Decimal())
        return int(total) if total == total.to_integral_value() else str(total.normalize())
    return max(values, key=_number)


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


def _more(value: Any) -> Any:
    """A visibly larger value of the same form."""
    if isinstance(value, int):
        return value + 7300
    if isinstance(value, float):
        return value + 73.0
    if isinstance(value, str) and value[4:5] == "-" and value[:4].isdigit():
        return f"{int(value[:4]) + 1}{value[4:]}"
    return str(Decimal(str(value)) + 73)
