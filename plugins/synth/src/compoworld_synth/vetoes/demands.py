"""Demands: vetoes of what a description asks for and no template does."""

from __future__ import annotations

import re
from typing import Final

from compoworld_synth import described, lexicon, results
from compoworld_synth.design import Veto
from compoworld_synth.kinds import states
from compoworld_synth.kinds.plan import LISTING, READING
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import is_plural, singular, snake, words
from compoworld_synth.vetoes.case import Case

_EDITS: Final = word_set(
    "find replace old_string new_string old_text new_text old_str new_str search_text"
    " replacement replace_all replace_text append prepend insert_at edits append_text"
    " find_text old_content new_content text_to_replace patch_operations operations"
    " instructions merge requests patches"
)


def edits_text(case: Case) -> Veto | None:
    """`update_note(find, replace)`: it edits what a field holds, and replaces it not."""
    if case.plan.kind not in ("update", "part_update", "upsert"):
        return None
    for each in case.params:
        name = snake(each.param.name)
        listed = each.param.kind == "arr"
        more = re.match(r"(add|added|remove|removed|append|prepend|unset)_\w", name)
        more = more or re.search(r"_to_(add|remove|delete|append)$", name)
        patch = "patch" in words(each.param.name) and each.param.kind in ("obj", "arr")
        patch = patch and each.role != "bag" and each.param.required
        if name in _EDITS or (listed and more) or patch:
            return Veto("edits_text", True, f"{each.param.name} edits what a field holds")
    return None


_ONLY: Final = re.compile(
    r"\bonly works (on|for|with|in|within|if|when)\b"
    r"|\bonly (allowed|possible|permitted|supported|valid) (when|if|on|for|while|in)\b"
    r"|\bcan only be (delet|updat|remov|chang|cancel|edit|modif|creat|us|archiv|void|add)\w*"
    r"|\bonly \w+ (\w+ )?can be (delet|updat|remov|chang|cancel|edit|modif|archiv|void)\w*"
    r"|\b(cannot|can't|can not) be (delet|updat|remov|edit|modif|cancel|archiv)\w*"
    r" (if|when|while|once|unless|because|after)\b"
    r"|\b(cannot|can't|can not) (modify|update|delete|edit|change|remove|cancel|archive) [a-z]"
    r"|\bdeleting (the |an? )?\w+ [^.]{0,40}\b(also )?deletes (all|every)"
    r"|\b(fails|rejected|refused|returns? an error|errors?) (if|when|unless)\b"
    r"|\brefuses (\(\d+\) )?(to )?(delet|updat|remov|chang|clos|mov)\w*"
    r"|\bmust (already |first )?be (in |a |an )?(draft|open|closed|published|active|approved"
    r"|archived|empty|verified|unpublished|pending|completed|connected|enabled|disabled)\b",
    re.IGNORECASE,
)


def condition(case: Case) -> Veto | None:
    """`delete_schema`, "only allowed when no board uses it": a rule of its own."""
    if case.plan.kind in READING or case.by_path:
        return None
    found = _ONLY.search(case.item.text[:1200])
    return Veto("condition", True, f"the description says {found[0]!r}") if found else None


_FORMED: Final = re.compile(
    r"\b(grouped|organi[sz]ed|broken down) by (?!id)\b"
    r"|\bas (an? )?(markdown|csv|html|formatted|tree|table|chart|base64"
    r"|text|plain text|xml|diagram)\b|\b(returns?|in|both) (an? )?human.readable\b"
    r"|\bformatted (text|list|string|table|summary|output|as)\b|\btoken-light\b"
    r"|\b(hierarchical|tree) (structure|view|list)\b|\b(hierarchy|tree) of\b|\bin tree form\b"
    r"|\bmarkdown (table|list|format)\b|\bdigest\b|\bone.line summar",
    re.IGNORECASE,
)


def formed(case: Case) -> Veto | None:
    """`list_notes`, "as formatted text": an answer of another shape than records."""
    if case.plan.kind not in READING or results.by_schema(case.item.spec):
        return None
    if case.by_path:
        return None
    found = _FORMED.search(case.item.text[:600])
    return Veto("formed", True, f"the description says {found[0]!r}") if found else None


