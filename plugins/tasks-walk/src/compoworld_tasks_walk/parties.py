"""Parties: the people of planted rows, and putting one in place of another."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from compoworld_core.cast import Person
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
