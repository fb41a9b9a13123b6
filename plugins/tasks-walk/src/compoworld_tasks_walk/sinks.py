"""Sinks: which fields of a write take a carried fact, and how sensible that is."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from compoworld_tasks_walk import motives, moves, stories
from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.reach import tale
from compoworld_tasks_walk.script import FactOf, Figure, Shifted, Stated, Timed


def accepts(draft: Draft, write: Write, name: str, fact: Known) -> str:
    """How a sink takes a fact: "typed", "text" or not at all (empty)."""
    profile = draft.profile(write.service, write.table)
    column = profile.fields.get(name)
    into = write.sinks[name]
    if column is None or column.fact.ref or column.fact.enum or into.slot.enum:
        return ""
    if name in write.exists or name in write.unique:
        return ""
    if column.fact.kind == "text" and into.slot.json_type == "string":
        return "text" if column.prose else ""
    if into.slot.template != "{}" or into.slot.json_type not in ("string", "integer", "number"):
        return ""
    same = column.fact.kind == fact.kind and fact.kind not in (
        "title",
        "person",
        "company",
        "url",
    )
    if not same or isinstance(fact.hero, str) != (into.slot.json_type == "string"):
        return ""
    place = (write.service, write.table, name)
    if fact.kind in ("code", "phone") and place not in draft.catalogue.joins.get(
        (fact.service, fact.table, fact.field), ()
    ):
        return ""
    if fact.kind == "email" and column.staff != _is_staff(draft, fact):
        return ""
    return "typed"


PAID = ("order", "payment", "bill")
"""Archetypes of records whose amount may be paid back."""
DUE = 1.8
"""From this worth on a day is one to which something is due."""
UNMOVED = 0.2
"""How much less a fact is passed on without a motive, where that is allowed at all."""
ABSURD = 0.3
"""What is worth no more than this is never done."""


@frozen
class Place:
    """A sink that takes a fact: typed, or stated in its text, and how sensible that is."""

    name: str
    how: str
    worth: float


def places(draft: Draft, write: Write, fact: Known, pattern: str) -> list[Place]:
    """The sinks of a write that take a fact, none of which would be absurd."""
    if fact.names is not None:
        return []  # it says which record is meant, and nothing to be told
    key = (write.service, write.tool, write.table, *_likeness(draft, fact, pattern))
    known = draft.catalogue.places
    if key not in known:
        own = isinstance(fact.value, FactOf | Figure)
        reckoned = isinstance(fact.value, Shifted | Timed)
        known[key] = [
            place
            for place in _places(draft, write, fact, pattern, own)
            if place.how == "typed" or not reckoned  # a day is reckoned to be due
            if place.how == "text" or _settable(draft, fact, write, place)
        ]
    return known[key]


def fitting(
    draft: Draft, service: str, fact: Known, pattern: str
) -> list[tuple[Write, list[Place]]]:
    """The writes of a service that take a fact, each with its sinks that do."""
    if fact.names is not None:
        return []
    known, key = draft.catalogue.fitting, (service, *_likeness(draft, fact, pattern))
    if key not in known:
        found = (
            (write, places(draft, write, fact, pattern))
            for write in draft.catalogue.writes(service)
        )
        known[key] = [pair for pair in found if pair[1]]
    return known[key]


def _likeness(draft: Draft, fact: Known, pattern: str) -> tuple[Any, ...]:
    """What decides which sinks take a fact, as far as it is the fact's and the story's."""
    return (
        fact.service, fact.table, fact.field, fact.kind, isinstance(fact.hero, str),
        type(fact.value), fact.value.op if isinstance(fact.value, Figure) else "",
        fact.kind == "email" and _is_staff(draft, fact), pattern, draft.story, draft.lenient,
        subject_of(draft, fact), motives.matter_of(fact.value),
    )  # fmt: skip


def _settable(draft: Draft, fact: Known, write: Write, place: Place) -> bool:
    """Does one set a field to this: what was agreed on or reckoned, or a day that is due?"""
    if "refund" in place.name and not stories.reasons(draft.story, "order", ["refund"]):
        return False  # nobody is owed money
    if place.name.startswith("end"):
        return False  # it follows from when it starts
    if isinstance(fact.value, Stated):
        held = stories.matter(draft.story, fact.value.name)
        deal = draft.catalogue.archetype(write.service, write.table) == "deal"
        return held is None or deal or not held.early  # what is due that day comes too late
    if not isinstance(fact.value, FactOf | Figure):
        return True
    if fact.kind in ("money", "cents"):
        paid = draft.catalogue.archetype(fact.service, fact.table) in PAID
        whole = isinstance(fact.value, Figure) and fact.value.op == "sum"
        return whole or (paid and "refund" in place.name)
    return fact.kind not in ("date", "datetime") or moves.tale_worth(fact.field) >= DUE


def subject_of(draft: Draft, fact: Known) -> str:
    """What a fact is to the errand, as motives have it."""
    archetype = draft.catalogue.archetype(fact.service, fact.table)
    return motives.subject(
        fact.value, archetype, fact.kind, settled=fact.settled, story=draft.story
    )


def _places(draft: Draft, write: Write, fact: Known, pattern: str, own: bool) -> list[Place]:
    archetype = draft.catalogue.archetype(write.service, write.table)
    source = draft.catalogue.archetype(fact.service, fact.table)
    told = tale(draft.catalogue, fact.service, fact.table, fact.field) if own else 1.0
    fields = draft.profile(write.service, write.table).fields
    found = []
    for name in write.sinks:
        how = accepts(draft, write, name, fact)
        if how == "text" and (not told or _overwrites(write, name)):
            continue
        if how:
            kind = "text" if how == "text" else fields[name].fact.kind
            motive = motive_of(draft, fact, reader(draft, write, fact), kind)
            if private(draft, write, fact, motive):
                continue
            worth = (told or 1.0) * moves.sink_worth(
                archetype, kind, fact.kind, pattern, name, source, write.sinks[name].mode
            )
            if (motive is not None or draft.lenient) and worth > ABSURD:
                worth *= motive.worth / 2 if motive is not None else UNMOVED
                found.append(Place(name, how, worth))
    return found


def motive_of(draft: Draft, fact: Known, target: str, form: str) -> motives.Motive | None:
    """Why a fact is told to whoever reads a record; None where nobody would."""
    named = motives.matter_of(fact.value)
    return motives.motive(draft.story, subject_of(draft, fact), target, form, named)


def private(draft: Draft, write: Write, fact: Known, motive: motives.Motive | None) -> bool:
    """Is it none of the business of who reads it there: a figure on a customer's ticket, what
    we note in their request, or in the channel of our support what they have no use for?"""
    kind = draft.catalogue.archetype(write.service, write.table)
    if kind == "work" and write.op == "create":
        return draft.noun(write.service, write.table).endswith("request")
    if kind == "comment" and write.parent is not None:
        noun = draft.noun(write.service, write.parent[0])
        held = stories.matter(draft.story, motives.matter_of(fact.value))
        theirs = not isinstance(fact.value, FactOf | Figure) and (not held or bool(held.tell))
        return not theirs and fact.kind in motives.MONEY and noun.endswith("ticket")
    fields = draft.profile(write.service, write.table).fields
    refs = [fields[name].fact.ref for name in write.required if name in fields]
    posted = any(r and draft.catalogue.archetype(write.service, r) == "channel" for r in refs)
    if kind != "message" or not posted or motive is None or news(draft, fact):
        return False
    return not any(motives.SUPPORT in reason for reason in motive.reasons)


def reader(draft: Draft, write: Write, fact: Known) -> str:
    """The archetype of what a write makes or changes; of a message, whom it goes to."""
    archetype = draft.catalogue.archetype(write.service, write.table)
    if archetype != "message":
        return archetype
    return "letter" if news(draft, fact) else "memo"


def _overwrites(write: Write, name: str) -> bool:
    """Would the fact take the place of what the record's text says?"""
    return write.op == "update" and write.sinks[name].mode == "set"


def _is_staff(draft: Draft, fact: Known) -> bool:
    return any(person.email == fact.hero for person in draft.catalogue.world.cast.staff)


def news(draft: Draft, fact: Known) -> bool:
    """Is it news to the customer? What they have written themselves is none."""
    if not isinstance(fact.value, Stated):
        return True
    held = stories.matter(draft.story, fact.value.name)
    ours = draft.catalogue.archetype(fact.service, fact.table) in OURS
    return ours and (held is None or bool(held.tell))


OURS = ("document", "meeting", "comment")
"""Archetypes of records in which our own people write."""