_DEEDS: Final = (
    "send|notif|email|publish|activat|start|launch|run|deploy|generat|charge|refund|captur|clos"
    "|merg|unlink|revok|unarchiv|restor|convert|trigger|invit|schedul|assign|mov|transfer|renam"
    "|replac|open|switch|navigat|execut|apply|attach|upload|copy|clon|resolv|validat|check"
    "|complet|link|enroll|lock|unlock|cancel|stop|appl|add|remov|creat|updat|delet|mark|set"
)
_SECOND: Final = re.compile(
    rf"\band (?:then |also |automatically |immediately |optionally )*(?P<deed>{_DEEDS})"
    r"(e?s|ies|y|e)?\b(?! by| or| time| date)",
    re.IGNORECASE,
)
_OR: Final = re.compile(
    r"^\W*\w+ (a |an |the )?(?:[\w-]+ ){0,5}?or (duplicat|cop|clon|replac|overwrit|append"
    r"|unarchiv|renam|mov|delet|remov)\w*",
    re.IGNORECASE,
)
_BESIDES: Final = re.compile(
    r", (?:and |thereby |also )?(?P<deed>revok|remov|delet|send|clos|archiv|assign|cancel"
    r"|notify|mov|replac|merg|disconnect|deactivat)ing\b",
    re.IGNORECASE,
)
_SAME: Final = {
    "create": "creat|add|set|sav|stor|schedul", "update": "updat|chang|set|replac",
    "delete": "delet|remov", "transition": "set|mark",
}  # fmt: skip


def second_effect(case: Case) -> Veto | None:
    """`create_note`, "creates a note and pins it to the board": half of it has no template."""
    if case.plan.kind in READING or case.by_path:
        return None
    gist = re.split(r"(?<=[a-z0-9)])[.!](?=\s)|\n\n| - ", case.item.spec.description.strip())[0]
    gist = " ".join(gist.split())[:260]
    other = _OR.search(gist) if case.plan.kind not in ("upsert", "copy") else None
    if other is not None and other[2][:3] != case.item.phrase.verb[:3]:
        return Veto("second_effect", True, f"it may do something else: {other[0][-40:]!r}")
    found = _SECOND.search(gist) or _BESIDES.search(gist)
    if found is None:
        return None
    deed = found["deed"].lower()
    allowed = _SAME.get(case.plan.kind, "")
    named = any(deed[:4] in snake(each.param.name) for each in case.params)
    own = case.item.phrase.verb[:4] == deed[:4]
    if own or named or (allowed and re.match(rf"({allowed})", deed)):
        return None
    return Veto("second_effect", True, f"the description goes on {found[0]!r}")


def searched_field(case: Case) -> Veto | None:
    """`list_notes(keywords)`: words to be looked for, in no field that anybody names."""
    if case.plan.kind not in LISTING:
        return None
    for each in case.params:
        last = words(each.field or "x")[-1]
        if each.role == "filter" and {last, snake(each.field or "")} & lexicon.QUERIES:
            return Veto("searched_field", True, f"{each.param.name} is no field of a record")
    return None


def other_family(case: Case) -> Veto | None:
    """`add_requester_to_group` beside requester groups: which group is meant is unsaid."""
    pair = case.plan.pair
    if pair is None:
        return None
    for one, other in ((pair.left, pair.right), (pair.right, pair.left)):
        found = case.catalogue.find((*one.split("_"), *other.split("_")))
        if found is not None and found.keyed and found.name not in (one, other):
            longer = found.name.split("_")
            return Veto("other_family", True, f"there are {'_'.join(longer)} records too")
    return None


def moved_upsert(case: Case) -> Veto | None:
    """`update_group(hub, group)` that makes one: its name tells it only inside the hub."""
    named = case.item.own is not None and words(case.item.own.name)[-1] in ("name", "group")
    inside = [each for each in case.params if each.role in ("ref", "filter", "field")]
    placed = any(each.param.required for each in inside)
    if case.plan.kind == "upsert" and named and placed:
        return Veto("moved_upsert", True, "its name tells it only inside another record")
    return None


def unknown_state(case: Case) -> Veto | None:
    """`approve_request` where a request is open, merged or declined: no state of its own."""
    if case.plan.kind not in ("transition", "batch_update"):
        return None
    value = states.unknown(case.plan.sets, case.resource)
    return (
        Veto("unknown_state", True, f"{value} is no state of the server's") if value else None
    )


