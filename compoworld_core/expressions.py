"""Expressions: where an argument of the reference solution comes from.

An expression reads the instruction's literals, constants of a tool's schema, and earlier
observations; it has no access to the state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from typing import Annotated, Any, Final, Literal

from attrs import define, field
from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import facts
from compoworld_core.errors import PlanError
from compoworld_core.observation import Observation
from compoworld_core.types import Kind

Path = tuple[str | int, ...]

_LINES: Final = re.compile(r"[\n;]")
_SATURDAY: Final = 5
_MOST_DAYS: Final = 3660


@define
class Scope:
    """What expressions may read: the outputs of earlier steps and the current item."""

    outputs: dict[str, Any] = field(factory=dict)
    """Step → its observation's JSON value; a list of them for a for-each step; the observation
    itself, which holds no value, where the call was refused."""
    item: Any = None


def failed(scope: Scope, step: str) -> bool:
    """Was the step's call refused? PlanError where it was not played."""
    output = _output(scope, step)
    return isinstance(output, Observation) and output.is_error


def at(value: Any, path: Path) -> Any:
    """The value at a path; PlanError where there is none."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError) as error:
            raise PlanError(f"no {step!r} in an observation") from error
    return value


class _Expr(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    def value(self, scope: Scope) -> Any:
        """The value in this scope; PlanError where it has none."""
        raise PlanError(f"{type(self).__name__} has no value")

    def parts(self) -> Iterator[Expr]:
        """The expressions inside."""
        return iter(())


class Lit(_Expr):
    """A value that stands in the instruction."""

    op: Literal["lit"] = "lit"
    literal: Any
    kind: Kind

    def value(self, scope: Scope) -> Any:
        return self.literal


class Const(_Expr):
    """A constant that the tool's schema offers: an enum word, a flag, a page size."""

    op: Literal["const"] = "const"
    literal: Any

    def value(self, scope: Scope) -> Any:
        return self.literal


class Out(_Expr):
    """A value in the observation of an earlier step."""

    op: Literal["out"] = "out"
    step: str
    path: Path = ()

    def value(self, scope: Scope) -> Any:
        return at(_output(scope, self.step), self.path)


class Condition(BaseModel):
    """What an item must be like: the value at `path` equals the expression, as `kind`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Path
    kind: Kind
    equals: Expr
    negated: bool = False
    """The item must be anything but that: "not on hold"."""

    def holds(self, item: Any, wanted: Any) -> bool:
        """Does the item meet it? `wanted` is the expression's value."""
        try:
            held = at(item, self.path)
        except PlanError:
            return self.negated
        same = held == wanted and type(held) is type(wanted)
        return (same or facts.equal(self.kind, held, wanted)) is not self.negated


class Pick(_Expr):
    """The one listed item that meets all conditions; an error unless exactly one does."""

    op: Literal["pick"] = "pick"
    step: str
    items: Path
    where: tuple[Condition, ...] = ()
    path: Path = ()

    def value(self, scope: Scope) -> Any:
        found = select(self, self.where, scope)
        if len(found) != 1:
            raise PlanError(f"{len(found)} items match in {self.step}, not one")
        return at(found[0], self.path)

    def parts(self) -> Iterator[Expr]:
        return (condition.equals for condition in self.where)


class All(_Expr):
    """The values at `path` of all listed items that meet the conditions."""

    op: Literal["all"] = "all"
    step: str
    items: Path
    where: tuple[Condition, ...] = ()
    path: Path = ()

    def value(self, scope: Scope) -> Any:
        return [at(item, self.path) for item in select(self, self.where, scope)]

    def parts(self) -> Iterator[Expr]:
        return (condition.equals for condition in self.where)


class Item(_Expr):
    """A value of the current item of a for-each."""

    op: Literal["item"] = "item"
    path: Path = ()

    def value(self, scope: Scope) -> Any:
        return at(scope.item, self.path)


class Grep(_Expr):
    """The one fact of a kind in a free text."""

    op: Literal["grep"] = "grep"
    source: Expr
    kind: Kind

    def value(self, scope: Scope) -> Any:
        return _fact(self.kind, str(self.source.value(scope)))

    def parts(self) -> Iterator[Expr]:
        yield self.source


class Rule(_Expr):
    """The one fact of a kind in the line of a text that speaks of a case.

    Lines end where the text breaks or at a semicolon: "urgent: ana@…; normal: desk@…".
    """

    op: Literal["rule"] = "rule"
    source: Expr
    case: Expr
    kind: Kind

    def value(self, scope: Scope) -> Any:
        case = str(self.case.value(scope)).replace("_", " ").casefold()
        lines = [
            line for line in _LINES.split(str(self.source.value(scope)))
            if line.strip().casefold().startswith(case)
        ]  # fmt: skip
        if len(lines) != 1:
            raise PlanError(f"{len(lines)} lines speak of {case!r}, not one")
        return _fact(self.kind, lines[0].strip()[len(case) :])

    def parts(self) -> Iterator[Expr]:
        yield self.source
        yield self.case


def _fact(kind: Kind, text: str) -> Any:
    """The one fact of a kind that a text states, as a JSON value."""
    try:
        found: object = facts.grep(kind, text)
    except ValueError as error:
        raise PlanError(str(error)) from error
    if isinstance(found, Decimal):
        return _plain(found)
    return found.isoformat() if isinstance(found, date) else found


