"""Checks of values that several tools take: texts, tags, prices, quantities."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from compoworld_core.resources import check

_MOST_TAGS: Final = 250
_MOST_MONEY: Final = Decimal(10_000_000)
MOST_PIECES: Final = 1_000_000


def wording(text: str, parameter: str, most: int = 255, *, empty: bool = False) -> str:
    """A text that is not too long, and not blank unless `empty`."""
    check(empty or bool(text.strip()), "invalid_argument", f"{parameter} must not be empty")
    check(
        len(text) <= most, "invalid_argument", f"{parameter} is longer than {most} characters"
    )
    return text


def tag_set(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags without repetition, sorted."""
    check(len(tags) <= _MOST_TAGS, "invalid_argument", f"at most {_MOST_TAGS} tags")
    for tag in tags:
        wording(tag, "a tag")
        check(
            "," not in tag, "invalid_argument", f"tag {tag[:40]!r} holds a comma; give a list"
        )
    return tuple(sorted(set(tags)))


def price_of(value: Decimal, parameter: str, *, free: bool = True) -> Decimal:
    """An amount with at most two decimals that is not negative (not zero unless `free`)."""
    check(
        value.is_finite() and (Decimal(0) if free else Decimal("0.01")) <= value <= _MOST_MONEY,
        "invalid_argument",
        f"{parameter} must be from {0 if free else 0.01} to {_MOST_MONEY}",
    )
    check(
        value == value.quantize(Decimal("0.01")),
        "invalid_argument",
        f"{parameter} has more than two decimals",
    )
    return value


def pieces(quantity: int, parameter: str = "quantity") -> int:
    """How many of something are bought."""
    check(
        1 <= quantity <= MOST_PIECES,
        "invalid_argument",
        f"{parameter} must be from 1 to {MOST_PIECES}",
    )
    return quantity
