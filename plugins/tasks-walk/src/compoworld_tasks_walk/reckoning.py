"""Reckoning: how a text says values that are worked out or stand in the text of a record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from compoworld_tasks_walk import lexicon, words
from compoworld_tasks_walk.mentions import Names
from compoworld_tasks_walk.script import (
    Converted,
    Extreme,
    Ruled,
    Shifted,
    Stated,
    Timed,
    Trait,
    Value,
)

_NUMBERS: Final = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
)  # fmt: skip
_STANDS: Final = ("given in", "named in")
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
            writer.word(f"the {' and the '.join(names)} {self.names.rng.choice(_STANDS)}")
            self._text_of(value)
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
            writer.word(f"converted to {value.currency}, their currency, at")
            self.value(value.rate)

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
        return "most recent" if trait.value.op == "largest" else "oldest"
    return trait.value.op if trait.kind in ("money", "cents") and field in _SIZES else ""


_MADE: Final = (
    "created", "create", "ordered", "order_date", "sent", "posted", "opened", "received",
    "date", "issued", "invoice_date", "updated", "submitted",
)  # fmt: skip
_SIZES: Final = frozenset((
    "amount", "amount_due", "total", "total_price", "total_amount", "price", "value",
))  # fmt: skip
