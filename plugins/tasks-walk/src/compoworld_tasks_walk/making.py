"""Making: the clause of an action that brings a new record about."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from compoworld_tasks_walk import lexicon, verbs, words
from compoworld_tasks_walk.phrases import CALLED, Speaker
from compoworld_tasks_walk.script import (
    FactOf,
    Figure,
    Make,
    Mentioned,
    NewId,
    Said,
    Shifted,
    Stated,
    Timed,
    Value,
    records_of,
)
from compoworld_tasks_walk.telling import Telling

Part = tuple[str, Callable[[], None], bool]
"""A phrase with {}, what goes there, and whether that is a literal."""

_INSIDE = frozenset((
    "channel", "database", "source", "folder", "list", "project", "board", "workspace",
    "calendar", "drive", "repository", "section", "thread", "notebook", "mailbox",
))  # fmt: skip
"""Last words of nouns of things that records are put into."""
_PEOPLE = frozenset(("to", "recipient", "recipients", "cc", "bcc"))
_TEXTS = frozenset((
    "email", "message", "comment", "note", "block", "paragraph", "insight", "reply", "reminder",
    "document", "page", "article", "post", "update", "file", "doc",
))  # fmt: skip
"""Last words of nouns of what is a text itself."""
_DIRECT = _PEOPLE | {"due_date", "due", "due_on", "deadline"}
"""Fields whose describing phrase also says what a new record gets, also of a carried value."""
_UNFIT = ("{}", "#", "that ", "whose ", "of ", "from ", "by ", "about ")
"""How a describing phrase begins that does not say what a new record gets."""
_CLOSE = ("in {}", "on {}", "at {}", "for {}", "of {}", "under {}", "from {}", "until {}")
"""Phrases that need no comma after the new record's name."""
_LEAVES = 0.35
"""How often people say that they leave a comment, rather than add it."""
_REMARKS = frozenset(("comment", "note", "reply", "block", "paragraph", "attachment"))


