"""Dedup: two records are about the same; the older one is completed, the newer one closed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from attrs import evolve

from compoworld_tasks_walk import stories
from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.filling import Filled, put_said
from compoworld_tasks_walk.known import NEVER, Known, Rec
from compoworld_tasks_walk.patterns.copying import homes
from compoworld_tasks_walk.patterns.extremes import Rank, ranks, select_pair
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import facts_of
from compoworld_tasks_walk.patterns.writing import (
    add_child,
    change,
    effect,
    like_of,
    state_fact,
    suits,
    turns,
    updates,
    written,
)
from compoworld_tasks_walk.script import Change, Drop, Said

ARCHETYPES = ("customer", "firm", "work")


HELD: Final = ("on-hold", "on_hold")
"""States of what waits for something else."""
CLOSED: Final = (
    "closed", "solved", "done", "resolved", "archived", "canceled", "cancelled", *HELD,
)  # fmt: skip
"""States of what nobody works on."""


class Dedup:
    """The carried fact goes into the older record, which is kept."""

    name = "dedup"
    writes = True
    weight = 3.0
    ahead = False
    once = True
    share = 1.0
    probes = ("edges-carry", "unambiguous", "criteria-needed")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each table in which the hero may stand twice, with a tool that closes one of them."""
        if fact.source == "id":
            return
        anchors = [known for known in draft.known if known.visit == NEVER]
        found = [(rank, anchor) for anchor in anchors for rank in ranks(draft, visit, anchor)]
        for keep, table, natural in homes(draft, visit, fact, "copy"):
            for rank, anchor in found:
                profile = rank.key.profile
                kind = draft.catalogue.archetype(profile.service, profile.name)
                dated = rank.by.fact.kind in ("date", "datetime")
                if profile.name != table or kind not in ARCHETYPES or not dated:
                    continue
                for close in updates(draft, profile.service, profile.name):
                    if not closes(draft, close):
                        continue  # what is there twice is closed, not given another priority

                    def apply(
                        rank: Rank = rank, by: Known = anchor, keep: Write = keep,
                        close: Write = close,
                    ) -> None:  # fmt: skip
                        self._merge(draft, visit, fact, (rank, by), keep, close)

                    yield Option(natural, apply, tool=close.tool, closes=table)

    def _merge(
        self,
        draft: Draft,
        visit: int,
        fact: Known,
        place: tuple[Rank, Known],
        keep: Write,
        close: Write,
    ) -> None:
        rank, by = place
        like = {**like_of(draft, keep), **like_of(draft, close), **_open(draft, close)}
        older, newer = select_pair(draft, visit, by, rank, like)
        if not (suits(draft, older, keep) and suits(draft, newer, close)):
            raise Barren(f"{close.tool} does not work on such a record")
        draft.carry(fact, visit)
        if keep.op == "update":
            state_fact(draft, visit, older, keep, fact)
        else:
            add_child(draft, visit, older, keep, fact)
        _close(draft, visit, newer, close)
        closing = draft.actions[-1]
        assert isinstance(closing, Change | Drop), "a record was closed"
        draft.actions[-1] = evolve(closing, why=_why(closing))
        draft.known += facts_of(draft, older, visit)


def _why(closing: Change | Drop) -> str:
    """Why the newer one is closed, or only waits."""
    state = closing.value if isinstance(closing, Change) else None
    if isinstance(state, Said) and stories.word_of(state.value) in HELD:
        return "it waits for the older one, which is about the same"
    return "the older one is about the same"


def closes(draft: Draft, write: Write) -> bool:
    """Can the write close a record, by what it does or by a state that it sets?"""
    return bool(write.effects and not write.required) or bool(_states(draft, write))


def _states(draft: Draft, write: Write) -> dict[str, tuple[list[Any], list[Any]]]:
    """Fields by which a write closes a record: the states that do, and the others."""
    fields = draft.profile(write.service, write.table).fields
    found = {}
    for name, into in write.sinks.items():
        if name not in fields or set(write.required) - {name}:
            continue
        values = list(into.slot.enum or fields[name].fact.enum)
        closed = [value for value in values if stories.word_of(value) in CLOSED]
        if closed:
            found[name] = closed, [value for value in values if value not in closed]
    return found


def _open(draft: Draft, write: Write) -> dict[str, tuple[Any, ...]]:
    """What records are like that the write has yet to close."""
    if write.effects and not write.required:
        return {}
    return {name: tuple(others) for name, (_, others) in _states(draft, write).items()}


def _close(draft: Draft, visit: int, rec: Rec, write: Write) -> None:
    if write.effects and not write.required:
        effect(draft, visit, rec, write)
        return
    possible = dict(turns(draft, rec, write))
    for name, (closed, _) in _states(draft, write).items():
        ways = [value for value in closed if value in possible.get(name, ())]
        if ways and name not in written(draft, rec):
            filled = Filled(write)
            put_said(filled, name, ways[0], "status")
            change(draft, visit, rec, filled, name, filled.said[0][1])
            return
    raise Barren(f"{write.tool} closes no such record")
