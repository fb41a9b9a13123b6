"""Conversion: a carried amount is written in another currency, at a rate found elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from attrs import evolve

from compoworld_core.expressions import Const, Expr, Fn, Grep, Scope
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.patterns.copying import Copy
from compoworld_tasks_walk.patterns.create import Create
from compoworld_tasks_walk.patterns.notes import holders, note
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.script import Converted, FactOf, Figure, Stated

CURRENCIES: Final = ("EUR", "GBP", "CHF", "SEK", "CAD")
TEXT: Final = "The rate for {} that we use this month is {} per US dollar."


class Conversion:
    """The rate stands in a text of a service that the walk has been to, which is another one
    than takes the amount; amount and rate both decide."""

    name = "convert"
    writes = True
    weight = 0.6
    ahead = False
    once = True
    share = 0.15
    probes = ("edges-carry", "discoverable", "tolerant-and-strict")

    def __init__(self) -> None:
        self.ways = (Copy(), Create())

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """The ways in which an amount may be stated, in another currency."""
        if fact.kind != "money" or not isinstance(fact.value, FactOf | Figure | Stated):
            return
        if draft.patterns and not _rated(draft, visit):
            return  # a walk that is not begun may come by such a text
        for way in self.ways:
            for option in way.options(draft, visit, fact):

                def apply(way: Copy | Create = way, weight: float = option.weight) -> None:
                    converted = self._convert(draft, visit, fact)
                    again = [o for o in way.options(draft, visit, converted) if o.weight > 0]
                    if not again:
                        raise Barren("nothing here takes the converted amount")
                    draft.rng.choices(again, [o.weight for o in again])[0].apply()

                yield evolve(option, apply=apply)
                break  # which of its options is drawn again, once the rate is there

    def _convert(self, draft: Draft, visit: int, fact: Known) -> Known:
        rng, currency = draft.rng, draft.rng.choice(CURRENCIES)
        rated = _rated(draft, visit)
        if not rated:
            raise Barren("no other service of the walk has a text for the rate")
        rates = [f"{rng.randrange(7000, 14000) / 10000:.4f}" for _ in range(2)]
        texts = [TEXT.format(currency, rate) for rate in rates]
        held = note(
            draft, rng.choice(rated), texts[0], texts[1], title=f"Exchange rates {draft.year}"
        )
        rate = Grep(source=held.text, kind="money")
        says = f"the rate is {rates[1]} instead of {rates[0]}"
        draft.worlds.append(held.other(draft, texts[1], says))

        def made(read: Expr) -> Expr:
            base = read if fact.made is None else fact.made(read)
            return Fn(name="convert", args=(base, rate), kinds=(fact.kind,))

        def value(of: Any, at: str) -> Any:
            args = (Const(literal=of), Const(literal=at))
            return Fn(name="convert", args=args, kinds=(fact.kind,)).value(Scope())

        assert isinstance(fact.value, FactOf | Figure | Stated), "others are not converted"
        stated = Stated(held.rec.id, held.field, "money", "rate")
        return evolve(
            fact,
            expr=None if fact.expr is None else made(fact.expr),
            made=made,
            hero=value(fact.hero, rates[0]),
            shadow=value(fact.shadow, rates[0]),
            value=Converted(fact.value, stated, currency),
            decoys=(str(fact.hero), value(fact.hero, rates[1])),
        )


def _rated(draft: Draft, visit: int) -> list[int]:
    """The visits before, to other services, in whose texts a rate may stand.

    Where the amount comes from is one of them, but others are preferred.
    """
    here = draft.walk[visit]
    found = [n for n in range(visit) if draft.walk[n] != here and holders(draft, n)]
    return [n for n in found if draft.walk[n] != draft.walk[visit - 1]] or found
