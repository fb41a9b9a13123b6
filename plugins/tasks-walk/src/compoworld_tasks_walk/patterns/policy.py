"""Policy: a text says what to do for which case; a carried record is the case."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from attrs import frozen

from compoworld_core import facts
from compoworld_core.expressions import Expr, Rule
from compoworld_core.patch import Operation
from compoworld_core.types import Kind
from compoworld_tasks_walk.catalogue import Barren, FieldProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Counter, Known, Rec
from compoworld_tasks_walk.patterns.copying import Copy
from compoworld_tasks_walk.patterns.create import Create
from compoworld_tasks_walk.patterns.drawing import drawn
from compoworld_tasks_walk.patterns.notes import holders, note
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.script import FactOf, Ruled
from compoworld_tasks_walk.words import bare

MOST_CASES = 4
CASES: Final = re.compile(r"priority|severity|plan|tier|segment")
"""Fields of few values that rules are made for."""


@frozen
class Matter:
    """What rules are about: the title of the text, what a rule gives, and of which kind."""

    title: str
    name: str
    kind: Kind
    head: str


MATTERS: Final = (
    Matter("Goodwill credits", "goodwill credit", "money", "We grant these credits"),
    Matter("Service dates", "next service date", "date", "These are the next service dates"),
)


class Policy:
    """The rule for the case is written in this visit's service, where the rules stand too."""

    name = "policy"
    writes = True
    weight = 4.0
    ahead = False
    once = True
    share = 0.15
    probes = ("edges-carry", "discoverable", "tolerant-and-strict")

    def __init__(self) -> None:
        self.ways = (Copy(), Create())

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each field of few values of the record that the fact is of, as the case."""
        rec = draft.records.get(fact.record)
        if fact.source != "field" or rec is None or rec.many or rec.pair is None:
            return
        if not holders(draft, visit) or any(
            o.record == rec.id for o in self._before(draft, fact)
        ):
            return
        for column in draft.profile(rec.service, rec.table).enums():
            if not CASES.search(bare(column.name)):
                continue
            held = rec.hero.get(column.name)
            if column.name in rec.used or held is None or not draft.shows(rec, column.name):
                continue
            if len(set(map(str, column.values))) < 2:
                continue

            def apply(rec: Rec = rec, column: FieldProfile = column) -> None:
                ruled = self._rule(draft, visit, fact, rec, column)
                ways = [
                    option
                    for way in self.ways
                    for option in way.options(draft, visit, ruled)
                    if option.weight > 0
                ]
                if not ways:
                    raise Barren("nothing here takes what the rules give")
                draft.rng.choices(ways, [option.weight for option in ways])[0].apply()

            yield Option(1.6, apply)

    @staticmethod
    def _before(draft: Draft, fact: Known) -> list[Known]:
        """The facts of the same visit that were offered before: one case a record suffices."""
        place = draft.known.index(fact) if fact in draft.known else 0
        return [one for one in draft.known[:place] if one.visit == fact.visit]

    def _rule(
        self, draft: Draft, visit: int, fact: Known, rec: Rec, column: FieldProfile
    ) -> Known:
        rng, matter = draft.rng, draft.rng.choice(MATTERS)
        case = rec.hero[column.name]
        others = [v for v in dict.fromkeys(map(str, column.values)) if v != str(case)]
        drawn_cases = rng.sample(others, min(MOST_CASES - 1, len(others)))
        competitor = str(rec.shadow.get(column.name))  # other edges lead to it
        cases = list(dict.fromkeys([str(case), *drawn_cases, competitor]))
        cases = [each for each in cases if each in (str(case), *others)]
        values = self._values(draft, matter.kind, len(cases) + 1)
        rules = dict(zip(cases, values, strict=False))
        order = rng.sample(cases, len(cases))
        hero = self._text(matter, order, rules)
        shadow = self._text(matter, order, {**rules, str(case): values[-1]})
        held = note(draft, visit, hero, shadow, title=f"{matter.title} {draft.year}")
        says = f"the rule for {case} gives {values[-1]} instead of {values[0]}"
        draft.worlds.append(held.other(draft, shadow, says))
        read: Expr = Rule(source=held.text, case=draft.expr(rec, column.name), kind=matter.kind)
        other = cases[1]
        changed = type(case)(other) if isinstance(case, str) else other
        operation = Operation(
            op="update", table=rec.table, id=rec.hero["id"], row={column.name: changed}
        )
        return Known(
            rec.service, rec.table, column.name, matter.kind, read,
            rules[str(case)], rules[other], fact.visit,
            Ruled(
                held.rec.id, held.field, matter.kind, matter.name,
                FactOf(rec.id, column.name, "status"),
            ),
            Counter(
                rec.service, (operation,),
                f"{rec.table} {rec.hero['id']}: {column.name} is {other!r} instead of {case!r}",
            ),
            source="rule", record=rec.id, decoys=tuple(values[1:]),
        )  # fmt: skip

    @staticmethod
    def _values(draft: Draft, kind: Kind, count: int) -> list[Any]:
        if kind == "email":
            staff = draft.catalogue.world.cast.staff[1:]
            return [person.email for person in draft.rng.sample(staff, count)]
        return drawn(draft, kind, count)

    @staticmethod
    def _text(matter: Matter, order: list[str], rules: dict[str, Any]) -> str:
        lines = [
            f"{case.replace('_', ' ').capitalize()}: {facts.render(matter.kind, rules[case])}"
            for case in order
        ]
        return "\n".join([f"{matter.head}.", *lines])
