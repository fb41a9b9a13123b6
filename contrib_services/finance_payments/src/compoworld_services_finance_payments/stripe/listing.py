"""What all of Stripe's tools share: page sizes, newest first, amounts and currencies."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Final, Protocol, TypeVar

from pydantic import Field

from compoworld_core.resources import Page, check, paginate

Limit = Annotated[int, Field(ge=1, le=100)]
MOST_ROWS: Final = 50
"""More rows of any kind would not fit into one observation."""
MOST_CENTS: Final = 99_999_999
"""Stripe takes amounts of up to eight digits."""
CURRENCIES: Final = (
    "usd", "eur", "gbp", "cad", "aud", "chf", "jpy", "sek", "nok", "dkk", "pln", "inr", "brl",
)  # fmt: skip


class Dated(Protocol):
    """A record that knows when it was made."""

    @property
    def created(self) -> datetime:
        """When the record was made."""


R = TypeVar("R", bound=Dated)


def newest(rows: Iterable[R], limit: int) -> Page[R]:
    """The latest rows. These tools have no cursor: `total` tells that there are more."""
    ordered = sorted(rows, key=_created, reverse=True)
    return paginate(ordered, min(limit, MOST_ROWS)).model_copy(update={"next_cursor": None})


def _created(row: Dated) -> datetime:
    return row.created


def currency_code(currency: str) -> str:
    """The lower-case code of a currency that the account takes, or ToolError."""
    code = currency.strip().lower()
    check(
        code in CURRENCIES,
        "invalid_argument",
        f"currency {currency[:20]!r} is not supported; there are: {', '.join(CURRENCIES)}",
    )
    return code


def amount(cents: int, parameter: str) -> int:
    """A positive amount in the smallest unit that Stripe can charge, or ToolError."""
    check(
        1 <= cents <= MOST_CENTS,
        "invalid_argument",
        f"{parameter} must be from 1 to {MOST_CENTS} in the smallest currency unit",
    )
    return cents


def wording(text: str, parameter: str, most: int = 5000) -> str:
    """A text that is not blank and not too long, or ToolError."""
    check(bool(text.strip()), "invalid_argument", f"{parameter} must not be empty")
    check(
        len(text) <= most, "invalid_argument", f"{parameter} is longer than {most} characters"
    )
    return text
