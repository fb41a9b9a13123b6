"""Reckoning: how a text says values that are worked out or stand in the text of a record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from compoworld_tasks_walk import lexicon, words
from compoworld_tasks_walk.mentions import Names
from compoworld_tasks_walk.script import (
    Converted,
    Extreme,
    Figure,
    Overruling,
    Ruled,
    Shifted,
    Stated,
    Timed,
    Trait,
    Value,
)

FIGURES: Final = {
    "sum": "total", "largest": "largest", "smallest": "smallest", "count": "number",
}  # fmt: skip
DATE_FIGURES: Final = {"largest": "latest", "smallest": "earliest"}
_NUMBERS: Final = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
)  # fmt: skip
_ON: Final = frozenset(("page",))
"""Nouns of what things stand on, not in."""
_OUTDATED: Final = ("it replaces the one", "not the old one")
"""How a fact is told apart from what stood elsewhere before."""
_THEIRS: Final = ("from", "from", "they mention in")
"""How a fact is told to stand in a text; the second in one that the customer has written."""
_BODIES: Final = frozenset(("description", "content", "body", "text"))
"""What people call a record's text: they speak of the record itself."""


class Reckoning:
    """Says such values through a speaker's own ways for names and plain values."""

    def __init__(
        self, names: Names, mention: Callable[[str], None], value: Callable[[Value], None]
    ) -> None:
        self.names = names
        self.mention = mention
        self.value = value

    def timed(self, value: Timed) -> None:
        """ "10:00 UTC on its due date", "11:00 UTC"."""
        self.names.writer.word(f"{value.clock} UTC")
        if not value.ends:
            if not isinstance(value.of, Shifted):
                self.names.writer.word("on")
            self.value(value.of)

    def say(
        self,
        value: Stated | Ruled | Shifted | Converted,
        field: str,
        more: Sequence[Value] = (),
    ) -> None:
        """Put the value's phrase; `field` takes it, and more that stands in the same text."""
        writer = self.names.writer
        if isinstance(value, Stated):
            names = [value.name, *(one.name for one in more if isinstance(one, Stated))]
            writer.word(f"the {' and the '.join(names)}")
            self._stands(value, short=len(names) == 1 and len(value.name.split()) < 3)
            if isinstance(value, Overruling):
                self._overruled(value)
        elif isinstance(value, Ruled):
            writer.word(f"the {value.name} given in")
            self._text_of(value)
            writer.word("for")
            self.value(value.case)
        elif isinstance(value, Shifted):
            if not field or words.bare(field) in lexicon.TEXTS:
                writer.word("the date")
            self._days(value)
            self.value(value.of)
        else:
            self.value(value.of)
            writer.mark(",")
            writer.word(f"converted to {value.currency} (their currency) at")
            self.value(value.rate)

    def figure(self, figure: Figure) -> None:
        """ "the total amount of their open invoices", "the number of their open tickets"."""
        if figure.op == "count":
            self.names.writer.word(f"the {FIGURES[figure.op]} of")
            self.mention(figure.record)
            return
        named = self.names.words.label(self.names.record(figure.record), figure.field)
        if figure.op == "sum" and named.startswith("total"):
            self.names.writer.word(f"the sum of the {words.plural(named)} of")
            self.mention(figure.record)
            return
        dated = figure.kind in ("date", "datetime")
        how = DATE_FIGURES.get(figure.op, "latest") if dated else FIGURES[figure.op]
        named = words.dated(named, figure.kind) if dated else named
        named = named.removeprefix(f"{how} ")
        between = "of" if figure.op == "sum" else self.names.rng.choice(("among", "of"))
        self.names.writer.word(f"the {how} {named} {between}")
        self.mention(figure.record)

    def _stands(self, value: Stated, *, short: bool) -> None:
        """ "from their email", "from the page": where a fact stands."""
        names, key = self.names, value.record
        held = names.holder(key)
        if held:
            names.writer.word("from")
            self._held(key, held)
            return
        record = names.record(key)
        written = record.archetype == "message" and names.theirs(record)
        again = names.writer.last.get(names.words.noun(key)) == key
        ways = _THEIRS if written and short and not again else ("from",)
        self._from(names.rng.choice(ways), value)

    def _overruled(self, value: Overruling) -> None:
        """ "(not the old one on that page)": what somebody else might go by."""
        names, key = self.names, value.over
        held = names.holder(key)
        inner = words.last_word(names.words.nouns[key])  # "in the comments on that page"
        noun = inner if inner == "comment" else words.last_word(names.words.nouns[held or key])
        names.writer.word(f"({names.rng.choice(_OUTDATED)}")
        names.writer.word("on" if noun in _ON else "in")
        if held:
            self._held(key, held)
        else:
            self.mention(key)
        names.writer.mark(")")

    def _from(self, way: str, value: Stated | Ruled) -> None:
        """A text, after how it has what is meant; "they" are named by that already."""
        names = self.names
        names.writer.word(way)
        before = names.unnamed
        names.unnamed = before or way.startswith("they")
        self._text_of(value)
        names.unnamed = before

    def _held(self, key: str, held: str) -> None:
        """The page that a paragraph or comment stands on, as people speak of it."""
        names = self.names
        noun = names.words.noun(key)
        with names.writer.span("selection", key, noun):
            if words.last_word(noun) == "comment":
                names.writer.word("the comments on")
            self.mention(held)
        if key not in names.seen:
            names.seen.append(key)
        names.held.add(key)

    def pointed(self, value: Stated, *, owned: bool, trade: bool) -> None:
        """ "they mention in their email": where a record is named by which it is found.

        Args:
            value: what stands there.
            owned: is the record called theirs by now?
            trade: is it an order or the like, of which a text is the source?
        """
        names, key = self.names, value.record
        held = names.holder(key)
        if held:
            inner = words.last_word(names.words.nouns[key])
            names.writer.word("mentioned in" if inner == "comment" else "mentioned on")
            self._held(key, held)
            return
        theirs = names.theirs(names.record(key)) and not owned
        on = "on" if words.last_word(names.words.nouns[key]) in _ON else "in"
        ways: tuple[str, ...] = (f"they mention {on}",) if theirs else (f"mentioned {on}",)
        if theirs and trade:
            ways = ("from", *ways)
        self._from(names.rng.choice(ways), value)

    def _text_of(self, value: Stated | Ruled) -> None:
        """ "that email", "the purpose of that channel": where the text stands."""
        if words.bare(value.field) not in lexicon.MAIN_TEXT:
            label = self.names.words.label(self.names.record(value.record), value.field)
            if label not in _BODIES:
                self.names.writer.word(f"the {label} of")
        self.mention(value.record)

    def _days(self, value: Shifted) -> None:
        count = int(value.count.value)
        said = _NUMBERS[count] if 0 <= count < len(_NUMBERS) else str(count)
        with self.names.literal_span(value.count):
            self.names.writer.word(said)
        unit = value.unit if count == 1 else words.plural(value.unit)
        self.names.writer.word(f"{unit} {'after' if value.way > 0 else 'before'}")


def best_word(trait: Trait) -> str:
    """The word before the noun for the newest or largest of them; empty where there is none."""
    if not isinstance(trait.value, Extreme):
        return ""
    field = words.bare(trait.field)
    if trait.kind in ("date", "datetime") and field.startswith(_MADE):
        return "latest" if trait.value.op == "largest" else "oldest"
    return trait.value.op if trait.kind in ("money", "cents") and field in _SIZES else ""


_MADE: Final = (
    "created", "create", "ordered", "order_date", "sent", "posted", "opened", "received",
    "date", "issued", "invoice_date", "updated", "submitted",
)  # fmt: skip
_SIZES: Final = frozenset((
    "amount", "amount_due", "total", "total_price", "total_amount", "price", "value",
))  # fmt: skip
