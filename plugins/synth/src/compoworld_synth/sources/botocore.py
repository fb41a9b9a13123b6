"""Botocore: AWS service models, which give every operation's input, output and errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from compoworld_synth.listing import Annotations, Listing, Problem, Rest, Schema, ToolSpec
from compoworld_synth.sources import documents
from compoworld_synth.sources.documents import Names
from compoworld_synth.sources.reading import SourceError
from compoworld_synth.sources.shape import (
    TEXT,
    WORDS,
    checked,
    record,
    several,
    table,
)

_KINDS: Final[dict[str, Schema]] = {
    "string": {"type": "string"},
    "character": {"type": "string", "maxLength": 1},
    "integer": {"type": "integer"},
    "long": {"type": "integer"},
    "short": {"type": "integer"},
    "bigdecimal": {"type": "number"},
    "biginteger": {"type": "integer"},
    "float": {"type": "number"},
    "double": {"type": "number"},
    "boolean": {"type": "boolean"},
    "timestamp": {"type": "string", "format": "date-time"},
    "blob": {"type": "string", "contentEncoding": "base64"},
}
_PARTS: Final = {"list": ("member",), "map": ("value",)}
_READS: Final = ("Get", "List", "Describe", "Head")

_NAMED: Final = record(
    "shape", shape=TEXT, location=TEXT, locationName=TEXT, documentation=TEXT
)
_KIND: Final = record(
    type=TEXT,
    members=table(_NAMED),
    member=_NAMED,
    value=_NAMED,
    required=several(TEXT),
    documentation=TEXT,
    payload=TEXT,
    enum=several(WORDS),
)
_OPERATION: Final = record(
    http=record(method=TEXT, requestUri=TEXT),
    input=_NAMED,
    output=_NAMED,
    errors=several(_NAMED),
    documentation=TEXT,
)
SHAPE: Final = record(
    "metadata",
    "operations",
    "shapes",
    metadata=record(endpointPrefix=WORDS, apiVersion=WORDS),
    operations=table(_OPERATION),
    shapes=table(_KIND),
)
"""What :func:`listing` asks of a service model."""


def is_listing(data: Any) -> bool:
    """Whether this is a service model."""
    return isinstance(data, Mapping) and {"metadata", "operations", "shapes"} <= set(data)


def listing(data: Any, server: str, source: str) -> Listing:
    """One tool an operation; SourceError where there is none."""
    data = checked(data, SHAPE)
    if not data["operations"]:
        raise SourceError(f"{source} describes no operations; there is nothing to import")
    problems: list[Problem] = []
    names = Names(
        data["shapes"], lambda node, name: _shape(node, f"shapes/{name}", problems), problems
    )
    head = data["metadata"]
    tools = [_tool(name, each, names) for name, each in data["operations"].items()]
    return Listing(
        server=server or str(head.get("endpointPrefix", "")),
        tools=documents.once(tools),
        version=str(head.get("apiVersion", "")),
        source=source,
        problems=tuple(dict.fromkeys(problems)),
    )


def _tool(name: str, data: Mapping[str, Any], names: Names) -> ToolSpec:
    asked, answered = _named(data.get("input")), _named(data.get("output"))
    given = names.get(asked) if asked else {}
    raw: Mapping[str, Any] = names.raw.get(asked, {})
    members: Mapping[str, Any] = raw.get("members", {})
    properties = dict(given.get("properties", {}))
    http = data.get("http", {})
    path = str(http.get("requestUri", "/"))
    wire = {key: str(each.get("location", "")) for key, each in members.items()}
    by_wire = {str(each.get("locationName", key)): key for key, each in members.items()}
    answer: Schema | None = {"$ref": f"#/$defs/{answered}"} if answered else None
    body = [key for key in properties if wire.get(key, "") == ""]
    verb = str(http.get("method", "POST"))
    payload = str(raw.get("payload", ""))
    return ToolSpec(
        name=name,
        description=plain(str(data.get("documentation", ""))),
        title="",
        input_schema=names.closed(
            documents.root(properties, list(given.get("required", []))), name
        ),
        output_schema=(
            names.closed(names.get(answered), f"{name}/output", documents.LARGEST_RESULT)
            if answered
            else None
        ),
        annotations=Annotations(
            read_only=True if name.startswith(_READS) else None,
            idempotent=True if data.get("idempotent") is True else None,
        ),
        rest=Rest(
            method=verb,
            path=path.partition("?")[0],
            path_parameters=tuple(by_wire.get(v, v) for v in documents.variables(path)),
            query_parameters=tuple(k for k, at in wire.items() if at == "querystring"),
            body_parameter=payload,
            body_members=() if payload else tuple(body),
            body=documents.root({key: properties[key] for key in body}, []) if body else None,
            answers=bool(answered),
            response_lists=names.lists(answer),
            operation=name,
        ),
    )


def plain(html: str) -> str:
    """Documentation without its tags and with single spaces."""
    text = re.sub(r"<[^<>]*>", " ", html)
    for name, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(name, sign)
    return re.sub(r"\s+([.,;:)])", r"\1", " ".join(text.split()))


def _named(node: Any) -> str:
    return str(node.get("shape", "")) if isinstance(node, Mapping) else ""


def _shape(node: Mapping[str, Any], where: str, problems: list[Problem]) -> Schema:
    kind = node.get("type")
    for needed in _PARTS.get(kind or "", ()):
        if needed not in node:
            raise SourceError(f"{where}, a {kind}, needs {needed!r}, which is missing")
    words = {"description": plain(node["documentation"])} if node.get("documentation") else {}
    if kind == "structure":
        found: dict[str, Any] = {
            name: _member(each) for name, each in node.get("members", {}).items()
        }
        made: Schema = {**documents.root(found, list(node.get("required", ()))), **words}
        if node.get("union") is True:  # exactly one member is given
            made |= {"minProperties": 1, "maxProperties": 1}
        if node.get("document") is True:
            return words
        return made
    if kind == "list":
        made = {"type": "array", "items": _member(node["member"]), **words}
        return made | _bounds(node, "minItems", "maxItems")
    if kind == "map":
        made = {"type": "object", "additionalProperties": _member(node["value"]), **words}
        return made | _bounds(node, "minProperties", "maxProperties")
    if kind not in _KINDS:
        problems.append(Problem(where, f"the type {kind!r} is not known: taken as anything"))
        return words
    made = {**_KINDS[kind], **words}
    if kind == "string":
        made |= _bounds(node, "minLength", "maxLength")
        if "enum" in node:
            made["enum"] = list(node["enum"])
        if "pattern" in node:
            # Java's, unanchored there but meant for the whole text; others do not compile here.
            problems.append(Problem(f"{where}/pattern", "of another language: not enforced"))
    elif made["type"] in ("integer", "number"):
        made |= _bounds(node, "minimum", "maximum")
    return made


def _member(node: Mapping[str, Any]) -> Schema:
    words = {"description": plain(node["documentation"])} if node.get("documentation") else {}
    return {"$ref": f"#/$defs/{node['shape']}", **words}


def _bounds(node: Mapping[str, Any], least: str, most: str) -> dict[str, int | float]:
    pairs = ((least, node.get("min")), (most, node.get("max")))
    whole = least not in ("minimum",)
    return {
        key: int(value) if whole else value
        for key, value in pairs
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
