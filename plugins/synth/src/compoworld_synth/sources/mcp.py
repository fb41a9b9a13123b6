"""MCP: what a server answers to `tools/list`, in the shapes people keep it in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from compoworld_core.errors import UsageError
from compoworld_synth.listing import Annotations, Listing, Problem, ToolSpec
from compoworld_synth.schemas import problems as view_problems
from compoworld_synth.schemas import resolve
from compoworld_synth.sources.reading import SourceError

LONGEST_NAME: Final = 256
MOST_TOOLS: Final = 5_000
_READ: Final = frozenset(
    ["name", "description", "title", "inputSchema", "outputSchema", "annotations"]
)
_SILENT: Final = frozenset(["_meta", "icons", "execution"])
"""Keys of the protocol that say nothing about what a tool takes, gives or does."""
_HINTS: Final = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}


def is_listing(data: Any) -> bool:
    """Whether a document has one of the shapes that :func:`listing` reads."""
    tools = _tools(data)
    named = isinstance(data, Mapping) and tools is not None
    return named or (tools is not None and any(isinstance(each, Mapping) for each in tools))


def listing(data: Any, server: str, source: str) -> Listing:
    """A listing from a list of tools, `{"tools": […]}`, or a whole JSON-RPC answer.

    SourceError where it has none of these shapes, or two unequal tools of one name.
    """
    tools = _tools(data)
    if tools is None:
        raise SourceError(
            f"{source} is no tools/list answer: expected a list of tools or"
            ' {"tools": […]}; --format names another kind of source'
        )
    if not tools:
        raise SourceError(f"{source} lists no tools; there is nothing to import")
    if len(tools) > MOST_TOOLS:
        raise SourceError(
            f"{source} lists {len(tools):,} tools; at most {MOST_TOOLS:,} are read"
        )
    head: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    problems: list[Problem] = []
    if isinstance(head.get("nextCursor"), str):
        problems.append(
            Problem("nextCursor", "the answer is one page of several; fetch and join them all")
        )
    found = _each_once([_tool(each, i, problems) for i, each in enumerate(tools)], problems)
    for spec in found:
        problems += view_problems(spec)
    return Listing(
        server=_text(head.get("server")) or server,
        tools=found,
        version=_text(head.get("version")),
        license=_text(head.get("license")),
        source=source,
        domain=_text(head.get("domain")),
        problems=tuple(dict.fromkeys(problems)),
    )


def _tools(data: Any) -> Sequence[Any] | None:
    if isinstance(data, list):
        return data
    if isinstance(data, Mapping):
        if isinstance(data.get("tools"), list):
            found: list[Any] = data["tools"]
            return found
        if isinstance(data.get("result"), Mapping):
            return _tools(data["result"])
    return None


def _each_once(specs: list[ToolSpec], problems: list[Problem]) -> tuple[ToolSpec, ...]:
    """Equal repetitions are dropped and reported; unequal ones are no listing."""
    found: dict[str, ToolSpec] = {}
    for spec in specs:
        first = found.setdefault(spec.name, spec)
        if first is spec:
            continue
        if (first.input_schema, first.output_schema) != (spec.input_schema, spec.output_schema):
            raise SourceError(
                f"two unequal tools are called {spec.name!r}; remove or rename one of them"
            )
        same = "the same" if first == spec else "with the same schemas and other words"
        problems.append(Problem(spec.name, f"listed again, {same}: the first is kept"))
    return tuple(found.values())


def _tool(data: Any, index: int, problems: list[Problem]) -> ToolSpec:
    if not isinstance(data, Mapping):
        raise SourceError(f"tools/{index} is no object; a tool has name and inputSchema")
    name = data.get("name")
    if not isinstance(name, str) or not name or len(name) > LONGEST_NAME:
        raise SourceError(
            f"tools/{index} needs a name of 1 to {LONGEST_NAME} characters, not {name!r:.80}"
        )
    unknown = (key for key in data if key not in _READ and key not in _SILENT)
    problems += [
        Problem(f"{name}/{key}", "no key of the protocol: left out") for key in unknown
    ]
    described = data.get("description", "")
    if not isinstance(described, str):
        problems.append(Problem(f"{name}/description", "no text: left out"))
    annotations = data.get("annotations") or {}
    return ToolSpec(
        name=name,
        description=_text(described),
        title=_text(data.get("title")) or _text(_of(annotations, "title")),
        input_schema=_input(data.get("inputSchema"), name, problems),
        output_schema=_output(data.get("outputSchema"), name, problems),
        annotations=_annotations(annotations, name, problems),
    )


def _input(schema: Any, name: str, problems: list[Problem]) -> dict[str, Any]:
    where = f"{name}/inputSchema"
    if schema is None:
        problems.append(Problem(where, "missing: the tool takes no arguments"))
        return {"type": "object", "properties": {}}
    if not isinstance(schema, dict):
        raise SourceError(f"{where} is no JSON Schema object")
    if schema.get("type", "object") != "object":
        raise SourceError(f"{where} must have the type object, not {schema.get('type')!r}")
    check_schema(schema, where)
    return schema


def _output(schema: Any, name: str, problems: list[Problem]) -> dict[str, Any] | None:
    if schema is None:
        return None
    where = f"{name}/outputSchema"
    try:
        if isinstance(schema, dict):
            check_schema(schema, where)
            return schema
        problems.append(Problem(where, "no JSON Schema object: left out"))
    except UsageError as error:
        # What a tool answers is ours to make: a wrong statement of it stops nothing.
        problems.append(Problem(where, f"left out: {error}"))
    return None


def check_schema(schema: dict[str, Any], where: str) -> None:
    """SourceError where it is no valid schema of its dialect, or refers outside itself."""
    import jsonschema_rs

    for pointer, reference in references(schema):
        try:
            resolve(schema, reference)
        except KeyError as error:
            raise SourceError(f"{where}{pointer}: {error.args[0]}") from None
    stated = schema.get("$schema")
    if stated is not None and not isinstance(stated, str):
        raise SourceError(f"{where}/$schema is no text")
    try:
        validator = compile_schema(schema)
        del validator
    except (jsonschema_rs.ValidationError, ValueError) as error:
        message = getattr(error, "message", str(error))
        pointer = "/".join(map(str, getattr(error, "instance_path", [])))
        raise SourceError(
            f"{where}/{pointer} is no valid JSON Schema: {message:.300}"
        ) from None


def references(node: Any, where: str = "") -> list[tuple[str, str]]:
    """(place, reference) of each `$ref` of a schema; a property of that name is none."""
    found: list[tuple[str, str]] = []
    if isinstance(node, list):
        for index, each in enumerate(node):
            found += references(each, f"{where}/{index}")
    elif isinstance(node, Mapping):
        for key, each in node.items():
            if key in ("$ref", "$dynamicRef") and isinstance(each, str):
                found.append((where, each))
            elif key in ("properties", "$defs", "definitions") and isinstance(each, Mapping):
                for name, below in each.items():
                    found += references(below, f"{where}/{key}/{name}")
            elif key not in ("enum", "const", "default", "examples", "example"):
                found += references(each, f"{where}/{key}")
    return found


def compile_schema(schema: dict[str, Any]) -> Any:
    """The validator of a schema in its own dialect, else 2020-12; nothing outside is read."""
    import jsonschema_rs

    def refuse(uri: str) -> Any:
        raise ValueError(f"{uri} points outside the document and is not followed")

    seven = "draft-07" in str(schema.get("$schema", ""))
    kind = jsonschema_rs.Draft7Validator if seven else jsonschema_rs.Draft202012Validator
    return kind(schema, retriever=refuse, validate_formats=False)


def _annotations(data: Any, name: str, problems: list[Problem]) -> Annotations:
    hints: dict[str, bool] = {}
    for key, value in data.items() if isinstance(data, Mapping) else ():
        if key in _HINTS and isinstance(value, bool):
            hints[_HINTS[key]] = value
        elif key in _HINTS or key != "title":
            problems.append(Problem(f"{name}/annotations/{key}", "no hint we know: left out"))
    return Annotations(**hints)


def _of(data: Any, key: str) -> Any:
    return data.get(key) if isinstance(data, Mapping) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
