"""Registers: how a colleague opens, goes on and ends: polite, chatty, as a ticket, or terse."""

from __future__ import annotations

from random import Random
from typing import Final

from attrs import frozen

from compoworld_tasks_walk.purpose import Purpose
from compoworld_tasks_walk.script import Register
from compoworld_tasks_walk.writer import Writer


@frozen
class Tone:
    """The phrases of one register, with holes for topic, hero and purpose."""

    openings: tuple[str, ...]
    with_hero: tuple[str, ...]
    firsts: tuple[str, ...]
    """Before the first action."""
    nexts: tuple[str, ...]
    lasts: tuple[str, ...]
    """Before the last action."""
    starts: tuple[str, ...]
    """How a record is introduced by a sentence of its own; `{}` is the record."""
    finds: tuple[str, ...]
    """The same, after the first sentence."""
    closings: tuple[str, ...]
    numbered: bool = False


_CLOSINGS: Final = (
    "Please leave everything else as it is.",
    "Apart from that, nothing should change.",
    "Please don't touch anything else.",
    "Everything else can stay the way it is.",
    "No other changes, please.",
)

TONES: Final[dict[Register, Tone]] = {
    "request": Tone(
        openings=(
            "The {topic} can only be closed once {done}, so I need your help.",
            "I'm working on the {topic} and can report back as soon as {done}.",
            "To get the {topic} off our list, we have to see to it that {done}.",
            "Could you help me with the {topic}? It is complete once {done}.",
            "We want to finish the {topic} today, which means making sure that {done}.",
        ),
        with_hero=(
            "The {topic} for {hero} can only be closed once {done}, so I need your help.",
            "I'm working on the {topic} for {hero} and can report back as soon as {done}.",
            "We want to finish the {topic} with {hero}, which means making sure that {done}.",
            "Could you help me with the {topic} for {hero}? It is complete once {done}.",
            "To get the {topic} with {hero} off our list, we have to see to it that {done}.",
        ),
        firsts=("Please ", "First, please ", "To begin with, "),
        nexts=("Then ", "After that, ", "Next, ", "Please also ", "Also, "),
        lasts=("Finally, ", "Lastly, please ", "And then "),
        starts=("It starts with {}.", "Please begin with {}.", "The starting point is {}."),
        finds=("Then look up {}.", "Next, find {}.", "Please also find {}."),
        closings=_CLOSINGS,
    ),
    "chatty": Tone(
        openings=(
            "Hey, can you help me out with the {topic}? It's only done once {done}.",
            "Hi! Quick one about the {topic}: I can't tick it off until {done}.",
            "Hi there, I'm buried in the {topic}, and it won't be over until {done}.",
            "Hello! I promised to wrap up the {topic} today, but that only works once {done}.",
            "Hey, the {topic} will keep hanging over us until {done}.",
        ),
        with_hero=(
            "Hey, can you help me out with the {topic} for {hero}? It's only done once {done}.",
            "Hi! Quick one about the {topic} with {hero}: I can't tick it off until {done}.",
            "Hi there, I'm buried in the {topic} for {hero}; it won't be over until {done}.",
            "Hello! I have to wrap up the {topic} for {hero}, and that only works once {done}.",
        ),
        firsts=("Could you please ", "First off, please ", "First up, please "),
        nexts=("Then ", "And then please ", "Oh, and ", "After that, ", "Also, please "),
        lasts=("Last thing: ", "And finally, ", "And to finish, "),
        starts=("It's all about {}.", "Start with {}.", "It began with {}."),
        finds=("Now find {}.", "Then have a look for {}.", "Next, dig out {}."),
        closings=(
            "Everything else can stay as it is, thanks!",
            "That's all, please don't change anything else. Thanks!",
            "Leave the rest alone, please. Cheers!",
            "Nothing else needs touching. Thank you!",
        ),
    ),
    "ticket": Tone(
        openings=(
            "{Topic}: {matters}", "Follow-up on the {topic}: {matters}",
            "To complete the {topic}: {matters}",
        ),
        with_hero=(
            "{Topic} for {hero}: {matters}", "To complete the {topic} with {hero}: {matters}",
            "{Topic} ({hero}): {matters}",
        ),
        firsts=("",), nexts=("",), lasts=("",),
        starts=("Start from {}.", "Look up {}.", "Find {}."),
        finds=("Find {}.", "Look up {}.", "Locate {}."),
        closings=(
            "Out of scope: everything else stays as it is.",
            "Nothing else should change.",
            "Do not change anything else.",
        ),
        numbered=True,
    ),
    "terse": Tone(
        openings=(
            "{Topic}: {matters}.", "To close the {topic}: {matters}.",
            "Needed for the {topic}: {matters}.",
        ),
        with_hero=(
            "{Topic}, {hero}: {matters}.", "To close the {topic} with {hero}: {matters}.",
            "Needed for the {topic} ({hero}): {matters}.",
        ),
        firsts=("",), nexts=("", "", "Then "), lasts=("", "Then "),
        starts=("Find {}.", "Start with {}.", "Look up {}."),
        finds=("Find {}.", "Look up {}.", "Get {}."),
        closings=("Touch nothing else.", "No other changes.", "Leave the rest alone."),
    ),
}  # fmt: skip


class Arrangement:
    """Puts sentences after one another in the way of a register."""

    def __init__(self, register: Register, writer: Writer, rng: Random) -> None:
        self.tone = TONES[register]
        self.writer = writer
        self.rng = rng
        self.steps = 0
        self.before = ""

    def open(self, topic: str, hero: str, purpose: Purpose) -> None:
        """What it is for, or the title line of a ticket."""
        phrases = self.tone.with_hero if hero else self.tone.openings
        capital = topic[:1].upper() + topic[1:]
        phrase = self.rng.choice(phrases)
        matters = purpose.matters if "{matters}" in phrase else ""
        done = purpose.done(self.rng) if "{done}" in phrase else ""
        self.writer.raw(
            phrase.format(topic=topic, Topic=capital, hero=hero, matters=matters, done=done)
        )

    def begin(self) -> None:
        """The start of a sentence or of a numbered step."""
        self.steps += 1
        if self.tone.numbered:
            self.writer.raw(f"\n{self.steps}. ")
        else:
            self.writer.space()
        self.writer.begin()

    def lead(self, *, first: bool, last: bool) -> None:
        """The words before an action."""
        tone = self.tone
        choices = tone.firsts if first else tone.lasts if last else tone.nexts
        fresh = [lead for lead in choices if not lead or _differs(lead, self.before)]
        self.before = self.rng.choice(fresh or list(choices))
        if self.before:
            self.writer.word(self.before.strip())

    @property
    def asking(self) -> bool:
        """Is the sentence a question?"""
        return self.before.startswith(("Could you", "Can you", "Would you"))

    def introduction(self) -> str:
        """The sentence that introduces a record; `{}` is the record."""
        first = self.steps == 1
        choices = self.tone.starts if first else self.tone.finds
        fresh = [one for one in choices if _differs(one, self.before)]
        self.before = self.rng.choice(fresh or list(choices))
        return self.before.removesuffix(".")

    def close(self) -> None:
        """That nothing else may change."""
        closing = self.rng.choice(self.tone.closings)
        self.writer.raw(f"\n\n{closing}" if self.tone.numbered else f" {closing}")


def _differs(phrase: str, before: str) -> bool:
    """Do two phrases begin with different words?"""
    return phrase.split()[:1] != before.split()[:1]
