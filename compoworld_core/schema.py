"""From a function's signature and docstring to its argument model and JSON schemas."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from attrs import frozen
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from compoworld_core.context import Context

_ARGS = re.compile(r"^[ \t]*Args:[ \t]*$", re.MULTILINE)
_SECTION = re.compile(r"^(?:Returns|Raises|Yields|Example|Examples):\s*$", re.MULTILINE)
_ITEM = re.compile(r"^(\*{0,2}\w+)(?: \([^)]*\))?:\s*(.*)$")


class _Unset:
    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: Any = _Unset()
"""Default of a parameter that may be omitted but not null: `title: str = UNSET`."""


class Arguments(BaseModel):
    """Base of all argument models: unknown arguments are refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, validate_by_name=True,
                              validate_by_alias=True)  # fmt: skip


def describe(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """The description and the parameters' descriptions, from a Google-style docstring."""
    text = inspect.cleandoc(function.__doc__ or "")
    found = _ARGS.search(text)
    if not found:
        return _before_sections(text), {}
    described: dict[str, str] = {}
    name = ""
    for line in text[found.end() :].splitlines():
        if not line.strip():
            continue
        if not line.startswith((" ", "\t")):
            break
        item = _ITEM.match(line.strip())
        indent = len(line) - len(line.lstrip())
        if item and indent <= 4:
            name = item[1].lstrip("*")
            described[name] = item[2].strip()
        elif name:
            described[name] = f"{described[name]} {line.strip()}".strip()
    return _before_sections(text[: found.start()]), described


def _before_sections(text: str) -> str:
    return _SECTION.split(text)[0].strip()


def public_name(parameter: str) -> str:
    """`from_` in Python is `from` on the wire."""
    return parameter[:-1] if parameter.endswith("_") else parameter


@frozen
class Signature:
    """What a tool's function takes and gives."""

    parameters: dict[str, tuple[Any, Any]]
    """Parameter → (annotation, default), without state and context; `...` is no default."""
    result: Any
    """The return annotation."""
    context: str
    """Name of the parameter that takes the Context; empty where there is none."""


def signature(function: Callable[..., Any]) -> Signature:
    """Read a tool's function; TypeError where it cannot be described to an agent."""
    hints = get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters.values())
    fields: dict[str, tuple[Any, Any]] = {}
    context = ""
    for parameter in parameters[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(
                f"{function.__name__}: *{parameter.name} cannot be described to an agent;"
                " name each parameter"
            )
        if parameter.name not in hints:
            raise TypeError(f"{function.__name__}: parameter {parameter.name} needs a type")
        annotation = hints[parameter.name]
        if annotation is Context:
            context = parameter.name
            continue
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (annotation, default)
    return Signature(fields, hints.get("return", Any), context)


def argument_model(
    name: str, function: Callable[..., Any], names: Mapping[str, str] = {}
) -> type[Arguments]:
    """A pydantic model of a tool's arguments, described by its docstring.

    Args:
        name: the model's name.
        function: the tool's function.
        names: parameter → its name on the wire, where that is not the parameter's.
    """
    _, described = describe(function)
    parameters = signature(function).parameters
    fields: dict[str, Any] = {}
    for parameter, (annotation, default) in parameters.items():
        public = names.get(parameter, public_name(parameter))
        text = described.get(parameter) or described.get(public)
        if isinstance(default, FieldInfo):
            fields[parameter] = (annotation, default)
            continue
        alias = public if public != parameter else None
        if default is UNSET:
            missing = Field(default_factory=lambda: UNSET, alias=alias, description=text)
            fields[parameter] = (annotation, missing)
        else:
            fields[parameter] = (annotation, Field(default, alias=alias, description=text))
    return create_model(name, __base__=Arguments, **fields)


class _Plain(GenerateJsonSchema):
    """JSON Schema without titles: they repeat names and cost an agent tokens."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def get_title_from_name(self, name: str) -> str:
        return ""


def input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a tool's arguments; the root is an object."""
    schema = model.model_json_schema(schema_generator=_Plain, by_alias=True)
    schema.setdefault("properties", {})
    cleaned: dict[str, Any] = _clean(schema)
    cleaned.pop("description", None)
    return cleaned


def output_schema(annotation: Any) -> dict[str, Any]:
    """The JSON Schema of a tool's result; a bare reference at the root is resolved in place."""
    schema = adapter(annotation).json_schema(mode="serialization", schema_generator=_Plain)
    root = schema.get("$ref", "")
    if root:
        target = schema["$defs"][root.rpartition("/")[2]]
        schema = {**target, "$defs": schema["$defs"]}
    cleaned: dict[str, Any] = _clean(schema)
    return cleaned


def _clean(node: Any, in_properties: bool = False) -> Any:
    if isinstance(node, dict):
        return {
            key: _clean(value, key in ("properties", "$defs") and not in_properties)
            for key, value in node.items()
            if in_properties or key != "title" or not isinstance(value, str)
        }
    if isinstance(node, list):
        return [_clean(item) for item in node]
    return node


def offers(node: Any) -> Iterator[str]:
    """The words that a schema names, at any depth; titles and descriptions are not values."""
    if isinstance(node, list):
        for item in node:
            yield from offers(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key in ("enum", "const", "default", "examples"):
                yield from _words(value)
            else:
                yield from offers(value)


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _words(item)
    elif isinstance(value, list):
        for item in value:
            yield from _words(item)
    elif isinstance(value, str):
        yield value


@lru_cache(maxsize=4096)
def _hashable_adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)


def adapter(annotation: Any) -> TypeAdapter[Any]:
    """A cached TypeAdapter."""
    try:
        return _hashable_adapter(annotation)
    except TypeError:
        return TypeAdapter(annotation)


def problems(error: ValidationError, root: str = "arguments") -> list[str]:
    """One line per field: where, and what is wrong, without pydantic's dump and links.

    Args:
        root: what is wrong where no single field is.
    """
    lines = []
    for item in error.errors(include_url=False, include_input=False, include_context=True):
        where = ".".join(str(part) for part in item["loc"]) or root
        message = item["msg"]
        if item["type"] == "missing":
            message = "missing"
        elif item["type"] == "extra_forbidden":
            message = "unknown argument"
        lines.append(f"{where}: {message[:1].lower() + message[1:]}")
    return lines


def meaning_of(annotation: Any, marker: type[Any]) -> Any:
    """The last marker of a class in an annotation, through Optional; None without one."""
    if get_origin(annotation) is Annotated:
        for item in reversed(get_args(annotation)[1:]):
            if isinstance(item, marker):
                return item
        return meaning_of(get_args(annotation)[0], marker)
    for part in get_args(annotation):
        found = meaning_of(part, marker)
        if found is not None:
            return found
    return None
