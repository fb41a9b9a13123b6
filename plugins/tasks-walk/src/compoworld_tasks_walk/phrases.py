"""Phrases: how a text names records and values, by the rule that a reader goes by."""

from __future__ import annotations

from compoworld_tasks_walk import lexicon, words
from compoworld_tasks_walk.mentions import Names, Unsayable
from compoworld_tasks_walk.script import (
    FactOf,
    Figure,
    Mentioned,
    Said,
    Trait,
    Value,
)

_FIGURES = {"sum": "total", "largest": "largest", "smallest": "smallest"}
_APPOSED = ("{}", "#{}")
_CLAUSES = ("that", "whos")
_KEYED = ("with ", "whose ", "named ", "called ", "titled ", *_APPOSED)
"""How a phrase begins that names a key, not a part in the record."""
_DATE_FIGURES = {"largest": "latest", "smallest": "earliest"}


class Speaker(Names):
    """Writes names of records and values into one text."""

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
            self.refer(key, noun, self.pronouns(key)[0])
            return
        self._again(key, noun, many)

    def _again(self, key: str, noun: str, many: bool) -> None:
        if key in self.named or not self.record(key).traits:
            self.fresh(key, noun)
        elif self.writer.last.get(noun) == key:
            self.refer(key, noun, f"{self._that(many)} {noun}")
        elif self.plainly(key):
            self.describe(key, "the")
        elif alias := self.alias(key, noun):
            self.refer(key, alias, f"the {alias}")
        else:
            raise Unsayable(f"a second {noun} leaves the first without a name")

    def _that(self, many: bool) -> str:
        if many:
            return "those"
        return self.rng.choice(("that", "that", "the"))

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
                with self.literal_span(value):
                    self.writer.word(said)
            self.writer.word(noun)
            apposition = bool(back) and _weight(*back[0])[0] == 0
            if not apposition:
                self.place(record.service, noun)
            for index, (phrase, trait) in enumerate(back):
                before = back[index - 1][0][:5] if index else ""
                if phrase.startswith("with ") and before == "with ":
                    self.writer.word("and")
                    phrase = phrase.removeprefix("with ")
                elif phrase[:4] in _CLAUSES and before[:4] in _CLAUSES:
                    self.writer.word("and")
                self._trait(record, trait, phrase)
                if apposition and not index:
                    self.place(record.service, noun)
        if key not in self.seen:
            self.seen.append(key)

    def _parts(
        self, record: Mentioned
    ) -> tuple[list[tuple[str, Said]], list[tuple[str, Trait]]]:
        """Conditions before the noun and after it, short ones first."""
        front: list[tuple[str, Said]] = []
        back: list[tuple[str, Trait]] = []
        for trait in record.traits:
            word = self.adjective(record, trait)
            if word and isinstance(trait.value, Said):
                front.append((word, trait.value))
            elif self.words.own(record, trait.field) == "#{}" and isinstance(trait.value, Said):
                front.append((f"#{trait.value.value}", trait.value))
            elif trait.via:
                back.append((self.words.relation(record, trait.field), trait))
            else:
                back.append((self.words.phrase(record, trait.field), trait))
        back.sort(key=lambda pair: _weight(*pair))
        for index, (phrase, trait) in enumerate(back[:-1]):
            if phrase == "that is {}":  # a clause would swallow what comes after it
                back[index] = (f"with the {self.words.label(record, trait.field)} {{}}", trait)
        return front, back

    def _trait(self, record: Mentioned, trait: Trait, phrase: str) -> None:
        value = trait.value
        if isinstance(value, Said):
            if value.kind == "boolean":
                known = words.flag(trait.field) in lexicon.FLAGS
                verb = "are" if record.many else "is"
                setting = f"with the {words.flag(trait.field)} setting"
                self.writer.word(f"that {verb}" if known else setting)
                self.literal(value, trait.field)
                return
            if record.many:
                phrase = phrase.replace("that is ", "that are ")
            self.fill(phrase, lambda: self.literal(value, trait.field, quote='"' not in phrase))
        elif trait.via:
            self.fill(phrase, lambda: self.mention(trait.via))
        elif isinstance(value, FactOf):
            self._by_fact(record, trait, value, phrase)
        else:
            named = self.words.label(record, trait.field)
            self.fill(f"whose {named} is {{}}", lambda: self.value(value))

    def _by_fact(self, record: Mentioned, trait: Trait, fact: FactOf, phrase: str) -> None:
        """A condition whose value is another record's: "from that email's sender"."""
        phrase = phrase.replace('"', "")
        part, party = self._somebody(fact)
        holder = self.words.nouns[fact.record]
        named = self.words.label(record, trait.field)
        source = self.words.label(self.record(fact.record), fact.field)
        keyed = phrase.startswith(_KEYED)
        if trait.kind in ("email", "person", "company") and (part or party):
            if not keyed:
                self.fill(phrase, lambda: self._party(fact, part))
                return
            if phrase not in _APPOSED:
                deed = lexicon.DEEDS.get(part.replace(" ", "_"))
                if deed and words.is_person(self.words.nouns[record.id]):
                    self.fill(deed, lambda: self.mention(fact.record))
                    return
                what = "name" if trait.kind != "email" else "email address"
                how = f"with the {what} of {{}}" if part else f"with the same {what} as {{}}"
                self.fill(how, lambda: self._party(fact, part))
                return
        if trait.kind == "company" and not keyed:
            self.fill(phrase, lambda: self.value(fact))
            return
        if trait.kind == "company" and words.is_firm(self.words.nouns[record.id]):
            how = "of {}" if words.is_person(holder) else "named in {}"
            self.fill(how, lambda: self.mention(fact.record))
            return
        thing = named.removesuffix(" number")
        if thing in holder.split() and source in ("number", "name", named) and thing != named:
            told = f"{thing} {{}}" in phrase
            about = phrase.replace(f"{thing} {{}}", "{}") if told else "for {}"
            self.fill(about, lambda: self.mention(fact.record))
            return
        if named == source and words.is_party(holder):
            self.fill(f"with the same {named} as {{}}", lambda: self.mention(fact.record))
        elif named == source or source.endswith(f" {named}"):
            by = "of" if words.last_word(holder) in source else "given in"
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

    def person(self, fact: FactOf) -> None:
        """Somebody whom a record names by address: "the requester of that ticket"."""
        part, party = self._somebody(fact)
        if part or party:
            self._party(fact, part)
        else:
            self.value(fact)

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
        named = words.dated(self.words.label(self.record(fact.record), fact.field), fact.kind)
        noun = self.words.noun(fact.record)
        if fact.record not in self.seen:
            self.writer.word(f"the {named} of")
            self.mention(fact.record)
        elif self.writer.latest == fact.record == self.writer.last.get(noun):
            if self.rng.random() < 0.5:
                self.refer(fact.record, noun, self.pronouns(fact.record)[1])
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
        named = self.words.label(self.record(figure.record), figure.field)
        if figure.op == "count":
            self.writer.word("the number of")
            self.mention(figure.record)
            return
        dated = figure.kind in ("date", "datetime")
        how = _DATE_FIGURES.get(figure.op, "latest") if dated else _FIGURES[figure.op]
        named = words.dated(named, figure.kind) if dated else named
        between = "of" if figure.op == "sum" else self.rng.choice(("among", "of"))
        self.writer.word(f"the {how} {named} {between}")
        self.mention(figure.record)


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
