"""Aggregate: the sum, number, largest or latest value of a filtered set goes on."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Literal

from attrs import frozen

from compoworld_core.expressions import Fn
from compoworld_core.patch import Operation
from compoworld_tasks_walk.catalogue import Barren, FieldProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Counter, Known
from compoworld_tasks_walk.patterns.drawing import more, outdone, told_apart
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import outline, worth
from compoworld_tasks_walk.patterns.sets import SetKey, select_set, set_keys
from compoworld_tasks_walk.planting import Planted
from compoworld_tasks_walk.script import Figure

Op = Literal["sum", "largest", "smallest"]


SUMMED = ("order", "bill", "contract", "deal", "work")
"""Archetypes of which people want figures."""
COUNTED = ("order", "bill", "work")
"""Archetypes of which people ask how many there are."""
COUNT = "count.rows"
"""The field of such a figure."""


class Aggregate:
    """Read only: the figure is what the next visit uses."""

    name = "aggregate"
    writes = False
    weight = 1.0
    ahead = False
    once = False
    share = 1.0
    probes = ("edges-carry", "unambiguous")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each table that the key finds several rows of, with each amount or date of them."""
        for key in set_keys(draft, visit, fact):
            service, table = place = (key.profile.service, key.profile.name)
            archetype = draft.catalogue.archetype(*place)
            if archetype not in SUMMED:
                continue
            natural = worth(draft, fact, service, table, self.name)
            if archetype in COUNTED:

                def count(key: SetKey = key) -> None:
                    self._count(draft, visit, fact, key)

                told = outline(
                    *place, COUNT, "quantity", Figure("count", "", COUNT, "quantity")
                )
                yield Option(natural, count, (told,), table)
            for figure in key.profile.fields.values():
                kind = figure.fact.kind
                if kind not in ("money", "cents", "date") or figure.filled < 0.9:
                    continue

                def apply(key: SetKey = key, figure: FieldProfile = figure) -> None:
                    self._apply(draft, visit, fact, key, figure)

                told = outline(*place, figure.name, kind, Figure("sum", "", figure.name, kind))
                yield Option(natural, apply, (told,), table)

    @staticmethod
    def _count(draft: Draft, visit: int, fact: Known, key: SetKey) -> None:
        sizes: list[int] = []

        def prepare(
            heroes: list[Planted], shadows: list[Planted], siblings: list[Planted]
        ) -> None:
            own = [twin for twin in siblings if twin.role == "sibling"][:2]
            sizes.extend((len(heroes), len(shadows), len(heroes) + len(own)))

        rec = select_set(draft, visit, fact, key, prepare=prepare)
        hero, shadow, unfiltered = sizes
        state = next(iter(rec.used - {key.column.name}), "")
        if not state or not rec.rivals:
            raise Barren("nothing of theirs is left out")
        left = rec.members[0]
        changed = {state: rec.rivals[0][state]}
        draft.carry(fact, visit)
        draft.known.append(
            Known(
                rec.service, rec.table, COUNT, "quantity",
                Fn(name="count", args=(rec.items(tuple(rec.lookup.reveals["id"])),)),
                hero, shadow, visit, Figure("count", rec.id, COUNT, "quantity"),
                Counter(
                    rec.service,
                    (Operation(op="update", table=rec.table, id=left["id"], row=changed),),
                    f"{rec.table} {left['id']}: {state} is {changed[state]!r}"
                    f" instead of {left[state]!r}",
                ),
                source="aggregate", record=rec.id, decoys=(unfiltered,),
            )
        )  # fmt: skip

    def _apply(
        self,
        draft: Draft,
        visit: int,
        fact: Known,
        key: SetKey,
        figure: FieldProfile,
    ) -> None:
        name, kind = figure.name, figure.fact.kind
        op: Op = "largest" if kind == "date" else "sum"
        made: list[Figures] = []

        def prepare(
            heroes: list[Planted], shadows: list[Planted], siblings: list[Planted]
        ) -> None:
            made.append(_figures(op, name, heroes, shadows, siblings))

        rec = select_set(draft, visit, fact, key, prepare=prepare)
        if name not in rec.lookup.reveals or name in rec.used:
            raise Barren(f"the list does not show {name}")
        figures = made[0]
        deciding = figures.deciding.row
        changed = more(deciding[name])
        draft.carry(fact, visit)
        draft.known.append(
            Known(
                rec.service, rec.table, f"{op}.{name}", kind,
                Fn(name=op, args=(rec.items(tuple(rec.lookup.reveals[name])),), kinds=(kind,)),
                figures.hero, figures.shadow, visit, Figure(op, rec.id, name, kind),
                Counter(
                    rec.service,
                    (Operation(op="update", table=rec.table, id=deciding["id"],
                               row={name: changed}),),
                    f"{rec.table} {deciding['id']}: {name} is {changed!r}"
                    f" instead of {deciding[name]!r}",
                ),
                source="aggregate", record=rec.id, decoys=(figures.unfiltered,),
            )
        )  # fmt: skip


@frozen
class Figures:
    """What a set of planted rows comes to, and what it may be mistaken for."""

    hero: Any
    shadow: Any
    unfiltered: Any
    """Of the rows that share the key, whether they pass the filter or not."""
    deciding: Planted


def _figures(
    op: Op,
    name: str,
    heroes: list[Planted],
    shadows: list[Planted],
    siblings: list[Planted],
) -> Figures:
    """Tell the rows' values apart, such that each choice of rows has its own figure."""
    rows = (*heroes, *shadows)
    for planted, value in zip(rows, told_apart([p.row[name] for p in rows]), strict=True):
        planted.row[name] = value
    values = [planted.row[name] for planted in heroes]
    if len(set(map(str, values))) < len(values):
        raise Barren(f"{name} does not tell the rows of the set apart")
    deciding = max(heroes, key=lambda planted: outdone(planted.row[name]))
    own = [twin for twin in siblings if twin.role == "sibling"][:2]
    if op == "largest" and own:  # distractors must bite: what the filter leaves out exceeds
        own[0].row[name] = more(more(deciding.row[name]))
    hero = _figure(op, values)
    shadow = _figure(op, [planted.row[name] for planted in shadows])
    if hero == shadow:
        raise Barren("hero and shadow have the same figure")
    every = [p.row[name] for p in (*heroes, *own) if p.row[name] is not None]
    return Figures(hero, shadow, _figure(op, every), deciding)


def _figure(op: Op, values: list[Any]) -> Any:
    if op == "sum":
        total = sum((Decimal(str(v)) for v in values), Decimal())
        return int(total) if total == total.to_integral_value() else str(total.normalize())
    return max(values, key=outdone)
