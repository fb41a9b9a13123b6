"""Purposes: why somebody asks for an action, as people add it to a sentence.

None of them sets a condition or asks for more: an instruction without them demands the same.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from compoworld_tasks_walk import archetypes, motives, moves, stories, topics, verbs
from compoworld_tasks_walk.parties import keys_of
from compoworld_tasks_walk.script import (
    Action,
    Attempt,
    Change,
    Converted,
    Drop,
    Either,
    FactOf,
    Make,
    NewId,
    Said,
    Script,
    Shifted,
    Stated,
    Tell,
    Timed,
    Value,
    records_of,
    simple,
)

_RANKED: Final = (
    "we have to look after larger amounts sooner",
    "the larger amounts can't wait",
)
"""Why something depends on an amount; clauses that go after "since"."""


_ASKED: Final = (
    "so that I can tell them when they call",
    "so that I have it at hand when we talk",
)
"""Why somebody wants to be told something."""


_SUMMED: Final = {
    "comment": (
        "so that whoever works on it has the details",
        "so that nobody has to ask for the details",
        "so that whoever opens it next knows where we stand",
    ),
    "document": (
        "so that it is all written down in one place",
        "so that whoever opens it next knows where we stand",
    ),
    "message": (
        "so that they know how things stand",
        "so that they are up to date",
        "so that they can plan with it",
    ),
    "work": ("so that whoever takes it has the details",),
    "customer": (
        "so that they have it in writing",
        "so that they know where things stand",
    ),
}
"""Archetype of what sums up several facts → why; `customer` where it goes to the customer."""


_BOTH: Final = 2
"""Facts of which each is given its reason; of more, one reason says it all."""
_SO: Final = "so that "
_ABOUT: Final = "so that whoever"
"""Who is meant is said by a clause of its own, which is not said twice."""
_OPEN: Final = ("when", "what", "by", "how", "which", "the")
"""Words that no shared beginning ends with."""


def reasons(script: Script, action: Action) -> tuple[str, ...]:
    """Why a record is changed as it is: clauses that go after "since"."""
    if isinstance(action, Either):
        return _RANKED if action.test.test == "above" else ()
    if isinstance(action, Attempt | Tell | Make):
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
    if isinstance(action, Either | Attempt | Drop):
        return ()
    record = script.records.get(action.record)
    if record is None:
        return ()
    archetype = record.archetype or archetypes.named(record.noun) or ""
    told, outward = _told(action), _outward(script, action)
    several = len({(type(value), *records_of(value)) for value in told}) > 1
    if not several and not (len(told) > 1 and isinstance(told[0], Stated)):
        found = (_aims_of(script, action, archetype, value, outward) for value in told)
        return next(filter(None, found), ())
    each = [_aims_of(script, action, archetype, value, outward) for value in told]
    if len(each) == _BOTH and all(each):
        return _both(*each)
    summed = _SUMMED.get("customer" if outward else archetype, ())
    return (*summed, *(each[0] if isinstance(told[0], Stated) else ()))


def _both(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """What two facts are for, in one phrase; the same thing is said once."""
    if one == other or not other[0].startswith(_SO):
        return one
    return tuple(
        f"{first} and {_further(first, second)}"
        for first, second in zip(one, other, strict=False)
    )


def _further(first: str, second: str) -> str:
    """A second purpose without "so that", nor whom it is about where the first one says so."""
    one, other = first.split(), second.split()
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    subject = " ".join(other[: same if other[same - 1] not in _OPEN else same - 1])
    shared = subject.startswith(_ABOUT) and len(subject.split()) > len(_ABOUT.split())
    return second.removeprefix(subject if shared else _SO).strip()


def _aims_of(
    script: Script, action: Change | Make, archetype: str, value: Value, outward: bool
) -> tuple[str, ...]:
    """What one fact is passed on for."""
    story = topics.parts(script.topic)[1]
    plain = value.of if isinstance(value, Shifted | Converted | Timed) else value
    if isinstance(plain, Stated) and archetype != "deal" and not outward:
        held = stories.matter(story, plain.name)
        noted = isinstance(action, Make) and archetype in ("comment", "document")
        if held is not None and (held.desk if noted else held.why):
            return (held.desk if noted else held.why,)
    of = _subject(script, action, value)
    for form in ("text",) if isinstance(value, NewId) else (value.kind, "text"):
        motive = motives.motive(story, of, archetype, form)
        if motive is not None and all(motive.reasons):
            return motive.reasons
    return ()


def _outward(script: Script, action: Change | Make) -> bool:
    """Does it go to the customer, who knows what it is for?"""
    theirs = () if script.hero is None else keys_of(script.hero)
    said = action.said if isinstance(action, Make) else ()
    return any(value.value in theirs for _, value in said)


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
