"""Named: a text of the hero's says which of their records is meant: the order in her email."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from attrs import evolve, frozen

from compoworld_core import facts
from compoworld_core.expressions import Fn
from compoworld_tasks_walk import stories, words
from compoworld_tasks_walk.catalogue import Barren, FieldProfile, TableProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import NEVER, Known, Names
from compoworld_tasks_walk.patterns.aggregate import told_apart
from compoworld_tasks_walk.patterns.drawing import proses
from compoworld_tasks_walk.patterns.finding import by_tie
from compoworld_tasks_walk.patterns.notes import stated, writes_texts
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import Like, found_before, worth
from compoworld_tasks_walk.patterns.ties import Tie, ties
from compoworld_tasks_walk.patterns.writing import deed, like_of, updates
from compoworld_tasks_walk.planting import Pair, Planted
from compoworld_tasks_walk.reach import plantable

WRITERS: Final = ("message", "work", "document")
"""Archetypes whose texts name records of other services."""
NAMED: Final = ("order", "bill", "work", "payment", "contract", "deal")
"""Archetypes of records that people tell apart by a number, an amount or a day."""
TWINS: Final = 3
"""Other records of the hero's that could be meant: with fewer of them people would guess."""
FORMS: Final = (
    "This is about {}. Could you look into it?",
    "I am writing because of {}, please get back to me.",
    "It concerns {}. Thank you for your help.",
    "Please see {}, which is still not settled.",
)


@frozen
class Target:
    """A table of the next visit's service, and the field by which a text names its rows."""

    profile: TableProfile
    key: FieldProfile
    tie: Tie | None
    """How its rows are the hero's; None where the field alone finds them."""


class Named:
    """Read only: what the text names goes on, and with it the choice between two records."""

    name = "named"
    writes = False
    weight = 5.0
    ahead = True
    once = False
    share = 1.0
    probes = ("edges-carry", "no-shortcut", "unambiguous")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each text of the hero's here, with each table whose records it can name."""
        if fact.visit != NEVER or visit + 1 >= len(draft.walk):
            return
        named = list(nameable(draft, visit + 1))
        for tie in ties(draft, visit, fact) if named else ():
            found = tie.found
            if not writes_texts(draft, found, WRITERS):
                continue
            if found_before(draft, found.service, found.name):
                continue  # it was read before it named anything
            for text in proses(found):
                for target in named:

                    def apply(
                        tie: Tie = tie, text: FieldProfile = text, target: Target = target
                    ) -> None:
                        self._read(draft, visit, tie, text, target)

                    natural = worth(draft, fact, found.service, found.name, "join")
                    yield Option(natural, apply, table=found.name)

    def _read(
        self, draft: Draft, visit: int, tie: Tie, text: FieldProfile, target: Target
    ) -> None:
        profile, key = target.profile, target.key
        names = _planned(draft, target)
        values = (names.pair.hero.row[key.name], names.pair.shadow.row[key.name])
        form = draft.rng.choice(FORMS)
        noun, kind = draft.noun(profile.service, profile.name), key.fact.kind

        def written(value: Any) -> str:
            return form.format(called(noun, key, value))

        def prepare(source: Pair) -> None:
            source.said.pop(text.name, None)
            source.hero.row[text.name] = written(values[0])

        rec = by_tie(draft, visit, tie, None, prepare)
        if rec.hero.get(text.name) != written(values[0]):
            raise Barren(f"{rec.table} was read before it named anything")
        fact = stated(draft, rec, text.name, noun, kind, values, written, visit)
        if str(values[0]).startswith("#") and fact.expr is not None:
            marked = Fn(name="form", args=(fact.expr,), template="#{}")
            fact = evolve(fact, expr=marked)  # the mark is no part of the number in a text
        draft.known.append(evolve(fact, names=names))


def called(noun: str, key: FieldProfile, value: Any) -> str:
    """How a text names a record: "order #1093", "the invoice due on 3 May 2026"."""
    kind = key.fact.kind
    if kind == "code":
        return f"{noun} {value}"
    said = facts.render(kind, value)
    if kind in ("money", "cents"):
        return f"the {noun} over {said if kind == 'cents' else f'{said} USD'}"
    return f"the {noun} with the {words.split(key.name)} {said}"


def nameable(draft: Draft, visit: int) -> Iterator[Target]:
    """The tables of a visit's service whose records a text can name, none spoken of yet."""
    catalogue, service = draft.catalogue, draft.walk[visit]
    owned = {
        tie.found.name: tie
        for fact in draft.known
        if fact.visit == NEVER
        for tie in ties(draft, visit, fact)
        if not tie.titled
    }
    for (owner, table), profile in catalogue.tables.items():
        if owner != service or catalogue.archetype(owner, table) not in NAMED:
            continue
        if found_before(draft, service, table):
            continue
        if not stories.belongs(draft.story, catalogue.archetype(owner, table)):
            continue
        code = next((c for c in profile.fields.values() if _code(draft, profile, c)), None)
        tie = owned.get(table)
        if code is not None:
            yield Target(profile, code, None)
        elif tie is not None:
            for column in profile.fields.values():
                telling = column.fact.kind in ("money", "cents", "date") and not column.past
                if not telling or column.filled <= 0.9 or column.name == tie.key:
                    continue
                if catalogue.way(profile, [tie.key, column.name]) is not None:
                    yield Target(profile, column, tie)


def _code(draft: Draft, profile: TableProfile, column: FieldProfile) -> bool:
    named = column.fact.kind == "code" and column.fact.distinct and column.outside
    place = (profile.service, profile.name, column.name)
    return named and plantable(draft.catalogue, place)


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
