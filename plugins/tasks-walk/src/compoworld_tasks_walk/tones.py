"""Tones: phrases of each register: polite, chatty, ticket, terse, email, voice, handover."""

from __future__ import annotations

from typing import Final, Literal, get_args

from attrs import frozen

Register = Literal["request", "chatty", "ticket", "terse", "email", "voice", "handover"]
REGISTERS: Final[tuple[Register, ...]] = get_args(Register)

Layout = Literal["prose", "paragraphs", "numbers", "bullets", "spoken"]
"""Sentences in a row; a paragraph per matter; a number per sentence; a dash per action; or run
on, as people dictate."""


@frozen
class Tone:
    """The phrases of one register; openings have holes for the topic and the reason.

    `{Topic}` is with a capital.
    """

    openings: tuple[str, ...]
    firsts: tuple[str, ...]
    """Before the first action."""
    nexts: tuple[str, ...]
    """Before an action that goes on with records spoken of by now."""
    matters: tuple[str, ...]
    """Before an action about other records: another matter."""
    lasts: tuple[str, ...]
    """Before the last action."""
    starts: tuple[str, ...]
    """How a record is introduced by a sentence of its own; `{}` is the record."""
    finds: tuple[str, ...]
    """The same, after the first sentence."""
    concerns: tuple[str, ...]
    """The same, where another matter begins."""
    closings: tuple[str, ...]
    layout: Layout = "prose"
    polite: str = ""
    """The word between a purpose and the action."""


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
            "{reason} Could you please see to the following?",
            "{reason} Please take care of these things for me.",
            "{reason} Here is what I need.",
            "{reason} I'd be glad if you could do the following.",
        ),
        firsts=("Please ", "First, please ", ""),
        nexts=("Then ", "Then please ", "Please also ", "", ""),
        matters=("Please ", "", "", "I'd also like you to "),
        lasts=("Finally, ", "", "Please "),
        starts=("It starts with {}.", "Please begin with {}.", "The starting point is {}."),
        finds=("Then look up {}.", "Next, find {}.", "Please also find {}."),
        concerns=(
            "Another point concerns {}.", "The next thing is about {}.",
            "There is also {}.",
        ),
        closings=_CLOSINGS, layout="paragraphs", polite="please",
    ),
    "chatty": Tone(
        openings=(
            "Hey! {reason} Can you give me a hand?",
            "Hi there! {reason} Could you help me out?",
            "Hi! {reason} Here is what I need from you.",
            "Hello! {reason} Would you mind doing a few things for me?",
        ),
        firsts=("Could you please ", "First off, please ", "First up, please "),
        nexts=("Then ", "Then please ", "", ""),
        matters=("Please ", "", "", "Also, please ", "I also need you to "),
        lasts=("Last thing: ", "", "Please "),
        starts=("Start with {}.", "First, look at {}.", "Begin with {}."),
        finds=("Now find {}.", "Then have a look for {}.", "Next, look up {}."),
        concerns=(
            "The next one is about {}.", "Then there's {}.",
            "Another one: please look up {}.",
        ),
        closings=(
            "Everything else can stay as it is, thanks!",
            "That's all, please don't change anything else. Thanks!",
            "Leave the rest alone, please. Cheers!",
            "Nothing else needs touching. Thank you!",
        ),
        layout="paragraphs", polite="please",
    ),
    "ticket": Tone(
        openings=(
            "{Topic}: to do\n{reason}", "Follow-up on the {topic}\n{reason}",
            "Open items: {topic}\n{reason}",
        ),
        firsts=("",), nexts=("",), matters=("",), lasts=("",),
        starts=("Start from {}.", "Look up {}.", "Find {}."),
        finds=("Find {}.", "Look up {}.", "Locate {}."),
        concerns=("Find {}.", "Look up {}.", "Locate {}."),
        closings=(
            "Out of scope: everything else stays as it is.",
            "Nothing else should change.",
            "Do not change anything else.",
        ),
        layout="numbers",
    ),
    "terse": Tone(
        openings=(
            "{reason}",
        ),
        firsts=("",), nexts=("", "", "Then "), matters=("",), lasts=("", "Then "),
        starts=("Find {}.", "Start with {}.", "Look up {}."),
        finds=("Find {}.", "Look up {}.", "Get {}."),
        concerns=("Find {}.", "Look up {}.", "Next: {}."),
        closings=("Touch nothing else.", "No other changes.", "Leave the rest alone."),
        layout="paragraphs",
    ),
    "email": Tone(
        openings=(
            "Hi,\n\n{reason} Could you take care of the following for me?\n\n",
            "Hello,\n\n{reason} I'd appreciate your help with the following.\n\n",
            "Good morning,\n\n{reason} Below is what has to be done.\n\n",
        ),
        firsts=("Please ", "First of all, please "),
        nexts=("Then please ", "Then ", "Please also ", "", ""),
        matters=("Please ", "I'd also like you to ", "", ""),
        lasts=("Finally, please ", "Please ", ""),
        starts=("Please start with {}.", "It begins with {}."),
        finds=("Please also look up {}.", "Then please find {}.", "You will also need {}."),
        concerns=(
            "The next point concerns {}.", "Then there is {}.",
            "I also have something on {}.",
        ),
        closings=(
            "Please leave everything else unchanged.\n\nMany thanks!",
            "Nothing else should change, please.\n\nThank you!",
            "Please do not change anything beyond that.\n\nThanks a lot!",
        ),
        layout="paragraphs", polite="please",
    ),
    "voice": Tone(
        openings=(
            "Okay, so. {reason}",
            "Right, here goes. {reason}",
            "Hi, it's me. {reason}",
        ),
        firsts=("So first, ", "What I need first: ", "First thing, "),
        nexts=("Then ", "And then ", "", ""),
        matters=("Next, ", "Okay, next: ", "", "I also need you to "),
        lasts=("And finally, ", "Last thing, ", ""),
        starts=("Let's start with {}.", "First, go to {}."),
        finds=("Now find {}.", "Then look for {}.", "Next, go and find {}."),
        concerns=(
            "Okay, the next one is about {}.", "Then there's {}.",
            "And there's something on {}.",
        ),
        closings=(
            "And that's it, everything else stays the way it is.",
            "That's all, don't touch anything else.",
            "Okay, that was everything, leave the rest as it is.",
        ),
        layout="spoken",
    ),
    "handover": Tone(
        openings=(
            "Handover: {topic}\n\n{reason} Still to do:",
            "{Topic}, handover\n\n{reason} What is left to do:",
            "Handing over the {topic}\n\n{reason} Open points:",
        ),
        firsts=("",), nexts=("",), matters=("",), lasts=("",),
        starts=("Start with {}.", "Look up {}."),
        finds=("Find {}.", "Look up {}."),
        concerns=("This is about {}.", "Look up {}.", "Find {}."),
        closings=(
            "Everything else is done and should stay as it is.",
            "Nothing else is open; please leave the rest as it is.",
        ),
        layout="bullets",
    ),
}  # fmt: skip
