"""Vetoes: named reasons not to believe a plan, each a small function over one operation."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from compoworld_synth import lexicon
from compoworld_synth.design import ParamDesign, Veto
from compoworld_synth.keys import key_stem
from compoworld_synth.kinds.plan import LISTING, READING, Plan
from compoworld_synth.naming import joined, snake
from compoworld_synth.operations import Operation
from compoworld_synth.resources import Catalogue, Resource
from compoworld_synth.rest import key_of
from compoworld_synth.roles import structured
from compoworld_synth.second import opinion
from compoworld_synth.vetoes import wording

Params = tuple[ParamDesign, ...]
Check = Callable[[Operation, Plan, Params, Resource, Catalogue], Veto | None]

_QUERY_LANGUAGE: Final = re.compile(
    r"\b(jql|soql|sosl|kql|cql|promql|logql|sql|graphql|lucene|odata|regex|regular expression"
    r"|glob|wildcards?|query syntax|search syntax|query language|query string syntax"
    r"|filter syntax"
    r"|filter expression|selectors?|search operators?|field:value|json.?path"
    r"|operators? like|semantic"
    r"|natural language|fuzzy|jmespath|boolean operators|dsl"
    r"|formulas?)\b|\w+:\w+ AND |[a-z_]+:['\"<>]",
    re.IGNORECASE,
)
_ACTIONS: Final = frozenset({"action", "operation", "command", "method", "mode", "op"})
_OUTSIDE: Final = re.compile(
    r"\b(the web(?! ?(app|site|hook|page))|internet|online|semantic(ally)?|vector|ai-powered"
    r"|using ai|machine learning"
    r"|real-?time|relevance|trigger(s|ed)?|asynchronous|aggregated?|calculated?|deprecated)\b",
    re.IGNORECASE,
)
_PREVIEW: Final = re.compile(
    r"\b(preview(s|ed)? (first|before|the change)|two-step|confirm(ed)?[ =:]+true|dry.?run"
    r"|without confirm|preview and confirm|confirmation.token)",
    re.IGNORECASE,
)


def _scopes(each: ParamDesign, resource: Resource) -> bool:
    """Whether making or listing such records asks for the same key: they lie in its scope."""
    if each.role != "filter" or each.param.kind not in ("str", "int", "num"):
        return False
    if each.param.enum or key_stem(each.param) == ():
        return False
    return any(
        one.phrase.group in ("create", "list", "upsert") or one.phrase.plural
        for one in resource.operations
        if any(p.name == each.param.name and p.required for p in one.params)
    )


def no_arguments_explain(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """A required argument of a get or delete that is neither key nor reference nor scope."""
    if plan.kind not in ("get", "delete", "part_get", "batch_get", "batch_delete"):
        return None
    for each in params:
        if each.param.required and each.role in ("filter", "field", "bag", "items", "query"):
            if each.param.name in catalogue.scope or _scopes(each, resource):
                continue
            if item.spec.rest is not None and each.param.name in item.spec.rest.path_parameters:
                continue  # the path says what it is: where the record lies
            return Veto("unexplained", True, f"nothing explains the required {each.param.name}")
    return None


def several_keys(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """A record that an optional second key or selector may address."""
    if plan.kind not in ("get", "current_get", "part_get", "batch_get", "delete"):
        return None
    for each in params:
        if not each.param.required and each.role in ("filter", "field", "bag", "ref"):
            return Veto("option", False, f"the effect of {each.param.name} is not known")
    return None


def computing(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """The description works something out or contradicts the name."""
    if item.action is not None:
        return Veto("second_reading", False, "one description for several actions")
    said = opinion(item.spec.description, plan.kind, resource.noun)
    if said.contradicts:
        return Veto("second_reading", True, said.why)
    return None if said.agrees else Veto("second_reading", False, said.why)


def outside(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """The first words of the description speak of what no table holds."""
    found = _OUTSIDE.search(item.text[:160])
    return Veto("outside", True, f"the description says {found[0]!r}") if found else None


def report_noun(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """A read of statistics, prices, logs: derived from more than one record."""
    reads = plan.kind in READING
    named = {*item.phrase.noun[-1:], item.phrase.trailing}
    if reads and lexicon.DERIVED & {*item.phrase.noun}:
        return Veto("report", True, f"a {resource.name} is worked out, not kept")
    if reads and (named & lexicon.REPORT) and not resource.written:
        kept = plan.kind == "list" and named - {""} <= lexicon.KEPT_IN_LISTS
        mine = joined(key_stem(item.own) or ()) if item.own is not None else ""
        known = named - {""} <= lexicon.KEPT_IN_LISTS | {"log"}
        own = plan.kind == "get" and known and mine == joined(resource.noun)
        hard = not (kept or own)
        return Veto("report", hard, f"a {resource.name} is worked out, not kept")
    return None


def query_language(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """A query or filter in a language of its own."""
    if plan.kind not in LISTING:
        return None
    texts = [
        each.param.description or "" for each in params if each.role in ("query", "filter")
    ]
    asks = plan.kind == "search" or any(each.role == "query" for each in params)
    if asks:
        texts.append(item.text[:400])
    if any(_QUERY_LANGUAGE.search(text) for text in texts):
        return Veto("query_language", True, "the query has a syntax of its own")
    filters = [each.param for each in params if each.role == "filter"]
    if any(snake(param.name) in lexicon.EXPRESSIONS for param in filters):
        return Veto("query_language", True, "a filter is an expression")
    if any(structured(param) for param in filters):
        return Veto("query_language", True, "a filter is a structure")
    if any(each.role == "refused" for each in params):
        return Veto("expression", False, "its filter expressions are refused")
    return None


def hints(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """The annotation says the opposite of the name."""
    said = item.spec.annotations.read_only
    reads = plan.kind in READING
    if item.action is not None and reads:
        return None  # another action of the tool may write
    if said is not None and said != reads:
        return Veto("hint", True, f"readOnlyHint is {str(said).lower()}")
    return None


_CONFIRMED: Final = frozenset({
    "create", "update", "transition", "delete", "batch_delete", "batch_update", "link_add",
    "link_remove",
})  # fmt: skip


def preview(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """A write that first only shows what it would do."""
    writes = plan.kind not in READING
    asked = [each for each in params if each.role == "confirm"]
    if not writes or not (asked or _PREVIEW.search(item.text)):
        return None
    plain = len(asked) == 1 and asked[0].param.kind == "bool" and plan.kind in _CONFIRMED
    if plain and not re.search(r"token|two-step|dry.?run", item.text, re.IGNORECASE):
        return None  # one yes: the template does nothing without it
    return Veto("preview", True, "it may only preview the change")


def one_thing_two_names(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """A noun only read or only written, beside a longer or shorter one that has the rest."""
    if resource.written and resource.read:
        return None
    for other in catalogue.ending(resource.noun[-1:]):
        if other is resource:
            continue
        longer, shorter = sorted(
            (joined(other.noun), joined(resource.noun)), key=len, reverse=True
        )
        if longer.endswith(shorter):
            apart = resource.read and other.read  # the server itself tells them apart
            return Veto("two_names", not apart, f"perhaps the same as {other.name}")
    return None


def technical(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """A filter that no stored field answers."""
    if plan.kind not in LISTING and plan.kind != "get":
        return None
    for each in params:
        if each.role == "filter" and (each.field or "") in lexicon.TECHNICAL:
            hard = each.param.required
            return Veto(
                "technical", hard, f"{each.param.name} is no property of a {resource.name}"
            )
    return None


def action_switch(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """An action parameter: several operations in one tool."""
    for each in params if item.action is None else ():
        if (
            each.param.name.lower() in _ACTIONS
            and (plan.kind != "list" or each.param.required)
            and len(each.param.enum) > 1
        ):
            return Veto("actions", True, "one tool for several operations")
    return None


def implied_filter(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """`list_my_tasks`, `get_upcoming_events`: a filter without a parameter."""
    found = [word for word in item.phrase.qualifiers if word in lexicon.IMPLIED]
    if plan.kind in ("list", "search") and found:
        return Veto("implied_filter", True, f"{found[0]!r} selects by something unstated")
    if plan.kind == "create" and found:
        return Veto("implied_value", False, f"{found[0]!r} sets something unstated")
    return None


def unknown_modifier(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """`for project` without a parameter for the project."""
    for preposition, modifier in item.phrase.modifiers:
        spoken = joined(modifier)
        taken = any(
            bool(
                spoken and spoken.rstrip("s") in joined((each.field or name).split("_")).lower()
            )
            or joined((name,)).lower() in spoken
            for each in params
            for name in (each.param.name,)
        )
        if not taken and modifier and modifier[-1] not in ("id", "ids", "key", "name", "uuid"):
            hard = preposition not in ("for", "of", "in", "to", "from")
            return Veto("modifier", hard, f"nothing says which {' '.join(modifier)}")
    return None


_ALONE: Final = frozenset({
    "list", "create", "current_get", "get_or_list", "part_get", "link_add", "link_remove",
    "upload",
})  # fmt: skip


def name_shape(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """A verb in the middle of the name, or a create-less, list-less noun of one tool."""
    if any("names nothing else" in note for note in item.notes):
        return Veto("foreign_key", False, "its key has the name of something else")
    if item.phrase.position == "middle":
        return Veto("middle_verb", False, "the verb is in the middle of the name")
    if plan.doubt:
        return Veto("doubt", False, plan.doubt)
    if len(resource.operations) == 1 and plan.kind not in _ALONE:
        hard = plan.kind not in ("get", "batch_get", "count")
        return Veto("lonely", hard, f"no other tool knows a {resource.name}")
    if plan.kind == "search" and not any(
        each.role in ("query", "filter", "ref") for each in params
    ):
        return Veto("lonely", True, "a search without anything to search for")
    return None


def nothing_written(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """An update that gives only keys: it changes what they name, not this record."""
    if plan.kind != "update" or item.phrase.group == "move" or plan.key is not None:
        return None
    written = [e for e in params if e.role in ("field", "bag", "refs")]
    written += [e for e in params if e.role == "ref" and not e.param.required]
    written = [e for e in written if e.param.name not in catalogue.scope]
    return None if written else Veto("nothing_written", True, "it takes keys and no value")


def command(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """A command, request or action sent: its effect lies elsewhere."""
    odd = resource.noun[-1] in (
        "command",
        "action",
        "request",
        "query",
        "code",
        "cursor",
        "test",
    )
    makes = plan.kind in ("create", "update") and not resource.read
    return (
        Veto("command", True, f"a {resource.noun[-1]} acts elsewhere")
        if odd and makes
        else None
    )


def facet(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> Veto | None:
    """The key belongs to another entity: a part of it, not a record of its own."""
    if plan.kind not in ("get", "update", "delete", "transition") or item.own is None:
        return None
    if item.spec.rest is not None and key_of(item.spec.rest):
        return None  # the path has a collection of its own
    for start in range(1, len(resource.noun)):
        whole = catalogue.find(resource.noun[:start])
        bare = item.phrase.position == "middle" and key_stem(item.own) == ()
        if whole is not None and (bare or catalogue.referred(item.own) is whole):
            return Veto("facet", True, f"a part of a {whole.name}")
    return None


CHECKS: Final[tuple[Check, ...]] = (
    no_arguments_explain,
    several_keys,
    computing,
    outside,
    report_noun,
    query_language,
    hints,
    preview,
    one_thing_two_names,
    wording.loose_parent,
    wording.plural_create,
    technical,
    action_switch,
    implied_filter,
    unknown_modifier,
    name_shape,
    nothing_written,
    wording.either_key,
    wording.one_of_a_list,
    wording.alternate_keys,
    command,
    facet,
    wording.parting,
    wording.into_a_document,
    wording.renames_the_key,
    wording.several_in_a_text,
)


def doubts(
    item: Operation, plan: Plan, params: Params, resource: Resource, catalogue: Catalogue
) -> tuple[Veto, ...]:
    """All vetoes against a plan, the hard ones first."""
    found = [check(item, plan, params, resource, catalogue) for check in CHECKS]
    return tuple(sorted((veto for veto in found if veto), key=lambda veto: not veto.hard))
