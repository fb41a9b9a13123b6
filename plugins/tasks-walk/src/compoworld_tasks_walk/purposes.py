"""Purposes: why somebody asks for an action, as people add it to a sentence.

None of them sets a condition or asks for more: an instruction without them demands the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from compoworld_tasks_walk import archetypes, moves, verbs, words
from compoworld_tasks_walk.lexicon import MAIN_TEXT, table
from compoworld_tasks_walk.script import (
    Action,
    Attempt,
    Change,
    Drop,
    Either,
    FactOf,
    Make,
    Said,
    Script,
    Tell,
)

_SINCE: Final = table("""
paid = the money is on our account | the payment has arrived
cancel cancelled canceled = they changed their minds | they asked for that
void voided = the billing was wrong | that was a mistake on our side
finalise finalize = everything is agreed | there is nothing left to check
refund refunded = we owe them the money | that is what we promised
resolved solved resolve close closed = that is settled | nothing is left to do there
done complete completed = that was dealt with yesterday | nothing is left to do there
pending waiting = we are waiting for an answer | the answer has to come from them
on_hold hold = this has to wait for now
urgent high critical = this can't wait | people are waiting for this
low = there is no rush | this can wait a little
inactive = they don't buy from us any more | they have left us
archive archived = nobody needs this any more
fulfill fulfil fulfilled shipped = the goods are on their way
incident = more than one person is affected
problem = this comes up again and again
merge = the review is through
disable deactivate disabled = nobody should use this any more
reopen = this is not settled after all
suspend paused = nobody needs this at the moment
""")
"""Word of a status or of a deed → reasons, each a clause; none says "it"."""

_AIMS: Final[Mapping[str, tuple[str, ...]]] = {
    "message": (
        "to keep everybody posted",
        "so that nobody has to ask",
        "to avoid surprises",
        "so that we all know the same",
    ),
    "comment": (
        "for the record",
        "so that nothing gets lost",
        "for whoever looks at this next",
    ),
    "work": (
        "so that somebody takes care of this",
        "to get this going",
        "so that this does not slip through",
    ),
    "meeting": ("to make time for this", "so that we can talk this through"),
    "reminder": ("so that nobody forgets", "to be on the safe side"),
    "document": ("so that there is something in writing", "to have this written down"),
    "project": ("so that this can be planned",),
    "text": ("for reference", "to have everything in one place"),
}
"""What a new record, or a fact put into a text, is for; said at the start of a sentence."""


def reasons(script: Script, action: Action) -> tuple[str, ...]:
    """Why a record is changed as it is: clauses that go after "since"."""
    if isinstance(action, Either | Attempt | Tell):
        return ()
    if isinstance(action, Make) or (isinstance(action, Change) and verbs.drop_of(action.tool)):
        return ()  # a deed with a reason of its own says that one
    done = verbs.drop_of(action.tool, script.records[action.record].noun) == "complete {}"
    for said in ("finalise",) if done else _deeds(action):
        if said in _SINCE:
            return tuple(_SINCE[said].split(" | "))
    return ()


def _deeds(action: Change | Drop) -> list[str]:
    """Words of what the action does, the most telling first."""
    found: list[str] = []
    if isinstance(action, Change) and isinstance(action.value, Said):
        found.append(_word(action.field, action.value.value))
    if isinstance(action, Drop):
        found += [_word(name, value) for name, value in action.effect]
    if isinstance(action, Drop) and verbs.drop_of(action.tool):
        found += words.split(action.tool).split()
    return found


def _word(field: str, value: object) -> str:
    flag = isinstance(value, bool)
    said = words.boolean(field, value) if flag else words.enum(value)
    return said.replace(" ", "_")


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
