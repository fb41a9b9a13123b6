"""Phrases: how a text names records and values, by the rule that a reader goes by."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from compoworld_core.plan import Fact
from compoworld_tasks_walk import lexicon, words
from compoworld_tasks_walk.script import (
    FactOf,
    Figure,
    Mentioned,
    NewId,
    Said,
    Script,
    Trait,
    Value,
)
from compoworld_tasks_walk.words import Words
from compoworld_tasks_walk.writer import Writer

_FIGURES = {"sum": "total", "largest": "largest", "smallest": "smallest"}
_APPOSED = ("{}", "#{}")
_DATE_FIGURES = {"largest": "latest", "smallest": "earliest"}


class Unsayable(Exception):
    """No honest text exists for the script, and why."""


class Speaker:
    """Writes names of records and values into one text, and knows what was mentioned."""

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
        self.named: dict[str, Said] = {}
        """Records that an action created → their name."""

    # -- what may be said ------------------------------------------------------------------

    def record(self, key: str) -> Mentioned:
        """A record of the script."""
        try:
            return self.script.records[key]
        except KeyError:
            raise Unsayable(f"the script has no record {key}") from None

    def needs(self, key: str) -> list[str]:
        """Records that a description of this one names."""
        found = []
        for trait in self.record(key).traits:
            if isinstance(trait.value, FactOf | Figure | NewId):
                found.append(trait.value.record)
        return found

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

    # -- records ---------------------------------------------------------------------------

    def mention(self, key: str, *, pronoun: bool = False, determiner: str = "") -> None:
        """Name a record: a description at first, later a reference that a reader resolves."""
        if key not in self.seen:
            if not self.record(key).traits:
                raise Unsayable(f"{key} is spoken of before it exists")
            self.describe(key, determiner or "the")
            return
        noun = self.words.noun(key)
        many = self.record(key).many
        if pronoun and self.writer.latest == key and self.writer.last.get(noun) == key:
            self._refer(key, noun, self.pronouns(key)[0])
            return
        self._again(key, noun, many)

    def _again(self, key: str, noun: str, many: bool) -> None:
        if key in self.named or not self.record(key).traits:
            self._new(key, noun)
        elif self.writer.last.get(noun) == key:
            self._refer(key, noun, f"{self._that(many)} {noun}")
        elif self.plainly(key):
            self.describe(key, "the")
        elif alias := self._alias(key, noun):
            self._refer(key, alias, f"the {alias}")
        else:
            raise Unsayable(f"a second {noun} leaves the first without a name")

    def pronouns(self, key: str) -> tuple[str, str]:
        """What stands for the record: it and its, or them and their."""
        head = words.last_word(self.words.nouns[key])
        plural = self.record(key).many or head in lexicon.PARTIES - lexicon.FIRMS
        return ("them", "their") if plural else ("it", "its")

    def _that(self, many: bool) -> str:
        if many:
            return "those"
        return self.rng.choice(("that", "that", "the"))

    def _new(self, key: str, noun: str) -> None:
        fresh = f"new {noun}"
        if self.writer.last.get(fresh) == key:
            self._refer(key, fresh, f"the {fresh}")
            return
        name = self.named.get(key)
        alike = [k for k, said in self.named.items() if name and said.value == name.value]
        if name is None or alike != [key]:
            made = [k for k in self.seen if not self.record(k).traits]
            same = [k for k in made if self.words.noun(k) == noun]
            if same.index(key) >= len(words.ORDINALS):
                raise Unsayable(f"too many new records are called {noun}")
            alias = self._named(key, f"{words.ORDINALS[same.index(key)]} {fresh}")
            self._refer(key, alias, f"the {alias}")
            return
        with self.writer.span("selection", key, fresh):
            self.writer.word(f"the {fresh}")
            self.literal(name, "title")
        self.writer.last[noun] = key

    def _alias(self, key: str, noun: str) -> str:
        """A name that sets the record apart from others of its noun."""
        alike = [k for k in self.seen if self.words.noun(k) == noun]
        for trait in self.record(key).traits:
            if not isinstance(trait.value, Said) or (key, trait.field) in self.changed:
                continue
            word = self._adjective(self.record(key), trait)
            others = {self._adjective(self.record(k), t) for k in alike if k != key
                      for t in self.record(k).traits}  # fmt: skip
            bare = any(not self.record(k).traits for k in alike)
            if word and word not in others and not bare and len(alike) == 2:
                return self._named(key, f"{word} {noun}")
        if self.record(key).many or len(alike) < 2:
            return ""
        place = alike.index(key)
        if place >= len(words.ORDINALS):
            return ""
        return self._named(key, f"{words.ORDINALS[place]} {noun}")

    def _named(self, key: str, alias: str) -> str:
        if self.writer.last.get(alias) is None:
            self.writer.also(key, alias)
        return alias if self.writer.last[alias] == key else ""

    def _refer(self, key: str, noun: str, said: str) -> None:
        with self.writer.span("reference", key, noun):
            self.writer.word(said)

    def describe(self, key: str, determiner: str) -> None:
        """The record's noun phrase, by its traits."""
        record, noun = self.record(key), self.words.noun(key)
        front, back = self._parts(record)
        with self.writer.span("selection", key, noun):
            head = " ".join([*(said for said, _ in front), noun])
            if determiner in ("a", "an"):
                determiner = words.article(head)
            self.writer.word(determiner)
            for said, value in front:
                with self._literal_span(value):
                    self.writer.word(said)
            self.writer.word(noun)
            apposition = bool(back) and back[0][0] in _APPOSED
            if not apposition:
                self.place(record.service, noun)
            for index, (phrase, trait) in enumerate(back):
                if index and phrase.startswith("with ") and back[index - 1][0][:5] == "with ":
                    self.writer.word("and")
                elif index and phrase.startswith(("that ", "whose ")):
                    self.writer.word("and" if back[index - 1][0][:4] in ("that", "whos") else "")
                self._trait(record, trait, phrase)
                if apposition and not index:
                    self.place(record.service, noun)
        if key not in self.seen:
            self.seen.append(key)

    def place(self, service: str, noun: str) -> None:
        """Name the service where it was not named before."""
        title = self.words.title(service)
        if service in self.placed or title.lower() in noun.lower():
            self.placed.add(service)
            return
        self.placed.add(service)
        self.writer.word(f"in {title}")

    def _parts(
        self, record: Mentioned
    ) -> tuple[list[tuple[str, Said]], list[tuple[str, Trait]]]:
        """Conditions before the noun and after it, short ones first."""
        front: list[tuple[str, Said]] = []
        back: list[tuple[str, Trait]] = []
        for trait in record.traits:
            word = self._adjective(record, trait)
            if word and isinstance(trait.value, Said):
                front.append((word, trait.value))
            elif trait.via:
                back.append((self.words.relation(record, trait.field), trait))
            else:
                back.append((self.words.phrase(record, trait.field), trait))
        back.sort(key=lambda pair: _weight(*pair))
        return front, back

    def _adjective(self, record: Mentioned, trait: Trait) -> str:
        if not isinstance(trait.value, Said) or trait.via:
            return ""
        return words.adjective(
            trait.field, trait.value, self.words.phrase(record, trait.field)
        )

    def _trait(self, record: Mentioned, trait: Trait, phrase: str) -> None:
        value = trait.value
        if isinstance(value, Said):
            if value.kind == "boolean":
                self.writer.word("that is" if not record.many else "that are")
                self.literal(value, trait.field)
                return
            if record.many:
                phrase = phrase.replace("that is ", "that are ")
            self.fill(phrase, lambda: self.literal(value, trait.field, quote='"' not in phrase))
        elif trait.via:
            self.fill(phrase, lambda: self.mention(trait.via))
        elif isinstance(value, FactOf):
            self._by_fact(trait, value, phrase)
        else:
            self.fill(f"whose {words.label(trait.field)} is {{}}", lambda: self.value(value))

    def _by_fact(self, trait: Trait, fact: FactOf, phrase: str) -> None:
        """A condition whose value is another record's: "from that email's sender"."""
        phrase = phrase.replace('"', "")
        part, party = self._somebody(fact)
        named, source = words.label(trait.field), words.label(fact.field)
        keyed = phrase.startswith(("with ", "whose ", "named ", "called ", "titled ", *_APPOSED))
        if trait.kind in ("email", "person", "company") and (part or party):
            if not keyed:
                self.fill(phrase, lambda: self._party(fact, part))
                return
            if phrase not in _APPOSED:
                what = "name" if trait.kind != "email" else "email address"
                self.fill(f"with the {what} of {{}}", lambda: self._party(fact, part))
                return
        if trait.kind == "company" and not keyed:
            self.fill(phrase, lambda: self.value(fact))
            return
        holder = self.words.noun(fact.record)
        if named == source or source.endswith(f" {named}"):
            by = "of" if words.is_party(holder) or source != named else "given in"
            by = "given in" if source != named and words.last_word(holder) not in source else by
            self.fill(f"with the {source} {by} {{}}", lambda: self.mention(fact.record))
        else:
            self.fill(
                f"with the {named} given as the {source} of {{}}",
                lambda: self.mention(fact.record),
            )

    def _somebody(self, fact: FactOf) -> tuple[str, bool]:
        """The person's part in the record that the fact is of; or whether it is the person."""
        own = fact.field in own_fields(self.words.noun(fact.record), fact.kind)
        return words.role(fact.field), own

    def _party(self, fact: FactOf, part: str) -> None:
        if not part:
            self.mention(fact.record)
        elif fact.record in self.seen and self.rng.random() < 0.5:
            self.mention(fact.record)
            self.writer.mark(possessive(self.script.records[fact.record].many))
            self.writer.word(part)
        else:
            self.writer.word(f"the {part} of")
            self.mention(fact.record)

    # -- values ----------------------------------------------------------------------------

    def value(self, value: Value, *, field: str = "") -> None:
        """A value: literal, fact of a record, figure over a set, or the id of a new record."""
        if isinstance(value, Said):
            self.literal(value, field)
        elif isinstance(value, FactOf):
            self._fact(value)
        elif isinstance(value, Figure):
            self._figure(value)
        else:
            self.writer.word("the ID of")
            self.mention(value.record)

    def _fact(self, fact: FactOf) -> None:
        part = words.role(fact.field)
        if part and fact.kind in ("email", "person"):
            thing = "email address" if fact.kind == "email" else "name"
            self.writer.word(f"the {thing} of")
            self._party(fact, part)
            return
        named = words.fact_label(fact.field, fact.kind)
        noun = self.words.noun(fact.record)
        if fact.record not in self.seen:
            self.writer.word(f"the {named} of")
            self.mention(fact.record)
        elif self.writer.latest == fact.record == self.writer.last.get(noun):
            if self.rng.random() < 0.5:
                self._refer(fact.record, noun, self.pronouns(fact.record)[1])
                self.writer.word(named)
            else:
                self._of(fact.record, named)
        else:
            self._of(fact.record, named)

    def _of(self, record: str, named: str) -> None:
        plain = self.writer.last.get(self.words.noun(record)) == record
        if plain and self.rng.random() < 0.5:
            self.mention(record)
            self.writer.mark(possessive(self.script.records[record].many))
            self.writer.word(named)
        else:
            self.writer.word(f"the {named} of")
            self.mention(record)

    def _figure(self, figure: Figure) -> None:
        named = words.label(figure.field)
        if figure.op == "count":
            self.writer.word("the number of")
            self.mention(figure.record)
            return
        dated = figure.kind in ("date", "datetime")
        how = _DATE_FIGURES.get(figure.op, "latest") if dated else _FIGURES[figure.op]
        named = words.fact_label(figure.field, figure.kind) if dated else named
        between = "of" if figure.op == "sum" else self.rng.choice(("among", "of"))
        self.writer.word(f"the {how} {named} {between}")
        self.mention(figure.record)

    def literal(
        self, said: Said, field: str, *, quote: bool = True, currency: str | None = None
    ) -> None:
        """A literal, in quotes where people quote, with its span."""
        quoted = quote and said.kind in words.QUOTED_KINDS
        if quoted:
            self.writer.word('"')
        elif not quote:
            self.writer.space()
        with self._literal_span(said, glued=quoted or not quote):
            self.writer.raw(words.literal(said, field, self.style, currency))
        if quoted:
            self.writer.raw('"')

    def _literal_span(self, said: Said, *, glued: bool = False):  # type: ignore[no-untyped-def]
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
            self.writer.raw(after) if not after.startswith(" ") else self.writer.word(after.strip())


def possessive(many: bool) -> str:
    """The ending of a noun that owns something."""
    return "'" if many else "'s"


def own_fields(noun: str, kind: str) -> frozenset[str]:
    """Fields by which a record of this noun is itself meant."""
    if not words.is_party(noun):
        return frozenset()
    firm = words.last_word(noun) in lexicon.FIRMS
    if (kind == "company") != firm:
        return frozenset()
    return lexicon.OWN_KEYS


def _weight(phrase: str, trait: Trait) -> tuple[int, int]:
    """Apposition first, then literals, then clauses, what nests another record last."""
    clause = phrase.startswith(("that ", "whose "))
    nested = not isinstance(trait.value, Said)
    return (0 if phrase in _APPOSED and not nested else 2 if nested else 1, int(clause))
