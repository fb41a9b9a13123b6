"""Choices: the clause of an action that depends on something, and of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from compoworld_tasks_walk import words
from compoworld_tasks_walk.phrases import Speaker
from compoworld_tasks_walk.script import (
    Attempt,
    Change,
    Drop,
    Either,
    FactOf,
    Make,
    Said,
    Simple,
    Stated,
    Tell,
    Test,
)

_DATED: Final = ("date", "datetime")
_REFUSED: Final = (
    "if that is not possible any more,",
    "if that turns out to be impossible,",
    "should that be refused,",
)
_FORBIDDEN: Final = (
    "if you aren't allowed to,",
    "if our permissions don't allow that,",
    "should you lack the permission,",
)
_TOLD: Final = ("let me know", "tell me")


class Choices:
    """Writes them through a speaker; `write` puts the clause of a plain action inside."""

    def __init__(self, speaker: Speaker, write: Callable[[Simple], None]) -> None:
        self.speaker = speaker
        self.write = write

    def either(self, either: Either) -> None:
        """ "if its total is above 500, mark it as urgent; otherwise mark it as normal"."""
        writer = self.speaker.writer
        writer.word("if")
        self._test(either.test)
        writer.mark(",")
        self.speaker.direct = True
        self.write(either.then)
        link = self._link(either.then, either.otherwise)
        writer.mark("; otherwise")
        if link and isinstance(either.otherwise, Change):
            writer.word(link)
            self.speaker.value(either.otherwise.value, field=either.otherwise.field)
        else:
            self.write(either.otherwise)
        self.speaker.direct, self.speaker.subject = False, ""

    def _link(self, then: Change | Drop, otherwise: Change | Drop) -> str:
        """The "to" of "; otherwise to normal", where the same field takes another value."""
        if not (isinstance(then, Change) and isinstance(otherwise, Change)):
            return ""
        alike = (then.record, then.field) == (otherwise.record, otherwise.field)
        if not (alike and isinstance(then.value, Said) and isinstance(otherwise.value, Said)):
            return ""
        told = words.literal(then.value, then.field, self.speaker.style)
        ends = self.speaker.writer.ends
        return next((link for link in ("to", "as") if ends(f" {link} {told}")), "")

    def _test(self, test: Test) -> None:
        speaker, than = self.speaker, test.than
        field = test.value.field if isinstance(test.value, FactOf) else ""
        if than.kind == "boolean" and isinstance(test.value, FactOf):
            speaker.mention(test.value.record)
            speaker.writer.word("is")
            speaker.literal(than, field)
            return
        speaker.value(test.value)
        above = "later than" if than.kind in _DATED else "above"
        speaker.writer.word(f"is {above}" if test.test == "above" else "is")
        if than.kind == "status":
            with speaker.literal_span(than):
                speaker.writer.word(words.enum(than.value))
        else:
            written = isinstance(test.value, Stated) and than.kind == "money"
            speaker.literal(than, field, currency="USD" if written else None)

    def attempt(self, attempt: Attempt) -> None:
        """ "try to cancel that order, since …; if that is not possible any more, …"."""
        writer, speaker = self.speaker.writer, self.speaker
        writer.word("try to")
        speaker.direct = True
        self.write(attempt.first)
        speaker.direct = False
        if speaker.aside:
            writer.mark(f", {speaker.aside}")
            speaker.aside = ""
        writer.mark(";")
        writer.word(speaker.rng.choice(_FORBIDDEN if attempt.forbidden else _REFUSED))
        if isinstance(attempt.instead, Make):
            speaker.subject = ""
        if attempt.forbidden and isinstance(attempt.instead, Make):
            self._there(attempt.instead)
        else:
            self.write(attempt.instead)
        speaker.subject = ""

    def _there(self, make: Make) -> None:
        """ "put that into a comment on the page instead": the same facts, another way."""
        writer, speaker = self.speaker.writer, self.speaker
        noun = speaker.words.nouns[make.record]
        called = words.last_word(noun)
        writer.word("put that into")
        with writer.span("selection", make.record, noun):
            writer.word(f"{words.article(called)} {called}")
        writer.last[f"new {noun}"] = make.record
        writer.also(make.record, f"new {noun}")
        speaker.seen.append(make.record)
        writer.word("on")
        speaker.mention(make.parent)
        writer.word("instead")

    def tell(self, tell: Tell) -> None:
        """ "let me know the total amount of those invoices"."""
        self.speaker.writer.word(self.speaker.rng.choice(_TOLD))
        self.speaker.value(tell.value)
        self.speaker.subject = ""
