"""Ties: the ways by which a fact, or a key of the hero's, leads to records of a service."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import evolve, frozen

from compoworld_tasks_walk import stories
from compoworld_tasks_walk.catalogue import FieldProfile, TableProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.hero import anchored, titled
from compoworld_tasks_walk.known import NEVER, Known
from compoworld_tasks_walk.patterns.records import found_before
from compoworld_tasks_walk.reach import WHO, plantable
from compoworld_tasks_walk.selecting import selectable

APART: Final = ("product", "record", "place", "repository", "colleague", "article")
"""Archetypes of records that are nobody's."""


@frozen
class Tie:
    """A way to a record of a visit's service: by a key that is known, or through its party."""

    fact: Known
    profile: TableProfile
    """The table that the key is looked up in."""
    column: FieldProfile
    child: TableProfile | None = None
    """The table of the record itself, where the key finds only its party."""
    ref: str = ""
    titled: bool = False
    """The record, or what it is a child of, is about the hero's company by its title."""

    @property
    def found(self) -> TableProfile:
        """The table of the record."""
        return self.child or self.profile

    @property
    def key(self) -> str:
        """The field by which the record is found."""
        return self.ref or self.column.name


def ties(draft: Draft, service: str, fact: Known) -> Iterator[Tie]:
    """The ways that a fact opens in a service, to what belongs to the story."""
    if fact.service:
        if fact.names is None and fact.kind in WHO and not draft.lenient:
            return  # nobody calls a record by the address of somebody in another one
        for profile, column in targets(draft, service, fact):
            if fact.names is not None or _belongs(draft, profile):
                yield Tie(fact, profile, column)
            for child, ref in referring(draft, profile):
                if _belongs(draft, child):
                    yield Tie(fact, profile, column, child, ref)
        return
    mine = (service, fact.kind)
    if mine not in draft.tied:
        draft.tied[mine] = [evolve(tie, fact=fact) for tie in _shapes(draft, service, fact)]
    here = (NEVER, service, f"ties by {fact.kind}")
    if here not in draft.readable:
        draft.readable[here] = [tie for tie in draft.tied[mine] if not _used_up(draft, tie)]
    yield from draft.readable[here]


def _used_up(draft: Draft, tie: Tie) -> bool:
    """Does the plan speak of others of the table: several of the hero's, or one by name?"""
    table = tie.found
    if tie.titled:
        return False
    if found := found_before(draft, table.service, table.name):
        return not any(tie.key in rec.used for rec in found)  # theirs would be another one
    return key_held(draft, tie.fact, table, tie.key, (tie.profile, tie.column))


def key_held(
    draft: Draft,
    fact: Known,
    table: TableProfile,
    name: str,
    by: tuple[TableProfile, FieldProfile],
) -> bool:
    """Has the plan planted rows of a table that a fact finds, by itself or through an owner?"""
    owner, column = by
    if (owner.name, column.name) == (table.name, name):
        return draft.planter.holds(table, name, fact.hero)
    return any(
        draft.planter.holds(table, name, rec.hero["id"])
        for rec in found_before(draft, owner.service, owner.name)
        if rec.hero.get(column.name) == fact.hero
    )


def _shapes(draft: Draft, service: str, fact: Known) -> list[Tie]:
    """The ways that a key of a kind opens, the same for every hero of the story."""
    key = (service, fact.kind, draft.story)
    known = draft.catalogue.ties
    if key not in known:
        known[key] = [
            tie for tie in _of_hero(draft, service, fact) if _belongs(draft, tie.found)
        ]
    return known[key]


def _belongs(draft: Draft, profile: TableProfile) -> bool:
    """Has the story to do with records of this table?"""
    archetype = draft.catalogue.archetype(profile.service, profile.name)
    return archetype not in APART and stories.belongs(draft.story, archetype)


def _of_hero(draft: Draft, service: str, fact: Known) -> Iterator[Tie]:
    """The ways that one of the hero's keys opens."""
    direct = anchored(draft.catalogue, service)
    for profile, column in targets(draft, service, fact):
        yield Tie(fact, profile, column)
        for child, ref in referring(draft, profile):
            if child.name not in direct:
                yield Tie(fact, profile, column, child, ref)
    if fact.kind == "company":
        for profile, column in titled(draft.catalogue, service):
            yield Tie(fact, profile, column, titled=True)
            for child, ref in referring(draft, profile):
                if draft.catalogue.archetype(service, child.name) == "comment":
                    yield Tie(fact, profile, column, child, ref, titled=True)


def targets(
    draft: Draft, service: str, fact: Known
) -> Iterator[tuple[TableProfile, FieldProfile]]:
    """Fields of a service that hold the same things as the fact."""
    if fact.names is not None:
        profile = fact.names.pair.profile
        if profile.service == service:
            yield profile, profile.fields[fact.names.key]
        return
    if not fact.service:
        for table, column in anchored(draft.catalogue, service).items():
            if column.fact.kind == fact.kind:
                yield draft.profile(service, table), column
        return
    for place in draft.catalogue.joins.get((fact.service, fact.table, fact.field), ()):
        if place[0] == service and plantable(draft.catalogue, place):
            profile = draft.profile(service, place[1])
            yield profile, profile.fields[place[2]]


def referring(draft: Draft, parent: TableProfile) -> list[tuple[TableProfile, str]]:
    """Tables of the same service whose rows refer to this one, and can be looked up by it."""
    known, key = draft.catalogue.referring, (parent.service, parent.name)
    if key not in known:
        known[key] = [
            (profile, name)
            for (service, _), profile in draft.catalogue.tables.items()
            if service == parent.service and profile.name != parent.name
            for name, column in profile.fields.items()
            if column.fact.ref == parent.name and not column.fact.many
            if column.filled > 0.3 and selectable(draft, profile, [name])
        ]
    return known[key]
