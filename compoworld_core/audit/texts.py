"""Wrong texts: the fact is missing, hedged, denied, or in the wrong place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Final

from attrs import evolve

from compoworld_core.audit.deeds import by_other_tool
from compoworld_core.audit.effects import (
    Effect,
    changed,
    contents,
    interchangeable,
    shuffled,
    spots,
)
from compoworld_core.audit.kinds import wrong
from compoworld_core.audit.rivals import rival_of
from compoworld_core.audit.spellings import plain
from compoworld_core.audit.toolbox import lookalikes, meaning
from compoworld_core.audit.trial import Trial
from compoworld_core.audit.writes import Slot, Unfit, Write, one_call
from compoworld_core.environment import Environment

Compose = Callable[[Slot, str], str]
"""(slot, a rival of its first fact as a person writes it) → the text."""


DENIALS: Final = (
    "not {}", "it is not {}", "this isn't {}", "definitely not {}", "anything but {}",
    "{} is not correct", "no longer {}", "{} was a mistake, please ignore it",
    "it wasn't {}", "it cannot be {}", "{} does not apply", "please disregard {}",
    "{} turned out to be wrong", "{} is outdated",
)  # fmt: skip
"""Ways to say that it is not the value."""

DOUBTS: Final = (
    "I could not find out whether it is {}", "it may or may not be {}",
    "not sure if it is {}", "is it {}?", "I doubt that it is {}",
    "it is unclear whether {} is right", "perhaps {}, perhaps not",
)  # fmt: skip
"""Ways to leave open whether it is the value."""


CHOICES: Final = (
    "either {} or {}", "{} / {}", "{} or maybe {}", "{}, {}", "{} and {}",
    "{}; alternatively {}", "one of {} and {}",
)  # fmt: skip
"""Ways to give two values and leave the choice to the reader."""

REPLACED: Final = (
    "{right} is wrong, it is {other}", "{other} (not {right})", "{other} (was {right})",
    "formerly {right}, now {other}", "{other} instead of {right}",
    "corrected from {right} to {other}",
)  # fmt: skip
"""Ways to say that another value holds instead."""


def texts(trial: Trial, rng: Random) -> Iterator[tuple[Write, Slot]]:
    """The texts around facts, in a drawn order."""
    return ((write, slot) for write, slot in spots(trial, rng) if slot.is_text and slot.facts)


def _composed(trial: Trial, rng: Random, compose: Compose, *, rival: bool) -> Environment:
    """Write a text otherwise at the first place where that works."""
    why = "no text states a fact"
    for write, slot in texts(trial, rng):
        fact = slot.facts[0]
        try:
            other = ""
            if rival:
                raw = rival_of(trial, fact, rng, service=write.step.service)
                other = plain(fact.kind, raw)
            text = compose(slot, other)
            return trial.with_write(write, write.edited(slot.path, text))
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


@wrong
def vague_text(trial: Trial, rng: Random) -> Environment:
    """Wrote a polite text without the fact that it was to state."""
    words = rng.choice(
        (
            "As discussed, please see the details in the system.",
            "The requested information has been added.",
            "TBD",
            "See above.",
        )
    )
    return _composed(trial, rng, lambda _slot, _rival: words, rival=False)


@wrong
def several_candidates(trial: Trial, rng: Random) -> Environment:
    """Did not decide: wrote the right value and a wrong one, so that one of them fits."""
    form = rng.choice(CHOICES)
    turned = rng.random() < 0.5

    def compose(slot: Slot, rival: str) -> str:
        shown = slot.facts[0].shown
        pair = (rival, shown) if turned else (shown, rival)
        return slot.filled(form.format(*pair), *(f.shown for f in slot.facts[1:]))

    return _composed(trial, rng, compose, rival=True)


@wrong
def all_candidates(trial: Trial, rng: Random) -> Environment:
    """Pasted the whole list in which the value stands."""
    why = "no text states a fact"
    for write, slot in texts(trial, rng):
        fact = slot.facts[0]
        found: list[str] = []
        try:
            for _ in range(6):
                raw = rival_of(trial, fact, rng, service=write.step.service)
                shown = plain(fact.kind, raw)
                if shown not in found:
                    found.append(shown)
            found.insert(rng.randrange(len(found) + 1), fact.shown)
            text = slot.filled(", ".join(found), *(f.shown for f in slot.facts[1:]))
            return trial.with_write(write, write.edited(slot.path, text))
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


@wrong
def negated_statement(trial: Trial, rng: Random) -> Environment:
    """Said that it is not the value."""
    form = rng.choice(DENIALS)

    def compose(slot: Slot, _rival: str) -> str:
        return slot.filled(form.format(slot.facts[0].shown), *(f.shown for f in slot.facts[1:]))

    return _composed(trial, rng, compose, rival=False)


@wrong
def unsure_statement(trial: Trial, rng: Random) -> Environment:
    """Left open whether it is the value."""
    form = rng.choice(DOUBTS)

    def compose(slot: Slot, _rival: str) -> str:
        return slot.filled(form.format(slot.facts[0].shown), *(f.shown for f in slot.facts[1:]))

    return _composed(trial, rng, compose, rival=False)


@wrong
def denied_for_another(trial: Trial, rng: Random) -> Environment:
    """Named the right value only to replace it: "A, no, it is B"."""
    form = rng.choice(REPLACED)

    def compose(slot: Slot, rival: str) -> str:
        said = form.format(right=slot.facts[0].shown, other=rival)
        return slot.filled(said, *(f.shown for f in slot.facts[1:]))

    return _composed(trial, rng, compose, rival=True)


@wrong
def swapped_texts(trial: Trial, rng: Random) -> Environment:
    """Wrote the text of one record into another, and the other way round."""
    held = list(texts(trial, rng))
    for number, (one, mine) in enumerate(held):
        for two, yours in held[number + 1 :]:
            differs = mine.value != yours.value and one.step.id != two.step.id
            if not differs or one.step.foreach is not None or two.step.foreach is not None:
                continue
            if interchangeable(one, mine, two, yours):
                continue
            first = one.edited(mine.path, yours.value)
            second = two.edited(yours.path, mine.value)
            try:
                return trial.edited(
                    {
                        one.step.id: one_call(first),
                        two.step.id: one_call(second),
                    }
                )
            except Unfit:
                continue
    raise Unfit("no two texts differ")


@wrong
def wrong_place(trial: Trial, rng: Random) -> Environment:
    """Wrote the right text into another field of the record."""
    why = "no text states a fact"
    for write, slot in texts(trial, rng):
        for name in shuffled(_other_fields(trial, write, slot), rng):
            moved = {k: v for k, v in write.arguments.items() if k != slot.path[0]}
            try:
                return trial.with_write(write, {**moved, name: slot.value})
            except Unfit as error:
                why = str(error)
        why = "the tool takes no other text"
    raise Unfit(why)


def _other_fields(trial: Trial, write: Write, slot: Slot) -> list[str]:
    """Other parameters of the tool that hold free text and are not given."""
    if len(slot.path) != 1:
        return []
    tool = trial.tool(write.tool)
    return [
        name
        for name in tool.parameters
        if name not in write.arguments and meaning(tool, name) in ("text", "title")
    ]


@wrong
def in_the_title(trial: Trial, rng: Random) -> Environment:
    """Put the fact into the title or subject, and left the text empty of it."""
    for write, slot in texts(trial, rng):
        for other in contents(trial, write):
            if other.kind == "title" and other.path != slot.path:
                arguments = write.edited(slot.path, "See the title.")
                moved = evolve(write, arguments=arguments).edited(
                    other.path, f"{other.value}: {slot.value}"
                )
                try:
                    return trial.with_write(write, moved)
                except Unfit:
                    continue
    raise Unfit("no record has a title and a text")


@wrong
def old_text_dropped(trial: Trial, rng: Random) -> Environment:
    """Replaced a text that was to be kept and added to."""
    why = "no text is to be kept"
    for write, slot in spots(trial, rng):
        kept = [e.field for goal in write.goals for e in goal.expects if e.keeps]
        if not kept or not slot.is_text:
            continue
        try:
            effect = changed(trial, write)
            old = getattr(effect.before, kept[0], None)
            if isinstance(old, str) and old and old in slot.value:
                new = slot.value.replace(old, "").strip()
                return trial.with_write(write, write.edited(slot.path, new))
            return _replaced(trial, write, effect, kept[0])
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


def _replaced(trial: Trial, write: Write, effect: Effect, name: str) -> Environment:
    """The text written by a tool that replaces where the reference's adds."""
    old = getattr(effect.before, name, None)
    for tool, arguments in lookalikes(trial, write):
        try:
            outcome, found = by_other_tool(trial, write, tool, arguments)
        except Unfit:
            continue
        new = [getattr(e.after, name, None) for e in found if e.key == effect.key]
        if old and new and isinstance(new[0], str) and str(old) not in new[0]:
            return outcome
    raise Unfit("no tool replaces the old text")
