"""Purposes: why somebody asks for an action, as people add it to a sentence.

None of them sets a condition or asks for more: an instruction without them demands the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import product
from typing import Final

from compoworld_tasks_walk import archetypes, motives, moves, stories, topics, verbs
from compoworld_tasks_walk.parties import keys_of
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
    Stated,
    Tell,
    Value,
    records_of,
    simple,
)

_RANKED: Final = (
    "our rules put larger amounts first",
    "larger amounts have to be dealt with first",
    "our director wants larger amounts handled quickly",
)
"""Why something depends on an amount."""


_ASKED: Final = (
    "so that I have it ready for our next call",
    "so that I have it at hand when we talk",
)
"""Why somebody wants to be told something."""


_SUMMED: Final = {
    "comment": ("my colleagues work from those notes", "so that my colleagues have it all"),
    "document": ("I want to have it all in one place", "my colleagues work from that page"),
    "message": ("so that they have it all in one place", "I won't be there to tell them"),
    "work": ("so that my colleagues have it all in one place",),
    "customer": ("they asked me for it in writing", "I promised them a summary"),
}
"""Archetype of what sums up several facts → why; `customer` where it goes to the customer."""


_EACH: Final = (
    "our support has it at hand then, whichever they answer",
    "our support should tell them the same on all of them",
)
"""Why each of several records is told the same."""
_BOTH: Final = 2
"""Facts of which each is given its reason; of more, one reason says it all."""
_APART: Final = {
    "deal-day",
    "deal-amount",
    "work-day",
    "work-number",
    "bill-day",
    "bill-amount",
}
"""Facts of one record that are told for different reasons."""
_SO: Final = "so that "
_THEY: Final = "so that they"
_SAME: Final = (
    motives.WHO,
    "they asked",
    "my successor",
    "accounting",
    "our bookkeeper",
    "our director",
    "our support",
    "our sales team",
    "our engineers",
    "our claim",
    "the new contract",
    "the new invoice",
    "IT",
    "they have to",
    "the carrier",
    "our offer",
)
"""How two reasons begin that are said as one."""
_VAGUE: Final = re.compile(
    r"\b(?:it|that (?:day|sum|price|fee|figure|much|part|long)|(?:before|after|than|by) that)\b"
    r"|\bthat(?: [a-z]+)?(?: too)?$|\bthen$|^(?:that|all that) "
)
"""Words that could mean either of two facts."""
_OPEN: Final = ("when", "what", "by", "how", "which", "the")
"""Words that no shared beginning ends with."""


def reasons(script: Script, action: Action) -> tuple[str, ...]:
    """Why a record is changed as it is: clauses that go after "since"."""
    if isinstance(action, Attempt):
        return reasons(script, action.first)
    if isinstance(action, Tell | Make | Either):
        return ()
    if action.why:
        return (action.why,)
    record = script.records[action.record]
    archetype = record.archetype or archetypes.named(record.noun) or ""
    if isinstance(action, Drop):
        said = stories.words_of(action.tool, dict(action.effect))
    elif isinstance(action.value, Said):
        deed = stories.words_of(action.tool, {}) if verbs.drop_of(action.tool) else []
        said = [stories.word_of(action.value.value), *deed]
    else:
        said = []
    return stories.reasons(topics.parts(script.topic)[1], archetype, said)


def aims(script: Script, action: Action) -> tuple[str, ...]:
    """What the action is for: phrases that stand before or after the request."""
    if isinstance(action, Tell):
        return _ASKED
    if isinstance(action, Either):
        return _RANKED if action.test.test == "above" else ()
    if isinstance(action, Attempt | Drop):
        return ()
    record = script.records.get(action.record)
    if record is None:
        return ()
    archetype = record.archetype or archetypes.named(record.noun) or ""
    parent = script.records.get(action.parent) if isinstance(action, Make) else None
    if parent is not None and parent.many:
        return _EACH
    told, outward = _told(action), _outward(script, action)
    several = len({(type(value), *records_of(value)) for value in told}) > 1
    several |= len({_subject(script, action, value) for value in told} & _APART) > 1
    if not several and not (len(told) > 1 and isinstance(told[0], Stated)):
        found = (_aims_of(script, action, archetype, value, outward) for value in told)
        return next(filter(None, found), ())
    each = [_aims_of(script, action, archetype, value, outward) for value in told]
    alike = len({tuple(records_of(value)) for value in told}) == 1
    if len(each) == _BOTH and all(each) and (alike or not outward):
        return _both(*each)
    return _SUMMED.get("customer" if outward else archetype, ())


def _both(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """What two facts are for, in lines; the same thing is said once."""
    if one == other:
        return one
    joined = [_joined(*pair) for pair in product(_clear(one), _clear(other))]
    return tuple(both for both in joined if "\n" not in both) or tuple(joined)


def together(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Can one sentence say what two facts are for? Two in a row a reader has to match."""
    return any("\n" not in both for both in _both(one, other))


