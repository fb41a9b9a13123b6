"""Known: vetoes over all operations of an entity, by what is known of its records.

A reader's own parameters say which records it wants, not what a record holds. What one holds
is known from what is written to it, what results show of it and what other tools call by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from attrs import evolve, frozen

from compoworld_synth import defaults, described, filters, results
from compoworld_synth.archetypes import archetype_of
from compoworld_synth.design import OperationDesign, ParamDesign, Veto
from compoworld_synth.keys import key_stem
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import joined, singular, snake, words
from compoworld_synth.operations import Operation
from compoworld_synth.resources import Catalogue

_READERS: Final = frozenset({
    "get", "list", "search", "get_or_list", "get_by", "current_get", "part_get", "batch_get",
})  # fmt: skip
_WRITERS: Final = frozenset({
    "create", "update", "upsert", "transition", "upload", "batch_create", "batch_update",
    "part_update", "current_update",
})  # fmt: skip
_WRITING: Final = frozenset({"create", "update", "upsert", "upload", "send"})
_COMMON: Final = frozenset({"id", "name", "title", "created_at", "updated_at"})
"""What every record has or may be taken to have."""
_STATES: Final = frozenset({"status", "email"})
"""Last words of filters that are a record's own whatever else is said."""


@frozen
class Ground:
    """The operations of one entity, as read and as judged, in the same order."""

    read: tuple[Operation, ...]
    judged: tuple[OperationDesign, ...]
    catalogue: Catalogue
    noun: tuple[str, ...]


def nothing_to_show(at: int, ground: Ground) -> Veto | None:
    """`list_regions()` alone: its rows would hold an id and an invented name."""
    if ground.judged[at].kind not in _READERS:
        return None
    usual = archetype_of(ground.noun)
    much = usual in _THIN and ground.judged[at].kind != "list"
    if usual and not (much and _MUCH.search(ground.read[at].spec.description)):
        return None  # a person or an invoice has what every such thing has
    if shown_elsewhere(at, ground):
        return None
    return Veto("nothing_to_show", True, f"nothing says what a {'_'.join(ground.noun)} holds")


_THIN: Final = frozenset({
    "property", "deed", "deal", "secret", "setting", "rule", "link",
})  # fmt: skip
"""Archetypes whose few fields are not all that a detailed answer would hold."""
_MUCH: Final = re.compile(r"\b(detail(s|ed)?|full|complete|comprehensive|metadata)\b", re.I)


def shown_elsewhere(at: int, ground: Ground) -> bool:
    """Whether a field is known from a write, a result, a description or another tool."""
    told = described.contents(ground.read[at].spec.description, ground.noun)
    if any(words(name)[-1] not in ("id", "ids") for name in told):
        return True
    mine = ground.judged[at].of("filter")
    if any(not each.param.required and named_elsewhere(each, at, ground) for each in mine):
        return True
    for item, design in zip(ground.read, ground.judged, strict=True):
        if not design.deterministic:
            continue
        if results.of_record(design.kind, item.spec, ground.noun):
            return True
        if design.kind in _WRITERS and (design.sets or _holds(design, ground, written=True)):
            return True
        other = item.spec is not ground.read[at].spec
        if other and _holds(design, ground, written=False):
            return True
    return False


def _holds(design: OperationDesign, ground: Ground, *, written: bool) -> bool:
    """Whether a tool writes, or else selects by, something that is no scope and no key."""
    for each in design.params:
        if written and each.role == "field":
            return True
        if each.param.name in ground.catalogue.scope or (each.field or "id") in ("id", "name"):
            continue
        if written and each.role in ("refs", "bag", "ref"):
            return True
        if each.role in ("refs", "filter", "ref") and not each.param.required:
            return True
    return False


def own_filter(at: int, ground: Ground) -> Veto | None:
    """`list_styles(enrich)`: what nothing else knows as a field of the record."""
    design = ground.judged[at]
    if design.kind not in ("list", "search", "count", "get_or_list"):
        return None
    for each in design.of("filter"):
        if not _is_place(each, at, ground) and not named_elsewhere(each, at, ground):
            why = f"nothing else knows {each.param.name} as a field"
            return Veto("own_filter", True, why)
    return None


def _is_place(each: ParamDesign, at: int, ground: Ground) -> bool:
    """Whether it says where the records lie, not how they are: a scope, a key, a path."""
    rest = ground.read[at].spec.rest
    path = rest is not None and each.param.name in rest.path_parameters
    key = each.param.required and key_stem(each.param) is not None
    name = each.field or each.param.name
    known = name in _COMMON or bool(_STATES & {*words(name)[-1:]})
    if name == "state" and each.param.enum:
        known = True
    if _titled(each, ground.noun) or _everyday(each, name):
        known = True
    return path or key or known or each.param.name in ground.catalogue.scope


