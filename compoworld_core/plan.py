"""The reference solution as data: steps, goals, descriptions, and what each edge carries.

One plan yields the reference calls, the rubric, the other worlds of the certificate and most
mutants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from compoworld_core import facts
from compoworld_core.errors import PlanError
from compoworld_core.expressions import All, Expr, Out, Path, Pick, Scope, failed, walk
from compoworld_core.types import Kind


class Argument(BaseModel):
    """One value in a call's arguments."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Path
    expr: Expr


class When(BaseModel):
    """What must hold, by earlier observations, for a step to be played."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    test: Literal["equals", "above", "fails"]
    """The values are equal; the left one is larger (later); the step on the left failed."""
    left: Expr
    right: Expr | None = None
    kind: Kind = "status"
    negated: bool = False

    def holds(self, scope: Scope) -> bool:
        """Whether it holds; PlanError where a value is missing or cannot be compared."""
        if self.test == "fails":
            assert isinstance(self.left, Out), "only a step can fail"
            return failed(scope, self.left.step) is not self.negated
        assert self.right is not None, "a comparison has two sides"
        left, right = self.left.value(scope), self.right.value(scope)
        if self.test == "equals":
            return facts.equal(self.kind, left, right) is not self.negated
        try:
            above = facts.normalise(self.kind, left) > facts.normalise(self.kind, right)  # type: ignore[operator]  # kinds with an order
        except (TypeError, ValueError) as error:
            raise PlanError(f"{left!r} cannot be compared with {right!r}") from error
        return bool(above) is not self.negated

    @property
    def sides(self) -> tuple[Expr, ...]:
        """The expressions that it compares."""
        return (self.left,) if self.right is None else (self.left, self.right)


class Step(BaseModel):
    """One call of the reference solution, or one per item of a for-each."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    visit: int
    """Which visit of the walk it belongs to."""
    service: str
    tool: str
    arguments: tuple[Argument, ...] = ()
    foreach: Expr | None = None
    write: bool = False
    when: When | None = None
    """Played only where this holds."""
    may_fail: bool = False
    """The call may be refused (state, limit, permission): the plan then goes another way."""

    def expressions(self) -> Iterator[Expr]:
        """All expressions of the step, the inner ones too."""
        roots: list[Expr] = [argument.expr for argument in self.arguments]
        if self.foreach is not None:
            roots.append(self.foreach)
        if self.when is not None:
            roots += self.when.sides
        for root in roots:
            yield from walk(root)

    def needs(self) -> set[str]:
        """The steps whose observations it reads."""
        return set(self.reads)

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """The same, in the order in which they are named."""
        return _reads(self.expressions())


def _reads(expressions: Iterable[Expr]) -> tuple[str, ...]:
    found = (e.step for e in expressions if isinstance(e, Out | Pick | All))
    return tuple(dict.fromkeys(found))


class Fact(BaseModel):
    """A value and what it means."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Kind
    value: Any


class Expect(BaseModel):
    """What a field of a written record must hold, as expressions."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    field: str
    mode: Literal["equals", "contains", "has"]
    """equals: the value; contains: a text that states the facts; has: a member of a list."""
    kind: Kind
    exprs: tuple[Expr, ...]
    kinds: tuple[Kind, ...] = ()
    """contains: the kind of each fact."""
    decoys: tuple[Fact, ...] = ()
    """contains: facts of the same kind that would be wrong."""
    keeps: bool = False
    """The old text must survive (appending tools)."""
    currency: Expr | None = None
    """contains: what the amounts are in, where no record says so (a conversion)."""


class Goal(BaseModel):
    """What a write step is for: the template of a criterion."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    step: str = ""
    """The write; none for an answer."""
    kind: Literal["create", "update", "delete", "answer"]
    text: str
    """A sentence that a person understands."""
    service: str = ""
    table: str = ""
    key: Expr | None = None
    """The row (update, delete)."""
    new_id: Path | None = None
    """Where the step's observation shows the new row's id (create)."""
    expects: tuple[Expect, ...] = ()

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """The steps whose observations it reads."""
        roots = [expr for expect in self.expects for expr in expect.exprs]
        roots += [e.currency for e in self.expects if e.currency is not None]
        if self.key is not None:
            roots.append(self.key)
        return _reads(expr for root in roots for expr in walk(root))


class Selection(BaseModel):
    """A description in the instruction: which rows it means, as typed conditions."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    step: str
    """The step that shows the rows."""
    service: str
    table: str
    many: bool = False
    conditions: tuple[tuple[str, Kind, Expr], ...]
    """(field, kind, value)."""
    negated: tuple[str, ...] = ()
    """Fields that must have another value than that."""
    best: tuple[str, Literal["largest", "smallest"]] | None = None
    """Of the rows that meet the conditions, the one that is last or first by a field."""
    key: Expr
    """The id that the plan got (or the ids, where many)."""


class Carry(BaseModel):
    """What an edge of the walk carries: the fact of visit `edge` that visit `edge + 1` uses."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    edge: int
    kind: Kind
    expr: Expr
    source: Literal["field", "id", "aggregate", "set", "rule"]
    """rule: a value that a text gives for the case that the edge carries."""


class Plan(BaseModel):
    """Steps, goals, selections and what each edge carries."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: tuple[Step, ...]
    goals: tuple[Goal, ...]
    selections: tuple[Selection, ...] = ()
    carries: tuple[Carry, ...] = ()
    answer: Expr | None = None
    """The text of the last message, where the task asks for an answer."""

    def step(self, step: str) -> Step:
        """The step of this id; KeyError where there is none."""
        for candidate in self.steps:
            if candidate.id == step:
                return candidate
        raise KeyError(step)
