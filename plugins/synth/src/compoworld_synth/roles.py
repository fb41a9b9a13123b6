"""Roles: what each parameter of an operation is, given its kind and its resource."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from compoworld_synth import lexicon
from compoworld_synth.design import Comparison, ParamDesign, Role
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import joined, singular, snake, words
from compoworld_synth.operations import Operation
from compoworld_synth.resources import Catalogue, Resource, key_stem

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

READING: Final = frozenset({"list", "search", "count"})
_PLAIN: Final[tuple[tuple[frozenset[str], Role], ...]] = (
    (lexicon.CONTROL, "control"),
    (lexicon.PROJECTION, "projection"),
    (lexicon.CONFIRM, "confirm"),
)
_PAGED: Final[tuple[tuple[frozenset[str], Role], ...]] = (
    (lexicon.LIMITS, "limit"),
    (lexicon.PAGES, "page"),
    (lexicon.OFFSETS, "offset"),
    (lexicon.SORTS, "sort"),
    (lexicon.ORDERS, "order"),
)
_SUFFIXES: Final[tuple[tuple[str, Comparison], ...]] = (
    ("_after", "ge"),
    ("_since", "ge"),
    ("_gte", "ge"),
    ("_from", "ge"),
    ("_gt", "gt"),
    ("_before", "le"),
    ("_until", "le"),
    ("_lte", "le"),
    ("_lt", "lt"),
    ("_to", "le"),
    ("_contains", "contains"),
    ("_not", "ne"),
    ("_any", "in"),
)
_PREFIXES: Final[tuple[tuple[str, Comparison], ...]] = (
    ("min_", "ge"),
    ("max_", "le"),
    ("since_", "ge"),
    ("until_", "le"),
)
_INSTANTS: Final = {"since": "ge", "until": "le", "after": "ge", "before": "le"}


def comparison_of(name: str) -> tuple[str, Comparison]:
    """Field and comparison of a filter's name: `created_after` → created_at, ge."""
    for suffix, sign in _SUFFIXES:
        if name.endswith(suffix) and len(name) > len(suffix):
            stem = name[: -len(suffix)]
            return (f"{stem}_at" if stem in ("created", "updated", "closed") else stem), sign
    for prefix, sign in _PREFIXES:
        if name.startswith(prefix):
            return name[len(prefix) :], sign
    return name, "eq"


def field_name(
    param: Param, catalogue: Catalogue, resource: Resource | None
) -> tuple[str, str | None]:
    """Canonical field and referred entity of a parameter: `projectId` → project_id, project."""
    referred = catalogue.referred(param, None)
    name = snake(param.name)
    if referred is None or param.kind == "arr":
        return name, referred.name if referred is not None else None
    stem = key_stem(param) or ()
    if not stem:
        return name, referred.name
    return f"{'_'.join(stem)}_id", referred.name


def assign(
    item: Operation, kind: str, catalogue: Catalogue, resource: Resource
) -> tuple[ParamDesign, ...]:
    """Each parameter with its role; what the key is was settled before."""
    return tuple(_assign_one(param, item, kind, catalogue, resource) for param in item.params)


def _assign_one(
    param: Param, item: Operation, kind: str, catalogue: Catalogue, resource: Resource
) -> ParamDesign:
    name = snake(param.name)
    if item.own is not None and param is item.own and kind not in READING:
        return ParamDesign(param, "id", why="the key of the record")
    if item.spec.rest is not None and _server_set(param, item, kind):
        return ParamDesign(param, "control", why="the server sets it")
    plain = _plain_role(param, name, kind)
    if plain is not None:
        return ParamDesign(param, plain)
    field, ref = field_name(param, catalogue, resource)
    if kind in READING:
        return _filter(param, name, field, ref, resource)
    if ref is not None:
        role: Role = "refs" if param.kind == "arr" else "ref"
        return ParamDesign(param, role, field, ref)
    if param.kind == "obj" and _is_bag(param, resource):
        return ParamDesign(param, "bag")
    if kind == "get":
        return ParamDesign(param, "filter", field)
    return ParamDesign(param, "field", field)


def _server_set(param: Param, item: Operation, kind: str) -> bool:
    """Whether a body's member is the server's own: it is ignored on the way in."""
    if kind not in ("create", "update", "transition") or item.spec.rest is None:
        return False
    twin = item.own is not None and param.name == item.own.name and param is not item.own
    known = param.name in ("id", "kind", "etag", "selfLink", "updateMask", "createTime")
    stated = param.read_only or param.name in item.spec.rest.read_only_fields
    return twin or stated or (known and not param.required)


def _plain_role(param: Param, name: str, kind: str) -> Role | None:
    """Roles that the name alone gives."""
    for names, role in _PLAIN:
        if name in names or (
            role == "projection" and re.match(r"(include|with|expand)_", name)
        ):
            stored = kind in ("create", "update") and (
                name in _WRITABLE or (param.required and role == "projection")
            )
            if stored and role != "confirm":
                continue
            return role
    if name.startswith("retry_"):
        return "control"
    if kind in READING:
        for names, role in _PAGED:
            if name in names and (param.kind != "bool" or role == "order"):
                return role
        if name in lexicon.CURSORS and not re.search(
            r"\bdate|time|ISO", param.description or ""
        ):
            return "cursor"
    return None


_WRITABLE: Final = word_set("fields properties format exclude profile tenant select")


def _filter(
    param: Param, name: str, field: str, ref: str | None, resource: Resource
) -> ParamDesign:
    """A parameter of a list or search."""
    if name in lexicon.QUERIES and param.kind == "str":
        return ParamDesign(param, "query")
    if ref is not None:
        if param.kind == "arr":
            return ParamDesign(param, "refs", f"{singular_field(name)}_id", ref, "in")
        return ParamDesign(param, "ref", field, ref)
    if name in _INSTANTS:
        sign: Comparison = "ge" if _INSTANTS[name] == "ge" else "le"
        return ParamDesign(param, "filter", "created_at", None, sign)
    base, sign = comparison_of(name)
    if sign in ("ge", "le") and joined(base.split("_")) == joined(resource.noun):
        base = "created_at"  # `bookmarks_since` of bookmarks
    if param.kind == "arr" and sign == "eq":
        return ParamDesign(param, "filter", singular_field(base), None, "in")
    return ParamDesign(param, "filter", base, None, sign)


def singular_field(name: str) -> str:
    """`statuses` → status; `issue_ids` → issue."""
    parts = [part for part in name.split("_") if part]
    if parts and parts[-1] in ("ids", "id"):
        parts = parts[:-1]
    return "_".join((*parts[:-1], singular(parts[-1]))) if parts else name


def _is_bag(param: Param, resource: Resource) -> bool:
    """Whether an object's keys are fields of the record: `ticket_fields` of a ticket."""
    found = words(param.name)
    if found and found[-1] in ("fields", "data", "input", "attributes", "properties"):
        named = ("", joined(resource.noun), joined(resource.noun[-1:]))
        return joined(found[:-1]) in named and found[0] != "custom"
    return joined(found) == joined(resource.noun)
