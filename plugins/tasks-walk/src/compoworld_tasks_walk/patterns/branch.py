"""Branch: what is done to a record depends on whether a carried value is above a limit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import ROUND_FLOOR, Decimal
from typing import Final

from compoworld_core.expressions import Lit
from compoworld_core.plan import When
from compoworld_tasks_walk import stories
from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.filling import Filled, put_said
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.patterns.finding import linked, linking
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import facts_of, worth
from compoworld_tasks_walk.patterns.writing import (
    changed,
    like_of,
    suits,
    turns,
    updates,
    written,
)
from compoworld_tasks_walk.script import Change, Either, FactOf, Figure, Said, Stated, Test

KINDS = ("money", "cents")
RANKED: Final = re.compile(r"priority|severity|urgency|tier")
"""Fields whose values rise from the first to the last: what is worth more comes first."""


HIGH: Final = ("high", "urgent", "critical", "1", "2")
"""What a record's rank becomes where the amount is large."""
LOW: Final = ("low", "lowest")
"""What it does not become otherwise: that would be a jump."""


class Branch:
    """One field of one record gets one of two values; the other world takes the other way."""

    name = "branch"
    writes = True
    weight = 0.7
    ahead = False
    once = True
    share = 0.2
    probes = ("edges-carry", "criteria-needed", "tolerant-and-strict")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each tool here that sets a field of few values, for an amount or a date."""
        comparable = isinstance(fact.value, FactOf | Figure | Stated)
        if fact.kind not in KINDS or not comparable or fact.names is not None:
            return
        if any(name == self.name for name in draft.patterns) or not self._weighs(draft, fact):
            return
        service = draft.walk[visit]
        for (owner, table), profile in draft.catalogue.tables.items():
            if owner != service:
                continue
            for write in updates(draft, service, table):
                if write.effects or not any(
                    c.fact.enum and n in write.sinks and RANKED.search(n.lower())
                    for n, c in profile.fields.items()
                ):
                    continue
                if not linking(draft, visit, table):
                    continue

                def apply(write: Write = write, table: str = table) -> None:
                    rec = linked(draft, visit, table, like_of(draft, write))
                    self._either(draft, visit, fact, rec, write)

                natural = worth(draft, fact, service, table, self.name)
                yield Option(natural, apply)

    @staticmethod
    def _weighs(draft: Draft, fact: Known) -> bool:
        """Does the amount, which somebody has written about, say how much is at stake?"""
        if not isinstance(fact.value, Stated):
            return False
        matter = stories.matter(draft.story, fact.value.name)
        return matter is None or matter.stake

    def _either(self, draft: Draft, visit: int, fact: Known, rec: Rec, write: Write) -> None:
        if not suits(draft, rec, write) or rec.id == fact.record:
            raise Barren(f"{write.tool} does not work on such a record")
        fitting = [
            pair
            for pair in turns(draft, rec, write)
            if len(pair[1]) > 1 and RANKED.search(pair[0].lower())
            if str(pair[1][-1]).lower() in HIGH and str(pair[1][-2]).lower() not in LOW
        ]
        fitting = [pair for pair in fitting if pair[0] not in written(draft, rec)]
        if not fitting:
            raise Barren(f"{write.tool} has no two states to choose from")
        name, values = draft.rng.choice(fitting)
        limit = limit_between(fact)
        draft.carry(fact, visit)
        expr = draft.use(fact)
        ways = [values[-1], values[-2]]  # the larger the amount, the higher the rank
        noun = draft.noun(rec.service, rec.table)
        changes: list[Change] = []
        for value, negated in zip(ways, (False, True), strict=True):
            when = When(
                test="above", left=expr, right=Lit(literal=limit, kind=fact.kind),
                kind=fact.kind, negated=negated,
            )  # fmt: skip
            filled = Filled(write)
            put_said(filled, name, value, "status")
            text = f"The {noun}: {', '.join(filled.told)}, as the condition says."
            said = filled.said[0][1]
            changes.append(changed(draft, visit, rec, filled, name, said, text, when))
        test = Test("above", fact.value, Said(limit, fact.kind))
        draft.actions.append(Either(test, changes[0], changes[1]))
        draft.known += facts_of(draft, rec, visit)


def limit_between(fact: Known) -> int | str:
    """A round limit between the fact's values in the two worlds."""
    if fact.kind == "date":
        low, high = sorted((str(fact.hero)[:10], str(fact.shadow)[:10]))
        if low == high:
            raise Barren("both worlds have the same date")
        return low
    hero, shadow = Decimal(str(fact.hero)), Decimal(str(fact.shadow))
    least, most = min(hero, shadow), max(hero, shadow)
    middle = (least + most) / 2
    for digits in range(7, 1 if fact.kind == "money" else 3, -1):
        unit = Decimal(10) ** digits
        limit = (middle / unit).to_integral_value(ROUND_FLOOR) * unit
        if least < limit < most:
            return int(limit) if fact.kind == "cents" else f"{limit.normalize():f}"
    raise Barren("the worlds' values lie too close for a limit")
