"""What one text holds, worked out on demand and once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any

from compoworld_core import pools
from compoworld_core.facts import calendar, countries, keys, numbers, prose
from compoworld_core.facts.numbers import Number
from compoworld_core.facts.prose import Place

Found = tuple[Place, Any]
"""Where a fact stands, and its value as a tool would take it."""

_NOT_IN_FILES = re.compile(r"\d[\d.]*|.*\.example", re.IGNORECASE)
_DOTTED = re.compile(r"\w\.[A-Za-z]")
_YES = re.compile(r"\b(?:yes|true|enabled)\b", re.IGNORECASE)
_NO = re.compile(r"\b(?:no|false|disabled)\b", re.IGNORECASE)
_LONGEST = 20_000
_HASHTAG = re.compile(r"(?<!\w)#([A-Za-z][\w-]*)")


@lru_cache(maxsize=4096)
def read(text: str) -> Reading:
    """Return the reading of a text; the same object for the same text."""
    return Reading(text)


@lru_cache(maxsize=256)
def read_marked(text: str) -> Reading:
    """Return the reading of a text that keeps its emphasis marks."""
    return Reading(text, marked=True)


class Reading:
    """A text and what was found in it so far.

    Only the first 20,000 characters are read: more than an agent is ever shown of one result.
    """

    def __init__(self, text: str, *, marked: bool = False) -> None:
        written = prose.clean(text[:_LONGEST])[:_LONGEST]
        self.text = written if marked else prose.unmarked(written)
        self.had_marks = self.text != written
        """Whether emphasis marks were taken out of it."""

    @cached_property
    def plain(self) -> str:
        return prose.plain(self.text)

    @cached_property
    def lower(self) -> str:
        return self.plain.casefold()

    @cached_property
    def flat(self) -> str:
        return prose.flat(self.text)

    @cached_property
    def digits(self) -> keys.DigitRun:
        return keys.DigitRun.of(self.text)

    @cached_property
    def dates(self) -> list[calendar.DateSpan]:
        return calendar.dates_in(self.text) if len(self.digits.digits) else []

    @cached_property
    def times(self) -> list[calendar.TimeSpan]:
        return calendar.times_in(self.text, self.dates)

    @cached_property
    def moments(self) -> list[calendar.Moment]:
        return calendar.moments_in(self.text, self.dates, self.times)

    @cached_property
    def phones(self) -> list[tuple[int, int, str]]:
        enough = len(self.digits.digits) >= keys.SHORTEST_PHONE
        return keys.phones_in(self.text, self.dates) if enough else []

    @cached_property
    def taken(self) -> list[tuple[int, int]]:
        """Spans whose digits are no numbers of their own."""
        spans = [(day.start, day.end) for day in self.dates]
        spans += [(time.start, time.end) for time in self.times]
        spans += [(start, end) for start, end, _ in self.phones]
        if "@" in self.text:
            spans += [match.span() for match in keys.EMAIL.finditer(self.text)]
        if "://" in self.text:
            spans += [match.span() for match in keys.URL.finditer(self.text)]
        if _DOTTED.search(self.text):
            spans += [match.span() for match in keys.FILE.finditer(self.text)]
        return spans

    @cached_property
    def masked(self) -> str:
        return numbers.mask(self.text, self.taken)

    @cached_property
    def numbers(self) -> list[Number]:
        return numbers.numbers_in(self.masked)

    def places(self, kind: str, value: Any, currency: str | None) -> Iterator[Place]:
        """Find where the text mentions a canonical value."""
        match kind:
            case "person":
                yield from keys.place_person(value, self.plain, self.lower)
            case "company" | "title" | "text" | "status" | "tag":
                yield from keys.place_name(value, self.flat)
            case "email":
                yield from keys.place_email(value, self.lower)
            case "file_name":
                yield from keys.place_file(value, self.lower)
            case "url":
                yield from keys.place_url(value, self.lower)
            case "phone":
                yield from keys.place_phone(value, self.text, self.digits)
            case "code" | "id" if value.isdigit():
                yield from keys.place_number_key(value, self.text, self.masked)
            case "code":
                yield from keys.place_code(value, self.lower)
            case "id":
                yield from keys.place_id(value, self.text)
            case "date":
                yield from self._date_places(value)
            case "datetime":
                yield from self._instant_places(value)
            case "currency":
                for mark in numbers.MARK.finditer(self.text):
                    if value in numbers.currencies(mark[0]):
                        yield Place(self.text, *mark.span())
            case "country" if countries.to_code(self.text) == value:
                yield Place(self.text, 0, len(self.text))
            case "country" | "boolean":
                yield from (place for place, found in self.find(kind) if found == value)
            case _ if self._may_hold(value):
                for number in self.numbers:
                    if self.number_fits(kind, number, value, currency):
                        yield Place(self.text, number.start, number.end)

    def find(self, kind: str) -> Iterator[Found]:
        """Find all facts of a kind."""
        match kind:
            case "person":
                yield from self._at(keys.people_in(self.text))
            case "email" | "url":
                pattern = keys.EMAIL if kind == "email" else keys.URL
                for match in pattern.finditer(self.text):
                    found = match[0].rstrip(".,;:!?)'\"")
                    yield Place(self.text, match.start(), match.start() + len(found)), found
            case "file_name":
                for match in keys.FILE.finditer(self.text):
                    if not _NOT_IN_FILES.fullmatch(match[0]):
                        yield Place(self.text, *match.span()), match[0]
            case "company":
                yield from self._at(keys.companies_in(self.text))
            case "title":
                quoted = [(m.start(1), m[1]) for m in keys.QUOTED.finditer(self.text)]
                yield from self._at(quoted or [(0, self.text.strip())])
            case "text":
                yield Place(self.text, 0), self.text.strip()
            case "phone":
                for start, end, _ in self.phones:
                    yield Place(self.text, start, end), self.text[start:end]
            case "code":
                yield from self._at(keys.codes_in(self.text))
            case "id":
                for match in keys.IDENTIFIER.finditer(self.text):
                    yield Place(self.text, *match.span()), match[0]
            case "date":
                for span in self.dates:
                    for day in span.readings:
                        if day[0]:
                            yield Place(self.text, span.start, span.end), calendar.to_date(day)
            case "datetime":
                for moment in self.moments:
                    for instant in moment.readings:
                        yield Place(self.text, moment.start, moment.end), instant
            case "country":
                yield from self._at(countries.countries_in(self.text))
            case "currency":
                for mark in numbers.MARK.finditer(self.text):
                    yield Place(self.text, *mark.span()), numbers.currencies(mark[0])[0]
            case "boolean":
                for pattern, answer in ((_YES, True), (_NO, False)):
                    for match in pattern.finditer(self.text):
                        yield Place(self.text, *match.span()), answer
            case "status":
                for status in pools.STATUSES:
                    for place in keys.place_name(status, self.flat):
                        yield place, status
            case "tag":
                for match in _HASHTAG.finditer(self.text):
                    yield Place(self.text, *match.span()), match[1]
            case _:
                yield from self._find_numbers(kind)

    def _at(self, found: list[tuple[int, str]]) -> Iterator[Found]:
        for start, value in found:
            yield Place(self.text, start, start + len(value)), value

    def _date_places(self, day: calendar.Day) -> Iterator[Place]:
        if str(day[2]) not in self.digits.digits:
            return
        # "5 March" means this one only if the text gives no other year to that day.
        other_year = any(
            reading[1:] == day[1:] and reading[0] not in (0, day[0])
            for span in self.dates
            for reading in span.readings
        )
        for span in self.dates:
            if day in span.readings or ((0, *day[1:]) in span.readings and not other_year):
                yield Place(self.text, span.start, span.end)

    def _instant_places(self, instant: datetime) -> Iterator[Place]:
        for moment in self.moments:
            if any(r <= instant < r + moment.step for r in moment.readings):
                yield Place(self.text, moment.start, moment.end)
        # Midnight is how a day without a time is stored.
        if (instant.hour, instant.minute, instant.second, instant.microsecond) == (0, 0, 0, 0):
            timed = [(moment.start, moment.end) for moment in self.moments]
            for place in self._date_places((instant.year, instant.month, instant.day)):
                if not any(start <= place.start < end for start, end in timed):
                    yield place

    def _may_hold(self, value: Decimal) -> bool:
        """Say cheaply whether the text has the digits of a number, or any in words."""
        leading = str(abs(value)).replace(".", "").strip("0")
        return leading in self.digits.digits or numbers.has_spelt(self.lower)

    def number_fits(self, kind: str, number: Number, value: Any, currency: str | None) -> bool:
        """Say whether a number of the text is this value, as a fact of this kind."""
        if kind == "quantity":
            return number.count and value in number.readings
        if kind == "percent":
            alone = self.text.strip() == self.text[number.start : number.end]
            return (number.percent or (alone and number.count)) and value in number.readings
        if not number.amount:
            return False
        marks = number.marks or number.labelled
        if currency and marks and currency not in marks:
            return False
        if kind == "money":
            return value in (
                [r / 100 for r in number.readings] if number.in_cents else number.readings
            )
        # Without a word on cents, a reader takes a figure for whole dollars.
        scale = 1 if number.in_cents else 100
        return any(r * scale == value for r in number.readings)

    def _find_numbers(self, kind: str) -> Iterator[Found]:
        if kind == "quantity":
            chosen = [number for number in self.numbers if number.count]
        elif kind == "percent":
            chosen = [number for number in self.numbers if number.percent]
        else:
            chosen = [number for number in self.numbers if number.amount]
            # Where some numbers carry a currency, the bare ones are no amounts.
            chosen = [n for n in chosen if n.marks or n.in_cents] or chosen
        for number in chosen:
            value = number.readings[0]
            if kind == "money" and number.in_cents:
                value /= 100
            if kind == "cents" and not number.in_cents:
                value *= 100
            whole = kind in ("quantity", "cents") and value == value.to_integral()
            yield Place(self.text, number.start, number.end), int(value) if whole else value
