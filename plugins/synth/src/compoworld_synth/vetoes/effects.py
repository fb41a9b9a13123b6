"""Effects: vetoes of writes of which no field of a record holds what they do."""

from __future__ import annotations

import re
from typing import Final

from compoworld_synth import described
from compoworld_synth.design import Veto
from compoworld_synth.kinds.plan import READING
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import singular, snake, words
from compoworld_synth.vetoes.case import Case

_CHANGING: Final = frozenset({"update", "part_update", "current_update", "upsert"})
_MAKES: Final = re.compile(r"\b(creat|new|submit|fil(e|ing)\b|register)\w*", re.IGNORECASE)


def opened(case: Case) -> Veto | None:
    """`open_url(device, url)`: it happens on the device; nothing shows a url record."""
    if case.plan.kind != "create" or case.item.phrase.verb != "open" or case.resource.read:
        return None
    if _MAKES.search(case.item.text[:160]):
        return None
    return Veto("opened", True, f"nothing shows a {case.resource.name} that was opened")


_AS_TEXT: Final = re.compile(
    r"\bJSON (string|text|object|dict\w*|encoded)\b[^.]{0,40}\b(fields|properties|attributes"
    r"|changes|updates)\b",
    re.IGNORECASE,
)
_BODIES: Final = word_set("body payload request_body content_body dto")


def opaque_changes(case: Case) -> Veto | None:
    """`update_note(fields)`, "JSON string of fields": what changes is inside one value."""
    if case.plan.kind not in (*_CHANGING, "create") or case.by_path:
        return None
    for each in case.params:
        if each.role not in ("field", "mask", "bag"):
            continue
        if each.param.kind == "str" and _AS_TEXT.search(each.param.description):
            return Veto("opaque_changes", True, f"{each.param.name} holds fields as a text")
        whole = snake(each.param.name) in _BODIES and not each.param.properties
        if whole and each.param.kind in ("obj", "any", "union") and case.plan.kind in _CHANGING:
            return Veto("opaque_changes", True, f"nothing says what {each.param.name} holds")
    return None


_MARKS: Final = word_set(
    "deleted delete remove removed destroy _destroy is_deleted op operation action clear"
)
_EDITS: Final = re.compile(
    r"\b(add|updat\w+|creat\w+)\b[^.]{0,40}\b(or|and|/)\s*(remov|delet)\w*", re.IGNORECASE
)


def changed_list(case: Case) -> Veto | None:
    """`update_plan(items)`, which may say `deleted`: changes of a list, not the list."""
    if case.plan.kind not in _CHANGING or case.by_path:
        return None
    for each in case.params:
        inner = each.param.items
        if each.role not in ("field", "refs") or each.param.kind != "arr" or inner is None:
            continue
        marked = {snake(one.name) for one in inner.properties} & _MARKS
        if marked or _EDITS.search(each.param.description):
            return Veto("changed_list", True, f"{each.param.name} holds changes of a list")
    return None


_LOST: Final = re.compile(
    r"\b(otherwise|omitt\w+|not (included|listed|provided))\b[^.]{0,50}"
    r"\bwill (all )?be (remov|delet|lost|clear|unset|eras)\w*",
    re.IGNORECASE,
)


def emptied(case: Case) -> Veto | None:
    """`update_list`, "otherwise all entries will be removed": what is left out goes too."""
    if case.plan.kind not in _CHANGING or case.plan.replaces:
        return None
    found = _LOST.search(case.item.text[:1200])
    return Veto("emptied", True, f"the description says {found[0][-60:]!r}") if found else None


def answers_more(case: Case) -> Veto | None:
    """`create_label`, "returns the label URL and transaction ID": a transaction is made too."""
    if case.plan.kind != "create" or case.by_path:
        return None
    given = {snake(each.param.name) for each in case.params}
    told = described.contents(described.answer(case.item.spec.description), case.resource.noun)
    for name in told:
        *front, last = snake(name).split("_")
        stem = tuple(singular(word) for word in front)
        if last != "id" or not stem or snake(name) in given:
            continue
        other = case.catalogue.find(stem)
        taken = {*stem} & {*case.resource.noun} or any("_".join(stem) in one for one in given)
        if other is not None and other is not case.resource and not taken:
            return Veto("answers_more", True, f"its answer names a {other.name} too")
    return None


