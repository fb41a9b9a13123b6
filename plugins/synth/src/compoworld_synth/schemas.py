"""Schemas: the normalised view of a tool's parameters, beside the untouched original.

The view is for analysis alone. It resolves references inside the document, brings the forms of
"may be null" to one, and says by path what it cannot show. A call is never judged by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote

from attrs import define, field, frozen

from compoworld_synth.listing import Problem, Schema, ToolSpec

DEEPEST: Final = 40
"""Levels of properties and items that the view opens; real listings have up to 13."""
_MOST: Final = 20_000
"""Parameters of one tool, all levels together: references can multiply without end."""
_KINDS: Final = {
    "string": "str",
    "integer": "int",
    "number": "num",
    "boolean": "bool",
    "object": "obj",
    "array": "arr",
}
_SHOWN: Final = {
    "type", "properties", "required", "items", "enum",
    "const", "default", "format", "pattern", "minLength",
    "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "minItems", "maxItems", "uniqueItems", "multipleOf", "description",
    "title", "$ref", "$defs", "definitions", "$schema",
    "$id", "anyOf", "oneOf", "allOf", "nullable",
    "examples", "example", "additionalProperties", "deprecated", "readOnly",
    "writeOnly", "$comment", "$anchor", "prefixItems", "contentEncoding",
    "contentMediaType", "minProperties", "maxProperties", "propertyNames",
}  # fmt: skip
"""What the view shows, or what says nothing about instances."""


@frozen(hash=False)
class Param:
    """One parameter, or a property of one, as analysis sees it."""

    name: str
    """As the listing spells it; empty for the items of an array and alternatives."""
    path: tuple[str, ...]
    """Names from the arguments' root to this one, itself included; items add nothing."""
    kind: str
    """str, int, num, bool, obj, arr, null, any or union."""
    required: bool = False
    nullable: bool = False
    items: Param | None = None
    """What an array holds, where the schema says so."""
    properties: tuple[Param, ...] = ()
    values: Param | None = None
    """What a typed map holds under any key."""
    alternatives: tuple[Param, ...] = ()
    """The kinds of a union, without null."""
    enum: tuple[Any, ...] = ()
    """JSON values; a constant is an enumeration of one; null is left to `nullable`."""
    default: Any = None
    has_default: bool = False
    format: str = ""
    pattern: str = ""
    min_length: int | None = None
    max_length: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    min_items: int | None = None
    max_items: int | None = None
    description: str = ""
    title: str = ""
    closed: bool = False
    """An object that refuses unknown keys."""
    read_only: bool = False
    numeric: bool = False
    """A text that the schema also takes as a number."""
    recursive: bool = False
    """Where a reference comes back to what it is in: opened no further."""


def normalise(spec: ToolSpec) -> tuple[Param, ...]:
    """The parameters of a tool in the schema's order, each with its properties below it."""
    return view(spec.input_schema, spec.name)[0]


def problems(spec: ToolSpec) -> tuple[Problem, ...]:
    """What the views of a tool's input and output cannot show, by path."""
    found = view(spec.input_schema, f"{spec.name}/inputSchema")[1]
    if spec.output_schema is not None:
        found += view(spec.output_schema, f"{spec.name}/outputSchema")[1]
    return found


def outputs(spec: ToolSpec) -> tuple[Param, ...]:
    """The properties of a tool's result; empty where it states none."""
    return view(spec.output_schema, spec.name)[0] if spec.output_schema is not None else ()


def view(schema: Schema, where: str = "") -> tuple[tuple[Param, ...], tuple[Problem, ...]]:
    """The properties of any schema's root, and what could not be shown."""
    reader = _Reader(schema)
    root = reader.param(schema, "", (), where, ())
    return root.properties, tuple(reader.problems)


def resolve(root: Any, reference: str) -> Any:
    """What a reference inside a document points at; KeyError where it points nowhere.

    Only fragments are followed (`#`, `#/$defs/Pet`): nothing outside is ever looked up.
    """
    if not reference.startswith("#"):
        raise KeyError(f"{reference!r} points outside the document and is not followed")
    node = root
    for part in reference[1:].split("/")[1:]:
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(node, Mapping) and key in node:
            node = node[key]
        elif isinstance(node, list) and key.isdecimal() and int(key) < len(node):
            node = node[int(key)]
        else:
            raise KeyError(f"{reference!r} points at nothing")
    if len(reference) > 1 and reference[1] != "/":
        raise KeyError(f"{reference!r} is an anchor, which is not followed")
    return node


