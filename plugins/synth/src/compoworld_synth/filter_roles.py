"""Filter roles: what a parameter of a list or search is compared with, and how."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from compoworld_synth import filters, lexicon, periods, rest_roles
from compoworld_synth.design import Comparison, ParamDesign
from compoworld_synth.keys import key_stem
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import joined, singular, snake, words
from compoworld_synth.operations import Operation
from compoworld_synth.resources import Resource

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

_INSTANTS: Final = {"since": "ge", "until": "le", "after": "ge", "before": "le"}


def structured(param: Param) -> bool:
    """Whether it is an object, a list of objects or one of several things."""
    inner = param.items
    return param.kind in ("obj", "union") or (inner is not None and inner.kind == "obj")


def filter_role(
    param: Param,
    name: str,
    field: str,
    ref: str | None,
    resource: Resource,
    item: Operation,
) -> ParamDesign:
    """A parameter of a list or search."""
    if _bounds_the_page(param, name, resource, item):
        return ParamDesign(param, "limit", why="so many records at most")
    if param.kind == "str" and _TOKEN.search(param.description) and not param.required:
        return ParamDesign(param, "cursor", why="where an earlier page ended")
    shown = rest_roles.same_values(param, item, resource)
    if shown:
        sign: Comparison = "in" if param.kind == "arr" else "eq"
        return ParamDesign(param, "filter", shown, None, sign, why="of the same values")
    if ref in (None, resource.name) and _names_it(param, resource):
        return ParamDesign(param, "filter", "id", None, "in" if param.kind == "arr" else "eq")
    if name in lexicon.QUERIES and param.kind == "str":
        return ParamDesign(param, "query")
    if name.endswith("_filter") and len(name) > 7 and ref is None:
        return ParamDesign(
            param, "filter", _own(name[:-7], resource), None, filters.comparison(param, "eq")
        )
    if ref is not None:
        if param.kind == "arr":
            return ParamDesign(param, "refs", f"{singular_field(name)}_id", ref, "in")
        several = f"{field}s" if _kept_as_list(f"{field}s", resource) else field
        return ParamDesign(param, "ref", several, ref)
    bound = periods.bound(param, resource)
    if bound is not None:
        return ParamDesign(param, "filter", bound[0], None, bound[1])
    if name in _INSTANTS:
        sign = "ge" if _INSTANTS[name] == "ge" else "le"
        return ParamDesign(param, "filter", "created_at", None, sign)
    base, sign = filters.comparison_of(name)
    if param.name.endswith(("<", ">")):  # `EndTime<`: an HTTP API's way to compare
        sign = "le" if param.name.endswith("<") else "ge"
    if sign in ("ge", "le") and joined(base.split("_")) == joined(resource.noun):
        base = "created_at"  # `bookmarks_since` of bookmarks
    if param.kind == "arr" and sign == "eq":
        kept = base if _kept_as_list(base, resource) else singular_field(base)
        return ParamDesign(param, "filter", kept, None, "in")
    sign = filters.comparison(param, sign)
    if param.kind == "bool":
        base = base.removesuffix("_only").removeprefix("only_")
    if sign == "in" and param.kind == "str":
        base = singular_field(base)
    if sign == "prefix":
        base = "name" if base == "prefix" else base.removesuffix("_prefix")
    return ParamDesign(param, "filter", _own(base, resource), None, sign)


_TOKEN: Final = re.compile(
    r"\b(pagination|page|paging|continuation) (token|cursor|marker)\b"
    r"|\b(token|cursor|marker) for (pagination|paging|the next page)\b",
    re.IGNORECASE,
)
_SO_MANY: Final = re.compile(
    r"^\W*(the |optional )?max(imum|\.)? (number|count|amount) of (?P<what>[\w -]{3,30}?)"
    r" (to (return|fetch|retrieve|get|list|show|read)|returned|per (page|call|request)|in one)",
    re.IGNORECASE,
)


def _bounds_the_page(param: Param, name: str, resource: Resource, item: Operation) -> bool:
    """`max_messages` of messages, "maximum number to return": a limit, no value of a record."""
    if param.kind not in ("int", "num") or any(
        snake(each.name) in lexicon.LIMITS for each in item.params
    ):
        return False
    front, *rest = name.split("_")
    own = front in ("max", "limit", "num") and rest[-1:] != []
    own = own and singular(rest[-1]) == resource.noun[-1] and rest[-1] != resource.noun[-1]
    said = _SO_MANY.match(param.description)
    noun = said is not None and singular(words(said["what"])[-1]) in (
        *_ROWS, resource.noun[-1]
    )  # fmt: skip
    return own or noun


_ROWS: Final = word_set("result record item entry row")


def _kept_as_list(name: str, resource: Resource) -> bool:
    """Whether records are written with a list of this name: `tags`, not one tag."""
    return any(
        param.kind == "arr" and snake(param.name) == name
        for one in resource.operations
        if one.phrase.group in ("create", "update", "upsert")
        for param in one.params
    )


_SHARED: Final = word_set("name title status state type kind priority key email date category")


def _own(base: str, resource: Resource) -> str:
    """`project_name` of a project is its name."""
    front, rest = base.split("_")[:-1], base.split("_")[-1]
    mine = (joined(resource.noun), joined(resource.noun[-1:]))
    written = any(
        snake(param.name) == base
        for one in resource.operations
        if one.phrase.group in ("create", "update")
        for param in one.params
    )
    if written:
        return base  # the `field_type` of a custom field is called so
    return rest if rest in _SHARED and front and joined(front) in mine else base


def _names_it(param: Param, resource: Resource) -> bool:
    """Whether a filter takes keys of the listed records themselves: `ids`, `ticket_id`."""
    stem, last = key_stem(param), words(param.name)[-1:]
    if stem is None or (stem and joined(stem) != joined(resource.noun)):
        return False
    plain = singular(last[0]) in ("id", "gid", "uuid", "sid", "guid")
    return plain or last[0] in ("ids", "gids", "uuids", "sids") or param.name in resource.keys


def singular_field(name: str) -> str:
    """`statuses` → status; `issue_ids` → issue."""
    parts = [part for part in name.split("_") if part]
    if parts and parts[-1] in ("ids", "id"):
        parts = parts[:-1]
    return "_".join((*parts[:-1], singular(parts[-1]))) if parts else name
