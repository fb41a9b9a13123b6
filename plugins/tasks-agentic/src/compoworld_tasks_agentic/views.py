"""Views: what the model is shown of services, as bounded JSON."""

from __future__ import annotations

import json
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from compoworld_core.schema import input_schema, meaning_of
from compoworld_core.service import Service, Tool
from compoworld_core.state import Entity, State, dump
from compoworld_core.types import Meaning, RefTo

_LONGEST_VALUE: Final = 160
_LONGEST_SERVICE: Final = 40_000
"""Characters of one service's view; rows are left out first."""
_WALK: Final = "compoworld_tasks_walk"


def view_of(
    service: Service[Any], state: State, *, rows: int, tools: int, affordances: bool
) -> str:
    """A service for the model: tables, tools, some rows, and what was learnt of the tools."""
    learnt = _learnt(service) if affordances else {}
    shown = {
        "service": service.name,
        "people call it": service.title,
        "tables": {name: _table(entity) for name, entity in state.tables().items()},
        "tools": [_tool(tool) for tool in _chosen(service, tools, learnt)],
    }
    if learnt:
        shown["learnt by running the tools"] = learnt
    for count in range(rows, -1, -1):
        shown["rows"] = {name: _rows(state, name, count) for name in state.tables()}
        text = json.dumps(shown, ensure_ascii=False)
        if len(text) <= _LONGEST_SERVICE:
            return text
    return text[:_LONGEST_SERVICE] + " … (cut)"


def _table(entity: type[Entity]) -> dict[str, Any]:
    """Field → what it means and what it may hold."""
    schema = input_schema(entity)
    required = schema.get("required", ())
    fields = {}
    for name, info in entity.model_fields.items():
        annotation = info.rebuild_annotation()
        meaning, ref = meaning_of(annotation, Meaning), meaning_of(annotation, RefTo)
        field: dict[str, Any] = {"type": _brief(schema["properties"].get(name, {}))}
        if meaning is not None:
            field["kind"] = meaning.kind
        if ref is not None:
            field["refers to"] = ref.entity
        if name in required:
            field["required"] = True
        fields[name] = field
    return fields


def _brief(schema: Any) -> Any:
    """A schema without what an author does not need."""
    if not isinstance(schema, dict):
        return schema
    if "enum" in schema:
        return schema["enum"]
    if "anyOf" in schema:
        return [_brief(one) for one in schema["anyOf"]]
    kept = {
        k: v for k, v in schema.items() if k in ("type", "format", "items", "const", "$ref")
    }
    if "items" in kept:
        kept["items"] = _brief(kept["items"])
    return kept["type"] if list(kept) == ["type"] else kept


def _chosen(service: Service[Any], most: int, learnt: dict[str, Any]) -> list[Tool]:
    """Tools that code answers; those first of which something is known."""
    tools = [tool for tool in service.tools.values() if tool.kind == "deterministic"]
    known = {each["tool"] for each in (*learnt.get("reads", ()), *learnt.get("writes", ()))}
    return sorted(tools, key=lambda tool: tool.name not in known)[:most]


def _tool(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "writes": not tool.read_only,
        "description": tool.description[:400],
        "arguments": tool.input_schema,
        "shows": skeleton(tool.output_schema),
    }


def skeleton(schema: Any, root: Any = None, depth: int = 4) -> Any:
    """The names in a result, nested as they are in it."""
    root = schema if root is None else root
    if not isinstance(schema, dict) or depth < 0:
        return "…"
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return skeleton(root.get("$defs", {}).get(name, {}), root, depth)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            real = [one for one in schema[key] if one.get("type") != "null"]
            return skeleton(real[0] if real else {}, root, depth)
    if "properties" in schema:
        return {k: skeleton(v, root, depth - 1) for k, v in schema["properties"].items()}
    if schema.get("type") == "array":
        return [skeleton(schema.get("items", {}), root, depth - 1)]
    return schema.get("type", "any")


def _rows(state: State, table: str, count: int) -> list[Any]:
    found: list[Any] = []
    for row in state.table(table):
        if len(found) == count:
            break
        found.append(_cut(dump(row)))
    return found


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut(item) for item in value[:5]]
    if isinstance(value, str) and len(value) > _LONGEST_VALUE:
        return value[: _LONGEST_VALUE - 1] + "…"
    return value


def _learnt(service: Service[Any]) -> dict[str, Any]:
    """Which reads select by what and which writes set what, where the walk generator is there.

    The walk generator is no dependency; its own command shows the same.
    """
    if find_spec(_WALK) is None:
        return {}
    known = import_module(f"{_WALK}.learning").affordances(service)
    return {
        "reads": [
            {"tool": r.tool, "table": r.table, "selects by": list(r.by), "shows": r.shape}
            for r in known.lookups
        ],
        "writes": [
            {"tool": w.tool, "table": w.table, "does": w.op, "sets": list(w.sinks)}
            for w in known.writes
        ],
    }
