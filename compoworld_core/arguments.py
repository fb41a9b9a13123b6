"""Arguments for any tool, drawn from its parameters' types and from what a state holds.

`draw_arguments` gives what a reasonable caller might send: existing keys for references, values
that records hold for semantic types, documented forms filled with a field's value.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from random import Random
from typing import Any, Literal, NotRequired, Required, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen, MultipleOf
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import to_json, to_jsonable_python

from compoworld_core.cast import Cast
from compoworld_core.draws import draw
from compoworld_core.holdings import World, annotation_of, sources
from compoworld_core.service import Tool
from compoworld_core.state import State
from compoworld_core.types import HOLE, Forms, Meaning, RefTo

_DEEPEST = 4
"""Nesting at which optional parts of a recursive type are left out."""

_TRIES = 8
"""Draws until one passes the tool's own validation (patterns, rules over several fields)."""

_CURSORS = frozenset(
    {
        "after", "before", "cursor", "ending_before", "next_cursor", "next_page_token",
        "nextpagetoken", "page_token", "pagetoken", "since_id", "start_cursor",
        "starting_after",
    }
)  # fmt: skip
"""Optional parameters that only an earlier page can fill."""


def draw_arguments(
    tool: Tool, state: State, rng: Random, *, optional: float = 0.5, cast: Cast | None = None
) -> dict[str, Any]:
    """Draw JSON arguments that fit the tool's schema and refer to what the state holds.

    Args:
        optional: how likely an optional parameter is given.
        cast: people, companies and products to draw from too, besides the state's values.
    """
    world = World(state, rng, optional, cast)
    drawn = {}
    for _ in range(_TRIES):
        drawn = _object(tool.arguments, world, 0)
        try:
            tool.validate_json(to_json(drawn))
        except ValidationError:
            continue
        break
    return drawn


# -- drawing by type ---------------------------------------------------------------------------


def _object(model: type[BaseModel], world: World, depth: int) -> dict[str, Any]:
    """Values for a model's fields, under their public names."""
    drawn = {}
    for name, info in model.model_fields.items():
        public = info.alias or name
        if not info.is_required():
            given = depth < _DEEPEST and world.rng.random() < world.optional
            if not given or public.casefold() in _CURSORS:
                continue
        drawn[public] = _value(annotation_of(info), public, world, depth + 1, [])
    return drawn


def _value(annotation: Any, name: str, world: World, depth: int, markers: list[Any]) -> Any:
    """A JSON value of a type; `name` is the parameter's, `markers` stood around the type."""
    rng, origin, parts = world.rng, get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated:
        return _value(parts[0], name, world, depth, [*markers, *_flat(parts[1:])])
    if hasattr(annotation, "__value__"):
        return _value(annotation.__value__, name, world, depth, markers)
    if origin in (Union, types.UnionType):
        choices = [part for part in parts if part is not type(None)]
        if len(choices) < len(parts) and (rng.random() < 0.1 or depth > _DEEPEST):
            return None
        return _value(rng.choice(choices), name, world, depth, markers)
    if origin is Literal:
        return to_jsonable_python(rng.choice(parts))
    forms = _last(markers, Forms)
    if forms is not None and forms.forms:
        return _filled_form(forms, world)
    reference = _last(markers, RefTo)
    base = origin or annotation
    if reference is not None and base in (str, int):
        key = world.key(reference.entity)
        if key is not None:
            return _fit(base, key, markers, rng)
    if base in (list, tuple, set, frozenset) or _is_sequence(base):
        return _sequence(base, parts, name, world, depth, markers)
    if hasattr(base, "__required_keys__"):
        return _typed_dict(base, world, depth)
    if _is_mapping(base):
        return _mapping(parts, world, depth)
    if isinstance(base, type) and issubclass(base, Enum):
        return to_jsonable_python(rng.choice(list(base)))
    if isinstance(base, type) and issubclass(base, BaseModel):
        return _object(base, world, depth)
    if base is bool:
        return rng.random() < 0.5
    return _scalar(base, name, world, markers)


