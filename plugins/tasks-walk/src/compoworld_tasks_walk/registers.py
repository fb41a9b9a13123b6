"""Registers: sentences put after one another as a message, a ticket, an email, a dictation."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from random import Random
from typing import Final

from compoworld_tasks_walk import stories, topics
from compoworld_tasks_walk.tones import TONES, Register
from compoworld_tasks_walk.writer import Writer

_ASKS: Final = ("Could you", "Can you", "Would you")
_BACK: Final = re.compile(
    r"\b(it|one|(?<!so )that|them|then|these|those|there|both|two|after|before)\b",
    re.IGNORECASE,
)
"""Words that point back: a reason with one of them comes after what it is for."""
_LINKED: Final = ("so that ", "since ", "to ", "as ", ";")
"""How a reason begins that goes on with the sentence; others are sentences of their own."""
_GOES_ON: Final = 0.4
"""How often a purpose that could be a sentence goes on with the one before."""
_SINCE: Final = 0.6
"""How often "since" comes before the reason of a deed, rather than a semicolon."""
_POLITE: Final = re.compile(r"please|you\b", re.IGNORECASE)
_LONGEST: Final = 320
"""Characters of a sentence that people who dictate still go on with."""
AHEAD: Final = 0.3
"""How often the reason comes before the request; never twice in a row."""
LONGEST: Final = 3
"""Actions of one paragraph, where there are paragraphs."""
_MOST: Final = 2
"""How often they go on."""


class Arrangement:
    """Puts sentences after one another in the way of a register."""

    def __init__(
        self, register: Register, writer: Writer, rng: Random, people: Collection[str] = ()
    ) -> None:
        self.tone = TONES[register]
        self.writer = writer
        self.rng = rng
        self.steps = 0
        self.points = 0
        """Actions begun."""
        self.before = ""
        self.people = people
        self.joined = False
        """Does this sentence go on with the one before?"""
        self.given: set[str] = set()
        """Purposes said by now; each is said once."""
        self._since = ""
        self._reasoned = False
        """Does this sentence give a reason?"""
        self._start = 0
        self._run = 0
        """How often the sentence has gone on."""
        self._turned = 1
        """The action with which the paragraph began."""
        self._gave = -1
        """The action whose purpose was said last; two in a row would tire."""

    def open(self, topic: str, who: Callable[[], None]) -> None:
        """What it is about and why, or the title line of a ticket; `who` names the customer.

        It never says when the topic is done: that would be one more, unproven, demand.
        """
        capital = topic[:1].upper() + topic[1:]
        reason = stories.opening(topics.parts(topic)[1], self.rng)
        phrase = self.rng.choice(self.tone.openings)
        text = phrase.format(topic=topic, Topic=capital, reason=reason)
        before, _, after = text.partition("{}")
        self.writer.raw(before)
        who()
        self.writer.raw(after)

    def begin(self, *, action: bool, matter: bool) -> None:
        """The start of a sentence.

        Args:
            action: the first sentence of an action, its introductions included.
            matter: the action speaks of other records than those before.
        """
        writer, layout = self.writer, self.tone.layout
        self.steps += 1
        self.points += action
        self.joined = False
        if layout == "numbers":
            writer.raw(f"\n{self.steps}. ")
        elif layout == "bullets" and action:
            writer.raw("\n- ")
        elif layout == "paragraphs" and action and self._turns(matter):
            self._turned = self.points
            writer.raw("\n\n")
        elif layout == "spoken" and self.steps > 1:
            self.joined = not (action and matter) and self._goes_on()
            if self.joined:
                writer.mark(", and then")
                return
            writer.stop()
            if action and self.points - self._turned >= LONGEST:
                self._turned = self.points
                writer.raw("\n\n")
            else:
                writer.space()
        else:
            writer.space()
        self._start = writer.length
        writer.begin()

    def _turns(self, matter: bool) -> bool:
        """Does a new paragraph begin: with another matter, or where one has grown long?"""
        return self.points > 1 and (matter or self.points - self._turned >= LONGEST)

    def _goes_on(self) -> bool:
        """May the sentence before go on? Not after its reason, or a text that ends itself."""
        short = self.writer.length - self._start < _LONGEST and self._run < _MOST
        goes = short and not (self.writer.ended or self._reasoned) and self.rng.random() < 0.6
        self._run = self._run + 1 if goes else 0
        return goes

    def lead(
        self,
        *,
        last: bool,
        matter: bool,
        aims: Sequence[str] = (),
        reasons: Sequence[str] = (),
        conditional: bool = False,
    ) -> None:
        """The words before an action, with what it is for where people would say that.

        Args:
            last: the last action of all.
            matter: another matter begins.
            aims: what it is for, each to be said before it.
            reasons: why, each a clause.
            conditional: the clause begins with "if": nobody says "please if".
        """
        tone, self._since = self.tone, ""
        previous, self.before = self.before, ""
        aim, reason = self._motive(aims), self._motive(reasons)
        self._reasoned = bool(aim or reason)
        ahead = not conditional and self._gave != self.points - 1 and self.rng.random() < AHEAD
        later = self.joined or "\n" in aim or _BACK.search(aim)
        if aim and ahead and not later and aim.split()[0] not in self.people:
            self._gave = self.points
            linked = ", " if aim.startswith(_LINKED) else ", so "
            self.writer.word(f"{aim}{linked}{tone.polite}".rstrip())
            return
        self._since = self._because(reason) if reason else ""
        if aim:
            self._since = aim if conditional else self._linked(aim)
        if self.joined:
            return
        choices = self._choices(last=last, matter=matter)
        if conditional:
            choices = tuple(one for one in choices if not _POLITE.search(one)) or ("",)
        fresh = [lead for lead in choices if not lead or _differs(lead, previous)]
        self.before = self.rng.choice(fresh or list(choices))
        if self.before:
            self.writer.word(self.before.strip())

    def _linked(self, aim: str) -> str:
        """A purpose that is one sentence may go on with the one before."""
        drawn = self.rng.random()
        if "\n" in aim or aim.startswith(_LINKED) or drawn > _GOES_ON:
            return aim
        since = drawn < _GOES_ON / 2 and aim.split()[0] not in self.people
        return f"since {aim}" if since else f"; {aim}"

    def _because(self, reason: str) -> str:
        return f"since {reason}" if self.rng.random() < _SINCE else f"; {reason}"

    def _choices(self, *, last: bool, matter: bool) -> tuple[str, ...]:
        tone = self.tone
        if self.points == 1:
            return tone.firsts if self.steps == 1 else tone.nexts
        if tone.layout == "bullets":
            return ("",)
        if last:
            return tone.lasts
        return tone.matters if matter else tone.nexts

    def since(self, reasons: Sequence[str]) -> str:
        """A reason that was not said yet, to be put inside the sentence; empty for none."""
        reason = self._motive(reasons)
        return f"since {reason}" if reason else ""

    def _motive(self, phrases: Sequence[str]) -> str:
        """One of the reasons that were not said yet: nobody else could guess it."""
        free = [one for one in phrases if not self.given & set(one.split("\n"))]
        if not free:  # of two, one that was not said yet
            free = [part for one in phrases for part in one.split("\n")]
            free = [part for part in free if part not in self.given]
        if not free:
            return ""
        begun = {" ".join(said.split()[:2]) for said in self.given}
        fresh = [one for one in free if " ".join(one.split()[:2]) not in begun]
        chosen = self.rng.choice(fresh or free)
        self.given.update(chosen.split("\n"))
        return chosen

    def stop(self) -> None:
        """The end of an action's sentence, with its reason where one is said."""
        parts = self._since.split("\n") if self._since else []
        asked = self.before.startswith(_ASKS)
        if asked:  # a question is not gone on with
            parts = [part.removeprefix("; ") for part in parts]
        linked = [part for part in parts if part.startswith(_LINKED)]
        apart = [part for part in parts if part not in linked]
        if self.writer.ended:
            parts = [part.removeprefix("since ").removeprefix("; ") for part in parts]
            apart = [part for part in parts if not part.startswith(_LINKED)]
        else:
            for part in linked:
                loose = part.startswith(("as ", "to "))
                self.writer.mark(part if part[:1] == ";" else f"{'' if loose else ','} {part}")
        self._since = ""
        self._stop("?" if asked else ".", last=not apart)
        for place, part in enumerate(apart, 1):
            self.writer.space()
            self.writer.begin()
            self.writer.word(part)
            self._stop(".", last=place == len(apart))

    def _stop(self, mark: str, *, last: bool) -> None:
        """End a sentence; who dictates may still go on with the last one."""
        if not (last and self.tone.layout == "spoken"):
            self.writer.stop(mark)

    def introduction(self, *, matter: bool, questions: Sequence[str] = ()) -> str:
        """The sentence that introduces a record; `{}` is the record.

        Args:
            matter: another matter begins with it.
            questions: what is found out with it: "whose it is".
        """
        if self.joined:
            return "find {}"
        if question := self._motive([f"to see {question}" for question in questions]):
            self.before = question
            return f"{question}, {self.tone.polite} look up {{}}".replace("  ", " ")
        tone = self.tone
        later = tone.finds
        choices = tone.starts if self.steps == 1 else later
        fresh = [one for one in choices if _differs(one, self.before)]
        self.before = self.rng.choice(fresh or list(choices))
        return self.before.removesuffix(".")

    def close(self) -> None:
        """That nothing else may change."""
        closing = self.rng.choice(self.tone.closings)
        if self.tone.layout == "spoken":
            self.writer.stop()
        apart = self.tone.layout in ("numbers", "bullets", "paragraphs")
        self.writer.raw(f"\n\n{closing}" if apart else f" {closing}")


def _differs(phrase: str, before: str) -> bool:
    """Do two phrases begin with different words?"""
    return phrase.split()[:1] != before.split()[:1]
