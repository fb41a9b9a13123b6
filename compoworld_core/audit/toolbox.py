"""Toolbox: what tools of a service could do the same work, or undo it, by their signatures."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args, get_origin

from compoworld_core.audit.trial import Trial
from compoworld_core.audit.writes import Arguments, Write
from compoworld_core.expressions import Path
from compoworld_core.service import Tool
from compoworld_core.state import Entity
from compoworld_core.types import Meaning, RefTo


def marks(annotation: Any) -> Iterator[Any]:
    """All markers in an annotation, also inside unions and lists."""
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        yield from metadata
        yield from marks(inner)
    else:
        for part in get_args(annotation):
            if get_origin(annotation) is not Literal:
                yield from marks(part)


@lru_cache(maxsize=4096)
def meaning(tool: Tool, parameter: str | int) -> str:
    """The semantic kind of a parameter; empty where it has none."""
    found = tool.parameters.get(str(parameter))
    if found is None:
        return ""
    return next((m.kind for m in marks(found[0]) if isinstance(m, Meaning)), "")


@lru_cache(maxsize=4096)
def entities(tool: Tool, parameter: str) -> frozenset[str]:
    """The entities that a parameter refers to."""
    found = tool.parameters.get(parameter)
    annotation = found[0] if found else None
    return frozenset(m.entity for m in marks(annotation) if isinstance(m, RefTo))


def required(tool: Tool) -> list[str]:
    """The parameters that must be given."""
    return list(tool.input_schema.get("required", ()))


def entity_of(trial: Trial, service: str, table: str) -> str:
    """The entity whose rows a table holds."""
    kind: type[Entity] = trial.initial.states[service].tables()[table]
    return kind.__name__


@lru_cache(maxsize=4096)
def schema_at(tool: Tool, path: Path) -> dict[str, Any]:
    """The JSON schema of an argument at a path; empty where the schema is silent."""
    root = tool.input_schema
    node: Any = root
    for step in path:
        node = _resolved(node, root)
        if isinstance(step, int):
            node = node.get("items", {})
        else:
            inner = node.get("properties", {}).get(step)
            extra = node.get("additionalProperties")
            node = inner if inner is not None else extra if isinstance(extra, dict) else {}
    found: dict[str, Any] = _resolved(node, root)
    return found


def _resolved(node: Any, root: dict[str, Any]) -> dict[str, Any]:
    """Follow `$ref`, and take the part of a union that says most."""
    while isinstance(node, dict):
        if "$ref" in node:
            node = root.get("$defs", {}).get(str(node["$ref"]).rpartition("/")[2], {})
            continue
        options = node.get("anyOf") or node.get("oneOf")
        if not options:
            return node
        parts = [_resolved(option, root) for option in options]
        ranked = sorted(parts, key=lambda p: (p.get("type") == "null", -len(p)))
        node = ranked[0] if ranked else {}
    return {}


def words_at(tool: Tool, path: Path) -> list[Any]:
    """The values that an argument may have, where the schema lists them."""
    schema = schema_at(tool, path)
    return list(schema.get("enum", ()))


def arguments_for(tool: Tool, entity: str, key: Any, given: Arguments) -> Arguments | None:
    """Arguments that point a tool at one row, and nothing else; None where it asks for more.

    What else it requires is taken from another call to the same service (whose mailbox it is).
    """
    names = [name for name in tool.parameters if entity in entities(tool, name)]
    if not names:
        return None
    subject = next((n for n in required(tool) if n in names), names[0])
    is_list = schema_at(tool, (subject,)).get("type") == "array"
    built: Arguments = {subject: [key] if is_list else key}
    for name in required(tool):
        if name in built:
            continue
        if name not in given:
            return None
        built[name] = given[name]
    return built


def editors(
    trial: Trial, write: Write, table: str, key: Any
) -> Iterator[tuple[Tool, Arguments]]:
    """Tools that may change a row of a table, each with the arguments that name the row."""
    service = write.step.service
    entity = entity_of(trial, service, table)
    for tool in trial.tools_of(service):
        if tool.read_only or tool.full_name == write.tool:
            continue
        arguments = arguments_for(tool, entity, key, write.arguments)
        if arguments is not None:
            yield tool, arguments


def nested_editors(trial: Trial, write: Write, key: Any) -> Iterator[tuple[Tool, Arguments]]:
    """Batch tools that take the same list of records by id, with the first record named."""
    lists = [name for name, value in write.arguments.items() if _records(value)]
    for tool in trial.tools_of(write.step.service):
        if tool.read_only or tool.full_name == write.tool:
            continue
        for name in lists:
            properties = schema_at(tool, (name, 0)).get("properties", {})
            if "id" in properties:
                rest = {k: v for k, v in write.arguments.items() if k != name}
                if all(k in tool.input_schema.get("properties", {}) for k in rest):
                    yield tool, {**rest, name: [{"id": key}]}


def _records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def lookalikes(trial: Trial, write: Write) -> Iterator[tuple[Tool, Arguments]]:
    """Other writing tools that accept the same arguments, or all of them that they know."""
    for tool in trial.tools_of(write.step.service):
        if tool.read_only or tool.full_name == write.tool:
            continue
        known = tool.input_schema.get("properties", {})
        arguments = {k: v for k, v in write.arguments.items() if k in known}
        if len(arguments) >= min(2, len(write.arguments)) and all(
            name in arguments for name in required(tool)
        ):
            yield tool, arguments