def _flat(markers: tuple[Any, ...]) -> list[Any]:
    """Markers with grouped constraints and Field(...) taken apart."""
    found: list[Any] = []
    for marker in markers:
        if isinstance(marker, FieldInfo):
            found += _flat(tuple(marker.metadata))
        elif getattr(marker, "__is_annotated_types_grouped_metadata__", False):
            found += list(marker)
        else:
            found.append(marker)
    return found


def _last(markers: list[Any], kind: type[Any]) -> Any:
    return next((m for m in reversed(markers) if isinstance(m, kind)), None)


def _is_sequence(base: Any) -> bool:
    return isinstance(base, type) and base.__name__ in (
        "Sequence",
        "Iterable",
        "Set",
        "Collection",
    )


def _is_mapping(base: Any) -> bool:
    return isinstance(base, type) and issubclass(base, Mapping)


def _sequence(
    base: Any, parts: tuple[Any, ...], name: str, world: World, depth: int, markers: list[Any]
) -> list[Any]:
    if base is tuple and parts and parts[-1] is not ...:
        return [_value(part, name, world, depth, markers) for part in parts if part != ()]
    least = max((m.min_length for m in markers if isinstance(m, MinLen)), default=0)
    most = min((m.max_length for m in markers if isinstance(m, MaxLen)), default=least + 3)
    size = min(max(least, world.rng.choice((1, 1, 2, 3))), most)
    if depth > _DEEPEST:
        size = least
    item = parts[0] if parts else Any
    kept = [m for m in markers if not isinstance(m, MinLen | MaxLen)]
    drawn: list[Any] = []
    for _ in range(size * 3):
        value = _value(item, name, world, depth, kept)
        if value not in drawn:
            drawn.append(value)
        if len(drawn) == size:
            break
    return drawn


def _mapping(parts: tuple[Any, ...], world: World, depth: int) -> dict[str, Any]:
    item = parts[1] if len(parts) > 1 else Any
    names = list(sources(type(world.state))[1]) or ["name"]
    chosen = [world.rng.choice(names) for _ in range(world.rng.choice((0, 1, 2)))]
    return {key: _value(item, key, world, depth, []) for key in chosen}


def _typed_dict(kind: Any, world: World, depth: int) -> dict[str, Any]:
    hints = typing.get_type_hints(kind, include_extras=True)
    drawn = {}
    for name, annotation in hints.items():
        needed = name in kind.__required_keys__
        if needed or (depth < _DEEPEST and world.rng.random() < world.optional):
            if get_origin(annotation) in (Required, NotRequired):
                annotation = get_args(annotation)[0]
            drawn[name] = _value(annotation, name, world, depth + 1, [])
    return drawn


def _filled_form(forms: Forms, world: World) -> Any:
    """One documented form, its hole filled with a value of the field that it names."""
    by_name = sources(type(world.state))[1]
    field, form = world.rng.choice(list(forms.forms.items()))
    table, _, column = field.rpartition(".")
    found = by_name.get(column, ())
    found = tuple(s for s in found if s[0] == table) or found
    values = world.seen(found, 3)
    return fill(form, values[0] if values else draw("text", world.rng))


def fill(form: Any, value: Any) -> Any:
    """A form with its hole filled; alone in its place the hole takes the JSON value itself."""
    if isinstance(form, str):
        plain = to_jsonable_python(value)
        if form == HOLE:
            return plain
        return form.replace(HOLE, plain if isinstance(plain, str) else to_json(plain).decode())
    if isinstance(form, Mapping):
        return {key: fill(item, value) for key, item in form.items()}
    if isinstance(form, list | tuple):
        return [fill(item, value) for item in form]
    return form


def _scalar(base: Any, name: str, world: World, markers: list[Any]) -> Any:
    """A value with a meaning: one that the state holds, or a fresh one like those."""
    rng = world.rng
    meaning = _last(markers, Meaning) or _MEANT.get(base)
    if meaning is not None:
        values = world.known(meaning)
    else:
        values = world.seen(sources(type(world.state))[1].get(name, ()), 3)
    if values and (meaning is None or rng.random() < 0.7):
        return _fit(base, rng.choice(values), markers, rng)
    if meaning is not None:
        return _fit(base, draw(meaning.kind, rng, like=values), markers, rng)
    if base is str or base is Any:
        return _fit(base, _word(world), markers, rng)
    return _fit(base, rng.randint(1, 20), markers, rng)


