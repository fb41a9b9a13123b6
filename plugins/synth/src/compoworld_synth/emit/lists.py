"""Lists: templates of what shows the records that hold all filters, in pages."""

from __future__ import annotations

import re
from typing import Final

from compoworld_synth import defaults, described, paths
from compoworld_synth.design import FieldDesign, ParamDesign
from compoworld_synth.emit import answers
from compoworld_synth.emit.values import attribute, literal
from compoworld_synth.emit.writing import NotEmitted, Writing, noun_of, table_of
from compoworld_synth.filters import EVERYTHING
from compoworld_synth.naming import singular, snake, spelling

_ROLES: Final = (("limit", "limit"), ("offset", "offset"), ("page", "number"))
_BACKWARDS: Final = ("before", "ending_before")


def rows(w: Writing) -> str:
    """The expression of the rows that hold the filters; unknown references are refused."""
    conditions = []
    for item in w.operation.of("filter", "ref", "refs", "field"):
        w.known(item)
        if item.comparison == "below":
            above = paths.holder(paths.template(item.param.pattern), w.design.entities)
            if above is not None:
                key = w.value(item)
                w.body.append(f"kit.known({table_of(above)}, {key}, {noun_of(above)})")
        name, value = w.attribute(item), _asked(w, item)
        conditions.append(f"({literal(name)}, {literal(item.comparison)}, {value})")
    if not conditions:
        return f"list({w.table})"
    return f"kit.filtered({', '.join([w.table, *conditions])})"


def _asked(w: Writing, item: ParamDesign) -> str:
    """The expression of a filter's value: its default where it is left out, none for `all`."""
    if item.role != "filter":
        return w.value(item)
    default = defaults.of(item.param)
    value = w.value(item) if str(default).casefold() in EVERYTHING else w.defaulted(item)
    if item.param.kind == "bool" and _ONLY.search(snake(item.param.name)):
        return f"({value} or None)"
    if item.param.kind == "str" and item.comparison == "in":
        value = f"kit.several({value})"
    everything = item.param.enum or (item.param.default,)
    if any(str(each).casefold() in EVERYTHING for each in everything) or _ALL.search(
        item.param.description
    ):
        value = f"kit.some({value})"
    return value


_ONLY: Final = re.compile(r"^only_|_only$")
"""Flags that select where they are set, and nothing where they are not."""
_ALL: Final = re.compile(r"['\"`](all|any)['\"`]|: all,|\(all,|, all\)", re.IGNORECASE)


def many(w: Writing, *, selected: bool = False) -> None:
    """A page of the rows that hold the filters and the query, in the order asked for.

    Args:
        selected: `rows` are those that hold the filters already.
    """
    for item in w.operation.of("refused"):
        w.body.append(f"kit.refuse({w.value(item)}, {literal(item.param.name)})")
    if not selected:
        w.body.append(f"rows = {rows(w)}")
    answers.visible(w)
    query = w.one("query")
    if query is not None:
        texts = _sought(w, query)
        if not texts:
            raise NotEmitted("the record has no text to search")
        w.body.append(f"rows = kit.found(rows, {w.value(query)}, {literal(texts)})")
    if w.operation.kind == "count":
        w.body.append('return {"count": len(rows)}')
        return
    _sorted(w)
    w.body.append(f"return {paged(w)}")


_BY: Final = re.compile(
    r"\b(?:search(?:es|ed)?|match(?:es|ing)?|look(?:s|ed)?|filter(?:s|ed)?|find)\b[^.;]{0,40}?"
    r"\b(?:by|in|on|against|across)\b (?P<fields>[^.;:(]{2,90})",
    re.IGNORECASE,
)


def _sought(w: Writing, query: ParamDesign) -> list[str]:
    """The texts that a search looks into: those that its words name, else all."""
    texts = [f for f in w.record.fields if f.type == "str" and _is_text(f)]
    for text in (query.param.description, w.tool.spec.description[:300]):
        found = _BY.search(text)
        if found is not None:
            spoken = {spelling(singular(word)) for word in re.findall(r"\w+", found["fields"])}
            named = [f for f in texts if "query" not in spoken and spelling(f.name) in spoken]
            if named:
                return [attribute(f) for f in named]
    return [attribute(f) for f in texts]


