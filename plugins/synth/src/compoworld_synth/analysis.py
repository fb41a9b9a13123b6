"""Analysis: a listing judged by rules, operation by operation, into designs.

Names are parsed, resources found, roles and kinds given, doubts collected, grades set; then the
entities get their fields and the tools are cut into services.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import evolve

from compoworld_synth import entities, lexicon, references, results, siblings
from compoworld_synth.actions import split
from compoworld_synth.cut import pieces
from compoworld_synth.design import Design, Grade, OperationDesign, ToolDesign, Veto
from compoworld_synth.keys import key_stem
from compoworld_synth.kinds import RULES
from compoworld_synth.kinds.memberships import linked, membership
from compoworld_synth.kinds.plan import LISTING, Plan
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import common_prefix, joined, singular, snake, strip_prefix, words
from compoworld_synth.operations import Operation, Phrase, read_name
from compoworld_synth.resources import Catalogue, Resource, build
from compoworld_synth.rest import phrase_of
from compoworld_synth.roles import assign
from compoworld_synth.schemas import Param, normalise
from compoworld_synth.vetoes import doubts
from compoworld_synth.vetoes.case import Case
from compoworld_synth.vetoes.known import grounded

if TYPE_CHECKING:
    from compoworld_synth.listing import Listing, ToolSpec

_WRAPPERS: Final = word_set(
    "data body params path request fields input args arguments payload query_params parameters"
    " attributes options query update updates changes patch"
)
_SOFT: Final = 2
"""So many soft doubts leave grade B; more leave none."""


def designs(listing: Listing) -> tuple[Design, ...]:
    """The designs of a listing; see :func:`compoworld_synth.design.analyse`."""
    operations = [one for item in read_operations(listing.tools) for one in split(item)]
    catalogue = build(operations)
    judged = [judge(item, catalogue) for item in operations]
    judged = [linked(item, judged, catalogue) for item in judged]
    judged = grounded(operations, judged, catalogue)
    judged = references.unified([_settled(item, judged) for item in judged])
    done: dict[str, list[OperationDesign]] = {}
    for item, design in zip(operations, judged, strict=True):
        done.setdefault(item.spec.name, []).append(design)
    functions = _functions(list(listing.tools))
    tools = [
        _tool(spec, done[spec.name], name)
        for spec, name in zip(listing.tools, functions, strict=True)
    ]
    return tuple(
        entities.complete(piece, listing, catalogue) for piece in pieces(tools, listing.server)
    )


def read_operations(tools: tuple[ToolSpec, ...]) -> list[Operation]:
    """Each tool's name and parameters, read."""
    names = [tool.name for tool in tools]
    depth = common_prefix(names)
    prefix = _prefix(names, depth)
    found = []
    for tool in tools:
        stated = phrase_of(tool.rest) if tool.rest is not None else None
        phrase = stated or read_name(strip_prefix(tool.name, prefix))
        params = unwrapped(normalise(tool), phrase.noun, plain=tool.rest is not None)
        if stated is None and phrase.trailing in ("record", "object") and phrase.noun:
            _restore(phrase, params)
        found.append(Operation(tool, params, phrase))
    siblings.fill(found)
    _keep_qualifiers(found)
    named = {item.phrase.noun for item in found}
    for item in found:  # one family, one noun: `list_domain_records` beside `get_domain_record`
        whole = (*item.phrase.noun, singular(item.phrase.trailing))
        if item.phrase.trailing in _RESTORED and whole in named:
            item.phrase.noun, item.phrase.trailing = whole, ""
    return found


_RELATIVE: Final = word_set("my own current latest recent next past top upcoming")
"""Qualifiers that name no kind of record of their own."""


def _keep_qualifiers(found: list[Operation]) -> None:
    """`scheduled_transaction` is an entity where tools make and read what is so called."""
    groups: dict[tuple[str, ...], set[str]] = {}
    for item in found:
        front = item.phrase.qualifiers[-1:]
        if front and front[0] in lexicon.IMPLIED - _RELATIVE:
            groups.setdefault((*front, *item.phrase.noun), set()).add(item.phrase.group)
    for item in found:
        whole = (*item.phrase.qualifiers[-1:], *item.phrase.noun)
        seen = groups.get(whole, set())
        written = seen & {"create", "update", "delete"} and seen & {"get", "list", "search"}
        if written and len(whole) > len(item.phrase.noun):
            item.phrase.noun = whole
            item.phrase.qualifiers = item.phrase.qualifiers[:-1]


_RESTORED: Final = frozenset({"record", "records", "object", "objects"})


def _restore(phrase: Phrase, params: tuple[Param, ...]) -> None:
    """Give `record` back to the noun where a parameter takes the key of one."""
    if any((key_stem(param) or ())[-1:] == (phrase.trailing,) for param in params):
        phrase.noun, phrase.trailing = (*phrase.noun, phrase.trailing), ""


def _prefix(names: list[str], depth: int) -> tuple[str, ...]:
    heads: dict[tuple[str, ...], int] = {}
    for name in names:
        head = words(name)[:depth]
        heads[head] = heads.get(head, 0) + 1
    return max(heads, key=lambda head: heads[head]) if heads and depth else ()


_SENT: Final = word_set("post patch put dto request payload body create update")
"""Last words of what a record is called as it is sent: `VariationPost`."""