_MEANT = {date: Meaning("date"), datetime: Meaning("datetime")}


def _word(world: World) -> str:
    """A word of some text in the state: what a search finds."""
    by_kind = sources(type(world.state))[0]
    texts = [s for kind in ("title", "text", "person") for s in by_kind.get((kind, ""), ())]
    words = [w for value in world.seen(tuple(texts), 2) for w in str(value).split()]
    return world.rng.choice(words) if words else str(draw("title", world.rng))


def _fit(base: Any, value: Any, markers: list[Any], rng: Random) -> Any:
    """The value as JSON of the base type, inside its bounds."""
    if isinstance(value, Enum):
        value = value.value
    maker = _MAKERS.get(base)
    if maker is not None:
        return maker(value, markers, rng)
    return to_jsonable_python(value, fallback=str)


def _as_text(value: Any, markers: list[Any], rng: Random) -> str:
    plain = to_jsonable_python(value)
    text = plain if isinstance(plain, str) else to_json(plain).decode()
    for marker in markers:
        if isinstance(marker, MaxLen):
            text = text[: marker.max_length]
        elif isinstance(marker, MinLen):
            text = text.ljust(marker.min_length, "x")
    return text


def _as_number(value: Any, markers: list[Any], rng: Random) -> Decimal:
    if isinstance(value, datetime):
        value = int(value.timestamp())
    try:
        number = Decimal(str(value))
    except ArithmeticError:
        number = Decimal(rng.randint(1, 20))
    low, high, step = _bounds(markers)
    if (low is not None and number < low) or (high is not None and number > high):
        bottom = low if low is not None else (high or 0) - 20
        top = high if high is not None else bottom + 20
        number = Decimal(
            rng.randint(int(bottom), max(int(bottom), min(int(top), int(bottom) + 50)))
        )
    return number - number % step if step else number


def _bounds(markers: list[Any]) -> tuple[Decimal | None, Decimal | None, Decimal | None]:
    low = high = step = None
    for marker in markers:
        if isinstance(marker, Ge):
            low = Decimal(str(marker.ge))
        elif isinstance(marker, Gt):
            low = Decimal(str(marker.gt)) + 1
        elif isinstance(marker, Le):
            high = Decimal(str(marker.le))
        elif isinstance(marker, Lt):
            high = Decimal(str(marker.lt)) - 1
        elif isinstance(marker, MultipleOf):
            step = Decimal(str(marker.multiple_of))
    return low, high, step


def _as_integer(value: Any, markers: list[Any], rng: Random) -> int:
    return int(_as_number(value, markers, rng))


def _as_float(value: Any, markers: list[Any], rng: Random) -> int | float:
    number = _as_number(value, markers, rng)
    return int(number) if number == number.to_integral() else float(number)


def _as_day(value: Any, markers: list[Any], rng: Random) -> str:
    return str(to_jsonable_python(value))[:10]


def _as_instant(value: Any, markers: list[Any], rng: Random) -> str:
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, 9, tzinfo=UTC)
    return str(to_jsonable_python(value))


def _as_time(value: Any, markers: list[Any], rng: Random) -> str:
    return time(rng.randrange(8, 18), rng.choice((0, 15, 30, 45))).isoformat()


def _as_duration(value: Any, markers: list[Any], rng: Random) -> str:
    return f"PT{rng.choice((15, 30, 45, 60, 90))}M"


_MAKERS: dict[Any, Callable[[Any, list[Any], Random], Any]] = {
    str: _as_text,
    int: _as_integer,
    float: _as_float,
    Decimal: _as_float,
    date: _as_day,
    datetime: _as_instant,
    time: _as_time,
    timedelta: _as_duration,
}
