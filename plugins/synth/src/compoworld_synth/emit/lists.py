"""Lists: templates of what shows the records that hold all filters, in pages."""

from __future__ import annotations

import re
from typing import Final

from compoworld_synth.emit.values import attribute, literal
from compoworld_synth.emit.writing import NotEmitted, Writing
from compoworld_synth.naming import spelling

_ROLES: Final = (("limit", "limit"), ("offset", "offset"), ("page", "number"))
_BACKWARDS: Final = ("before", "ending_before")


def rows(w: Writing) -> str:
    """The expression of the rows that hold the filters; unknown references are refused."""
    conditions = []
    for item in w.operation.of("filter", "ref", "refs", "field"):
        w.known(item)
        name, value = w.attribute(item), w.value(item)
        conditions.append(f"({literal(name)}, {literal(item.comparison)}, {value})")
    for name, value in w.operation.fixed:
        held = w.record.by_name.get(name)
        if held is None:
            raise NotEmitted(f"the implied filter {name!r} has no field")
        w.context = w.context or value == "@actor"
        shown = "ctx.actor" if value == "@actor" else literal(value)
        conditions.append(f'({literal(attribute(held))}, "eq", {shown})')
    if not conditions:
        return f"list({w.table})"
    return f"kit.filtered({', '.join([w.table, *conditions])})"


def many(w: Writing) -> None:
    """A page of the rows that hold the filters and the query, in the order asked for."""
    for item in w.operation.of("refused"):
        w.body.append(f"kit.refuse({w.value(item)}, {literal(item.param.name)})")
    w.body.append(f"rows = {rows(w)}")
    query = w.one("query")
    if query is not None:
        texts = [attribute(f) for f in w.record.fields if f.type == "str"]
        if not texts:
            raise NotEmitted("the record has no text to search")
        w.body.append(f"rows = kit.found(rows, {w.value(query)}, {literal(texts)})")
    if w.operation.kind == "count":
        w.body.append('return {"count": len(rows)}')
        return
    _sorted(w)
    w.body.append(f"return {paged(w)}")


def paged(w: Writing) -> str:
    """The expression of the page of `rows` that the call asks for."""
    rows_name, token = w.operation.shape
    parts = ["rows", literal(rows_name or w.record.table)]
    if token:
        parts.append(f"onward={literal(token)}")
    if rows_name:
        parts.append("stated=True")
    for role, name in _ROLES:
        item = w.one(role)
        if item is not None:
            parts.append(f"{name}={w.value(item)}")
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
    if sort is None and order is None:
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
    way = "None" if order is None else w.value(order)
    rising = order is not None and order.param.name.lower().startswith("asc")
    by = "None" if sort is None else w.value(sort)
    more = ", rising=True" if rising else ""
    w.body.append(f"rows = kit.ordered(rows, {by}, {way}, {literal(fields)}{more})")


_WAY: Final = re.compile(r"[\s:_.\[-]*(asc|desc|ascending|descending)\]?$", re.IGNORECASE)


def _field_of(value: str, fields: dict[str, str]) -> str:
    plain = spelling(_WAY.sub("", value.lstrip("+-")))
    for name in (plain, f"{plain}at", plain.removesuffix("date") + "at", f"{plain}date"):
        if name in fields:
            return fields[name]
    return "id" if not plain else ""


def get_or_list(w: Writing) -> None:
    """The record of the key where one is given, else the list."""
    w.result = f"models.{w.record.class_name} | dict[str, Any]"
    item = w.needed("id", "the key")
    key = w.value(item)
    w.body.append(f"if {key} is not None:")
    w.body.append(f"    return kit.require({w.table}, {key}, {w.noun})")
    many(w)