_ANY_KIND: Final = re.compile(
    r"\b(any|custom or built-in|the (specified|given)|standard or custom) (\w+ )?(or \w+ )?"
    r"(objects?|record types?|entity types?|object types?|models?|tables?)\b",
    re.IGNORECASE,
)


def any_kind(case: Case) -> Veto | None:
    """`delete_record(object_name, record_id)`: of whatever kind, which lie elsewhere."""
    if case.resource.noun[-1:] not in (("record",), ("object",), ("entity",)):
        return None
    kinds = [
        each for each in case.params if each.param.required and _names_a_kind(each.param.name)
    ]
    if kinds and _ANY_KIND.search(case.item.text[:300]):
        return Veto(
            "any_kind", True, f"{kinds[0].param.name} says of what kind the records are"
        )
    return None


def _names_a_kind(name: str) -> bool:
    return bool({*words(name)} & {"object", "type", "entity", "model"}) and "id" not in words(
        name
    )


_STATE_WORDS: Final = (
    "queued|running|pending|draft|scheduled|active|open|paused|failed|completed|unpaid|overdue"
    "|in.progress|published|closed|archived|sent|ready|errored|stopped|expired|approved"
)
_OF_A_STATE: Final = re.compile(
    rf"^\W*\w+ (?:an? |the )?({_STATE_WORDS}),? (?:(?:{_STATE_WORDS}),? )*"
    rf"(?:or|and) (?:an? )?({_STATE_WORDS})\b",
    re.IGNORECASE,
)


def of_a_state(case: Case) -> Veto | None:
    """`cancel_job`, "a queued or running job": no other job may be cancelled."""
    if case.plan.kind not in ("transition", "update", "delete"):
        return None
    found = _OF_A_STATE.search(case.item.text[:120])
    return (
        Veto("of_a_state", True, f"only of what is {found[1]} or {found[2]}") if found else None
    )


_COMMANDS: Final = word_set("merge prefer overwrite force skip ignore upsert recreate reset")
_HOW: Final = re.compile(
    r"\b(overwrit\w+|exist\w*|conflicts?|duplicates?|validation|even (if|when)|regardless"
    r"|consistency|whether to (create|overwrite|skip|ignore|merge)|new fields should)\b",
    re.IGNORECASE,
)
_OF_UPDATES: Final = word_set("create replace preserve keep retain propagate cascade append")


def flag_of_a_write(case: Case) -> Veto | None:
    """`update_user(merge_nested)`: how to write, not what a record holds."""
    if case.plan.kind not in ("create", "update", "upsert", "part_update", "transition"):
        return None
    if case.by_path:
        return None
    for each in case.params:
        first = words(each.param.name)[0]
        told = first in _COMMANDS or (first in _OF_UPDATES and case.plan.kind != "create")
        said = each.param.description
        told = told and (not said or _HOW.search(said) is not None)
        if each.role == "field" and each.param.kind == "bool" and told:
            return Veto("flag_of_a_write", True, f"{each.param.name} says how to write")
    return None


_MANUAL: Final = word_set(
    "doc docs documentation reference guide instruction help manual guideline tutorial"
)
_OPTIONS: Final = frozenset({"option", "options", "capability", "limit", "metadata", "meta"})


def manual(case: Case) -> Veto | None:
    """`get_api_docs()`: a text of the server's own; `list_options()`: several catalogues."""
    if case.plan.kind not in READING or case.resource.written:
        return None
    last = case.resource.noun[-1]
    if singular(last) in _MANUAL and not case.resource.keyed and case.resource.noun[:-1]:
        return Veto("manual", True, f"a {case.resource.name} is a text of the server's own")
    if case.plan.kind == "list" and singular(last) in _OPTIONS:
        told = described.contents(case.item.spec.description, case.resource.noun)
        if len(told) > 1 and all(is_plural(words(name)[-1]) for name in told):
            return Veto("manual", True, f"it lists {', '.join(told[:3])}, each by itself")
    return None


CHECKS: Final = (
    edits_text, condition, formed, second_effect, searched_field, other_family,
    moved_upsert, unknown_state, any_kind, of_a_state, flag_of_a_write, manual,
)  # fmt: skip
