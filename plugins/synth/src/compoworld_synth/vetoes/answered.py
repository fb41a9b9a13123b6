"""Answered: vetoes of what a description lays out of an answer and no template gives."""

from __future__ import annotations

from typing import Final

from compoworld_synth import results
from compoworld_synth.design import Veto
from compoworld_synth.keys import key_stem
from compoworld_synth.kinds.plan import LISTING, READING
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import singular, snake, words
from compoworld_synth.vetoes.case import Case

_ONE: Final = frozenset({"get", "get_by", "part_get", "current_get"})


def lists_instead(case: Case) -> Veto | None:
    """`get_feedback(application_id)`, "Response: feedback[]": several where one is read."""
    if case.plan.kind not in _ONE:
        return None
    found = results.laid_out(case.item.spec)
    if len(found) == 1 and found[0].kind == "arr":
        return Veto("lists_instead", True, f"it answers a list of {found[0].name}")
    return None


def grouped(case: Case) -> Veto | None:
    """`list_stages()`, "Response: plans[] (name, stages[])": rows of another thing."""
    if case.plan.kind not in LISTING:
        return None
    noun = case.resource.noun
    rows, _token = results.shape(case.item.spec, noun)
    last = singular(words(rows)[-1]) if rows else noun[-1]
    if not results.laid_out(case.item.spec) or last == noun[-1]:
        return None
    inner = results.of_record(case.plan.kind, case.item.spec, noun)
    held = any(
        singular(words(each.name)[-1]) == noun[-1] for each in inner if each.kind == "arr"
    )
    other = case.catalogue.find((last,))
    if held or (other is not None and other is not case.resource):
        return Veto("grouped", True, f"its rows are {rows}, not {noun[-1]} records")
    return None


def makes_more(case: Case) -> Veto | None:
    """`add_lead`, "Response: candidate_id, application_id": it makes other records too."""
    if case.plan.kind in READING:
        return None
    given = {snake(each.param.name) for each in case.params}
    for each in results.laid_out(case.item.spec):
        stem = key_stem(each) if each.kind in ("str", "int") else None
        known = not stem or snake(each.name) in given or stem[-1] in case.resource.noun
        if not known and stem is not None and stem[-1] not in _ROUND:
            return Veto("makes_more", True, f"its answer names a {'_'.join(stem)} too")
    return None


_ROUND: Final = word_set("request trace job task operation user owner account workspace parent")
"""Keys in the answer of a change that say nothing of another record made."""

CHECKS: Final = (lists_instead, grouped, makes_more)