def _is_text(item: FieldDesign) -> bool:
    """Whether people write and look for it: no key, no address, no state."""
    last = item.name.split("_")[-1]
    return item.ref is None and item.semantic not in _NO_TEXTS and last not in _NO_WORDS


_NO_TEXTS: Final = frozenset({"id", "url", "datetime", "date", "status", "country", "currency"})
_NO_WORDS: Final = frozenset({"id", "ids", "key", "url", "uri", "path", "token", "type", "at"})


def paged(w: Writing) -> str:
    """The expression of the page of `rows` that the call asks for."""
    rows_name, token = w.operation.shape
    parts = ["rows", literal(rows_name or w.record.table)]
    if token:
        parts.append(f"onward={literal(token)}")
    if rows_name:
        parts.append("stated=True")
    parts += answers.options(w)
    for role, name in _ROLES:
        item = w.one(role)
        if item is not None:
            parts.append(f"{name}={w.defaulted(item) if role == 'limit' else w.value(item)}")
    for item in w.operation.of("unpaged"):
        whole = w.value(item) if item.param.kind == "bool" else f'{w.value(item)} == "all"'
        usual = next((part for part in parts if part.startswith("limit=")), "limit=None")
        kept = [part for part in parts if part != usual]
        limit = usual.removeprefix("limit=")
        parts = [*kept, f"limit=((len(rows) or 1) if {whole} else {limit})"]
    for item in w.operation.of("cursor"):
        back = item.param.name.lower() in _BACKWARDS
        parts.append(f"{'before' if back else 'cursor'}={w.value(item)}")
    if len(w.operation.of("cursor")) > 1 and len({part.split("=")[0] for part in parts}) < len(
        parts
    ):
        raise NotEmitted("two parameters are cursors")
    return f"kit.page({', '.join(parts)})"


def _sorted(w: Writing) -> None:
    """Sort by the field that the call names; names that no field has are refused."""
    sort, order = w.one("sort"), w.one("order")
    said = described.order(w.tool.spec.description) if w.operation.kind == "list" else None
    if sort is None and order is None and said is None:
        return
    fields = {}
    for each in w.record.fields:
        if each.type in ("str", "int", "float", "datetime", "date", "bool"):
            fields[spelling(each.name)] = attribute(each)
    fields["id"] = "id"
    if sort is not None and sort.param.enum:
        unknown = [v for v in sort.param.enum if not _field_of(str(v), fields)]
        if unknown:
            raise NotEmitted(f"it sorts by {str(unknown[0])[:40]!r}, which no field holds")
    if sort is None and order is None and said is not None:
        _as_said(w, fields, *said)
        return
    way = "None" if order is None else w.defaulted(order)
    rising = order is not None and order.param.name.lower().startswith("asc")
    by = "None" if sort is None else w.defaulted(sort)
    more = ", rising=True" if rising else ""
    w.body.append(f"rows = kit.ordered(rows, {by}, {way}, {literal(fields)}{more})")


def _as_said(w: Writing, fields: dict[str, str], by: str, falls: bool) -> None:
    """Sort as the description says, where a field holds what it names."""
    names = (by, f"{by}_at") if by else ("created_at",)
    name = next((each for each in names if _held(each, fields)), "")
    if name or not by:
        way = '"desc"' if falls else "None"
        w.body.append(f"rows = kit.ordered(rows, {literal(name)}, {way}, {literal(fields)})")


def _held(name: str, fields: dict[str, str]) -> bool:
    return bool(name) and spelling(name) in fields


_WAY: Final = re.compile(r"[\s:_.\[-]*(asc|desc|ascending|descending)\]?$", re.IGNORECASE)


def _field_of(value: str, fields: dict[str, str]) -> str:
    plain = spelling(_WAY.sub("", value.lstrip("+-")))
    for name in (plain, f"{plain}at", plain.removesuffix("date") + "at", f"{plain}date"):
        if name in fields:
            return fields[name]
    return "id" if not plain else ""


def get_or_list(w: Writing) -> None:
    """The record of the key where one is given, among those that hold the filters, else all."""
    w.result = f"models.{w.record.class_name} | dict[str, Any]"
    key = w.value(w.needed("id", "the key"))
    w.body.append(f"rows = {rows(w)}")
    w.body.append(f"if {key} is not None:")
    w.body.append(f"    return kit.among(rows, {key}, {w.noun})")
    many(w, selected=True)
