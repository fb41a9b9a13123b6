"""Calling: what a criterion, and the text of a call, call a fact."""

from __future__ import annotations

import re

from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.script import Converted, Figure, Ruled, Shifted, Stated, Value


def phrase(draft: Draft, fact: Known) -> str:
    """A fact as a criterion names it: "the invoice's due date", "the new page's id"."""
    noun = draft.noun(fact.service, fact.table)
    if fact.source == "id":
        return f"the new {noun}'s id"
    told = name_of(fact.value)
    if told:
        return f"the {told} ({fact.value.__class__.__name__.lower()})"
    words = spoken(fact.field.rpartition(".")[2])
    if _counted(fact):
        return f"the number of {noun}s"
    if fact.source == "aggregate":
        return f"the {fact.field.partition('.')[0]} of the {noun}s' {words}"
    return f"the {noun}'s {words}"


def name_of(value: Value) -> str:
    """What a fact is called that no field holds; empty for others."""
    if isinstance(value, Stated | Ruled):
        return value.name
    if isinstance(value, Shifted):
        return "date"
    return f"amount in {value.currency}" if isinstance(value, Converted) else ""


def spoken(name: str) -> str:
    """A field's name in words: `dueDate` and `due_date` are "due date"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").strip().lower()


def label(fact: Known) -> str:
    """What a person writes before the value: "Due date"."""
    if fact.source == "id":
        return "Reference"
    told = name_of(fact.value)
    if told:
        return told[:1].upper() + told[1:]
    words = "number" if _counted(fact) else spoken(fact.field.rpartition(".")[2])
    return words[:1].upper() + words[1:]


def _counted(fact: Known) -> bool:
    return isinstance(fact.value, Figure) and fact.value.op == "count"
