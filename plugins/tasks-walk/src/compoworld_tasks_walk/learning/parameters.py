"""The leaves of a tool's arguments: each place where one value goes, with what it may be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from types import UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from attrs import evolve, frozen
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from compoworld_core.service import Tool
from compoworld_core.types import HOLE, Forms, Kind, Meaning, RefTo, freeze
from compoworld_tasks_walk.affordances import JSON, Fixed, Path, Slot


@frozen
class Shape:
    """What one value may be, read from its type."""

    kind: Kind = "text"
    role: str = ""
    ref: str = ""
    """Name of the entity whose key it is; `A|B` where it may be of several."""
    enum: tuple[str | int, ...] = ()
    json_type: str = "string"
    told: bool = False
    """The type says what the value means; a plain string does not."""
    many: bool = False
    low: float | None = None
    high: float | None = None
    longest: int | None = None
    optional: bool = False
    """The value may be null."""


@frozen(eq=False)
class Leaf:
    """One place in the arguments; compared by identity, as a key of what is tried there."""

    slot: Slot
    shape: Shape
    parameter: str
    """The top-level argument it lies in."""
    required: bool
    """The call needs it."""
    needs: tuple[Path, ...] = ()
    """Places that must be filled where this one is: required siblings in an optional object."""
    form: str = ""
    """The table field that a documented form compares or writes."""

    @property
    def path(self) -> Path:
        """Where the value goes."""
        return self.slot.path


@frozen
class _Marks:
    """Markers collected on the way through an annotation."""

    items: tuple[Any, ...] = ()

    def last(self, kind: type[Any]) -> Any:
        return next((item for item in reversed(self.items) if isinstance(item, kind)), None)


_JSON_TYPES: dict[Any, tuple[str, Kind, bool]] = {
    bool: ("boolean", "boolean", True),
    int: ("integer", "quantity", False),
    float: ("number", "quantity", False),
    Decimal: ("string", "quantity", False),
    datetime: ("string", "datetime", True),
    date: ("string", "date", True),
    str: ("string", "text", False),
}


def shape_of(annotation: Any, marks: Sequence[Any] = ()) -> Shape | None:
    """The shape of a scalar, or of the items of a sequence of scalars; None for other types."""
    inner, found = _unwrapped(annotation, _Marks(tuple(marks)))
    optional = _takes_null(annotation)
    item = _item_type(inner)
    if item is not None:
        part = shape_of(item, found.items)
        return None if part is None else evolve(part, many=True, optional=optional)
    meaning = found.last(Meaning)
    role = meaning.role if meaning else ""
    entity = "|".join(
        dict.fromkeys(m.entity for m in reversed(found.items) if isinstance(m, RefTo))
    )
    enum = _choices(inner)
    if enum:
        json_type = "integer" if all(isinstance(value, int) for value in enum) else "string"
        kind: Kind = meaning.kind if meaning else "status"
        return Shape(kind, role, entity, enum, json_type, True, optional=optional)
    if inner not in _JSON_TYPES:
        return None
    json_type, plain, told = _JSON_TYPES[inner]
    low, high, longest = _limits(found.items)
    return Shape(
        meaning.kind if meaning else plain,
        role,
        entity,
        (),
        json_type,
        told or meaning is not None,
        low=low,
        high=high,
        longest=longest,
        optional=optional,
    )


def _unwrapped(annotation: Any, marks: _Marks) -> tuple[Any, _Marks]:
    """A type without `Annotated`, `Optional` and further members of a union."""
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *extra = get_args(annotation)
        flat = [part for item in extra for part in _flat(item)]
        return _unwrapped(inner, _Marks((*marks.items, *flat)))
    if origin in (Required, NotRequired):
        return _unwrapped(get_args(annotation)[0], marks)
    if origin in (Union, UnionType):
        members = [part for part in get_args(annotation) if part is not type(None)]
        inner, held = _unwrapped(members[0], marks)
        others = [_unwrapped(part, marks)[1].last(RefTo) for part in members[1:]]
        return inner, _Marks((*(ref for ref in others if ref is not None), *held.items))
    return annotation, marks


def _flat(item: Any) -> Iterator[Any]:
    """A marker, and what a pydantic Field in it holds."""
    if isinstance(item, FieldInfo):
        yield from item.metadata
    else:
        yield item


def _takes_null(annotation: Any) -> bool:
    if annotation is type(None):
        return True
    if get_origin(annotation) in (Annotated, Union, UnionType):
        return any(_takes_null(part) for part in get_args(annotation))
    return False


def _item_type(annotation: Any) -> Any:
    """The item type of a list, tuple, set or sequence; None for other types."""
    origin = get_origin(annotation)
    if isinstance(origin, type) and issubclass(
        origin, list | tuple | set | frozenset | Sequence
    ):
        return get_args(annotation)[0]
    return None


def _choices(annotation: Any) -> tuple[str | int, ...]:
    if get_origin(annotation) is Literal:
        return tuple(value for value in get_args(annotation) if value is not None)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return tuple(member.value for member in annotation)
    return ()


def _limits(marks: Sequence[Any]) -> tuple[float | None, float | None, int | None]:
    low = high = longest = None
    for mark in marks:
        low = getattr(mark, "ge", low)
        high = getattr(mark, "le", high)
        if getattr(mark, "gt", None) is not None:
            low = mark.gt + 1
        if getattr(mark, "lt", None) is not None:
            high = mark.lt - 1
        longest = getattr(mark, "max_length", longest)
    return low, high, longest


def leaves(tool: Tool) -> list[Leaf]:
    """All places of a tool's arguments, in the order of its parameters."""
    found: list[Leaf] = []
    for name, info in tool.arguments.model_fields.items():
        annotation = tool.parameters[name][0] if name in tool.parameters else info.annotation
        public = info.alias or name
        marks = _Marks(tuple(info.metadata))
        found += _below(annotation, marks, (public,), public, info.is_required(), 0)
    return found


