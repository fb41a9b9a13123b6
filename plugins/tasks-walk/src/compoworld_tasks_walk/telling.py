"""Telling: clauses that pass facts on as people ask for it: "email Priya the new date"."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from compoworld_tasks_walk import lexicon, verbs, words
from compoworld_tasks_walk.script import Converted, Make, NewId, Overruling, Said, Value

if TYPE_CHECKING:
    from compoworld_tasks_walk.making import Making

_LETTERS: Final = frozenset(("email", "mail"))
"""Nouns that are verbs as well."""
_DEEPEST: Final = 1
"""Descriptions in one another that may stand before what a remark is put on."""


class Telling:
    """Writes such clauses for a `Making`, where the new record does no more than tell."""

    def __init__(self, making: Making) -> None:
        self.making = making
        self.speaker = making.speaker

    def write(self, make: Make, noun: str) -> bool:
        """The clause, if there is one of this sort; False where it has to be said at length."""
        told = self._told(make, noun)
        if not told or make.takes or make.places:
            return False
        if make.parent:
            return self._remark(make, noun, told)
        if words.last_word(noun) in _LETTERS and verbs.maker(make.tool, noun) == "send":
            return self._letter(make, noun, told)
        return False

    def _told(self, make: Make, noun: str) -> tuple[Value, ...]:
        """The facts that are all its text; none where it has another one."""
        if len(make.states) != 1 or not self.making.is_text(noun):
            return ()
        field, values = make.states[0]
        given = any(words.bare(name) in lexicon.MAIN_TEXT for name, _ in make.said)
        main = words.bare(field) in lexicon.MAIN_TEXT
        fresh = any(isinstance(value, NewId) for value in values)
        return values if main and not given and not fresh else ()

    def _letter(self, make: Make, noun: str, told: tuple[Value, ...]) -> bool:
        """ "email my colleague lena@… the day from that ticket (subject "…")"."""
        named = dict(make.said)
        to, subject = named.pop("to", None), named.pop("subject", None)
        if named or to is None or subject is None or to.kind != "email":
            return False
        speaker, writer = self.speaker, self.speaker.writer
        bracketed = any(isinstance(value, Overruling) for value in told)
        at_length = speaker.rng.random() < 0.25 or bracketed  # one bracket follows no other
        writer.word("let" if at_length else "")
        if at_length:
            self._whom(to)
            writer.word("know")
        if not at_length:
            self._new(make, noun, partial(writer.word, words.last_word(noun)))
            self._whom(to)
        customer = speaker.script.hero
        speaker.unnamed = customer is not None and to.value == customer.email
        self.making.told(told, make.states[0][0])
        speaker.unnamed = False
        if at_length:
            writer.mark(",")
            writer.word("in")
            self._new(make, noun, partial(writer.word, f"{words.article(noun)} {noun}"))
            writer.word("with the subject")
        else:
            writer.word("(")
            writer.glue()
            writer.word("subject")
        speaker.literal(subject, "subject")
        writer.mark("" if at_length else ")")
        speaker.named[make.record] = subject
        speaker.subject = make.record
        return True

    def _whom(self, to: Said) -> None:
        """The customer by name, whose address was said; anybody else by address."""
        customer = self.speaker.script.hero
        if customer is not None and to.value == customer.email:
            self.speaker.writer.word(customer.first)
        else:
            self.speaker.addressee(to, "to")

    def _remark(self, make: Make, noun: str, told: tuple[Value, ...]) -> bool:
        """ "add the day from their email to that issue as a comment"."""
        speaker, writer = self.speaker, self.speaker.writer
        deep = [speaker.cost(key) for value in told for key in self.making.of(value)]
        plain = not any(isinstance(value, Converted) for value in told)
        short = plain and max(deep, default=0) <= _DEEPEST >= speaker.cost(make.parent)
        if speaker.record(make.parent).many or not short or speaker.rng.random() < 0.4:
            return False
        if words.last_word(noun) not in ("comment", "note"):
            return False
        writer.word("add")
        self.making.told(told, make.states[0][0])
        writer.word("to")
        speaker.mention(make.parent)
        writer.word("as")
        self._new(make, noun, partial(self.making.head, make, noun))
        speaker.subject = make.record
        return True

    def _new(self, make: Make, noun: str, put: Callable[[], None]) -> None:
        """The words for the new record itself."""
        speaker, writer = self.speaker, self.speaker.writer
        with writer.span("selection", make.record, noun):
            put()
        writer.last[f"new {noun}"] = make.record
        writer.also(make.record, f"new {noun}")
        speaker.seen.append(make.record)
