"""Targets: the records of other services that a text of the hero's can name: order #1093."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import evolve, frozen

from compoworld_core.types import Kind
from compoworld_tasks_walk import stories, words
from compoworld_tasks_walk.catalogue import Barren, FieldProfile, TableProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import NEVER, Known, Names, Rec
from compoworld_tasks_walk.patterns.drawing import told_apart
from compoworld_tasks_walk.patterns.records import Like, found_before, outline, rivals
from compoworld_tasks_walk.patterns.ties import Tie, ties
from compoworld_tasks_walk.patterns.writing import deed, like_of, updates
from compoworld_tasks_walk.planting import Pair, Planted, Said
from compoworld_tasks_walk.reach import plantable
from compoworld_tasks_walk.script import Stated

NAMED: Final = ("order", "bill", "work", "payment", "contract", "deal")
"""Archetypes of records that people tell apart by a number, an amount or a day."""
TWINS: Final = 3
"""Other records of the hero's that could be meant: with fewer of them people would guess."""
READ_AS: Final[Mapping[Kind, Kind]] = {"cents": "money", "datetime": "date"}
"""Kinds that are read out of a text as others are."""
FORMS: Final = (
    "This is about {}. Could you look into it?",
    "I am writing because of {}, please get back to me.",
    "It concerns {}. Thank you for your help.",
    "Please see {}, which is still not settled.",
)


@frozen
class Target:
    """A table of another service, and the field by which a text names its rows."""

    profile: TableProfile
    key: FieldProfile
    tie: Tie | None
    """How its rows are the hero's; None where the field alone finds them."""

    @property
    def reads_as(self) -> Kind:
        """The kind of sentences that it cannot stand beside: a text gives one amount."""
        return READ_AS.get(self.key.fact.kind, self.key.fact.kind)

    @property
    def place(self) -> tuple[str, str]:
        """The service and the table."""
        return self.profile.service, self.profile.name

    def outline(self, draft: Draft, source: TableProfile, text: FieldProfile) -> Known:
        """The fact that a text of a table would tell by naming such a row, in outline."""
        noun, kind = draft.noun(*self.place), self.key.fact.kind
        told = outline(source.service, source.name, text.name, kind, Stated("", "", kind, noun))
        nobody = Planted(*self.place, {}, 0.0, "hero")
        return evolve(told, names=Names(Pair(self.profile, nobody, nobody), self.key.name, ()))


def nameable(draft: Draft, service: str) -> list[Target]:
    """The tables of a service whose records a text can name, none spoken of yet."""
    here = (NEVER, service, "nameable")
    known: list[Target] | None = draft.readable.get(here)
    if known is None:
        known = draft.readable[here] = list(_nameable(draft, service))
    return known


def _nameable(draft: Draft, service: str) -> Iterator[Target]:
    owned = {
        tie.found.name: tie
        for fact in draft.known
        if fact.visit == NEVER
        for tie in ties(draft, service, fact)
        if not tie.titled
    }
    for profile, keys in named_tables(draft, service):
        if found_before(draft, service, profile.name) or rivals(draft, service, profile.name):
            continue
        tie = owned.get(profile.name)
        for column in keys:
            if column.fact.kind == "code":
                yield Target(profile, column, None)
            elif tie is not None and _selects(draft, profile, tie.key, column.name):
                yield Target(profile, column, tie)


def _selects(draft: Draft, profile: TableProfile, owner: str, key: str) -> bool:
    return owner != key and draft.catalogue.way(profile, [owner, key]) is not None


def named_tables(
    draft: Draft, service: str
) -> Sequence[tuple[TableProfile, Sequence[FieldProfile]]]:
    """The tables that belong to the story, and what names their rows: a code, or else more."""
    known, key = draft.catalogue.nameable, (service, draft.story)
    if key not in known:
        known[key] = [
            (profile, _keys(draft, profile))
            for (owner, table), profile in draft.catalogue.tables.items()
            if owner == service
            and (archetype := draft.catalogue.archetype(owner, table)) in NAMED
            and stories.belongs(draft.story, archetype)
        ]
    return known[key]


def _keys(draft: Draft, profile: TableProfile) -> list[FieldProfile]:
    code = next((c for c in profile.fields.values() if _code(draft, profile, c)), None)
    if code is not None:
        return [code]
    return [
        column
        for column in profile.fields.values()
        if column.fact.kind in ("money", "cents", "date")
        and not column.past
        and column.filled > 0.9
    ]


