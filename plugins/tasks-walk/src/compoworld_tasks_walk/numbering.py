"""Numbering: ids and numbers of planted rows, like those of the rows that are there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Any

from compoworld_tasks_walk.catalogue import Barren, TableProfile

_WORDS = re.compile(r"[^\W_]+|[\W_]+")
"""The words of an id and what stands between them."""


def new_id(profile: TableProfile, rng: Random, taken: set[object]) -> Any:
    """An id like the table's others: the same shape, and nothing that tells it apart."""
    rows = profile.rows
    if not rows:
        raise Barren(f"{profile.service}.{profile.name} has no rows to look like")
    if isinstance(rows[0].id, int):
        return number_between(profile.numbers, rng, taken)
    first = str(rows[int(rng.random() * len(rows))].id)
    parts: list[Sequence[str]] = list(profile.ids[len(first)])
    if not any(char.isdigit() for ids in profile.ids.values() for key in ids for char in key):
        # made of words ("hugo-mazur"): mixed by their letters they would be none
        words = [_WORDS.findall(key) for ids in profile.ids.values() for key in ids]
        parts = [each for each in words if len(each) == len(_WORDS.findall(first))]
    for _ in range(64):
        made = "".join([parts[int(rng.random() * len(parts))][n] for n in range(len(parts[0]))])
        if made not in profile.ids.get(len(made), ()) and made.casefold() not in taken:
            return made
    raise Barren(f"no free id in {profile.service}.{profile.name}")


def number_between(held: frozenset[int], rng: Random, taken: set[object]) -> int:
    """A free number between those that are there: the sequence goes on after them."""
    low, high = min(held), max(held)
    for _ in range(64):
        number = rng.randint(low, high)
        if number not in held and str(number) not in taken:
            return number
    raise Barren("public numbers leave no gap")
