"""Parties: the people of planted rows, and putting one in place of another."""

from __future__ import annotations

from collections.abc import Container
from random import Random
from typing import Any, Final

from attrs import evolve, frozen

from compoworld_core import pools
from compoworld_core.cast import Person, exhausted, fresh_person, fresh_stem, is_taken
from compoworld_core.types import Kind

Row = dict[str, Any]


def keys_of(party: Person) -> tuple[str, ...]:
    """All by which a person is known."""
    return (
        party.name, party.email, party.company, party.phone, party.account_no,
        party.first, party.last, domain_of(party),
    )  # fmt: skip


def domain_of(party: Person) -> str:
    """The domain of a person's address: the company's."""
    return party.email.partition("@")[2]


def swap_party(row: Row, old: Person | None, new: Person) -> None:
    """Put one person in place of another in all fields of a row: names, address, company."""
    if old is None:
        return
    pairs = list(zip(keys_of(old), keys_of(new), strict=True))
    for name, value in row.items():
        if not isinstance(value, str) or name == "id":
            continue
        exact = next((to for was, to in pairs if value == was), None)
        if exact is not None:
            row[name] = exact
            continue
        for was, to in pairs[:3]:  # in prose: names, addresses and companies
            value = value.replace(was, to)
        row[name] = value


_LONGEST: Final = 8
"""Letters of the longest name in a closed circle."""


@frozen
class Circle:
    """Closed pools of short names, freely combined: new people whose names are all known.

    For models from scratch, which learn to copy a word that they have often met long before one
    that they spell for the first time. Combinations are many, so tasks still differ in whom
    they are about.
    """

    firsts: tuple[str, ...]
    lasts: tuple[str, ...]
    companies: tuple[str, ...]
    """One word each; the domain is the same word."""

    @classmethod
    def drawn(cls, size: int, seed: int, taken: Container[str]) -> Circle:
        """So many of each that stand nowhere in a world yet; the same for the same seed."""
        rng = Random(f"circle:{seed}")
        firsts, lasts = (
            [name for name in names if len(name) <= _LONGEST and not is_taken(name, taken)]
            for names in (pools.FIRST_NAMES, pools.LAST_NAMES)
        )
        companies: list[str] = []
        for _ in range(_DRAWS):
            stem = fresh_stem(rng)
            known = stem in companies or is_taken(stem, taken)
            if len(stem) <= _LONGEST and not known:
                companies.append(stem)
            if len(companies) == size:
                break
        return cls(
            tuple(rng.sample(firsts, min(size, len(firsts)))),
            tuple(rng.sample(lasts, min(size, len(lasts)))),
            tuple(companies),
        )

    def person(self, rng: Random, taken: Container[str]) -> Person:
        """Somebody with names of the circle, whom neither the world nor the task knows."""
        for _ in range(_DRAWS):
            first, last = rng.choice(self.firsts), rng.choice(self.lasts)
            company = rng.choice(self.companies)
            like = fresh_person(rng, taken)
            person = evolve(
                like,
                name=f"{first} {last}",
                first=first,
                last=last,
                email=f"{first}.{last}@{company}.example".lower(),
                company=company,
            )
            if not any(is_taken(key, taken) for key in keys_of(person)):
                return person
        raise exhausted("person of the circle")


_DRAWS: Final = 2000
"""Draws before a circle counts as used up; it is far larger than a task."""


@frozen
class Hero:
    """The customer whom a task is about, and the one whose records compete with theirs."""

    person: Person
    rival: Person

    def key(self, kind: Kind) -> tuple[str, str]:
        """The hero's and the rival's key of a kind."""
        return _key(self.person, kind), _key(self.rival, kind)

    def owns(self, value: object) -> bool:
        """Is a value one by which one of the two is known?"""
        return value in keys_of(self.person) or value in keys_of(self.rival)


def _key(person: Person, kind: Kind) -> str:
    return {"email": person.email, "person": person.name, "company": person.company}[kind]
