"""Slips: one value of a call's arguments, made wrong as a careless agent would."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from random import Random
from typing import Any


def slip(values: dict[str, Any], rng: Random) -> dict[str, Any]:
    """The arguments with one value changed: the call may fail, or write something else."""
    changed = copy.deepcopy(values)
    places = list(_leaves(changed))
    if places:
        holder, key = rng.choice(places)
        holder[key] = _wrong(holder[key], rng)
    return changed


def _leaves(node: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of each value that is no container."""
    pairs = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in list(pairs):
        if isinstance(value, dict | list):
            yield from _leaves(value)
        elif value is not None:
            yield node, key


def _wrong(value: Any, rng: Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + rng.randint(1, 9)
    text = str(value)
    digits = [place for place, letter in enumerate(text) if letter.isdigit()]
    if digits:
        place = rng.choice(digits)
        other = (int(text[place]) + rng.randint(1, 9)) % 10
        return f"{text[:place]}{other}{text[place + 1 :]}"
    words = text.split(" ")
    if len(words) > 1:
        words.pop(rng.randrange(len(words)))
        return " ".join(words)
    return f"{text[:-1]}x" if not text.endswith("x") else f"{text}x"
