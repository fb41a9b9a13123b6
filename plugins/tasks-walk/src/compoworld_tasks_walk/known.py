"""Known: the records that a plan has selected and the facts that can be carried on.

Every fact knows where it is seen, its value in the shadow's world, and how to change it there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

import attrs
from attrs import define, field, frozen

from compoworld_core.expressions import All, Condition, Expr, Out, Path, Pick
from compoworld_core.patch import Operation
from compoworld_core.plan import Fact
from compoworld_core.types import Kind
from compoworld_tasks_walk.affordances import Lookup
from compoworld_tasks_walk.catalogue import FieldProfile, TableProfile
from compoworld_tasks_walk.planting import Pair, Planted
from compoworld_tasks_walk.script import Value

NEVER: Final = -9
"""The visit of a fact that the instruction gives: no edge starts there."""


@frozen
class Counter:
    """How to change a fact in its source: operations on s0, in words."""

    service: str
    operations: tuple[Operation, ...]
    says: str
    ids: bool = False
    """The id sequence moves on by one instead."""


@frozen
class Names:
    """A text names a record of another service, which the next visit looks for."""

    pair: Pair
    """The record, and the other one of the hero's that could be meant."""
    key: str
    """The field by which it is named."""
    rows: tuple[Planted, ...]
    """What is planted when it is looked for: both, and a stranger's with the same key."""
    owner: tuple[Known, TableProfile, FieldProfile] | None = None
    """The fact that makes it the hero's, and the table and field that it is looked up in."""
    ref: str = ""
    """The field that refers to the row found so; empty where it is the record itself."""

    @property
    def owned(self) -> str:
        """The field that makes it the hero's."""
        return self.ref or (self.owner[2].name if self.owner else "")


@define(eq=False)
class Known:
    """A fact that an agent has seen at some visit."""

    service: str
    table: str
    field: str
    kind: Kind
    expr: Expr | None
    """None until the fact is used: reading it may take a call of its own."""
    hero: Any
    shadow: Any
    visit: int
    value: Value
    """How the instruction refers to it."""
    counter: Counter
    source: Literal["field", "id", "aggregate", "rule"] = "field"
    record: str = ""
    """The record it is a field of."""
    made: Callable[[Expr], Expr] | None = None
    """What the plan makes of the field's value, where the fact is not the value itself."""
    names: Names | None = None
    """The record that the fact names, planted already; one that the next visit finds by it."""
    decoys: tuple[Any, ...] = ()
    """Values that come of a mistake, beside the shadow's."""
    settled: str = ""
    """What the plan has done to the record: "refunded"; empty for nothing."""
    likeness: tuple[Any, ...] | None = attrs.field(default=None, init=False, repr=False)
    """The story, and what the fact is like in it; kept by `outlook`."""

    def wrong(self) -> tuple[Fact, ...]:
        """Values that would be wrong in its place."""
        values = (self.shadow, *self.decoys) if self.shadow is not None else self.decoys
        return tuple(Fact(kind=self.kind, value=v) for v in values if v != self.hero)


@define(eq=False)
class Rec:
    """A record, or a set of them, that the plan has selected."""

    id: str
    service: str
    table: str
    visit: int
    step: str
    """The step that shows it."""
    lookup: Lookup
    where: tuple[Condition, ...]
    many: bool = False
    pair: Pair | None = None
    hero: dict[str, Any] = field(factory=dict)
    shadow: dict[str, Any] = field(factory=dict)
    used: set[str] = field(factory=set)
    """Fields that its description uses."""
    got: dict[str, tuple[str, Lookup]] = field(factory=dict)
    """Field → (step, look-up) that shows it, where the selecting step does not."""
    members: list[dict[str, Any]] = field(factory=list)
    """many: the hero rows."""
    rivals: list[dict[str, Any]] = field(factory=list)
    """many: rows that share the key and not the condition."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All rows that a change of it must work on, were its condition overlooked too."""
        return [row for row in (self.hero, self.shadow, *self.members, *self.rivals) if row]

    def item(self, path: Path) -> Expr:
        """A value of the one record, as the selecting step shows it."""
        if self.lookup.shape == "one":
            return Out(step=self.step, path=(*self.lookup.items, *path))
        return Pick(step=self.step, items=self.lookup.items, where=self.where, path=path)

    def items(self, path: Path) -> Expr:
        """The values of all records of the set."""
        return All(step=self.step, items=self.lookup.items, where=self.where, path=path)
