"""Moves: which way from one record to the next a person would go, and what for.

A plan is provable whatever it does; these tables say what is natural. Rows name archetypes,
`*` is any of them; where several rows fit, the one that names more counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from attrs import frozen

from compoworld_tasks_walk.habits import deed_worth, filter_worth, handle_worth, tale_worth

FAMILIES: Final[Mapping[str, str]] = {
    "join": "find",
    "latest": "find",
    "policy": "find",
    "update": "change",
    "each": "change",
    "except": "change",
    "dedup": "change",
    "branch": "change",
    "fallback": "change",
    "permission": "change",
    "correction": "find",
    "overrule": "find",
    "statement": "find",
    "named": "find",
    "aggregate": "sum",
    "answer": "sum",
    "convert": "sum",
    "copy": "tell",
    "deadline": "tell",
    "write-back": "tell",
    "appointment": "make",
    "create": "make",
}
"""Pattern → what it does to the record at its end; a pattern not listed finds one."""


@frozen
class Move:
    """One row: from whom, to what, doing what, how natural it is, and what for."""

    source: str
    target: str
    family: str
    worth: float
    purpose: str

    @property
    def said(self) -> int:
        """How much the row names: the more, the sooner it counts."""
        return 4 * (self.target != "*") + 2 * (self.source != "*") + (self.family != "*")


def _moves(text: str) -> tuple[Move, ...]:
    rows = []
    for line in text.strip().splitlines():
        head, _, purpose = line.partition(" =")
        sources, targets, families, worth = head.split()
        rows += [
            Move(source, target, family, float(worth), purpose.strip())
            for source in sources.split("|")
            for target in targets.split("|")
            for family in families.split("|")
        ]
    return tuple(rows)


MOVES: Final = _moves("""
* * * 0.6 =
customer bill|payment|contract|order find|sum 3.0 = what they have with us
customer bill|payment|contract|order change 2.6 = to settle what they have with us
customer work find|sum 2.6 = what they want
customer work change 2.8 = to get on with what they asked for
customer deal find|change|sum 2.4 = what they are about to sign
customer message find|sum 2.4 = what they wrote
customer message change 1.4 = to sort what they wrote
customer customer find 1.6 = what the other system knows about them
customer customer change 1.0 = to keep their record right
customer firm find 2.0 = where they work
customer firm change 1.0 = to keep their company's record right
customer colleague find 0.3 =
customer meeting find|change 2.2 = when we meet them
customer document find 1.6 = what is written down about them
customer channel find 1.0 = where we talk to them
firm bill|contract|deal|order find|sum|change 2.8 = what they have with us
firm customer find 2.4 = whom to talk to there
firm work find|sum|change 2.4 = what they want
firm document find 1.8 = what is written down about them
firm channel find 1.8 = where we talk to them
firm firm find 1.4 = what the other system knows about them
bill|order|payment customer find 2.6 = whose it is
bill|order|payment firm find 2.4 = whose it is
bill|order|payment work find|change 2.8 = what was reported about it
bill|order|payment bill|order|payment find|change|sum 2.4 = what belongs to it
bill|order|payment|contract message find 2.0 = what was written about it
bill|order|payment document find 1.8 = what is written down about it
contract customer|firm find 2.4 = whose it is
contract deal|bill find 2.4 = what belongs to it
deal customer|firm find 2.6 = who is buying
deal colleague find 2.4 = who looks after it
deal meeting find 2.2 = when it is discussed
deal bill|contract|order find 2.0 = what came of it
work customer find 3.0 = who reported it
work firm find 2.2 = which company it concerns
work colleague find 2.6 = who works on it
work work find|change 2.4 = what belongs to it
work order|bill|payment|contract find|change 2.8 = what it is about
work message find 2.0 = what was written about it
work project|repository find 1.6 = where it belongs
project work find|change|sum 2.4 = what is left to do
project colleague find 2.2 = who leads it
meeting customer find 2.6 = who is coming
meeting colleague find 2.4 = who called it
meeting document find 2.0 = what was prepared for it
meeting work|deal find 1.8 = what it is about
message customer find 3.0 = who wrote it
message firm find 2.4 = where they work
message order|bill|work|deal|contract|payment find|change 2.8 = what it is about
message document find 1.6 = what they refer to
document customer|firm find 2.2 = whom it is about
document colleague find 2.0 = who keeps it
document order|bill|work|deal|contract|payment find|change 2.2 = what it is about
colleague work find|change|sum 2.6 = what is on their desk
colleague deal|firm|customer find 2.0 = what they look after
colleague meeting find|change 2.2 = what they have called
colleague document find 1.4 = what they wrote
colleague project find 1.8 = what they lead
colleague colleague find 0.8 = their account in the other system
colleague channel find|change 0.3 =
channel|comment|place|repository|record * find 0.6 =
product order|bill find|sum 1.8 = who bought it
* place|repository|record|product find|change 0.3 =
* message make|tell 2.6 = to let them know
* comment make|tell 2.6 = to have it on record
* work make 2.2 = so that somebody takes it up
* work tell 2.2 = to have it on record
* reminder make 1.6 = so that it is not forgotten
* reminder tell 0.3 =
* meeting make 1.6 = to talk it through
* meeting tell 1.8 = to have it at hand in the meeting
* document tell 1.6 = to have it written down
* document make 0.5 = to have it written down
* bill make|tell 1.4 = to have it on the bill
* order|contract|payment make|tell 1.0 = to have it on record
* deal make|tell 1.6 = to have it on record
* project make 0.7 = so that it can be planned
* project tell 1.4 = to have it in the plan
* customer|firm tell 1.6 = to have it in their record
* customer|firm make 0.1 =
* colleague make 0.0 =
* colleague tell 0.1 =
* channel make 0.1 =
* channel tell 0.5 = for everybody to see
* product make|tell 0.05 =
* place|repository|record make 0.0 =
* place|repository|record tell 0.1 =
* article find 0.3 =
* article make|tell|change 0.0 =
work|project|document message make|tell 0.0 =
deal|customer|firm|repository message make|tell 0.0 =
customer|firm|deal|contract bill make 2.2 = to bill it
bill|order|payment work|comment make|tell 2.8 = to log it
message work make 2.8 = to log what they wrote
meeting document make 2.2 = to have minutes
deal meeting make 2.2 = to talk it through
deal project make 1.8 = to get it started
work meeting make 2.0 = to talk it through
customer meeting make 2.2 = to talk to them
""")
"""Sources, targets, families (each with |), worth, and the purpose in the reader's words."""

