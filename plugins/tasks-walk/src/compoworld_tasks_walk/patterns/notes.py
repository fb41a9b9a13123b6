"""Notes: records whose text states a fact or rules, and facts that are read out of a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from compoworld_core.expressions import Expr, Grep
from compoworld_core.patch import Operation, Patch
from compoworld_core.proof.probes.edges import DECISION
from compoworld_core.records import World as OtherWorld
from compoworld_core.types import Kind
from compoworld_tasks_walk.catalogue import Barren, FieldProfile, TableProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Counter, Known, Rec
from compoworld_tasks_walk.patterns.drawing import proses
from compoworld_tasks_walk.patterns.records import describe, outline
from compoworld_tasks_walk.planting import Pair
from compoworld_tasks_walk.plots import Matter
from compoworld_tasks_walk.reach import describable
from compoworld_tasks_walk.script import Stated

HOLDERS = ("document", "article")
"""Archetypes in whose texts people write down what counts."""
THEIRS = "documentation"
"""What the makers of a service write: nobody of ours does."""


def holders(draft: Draft, visit: int) -> list[tuple[TableProfile, FieldProfile]]:
    """Tables of a visit's service that people can describe, and their fields of sentences."""
    catalogue, service = draft.catalogue, draft.walk[visit]
    tables = dict.fromkeys(profile.name for profile, _ in describable(catalogue, service))
    return [
        (catalogue.tables[service, name], column)
        for name in tables
        if catalogue.archetype(service, name) in HOLDERS
        if THEIRS not in draft.noun(service, name)
        for column in proses(catalogue.tables[service, name])
    ]


def writes_texts(draft: Draft, profile: TableProfile, kinds: tuple[str, ...]) -> bool:
    """Do people write in records of this table what others go by?"""
    noun = draft.noun(profile.service, profile.name)
    kind = draft.catalogue.archetype(profile.service, profile.name)
    return kind in kinds and not noun.startswith(("scheduled ", "draft ")) and not _row(noun)


def _row(noun: str) -> bool:
    """Is it a row of a database, in which nobody reads what somebody has written?"""
    return noun.endswith(" record")


def said(profile: TableProfile, text: FieldProfile, matter: Matter) -> Known:
    """What a text of a table would say, in outline."""
    value = Stated("", text.name, matter.kind, matter.name)
    return outline(profile.service, profile.name, text.name, matter.kind, value)


@frozen
class Note:
    """A described record with a text of the plan's own."""

    rec: Rec
    field: str
    text: Expr

    def other(self, draft: Draft, text: str, says: str) -> OtherWorld:
        """The world in which the text says something else, which decides."""
        patch = Patch(operations=[rewritten(self.rec, self.field, text)])
        return OtherWorld(edge=DECISION, service=self.rec.service, patch=patch, says=says)


def rewritten(rec: Rec, name: str, text: str) -> Operation:
    """The record's text is another one."""
    return Operation(op="update", table=rec.table, id=rec.hero["id"], row={name: text})


def note(draft: Draft, visit: int, hero: str, shadow: str, title: str = "") -> Note:
    """Describe a record of this visit's service whose text is the plan's own.

    Args:
        draft: the plan so far.
        visit: whose service.
        hero: the text.
        shadow: the text of its competitor.
        title: what it is called, where it is called by a title.
    """
    options = holders(draft, visit)
    if not options:
        raise Barren(f"{draft.walk[visit]} has no record with a text that can be described")
    profile, column = draft.rng.choice(options)

    def prepare(pair: Pair, key: FieldProfile) -> None:
        pair.set(column.name, hero, shadow)
        if title and key.fact.kind == "title":
            pair.hero.row[key.name] = title
        elif title and key.fact.kind == "file_name":
            _, dot, end = str(pair.hero.row[key.name]).rpartition(".")
            pair.hero.row[key.name] = f"{title.lower().replace(' ', '-')}{dot}{end}"

    score = draft.score
    rec = describe(draft, visit, profile.name, prepare=prepare)
    draft.score = score  # it belongs to the errand
    return Note(rec, column.name, draft.expr(rec, column.name))


def stated(
    draft: Draft,
    rec: Rec,
    column: str,
    name: str,
    kind: Kind,
    values: tuple[Any, Any],
    text_of: Callable[[Any], str],
    visit: int,
    decoys: tuple[Any, ...] = (),
) -> Known:
    """The fact that a record's text states, as one that can be carried on.

    Args:
        draft: the plan so far.
        rec: the record.
        column: its field that holds the text.
        name: what the fact is, in words: "delivery date".
        kind: of the fact.
        values: in the hero's and in the shadow's world.
        text_of: the text for a value.
        visit: from which it goes on.
        decoys: values that other texts state.
    """
    hero, shadow = values
    return Known(
        rec.service, rec.table, column, kind,
        Grep(source=draft.expr(rec, column), kind=kind), hero, shadow, visit,
        Stated(rec.id, column, kind, name),
        Counter(
            rec.service, (rewritten(rec, column, text_of(shadow)),),
            f"{rec.table} {rec.hero['id']} states {shadow!r} instead of {hero!r}",
        ),
        source="field", record=rec.id, decoys=decoys,
    )  # fmt: skip
