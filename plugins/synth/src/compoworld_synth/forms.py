"""Forms: what a tool's interface becomes elsewhere, and the exact way back.

A form is a bijection: it accepts a call if and only if the original schema accepts what the
form's :meth:`Form.original` makes of it. :func:`compoworld_synth.fidelity.compare` tests that.
"""

from __future__ import annotations

import hashlib
import inspect
import keyword
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from attrs import field, frozen

from compoworld_synth.listing import Schema, ToolSpec

LONGEST: Final = 64
"""Characters of a function's or a parameter's name that every function-calling API takes."""
_SAME_PLACE: Final = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")
"""Keywords whose schemas judge the same object."""
_BY_NAME: Final = ("patternProperties", "propertyNames", "$ref", "$dynamicRef", "$recursiveRef")
"""Keywords under which other names of the root's properties would mean something else."""
_MAPS: Final = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")


@frozen(hash=False)
class Form:
    """A tool as another protocol shows it."""

    kind: str
    """function, mcp, python or unwrapped."""
    name: str
    schema: Schema
    renamed: Mapping[str, str] = field(factory=dict)
    """The original name of each root property that has another one here."""
    wrapper: str = ""
    """The only argument of the original, whose content are the arguments here."""

    def original(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The call of the original tool that a call of this form stands for."""
        there = {**self.renamed, **{b: a for a, b in self.renamed.items()}}
        found = {there.get(name, name): value for name, value in arguments.items()}
        return {self.wrapper: found} if self.wrapper else found

    def derived(self, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        """The call of this form for one of the original; None where it has none.

        A new name and an unknown argument of the same name change places, so that nothing
        is lost in a schema that takes unknown arguments.
        """
        if self.wrapper:
            inner = arguments.get(self.wrapper)
            return dict(inner) if len(arguments) == 1 and isinstance(inner, Mapping) else None
        there = {**self.renamed, **{b: a for a, b in self.renamed.items()}}
        return {there.get(name, name): value for name, value in arguments.items()}


def function(spec: ToolSpec, name: str) -> Form:
    """The form for function calling, under a name from :func:`function_names`."""
    return _renaming("function", spec, name, _function_parameter)


def python(spec: ToolSpec) -> Form:
    """The form as a Python function: each parameter has an identifier as its name."""
    return _renaming("python", spec, _identifier(spec.name), _identifier)


def mcp(spec: ToolSpec) -> Form:
    """The form as a tool of an MCP server: the original, with its dialect stated."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return Form("mcp", spec.name, {**dialect, **spec.input_schema})


def unwrapped(spec: ToolSpec) -> Form | None:
    """The content of the only argument, where that is an object and needed; else None."""
    root = spec.input_schema
    properties = root.get("properties", {})
    if len(properties) != 1 or set(root) & {*_SAME_PLACE, *_BY_NAME, "minProperties"}:
        return None
    (name,) = properties
    content = properties[name]
    if root.get("required") != [name] or not isinstance(content, Mapping):
        return None
    if content.get("type") != "object" or "$ref" in content:
        return None
    schema: Schema = _rebased(dict(content), root)
    return Form("unwrapped", spec.name, schema, wrapper=name)


def signature(spec: ToolSpec) -> inspect.Signature:
    """The signature of the Python form: keywords only, the needed ones first."""
    form = python(spec)
    needed = form.schema.get("required", [])
    names = form.schema.get("properties", {})
    found = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if name in needed else None,
        )
        for name in sorted(names, key=lambda name: name not in needed)
    ]
    if form.schema.get("additionalProperties", True) is not False:
        rest = "others"
        while rest in names:
            rest += "_"
        found.append(inspect.Parameter(rest, inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(found)


def function_names(service: str, tools: Iterable[str]) -> dict[str, str]:
    """The original name behind each function name; stable, without collisions.

    `service__tool` in letters, digits, dashes and underscores; what is too long, or falls
    together with another, ends in eight digits of its hash.
    """
    wanted: dict[str, str] = {tool: _function_word(f"{service}__{tool}") for tool in tools}
    counted: dict[str, int] = {}
    for word in wanted.values():
        counted[word] = counted.get(word, 0) + 1
    made = {
        tool: word if len(word) <= LONGEST and counted[word] == 1 else _short(word, tool)
        for tool, word in wanted.items()
    }
    return {name: tool for tool, name in made.items()}


def _function_word(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", text) or "_"


def _short(word: str, original: str) -> str:
    sign = hashlib.sha256(original.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{word[: LONGEST - 9]}_{sign}"


def _function_parameter(name: str) -> str:
    """Dots and dashes are allowed for parameters; nothing else but letters, digits and `_`."""
    word = re.sub(r"[^A-Za-z0-9_.-]", "_", name) or "_"
    return word if len(word) <= LONGEST else _short(word, name)


def _identifier(name: str) -> str:
    word = re.sub(r"[^A-Za-z0-9_]", "_", name).lstrip("_") or "argument"
    if word[0].isdigit():
        word = f"n{word}"
    return f"{word}_" if keyword.iskeyword(word) or word in ("self", "cls") else word


def _renaming(kind: str, spec: ToolSpec, name: str, rule: Callable[[str], str]) -> Form:
    root = spec.input_schema
    new = _new_names(list(_property_names(root)), rule)
    if not new:
        return Form(kind, name, root)
    if any(key in node for node in _here(root) for key in _BY_NAME):
        # Only a schema that judges names by pattern: its parameters stay as they are.
        return Form(kind, name, root)
    schema = _rebased(_with_names(root, new), root)
    return Form(kind, name, schema, {there: here for here, there in new.items()})


def _here(node: Any) -> Iterable[Mapping[str, Any]]:
    """The schemas that judge the root object itself."""
    if isinstance(node, Mapping):
        yield node
        for key in _SAME_PLACE:
            below = node.get(key)
            for each in below if isinstance(below, list) else [below]:
                yield from _here(each)


def _property_names(root: Schema) -> dict[str, None]:
    found: dict[str, None] = {}
    for node in _here(root):
        for each in (node.get("properties"), node.get("dependentSchemas")):
            found |= dict.fromkeys(each or ())
        found |= dict.fromkeys(node.get("required") or ())
    return found


def _new_names(names: list[str], rule: Callable[[str], str]) -> dict[str, str]:
    """Another name for each that needs one; those that are good keep theirs."""
    taken = {name for name in names if rule(name) == name}
    made: dict[str, str] = {}
    for name in names:
        if name in taken:
            continue
        word, number = rule(name), 1
        while word in taken or word in names:
            number += 1
            word = rule(f"{rule(name)[: LONGEST - 4]}_{number}")
        taken.add(word)
        made[name] = word
    return made


def _with_names(node: Any, new: Mapping[str, str]) -> dict[str, Any]:
    """A schema of the same object with other names for its properties."""
    made = dict(node)
    for key in ("properties", "dependentSchemas", "dependentRequired", "dependencies"):
        if isinstance(made.get(key), Mapping):
            made[key] = {new.get(name, name): each for name, each in made[key].items()}
    if isinstance(made.get("required"), list):
        made["required"] = [new.get(name, name) for name in made["required"]]
    for key in _SAME_PLACE:
        below = made.get(key)
        if isinstance(below, list):
            made[key] = [_with_names(e, new) if isinstance(e, dict) else e for e in below]
        elif isinstance(below, Mapping):
            made[key] = _with_names(below, new)
    return made


def _rebased(schema: dict[str, Any], root: Schema) -> dict[str, Any]:
    """The schema with references that still point at what they pointed at in the root."""
    if not _refers(root):
        return schema
    inner = {key: each for key, each in root.items() if key not in ("$schema", "$id")}
    made: dict[str, Any] = _pointed(schema)
    for key in ("$defs", "definitions"):
        made.pop(key, None)
    if "$schema" in root:
        made["$schema"] = root["$schema"]
    made["$defs"] = {"original": _pointed(inner)}
    return made


def _refers(node: Any) -> bool:
    if isinstance(node, list):
        return any(map(_refers, node))
    if isinstance(node, Mapping):
        return isinstance(node.get("$ref"), str) or any(map(_refers, node.values()))
    return False


def _pointed(node: Any, named: bool = False) -> Any:
    """A copy whose references lead into `#/$defs/original`."""
    if isinstance(node, list):
        return [_pointed(each) for each in node]
    if not isinstance(node, Mapping):
        return node
    made: dict[str, Any] = {}
    for key, each in node.items():
        if key == "$ref" and isinstance(each, str) and not named:
            made[key] = f"#/$defs/original{each[1:]}"
        elif key in ("enum", "const", "default", "examples") and not named:
            made[key] = each
        else:
            made[key] = _pointed(each, key in _MAPS and not named)
    return made


def forms(spec: ToolSpec, function_name: str) -> tuple[Form, ...]:
    """All forms of a tool; the unwrapped one only where it exists."""
    found = unwrapped(spec)
    every = (function(spec, function_name), mcp(spec), python(spec))
    return (*every, found) if found is not None else every