class Fn(_Expr):
    """A stated transformation of other values."""

    op: Literal["fn"] = "fn"
    name: Literal[
        "form", "text", "sum", "count", "largest", "smallest", "days", "business_days",
        "date", "convert",
    ]  # fmt: skip
    args: tuple[Expr, ...]
    """days, business_days: a date and a number of days; convert: an amount and a rate."""
    kinds: tuple[Kind, ...] = ()
    """text: how each argument is written; largest, smallest, convert: what the first one is."""
    template: str = ""
    """form, text: the words around the holes `{}`."""
    number: int = 1
    """days, business_days: 1 for later, -1 for earlier."""

    def value(self, scope: Scope) -> Any:
        values = [arg.value(scope) for arg in self.args]
        try:
            return _FUNCTIONS[self.name](self, values)
        except ValueError as error:  # a null, where the source shows no such fact
            raise PlanError(f"{self.name}: {error}") from error

    def parts(self) -> Iterator[Expr]:
        return iter(self.args)


Expr = Annotated[
    Lit | Const | Out | Pick | All | Item | Grep | Rule | Fn, Field(discriminator="op")
]

for _model in (Condition, Pick, All, Grep, Rule, Fn):
    _model.model_rebuild()


def _output(scope: Scope, step: str) -> Any:
    try:
        return scope.outputs[step]
    except KeyError as error:
        raise PlanError(f"step {step} has no observation") from error


def select(expr: Pick | All, where: Sequence[Condition], scope: Scope) -> list[Any]:
    """The items of an expression's list that meet these conditions."""
    items = at(_output(scope, expr.step), expr.items)
    if not isinstance(items, list):
        raise PlanError(f"{expr.step} shows no list")
    if not where:
        return items
    for condition in where if items else ():
        wanted = condition.equals.value(scope)
        items = [item for item in items if condition.holds(item, wanted)]
    return items


def _form(fn: Fn, values: list[Any]) -> Any:
    return fn.template.replace("{}", str(values[0]), 1)


def _text(fn: Fn, values: list[Any]) -> Any:
    first, *rest = fn.template.split("{}")
    text = first
    for kind, value, words in zip(fn.kinds, values, rest, strict=True):
        shown = value if isinstance(value, list) else [value]
        text += ", ".join(facts.render(kind, v) for v in shown) + words
    return text


def _number(value: Any) -> Decimal:
    try:
        return Decimal(str(value))
    except ArithmeticError as error:
        raise PlanError(f"{value!r} is not a number") from error


def _plain(value: Decimal) -> int | str:
    """A JSON value that keeps the amount exactly."""
    return int(value) if value == value.to_integral_value() else format(value.normalize(), "f")


def _sum(fn: Fn, values: list[Any]) -> Any:
    return _plain(sum((_number(v) for v in values[0]), Decimal()))


def _extreme(fn: Fn, values: list[Any]) -> Any:
    if not values[0]:
        raise PlanError(f"{fn.name} of nothing")
    kind = fn.kinds[0]
    ranked = sorted(values[0], key=lambda v: facts.normalise(kind, v))  # type: ignore[arg-type, return-value]  # kinds with an order
    return ranked[-1 if fn.name == "largest" else 0]


def _days(fn: Fn, values: list[Any]) -> Any:
    day, count = _day(values[0]), _count(values[1])
    try:
        return (day + timedelta(days=fn.number * count)).isoformat()
    except OverflowError as error:
        raise PlanError(f"no date lies {count} days from {day}") from error


def _business_days(fn: Fn, values: list[Any]) -> Any:
    """Saturdays and Sundays do not count; holidays are not known."""
    day, left = _day(values[0]), _count(values[1])
    while left:
        day += timedelta(days=fn.number)
        left -= day.weekday() < _SATURDAY
    return day.isoformat()


def _day(value: Any) -> date:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError as error:
        raise PlanError(f"{value!r} is not a date") from error


def _count(value: Any) -> int:
    number = _number(value)
    if number != number.to_integral_value() or not 0 <= number <= _MOST_DAYS:
        raise PlanError(f"{value!r} is no number of days")
    return int(number)


def _convert(fn: Fn, values: list[Any]) -> Any:
    """An amount in another unit, to two places, half away from zero; cents stay cents."""
    product = _number(values[0]) * _number(values[1])
    step = Decimal(1) if fn.kinds[0] == "cents" else Decimal("0.01")
    return _plain(product.quantize(step, ROUND_HALF_UP))


_FUNCTIONS: Final[dict[str, Callable[[Fn, list[Any]], Any]]] = {
    "form": _form,
    "text": _text,
    "sum": _sum,
    "count": lambda fn, values: len(values[0]),
    "largest": _extreme,
    "smallest": _extreme,
    "days": _days,
    "business_days": _business_days,
    "convert": _convert,
    "date": lambda fn, values: str(values[0])[:10],
}


def walk(expr: Expr) -> Iterator[Expr]:
    """An expression and all inside it."""
    yield expr
    for part in expr.parts():
        yield from walk(part)


def build(arguments: Sequence[tuple[Path, Any]]) -> dict[str, Any]:
    """A call's arguments from values at paths; list positions are filled in order."""
    root: dict[str, Any] = {}
    for path, value in arguments:
        node: Any = root
        for step, following in pairwise(path):
            node = _enter(node, step, following)
        _enter(node, path[-1], None)
        node[path[-1]] = value
    return root


def _enter(node: Any, step: str | int, following: str | int | None) -> Any:
    if isinstance(node, list) and isinstance(step, int):
        node.extend([None] * (step + 1 - len(node)))
        if node[step] is None:
            node[step] = [] if isinstance(following, int) else {}
        return node[step]
    if not isinstance(node, dict):
        raise PlanError(f"argument path meets a {type(node).__name__} at {step!r}")
    return node.setdefault(step, [] if isinstance(following, int) else {})
