"""Rest roles: what method and path of a REST source say of a parameter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from compoworld_synth import paths, results
from compoworld_synth.design import ParamDesign
from compoworld_synth.keys import key_stem
from compoworld_synth.kinds.plan import LISTING, READING, WRITING
from compoworld_synth.naming import joined, singular, snake, words
from compoworld_synth.operations import Operation
from compoworld_synth.resources import Catalogue, Resource
from compoworld_synth.rest import option, segment

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

_SERVERS: Final = frozenset({
    "id", "kind", "etag", "selfLink", "updateMask", "createTime", "updateTime", "created",
    "updated", "creationTime",
})  # fmt: skip
"""Members of a body that the server sets wherever they stand."""


def set_by_server(param: Param, item: Operation, kind: str) -> bool:
    """Whether a body's member is the server's own: it is ignored on the way in."""
    if kind not in WRITING or item.spec.rest is None:
        return False
    twin = item.own is not None and param.name == item.own.name and param is not item.own
    inner = len(param.path) > 1 and param.path[0] == item.spec.rest.body_parameter
    paths = {joined(words(name)) for name in item.spec.rest.path_parameters}
    twin = twin or (inner and joined(words(param.name)) in paths)
    known = param.name in _SERVERS
    in_body = inner or param.name in item.spec.rest.body_members
    stated = in_body and (param.read_only or param.name in item.spec.rest.read_only_fields)
    return twin or stated or (known and not param.required)


def of_any_call(param: Param, item: Operation, kind: str, resource: Resource) -> bool:
    """Whether an option of any call is one here: no record shows what it gives."""
    shown = results.of_record(kind, item.spec, resource.noun)
    named = param.name in {each.name for each in shown}
    return not named and not param.required and len(param.path) == 1


def out_of_date(param: Param, item: Operation, kind: str, resource: Resource) -> bool:
    """Whether an optional parameter is deprecated and no result shows what it gives."""
    if param.required or "deprecated" not in param.description.lower():
        return False
    shown = results.of_record(kind, item.spec, resource.noun)
    return kind in LISTING or param.name not in {each.name for each in shown}


def chosen_key(param: Param, item: Operation, kind: str, resource: Resource) -> bool:
    """Whether a body gives what other tools find the record by: `forwardingEmail`."""
    if kind != "create" or item.spec.rest is None or item.own is not None:
        return False
    if any(paths.template(each.pattern) for each in item.params):
        return False  # a resource name is told by what it lies below
    inner = len(param.path) > 1 or param.name in item.spec.rest.body_members
    said = re.search(r"\boutput only\b|\bread.?only\b", param.description, re.IGNORECASE)
    free = not param.read_only and said is None and param.name not in _SERVERS
    return inner and free and param.kind == "str" and param.name in resource.keys


def collected(param: Param, item: Operation, catalogue: Catalogue) -> Resource | None:
    """The record that a path's variable names: `announcements/{itemId}`."""
    if item.spec.rest is None or param.name not in item.spec.rest.path_parameters:
        return None
    before = segment(item.spec.rest, param.name)
    found = tuple(singular(word) for word in words(before))
    return catalogue.find(found) if found else None


def above(param: Param, item: Operation, kind: str) -> ParamDesign | None:
    """The resource name above the records, and the last part that a creator gives its own."""
    rest = item.spec.rest
    if rest is None or len(param.path) > 1:
        return None
    if param.name in rest.path_parameters and paths.template(param.pattern):
        if kind in LISTING:
            return ParamDesign(param, "filter", "id", None, "below", place=True)
        return ParamDesign(param, "above") if kind == "create" else None
    given = kind == "create" and param.name in rest.query_parameters
    stem = joined(key_stem(param) or ())
    if given and stem and stem == joined((paths.collection(item.spec),)):
        return ParamDesign(param, "tail")
    return None


def an_option(param: Param, item: Operation, kind: str, noun: tuple[str, ...]) -> bool:
    """Whether the path says that it is no value of the record: a query beside a body or key."""
    rest = item.spec.rest
    if rest is None or kind in LISTING or not option(rest, param.name, param.path):
        return False
    if param.required:
        return False
    if kind in READING:
        return True
    inner = any(each.name == param.name for each in item.params if each is not param)
    shown = [each.name for each in results.of_record(kind, item.spec, noun)]
    return not (inner or param.name in shown)  # the record has it: it is a value after all


def overruled(param: Param, item: Operation) -> bool:
    """Whether a body's member stands in the query too, which wins."""
    rest = item.spec.rest
    return rest is not None and len(param.path) > 1 and param.name in rest.query_parameters


def same_values(param: Param, item: Operation, resource: Resource) -> str:
    """The field of the results that takes just the values of a filter; empty without one."""
    values = param.enum or (param.items.enum if param.items is not None else ())
    if item.spec.rest is None or len(values) < 2:
        return ""
    shown = results.of_record("list", item.spec, resource.noun)
    same = [each.name for each in shown if set(each.enum) == set(values)]
    return snake(same[0]) if len(same) == 1 else ""
