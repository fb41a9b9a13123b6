"""Documents: what the readers of REST descriptions share: named schemas, and what uses them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from attrs import define, field

from compoworld_synth.listing import Problem, Schema, ToolSpec
from compoworld_synth.sources.reading import SourceError

LARGEST_RESULT: Final = 1_000
"""Named schemas that one result may bring along; more are reported and left open."""
_NAME: Final = "#/$defs/"


@define
class Names:
    """The named schemas of a document in 2020-12, each translated once when first used."""

    raw: Mapping[str, Any]
    translate: Callable[[Any, str], Schema]
    """From the source's dialect, with references as `#/$defs/NAME`."""
    problems: list[Problem] = field(factory=list)
    _done: dict[str, Schema] = field(factory=dict)
    _uses: dict[str, tuple[str, ...]] = field(factory=dict)

    def get(self, name: str) -> Schema:
        """One named schema; an unknown name is reported and takes anything."""
        if name not in self._done:
            if name in self.raw:
                self._done[name] = self.translate(self.raw[name], name)
            else:
                self.problems.append(Problem(name, "referred to, but not described: anything"))
                self._done[name] = {}
            self._uses[name] = tuple(dict.fromkeys(named(self._done[name])))
        return self._done[name]

    def closed(self, schema: Schema, where: str, most: int = 0) -> Schema:
        """The schema with all that it refers to under `$defs`, so that it stands alone."""
        waiting = list(dict.fromkeys(named(schema)))
        found: dict[str, Schema] = {}
        while waiting:
            name = waiting.pop(0)
            if name in found:
                continue
            if most and len(found) >= most:
                found[name] = {}
                self.problems.append(Problem(f"{where}/$defs/{name}", "too many: anything"))
                continue
            found[name] = self.get(name)
            waiting += self._uses[name]
        return {**schema, "$defs": found} if found else schema

    def entity(self, schema: Any) -> str:
        """The name a schema refers to, through an array's items too; empty without one."""
        if isinstance(schema, Mapping):
            reference = schema.get("$ref")
            if isinstance(reference, str) and reference.startswith(_NAME):
                return reference.removeprefix(_NAME)
        return ""

    def lists(self, schema: Schema | None) -> tuple[tuple[str, str], ...]:
        """(property, entity) of each array of named objects in an answer."""
        if schema is None:
            return ()
        if schema.get("type") == "array":
            entity = self.entity(schema.get("items"))
            return (("", entity),) if entity else ()
        return tuple(
            (name, self.entity(each.get("items")))
            for name, each in self.properties(schema)
            if self.entity(each.get("items"))
        )

    def read_only(self, schema: Schema | None) -> tuple[str, ...]:
        """Properties that only the server sets."""
        found = self.properties(schema or {})
        return tuple(name for name, each in found if each.get("readOnly") is True)

    def properties(self, schema: Schema) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The properties of a schema, or of the one that it names."""
        name = self.entity(schema)
        node = self.get(name) if name else schema
        properties = node.get("properties")
        if isinstance(properties, Mapping):
            yield from (
                (key, each) for key, each in properties.items() if isinstance(each, dict)
            )


def named(node: Any) -> Iterator[str]:
    """The names that a translated schema refers to, in its order."""
    if isinstance(node, list):
        for each in node:
            yield from named(each)
    elif isinstance(node, Mapping):
        for key, each in node.items():
            if key == "$ref" and isinstance(each, str):
                if each.startswith(_NAME):
                    yield each.removeprefix(_NAME)
            elif key == "properties" and isinstance(each, Mapping):
                for below in each.values():  # a property may be called `examples`
                    yield from named(below)
            elif key not in ("enum", "const", "default", "examples"):
                yield from named(each)


def root(properties: dict[str, Any], required: list[str]) -> Schema:
    """The schema of a call's arguments: these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def variables(path: str) -> tuple[str, ...]:
    """The variables of a path's template; `{+name}` and `{name+}` may hold slashes."""
    return tuple(re.findall(r"\{\+?([^{}+]+)\+?\}", path))


def tool_name(text: str) -> str:
    """An operation's name as a tool's: what is no letter, digit, dash or dot becomes `_`."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", text).strip("_") or "operation"


def once(specs: list[ToolSpec]) -> tuple[ToolSpec, ...]:
    """The tools, if each name is there once; SourceError names the one that is not."""
    seen: set[str] = set()
    for spec in specs:
        if spec.name in seen:
            raise SourceError(
                f"two operations are called {spec.name!r}; give one another operationId"
            )
        seen.add(spec.name)
    return tuple(specs)