_IDS: Final[Mapping[str, float]] = {
    "work": 1.0, "bill": 1.0, "order": 1.0, "deal": 0.8, "payment": 0.8,
    "contract": 0.8, "project": 0.3,
}  # fmt: skip
"""Archetype of a new record → how far a person would pass its id on; others never."""

_BY_KIND: Final[Mapping[str, float]] = {
    "phone": 0.35, "url": 0.4, "title": 0.7, "date": 0.5, "datetime": 0.3, "file_name": 0.7,
}  # fmt: skip
"""Kind of a key → how far people look something up by it; others fully."""


def worth(source: str, target: str, pattern: str, kind: str = "") -> float:
    """How natural a move is: 0 is absurd, 1 neutral, up to 3 what people do every day.

    Args:
        source: archetype of the record that the carried fact belongs to.
        target: archetype of the record at the move's end: found, changed, made or told.
        pattern: the pattern's name.
        kind: of the carried fact.
    """
    family = FAMILIES.get(pattern, "find")
    if kind == "id" and family in ("tell", "make"):
        factor = _IDS.get(source, 0.0)
    elif family in ("find", "change", "sum"):
        factor = _BY_KIND.get(kind, 1.0)
    else:
        factor = 1.0
    return _row(source, target, family).worth * factor


def purpose(source: str, target: str, pattern: str) -> str:
    """What the move is for, in a few words; empty where nobody would say."""
    return _row(source, target, FAMILIES.get(pattern, "find")).purpose


@cache
def _row(source: str, target: str, family: str) -> Move:
    fitting = [
        move
        for move in MOVES
        if move.source in ("*", source)
        and move.target in ("*", target)
        and move.family in ("*", family)
    ]
    return max(fitting, key=lambda move: move.said)


# -- sinks ---------------------------------------------------------------------------------

_TEXTS: Final[Mapping[str, Mapping[str, float]]] = {
    "message": {"": 2.2, "code": 1.2, "email": 0.0, "phone": 0.0, "id": 0.6},
    "comment": {"": 1.8, "code": 1.0, "email": 0.8, "phone": 0.8, "id": 1.0},
    "work": {"": 0.0, "code": 1.6, "id": 1.0},
    "reminder": {"": 1.4, "email": 0.6, "phone": 1.6, "id": 0.0},
    "project": {"": 1.4, "email": 0.2, "phone": 0.1, "id": 0.4},
    "meeting": {"": 1.2, "phone": 1.0, "url": 2.0, "email": 0.4, "datetime": 0.4, "id": 0.6},
    "document": {"": 0.8, "email": 0.0, "phone": 0.0, "id": 0.3},
    "deal": {"": 1.2, "email": 0.3, "phone": 0.2, "id": 0.8},
    "bill": {"": 0.6, "code": 2.2, "date": 1.2, "title": 0.8, "email": 0.0, "phone": 0.0},
    "order": {"": 0.8, "code": 2.2, "date": 1.4, "email": 0.0, "phone": 0.3, "id": 0.8},
    "payment": {"": 0.8, "code": 2.0, "date": 1.4, "email": 0.0, "phone": 0.0},
    "contract": {"": 0.8, "code": 2.0, "date": 1.6, "email": 0.0, "phone": 0.0},
    "customer": {"": 0.8, "code": 1.4, "date": 1.4, "money": 1.2, "cents": 1.2, "email": 0.0,
                 "phone": 0.2, "person": 0.3, "company": 0.3, "id": 0.8},
    "firm": {"": 0.8, "code": 1.4, "date": 1.4, "money": 1.2, "cents": 1.2, "email": 0.3,
             "phone": 0.3, "person": 0.8, "company": 0.3, "id": 0.6},
    "colleague": {"": 0.05},
    "channel": {"": 0.3, "date": 0.8, "title": 0.6, "email": 0.0, "phone": 0.0, "id": 0.0},
    "product": {"": 0.05, "email": 0.0, "phone": 0.0, "person": 0.0, "id": 0.0},
    "repository": {"": 0.1, "email": 0.0, "phone": 0.0},
    "place": {"": 0.05, "email": 0.0, "phone": 0.0},
    "record": {"": 0.2, "email": 0.0, "phone": 0.0},
}  # fmt: skip
"""Archetype → kind of a fact → how far its text takes it; the empty kind is any other."""

