"""Memberships: two records joined or parted: `add_tag_to_task(task_id, tag_id)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from attrs import evolve

from compoworld_synth.design import OperationDesign
from compoworld_synth.keys import key_stem
from compoworld_synth.kinds.plan import Pair, Plan
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import is_plural, joined, words
from compoworld_synth.operations import Operation
from compoworld_synth.resources import Catalogue, Resource

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

_JOINING: Final = word_set("add assign attach link connect associate enroll invite insert")
_PARTING: Final = word_set(
    "remove unassign detach unlink disconnect dissociate untag unenroll delete"
)


def keys(item: Operation, catalogue: Catalogue) -> list[tuple[Param, Resource]]:
    """The required keys of records that the server knows, with these."""
    found = []
    for param in item.params:
        if not param.required or param.kind in ("arr", "obj", "bool", "union"):
            continue
        if is_plural(words(param.name)[-1]):
            continue  # `issue_keys`: several in one text
        target = catalogue.referred(param)
        if target is not None and (target.keyed or target.read):
            found.append((param, target))
    return found


def membership(item: Operation, catalogue: Catalogue) -> Plan | None:
    """Joining or parting of the records of exactly two required keys.

    What parts must have a counterpart that joins: else it deletes a record inside another.
    """
    plan = _membership(item, catalogue)
    if plan is None or item.phrase.verb in _JOINING:
        return plan
    mine = {target.name for _, target in _two(item, catalogue)}
    for other in catalogue.operations:
        if other.phrase.verb in _JOINING:
            theirs = {target.name for _, target in _two(other, catalogue)}
            if theirs == mine and _membership(other, catalogue) is not None:
                return plan
    return None


def _two(item: Operation, catalogue: Catalogue) -> list[tuple[Param, Resource]]:
    """The keys that may be the two ends; a scope is none, unless there is no other."""
    found = keys(item, catalogue)
    free = [(p, r) for p, r in found if p.name not in catalogue.scope]
    return free if len(free) == 2 else found


def _membership(item: Operation, catalogue: Catalogue) -> Plan | None:
    verb = item.phrase.verb
    joins, parts = verb in _JOINING, verb in _PARTING
    if not (joins or parts) or item.phrase.batch:
        return None
    found = _two(item, catalogue)
    if len(found) != 2 or found[0][1] is found[1][1]:
        return None
    rest = [p for p in item.params if p.required and p not in (found[0][0], found[1][0])]
    if any(p.name not in catalogue.scope for p in rest):
        return None
    sided = _sides(item, found)
    if sided is None:
        return None
    (left_param, left), (right_param, right) = sided
    if _field_between(catalogue, left, right):
        return _field_plan(catalogue, found, joins)
    noun = "_".join((*left.noun, *right.noun[-1:]))
    pair = Pair(left.name, right.name, left_param.name, right_param.name, noun)
    what = f"{'joins' if joins else 'parts'} a {left.name} and a {right.name}"
    return Plan("link_add" if joins else "link_remove", (what,), pair=pair)


def _sides(
    item: Operation, found: list[tuple[Param, Resource]]
) -> tuple[tuple[Param, Resource], tuple[Param, Resource]] | None:
    """(owner, member): the noun is the member, or begins with the owner's."""
    noun = item.phrase.noun
    spoken = [joined(words) for _, words in item.phrase.modifiers if words]
    one, two = found
    for owner, member in ((one, two), (two, one)):
        names = {joined(member[1].noun), joined(member[1].noun[-1:])}
        owners = {joined(owner[1].noun), joined(owner[1].noun[-1:])}
        if joined(noun) in names and (not spoken or owners & set(spoken)):
            return owner, member
        front, rest = noun[: len(owner[1].noun)], noun[len(owner[1].noun) :]
        member_like = joined(rest) in names | {"member", "membership"}
        if rest and joined(front) == joined(owner[1].noun) and member_like:
            return owner, member
    return None


def _field_plan(
    catalogue: Catalogue, found: list[tuple[Param, Resource]], joins: bool
) -> Plan | None:
    """The change of the field that holds the other's key, where a plain field holds it."""
    for mine, other in ((found[0], found[1]), (found[1], found[0])):
        field = _field_of(catalogue, mine[1], other[1])
        if field is None or field.kind == "arr":
            continue
        name = f"{'_'.join(key_stem(field) or ()) or other[1].name}_id"
        if joins:
            why = (f"sets the {other[1].name} of a {mine[1].name}",)
            return Plan("update", why, key=mine[0])
        why = (f"empties {name} of a {mine[1].name}",)
        return Plan("transition", why, ((name, None),), key=mine[0])
    return None


def _field_of(catalogue: Catalogue, mine: Resource, other: Resource) -> Param | None:
    """The parameter by which creates and updates of the one write the key of the other."""
    for item in mine.operations:
        if item.phrase.group in ("create", "update") and not _joins(item, mine, catalogue):
            for param in item.params:
                writes = param is not item.own and param.name not in catalogue.scope
                if writes and catalogue.referred(param) is other and _plainly(param, other):
                    return param
    return None


def _plainly(param: Param, other: Resource) -> bool:
    """Whether the parameter is called after the record, not after a role: no `lead_id`."""
    stem = joined(key_stem(param) or words(param.name))
    return stem in (joined(other.noun), joined(other.noun[-1:]))


def _joins(item: Operation, mine: Resource, catalogue: Catalogue) -> bool:
    """Whether it joins a record that exists: the keys of both are asked for."""
    return item.phrase.verb in _JOINING and any(
        target is mine for _, target in keys(item, catalogue)
    )


def _field_between(catalogue: Catalogue, left: Resource, right: Resource) -> bool:
    """Whether a create or update of one takes the key of the other: then it is a field."""
    return bool(_field_of(catalogue, left, right) or _field_of(catalogue, right, left))


def linked(
    done: OperationDesign, judged: Sequence[OperationDesign], catalogue: Catalogue
) -> OperationDesign:
    """A list of one owner's members, read from the memberships that others join.

    `list_task_tags(task_id)` and `get_tags_for_task(task_id)` where tags are added to tasks.
    """
    if done.kind != "list":
        return done
    owners = [p for p in done.of("ref") if p.param.required]
    others = [
        p for p in done.of("filter", "query", "sort", "order", "refs") if p.param.required
    ]
    if len(owners) != 1 or others:
        return done
    believed = {one.link for one in judged if one.deterministic and one.kind == "link_add"}
    for name, pair in catalogue.pairs.items():
        sides = ((pair.left, pair.right), (pair.right, pair.left))
        for owner, member in sides:
            named = done.entity in (member, name) or (
                done.entity == f"{owner}_member" and owner == pair.left
            )
            if name in believed and owners[0].ref == owner and named:
                keep = ("ref", "limit", "cursor", "offset", "page", "control", "projection")
                params = tuple(
                    evolve(p, role="id") if p is owners[0] else p
                    for p in done.params
                    if p.role in keep
                )
                if len(params) < len(done.params):
                    return done  # a filter over members: no template
                evidence = (*done.evidence, f"reads which {member} records are joined")
                return evolve(
                    done, kind="link_list", entity=member, link=name, params=params,
                    evidence=evidence,
                )  # fmt: skip
    return done
