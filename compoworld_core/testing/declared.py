"""Checks on what a service declares: names, descriptions, types, schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from compoworld_core.schema import describe, public_name
from compoworld_core.service import Tool
from compoworld_core.testing.conformity import faults
from compoworld_core.testing.trial import Trial

_WIRE_NAME = re.compile(r"^[a-zA-Z0-9_.-]{1,64}$")
_KINDS = ("deterministic", "simulated", "quarantined")


def names(trial: Trial) -> Iterator[str]:
    """Tool and argument names are what protocols allow."""
    if not trial.service.tools:
        yield "the service has no tools; add one with @service.tool"
    for tool in trial.service.tools.values():
        if tool.kind not in _KINDS:
            yield f"{tool.name} has the kind {tool.kind!r}; there are: {', '.join(_KINDS)}"
        if tool.read_only and tool.destructive:
            yield f"{tool.name} is marked read_only and destructive; drop one mark"
        for name in tool.input_schema.get("properties", {}):
            if not _WIRE_NAME.match(name):
                yield (
                    f"{tool.name}: argument {name!r} does not match {_WIRE_NAME.pattern};"
                    " rename the parameter"
                )


def documented(trial: Trial) -> Iterator[str]:
    """Every tool has a description, and a type for each parameter and for its result."""
    for tool in trial.service.tools.values():
        if not tool.description:
            yield f"{tool.name} has no docstring; its first line tells an agent what it does"
        described = describe(tool.function)[1]
        known = {*tool.parameters, *map(public_name, tool.parameters)}
        for name in described:
            if name not in known:
                yield (
                    f"{tool.name}: the docstring describes {name!r}, which is no parameter;"
                    f" there are: {', '.join(tool.parameters)}"
                )
        for name, schema in tool.input_schema.get("properties", {}).items():
            if not _is_typed(schema):
                yield (
                    f"{tool.name}: parameter {name} has no type an agent can follow;"
                    " annotate it, or document its Forms"
                )
        if tool.kind == "deterministic" and tool.result_type is Any:
            yield f"{tool.name} has no return annotation; say what it returns"


def _is_typed(schema: dict[str, Any]) -> bool:
    said = ("type", "anyOf", "oneOf", "allOf", "$ref", "enum", "const", "examples")
    return any(key in schema for key in said) or bool(schema.get("description"))


def schemas(trial: Trial) -> Iterator[str]:
    """Input and output schemas are sound JSON Schema and can be written as JSON."""
    for tool in trial.service.tools.values():
        for what, schema in _schemas_of(tool):
            try:
                json.dumps(schema, allow_nan=False)
            except (TypeError, ValueError) as error:
                yield f"{tool.name}: its {what} schema is not JSON: {error}"
                continue
            for fault in faults(schema, schema):
                yield f"{tool.name}: in its {what} schema, {fault}"
        if tool.input_schema.get("type") != "object":
            yield f"{tool.name}: the root of its input schema must have type object"


def _schemas_of(tool: Tool) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "input", tool.input_schema
    if tool.kind == "deterministic":
        yield "output", tool.output_schema