def _clear(reasons: tuple[str, ...]) -> tuple[str, ...]:
    """The reasons that say what they are about, where there are such; "it" could be either."""
    return tuple(one for one in reasons if not _VAGUE.search(one)) or reasons


def _joined(first: str, second: str) -> str:
    """Two purposes in a line each, or in one where both are what somebody gets to know."""
    who = next((one for one in _SAME if first.startswith(f"{one} ")), first.split()[0])
    shared = who in _SAME or (who[0].isupper() and who != "I")
    if shared and second.startswith(f"{who} "):
        return f"{first} and {second.removeprefix(who).strip()}"
    if not (first.startswith(_SO) and second.startswith(_SO)):
        return f"{first}\n{second}"
    if _THEY not in first or _THEY not in second:
        return f"{first}, and {second.removeprefix(_SO)}"
    one, other = first.split(), second.split()
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    subject = " ".join(other[: same if other[same - 1] not in _OPEN else same - 1])
    return f"{first} and {second.removeprefix(subject).strip()}"


def _aims_of(
    script: Script, action: Change | Make, archetype: str, value: Value, outward: bool
) -> tuple[str, ...]:
    """What one fact is passed on for."""
    story = topics.parts(script.topic)[1]
    of, named = _subject(script, action, value), motives.matter_of(value)
    if archetype == "message":
        archetype = "letter" if outward else "memo"
    for form in ("text",) if isinstance(value, NewId) else (value.kind, "text"):
        motive = motives.motive(story, of, archetype, form, named)
        if motive is not None and all(motive.reasons):
            who = _colleague(script, action)
            return _for(who, motive.reasons, posted=archetype == "memo" and not who)
    return ()


def _for(who: str, reasons: tuple[str, ...], *, posted: bool) -> tuple[str, ...]:
    """The reasons that speak of the colleague who is written to; others where there is none."""
    theirs = tuple(reason for reason in reasons if motives.WHO in reason)
    if who and theirs:
        return tuple(reason.replace(motives.WHO, who) for reason in theirs)
    if posted and any(motives.SUPPORT in reason for reason in reasons):
        return tuple(reason for reason in reasons if motives.SUPPORT in reason)
    return tuple(reason for reason in reasons if motives.WHO not in reason)


def _colleague(script: Script, action: Change | Make) -> str:
    """The first name of the colleague whom a message goes to; empty where it goes to nobody."""
    if not isinstance(action, Make):
        return ""
    sent = [said.value for _, said in action.said if said.kind == "email"]
    return script.staff.get(str(sent[0]), "") if len(sent) == 1 else ""


def _outward(script: Script, action: Change | Make) -> bool:
    """Does it go to the customer: to their address, or into a channel of theirs?"""
    if not isinstance(action, Make):
        return False
    theirs = () if script.hero is None else keys_of(script.hero)
    held = (action.parent, *(place for _, place in action.places))
    places = [place for place in held if place in script.records]
    named = [trait.value for place in places for trait in script.records[place].traits]
    said = [*(value for _, value in action.said), *named]
    return any(isinstance(value, Said) and value.value in theirs for value in said)


def _told(action: Change | Make) -> list[Value]:
    """The values that the action passes on."""
    if isinstance(action, Change):
        return [] if isinstance(action.value, Said) else [action.value]
    stated = [value for _, values in action.states for value in values]
    return [*(value for _, value in action.takes), *stated]


def _subject(script: Script, action: Action, value: Value) -> str:
    """What a value is to the errand when an action passes it on."""
    keys = records_of(value)
    archetype = settled = ""
    if keys and keys[0] in script.records:
        record = script.records[keys[0]]
        archetype = record.archetype or archetypes.named(record.noun) or ""
        earlier = script.actions[: script.actions.index(action)]
        deeds = [
            motives.deed(part)
            for whole in earlier
            if not isinstance(whole, Attempt)  # it may come to nothing
            for part in simple(whole)
            if part.record == keys[0]
        ]
        settled = next((deed for deed in deeds if deed), "")
    kind = "id" if isinstance(value, NewId) else value.kind
    story = topics.parts(script.topic)[1]
    return motives.subject(value, archetype, kind, settled=settled, story=story)


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
