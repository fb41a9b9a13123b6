"""Associations: whether the rows planted so far give a carried fact away.

The certificate looks for that in the finished task (probe "no-shortcut"); a plan that looks
after each visit goes another way in time.
"""

from __future__ import annotations

from compoworld_core import facts
from compoworld_core.expressions import walk
from compoworld_core.plan import Carry
from compoworld_core.proof.probes.shortcuts import Keys, closure, fold
from compoworld_core.types import KEY_KINDS
from compoworld_tasks_walk.catalogue import Barren, Catalogue
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Rec
from compoworld_tasks_walk.planting import Planted
from compoworld_tasks_walk.script import Make, Said, simple


def guarded(draft: Draft) -> None:
    """Barren where a carried fact can be had around its source, or from its target."""
    keys = [fact for fact in draft.carried if fact.source == "field"]
    keys = [fact for fact in keys if fact.kind in KEY_KINDS and isinstance(fact.hero, str)]
    if not keys:
        return
    said = [str(each.value) for each in _said(draft) if each.kind in KEY_KINDS]
    literals = set(map(fold, said))
    planted = [_keys(draft.catalogue, row) for row in draft.planter.rows]
    choices = [_choice(draft, rec) for rec in draft.records.values() if rec.hero]
    for fact in keys:
        token = fold(fact.hero)
        if any(facts.mentions(fact.kind, fact.hero, text) for text in said):
            raise Barren(f"the instruction names {fact.hero!r}")
        cut = [r for r in planted if r.service != fact.service or token not in r.tokens]
        around = [(by, row.tokens) for by, row in choices if row in cut]
        if token in closure(literals, cut, around):
            raise Barren(f"{fact.hero!r} is reachable around {fact.service}")
    for carry, fact in zip(draft.carries, draft.carried, strict=True):
        if fact not in keys or _looked_up(draft, carry):
            continue
        target = draft.walk[carry.edge + 1]
        if any(r.service == target and fold(fact.hero) in r.tokens for r in planted):
            raise Barren(f"{fact.hero!r} stands in a row of {target}")


def _said(draft: Draft) -> list[Said]:
    """The literals of the instruction so far."""
    found = [t.value for m in draft.mentioned.values() for t in m.traits]
    parts = [part for action in draft.actions for part in simple(action)]
    found += [said for part in parts if isinstance(part, Make) for _, said in part.said]
    return [value for value in found if isinstance(value, Said)]


def _choice(draft: Draft, rec: Rec) -> tuple[frozenset[str], Keys]:
    """By which keys a record was chosen, and the keys of its row."""
    fields = draft.profile(rec.service, rec.table).fields
    by = frozenset(
        fold(str(rec.hero[name])) for name in rec.used if fields[name].fact.kind in KEY_KINDS
    )
    return by, _keys(draft.catalogue, Planted(rec.service, rec.table, rec.hero, 0.0, "hero"))


def _keys(catalogue: Catalogue, planted: Planted) -> Keys:
    """The keys of a planted row, folded, that do not stand in the base world."""
    fields = catalogue.tables[planted.service, planted.table].fields
    found = set()
    for name, value in planted.row.items():
        if isinstance(value, str) and len(value) >= 4:
            column = fields.get(name)
            if column is None or column.fact.kind in KEY_KINDS:
                found.add(fold(value))
    return Keys(
        planted.service, planted.table, planted.row["id"], frozenset(found - catalogue.tokens)
    )


def _looked_up(draft: Draft, carry: Carry) -> bool:
    """Does the target find a record by the carried fact?"""
    steps = {step.id for step in draft.steps if step.visit == carry.edge + 1}
    return any(
        carry.expr in walk(expr)
        for selection in draft.selections
        if selection.step in steps
        for _, _, expr in selection.conditions
    )