_FLAGS: Final = word_set(
    "active enabled disabled hidden archived completed starred favorite private deleted"
    " published default locked"
)
_SORTS: Final = word_set("type kind category role severity visibility country currency")


def _everyday(each: ParamDesign, name: str) -> bool:
    """A flag or a sort that any such record may have: `is_hidden`, `category` of a list."""
    last = name.split("_")[-1]
    if each.param.kind == "bool":
        plain = name.removeprefix("is_") in _FLAGS
        return plain and defaults.of(each.param) is None and each.comparison == "eq"
    free = not each.param.required and defaults.of(each.param) is None
    return last in _SORTS and len(each.param.enum) > 1 and free


def _titled(each: ParamDesign, noun: tuple[str, ...]) -> bool:
    """`role`, "Customer role", of customers: nothing but what it is of them."""
    spoken = [singular(word) for word in words(each.param.description)]
    own = [singular(word) for word in words(each.param.name)]
    return 1 < len(spoken) <= 4 and noun[-1] in spoken and spoken[-len(own) :] == own


def named_elsewhere(each: ParamDesign, at: int, ground: Ground) -> bool:
    """Whether a write, a result or the words of another tool name the filter's field."""
    wanted = {_plain(each.field or ""), _plain(each.param.name)}
    for item, design in zip(ground.read, ground.judged, strict=True):
        shown = results.of_record(design.kind, item.spec, ground.noun)
        names = [param.name for param in shown]
        names += [name for name, _value in design.sets]
        if design.kind in _WRITERS:
            names += [one.field for one in design.params if one.field]
        if item.phrase.group in _WRITING:
            names += [param.name for param in item.params]
            names += [p.name for param in item.params for p in param.properties]
        if wanted & {_plain(name) for name in names}:
            return True
        if item.spec is not ground.read[at].spec and _said(each, item.spec.description):
            return True
        if design.kind in _READERS:
            told = described.contents(item.spec.description, ground.noun)
            if wanted & {_plain(name) for name in told}:
                return True
    return filters.stated(each.param)


def _said(each: ParamDesign, text: str) -> bool:
    spoken = r"[ _-]?".join(map(re.escape, snake(each.field or each.param.name).split("_")))
    return re.search(rf"\b{spoken}(s|es)?\b", text, re.IGNORECASE) is not None


def _plain(name: str) -> str:
    found = words(name)
    return joined((*found[:-1], singular(found[-1]))) if found else ""


_BOUNDS: Final = re.compile(
    r"\b(before|after|since|until|between|earlier than|later than|greater than|less than"
    r"|at least|at most|no (earlier|later) than|or (higher|lower|more|less|newer|older))\b",
    re.IGNORECASE,
)


def bounded(at: int, ground: Ground) -> Veto | None:
    """`list_efforts(startLocal)`, "starting after this time": more than one value fits."""
    design = ground.judged[at]
    for each in design.of("filter"):
        equal = each.comparison == "eq" and each.param.kind in ("str", "int", "num")
        if equal and not each.param.enum and _BOUNDS.search(each.param.description):
            return Veto("bounded", True, f"{each.param.name} is a bound, and of what is unsaid")
    return None


CHECKS: Final[tuple[Callable[[int, Ground], Veto | None], ...]] = (
    own_filter,
    bounded,
    nothing_to_show,
)


def grounded(
    read: Sequence[Operation], judged: Sequence[OperationDesign], catalogue: Catalogue
) -> list[OperationDesign]:
    """The judged operations, those simulated of whose records too little is known.

    Repeated until nothing changes, since a tool that goes is no evidence for another.
    """
    groups: dict[str, list[int]] = {}
    for n, design in enumerate(judged):
        groups.setdefault(design.entity or "", []).append(n)
    made = list(judged)
    for name, places in groups.items():
        resource = catalogue.named(name)
        changed = resource is not None
        while changed:
            changed = False
            for check in CHECKS:
                changed = _apply(check, places, read, made, catalogue) or changed
    return made


def _apply(
    check: Callable[[int, Ground], Veto | None],
    places: Sequence[int],
    read: Sequence[Operation],
    made: list[OperationDesign],
    catalogue: Catalogue,
) -> bool:
    """Simulate what the check stops among the operations of one entity; whether it did."""
    resource = catalogue.named(made[places[0]].entity or "")
    assert resource is not None  # the caller's condition
    mine = tuple(made[n] for n in places)
    ground = Ground(tuple(read[n] for n in places), mine, catalogue, resource.noun)
    found = False
    for at, n in enumerate(places):
        veto = check(at, ground) if mine[at].deterministic else None
        if veto is not None:
            found = True
            vetoes = (veto, *mine[at].vetoes)
            made[n] = evolve(mine[at], kind="simulated", grade="none", sets=(), vetoes=vetoes)
    return found