def _code(draft: Draft, profile: TableProfile, column: FieldProfile) -> bool:
    named = column.fact.kind == "code" and column.fact.distinct and column.outside
    place = (profile.service, profile.name, column.name)
    return named and plantable(draft.catalogue, place)


def naming(draft: Draft, target: Target) -> Said:
    """A sentence that names one of the hero's records, and the others that could be meant."""
    names = _planned(draft, target)
    rows = names.pair.hero.row, names.pair.shadow.row
    noun, key = draft.noun(*target.place), target.key
    kind = key.fact.kind
    called = draft.rng.choice(FORMS).format(_called(noun, key))
    return Said(noun, kind, called, rows[0][key.name], rows[1][key.name], names)


def _called(noun: str, key: FieldProfile) -> str:
    """How a text names a record: "order {}", "the invoice over {} USD"."""
    kind = key.fact.kind
    if kind == "code":
        return f"{noun} {{}}"
    if kind in ("money", "cents"):
        return f"the {noun} over {{}}{'' if kind == 'cents' else ' USD'}"
    return f"the {noun} with the {words.split(key.name)} {{}}"


def pending(draft: Draft) -> list[tuple[str, str]]:
    """Service and table of each record that a text of the plan names."""
    return [
        (one.names.pair.profile.service, one.names.pair.profile.name)
        for rec in draft.records.values()
        if rec.pair
        for text in rec.pair.said.values()
        for one in text
        if one.names is not None
    ]


def withdraw(draft: Draft) -> None:
    """Take out of the texts what names a record and led nowhere: there is none of that name."""
    followed = [fact.names for fact in draft.carried]
    for rec in draft.records.values():
        for field, said in rec.pair.said.items() if rec.pair else ():
            for one in said if len(said) > 1 else ():
                if one.names is not None and not any(one.names is names for names in followed):
                    _cut(draft, rec, field, one)


def _cut(draft: Draft, rec: Rec, field: str, said: Said) -> None:
    """Cut a sentence out of a table's texts, in the world and in the other worlds."""
    sentences = [said.sentence(value) for value in (said.hero, said.shadow)]
    rows = [
        p.row for p in draft.planter.rows if (p.service, p.table) == (rec.service, rec.table)
    ]
    rows += [
        operation.row
        for world in draft.worlds
        if world.service == rec.service
        for operation in world.patch.operations
        if operation.table == rec.table and operation.row
    ]
    for row in rows:
        for sentence in sentences:
            if isinstance(row.get(field), str):
                row[field] = row[field].replace(sentence, "").strip()


def _in_state_of(hero: Planted, planted: Planted, profile: TableProfile) -> None:
    """Bring a row into the state of the hero's, so that the same may be done to it."""
    for column in profile.fields.values():
        empty = hero.row.get(column.name) is None, planted.row.get(column.name) is None
        if column.fact.enum or (column.fact.kind in ("date", "datetime") and any(empty)):
            planted.row[column.name] = hero.row.get(column.name)


def _planned(draft: Draft, target: Target) -> Names:
    """The records that could be meant, and a stranger's of the same amount or day.

    They are planted when the next visit looks for them, such that a deed of the story may be
    done to each.
    """
    profile, key, tie = target.profile, target.key, target.tie
    fields = [key.name] if tie is None else [tie.key, key.name]
    writes = updates(draft, profile.service, profile.name)
    deeds = [(write, natural) for write in writes if (natural := deed(draft, write)) >= 1]
    like: Like = {}
    if deeds:
        chosen = draft.rng.choices(deeds, [natural for _, natural in deeds])[0][0]
        like = like_of(draft, chosen)
    like = draft.catalogue.like(profile, fields, like)
    rows: list[Planted] = []
    for role in ("hero", *["twin"] * TWINS, *([] if tie is None else ["shadow"])):
        rows.append(draft.planter.plant(profile, role, like=like))
        draft.planter.rows.pop()
    for planted in rows[1:]:
        _in_state_of(rows[0], planted, profile)
    if tie is not None:
        alike = rows[: TWINS + 1]
        values = told_apart([planted.row[key.name] for planted in alike])
        for planted, value in zip(alike, values, strict=True):
            planted.row[key.name] = value
        rows[-1].row[key.name] = values[0]
    held = {str(planted.row[key.name]) for planted in rows[: TWINS + 1]}
    if len(held) <= TWINS:
        raise Barren(f"{key.name} does not tell the rows of {profile.name} apart")
    pair = Pair(profile, rows[0], rows[1], fixed={key.name})
    owner = None if tie is None else (tie.fact, tie.profile, tie.column)
    return Names(pair, key.name, tuple(rows), owner, "" if tie is None else tie.ref)
