"""Analysis: a listing judged by rules, operation by operation, into designs.

Names are parsed, resources found, roles and kinds given, doubts collected, grades set; then the
entities get their fields and the tools are cut into services.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from attrs import evolve

from compoworld_synth import entities, lexicon
from compoworld_synth.cut import pieces
from compoworld_synth.design import Design, Grade, OperationDesign, ToolDesign, Veto
from compoworld_synth.kinds import RULES, Plan
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import common_prefix, joined, snake, strip_prefix, words
from compoworld_synth.operations import Operation, read_name
from compoworld_synth.resources import Catalogue, Resource, build
from compoworld_synth.rest import phrase_of
from compoworld_synth.roles import assign
from compoworld_synth.schemas import Param, normalise
from compoworld_synth.vetoes import doubts

if TYPE_CHECKING:
    from compoworld_synth.listing import Listing, ToolSpec

_WRAPPERS: Final = word_set(
    "data body params path request fields input args arguments payload query_params parameters"
    " attributes options query"
)
_SOFT: Final = 2
"""So many soft doubts leave grade B; more leave none."""


def designs(listing: Listing) -> tuple[Design, ...]:
    """The designs of a listing; see :func:`compoworld_synth.design.analyse`."""
    operations = read_operations(listing.tools)
    catalogue = build(operations)
    judged = [judge(item, catalogue) for item in operations]
    judged = [_settled(item, judged) for item in judged]
    functions = _functions([item.spec for item in operations])
    tools = [
        _tool(item, done, name)
        for item, done, name in zip(operations, judged, functions, strict=True)
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
        found.append(Operation(tool, unwrapped(normalise(tool), phrase.noun), phrase))
    return found


def _prefix(names: list[str], depth: int) -> tuple[str, ...]:
    heads: dict[tuple[str, ...], int] = {}
    for name in names:
        head = words(name)[:depth]
        heads[head] = heads.get(head, 0) + 1
    return max(heads, key=lambda head: heads[head]) if heads and depth else ()


def unwrapped(params: tuple[Param, ...], noun: tuple[str, ...]) -> tuple[Param, ...]:
    """The parameters with the properties of wrapper objects in the wrappers' place."""
    found: list[Param] = []
    for param in params:
        spoken = words(param.name)
        opens = param.kind == "obj" and bool(param.properties)
        named = (
            snake(param.name) in _WRAPPERS
            or spoken[-1:] in (("data",), ("fields",), ("input",))
            or joined(spoken) == joined(noun)
            or len(params) == 1
        )
        if opens and named:
            inner = [
                evolve(each, required=each.required and param.required)
                for each in param.properties
            ]
            found.extend(unwrapped(tuple(inner), noun))
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
    resource = next(
        (one for one in catalogue.resources.values() if one.name == item.resource), None
    )
    if resource is None:
        return _simulated(item, "no_entity", f"no rule for {phrase.verb!r}")
    for rule in RULES:
        plan = rule(item, resource, catalogue)
        if plan is not None:
            return _planned(item, plan, resource, catalogue)
    return _simulated(item, "no_kind", f"{phrase.verb!r} without what its kind needs")


def _planned(
    item: Operation, plan: Plan, resource: Resource, catalogue: Catalogue
) -> OperationDesign:
    params = assign(item, plan.kind, catalogue, resource)
    vetoes = doubts(item, plan, params, resource, catalogue)
    hard = any(veto.hard for veto in vetoes)
    grade: Grade = "A"
    if vetoes:
        grade = "none" if hard or len(vetoes) > _SOFT else "B"
    return OperationDesign(
        None,
        item.phrase.verb,
        plan.kind if grade != "none" else "simulated",
        resource.name,
        params,
        sets=plan.sets if grade != "none" else (),
        evidence=(*plan.evidence, *item.notes),
        vetoes=vetoes,
        grade=grade,
    )


def _simulated(item: Operation, name: str, why: str) -> OperationDesign:
    verb = item.phrase.verb
    return OperationDesign(
        None, verb, "simulated", item.resource, vetoes=(Veto(name, True, why),)
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


def _tool(item: Operation, done: OperationDesign, name: str) -> ToolDesign:
    kind: Literal["deterministic", "simulated"]
    kind = "deterministic" if done.deterministic else "simulated"
    why = done.evidence[0] if done.deterministic else done.vetoes[0].why
    return ToolDesign(item.spec, name, (done,), kind, why, done.grade)
