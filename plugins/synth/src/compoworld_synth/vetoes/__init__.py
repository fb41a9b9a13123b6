"""Vetoes: named reasons not to believe a plan, each a small function over one operation."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from compoworld_synth import lexicon
from compoworld_synth.design import ParamDesign, Veto
from compoworld_synth.filter_roles import structured
from compoworld_synth.keys import key_stem
from compoworld_synth.kinds.plan import LISTING, READING
from compoworld_synth.naming import joined, snake
from compoworld_synth.resources import Resource
from compoworld_synth.rest import key_of
from compoworld_synth.second import opinion
from compoworld_synth.vetoes import answered, demands, effects, twins, wording
from compoworld_synth.vetoes.case import Case

Check = Callable[[Case], Veto | None]

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


def unexplained(case: Case) -> Veto | None:
    """A required argument of a get or delete that is neither key nor reference nor scope."""
    if case.plan.kind not in ("get", "delete", "part_get", "batch_get", "batch_delete"):
        return None
    for each in case.params:
        if each.param.required and each.role in ("filter", "field", "bag", "items", "query"):
            if each.param.name in case.catalogue.scope or _scopes(each, case.resource):
                continue
            rest = case.item.spec.rest
            if rest is not None and each.param.name in rest.path_parameters:
                continue  # the path says what it is: where the record lies
            return Veto("unexplained", True, f"nothing explains the required {each.param.name}")
    return None


_INSIDE: Final = frozenset({"path", "paths", "field", "fields", "keys", "range", "json_path"})
"""Optional arguments of a delete that say which part of the record goes."""


def option(case: Case) -> Veto | None:
    """A record that an optional second key or selector may address."""
    if case.plan.kind not in ("get", "current_get", "part_get", "batch_get", "delete"):
        return None
    for each in case.params:
        if not each.param.required and each.role in ("filter", "field", "bag", "ref"):
            part = case.plan.kind == "delete" and snake(each.param.name) in _INSIDE
            known = each.param.name in case.catalogue.scope or _placed(each, case.resource)
            stated = case.by_path and not part
            hard = not (known or stated) or part
            return Veto("option", hard, f"the effect of {each.param.name} is not known")
    return None


def _placed(each: ParamDesign, resource: Resource) -> bool:
    """Whether records are made or listed with it: then it says where they lie."""
    paged = lexicon.LIMITS | lexicon.PAGES | lexicon.CURSORS | lexicon.OFFSETS
    if each.param.kind not in ("str", "int", "num") or snake(each.param.name) in paged:
        return False
    return any(
        param.name == each.param.name
        for one in resource.operations
        if one.phrase.group in ("create", "list", "upsert", "search") or one.phrase.plural
        for param in one.params
    )


def switch(case: Case) -> Veto | None:
    """`get_note(verbose)`: a switch of the answer that nothing here obeys."""
    if case.by_path:
        return None  # the path and its answer are what is stated; options stand in the query
    for each in case.params:
        if each.role == "projection":
            return Veto("switch", True, f"nothing here does what {each.param.name} asks for")
    return None


def second_reading(case: Case) -> Veto | None:
    """The description works something out or contradicts the name."""
    if case.item.action is not None:
        return Veto("second_reading", False, "one description for several actions")
    spec, phrase = case.item.spec, case.item.phrase
    verb = phrase.verb if spec.rest is not None and case.plan.kind == "transition" else ""
    said = opinion(spec.description, case.plan.kind, case.resource.noun, verb)
    if said.contradicts:
        return Veto("second_reading", True, said.why)
    return None if said.agrees else Veto("second_reading", False, said.why)


def outside(case: Case) -> Veto | None:
    """The first words of the description speak of what no table holds."""
    text = case.item.text[:160]
    if case.by_path:  # what is old works too; advice says nothing
        text = re.split(r"[.!?](?=\s|[A-Z])", text.removeprefix("Deprecated: "))[0]
        if case.plan.kind == "transition":
            text = text.replace("asynchronous ", "")  # it is over at once here
    found = _OUTSIDE.search(text)
    return Veto("outside", True, f"the description says {found[0]!r}") if found else None


def report(case: Case) -> Veto | None:
    """A read of statistics, prices, logs: derived from more than one record."""
    reads = case.plan.kind in READING
    named = {*case.item.phrase.noun[-1:], case.item.phrase.trailing}
    if reads and lexicon.DERIVED & {*case.item.phrase.noun}:
        return Veto("report", True, f"a {case.resource.name} is worked out, not kept")
    if reads and (named & lexicon.REPORT) and not case.resource.written:
        kept = case.plan.kind == "list" and named - {""} <= lexicon.KEPT_IN_LISTS
        mine = joined(key_stem(case.item.own) or ()) if case.item.own is not None else ""
        known = named - {""} <= lexicon.KEPT_IN_LISTS | {"log"}
        own = case.plan.kind == "get" and known and mine == joined(case.resource.noun)
        stated = case.item.spec.rest is not None and bool(case.item.spec.rest.response_lists)
        hard = not (kept or own or (stated and case.plan.kind == "list"))
        return Veto("report", hard, f"a {case.resource.name} is worked out, not kept")
    return None


def query_language(case: Case) -> Veto | None:
    """A query or filter in a language of its own."""
    if case.plan.kind not in LISTING:
        return None
    texts = [
        each.param.description or "" for each in case.params if each.role in ("query", "filter")
    ]
    asks = case.plan.kind == "search" or any(each.role == "query" for each in case.params)
    if asks:
        texts.append(case.item.text[:400])
    if any(_QUERY_LANGUAGE.search(text) for text in texts):
        return Veto("query_language", True, "the query has a syntax of its own")
    filters = [each.param for each in case.params if each.role == "filter"]
    if any(snake(param.name) in lexicon.EXPRESSIONS for param in filters):
        return Veto("query_language", True, "a filter is an expression")
    if any(structured(param) for param in filters):
        return Veto("query_language", True, "a filter is a structure")
    refused = [each.param for each in case.params if each.role == "refused"]
    open_ = [
        p for p in refused if snake(p.name) not in lexicon.EXPRESSIONS and not p.properties
    ]
    if open_ and not case.by_path:
        return Veto("expression", True, f"nothing says what {open_[0].name} asks for")
    if refused:
        return Veto("expression", False, "its filter expressions are refused")
    return None


def hint(case: Case) -> Veto | None:
    """The annotation says the opposite of the name."""
    said = case.item.spec.annotations.read_only
    reads = case.plan.kind in READING
    if case.item.action is not None and reads:
        return None  # another action of the tool may write
    if said is not None and said != reads:
        return Veto("hint", True, f"readOnlyHint is {str(said).lower()}")
    return None


_CONFIRMED: Final = frozenset({
    "create", "update", "transition", "delete", "batch_delete", "batch_update", "link_add",
    "link_remove", "upload",
})  # fmt: skip


def preview(case: Case) -> Veto | None:
    """A write that first only shows what it would do."""
    writes = case.plan.kind not in READING
    asked = [each for each in case.params if each.role in ("confirm", "trial")]
    if not writes or not (asked or _PREVIEW.search(case.item.text)):
        return None
    plain = len(asked) == 1 and asked[0].param.kind == "bool" and case.plan.kind in _CONFIRMED
    more = "token|two-step" if plain and asked[0].role == "trial" else "token|two-step|dry.?run"
    if plain and not re.search(more, case.item.text, re.IGNORECASE):
        return None  # one yes: the template does nothing without it
    return Veto("preview", True, "it may only preview the change")


def technical(case: Case) -> Veto | None:
    """A filter that no stored field answers."""
    if case.plan.kind not in LISTING and case.plan.kind != "get":
        return None
    for each in case.params:
        if each.role == "filter" and (each.field or "") in lexicon.TECHNICAL:
            hard = each.param.required
            return Veto(
                "technical", hard, f"{each.param.name} is no property of a {case.resource.name}"
            )
    return None


def actions(case: Case) -> Veto | None:
    """An action parameter: several operations in one tool."""
    for each in case.params if case.item.action is None else ():
        if (
            each.param.name.lower() in _ACTIONS
            and (case.plan.kind != "list" or each.param.required)
            and len(each.param.enum) > 1
        ):
            return Veto("actions", True, "one tool for several operations")
    return None


_STATES: Final = frozenset({"draft", "scheduled", "public", "archived", "default", "featured"})
"""Qualifiers that say of what state a new record is."""


def implied_filter(case: Case) -> Veto | None:
    """`list_my_tasks`, `get_upcoming_events`: a filter without a parameter."""
    found = [word for word in case.item.phrase.qualifiers if word in lexicon.IMPLIED]
    if case.plan.kind in ("list", "search") and found:
        return Veto("implied_filter", True, f"{found[0]!r} selects by something unstated")
    if case.plan.kind == "create" and found and not case.plan.sets:
        hard = found[0] in _STATES
        return Veto("implied_value", hard, f"{found[0]!r} sets something unstated")
    return None


def modifier(case: Case) -> Veto | None:
    """`for project` without a parameter for the project."""
    for preposition, modifier in case.item.phrase.modifiers:
        spoken = joined(modifier)
        taken = any(
            bool(
                spoken and spoken.rstrip("s") in joined((each.field or name).split("_")).lower()
            )
            or joined((name,)).lower() in spoken
            for each in case.params
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


def name_shape(case: Case) -> Veto | None:
    """A verb in the middle of the name, or a create-less, list-less noun of one tool."""
    if any("names nothing else" in note for note in case.item.notes):
        return Veto("foreign_key", False, "its key has the name of something else")
    if case.item.phrase.position == "middle":
        return Veto("middle_verb", False, "the verb is in the middle of the name")
    if case.plan.doubt:
        return Veto("doubt", False, case.plan.doubt)
    if len(case.resource.operations) == 1 and case.plan.kind not in _ALONE:
        hard = case.plan.kind not in ("get", "batch_get", "count")
        return Veto("lonely", hard, f"no other tool knows a {case.resource.name}")
    if case.plan.kind == "search" and not any(
        each.role in ("query", "filter", "ref") for each in case.params
    ):
        return Veto("lonely", True, "a search without anything to search for")
    return None


def nothing_written(case: Case) -> Veto | None:
    """An update that gives only keys: it changes what they name, not this record."""
    if (
        case.plan.kind != "update"
        or case.item.phrase.group == "move"
        or case.plan.key is not None
    ):
        return None
    written = [e for e in case.params if e.role in ("field", "bag", "refs")]
    written += [e for e in case.params if e.role == "ref" and not e.param.required]
    written = [e for e in written if e.param.name not in case.catalogue.scope]
    return None if written else Veto("nothing_written", True, "it takes keys and no value")


def command(case: Case) -> Veto | None:
    """A command, request or action sent: its effect lies elsewhere."""
    odd = case.resource.noun[-1] in (
        "command",
        "action",
        "request",
        "query",
        "code",
        "cursor",
        "test",
    )
    makes = case.plan.kind in ("create", "update") and not case.resource.read
    return (
        Veto("command", True, f"a {case.resource.noun[-1]} acts elsewhere")
        if odd and makes
        else None
    )


def facet(case: Case) -> Veto | None:
    """The key belongs to another entity: a part of it, not a record of its own."""
    if case.plan.kind not in ("get", "update", "delete", "transition") or case.item.own is None:
        return None
    if case.item.spec.rest is not None and key_of(case.item.spec.rest):
        return None  # the path has a collection of its own
    for start in range(1, len(case.resource.noun)):
        whole = case.catalogue.find(case.resource.noun[:start])
        bare = case.item.phrase.position == "middle" and key_stem(case.item.own) == ()
        if whole is not None and (bare or case.catalogue.referred(case.item.own) is whole):
            return Veto("facet", True, f"a part of a {whole.name}")
    return None


CHECKS: Final[tuple[Check, ...]] = (
    unexplained,
    option,
    switch,
    second_reading,
    outside,
    report,
    query_language,
    hint,
    preview,
    twins.two_names,
    wording.membership,
    wording.several,
    technical,
    actions,
    implied_filter,
    modifier,
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
    wording.another_object,
    wording.omitted,
    *demands.CHECKS,
    *answered.CHECKS,
    *effects.CHECKS,
)


def doubts(case: Case) -> tuple[Veto, ...]:
    """All vetoes against a plan, the hard ones first."""
    found = [check(case) for check in CHECKS]
    return tuple(sorted((veto for veto in found if veto), key=lambda veto: not veto.hard))