class Making:
    """Writes `Make` actions through a speaker."""

    def __init__(self, speaker: Speaker) -> None:
        self.speaker = speaker
        self.telling = Telling(self)

    def write(self, make: Make) -> None:
        """ "send an email to … with the subject …, giving the invoice's due date"."""
        speaker, writer = self.speaker, self.speaker.writer
        record, noun = speaker.record(make.record), speaker.words.nouns[make.record]
        each = bool(make.parent) and speaker.record(make.parent).many
        if each:
            writer.word("go through")
            speaker.mention(make.parent)
            writer.word("and")
        if self.telling.write(make, noun):
            return
        remark = bool(make.parent) and not each and words.last_word(noun) == "comment"
        leaves = remark and speaker.rng.random() < _LEAVES
        writer.word("leave" if leaves else verbs.maker(make.tool, noun))
        with writer.span("selection", make.record, noun):
            self.head(make, noun)
        writer.last[f"new {noun}"] = make.record
        writer.also(make.record, f"new {noun}")
        speaker.seen.append(make.record)
        parts = self._rest(record, make)
        first = [part for part in parts if part[0] == "to {}"]
        for phrase, put, _ in first:
            speaker.fill(phrase, put)
        titled = any(_is_name(record, *said) for said in make.said)
        if titled and any(not literal for *_, literal in first):
            writer.mark(",")
        named = self._name(record, make)
        if named:
            speaker.named[make.record] = named
        if make.parent:
            writer.word("on" if leaves else self._under(noun, make.parent))
        if each:
            writer.word("each of them")
        elif make.parent:
            speaker.mention(make.parent, pronoun=True)
        speaker.subject = make.record
        self._parts([part for part in parts if part[0] != "to {}"], named is not None)
        self._states(make, noun)

    def head(self, make: Make, noun: str) -> None:
        """ "an internal comment": the noun with what flags say of it."""
        speaker, writer = self.speaker, self.speaker.writer
        flags = [(f, s) for f, s in make.said if _is_flag(f, s)]
        called = noun.removeprefix("scheduled ")  # "schedule a message"
        # the service of what it is under was named, or goes without saying; a team's does not
        nouns = speaker.words.nouns
        placed_in = [words.last_word(nouns[place]) for _, place in make.places]
        if make.parent or any(head != "team" for head in placed_in):
            called = called.removeprefix(
                f"{speaker.words.title(speaker.record(make.record).service)} "
            )
        if self._replies(make, noun):
            called = "reply"
        placed = "" if make.parent else speaker.placed_in(speaker.record(make.record), noun)
        if placed:
            called = speaker.called(make.record, placed)
        front = " ".join([*(words.boolean(f, s.value) for f, s in flags), placed or called])
        writer.word(words.article(front))
        for field, said in flags:
            speaker.literal(said, field)
        writer.word(placed)
        writer.word(called)

    def _name(self, record: Mentioned, make: Make) -> Said | None:
        """The new record's name, right after its noun."""
        for field, said in make.said:
            if _is_name(record, field, said):
                phrase = "with the subject {}" if field == "subject" else "{}"
                if said.kind in ("person", "company"):
                    phrase = "called {}" if words.is_firm(record.noun) else "for {}"
                own = self.speaker.words.own(record, field)
                if own and not own.startswith(("{}", "whose", "about", "#")):
                    phrase = "{}" if own.replace('"', "") in CALLED else own
                bare = '"' not in phrase
                self.speaker.fill(
                    phrase, partial(self.speaker.literal, said, field, quote=bare)
                )
                return said
        return None

    def _replies(self, make: Make, noun: str) -> bool:
        """Is it a message to a message?"""
        parent = self.speaker.words.nouns.get(make.parent, "none")
        return words.last_word(parent) == words.last_word(noun) == "message"

    def _under(self, noun: str, parent: str) -> str:
        head = words.last_word(self.speaker.words.nouns[parent])
        if head == words.last_word(noun) == "message":
            return "to"
        if head in _INSIDE:
            return "in"
        if words.last_word(noun) in _REMARKS:
            return "to" if head in ("ticket", "issue", "page", "document", "task") else "on"
        return "under" if head == words.last_word(noun) else "for"

    def _rest(self, record: Mentioned, make: Make) -> list[Part]:
        speaker = self.speaker
        currency = next((str(s.value) for _, s in make.said if s.kind == "currency"), None)
        named = next((s for f, s in make.said if _is_name(record, f, s)), None)
        parts: list[Part] = []
        for field, place in make.places:
            phrase = speaker.words.relation(record, field, place)
            head = words.last_word(speaker.words.nouns[place])
            if phrase.startswith("whose "):
                phrase = "in {}" if head in _INSIDE else (
                    f"with {{}} as the {speaker.words.label(record, field)}"
                )  # fmt: skip
            elif phrase == "in {}" and head == "team":
                phrase = "for {}"
            phrase = {"of {}": "for {}", "with a {}": "for {}"}.get(phrase, phrase)
            if phrase == "on {}" and words.last_word(record.noun) in ("block", "paragraph"):
                phrase = "to {}"
            parts.append((phrase, partial(speaker.mention, place), False))
        for field, value in make.takes:
            phrase = self._giving(record, field, value)
            put = partial(speaker.value, value, field=field)
            if isinstance(value, FactOf) and field.lower() in _PEOPLE:
                put = partial(speaker.person, value)
            parts.append((phrase, put, False))
        for field, said in make.said:
            if said is named or _is_flag(field, said):
                continue
            phrase = self._giving(record, field, said)
            write = partial(
                speaker.literal, said, field, quote='"' not in phrase, currency=currency
            )
            if phrase == "to {}" and said.kind == "email":
                write = partial(speaker.addressee, said, field)
            parts.append((phrase, write, True))
        parts.sort(key=lambda part: _rank(part[0]))
        if [part[0] for part in parts].count("starting {}") == 1:
            spell = {"starting {}": "from {}", "ending {}": "until {}"}
            parts = [(spell.get(part[0], part[0]), *part[1:]) for part in parts]
        return parts

    def _giving(self, record: Mentioned, field: str, value: Value) -> str:
        """How a new record gets a value: "due {}", "with {} as its amount"."""
        bare = words.bare(field)
        named = self.speaker.words.label(record, field)
        if isinstance(value, Timed):
            met = record.archetype == "meeting"
            return "until {}" if value.ends else "from {}" if met else "for {}"
        if isinstance(value, Said) and value.kind == "boolean":
            return f"with the {words.flag(field)} setting {{}}"
        if isinstance(value, Said) and value.kind == "status":
            return f"with the {named} {{}}" if bare != "priority" else "with {} priority"
        if bare not in _PEOPLE and isinstance(value, FactOf) and self._same(value, named):
            return "with {}"
        if bare in _DIRECT:
            phrase = lexicon.PHRASES[bare]
            if words.last_word(record.noun) == "reminder" and phrase.startswith("due"):
                return "for {}"
            return (
                phrase
                if isinstance(value, Said | Shifted)
                else phrase.replace("due {}", "due on {}")
            )
        if bare.startswith("assign") and bare in lexicon.ROLES:
            return "assigned to {}"
        if bare in lexicon.MAIN_TEXT and isinstance(value, Said):
            return "saying {}"
        if isinstance(value, Said) and value.kind != "text":
            phrase = self.speaker.words.phrase(record, field)
            if record.noun.startswith("scheduled ") and value.kind == "datetime":
                return "for {}"
            if words.last_word(record.noun) == "reminder" and phrase.startswith("due "):
                return "for {}"
            if not phrase.startswith(_UNFIT):
                return phrase
        if isinstance(value, Said):
            return f"with the {named} {{}}"
        if isinstance(value, FactOf) and named == "email address" and value.kind == "email":
            return "with {}"
        return f"with {{}} as the {named}"

    def _same(self, fact: FactOf, named: str) -> bool:
        """Is the field called as the fact is: "number" of an invoice, and "invoice number"?"""
        source = self.speaker.words.label(self.speaker.record(fact.record), fact.field)
        noun = words.last_word(self.speaker.words.nouns[fact.record])
        return named in (source, f"{noun} {source}")

    def _parts(self, parts: list[Part], named: bool) -> None:
        writer = self.speaker.writer
        for index, (phrase, put, literal) in enumerate(parts):
            apart = named and not literal and not phrase.startswith(_CLOSE)
            if index and phrase.startswith("saying ") and parts[index - 1][2]:
                writer.word("and")
            elif phrase == "until {}" and index:
                pass
            elif index or apart or (named and phrase.startswith("saying ")):
                writer.mark(",")
                if index and index == len(parts) - 1 and phrase.startswith("with "):
                    writer.word("and" if parts[index - 1][0].startswith("with ") else "")
            self.speaker.fill(phrase, put)

    def _states(self, make: Make, noun: str) -> None:
        """What the new record must tell: "that gives the invoice's due date"."""
        speaker, writer = self.speaker, self.speaker.writer
        posted = any(words.bare(name) in _PEOPLE for name, _ in (*make.said, *make.takes))
        hero = speaker.script.hero
        theirs = hero is not None and any(said.value == hero.email for _, said in make.said)
        for field, values in make.states:
            main = words.bare(field) in lexicon.MAIN_TEXT
            main = main and words.last_word(noun) in _TEXTS
            places = [key for key in (make.parent, *(key for _, key in make.places)) if key]
            shared = any(speaker.shared(speaker.record(key)) for key in places)
            news = len(values) == 1 and isinstance(values[0], NewId)
            label = self._label(make, field)
            if not (main or news or self._brief(values)):
                writer.mark(",")
                writer.word("and put")
                self.told(values, field)
                writer.word(f"into the {label}")
                continue
            telling = shared or (main and posted and theirs)
            verb = speaker.rng.choice(_TELLING) if telling and not news else "with"
            if any(words.bare(name) in lexicon.MAIN_TEXT for name, _ in make.said):
                writer.word("and")
            elif verb != "with" or not (main or news):
                writer.mark(",")  # it is told of the new record, not of its place
            writer.word(verb)
            self.told(values, field)
            if not (main or news):
                writer.word(f"in the {label}")

    def is_text(self, noun: str) -> bool:
        """Is a record of this noun a text itself?"""
        return words.last_word(noun) in _TEXTS

    def of(self, value: Value) -> list[str]:
        """The records that a value names."""
        return records_of(value)

    def told(self, values: tuple[Value, ...], field: str) -> None:
        groups = _grouped(values)
        for place, (value, *more) in enumerate(groups):
            if place:
                last = place == len(groups) - 1
                self.speaker.writer.mark("" if last and len(groups) == 2 else ",")
                self.speaker.writer.word("and" if last else "")
            self.speaker.value(value, field=field, more=more)

    def _brief(self, values: tuple[Value, ...]) -> bool:
        """Are the facts said shortly enough that the field may come after them?"""
        records = [record for value in values for record in records_of(value)]
        plain = all(isinstance(value, FactOf | Figure | NewId) for value in values)
        return plain and all(self.speaker.cost(record) == 0 for record in records)

    def _label(self, make: Make, field: str) -> str:
        head = words.last_word(self.speaker.words.nouns[make.record])
        if words.bare(field) in ("body", "content") and head in ("issue", "ticket", "request"):
            return "description"
        return self.speaker.words.label(self.speaker.record(make.record), field)


