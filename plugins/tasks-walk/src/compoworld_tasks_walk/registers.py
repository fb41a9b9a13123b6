"""Registers: how a colleague opens, goes on and ends: polite, chatty, as a ticket, or terse."""

from __future__ import annotations

from random import Random
from typing import Final

from attrs import frozen

from compoworld_tasks_walk.script import Register
from compoworld_tasks_walk.writer import Writer


@frozen
class Tone:
    """The phrases of one register, with holes for topic and hero."""

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
            "I'm working through the {topic} and need your help with a few things.",
            "A few things are still open for the {topic}; please take care of them.",
            "To get on with the {topic}, I need the following done.",
            "Could you help me with the {topic}?",
            "We want to move the {topic} along today, and this is what it takes.",
        ),
        with_hero=(
            "I'm working through the {topic} for {hero} and need your help with a few things.",
            "A few things are still open in the {topic} for {hero}; please see to them.",
            "We want to move the {topic} with {hero} along today, and this is what it takes.",
            "Could you help me with the {topic} for {hero}?",
            "To get on with the {topic} for {hero}, I need the following done.",
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
            "Hey, can you help me out with the {topic}?",
            "Hi! I have a few things for you on the {topic}.",
            "Hi there, I'm buried in the {topic} and could use a hand.",
            "Hello! I promised to get on with the {topic} today, and I can't do it all myself.",
            "Hey, the {topic} is still hanging over us, so here is what I need.",
        ),
        with_hero=(
            "Hey, can you help me out with the {topic} for {hero}?",
            "Hi! I have a few things for you on the {topic} with {hero}.",
            "Hi there, I'm buried in the {topic} for {hero} and could use a hand.",
            "Hello! I have to get on with the {topic} for {hero} and can't do it alone.",
        ),
        firsts=("Could you please ", "First off, please ", "First up, please "),
        nexts=("Then ", "And then please ", "Oh, and ", "After that, ", "Also, please "),
        lasts=("Last thing: ", "And finally, ", "And to finish, "),
        starts=("Start with {}.", "First, look at {}.", "Begin with {}."),
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
            "{Topic}: to do", "Follow-up on the {topic}",
            "Open items: {topic}",
        ),
        with_hero=(
            "{Topic} for {hero}: to do", "Open items: {topic} with {hero}",
            "{Topic} ({hero})",
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
            "{Topic}.", "To do for the {topic}.",
            "Needed for the {topic}.",
        ),
        with_hero=(
            "{Topic}, {hero}.", "To do for the {topic} with {hero}.",
            "Needed for the {topic} ({hero}).",
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

    def open(self, topic: str, hero: str) -> None:
        """What it is about, or the title line of a ticket.

        It never says when the topic is done: that would be one more, unproven, demand.
        """
        phrases = self.tone.with_hero if hero else self.tone.openings
        capital = topic[:1].upper() + topic[1:]
        phrase = self.rng.choice(phrases)
        self.writer.raw(phrase.format(topic=topic, Topic=capital, hero=hero))

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
