"""Summing: what a remark tells besides the fact that led to it.

Nobody notes a number alone where the amount stands beside it, and who writes to somebody at the
end sums up what was done.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from compoworld_core.types import Kind
from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.moves import tale_worth
from compoworld_tasks_walk.patterns.notes import stated
from compoworld_tasks_walk.patterns.records import facts_of
from compoworld_tasks_walk.planting import Said
from compoworld_tasks_walk.purposes import together
from compoworld_tasks_walk.script import Attempt, Either, FactOf, Stated, simple
from compoworld_tasks_walk.sinks import motive_of, news, private, reader

LIKELY: Final = 0.85
"""How often a remark tells more than the one fact, where there is more."""
REMARKED: Final = 2
"""Facts of a remark at most; a message to the customer has room for one more."""
LEAST: Final = 0.7
"""What is worth less to tell is not told besides."""
_ALIKE: Final[dict[Kind, Kind]] = {"cents": "money", "datetime": "date"}
"""Kinds that are one: of two amounts in a text a reader would not know which is which."""


def besides(draft: Draft, visit: int, fact: Known, write: Write) -> list[Known]:
    """What a new record's text tells besides a fact: of the same record, then of what was done.

    Args:
        draft: the plan so far.
        visit: at which the record is made.
        fact: what it is made for.
        write: what makes it.
    """
    archetype = draft.catalogue.archetype(write.service, write.table)
    plain = isinstance(fact.value, FactOf | Stated) and fact.source == "field"
    if not plain or archetype not in ("comment", "message", "document", "work"):
        return []
    if draft.rng.random() >= LIKELY:
        return []
    message = archetype == "message"
    outward = message and news(draft, fact)
    target = reader(draft, write, fact)
    first = motive_of(draft, fact, target, "text")
    kinds = {_ALIKE.get(fact.kind, fact.kind)}
    found: list[Known] = []
    listed = [*_beside(draft, visit, fact)]
    past = [one for one in reversed(draft.carried) if outward and _past(draft, one)]
    done = [one for one in past if one.settled]
    listed = [*done, *listed, *(one for one in past if not one.settled)]
    for one in listed:
        kind = _ALIKE.get(one.kind, one.kind)
        motive = motive_of(draft, one, target, "text")
        if (
            kind not in kinds
            and motive is not None
            and not private(draft, write, one, motive)
            and not (outward and not news(draft, one))
            and draft.tells_apart(one)
            and (outward or first is None or together(first.reasons, motive.reasons))
        ):
            kinds.add(kind)
            found.append(one)
        if len(found) + 1 == REMARKED + outward:
            break
    draft.besides += found
    return found


def _beside(draft: Draft, visit: int, fact: Known) -> Iterator[Known]:
    """What else the fact's record tells: in its fields, or in the same text."""
    rec = draft.records.get(fact.record)
    if rec is None or rec.many or rec.pair is None or _uncertain(draft, rec):
        return
    if isinstance(fact.value, Stated):
        for one in rec.pair.said.get(fact.field, ()):
            if one.names is None and one.name != fact.value.name:
                stated_too = _said(draft, visit, rec, fact.field, one)
                if not draft.spent(stated_too):
                    yield stated_too
        return
    for told in facts_of(draft, rec, visit):
        shown = told.field in rec.lookup.reveals or told.field in rec.got
        if shown and tale_worth(told.field) >= LEAST and not draft.spent(told):
            yield told


def said_in(draft: Draft, visit: int, rec: Rec) -> list[Known]:
    """The days and amounts that the texts of a record say."""
    said = rec.pair.said if rec.pair else {}
    return [
        _said(draft, visit, rec, name, one)
        for name, sentences in said.items()
        for one in sentences
        if one.names is None
    ]


def _said(draft: Draft, visit: int, rec: Rec, field: str, one: Said) -> Known:
    """A sentence of a text as a fact."""
    pair = rec.pair
    assert pair is not None, "it was planted"

    def written(value: object) -> str:
        return pair.text(field, one, value)

    values = (one.hero, one.shadow)
    return stated(draft, rec, field, one.name, one.kind, values, written, visit)


def _past(draft: Draft, one: Known) -> bool:
    """Is it a fact of the errand that may be told again, where it is summed up?"""
    rec = draft.records.get(one.record)
    told = isinstance(one.value, FactOf | Stated) and one.source == "field" and not one.names
    return told and rec is not None and not rec.many and not _uncertain(draft, rec)


def _uncertain(draft: Draft, rec: Rec) -> bool:
    """Does it depend on something what becomes of the record?"""
    return any(
        part.record == rec.id
        for whole in draft.actions
        if isinstance(whole, Attempt | Either)
        for part in simple(whole)
    )
