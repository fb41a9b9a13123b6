"""Roles: what each parameter of an operation is, given its kind and its resource."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from attrs import evolve

from compoworld_synth import alternatives, lexicon, periods, rest_roles, switches
from compoworld_synth.design import ParamDesign, Role
from compoworld_synth.filter_roles import filter_role, structured
from compoworld_synth.keys import either, key_stem
from compoworld_synth.kinds.plan import LISTING, READING, WRITING, Plan
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import joined, snake, words
from compoworld_synth.operations import Operation
from compoworld_synth.resources import Catalogue, Resource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compoworld_synth.schemas import Param

_PLAIN: Final[tuple[tuple[frozenset[str], Role], ...]] = (
    (lexicon.CONTROL | lexicon.PROJECTION, "projection"),
    (lexicon.CONFIRM, "confirm"),
)
_PAGED: Final[tuple[tuple[frozenset[str], Role], ...]] = (
    (lexicon.LIMITS, "limit"),
    (lexicon.PAGES, "page"),
    (lexicon.OFFSETS, "offset"),
    (lexicon.SORTS, "sort"),
    (lexicon.ORDERS, "order"),
)


def field_name(
    param: Param, catalogue: Catalogue, container: str | None, inside: Sequence[str] = ()
) -> tuple[str, str | None]:
    """Canonical field and referred entity of a parameter: `projectId` → project_id, project."""
    referred = catalogue.referred(param, None, inside)
    name = snake(param.name)
    if container is not None and key_stem(param) == ():
        return f"{container}_id", container
    whole = _said(param, catalogue) if key_stem(param) == () and inside else None
    if whole is not None and whole.noun != tuple(inside):
        return f"{whole.name}_id", whole.name
    if referred is None or param.kind == "arr":
        return name, referred.name if referred is not None else None
    stem = key_stem(param) or ()
    if not stem:
        return name, referred.name
    if stem[-1] == "public" and referred.noun[-1] != "public":
        stem = stem[:-1]
    return f"{'_'.join(stem)}_id", referred.name


_WHOSE: Final = re.compile(
    r"^\W*(?:(?:the|a|unique|numeric) )*(?P<noun>[A-Za-z]+(?: [A-Za-z]+)?)(?:'s)?"
    r" (?:ID|UUID|identifier)\b"
)


def _said(param: Param, catalogue: Catalogue) -> Resource | None:
    """The resource that the description of a bare `id` names: "Contact ID"."""
    found = _WHOSE.match(param.description)
    if found is None:
        return None
    return catalogue.find(tuple(words(found["noun"])))


def assign(
    item: Operation, plan: Plan, catalogue: Catalogue, resource: Resource
) -> tuple[ParamDesign, ...]:
    """Each parameter with its role; what the key is was settled before."""
    if plan.pair is not None:
        return _paired(item, plan, catalogue)
    found = [_assign_one(param, item, plan, catalogue, resource) for param in item.params]
    if plan.kind == "batch_create" and plan.many is not None and plan.many.items is not None:
        inner = plan.many.items.properties
        found += [_assign_one(each, item, plan, catalogue, resource) for each in inner]
    if plan.kind == "search" and not any(each.role == "query" for each in found):
        texts = [
            n
            for n, each in enumerate(found)
            if each.role == "filter" and each.param.required and each.param.kind == "str"
            and not each.param.enum and each.param.name not in catalogue.scope
        ]  # fmt: skip
        if len(texts) == 1:
            found[texts[0]] = ParamDesign(found[texts[0]].param, "query", why="what is sought")
    if plan.kind == "update":
        found = _unprefixed(found, resource)
    if plan.kind in ("get", "delete") and (two := either(item, resource.noun)) is not None:
        alias = ParamDesign(two[1], "alias", words(two[1].name)[-1], resource.name)
        found = [alias if each.param is two[1] else each for each in found]
    return tuple(_also(each) for each in _either(found))


def _also(each: ParamDesign) -> ParamDesign:
    """The parameter with what else may name its record."""
    if each.role not in ("id", "ref", "filter", "field") or each.comparison != "eq":
        return each
    other = alternatives.of(each.param)
    keyed = each.role in ("id", "ref") or key_stem(each.param) is not None
    return evolve(each, also=other) if other and keyed else each


def _unprefixed(found: list[ParamDesign], resource: Resource) -> list[ParamDesign]:
    """`attributeName, attributeKind` of an update where a create has name and kind."""
    fields = [each for each in found if each.role == "field" and not each.place]
    fronts = {words(each.param.name)[0] for each in fields}
    single = any(len(words(each.param.name)) < 2 for each in fields)
    if len(fields) < 2 or len(fronts) != 1 or single:
        return found
    front = next(iter(fronts))
    known = {
        snake(param.name)
        for one in resource.operations
        if one.phrase.group == "create"
        for param in one.params
    }
    bare = {
        each.param.name: snake(each.param.name).removeprefix(f"{front}_") for each in fields
    }
    if sum(name in known for name in bare.values()) * 2 < len(fields) or front in known:
        return found
    return [
        evolve(each, field=bare[each.param.name]) if each in fields else each for each in found
    ]


_LOOKED_UP: Final = re.compile(
    r"\blook(ed|s)?.?up\b|\balternative to\b|\binstead of\b|\bresolved?\b|\bor use\b",
    re.IGNORECASE,
)
_NAMED: Final = frozenset({"key", "name", "slug", "code"})


def _either(found: list[ParamDesign]) -> tuple[ParamDesign, ...]:
    """Of two arguments for one record, `projectId` or `projectKey`, the second is an alias."""
    made = list(found)
    for n, each in enumerate(found):
        other = _alternative(each, found)
        if other is not None:
            made[n] = ParamDesign(
                each.param, "alias", snake(each.param.name), other.ref, why="another key of it"
            )
            continue
        last = words(each.param.name)[-1]
        sought = each.role == "field" and _LOOKED_UP.search(each.param.description)
        named = each.role == "ref" or (sought and len(words(each.param.name)) > 1)
        if not named or last not in _NAMED or each.param.kind != "str":
            continue
        twin = next(
            (o for o in found if o is not each and o.role in ("ref", "id", "field")
             and (o.ref == each.ref or sought) and o.param.kind != "arr"
             and words(o.param.name)[-1] == "id"),
            None,
        )  # fmt: skip
        if twin is not None and joined(words(twin.param.name)[:-1]) == joined(
            words(each.param.name)[:-1]
        ):
            made[n] = ParamDesign(each.param, "alias", last, twin.ref, why="another key of it")
    return tuple(made)


_OR_ELSE: Final = re.compile(r"\b(alternative to|instead of|or use|or) (?P<other>\w+)")


def _alternative(each: ParamDesign, found: list[ParamDesign]) -> ParamDesign | None:
    """The optional key in place of which `email` may be given: "alternative to email"."""
    name = each.param.name.lower()
    if each.role not in ("field", "filter") or name not in ("email", "username", "login"):
        return None
    for other in found:
        if other.role not in ("ref", "id") or other.param.required or each.param.required:
            continue
        for one, two in ((each, other), (other, each)):
            said = _OR_ELSE.search(one.param.description)
            if other.role == "ref" and other.param.name == "id" and each.role == "filter":
                return other  # what the list is of, by its id or its address
            if said is not None and said["other"].lower() == two.param.name.lower():
                return other
    return None


def _paired(item: Operation, plan: Plan, catalogue: Catalogue) -> tuple[ParamDesign, ...]:
    """The two keys of a membership; scope and control say nothing; the rest is kept with it."""
    pair = plan.pair
    assert pair is not None  # the caller's condition
    found = []
    for param in item.params:
        name = snake(param.name)
        if param.name == pair.left_param:
            found.append(ParamDesign(param, "ref", f"{pair.left}_id", pair.left))
        elif param.name == pair.right_param:
            found.append(ParamDesign(param, "ref", f"{pair.right}_id", pair.right))
        elif param.name in catalogue.scope:
            found.append(ParamDesign(param, "control", why="the scope of all tools"))
        else:
            role = _plain_role(param, name, plan.kind) or "field"
            made = switches.role(param, plan.kind) or ParamDesign(param, role, name)
            if switches.silent(param, plan.kind):
                made = ParamDesign(param, "control")
            found.append(made)
    return tuple(_also(each) for each in found)


def _assign_one(
    param: Param, item: Operation, plan: Plan, catalogue: Catalogue, resource: Resource
) -> ParamDesign:
    name, kind = snake(param.name), plan.kind
    key = plan.key or item.own
    if plan.many is not None and param is plan.many:
        role: Role = "items" if kind == "batch_create" else "ids"
        return ParamDesign(param, role, why="the records")
    if key is not None and param is key and (plan.key is not None or kind not in LISTING):
        return ParamDesign(param, "id", why="the key of the record")
    name_above = rest_roles.above(param, item, kind)
    if name_above is not None:
        return name_above
    if rest_roles.out_of_date(param, item, kind, resource):
        return ParamDesign(param, "refused" if kind == "list" else "control", why="deprecated")
    if rest_roles.chosen_key(param, item, kind, resource):
        return ParamDesign(param, "id", why="the key that its creator chooses")
    if rest_roles.overruled(param, item):
        return ParamDesign(param, "control", why="the query says it")
    if param.name in catalogue.scope and re.fullmatch(r"user_(\w+_)?email", name):
        return ParamDesign(param, "control", why="the account that asks")
    if _is_mask(param, name, kind):
        return ParamDesign(param, "mask", why="the fields to be written")
    again = name in lexicon.TOKENS or (
        len(param.path) <= _SHALLOW and _AGAIN.search(param.description)
    )
    if kind == "create" and again and param.kind == "str" and key_stem(param) != ():
        return ParamDesign(param, "token", name, why="tells a repeated call")
    if item.spec.rest is not None and rest_roles.set_by_server(param, item, kind):
        return ParamDesign(param, "control", why="the server sets it")
    if switches.trial(param, kind):
        return ParamDesign(param, "trial", why="with it nothing is done")
    if switches.silent(param, kind):
        return ParamDesign(param, "control", why="nothing that anybody sees depends on it")
    switch = switches.role(param, kind)
    if switch is not None and (item.spec.rest is None or switch.role in ("select", "hidden")):
        return switch
    plain = _plain_role(param, name, kind)
    if plain is not None:
        return ParamDesign(param, plain)
    if kind == "permissions" and name == "permissions":
        return ParamDesign(param, "items", why="what is asked about")
    if param.name in catalogue.options and rest_roles.of_any_call(param, item, kind, resource):
        return ParamDesign(param, "control", why="an option of any call")
    if rest_roles.an_option(param, item, kind, resource.noun):
        return ParamDesign(param, "control", why="an option of the call")
    if kind in ("update", "copy") and name.startswith("new_") and len(name) > 4:
        name = name[4:]
        if param.kind in ("str", "int", "num", "bool") and not key_stem(param):
            return ParamDesign(param, "field", name)
    if kind == "get_by" and param.required and param.name not in catalogue.scope:
        return ParamDesign(param, "filter", name)
    field, ref = field_name(param, catalogue, item.container, resource.noun)
    above = rest_roles.collected(param, item, catalogue)
    if above is not None and above is not resource:
        ref = above.name
    free = kind == "list" and not param.required and param.name not in catalogue.scope
    if free and ref is None and (name in lexicon.EXPRESSIONS or structured(param)):
        return ParamDesign(param, "refused", why="a language of its own")
    if kind in LISTING:
        return filter_role(param, name, field, ref, resource, item)
    if ref is not None:
        return ParamDesign(param, "refs" if param.kind == "arr" else "ref", field, ref)
    if kind in ("update", "transition") and _is_place(param, item, catalogue, resource):
        return ParamDesign(param, "field", field, why="where the record lies", place=True)
    if param.kind == "obj" and _is_bag(param, resource):
        return ParamDesign(param, "bag", field)
    if kind in ("part_get", "part_update") and param.name in catalogue.scope:
        return ParamDesign(param, "control", why="the scope of all tools")
    if kind in ("get", "get_by", "current_get", "part_get", "batch_get", "delete"):
        return ParamDesign(param, "filter", field)
    return ParamDesign(param, "field", field)


_SHALLOW: Final = 2
"""Names on the way to a parameter of the body itself."""
_AGAIN: Final = re.compile(
    r"\bidempoten|\b(prevent|avoid)s? (duplicat|creating the same|repeated)", re.IGNORECASE
)


def _is_place(param: Param, item: Operation, catalogue: Catalogue, resource: Resource) -> bool:
    """Whether a change only says where the record lies: reads and deletes ask for it too."""
    if not param.required or param.kind not in ("str", "int", "num") or len(param.path) > 1:
        return False
    if param.name in catalogue.scope:
        return True
    others = [
        one
        for one in resource.operations
        if one.phrase.group in ("get", "delete") and one.own is not None and one is not item
    ]
    return bool(others) and all(
        any(each.name == param.name and each.required for each in one.params) for one in others
    )


def _is_mask(param: Param, name: str, kind: str) -> bool:
    """Whether it names the fields that an update writes."""
    if kind not in ("update", "part_update", "current_update") or name not in lexicon.MASKS:
        return False
    inner = param.items
    listed = param.kind == "arr" and (inner is None or inner.kind in ("str", "any"))
    said = re.search(r"updat|chang|modif|writ|mask", param.description, re.IGNORECASE)
    return (param.kind == "str" or listed) and (said is not None or name != "fields")


_SWITCHES: Final = (
    r"(all|refresh|enrich|recursive|force|use|show|return|skip|fetch|exclude|full|deep|expand"
    r"|paginate|auto|ignore|no|with|include|only_ids)(_|$)"
)
"""Booleans of reads that say how to answer, not which records."""


_ANSWERS: Final = r"(return|respond|echo|show)_"
"""Booleans of writes that say what to answer."""


def _plain_role(param: Param, name: str, kind: str) -> Role | None:
    """Roles that the name alone gives."""
    for names, role in _PLAIN:
        front = role == "projection" and re.match(r"(include|with|expand)_", name)
        answers = _RESPONSE.search(param.description) is not None
        if kind in WRITING and not answers and (front or name in switches.KEPT):
            continue  # a value of the record
        if name in names or front:
            stored = kind in WRITING and (
                name in _WRITABLE or (param.required and role == "projection")
            )
            if stored and role != "confirm":
                continue
            return role
    says_how = param.kind == "bool" and "access token" in param.description.lower()
    if says_how or re.fullmatch(r"if_(source_)?\w+_(not_)?match", name):
        return "control"
    if kind in READING and param.kind == "bool" and re.match(_SWITCHES, name):
        return "projection"
    if (
        kind in READING
        and name == "view"
        and any(str(v).endswith(("BASIC", "FULL")) for v in param.enum)
    ):
        return "projection"
    shown = re.match(_ANSWERS, name) and not (
        name.startswith("show_") and not _RESPONSE.search(param.description)
    )
    if kind in WRITING and param.kind == "bool" and shown:
        return "projection"
    if kind in WRITING and name in _PAGES_OF_WRITES:
        return "control"
    if kind in LISTING:
        for names, role in _PAGED:
            if name in names and (param.kind != "bool" or role == "order"):
                instant = _tells_time(param) or periods.bounds(param)
                if role in ("limit", "page", "offset") and instant:
                    break  # `start`: an instant, no place in a list
                return role
        if name in lexicon.CURSORS and not _tells_time(param):
            return "cursor"
    return None


_PAGES_OF_WRITES: Final = word_set("pagelen per_page page_size pagesize perpage max_results")
"""Pages of what a write answers, which is one record."""
_RESPONSE: Final = re.compile(r"\b(respon|return|result|output)", re.IGNORECASE)
_WRITABLE: Final = word_set(
    "fields properties format exclude profile select additional_fields extra_fields"
    " attributes columns custom_field_ids depth field"
)


def _tells_time(param: Param) -> bool:
    """Whether a text is a date or time by its format or description."""
    said = re.search(r"\b(dates?|timestamp|iso.?8601|rfc.?3339|date-?time|YYYY)\b|ISO",
                     param.description or "", re.IGNORECASE)  # fmt: skip
    return param.kind == "str" and (param.format in ("date", "date-time") or said is not None)


_BAGS: Final = word_set(
    "fields data input attributes properties update updates changes patch values"
)
"""How objects are called whose keys are fields of the record."""


def _is_bag(param: Param, resource: Resource) -> bool:
    """Whether an object's keys are fields of the record: `ticket_fields` of a ticket."""
    found = words(param.name)
    if found and found[-1] in _BAGS:
        named = ("", joined(resource.noun), joined(resource.noun[-1:]))
        return joined(found[:-1]) in named and found[0] != "custom"
    return joined(found) == joined(resource.noun)