@define
class _Reader:
    root: Any
    problems: list[Problem] = field(factory=list)
    left: int = _MOST

    def report(self, where: str, why: str) -> None:
        self.problems.append(Problem(where, why))

    def param(
        self,
        node: Any,
        name: str,
        path: tuple[str, ...],
        where: str,
        seen: tuple[str, ...],
        required: bool = False,
    ) -> Param:
        """One schema as a Param; whatever it holds, something comes back."""
        self.left -= 1
        if node is True or node == {}:
            return Param(name, path, "any", required)
        if not isinstance(node, Mapping):
            self.report(where, "no schema: taken as anything")
            return Param(name, path, "any", required)
        if self.left <= 0 or len(path) > DEEPEST:
            self.report(where, "too deep or too wide to be opened: taken as anything")
            return Param(name, path, "any", required)
        merged, seen, recursive = self.flat(node, where, seen)
        if recursive:
            return Param(name, path, "any", required, recursive=True)
        for key in merged:
            if key not in _SHOWN and not key.startswith("x-"):
                self.report(f"{where}/{_pointed(key)}", "not in the view: calls still obey it")
        kinds, nullable = _kinds(merged)
        options = self.options(merged, path, where, seen)
        nullable |= any(each.kind == "null" or each.nullable for each in options)
        options = tuple(each for each in options if each.kind != "null")
        return self.assembled(
            merged, name, path, where, seen, required, kinds, nullable, options
        )

    def assembled(  # the parts of one Param, each already read
        self,
        node: Mapping[str, Any],
        name: str,
        path: tuple[str, ...],
        where: str,
        seen: tuple[str, ...],
        required: bool,
        kinds: tuple[str, ...],
        nullable: bool,
        options: tuple[Param, ...],
    ) -> Param:
        enum = _enum(node)
        if not kinds and enum:
            kinds = tuple(dict.fromkeys(map(_kind_of, enum)))
        if not kinds and "properties" in node:
            kinds = ("obj",)
        only = options[0] if len({each.kind for each in options}) == 1 else None
        kind = only.kind if only and not kinds else _one(kinds, options)
        inner = only if only is not None and kind == only.kind else None
        items = inner.items if inner else None
        if "items" in node and kind == "arr":
            items = self.param(node["items"], "", path, f"{where}/items", seen)
        elif "prefixItems" in node:
            self.report(f"{where}/prefixItems", "a tuple is shown as an array of anything")
        own = self.properties(node, path, where, seen) if kind == "obj" else ()
        if kind == "obj" and options:
            own = _united((*own, *(each for option in options for each in option.properties)))
        extra = node.get("additionalProperties")
        values = inner.values if inner else None
        if kind == "obj" and isinstance(extra, Mapping) and extra:
            below = f"{where}/additionalProperties"
            values = self.param(extra, "", path, below, seen)
        if len(options) == 1 or (only is not None and not enum):
            enum = enum or tuple(value for each in options for value in each.enum)
        has_default = "default" in node
        return Param(
            name, path, kind, required,
            nullable=nullable or (has_default and node["default"] is None),
            items=items, properties=own, values=values,
            alternatives=options if kind == "union" else (),
            enum=tuple(value for value in enum if value is not None),
            default=node.get("default"), has_default=has_default,
            format=_text(node, "format") or (inner.format if inner else ""),
            pattern=_text(node, "pattern") or (inner.pattern if inner else ""),
            min_length=_whole(node, "minLength", inner and inner.min_length),
            max_length=_whole(node, "maxLength", inner and inner.max_length),
            minimum=_number(node, ("minimum", "exclusiveMinimum"), inner and inner.minimum),
            maximum=_number(node, ("maximum", "exclusiveMaximum"), inner and inner.maximum),
            min_items=_whole(node, "minItems", inner and inner.min_items),
            max_items=_whole(node, "maxItems", inner and inner.max_items),
            description=_text(node, "description") or (inner.description if inner else ""),
            title=_text(node, "title"), closed=extra is False,
            read_only=node.get("readOnly") is True,
            numeric=kind == "str" and _takes_numbers((*kinds, *(o.kind for o in options))),
        )  # fmt: skip

    def flat(
        self, node: Mapping[str, Any], where: str, seen: tuple[str, ...]
    ) -> tuple[dict[str, Any], tuple[str, ...], bool]:
        """The node with its reference and allOf merged in; whether it comes back to itself."""
        merged = dict(node)
        while isinstance(merged.get("$ref"), str):
            reference = merged.pop("$ref")
            if reference in seen:
                return merged, seen, True
            seen = (*seen, reference)
            try:
                target = resolve(self.root, reference)
            except KeyError as error:
                self.report(where, str(error.args[0]))
                break
            if isinstance(target, Mapping):
                merged = _joined(target, merged)
        parts = merged.pop("allOf", None)
        every: dict[str, Any] = {}
        for index, part in enumerate(parts if isinstance(parts, list) else ()):
            if isinstance(part, Mapping):
                below, seen, recursive = self.flat(part, f"{where}/allOf/{index}", seen)
                every = every if recursive else _joined(every, below)
        merged = _joined(every, merged)
        return merged, seen, False

    def options(
        self, node: Mapping[str, Any], path: tuple[str, ...], where: str, seen: tuple[str, ...]
    ) -> tuple[Param, ...]:
        found = []
        for key in ("anyOf", "oneOf"):
            listed = node.get(key)
            for index, each in enumerate(listed if isinstance(listed, list) else ()):
                found.append(self.param(each, "", path, f"{where}/{key}/{index}", seen))
        return tuple(found)

    def properties(
        self, node: Mapping[str, Any], path: tuple[str, ...], where: str, seen: tuple[str, ...]
    ) -> tuple[Param, ...]:
        listed = node.get("properties", {})
        if not isinstance(listed, Mapping):
            self.report(f"{where}/properties", "no map of schemas")
            return ()
        asked = node.get("required", ())
        required = asked if isinstance(asked, list) else ()
        for name in required:
            if name not in listed:
                self.report(f"{where}/required", f"{name!r} is required but not described")
        return tuple(
            self.param(
                each, name, (*path, name), f"{where}/properties/{_pointed(name)}", seen,
                name in required,
            )
            for name, each in listed.items()
        )  # fmt: skip


