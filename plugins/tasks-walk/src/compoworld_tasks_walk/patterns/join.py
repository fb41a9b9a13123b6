"""Join: look a record up by a key that came from the service before; its facts go on."""

from __future__ import annotations

from collections.abc import Iterator

from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.patterns.finding import by_tie, speak
from compoworld_tasks_walk.patterns.informing import informs
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import facts_of, outlines, worth
from compoworld_tasks_walk.patterns.summing import said_in
from compoworld_tasks_walk.patterns.ties import Tie, ties

LOOKED_AT = 0.15
"""How much less a record that a text names is only looked at, and nothing done to it."""


class Join:
    """Read only: the record's own facts are what the next visit uses."""

    name = "join"
    writes = False
    weight = 2.0
    ahead = False
    once = False
    share = 1.0
    probes = ("edges-carry", "no-shortcut")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each table that the key finds, and each table whose rows refer to such a record."""
        if fact.names is None and fact.service and not (fact.settled or draft.lenient):
            return
        if fact.names is not None and draft.strict:
            return  # nobody says "the day given in the issue mentioned in that message"
        for tie in ties(draft, draft.walk[visit], fact):
            told = outlines(tie.found, tie.key)
            if not told or not informs(draft, tie):
                continue

            def apply(tie: Tie = tie) -> None:
                _let_speak(draft, fact)
                rec = by_tie(draft, visit, tie)
                if fact.names is not None and fact.names.key not in rec.lookup.by:
                    raise Barren("what is looked up does not depend on what is named")
                found = facts_of(draft, rec, visit)
                found += said_in(draft, visit, rec) if fact.names is not None else []
                if not found:
                    raise Barren(f"{rec.service}.{rec.table} tells nothing that can go on")
                draft.carry(fact, visit)
                draft.known += found

            natural = worth(draft, fact, tie.found.service, tie.found.name, self.name)
            natural *= LOOKED_AT if fact.names is not None else 1.0
            yield Option(natural, apply, told, tie.found.name)


def _let_speak(draft: Draft, fact: Known) -> None:
    """A record that a text names, and that nothing was done to, says something of the story."""
    if fact.names is None:
        return
    pair = fact.names.pair
    if not any(rec.pair is pair for rec in draft.records.values()):
        speak(draft, pair)
