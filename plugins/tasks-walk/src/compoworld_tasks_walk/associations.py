"""Associations: whether the rows planted so far give a carried fact away.

The certificate looks for that in the finished task (probe "no-shortcut"); a plan that looks
after each visit goes another way in time.
"""

from __future__ import annotations

from compoworld_core import facts
from compoworld_core.expressions import walk
from compoworld_core.plan import Carry
from compoworld_core.proof.probes.shortcuts import closure, fold
from compoworld_core.types import KEY_KINDS
from compoworld_tasks_walk.catalogue import Barren, Catalogue
from compoworld_tasks_walk.draft import Draft
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
    planted = [(row.service, _tokens(draft.catalogue, row)) for row in draft.planter.rows]
    for fact in keys:
        token = fold(fact.hero)
        if any(facts.mentions(fact.kind, fact.hero, text) for text in said):
            raise Barren(f"the instruction names {fact.hero!r}")
        cut = [t for name, t in planted if not (name == fact.service and token in t)]
        if token in closure(literals, cut):
            raise Barren(f"{fact.hero!r} is reachable around {fact.service}")
    for carry, fact in zip(draft.carries, draft.carried, strict=True):
        if fact not in keys or _looked_up(draft, carry):
            continue
        target = draft.walk[carry.edge + 1]
        if any(name == target and fold(fact.hero) in tokens for name, tokens in planted):
            raise Barren(f"{fact.hero!r} stands in a row of {target}")


def _said(draft: Draft) -> list[Said]:
    """The literals of the instruction so far."""
    found = [t.value for m in draft.mentioned.values() for t in m.traits]
    parts = [part for action in draft.actions for part in simple(action)]
    found += [said for part in parts if isinstance(part, Make) for _, said in part.said]
    return [value for value in found if isinstance(value, Said)]


def _tokens(catalogue: Catalogue, planted: Planted) -> frozenset[str]:
    """The keys of a planted row, folded, that do not stand in the base world."""
    fields = catalogue.tables[planted.service, planted.table].fields
    found = set()
    for name, value in planted.row.items():
        if isinstance(value, str) and len(value) >= 4:
            column = fields.get(name)
            if column is None or column.fact.kind in KEY_KINDS:
                found.add(fold(value))
    return frozenset(found - catalogue.tokens)


def _looked_up(draft: Draft, carry: Carry) -> bool:
    """Does the target find a record by the carried fact?"""
    steps = {step.id for step in draft.steps if step.visit == carry.edge + 1}
    return any(
        carry.expr in walk(expr)
        for selection in draft.selections
        if selection.step in steps
        for _, _, expr in selection.conditions
    )
