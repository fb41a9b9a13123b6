"""Deadline: a date is reckoned from a carried one, and put where a deadline belongs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from attrs import evolve

from compoworld_core.expressions import Const, Expr, Fn, Lit, Scope
from compoworld_tasks_walk import moves, stories
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.patterns.copying import Copy
from compoworld_tasks_walk.patterns.create import Create
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.script import FactOf, Figure, Said, Shifted, Stated
from compoworld_tasks_walk.sinks import DUE

MOST = 5
"""Days that people reckon with in their heads."""


class Deadline:
    """ "Two business days before the renewal": the reckoned date is written, as by a copy."""

    name = "deadline"
    writes = True
    weight = 1.0
    ahead = False
    once = False
    share = 1.0
    probes = ("edges-carry", "discoverable", "tolerant-and-strict")

    def __init__(self) -> None:
        self.ways = (Copy(), Create())

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """The ways in which a date may be written, with another date."""
        if fact.kind != "date" or not isinstance(fact.value, FactOf | Figure | Stated):
            return
        if not isinstance(fact.value, Stated) and moves.tale_worth(fact.field) < DUE:
            return  # nobody reckons from the day on which something was made
        if isinstance(fact.value, Stated) and not _early(draft, fact.value):
            return
        shifted = reckoned(draft, fact)
        for way in self.ways:
            yield from way.options(draft, visit, shifted)


def _early(draft: Draft, value: Stated) -> bool:
    """Is something to be ready before a day that a text states?"""
    matter = stories.matter(draft.story, value.name)
    return matter is None or matter.early


def reckoned(draft: Draft, fact: Known) -> Known:
    """The fact, some days earlier or later."""
    rng = draft.rng
    count = rng.randint(2, MOST)
    way: Literal[1, -1] = -1  # people leave themselves time before a day
    working = rng.random() < 0.5
    name: Literal["days", "business_days"] = "business_days" if working else "days"
    unit: Literal["day", "business day"] = "business day" if working else "day"
    said = Said(count, "quantity")

    def made(read: Expr) -> Expr:
        base = read if fact.made is None else fact.made(read)
        days = Lit(literal=count, kind="quantity")
        return Fn(name=name, args=(base, days), number=way)

    def value(of: Any) -> Any:
        fn = Fn(name=name, args=(Const(literal=of), Const(literal=count)), number=way)
        return fn.value(Scope())

    assert isinstance(fact.value, FactOf | Figure | Stated), "other dates are not shifted"
    return evolve(
        fact,
        expr=None if fact.expr is None else made(fact.expr),
        made=made,
        hero=value(fact.hero),
        shadow=value(fact.shadow),
        value=Shifted(fact.value, said, unit, way),
        decoys=(str(fact.hero)[:10], *(value(decoy) for decoy in fact.decoys)),
    )
