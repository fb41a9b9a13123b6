"""Names: what was mentioned in a text so far, and by which names it may be mentioned again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from random import Random
from typing import Final

from compoworld_core.plan import Fact
from compoworld_tasks_walk import words
from compoworld_tasks_walk.script import Extreme, Mentioned, Said, Script, Trait, records_of
from compoworld_tasks_walk.words import Words
from compoworld_tasks_walk.writer import Writer

_UNPLACED: Final = frozenset(("message", "channel", "reminder"))
"""Archetypes of what people never say the service of, where there is only one."""
NEVER: Final = -9
FAR: Final = 3
"""After so many turns a reader is told again of which service a record is."""
_INNER: Final = frozenset(("paragraph", "block", "comment"))
"""What stands on something else: people speak of the page."""


class Unsayable(Exception):  # noqa: N818  # a finding about a script, not a fault
    """No honest text exists for the script, and why."""


class Names(ABC):
    """The state of one text: what a reader has met, and names that are still clear."""

    def __init__(self, script: Script, rng: Random) -> None:
        self.script = script
        self.rng = rng
        self.words = Words(script)
        self.writer = Writer()
        self.style = rng.choice((0, 0, 1))
        """How dates are written, the same way all through."""
        self.seen: list[str] = []
        """Records in the order in which they were first mentioned."""
        self.changed: set[tuple[str, str]] = set()
        """(record, field) pairs that an action has changed by now."""
        self.placed: set[str] = set()
        """Services that were named by now."""
        self.held: set[str] = set()
        """Records that are spoken of as the page or ticket that they stand on."""
        self.near = ""
        """The one that was named last."""
        self.turns = 0
        """Actions, and sentences before them, that were begun."""
        self.colleague = NEVER
        """The turn in which a colleague was spoken of last."""
        self.spoken: dict[str, int] = {}
        """Records → the turn in which they were named last."""
        self.theirs_said = False
        """Was the customer named in this sentence?"""
        self.unnamed = False
        """Is the customer called "they" just now, not by name?"""
        self.subject = ""
        """The record that the last clause was about; only it may be called "it"."""
        self.inside = 0
        """How many descriptions are being written now."""
        self.direct = False
        """Is a condition or an attempt said now, after which nobody says "find … and"?"""
        self.aside = ""
        """Why something is attempted, to be said before what is done instead."""
        self.written_to: list[str] = []
        """Addresses of colleagues that were introduced as such."""
        self.named: dict[str, Said] = {}
        """Records that an action created → their name."""

    def turn(self) -> None:
        """A sentence begins: it names services and the customer anew."""
        self.near, self.theirs_said = "", False
        self.turns += 1

    # -- what may be said ------------------------------------------------------------------

    def record(self, key: str) -> Mentioned:
        """A record of the script."""
        try:
            return self.script.records[key]
        except KeyError:
            raise Unsayable(f"the script has no record {key}") from None

    @abstractmethod
    def mention(self, key: str) -> None:
        """Name a record."""

    def needs(self, key: str) -> list[str]:
        """Records that a description of this one names."""
        record = self.record(key)
        traits = [trait for trait in record.traits if trait not in self.theirs(record)]
        return [other for trait in traits for other in records_of(trait.value)]

    def own(self, key: str) -> bool:
        """Is it the customer's own record in some service: their contact, their company?"""
        record = self.record(key)
        keys = [trait for trait in record.traits if self._names_customer(trait)]
        return bool(keys) and record.archetype in ("customer", "firm")

    def theirs(self, record: Mentioned) -> list[Trait]:
        """The conditions that say no more than that a record is the customer's."""
        if record.archetype == "channel":
            return []
        return [
            trait
            for trait in record.traits
            if self._names_customer(trait)
            or (trait.via and self.own(trait.via) and len(self.record(trait.via).traits) == 1)
        ]

    def namesake(self, record: Mentioned) -> bool:
        """Does another service hold what is called the same: is it the ticket in which one?"""
        last = words.last_word(self.words.nouns[record.id])
        return any(
            other.service != record.service
            and words.last_word(self.words.nouns[other.id]) == last
            for other in self.script.records.values()
            if other.traits
        )

    def _names_customer(self, trait: Trait) -> bool:
        person, value = self.script.hero, trait.value
        if person is None or not isinstance(value, Said):
            return False
        return (value.kind, value.value) in (
            ("email", person.email), ("person", person.name), ("company", person.company),
        )  # fmt: skip

    def cost(self, key: str) -> int:
        """How many descriptions stand in one another where this record is mentioned now."""
        if key in self.seen:
            return 0
        return 1 + max((self.cost(other) for other in self.needs(key)), default=0)

    def plainly(self, key: str) -> bool:
        """Can the record be described by literals that still hold?"""
        record = self.record(key)
        return bool(record.traits) and all(
            isinstance(trait.value, Said) and (key, trait.field) not in self.changed
            for trait in record.traits
        )

    def made(self, noun: str) -> bool:
        """Has the text created a record of a noun by now?"""
        return any(not self.record(k).traits and self.words.noun(k) == noun for k in self.seen)

    def lasting(self, key: str) -> bool:
        """Does the description still fit: none of its fields was changed, no record added?"""
        record = self.record(key)
        made = {self.words.noun(k) for k in self.seen if not self.record(k).traits}
        return (
            self.words.noun(key) not in made
            and all(
                isinstance(trait.value, Said | Extreme) or trait in self.theirs(record)
                for trait in record.traits
            )
            and not any((key, trait.field) in self.changed for trait in record.traits)
        )

    def afar(self, key: str, short: str) -> str:
        """The noun again, with its service where "that page" would have to be looked for."""
        record, title = self.record(key), self.words.title(self.record(key).service)
        near = self.turns - self.spoken.get(key, self.turns) < FAR
        plain = record.archetype in _UNPLACED or record.service == self.near
        return short if near or plain or title.lower() in short.lower() else f"{title} {short}"

    def obvious(self, key: str) -> bool:
        """Would a reader take "it" for this record?"""
        last = self.writer.last.get(self.words.noun(key))
        return self.subject == key == self.writer.latest == last

    def pronouns(self, key: str) -> tuple[str, str]:
        """What stands for the record: it and its, or them and their."""
        plural = self.record(key).many or words.is_person(self.words.nouns[key])
        return ("them", "their") if plural else ("it", "its")

    def fresh(self, key: str, noun: str) -> None:
        """Name a record that an action of the text created: "the new invoice"."""
        new = f"new {noun}"
        name = self.named.get(key)
        alike = [k for k, said in self.named.items() if name and said.value == name.value]
        if self.writer.last.get(new) == key:
            self.refer(key, new, f"the {new}")
        elif name and alike == [key]:
            with self.writer.span("selection", key, new):
                self.writer.word(f"the {new}")
                self.literal(name, "title")
        else:
            made = [k for k in self.seen if not self.record(k).traits]
            place = [k for k in made if self.words.noun(k) == noun].index(key)
            if place >= len(words.ORDINALS):
                raise Unsayable(f"too many new records are called {noun}")
            alias = self._named(key, f"{words.ORDINALS[place]} {new}")
            self.refer(key, alias, f"the {alias}")

    def alias(self, key: str, noun: str) -> str:
        """A name that sets the record apart from others of its noun."""
        alike = [k for k in self.seen if self.words.noun(k) == noun]
        for trait in self.record(key).traits:
            if not isinstance(trait.value, Said) or (key, trait.field) in self.changed:
                continue
            word = self.adjective(self.record(key), trait)
            others = {self._differs(k, trait) for k in alike if k != key}
            if word and len(alike) == 2 and others == {True}:
                return self._named(key, f"{word} {noun}")
        if self.record(key).many or len(alike) < 2:
            return ""
        place = alike.index(key)
        if place >= len(words.ORDINALS):
            return ""
        return self._named(key, f"{words.ORDINALS[place]} {noun}")

    def _differs(self, key: str, trait: Trait) -> bool:
        """Does the text say another value of this field for a record?"""
        return any(
            t.field == trait.field and isinstance(t.value, Said) and t.value != trait.value
            for t in self.record(key).traits
        )

    def _named(self, key: str, alias: str) -> str:
        if self.writer.last.get(alias) is None:
            self.writer.also(key, alias)
        return alias if self.writer.last[alias] == key else ""

    def refer(self, key: str, noun: str, said: str) -> None:
        """Put words that mean a record that was mentioned before."""
        with self.writer.span("reference", key, noun):
            self.writer.word(said)
        self.spoken[key] = self.turns
        self.near = self.record(key).service
        plain = self.words.noun(key)
        if noun != plain:  # after "the first ticket", "that ticket" means the first one
            spoken = self.writer.spans[-1]
            self.writer.spans.append(
                spoken.model_copy(update={"kind": "selection", "noun": plain})
            )
            self.writer.last[plain] = key

    def adjective(self, record: Mentioned, trait: Trait) -> str:
        """The word before the noun that says the condition; empty where none does."""
        if not isinstance(trait.value, Said) or trait.via:
            return ""
        phrase = self.words.phrase(record, trait.field)
        word = words.adjective(trait.field, trait.value, phrase)
        if not word and words.enum(trait.value.value) == "new" and phrase in words.PLAIN_STATUS:
            # "the new invoice" would be the one that the text itself has created
            made = {self.words.nouns[k] for k, r in self.script.records.items() if not r.traits}
            return "" if self.words.nouns[record.id] in made else "new"
        return word

    def placed_in(self, record: Mentioned, noun: str) -> str:
        """The service before the noun ("Deskly ticket"); empty where it goes without saying.

        It does where it was named last, and for what no other service of the world has.
        """
        title, service = self.words.title(record.service), record.service
        near, self.near = self.near, service
        self.placed.add(service)
        alone = words.last_word(noun) in self.script.alone and record.archetype in _UNPLACED
        named = title.lower() in noun.lower()
        return "" if near == service or named or alone else title

    def holder(self, key: str) -> str:
        """What a paragraph or a comment stands on, where no more is said of it."""
        record = self.record(key)
        inner = words.last_word(self.words.nouns[key]) in _INNER and not record.many
        kept = [trait for trait in record.traits if trait not in self.theirs(record)]
        if not (inner and len(kept) == 1 and kept[0].via):
            return ""
        return kept[0].via if not self.record(kept[0].via).many else ""

    def literal(
        self, said: Said, field: str, *, quote: bool = True, currency: str | None = None
    ) -> None:
        """A literal, in quotes where people quote, with its span."""
        quoted = quote and said.kind in words.QUOTED_KINDS
        if quoted:
            self.writer.word('"')
        elif not quote:
            self.writer.space()
        with self.literal_span(said, glued=quoted or not quote):
            self.writer.raw(words.literal(said, field, self.style, currency))
        if quoted:
            self.writer.raw('"')

    def literal_span(self, said: Said, *, glued: bool = False) -> AbstractContextManager[None]:
        """A span for the words of a literal."""
        if glued:
            self.writer.glue()
        fact = Fact(kind=said.kind, value=said.value)
        return self.writer.span("literal", str(said.value), fact=fact)

    def fill(self, phrase: str, inside: Callable[[], None]) -> None:
        """Put a phrase with something in its hole."""
        before, _, after = phrase.partition("{}")
        self.writer.word(before.rstrip())
        if before and before[-1] in "\"#'(":
            self.writer.glue()
        inside()
        if after:
            if after.startswith(" "):
                self.writer.word(after.strip())
            else:
                self.writer.raw(after)