def unwrapped(
    params: tuple[Param, ...], noun: tuple[str, ...], *, plain: bool = False
) -> tuple[Param, ...]:
    """The parameters with the properties of wrapper objects in the wrappers' place.

    Args:
        noun: what an operation is about: an object of that name is a wrapper.
        plain: of a REST source, where below the body only an object of that name is one.
    """
    found: list[Param] = []
    for param in params:
        spoken = words(param.name)
        opens = param.kind == "obj" and bool(param.properties)
        named = (
            snake(param.name) in _WRAPPERS
            or spoken[-1:] in (("data",), ("fields",), ("input",))
            or any(joined(spoken) == joined(noun[at:]) for at in range(len(noun)))
            or (
                spoken[-1:][0] in _SENT
                and joined(spoken[:-1]).endswith(joined(noun[-1:]))
                and bool(noun)
            )
            or (len(params) == 1 and not any(key_stem(each) == () for each in param.properties))
        )
        if plain and len(param.path) > 1:
            named = joined(spoken) == joined(noun)
        if opens and named:
            inner = [
                evolve(each, required=each.required and param.required)
                for each in param.properties
            ]
            found.extend(unwrapped(tuple(inner), noun, plain=plain))
        else:
            found.append(param)
    return tuple(found)


def judge(item: Operation, catalogue: Catalogue) -> OperationDesign:
    """The operation's kind with evidence and doubts."""
    phrase = item.phrase
    if not phrase.noun or not phrase.group:
        return _simulated(item, "no_verb", "the name has no verb that the rules know")
    if phrase.group == "compute":
        return _simulated(item, "computing", f"{phrase.verb!r} works something out")
    plan = membership(item, catalogue)
    if plan is not None:
        member = _changed(plan, catalogue)
        if member is not None:
            return _planned(item, plan, member, catalogue)
    resource = catalogue.named(item.resource or "")
    if resource is None:
        return _simulated(item, "no_entity", f"no rule for {phrase.verb!r}")
    for rule in RULES:
        plan = rule(item, resource, catalogue)
        if plan is not None:
            return _planned(item, plan, resource, catalogue)
    return _simulated(item, "no_kind", f"{phrase.verb!r} without what its kind needs")


def _changed(plan: Plan, catalogue: Catalogue) -> Resource | None:
    """The resource that a joining or parting is about: the member, or whose field it writes."""
    if plan.pair is not None:
        return catalogue.named(plan.pair.right)
    return catalogue.referred(plan.key) if plan.key is not None else None


def _planned(
    item: Operation, plan: Plan, resource: Resource, catalogue: Catalogue
) -> OperationDesign:
    params = assign(item, plan, catalogue, resource)
    if plan.pair is not None:
        catalogue.pairs.setdefault(plan.pair.name, plan.pair)
    vetoes = doubts(Case(item, plan, params, resource, catalogue))
    hard = any(veto.hard for veto in vetoes)
    grade: Grade = "A"
    if vetoes:
        grade = "none" if hard or len(vetoes) > _SOFT else "B"
    return OperationDesign(
        item.action,
        item.phrase.verb,
        plan.kind if grade != "none" else "simulated",
        resource.name,
        params,
        item.action_param,
        sets=plan.sets if grade != "none" else (),
        link=plan.pair.name if plan.pair is not None else None,
        owner=plan.owner,
        replaces=plan.replaces,
        shape=results.shape(item.spec, resource.noun) if plan.kind in LISTING else ("", ""),
        evidence=(*plan.evidence, *item.notes),
        vetoes=vetoes,
        grade=grade,
    )


def _simulated(item: Operation, name: str, why: str) -> OperationDesign:
    verb = item.phrase.verb
    return OperationDesign(
        item.action,
        verb,
        "simulated",
        item.resource,
        action_param=item.action_param,
        vetoes=(Veto(name, True, why),),
    )


def _settled(item: OperationDesign, judged: list[OperationDesign]) -> OperationDesign:
    """Simulate what depends on operations that turned out to be simulated.

    Updates, deletes and transitions of records that no deterministic operation makes or shows
    would change what nobody can see.
    """
    if item.kind not in ("update", "delete", "transition"):
        return item
    seen = {"get", "list", "search", "create"}
    if any(one.entity == item.entity and one.kind in seen for one in judged):
        return item
    veto = Veto("unseen", True, f"nothing else makes or shows a {item.entity}")
    return evolve(item, kind="simulated", grade="none", sets=(), vetoes=(veto, *item.vetoes))


def _functions(specs: list[ToolSpec]) -> list[str]:
    """Unique identifiers for the functions."""
    taken: set[str] = set()
    found = []
    for spec in specs:
        name = made = snake(spec.name)
        number = 2
        while made in taken or made in lexicon.RESERVED_FUNCTIONS:
            made, number = f"{name}_{number}", number + 1
        taken.add(made)
        found.append(made)
    return found


def _tool(spec: ToolSpec, done: list[OperationDesign], name: str) -> ToolDesign:
    """Deterministic only if all its operations are; its grade is the worst of theirs."""
    wrong = next((one for one in done if not one.deterministic), None)
    if wrong is not None:
        action = "" if wrong.action is None else f"{str(wrong.action)[:40]}: "
        return ToolDesign(spec, name, tuple(done), "simulated", action + wrong.vetoes[0].why)
    grade: Grade = "A" if all(one.grade == "A" for one in done) else "B"
    return ToolDesign(spec, name, tuple(done), "deterministic", done[0].evidence[0], grade)