_TYPED: Final[Mapping[str, Mapping[str, float]]] = {
    "work": {"date": 2.6, "datetime": 2.4, "code": 1.6, "money": 1.6, "cents": 1.6},
    "reminder": {"date": 2.0, "datetime": 2.0},
    "project": {"date": 2.4, "datetime": 1.6},
    "meeting": {"date": 2.4, "datetime": 2.4, "email": 2.0},
    "message": {"email": 2.6, "datetime": 1.6},
    "bill": {"date": 2.4, "money": 2.2, "cents": 2.2, "code": 1.4},
    "payment": {"money": 2.0, "cents": 2.0, "date": 1.0, "code": 1.0},
    "deal": {"date": 2.4, "money": 2.4},
    "contract": {"date": 2.2},
    "order": {"code": 1.6, "email": 0.8},
    "customer": {"phone": 1.8, "email": 0.8, "code": 1.2},
    "firm": {"phone": 1.2, "code": 1.0, "money": 0.8},
    "document": {"date": 2.0, "money": 1.6, "email": 1.0, "phone": 0.6, "code": 1.6},
}  # fmt: skip
"""Archetype → kind of a fact → how far a field of that kind takes it; else 0.6."""

_PRICED: Final = ("bill", "order", "payment", "contract", "deal", "product")

_TELLING: Final = ("message", "comment", "work", "meeting", "reminder", "payment")
"""Archetypes of records that are made for a fact's sake; a new deal is no notepad."""

_WHOLE: Final = frozenset(("description", "content", "body", "text", "details", "message"))
"""Text fields that hold all that a record says: one fact in their place would lose it."""

_NEVER: Final = frozenset((
    "signature", "bio", "topic", "definition", "status_text", "reason", "color", "icon",
    "given_name", "location", "query", "comment_text",
))  # fmt: skip
"""Text fields that no errand writes a fact into."""


def sink_worth(
    archetype: str,
    field_kind: str,
    fact_kind: str,
    pattern: str = "copy",
    field: str = "",
    source: str = "",
    mode: str = "",
) -> float:
    """How sensible it is that a field takes a fact: 0 never, 1 neutral, up to 3 natural.

    Args:
        archetype: of the record that the field belongs to.
        field_kind: "text" where the fact is stated in a text, else the field's own kind.
        fact_kind: of the carried fact.
        pattern: the pattern's name; a new customer takes no story in its note.
        field: the field's name, where it is known.
        source: archetype of the record that the fact is of; what a customer is worth is no
            amount of anything else.
        mode: of the tool: "set" would put the fact in the place of a whole description.
    """
    if pattern == "create" and archetype not in _TELLING:
        return 0.0
    if field_kind in ("money", "cents") and source and source not in _PRICED:
        return 0.2
    if "revenue" in field.lower() or (archetype == "document" and field_kind == "money"):
        return 0.0
    if field_kind not in ("text", "title"):
        held = _TYPED.get(archetype, {}).get(fact_kind, 0.6)
        return 0.0 if field.lower().startswith(("created", "updated")) else held
    if field.lower() in _NEVER:
        return 0.0
    row = _TEXTS.get(archetype, {"": 0.5})
    lasting = archetype not in ("message", "comment", "reminder") and pattern != "create"
    whole = lasting and mode not in ("append", "add") and field.lower() in _WHOLE
    return row.get(fact_kind, row[""]) * (0.2 if whole else 1.0)


__all__ = [
    "FAMILIES",
    "MOVES",
    "Move",
    "deed_worth",
    "filter_worth",
    "handle_worth",
    "purpose",
    "sink_worth",
    "tale_worth",
    "worth",
]
