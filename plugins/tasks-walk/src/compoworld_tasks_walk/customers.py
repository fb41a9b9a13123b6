"""Customers: how a text introduces the customer, and says that a record is theirs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from compoworld_tasks_walk import words
from compoworld_tasks_walk.mentions import Names
from compoworld_tasks_walk.script import Mentioned, Said, Trait


class Customers(Names):
    """Names that know whom it is all about."""

    def of_customer(self, theirs: Sequence[Trait]) -> None:
        """Whose it is: "Priya's", "their"; the record by which they are known goes with it."""
        customer = self.script.hero
        assert customer is not None, "only a customer's records are theirs"
        parties = [trait.via for trait in theirs if trait.via]
        spans = [self.writer.span("selection", p, self.words.noun(p)) for p in parties]
        with ExitStack() as stack:
            for span in spans:
                stack.enter_context(span)
            beside = self.turns - self.colleague <= 1  # whose email would "their" be?
            drawn = self.rng.random() < 0.25 or beside
            named = drawn and not (self.unnamed or self.theirs_said)
            self.theirs_said = self.theirs_said or named
            self.writer.word(f"{customer.first}'s" if named else "their")
        self.seen += [party for party in parties if party not in self.seen]

    def shared(self, record: Mentioned) -> bool:
        """Is it a channel that we share with the customer: "our channel with them"?"""
        return (
            record.archetype == "channel"
            and len(record.traits) == 1
            and record.traits[0].kind == "company"
            and self._names_customer(record.traits[0])
        )

    def called(self, key: str, placed: str) -> str:
        """The noun after its service's name: "support ticket" is "ticket" there."""
        noun, title = self.words.noun(key), self.words.title(self.record(key).service)
        if not placed and title.lower() not in noun.lower():
            return noun
        short = self.words.short(key)
        last = short.rpartition(" ")[2]
        alike = {
            self.words.nouns[other.id]
            for other in self.script.records.values()
            if other.service == self.record(key).service
            and words.last_word(self.words.nouns[other.id]) == last.removesuffix("s")
        }
        return last if short.startswith("support ") and len(alike) == 1 else short

    def recorded(self, noun: str) -> str:
        """What people call the record of somebody: "contact record"."""
        last = words.last_word(noun)
        return noun if last == "record" else f"{last} record"

    def addressee(self, said: Said, field: str) -> None:
        """Whom a message goes to: the customer, or "my colleague" where they come up first."""
        customer = self.script.hero
        ours = customer is None or said.value != customer.email
        name = self.script.staff.get(str(said.value), "")
        self.colleague = self.turns if ours else self.colleague
        if name and said.value in self.written_to:
            self.writer.word(name)
            return
        if ours and said.value not in self.written_to:
            self.writer.word(f"my colleague {name}".rstrip())
            self.written_to.append(said.value)
        if not name:
            self.literal(said, field)
            return
        self.writer.word("(")
        self.writer.glue()
        self.literal(said, field)
        self.writer.mark(")")

    def customer(self) -> None:
        """Introduce the customer: company, and the contact there, by whom all else is found.

        The company comes first: it is what is "they" from then on.
        """
        person = self.script.hero
        if person is None:
            self.writer.word("a customer")
            return
        self.literal(Said(person.company, "company"), "")
        self.writer.word("(")
        self.writer.glue()
        self.literal(Said(person.name, "person"), "")
        self.writer.mark(",")
        self.literal(Said(person.email, "email"), "")
        self.writer.mark(")")
