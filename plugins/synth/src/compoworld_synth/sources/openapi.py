"""OpenAPI 3.0 and 3.1: one tool an operation, with the schemas of what it takes and answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import define, field

from compoworld_synth import schemas
from compoworld_synth.listing import Listing, Problem, Rest, Schema, ToolSpec
from compoworld_synth.sources import documents
from compoworld_synth.sources.discovery import BODY, promised
from compoworld_synth.sources.documents import Names
from compoworld_synth.sources.reading import SourceError
from compoworld_synth.sources.shape import (
    FLAG,
    SCHEMA,
    WORDS,
    Shape,
    checked,
    record,
    several,
    table,
)

_VERBS: Final = ("get", "put", "post", "delete", "patch", "head", "options", "trace")
_NAMED: Final = "#/components/schemas/"
_MAPS: Final = frozenset(
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]
)
_VALUES: Final = frozenset(["enum", "const", "default", "example", "examples"])

_CONTENT: Final = table(record(schema=SCHEMA), extensible=True)
_PARAMETER: Final = Shape(
    (dict,),
    {
        "name": WORDS, "in": WORDS, "required": FLAG, "description": WORDS, "schema": SCHEMA,
        "content": _CONTENT,
    },
)  # fmt: skip
_BODY: Final = record(content=_CONTENT, required=FLAG)
_ANSWER: Final = record(content=_CONTENT)
_OPERATION: Final = record(
    operationId=WORDS,
    summary=WORDS,
    description=WORDS,
    tags=several(WORDS),
    parameters=several(_PARAMETER),
    requestBody=_BODY,
    responses=table(_ANSWER, extensible=True),
)
_PATH: Final = record(parameters=several(_PARAMETER), **dict.fromkeys(_VERBS, _OPERATION))
SHAPE: Final = record(
    info=record(title=WORDS, version=WORDS, license=record(name=WORDS, identifier=WORDS)),
    components=record(schemas=table(SCHEMA)),
    paths=table(_PATH, extensible=True),
)
"""What :func:`listing` asks of a document; what a reference leads to is asked the same."""


def is_listing(data: Any) -> bool:
    """Whether this is an OpenAPI document of any version."""
    return isinstance(data, Mapping) and ("openapi" in data or "swagger" in data)


def listing(data: Any, server: str, source: str) -> Listing:
    """One tool an operation; SourceError where the version is another or there is none."""
    stated = str(data.get("openapi", "")) if isinstance(data, Mapping) else ""
    if not stated.startswith(("3.0", "3.1")):
        other = stated or str(
            data.get("swagger", "none") if isinstance(data, Mapping) else "none"
        )
        raise SourceError(f"{source} is OpenAPI {other}; 3.0 and 3.1 are read: convert it")
    data = checked(data, SHAPE)
    head = data.get("info", {})
    reader = _Reader(data, old=stated.startswith("3.0"))
    tools = documents.once(list(reader.tools()))
    if not tools:
        raise SourceError(f"{source} describes no operations; there is nothing to import")
    stands = head.get("license", {})
    return Listing(
        server=server or documents.tool_name(str(head.get("title", "api"))).lower(),
        tools=tools,
        version=str(head.get("version", "")),
        license=str(stands.get("identifier") or stands.get("name") or ""),
        source=source,
        problems=tuple(dict.fromkeys(reader.problems)),
    )


@define
class _Reader:
    data: Mapping[str, Any]
    old: bool
    """3.0 has its own dialect; 3.1 is 2020-12."""
    problems: list[Problem] = field(factory=list)
    names: Names = field(init=False)

    def __attrs_post_init__(self) -> None:
        raw = self.data.get("components", {}).get("schemas", {})
        self.names = Names(
            raw,
            lambda node, name: self.schema(node, f"components/schemas/{name}"),
            self.problems,
        )

    def tools(self) -> Iterator[ToolSpec]:
        for path, item in self.data.get("paths", {}).items():
            found = self.followed(item, f"paths/{path}", _PATH)
            for verb in _VERBS:
                if verb in found:
                    yield self.tool(path, verb, found[verb], found.get("parameters", []))
        if self.data.get("webhooks"):
            self.problems.append(Problem("webhooks", "calls to a client, no tools: left out"))

    def followed(self, node: Any, where: str, shape: Shape) -> Mapping[str, Any]:
        """What a node says after its references, which stay inside the document."""
        for _ in range(20):
            if not isinstance(node, Mapping) or not isinstance(node.get("$ref"), str):
                break
            try:
                node = schemas.resolve(self.data, node["$ref"])
            except KeyError as error:
                raise SourceError(f"{where}: {error.args[0]}") from None
        else:
            raise SourceError(f"{where}: its references lead in a circle")
        found: Mapping[str, Any] = checked(node, shape, where)
        return found

    def tool(
        self, path: str, verb: str, operation: Mapping[str, Any], shared: list[Any]
    ) -> ToolSpec:
        stated = str(operation.get("operationId") or f"{verb}_{path}")
        name = documents.tool_name(stated)
        properties: dict[str, Any] = {}
        required: list[str] = []
        places: dict[str, list[str]] = {"path": [], "query": [], "header": [], "cookie": []}
        for key, place, each in self.parameters(
            name, [*shared, *operation.get("parameters", [])]
        ):
            properties[key] = each["schema"]
            places.setdefault(place, []).append(key)
            if each["required"]:
                required.append(key)
        body, needed = self.body(operation.get("requestBody"), name)
        slot = BODY if BODY not in properties else "request_body"
        if body is not None:
            properties[slot] = body
            required += [slot] if needed else []
        answer = self.answer(operation.get("responses", {}), name)
        closed = self.names.closed(documents.root(properties, required), name)
        summary = str(operation.get("summary", ""))
        return ToolSpec(
            name=name,
            description=str(operation.get("description") or summary),
            title=summary,
            input_schema=closed,
            output_schema=(
                self.names.closed(answer, f"{name}/response", documents.LARGEST_RESULT)
                if answer is not None
                else None
            ),
            annotations=promised(verb.upper()),
            rest=Rest(
                method=verb.upper(),
                path=path,
                path_parameters=documents.variables(path),
                query_parameters=tuple(places["query"]),
                body_parameter=slot if body is not None else "",
                body=self.opened(body),
                answers=answer is not None,
                response_lists=self.names.lists(answer),
                resource=tuple(map(str, operation.get("tags", ())))[:1],
                operation=stated,
                read_only_fields=self.names.read_only(body),
            ),
        )

    def opened(self, schema: Schema | None) -> Schema | None:
        """A schema in place of its name."""
        name = self.names.entity(schema)
        return self.names.get(name) if name else schema

    def parameters(
        self, tool: str, listed: list[Any]
    ) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """(argument, place, schema and required) of each; an operation's own win over shared.

        Two of one name in different places keep it and get the place before it.
        """
        found: dict[tuple[str, str], Mapping[str, Any]] = {}
        for index, each in enumerate(listed):
            place = f"{tool}/parameters/{index}"
            node = self.followed(each, place, _PARAMETER)
            if "name" not in node:
                raise SourceError(f"{place} needs 'name', which is missing")
            found[(str(node["name"]), str(node.get("in", "query")))] = node
        taken: set[str] = set()
        for (name, place), node in found.items():
            where = f"{tool}/parameters/{name}"
            key = name if name not in taken else f"{place}_{name}"
            if key != name:
                self.problems.append(Problem(where, f"there twice: that in {place} is {key}"))
            taken.add(key)
            media = node.get("content", {})
            raw = node.get("schema", next((m.get("schema", {}) for m in media.values()), {}))
            made = self.schema(raw, where)
            if node.get("description") and "description" not in made:
                made = {**made, "description": str(node["description"])}
            yield key, place, {"schema": made, "required": node.get("required") is True}

    def body(self, node: Any, tool: str) -> tuple[Schema | None, bool]:
        """The schema of a request's body and whether it is needed; JSON wins over forms."""
        found = self.followed(node or {}, f"{tool}/requestBody", _BODY)
        content = found.get("content", {})
        if not content:
            return None, False
        kind = _media(content)
        self.problems += [
            Problem(f"{tool}/requestBody/{each}", f"another form of the body: {kind} is taken")
            for each in content
            if each != kind
        ]
        schema = self.schema(content[kind].get("schema", {}), f"{tool}/requestBody")
        return schema, found.get("required") is True

    def answer(self, responses: Mapping[str, Any], tool: str) -> Schema | None:
        """The schema of the first success that has one."""
        answer: Schema | None = None
        for code in sorted(responses, key=str):
            where = f"{tool}/responses/{code}"
            content = self.followed(responses[code], where, _ANSWER).get("content")
            if answer is None and str(code).startswith("2") and content:
                stated = content[_media(content)].get("schema")
                answer = None if stated is None else self.schema(stated, where)
        return answer

    def schema(self, node: Any, where: str) -> Schema:
        """A schema in 2020-12, references as `#/$defs/NAME`."""
        made = self.translated(node, where)
        return made if isinstance(made, dict) else {} if made is True else {"not": {}}

    def translated(self, node: Any, where: str) -> Any:
        if isinstance(node, list):
            return [self.translated(each, f"{where}/{i}") for i, each in enumerate(node)]
        if not isinstance(node, Mapping):
            return node
        made: dict[str, Any] = {}
        for key, each in node.items():
            if key in _MAPS and isinstance(each, Mapping):
                made[key] = {
                    name: self.translated(below, f"{where}/{key}/{name}")
                    for name, below in each.items()
                }
            elif key == "$ref" and isinstance(each, str):
                made |= self.reference(each, where)
            elif key in ("discriminator", "xml", "externalDocs") or key.startswith("x-"):
                if key == "discriminator":
                    self.problems.append(
                        Problem(f"{where}/{key}", "says nothing to a validator")
                    )
            else:
                made[key] = each if key in _VALUES else self.translated(each, f"{where}/{key}")
        return _modern(made) if self.old else made

    def reference(self, target: str, where: str) -> dict[str, Any]:
        if target.startswith(_NAMED) and "/" not in target.removeprefix(_NAMED):
            return {"$ref": f"#/$defs/{target.removeprefix(_NAMED)}"}
        try:
            found = schemas.resolve(self.data, target)
        except KeyError as error:
            raise SourceError(f"{where}: {error.args[0]}") from None
        name = documents.tool_name(target)
        if name not in self.names.raw:  # a schema in an odd place gets its place as a name
            self.names.raw = {**self.names.raw, name: found}
        return {"$ref": f"#/$defs/{name}"}


def _media(content: Mapping[str, Any]) -> str:
    """The content type to take: JSON, else the first."""
    kinds = list(content)
    return next((each for each in kinds if "json" in each), kinds[0])


def _modern(node: dict[str, Any]) -> dict[str, Any]:
    """3.0's `nullable` and boolean exclusive bounds in the words of 2020-12."""
    if node.pop("nullable", False) is True:
        if isinstance(node.get("type"), str):
            node["type"] = [node["type"], "null"]
            if isinstance(node.get("enum"), list) and None not in node["enum"]:
                node["enum"] = [*node["enum"], None]
        elif node:
            node = {"anyOf": [node, {"type": "null"}]}
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(node.get(exclusive), bool) and node.pop(exclusive) and bound in node:
            node[exclusive] = node.pop(bound)
    return node