def _joined(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Two schemas that both hold: properties and required united, else the second wins."""
    joined = {**first, **second}
    for key in ("properties", "$defs", "definitions"):
        if isinstance(first.get(key), Mapping) and isinstance(second.get(key), Mapping):
            joined[key] = {**first[key], **second[key]}
    for key in ("required", "anyOf", "oneOf"):
        if isinstance(first.get(key), list) and isinstance(second.get(key), list):
            joined[key] = [*first[key], *(x for x in second[key] if x not in first[key])]
    return joined


def _united(params: tuple[Param, ...]) -> tuple[Param, ...]:
    """Properties of all alternatives by name: the first wins, and none of them is certain."""
    by_name: dict[str, Param] = {}
    for each in params:
        by_name.setdefault(each.name, each)
    return tuple(by_name.values())


def _kinds(node: Mapping[str, Any]) -> tuple[tuple[str, ...], bool]:
    stated = node.get("type")
    listed = [stated] if isinstance(stated, str) else stated if isinstance(stated, list) else []
    nullable = "null" in listed or node.get("nullable") is True
    kinds = tuple(_KINDS[each] for each in listed if isinstance(each, str) and each in _KINDS)
    return (("null",), True) if listed == ["null"] else (kinds, nullable)


def _one(kinds: tuple[str, ...], options: tuple[Param, ...]) -> str:
    """The kind of several: text or a number is text, since both are written as text."""
    every = tuple(dict.fromkeys(kinds or (each.kind for each in options)))
    if not every:
        return "any"
    if len(every) == 1:
        return every[0]
    if set(every) <= {"int", "num"}:
        return "num"
    return "str" if set(every) <= {"str", "int", "num"} else "union"


def _enum(node: Mapping[str, Any]) -> tuple[Any, ...]:
    if "const" in node:
        return (node["const"],)
    listed = node.get("enum")
    return tuple(listed) if isinstance(listed, list) else ()


def _kind_of(value: Any) -> str:
    for kind, name in ((bool, "bool"), (str, "str"), (int, "int"), (float, "num")):
        if isinstance(value, kind):
            return name
    return "arr" if isinstance(value, list) else "obj" if isinstance(value, dict) else "null"


def _text(node: Mapping[str, Any], key: str) -> str:
    value = node.get(key)
    return value if isinstance(value, str) else ""


def _takes_numbers(kinds: tuple[str, ...]) -> bool:
    return "int" in kinds or "num" in kinds


def _whole(node: Mapping[str, Any], key: str, inner: Any) -> int | None:
    value = node.get(key, inner)
    return int(value) if isinstance(value, int | float) else None


def _number(node: Mapping[str, Any], keys: tuple[str, str], inner: Any) -> float | None:
    for key in keys:
        value = node.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
    return inner if isinstance(inner, int | float) else None


def _pointed(key: object) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")


def walk(params: tuple[Param, ...]) -> Iterator[Param]:
    """Every Param with all below it, parents first."""
    for each in params:
        yield each
        below = (each.items, each.values, *each.properties, *each.alternatives)
        yield from walk(tuple(part for part in below if part is not None))