def _below(
    annotation: Any, marks: _Marks, path: Path, parameter: str, required: bool, depth: int
) -> list[Leaf]:
    inner, held = _unwrapped(annotation, marks)
    forms = held.last(Forms)
    if forms is not None:
        return [
            leaf
            for name, example in forms.forms.items()
            for leaf in _form(name, example, path, parameter, required)
        ]
    item = _item_type(inner)
    if item is not None:
        return _below(item, held, (*path, 0), parameter, required, depth)
    fields = _fields(inner)
    if fields is not None and depth < _DEEPEST:
        return _inside(fields, path, parameter, required, depth)
    shape = shape_of(inner, held.items)
    if shape is None:
        return []
    slot = Slot(path, kind=shape.kind, json_type=shape.json_type, enum=shape.enum)
    many = isinstance(path[-1], int)
    return [Leaf(slot, evolve(shape, many=many), parameter, required)]


_DEEPEST = 4


def _fields(annotation: Any) -> dict[str, tuple[Any, tuple[Any, ...], bool]] | None:
    """Public name → (annotation, markers, required) of a nested object; else None."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        hints = get_type_hints(annotation, include_extras=True)
        return {
            info.alias or name: (hints.get(name), tuple(info.metadata), info.is_required())
            for name, info in annotation.model_fields.items()
        }
    if is_typeddict(annotation):
        needed = annotation.__required_keys__
        hints = get_type_hints(annotation, include_extras=True)
        return {name: (hint, (), name in needed) for name, hint in hints.items()}
    return None


def _inside(
    fields: Mapping[str, tuple[Any, tuple[Any, ...], bool]],
    path: Path,
    parameter: str,
    required: bool,
    depth: int,
) -> list[Leaf]:
    """The leaves of an object; in an optional one, its required leaves come together."""
    found: list[tuple[Leaf, bool]] = []
    for name, (hint, marks, needed) in fields.items():
        below = _below(hint, _Marks(marks), (*path, name), parameter, True, depth + 1)
        found += [(leaf, needed and leaf.required) for leaf in below]
    core = tuple(leaf.path for leaf, needed in found if needed and not leaf.form)
    return [
        evolve(
            leaf,
            required=required and needed,
            needs=()
            if required
            else tuple(dict.fromkeys(p for p in (*core, *leaf.needs) if p != leaf.path)),
        )
        for leaf, needed in found
    ]


def _form(
    name: str, example: JSON, path: Path, parameter: str, required: bool
) -> Iterator[Leaf]:
    """The leaf of a documented form: where its hole is, and what stands around it."""
    holes: list[tuple[Path, str]] = []
    rest: list[tuple[Path, JSON]] = []
    for place, value in _scalars(example, path):
        if isinstance(value, str) and HOLE in value and not holes:
            holes.append((place, value))
        else:
            rest.append((place, value))
    for place, template in holes:
        fixed: Fixed = tuple((at, freeze(value)) for at, value in rest)
        slot = Slot(place, template, fixed)
        yield Leaf(slot, Shape(), parameter, required, form=name)


def _scalars(value: JSON, path: Path) -> Iterator[tuple[Path, JSON]]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _scalars(item, (*path, key))
    elif isinstance(value, list | tuple) and value:
        for place, item in enumerate(value):
            yield from _scalars(item, (*path, place))
    else:
        yield path, value