_AMONG: Final = word_set(
    "insert_after insert_before place_after place_before move_after move_before"
)


def placed_among(case: Case) -> Veto | None:
    """`create_section(insert_after)`: where it goes among others, which no field says."""
    if case.plan.kind not in (*_CHANGING, "create", "link_add"):
        return None
    for each in case.params if not case.by_path else ():
        if each.role in ("field", "ref") and snake(each.param.name) in _AMONG:
            return Veto("placed_among", True, f"{each.param.name} is a place among others")
    return None


_FORCED: Final = re.compile(
    r"\bif (set|given|provided|specified)[^.]{0,40}\b(is|are|gets?|will be)"
    r" (forced|automatically set|set automatically|changed) to\b",
    re.IGNORECASE,
)


def forces_another(case: Case) -> Veto | None:
    """`closed_on`, "if set, status is forced to closed": one value writes another."""
    if case.plan.kind not in (*_CHANGING, "create") or case.by_path:
        return None
    for each in case.params:
        if each.role == "field" and _FORCED.search(each.param.description):
            return Veto("forces_another", True, f"{each.param.name} changes another field")
    return None


def inside_another(case: Case) -> Veto | None:
    """`add_task_members` where a task has `members`: its own field shows them, no table."""
    if case.plan.kind in READING or case.plan.pair is not None or case.resource.read:
        return None
    if case.by_path:
        return None
    noun = case.resource.noun
    for cut in range(1, len(noun)):
        whole = case.catalogue.find(noun[:cut])
        if whole is None or whole is case.resource:
            continue
        held = {
            tuple(singular(word) for word in words(each.name))
            for one in whole.operations
            if one.phrase.group in ("create", "update")
            for param in one.params
            for each in (param, *param.properties)
            if each.kind in ("arr", "obj")
        }
        if noun[cut:] in held or noun in held:
            return Veto("inside_another", True, f"it is part of what a {whole.name} holds")
    return None


_PAGES: Final = re.compile(
    r"\b(documentation|docs?|help|manual|reference|guide) (page|article|section|topic)s?\b"
    r"|\b(search\w*|fetch\w*|get|browse) [\w ]{0,40}\bdocumentation\b",
    re.IGNORECASE,
)


def manual_page(case: Case) -> Veto | None:
    """`fetch_doc(id)`, "one documentation page": a text of the server's own."""
    if case.plan.kind not in READING or any(
        one.phrase.group in ("create", "update", "delete", "upload")
        for one in case.resource.operations
    ):
        return None
    named = {singular(word) for word in words(case.resource.name)} & {"doc", "documentation"}
    if named and _PAGES.search(case.item.text[:200]):
        return Veto("manual_page", True, f"a {case.resource.name} is a page of a manual")
    return None


_ALL_OF: Final = re.compile(
    r"\b(?:including|includes?|with|and|shows?)\b (?:[\w, ]{0,60}?\b)?"
    r"(?:all )?(?:of )?(?:the |its |their )?available (?P<of>\w+)(?: (?P<what>\w+))?",
    re.IGNORECASE,
)


def unheld_parts(case: Case) -> Veto | None:
    """`get_parcel`, "including all available rates": offers of others, which nothing holds."""
    if case.plan.kind not in ("get", "list", "search") or case.by_path:
        return None
    found = _ALL_OF.search(" ".join(case.item.spec.description.split())[:400])
    if found is None:
        return None
    what = singular(found["of"].lower())
    if what in _OFFERED and what != case.resource.noun[-1]:
        return Veto("unheld_parts", True, f"its {what}s are worked out")
    return None


_OFFERED: Final = word_set("rate quote offer slot price option rates transition")


CHECKS: Final = (
    opened, opaque_changes, changed_list, emptied, answers_more, manual_page, unheld_parts,
    placed_among, forces_another, inside_another,
)  # fmt: skip
