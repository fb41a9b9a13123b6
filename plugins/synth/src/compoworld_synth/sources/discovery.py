"""Discovery: Google's API descriptions, which say what each method takes and returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from compoworld_synth.listing import Annotations, Listing, Problem, Rest, Schema, ToolSpec
from compoworld_synth.sources import documents
from compoworld_synth.sources.documents import Names
from compoworld_synth.sources.reading import SourceError
from compoworld_synth.sources.shape import (
    FLAG,
    TEXT,
    WORDS,
    Shape,
    checked,
    record,
    several,
    table,
)

BODY: Final = "body"
_SCHEMA_KEYS: Final = {
    "type", "properties", "items", "enum", "pattern", "description", "default", "readOnly",
    "deprecated", "additionalProperties",
}  # fmt: skip
_SAID: Final = {
    "id", "kind", "annotations", "enumDescriptions", "enumDeprecated", "location", "repeated",
    "required", "format", "minimum", "maximum", "$ref", "minLength", "maxLength",
}  # fmt: skip
"""Translated elsewhere, or about people and clients rather than instances."""

_NAMED: Final = Shape((dict,), {"$ref": TEXT})
_METHOD: Final = record(
    id=TEXT,
    path=TEXT,
    flatPath=TEXT,
    httpMethod=TEXT,
    description=WORDS,
    parameters=table(record(location=TEXT, required=FLAG, repeated=FLAG)),
    parameterOrder=several(TEXT),
    request=_NAMED,
    response=_NAMED,
)
_RESOURCE: Final = record(methods=table(_METHOD))
_RESOURCE.members["resources"] = table(_RESOURCE)
SHAPE: Final = record(
    name=WORDS,
    version=WORDS,
    schemas=table(Shape((dict,))),
    **_RESOURCE.members,
)
"""What :func:`listing` asks of a document; schemas are looked at where they are read."""


def is_listing(data: Any) -> bool:
    """Whether this is a discovery document."""
    return isinstance(data, Mapping) and (
        data.get("kind") == "discovery#restDescription"
        or {"discoveryVersion", "resources"} <= set(data)
    )


def listing(data: Any, server: str, source: str) -> Listing:
    """One tool a method; SourceError where there is none."""
    data = checked(data, SHAPE)
    raw = data.get("schemas", {})
    problems: list[Problem] = []
    names = Names(raw, lambda node, name: _schema(node, f"schemas/{name}", problems), problems)
    tools = [
        _tool(method, resource, names, problems) for resource, method in _methods(data, ())
    ]
    if not tools:
        raise SourceError(f"{source} describes no methods; there is nothing to import")
    return Listing(
        server=server or str(data.get("name", "")),
        tools=documents.once(tools),
        version=str(data.get("version", "")),
        source=source,
        problems=tuple(dict.fromkeys(problems)),
    )


def _methods(
    node: Mapping[str, Any], resource: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    for name, method in node.get("methods", {}).items():
        yield resource, {"id": ".".join((*resource, name)), **method}
    for name, below in node.get("resources", {}).items():
        yield from _methods(below, (*resource, name))


def _tool(
    method: Mapping[str, Any],
    resource: tuple[str, ...],
    names: Names,
    problems: list[Problem],
) -> ToolSpec:
    name = documents.tool_name(str(method["id"]))
    properties: dict[str, Any] = {}
    required: list[str] = []
    places: dict[str, list[str]] = {"path": [], "query": []}
    parameters = method.get("parameters", {})
    for key, each in parameters.items():
        schema = _schema(each, f"{name}/parameters/{key}", problems)
        properties[key] = (
            {"type": "array", "items": schema} if each.get("repeated") is True else schema
        )
        if each.get("required") is True:
            required.append(key)
        places.setdefault(str(each.get("location", "query")), []).append(key)
    asked, answered = _named(method.get("request")), _named(method.get("response"))
    body = BODY if BODY not in properties else "request_body"
    if asked:
        properties[body] = {"$ref": f"#/$defs/{asked}"}
        required.append(body)
    flags = ("supportsMediaUpload", "supportsMediaDownload", "supportsSubscription")
    problems += [
        Problem(f"{name}/{flag}", "the content itself is no argument")
        for flag in flags
        if method.get(flag) is True
    ]
    path = str(method.get("flatPath") or method.get("path", ""))
    answer: Schema | None = {"$ref": f"#/$defs/{answered}"} if answered else None
    verb = str(method.get("httpMethod", "GET")).upper()
    order = [key for key in method.get("parameterOrder", []) if key in places["path"]]
    return ToolSpec(
        name=name,
        description=str(method.get("description", "")),
        title="",
        input_schema=names.closed(documents.root(properties, required), name),
        output_schema=(
            names.closed(answer, f"{name}/response", documents.LARGEST_RESULT)
            if answer
            else None
        ),
        annotations=promised(verb),
        rest=Rest(
            method=verb,
            path=f"/{path}",
            path_parameters=tuple(dict.fromkeys([*order, *places["path"]])),
            query_parameters=tuple(places["query"]),
            body_parameter=body if asked else "",
            body=names.get(asked) if asked else None,
            answers=bool(answered),
            response_lists=names.lists(answer),
            resource=resource,
            operation=".".join([*resource, str(method["id"]).rpartition(".")[2]]),
            read_only_fields=names.read_only({"$ref": f"#/$defs/{asked}"} if asked else None),
        ),
    )


def promised(verb: str) -> Annotations:
    """What the method of HTTP promises; POST promises nothing."""
    read = verb in ("GET", "HEAD")
    return Annotations(
        read_only=True if read else None,
        destructive=True if verb == "DELETE" else None,
        idempotent=True if read or verb in ("PUT", "DELETE") else None,
    )


def _named(node: Any) -> str:
    return str(node.get("$ref", "")) if isinstance(node, Mapping) else ""


def _schema(node: Any, where: str, problems: list[Problem]) -> Schema:
    """One schema of the dialect (draft 3 with own formats) in 2020-12."""
    if not isinstance(node, Mapping):
        problems.append(Problem(where, "no schema: taken as anything"))
        return {}
    if "$ref" in node:
        kept = {k: node[k] for k in ("description", "readOnly", "deprecated") if k in node}
        return {"$ref": f"#/$defs/{node['$ref']}", **kept}
    made = {key: node[key] for key in node if key in _SCHEMA_KEYS}
    problems += [
        Problem(f"{where}/{key}", "no keyword of the dialect that we know: left out")
        for key in node
        if key not in _SCHEMA_KEYS and key not in _SAID
    ]
    if made.get("type") == "any":
        del made["type"]
    if isinstance(made.get("properties"), Mapping):
        made["properties"] = {
            name: _schema(each, f"{where}/properties/{name}", problems)
            for name, each in made["properties"].items()
        }
    for key in ("items", "additionalProperties"):
        if isinstance(made.get(key), Mapping):
            made[key] = _schema(made[key], f"{where}/{key}", problems)
    _typed(node, made, where, problems)
    return made


def _typed(
    node: Mapping[str, Any], made: dict[str, Any], where: str, problems: list[Problem]
) -> None:
    """Formats, bounds and defaults, which the dialect writes as text."""
    kind = made.get("type")
    if "format" in node:
        made["format"] = "byte-string" if node["format"] == "byte" else node["format"]
        if kind == "string" and node["format"] in ("int64", "uint64"):
            made["pattern"] = r"^-?\d+$" if node["format"] == "int64" else r"^\d+$"
    for key in ("minimum", "maximum"):
        if key in node and kind in ("integer", "number"):
            made[key] = _number(node[key])
    if isinstance(made.get("default"), str) and kind in ("integer", "number", "boolean"):
        text = made["default"]
        made["default"] = text == "true" if kind == "boolean" else _number(text)
        if made["default"] is None:
            problems.append(Problem(f"{where}/default", f"{text!r} is no {kind}: left out"))
            del made["default"]


def _number(value: Any) -> int | float | None:
    try:
        found = float(value)
    except (TypeError, ValueError):
        return None
    return int(found) if found.is_integer() else found
