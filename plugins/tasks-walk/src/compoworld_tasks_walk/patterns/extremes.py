"""Extremes: of the records that share a carried key, the latest, the earliest, the largest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Literal

from attrs import frozen

from compoworld_core.state import Entity
from compoworld_tasks_walk.catalogue import Barren, FieldProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import NEVER, Known, Rec
from compoworld_tasks_walk.patterns.drawing import outdone
from compoworld_tasks_walk.patterns.informing import informs
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import facts_of, outlines, settle, worth
from compoworld_tasks_walk.patterns.sets import SetKey, set_keys, shared_key
from compoworld_tasks_walk.planting import Pair, Planted
from compoworld_tasks_walk.script import Extreme
from compoworld_tasks_walk.selecting import Wanted, select, selectable

ORDERED = ("date", "datetime", "money", "cents")
COMPARED: Final = 6
"""Rows of the middle of a table, at least, for a few of them to be ranked."""

Prepare = Callable[[list[Planted]], None]
"""Sets values of the rows before they are looked up; the chosen one comes first, then its
competitors with the same key, then the shadow."""


@frozen
class Rank:
    """Rows of a table that share a key, ranked by a field."""

    key: SetKey
    by: FieldProfile


def ranks(draft: Draft, visit: int, fact: Known) -> Iterator[Rank]:
    """The tables in which the fact can stand for several rows, with each field of an order."""
    for key in set_keys(draft, visit, fact):
        if not selectable(draft, key.profile, [key.column.name], many=True):
            continue
        for by in key.profile.fields.values():
            ordered = by.fact.kind in ORDERED and by.filled > 0.9 and not by.fact.many
            if "updat" in by.name.lower() or "modif" in by.name.lower():
                continue  # nobody speaks of the record that was changed last
            rank = Rank(key, by)
            if ordered and by.name != key.column.name and len(_middle(rank)) >= COMPARED:
                yield rank


def select_best(
    draft: Draft,
    visit: int,
    fact: Known,
    rank: Rank,
    extreme: Extreme,
    prepare: Prepare = lambda rows: None,
    like: dict[str, tuple[object, ...]] | None = None,
) -> Rec:
    """Select the one row that is last (or first) by a field among those that share the key."""
    profile, column = rank.key.profile, rank.key.column
    shared = shared_key(draft, visit, fact, rank.key)
    like = draft.catalogue.like(profile, [column.name], like or {}, many=True)
    rows = [draft.planter.plant(profile, "hero", like=like)]
    rows += [draft.planter.plant(profile, "sibling", like=like) for _ in range(2)]
    shadow = draft.planter.plant(profile, "shadow", like=like)
    for planted in rows:
        planted.row[column.name] = shared.hero
        draft.planter.align(planted, shared.hero)
    shadow.row[column.name] = shared.shadow
    draft.planter.align(shadow, shared.shadow)
    _rank(draft, rows, rank, extreme)
    prepare([*rows, shadow])
    wants = [Wanted(column.name, shared.expr, shared.value, shared.via)]
    rec = select(
        draft, visit, profile.service, profile.name, wants, best=(rank.by.name, extreme)
    )
    return settle(draft, rec, Pair(profile, rows[0], shadow))


def _middle(rank: Rank) -> list[Entity]:
    """The rows of the table that are neither among its first nor among its last."""
    name = rank.by.name
    held = [row for row in rank.key.profile.rows if getattr(row, name) is not None]
    held.sort(key=lambda row: getattr(row, name))
    return held[len(held) // 5 : len(held) - len(held) // 5]


def _rank(draft: Draft, rows: list[Planted], rank: Rank, extreme: Extreme) -> None:
    """Give the rows values of an order in which the first is the one that is sought.

    The values are of the middle of the table: without the key, another row would be sought.
    """
    name, middle = rank.by.name, _middle(rank)
    values = [row.model_dump(mode="json")[name] for row in draft.rng.sample(middle, len(rows))]
    ordered = sorted(values, key=outdone, reverse=extreme.op == "largest")
    if len(set(map(str, ordered))) < len(ordered):
        raise Barren(f"{name} does not tell the rows apart")
    for planted, value in zip(rows, ordered, strict=True):
        planted.row[name] = value


def select_pair(
    draft: Draft, visit: int, fact: Known, rank: Rank, like: dict[str, tuple[object, ...]]
) -> tuple[Rec, Rec]:
    """Select the two rows that share a key, the older and the newer one."""
    profile, column = rank.key.profile, rank.key.column
    shared = shared_key(draft, visit, fact, rank.key)
    like = draft.catalogue.like(profile, [column.name], like, many=True)
    pairs = [draft.planter.pair(profile.service, profile.name, like) for _ in range(2)]
    for pair in pairs:
        pair.set(column.name, shared.hero, shared.shadow)
        draft.planter.align(pair.hero, shared.hero)
        draft.planter.align(pair.shadow, shared.shadow)
    for rows in ([p.hero for p in pairs], [p.shadow for p in pairs]):
        _rank(draft, rows, rank, Extreme("smallest"))
    found = []
    for pair, extreme in zip(pairs, (Extreme("smallest"), Extreme("largest")), strict=True):
        wants = [Wanted(column.name, shared.expr, shared.value, shared.via)]
        best = (rank.by.name, extreme)
        rec = select(draft, visit, profile.service, profile.name, wants, best=best)
        found.append(settle(draft, rec, pair))
    return found[0], found[1]


WAYS: Final[tuple[Literal["largest", "smallest"], ...]] = ("largest", "largest", "smallest")
OURS: Final = WAYS[:1]
"""Of the hero's records people speak of the latest."""


class Latest:
    """Read only: the facts of the latest, earliest, largest or smallest record go on."""

    name = "latest"
    writes = False
    weight = 1.2
    ahead = False
    once = False
    share = 1.0
    probes = ("edges-carry", "unambiguous")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each table that the key finds several rows of, by each field that has an order."""
        for rank in ranks(draft, visit, fact):
            if rank.by.fact.kind not in ("date", "datetime") and fact.visit == NEVER:
                continue  # of their own records people speak of the latest
            if not informs(draft, rank.key.tie):
                continue

            def apply(rank: Rank = rank) -> None:
                extreme = Extreme(draft.rng.choice(OURS if fact.visit == NEVER else WAYS))
                rec = select_best(draft, visit, fact, rank, extreme)
                found = facts_of(draft, rec, visit)
                if not found:
                    raise Barren(f"{rec.service}.{rec.table} tells nothing that can go on")
                draft.carry(fact, visit)
                draft.known += found

            profile = rank.key.profile
            natural = worth(draft, fact, profile.service, profile.name, self.name)
            yield Option(natural, apply, outlines(profile, rank.key.column.name), profile.name)