def _grouped(values: tuple[Value, ...]) -> list[list[Value]]:
    """The values, those of one record and one sort together: "its number and total"."""
    groups: list[list[Value]] = []
    for value in values:
        plain = isinstance(value, FactOf | Stated)
        fitting = (
            group
            for group in groups
            if plain and type(group[0]) is type(value)
            if records_of(group[0]) == records_of(value)
        )
        group = next(fitting, None)
        if group is None:
            groups.append([value])
        else:
            group.append(value)
    return groups


def _is_flag(field: str, said: Said) -> bool:
    return said.kind == "boolean" and words.flag(field) in lexicon.FLAGS


def _is_name(record: Mentioned, field: str, said: Said) -> bool:
    """Does it stand straight after the noun? What a reminder says is all that it has."""
    if words.last_word(record.noun) == "reminder" and words.bare(field) in lexicon.MAIN_TEXT:
        return True
    return field.lower() in lexicon.NAMES and said.kind not in ("status", "boolean")


_TELLING = ("giving them", "telling them", "letting them know")
"""How a text is said to state a fact where it goes to the customer: "they" are always those."""


def _rank(phrase: str) -> int:
    """Who it goes to and where, then the rest, flags last."""
    if phrase.startswith(("to {}", "for {}", "in {}", "on {}", "of {}")):
        return 0
    return 2 if phrase.startswith("saying") else 1
