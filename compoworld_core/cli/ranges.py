"""Options that are ranges, written as `7:12`; one number is a range of that number alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Number = TypeVar("Number", int, float)


def whole_numbers(
    _ctx: click.Context, _option: click.Parameter, given: str | None
) -> tuple[int, int] | None:
    """A callback that reads `7:12` or `7`."""
    return _range(given, int, "7:12")


def scores(
    _ctx: click.Context, _option: click.Parameter, given: str | None
) -> tuple[float, float] | None:
    """A callback that reads `0.2:0.8`: the least and the highest score."""
    found = _range(given, float, "0.2:0.8")
    if found is not None and not 0 <= found[0] < found[1] <= 1:
        raise click.BadParameter(f"{given!r} is no range of scores; write it as 0.2:0.8")
    return found


def _range(
    given: str | None, number: Callable[[Any], Number], example: str
) -> tuple[Number, Number] | None:
    if given is None:
        return None
    low, colon, high = given.partition(":")
    try:
        return number(low), number(high) if colon else number(low)
    except ValueError as error:
        raise click.BadParameter(f"{given!r} is no range; write it as {example}") from error
