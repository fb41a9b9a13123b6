"""Purposes: why somebody asks for an action, as people add it to a sentence.

None of them sets a condition or asks for more: an instruction without them demands the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from compoworld_tasks_walk import archetypes, moves, stories, topics, verbs, words
from compoworld_tasks_walk.lexicon import MAIN_TEXT
from compoworld_tasks_walk.script import (
    Action,
    Attempt,
    Change,
    Drop,
    Either,
    FactOf,
    Make,
    NewId,
    Said,
    Script,
    Tell,
)

_AIMS: Final[Mapping[str, tuple[str, ...]]] = {
    "message": (
        "so that they know where things stand",
        "to keep them posted",
        "so that they don't have to ask",
    ),
    "comment": (
        "for whoever picks it up next",
        "so that the team has it at hand",
    ),
    "work": (
        "so that somebody on our side takes it up",
        "so that it does not slip through",
    ),
    "meeting": ("to go through everything with them", "to make time for them"),
    "reminder": ("so that I don't forget to call them", "so that I get back to them in time"),
    "document": ("so that there is something in writing", "to have this written down"),
    "project": ("so that this can be planned",),
    "text": ("for reference", "to have everything in one place"),
}
"""What a new record, or a fact put into a text, is for; said at the start of a sentence."""


def reasons(script: Script, action: Action) -> tuple[str, ...]:
    """Why a record is changed as it is: clauses that go after "since"."""
    if isinstance(action, Either | Attempt | Tell):
        return ()
    if isinstance(action, Make):
        return ()
    if action.why:
        return (action.why,)
    record = script.records[action.record]
    archetype = record.archetype or archetypes.named(record.noun) or ""
    if isinstance(action, Drop):
        said = stories.words_of(action.tool, dict(action.effect))
    elif isinstance(action.value, Said):
        # a deed with a reason of its own ("cancel it, giving …") says that one
        said = [] if verbs.drop_of(action.tool) else [stories.word_of(action.value.value)]
    else:
        said = []
    return stories.reasons(topics.parts(script.topic)[1], archetype, said)


_SETS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("deal", "date"): (
        "so that the forecast is right",
        "since that is when it will be settled",
    ),
    ("deal", "money"): ("so that the forecast is right", "since that is what it comes to"),
    ("work", "date"): ("so that it is done in time", "so that we don't miss the day"),
    ("work", "money"): ("so that the amount is on record",),
    ("document", "date"): ("so that the page is up to date",),
    ("document", "money"): ("so that the page is up to date",),
    ("bill", "date"): ("as agreed with them",),
    ("project", "date"): ("so that the plan is right",),
}
"""Archetype and kind of value → why a field is set to what was found elsewhere."""
_LINKED: Final = ("so that the two can be matched", "as a cross-reference")
"""Why a number is told."""
_RANKED: Final = ("larger amounts come first with us", "we go by the amount")
"""Why something depends on an amount; a clause."""


def _told(action: Make) -> set[str]:
    return {
        value.kind for _, values in action.states for value in values if hasattr(value, "kind")
    }


def aims(script: Script, action: Action) -> tuple[str, ...]:
    """What the action is for, to be said before it."""
    if isinstance(action, Either | Attempt | Tell):
        return ()
    if isinstance(action, Drop) or (
        isinstance(action, Change) and isinstance(action.value, Said)
    ):
        return ()
    record = script.records.get(action.record)
    if record is None:
        return ()
    if isinstance(action, Change) and not isinstance(action.value, NewId):
        kept = _SETS.get((record.archetype, action.value.kind))
        if kept:
            return kept
    if isinstance(action, Make) and record.archetype == "comment" and _told(action) == {"code"}:
        return _LINKED
    if isinstance(action, Change):
        textual = words.bare(action.field) in MAIN_TEXT | _NOTES
        return _AIMS["text"] if textual else ()
    return _AIMS.get(archetypes.named(record.noun) or "", ())


def questions(script: Script, key: str, seen: Collection[str]) -> tuple[str, ...]:
    """What a record is looked up for, where one that was seen leads to it: "whose it is"."""
    target = archetypes.named(script.records[key].noun)
    for trait in script.records[key].traits:
        led = trait.value
        if target is None or not isinstance(led, FactOf) or led.record not in seen:
            continue
        source = archetypes.named(script.records[led.record].noun)
        asked = moves.purpose(source, target, "join") if source is not None else ""
        return (asked,) if asked.startswith("wh") and not script.records[key].many else ()
    return ()


_NOTES: Final = frozenset(("note", "notes", "memo", "description", "details"))
