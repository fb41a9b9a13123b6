"""Phrases: how a text names records and values, by the rule that a reader goes by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from compoworld_tasks_walk import lexicon, words
from compoworld_tasks_walk.customers import Customers
from compoworld_tasks_walk.mentions import Unsayable
from compoworld_tasks_walk.reckoning import DATE_FIGURES, FIGURES, Reckoning, best_word
from compoworld_tasks_walk.script import (
    Converted,
    Extreme,
    FactOf,
    Figure,
    Mentioned,
    Ruled,
    Said,
    Shifted,
    Stated,
    Timed,
    Trait,
    Value,
)

_APPOSED = ("{}", "#{}")
_KEYED = ("with ", "whose ", "named ", "called ", "titled ", *_APPOSED)
"""How a phrase begins that names a key, not a part in the record."""
CALLED = ("called {}", "titled {}", "named {}")
"""Phrases that people leave out: the title stands straight after the noun."""
_TRADE = ("order", "bill", "payment", "contract")
_SHORT = ("of type ", "with the status ", "with the state ")


class Speaker(Customers):
    """Writes names of records and values into one text."""

    def mention(self, key: str, *, pronoun: bool = False, whole: bool = False) -> None:
        """Name a record: a description at first, later a reference that a reader resolves."""
        if key in self.held:  # spoken of as a part of its page by now
            self.describe(key)
            return
        if key not in self.seen:
            if not self.record(key).traits:
                raise Unsayable(f"{key} is spoken of before it exists")
            self.describe(key)
            return
        noun = self.words.noun(key)
        many = self.record(key).many
        if self.own(key):
            self.describe(key)  # "that customer" would be the person
            return
        if pronoun and self.obvious(key):
            self.refer(key, noun, self.pronouns(key)[0])
            return
        self._again(key, noun if whole else self.called(key, "short"), many)

    def _again(self, key: str, short: str, many: bool) -> None:
        noun = self.words.noun(key)
        if key in self.named or not self.record(key).traits:
            self.fresh(key, noun)
        elif (self.plainly(key) and self.made(noun)) or self._written(key, noun):
            self.describe(key)
        elif self.writer.last.get(noun) == key:
            self.refer(key, noun, f"{self._that(many)} {self.afar(key, short)}")
        elif (self.theirs(self.record(key)) and self.lasting(key)) or self.plainly(key):
            self.describe(key)
        elif alias := self.alias(key, noun):
            self.refer(key, alias, f"the {alias}")
        else:
            raise Unsayable(f"a second {noun} leaves the first without a name")

    def _written(self, key: str, noun: str) -> bool:
        """Is it a message of the customer's, in a text that has another one written?"""
        record = self.record(key)
        theirs = self.theirs(record)
        return (
            record.archetype == "message"
            and self.made(noun)
            and bool(theirs)
            and all(
                trait in theirs or isinstance(trait.value, Extreme) for trait in record.traits
            )
        )

    def _that(self, many: bool) -> str:
        if many:
            return "those"
        return self.rng.choice(("that", "that", "the"))

    def describe(self, key: str) -> None:
        """The record's noun phrase, by its traits."""
        record, noun = self.record(key), self.words.noun(key)
        front, back = self._parts(record)
        theirs = self.theirs(record)
        shared = self.shared(record)
        back = [pair for pair in back if pair[1] not in theirs and not shared]
        owner = self._owner(back)
        self.inside += 1
        with self.writer.span("selection", key, noun):
            if shared:
                self.writer.word("our")
            elif theirs:
                self.of_customer(theirs)
            elif owner:
                back = [pair for pair in back if pair[1].via != owner]
                self.mention(owner)
                self.writer.mark(words.possessive(many=False))
            else:
                self.writer.word("the")
            best = "".join(best_word(trait) for trait in record.traits)
            written = record.archetype == "message"  # theirs were written by them
            if theirs and self.made(noun) and not best and not written:
                self.writer.word("existing")  # not the one that the text has created
            self.writer.word(best)
            within = any(trait.via for _, trait in back)  # "the comment on the Wikily page"
            if theirs and self.namesake(record):
                self.placed.discard(record.service)
            for index, (said, value) in enumerate(front):
                if index and "-priority" not in said and not said.startswith("#"):
                    self.writer.mark(",")
                with self.literal_span(value):
                    self.writer.word(said)
            placed = "" if within else self.placed_in(record, noun)
            self.writer.word(placed)
            self.writer.word(self.recorded(noun) if self.own(key) else self.called(key, placed))
            before = ""
            for phrase, trait in back:
                before = self._trait(record, trait, phrase, before)
            if shared:
                self.writer.word("with them")
        self.inside -= 1
        self.spoken[key] = self.turns
        if key not in self.seen:
            self.seen.append(key)

    def _owner(self, back: list[tuple[str, Trait]]) -> str:
        """The record known by now whose this one is: "that customer's open invoice"."""
        for phrase, trait in back:
            key = trait.via
            if phrase != "of {}" or key not in self.seen or self.record(key).many:
                continue
            if self.writer.last.get(self.words.noun(key)) == key and self.rng.random() < 0.6:
                return key
        return ""

    def _parts(
        self, record: Mentioned
    ) -> tuple[list[tuple[str, Said]], list[tuple[str, Trait]]]:
        """Conditions before the noun and after it, short ones first."""
        front: list[tuple[str, Said]] = []
        back: list[tuple[str, Trait]] = []
        for trait in record.traits:
            if trait.negated or isinstance(trait.value, Extreme):
                if not best_word(trait):
                    back.append((self._set_apart(record, trait), trait))
                continue
            word = self.adjective(record, trait)
            if word and isinstance(trait.value, Said):
                front.append((word, trait.value))
            elif self.words.own(record, trait.field) == "#{}" and isinstance(trait.value, Said):
                front.append((f"#{trait.value.value}", trait.value))
            elif trait.via:
                back.append((self.words.relation(record, trait.field, trait.via), trait))
            else:
                back.append((self._phrase(record, trait), trait))
        back.sort(key=lambda pair: _weight(*pair))
        for index, (phrase, trait) in enumerate(back[:-1]):
            if (
                phrase == "that is {}" or "[" in phrase
            ):  # a clause would swallow what comes after it
                back[index] = (f"with the {self.words.label(record, trait.field)} {{}}", trait)
        return front, back

    def _set_apart(self, record: Mentioned, trait: Trait) -> str:
        """ "that has the latest due date", "(except those that are paid)"."""
        named = self.words.label(record, trait.field)
        if isinstance(trait.value, Extreme):
            dated = trait.kind in ("date", "datetime")
            how = (DATE_FIGURES if dated else FIGURES)[trait.value.op]
            return f"that has the {how} {words.dated(named, trait.kind) if dated else named}"
        phrase = self.words.phrase(record, trait.field)
        state = phrase in words.PLAIN_STATUS
        if record.many:
            return f"(except those {'that are {}' if state else phrase})"
        return "that is not {}" if state else f"whose {named} is not {{}}"

    def _phrase(self, record: Mentioned, trait: Trait) -> str:
        """How the description says this condition."""
        phrase = self.words.phrase(record, trait.field)
        if not isinstance(trait.value, Said):
            return phrase
        if trait.kind in ("title", "file_name") and phrase.replace('"', "") in CALLED:
            return "{}"
        if phrase == "called {}" and trait.kind == "tag":
            held = words.last_word(self.words.nouns[record.id]) in lexicon.CONTAINERS
            return "{}" if held else phrase
        return (not record.many and words.clause(trait.value, phrase)) or phrase

    def _trait(self, record: Mentioned, trait: Trait, phrase: str, before: str) -> str:
        """Write one condition after the noun; returns its phrase."""
        value = trait.value
        put: Callable[[], None]
        if isinstance(value, Extreme):
            self.writer.word(phrase)
            return phrase
        if trait.negated and isinstance(value, Said):
            word = words.adjective(trait.field, value, self.words.phrase(record, trait.field))
            put = partial(self.literal, value, trait.field, quote='"' not in phrase)
            if word not in ("", "trial") and " are {}" in phrase.replace(" is ", " are "):
                put = partial(self._stand, value, word.replace("-", " "))
        elif isinstance(value, Said) and "[" in phrase:
            start, _, said = phrase.removesuffix("]").partition("[")
            phrase, put = f"{start}{{}}", partial(self._stand, value, said)
        elif isinstance(value, Said):
            put = partial(self.literal, value, trait.field, quote='"' not in phrase)
            if value.kind == "boolean":
                known = words.flag(trait.field) in lexicon.FLAGS
                phrase = (
                    "that is {}"
                    if known
                    else f"with the {words.flag(trait.field)} setting {{}}"
                )
            if record.many:
                phrase = phrase.replace("that is ", "that are ")
        elif trait.via:
            put = partial(self.mention, trait.via)
        elif isinstance(value, FactOf):
            phrase, put = self._by_fact(record, trait, value, phrase)
        elif isinstance(value, Stated):
            phrase = "{}"
            put = partial(
                self._reckoning().pointed,
                value,
                owned=bool(self.theirs(record)),
                trade=record.archetype in _TRADE,
            )
        else:
            phrase = f"whose {self.words.label(record, trait.field)} is {{}}"
            put = partial(self.value, value)
        joined = phrase
        for link in ("with ", "that is ", "that are ", "whose "):
            if phrase.startswith(link) and before.startswith(link):
                self.writer.word("and")
                joined = phrase if link == "whose " else phrase.removeprefix(link)
        self.fill(joined, put)
        return phrase

    def _stand(self, value: Said, said: str) -> None:
        """Words that stand for a literal."""
        with self.literal_span(value):
            self.writer.word(said)

    def _by_fact(
        self, record: Mentioned, trait: Trait, fact: FactOf, phrase: str
    ) -> tuple[str, Callable[[], None]]:
        """A condition whose value is another record's: "from that email's sender"."""
        phrase = phrase.replace('"', "")
        part, party = self._somebody(fact)
        noun, holder = self.words.nouns[record.id], self.words.nouns[fact.record]
        named = self.words.label(record, trait.field)
        source = self.words.label(self.record(fact.record), fact.field)
        keyed = phrase.startswith(_KEYED)
        of_it = partial(self.mention, fact.record, whole=True)
        somebody = partial(self._party, fact, part)
        if trait.kind in ("email", "person", "company") and (part or party):
            if not keyed:
                return phrase, somebody
            if phrase not in _APPOSED:
                deed = lexicon.DEEDS.get(part.replace(" ", "_"))
                if deed and words.is_person(noun):
                    return deed, of_it
                what = "name" if trait.kind != "email" else "email address"
                how = "with the {} of {{}}" if part else "with the same {} as {{}}"
                return how.format(what), somebody
        if trait.kind in ("company", "email", "person") and not keyed:
            if trait.kind == "company" and source != "name":
                return phrase, partial(self.value, fact)
            thing = "company" if trait.kind == "company" else source.removeprefix("email ")
            return phrase.replace("{}", f"the {thing} given in {{}}"), of_it
        if trait.kind == "company" and words.is_firm(noun):
            return "of {}" if words.is_person(holder) else "named in {}", of_it
        if trait.kind == "company" and named == "name":
            return "for {}", partial(self.value, fact)
        thing = named.removesuffix(" number")
        if thing in holder.split() and source in ("number", "name", named) and thing != named:
            told = f"{thing} {{}}" in phrase
            return phrase.replace(f"{thing} {{}}", "{}") if told else "for {}", of_it
        if named == source and words.is_party(holder):
            return f"with the same {named} as {{}}", of_it
        if named == source or source.endswith(f" {named}"):
            by = "of" if words.head(holder) in source else "given in"
            return f"with the {source} {by} {{}}", of_it
        return f"with the {named} given as the {source} of {{}}", of_it

    def _somebody(self, fact: FactOf) -> tuple[str, bool]:
        """The person's part in the record that the fact is of; or whether it is the person."""
        own = fact.field in words.own_fields(self.words.noun(fact.record), fact.kind)
        return words.role(fact.field), own

    def person(self, fact: FactOf) -> None:
        """Somebody whom a record names by address: "the requester of that ticket"."""
        part, party = self._somebody(fact)
        # nobody writes to a record: where it cannot be called shortly, to the address in it
        new = fact.record not in self.seen
        said = self.words.noun(fact.record) if new else self.words.short(fact.record)
        row = not part and said.endswith(" record")
        if (part or party) and not row:
            self._party(fact, part)
        else:
            self.value(fact)

    def _party(self, fact: FactOf, part: str) -> None:
        if not part:
            self.mention(fact.record)
        elif fact.record in self.seen and self.rng.random() < 0.5:
            self.mention(fact.record)
            self.writer.mark(words.possessive(self.script.records[fact.record].many))
            self.writer.word(part)
        else:
            self.writer.word(f"the {part} of")
            self.mention(fact.record)

    # -- values ----------------------------------------------------------------------------

    def value(self, value: Value, *, field: str = "", more: Sequence[Value] = ()) -> None:
        """A value: literal, fact of a record, figure, worked out, or the id of a new record.

        `more` are others of the same sort and record, told with it.
        """
        if isinstance(value, Timed):
            self._reckoning().timed(value)
        elif isinstance(value, Stated | Ruled | Shifted | Converted):
            self._reckoning().say(value, field, more)
        elif isinstance(value, Said):
            self.literal(value, field)
        elif isinstance(value, FactOf):
            self._fact(value, more)
        elif isinstance(value, Figure):
            self._reckoning().figure(value)
        else:
            self.writer.word("the ID of")
            self.mention(value.record)

    def _reckoning(self) -> Reckoning:
        return Reckoning(self, self.mention, self.value)

    def _fact(self, fact: FactOf, more: Sequence[Value] = ()) -> None:
        part = words.role(fact.field)
        if part and fact.kind in ("email", "person"):
            thing = "email address" if fact.kind == "email" else "name"
            self.writer.word(f"the {thing} of")
            self._party(fact, part)
            return
        told = (fact, *(one for one in more if isinstance(one, FactOf)))
        named = " and ".join(map(self._called, told))
        noun = self.words.noun(fact.record)
        if fact.record not in self.seen:
            given = fact.kind == "company" and not words.is_party(self.words.nouns[fact.record])
            self.writer.word(f"the {named} {'given in' if given else 'of'}")
            self.mention(fact.record)
        elif self.obvious(fact.record):
            if not self.inside and self.rng.random() < 0.5:
                self.refer(fact.record, noun, self.pronouns(fact.record)[1])
                self.writer.word(named)
            else:
                self._of(fact.record, named)
        else:
            self._of(fact.record, named)

    def _called(self, fact: FactOf) -> str:
        """What a field is called: "number", where "order number" would say it twice."""
        named = words.dated(self.words.label(self.record(fact.record), fact.field), fact.kind)
        thing = self.words.nouns[fact.record].removesuffix(" record")
        return "number" if named == f"{words.last_word(thing)} number" else named

    def _of(self, record: str, named: str) -> None:
        plain = self.writer.last.get(self.words.noun(record)) == record
        often = 0.8 if self.inside else 0.5  # "of … of …" is hard to read
        if plain and self.rng.random() < often:
            self.mention(record)
            self.writer.mark(words.possessive(self.script.records[record].many))
            self.writer.word(named)
        else:
            self.writer.word(f"the {named} of")
            self.mention(record)


def _weight(phrase: str, trait: Trait) -> tuple[int, int]:
    """Apposition first, then literals, then clauses, what nests another record, exceptions."""
    if trait.negated:
        return 3, 1
    if isinstance(trait.value, Extreme):
        return 2, 2
    clause = phrase.startswith(("that ", "whose "))
    nested = not isinstance(trait.value, Said)
    if phrase.startswith(_SHORT) and not nested:
        return 1, -1
    return (0 if phrase in _APPOSED and not nested else 2 if nested else 1, int(clause))
