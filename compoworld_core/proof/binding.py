"""Binding: which new record stands for which variable of a rubric, found by matching.

The records that a policy created have other ids in each run. A criterion's variable stands for
one of them; the binding is the one under which most criteria hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from attrs import define, field, frozen

from compoworld_core.environment import Environment
from compoworld_core.proof.checks import refers, values_hold
from compoworld_core.proof.memory import derive
from compoworld_core.proof.rubric import settled
from compoworld_core.records import Check, Criterion, Target
from compoworld_core.state import Entity

_MOST_NODES = 2000
"""Steps of the search after which the best binding so far is taken."""

NewRows = Mapping[tuple[str, str], Sequence[Entity]]
"""(service, table) → the rows that are new."""


@frozen
class Slot:
    """A record that a criterion wants created, and the new rows that fit its plain checks."""

    name: str
    criterion: str
    candidates: tuple[Entity, ...]
    checks: tuple[Check, ...]
    """Those that speak of other new records."""


@frozen
class Relation:
    """A check whose field must name a new record; the holder is a slot or an existing row."""

    criterion: str
    check: Check
    holder: str | Entity
    variable: str


def slot_name(criterion: Criterion, number: int) -> str:
    """The variable of one target of a criterion: its id, numbered where it has several."""
    return criterion.id if len(criterion.targets) == 1 else f"{criterion.id}.{number}"


def bind(
    criteria: Sequence[Criterion],
    new: NewRows,
    existing: Mapping[str, Sequence[Entity | None]],
    initial: Environment,
) -> dict[str, Entity]:
    """Distinct new rows for the variables, such that as many criteria as possible hold.

    Args:
        criteria: the rubric.
        new: what was created.
        existing: criterion → the rows of its targets, for criteria on existing rows.
        initial: s0; where it has a memory, the same rows are looked at once.
    """
    slots = list(_slots(criteria, new, initial))
    if not slots:
        return {}
    relations = list(_relations(criteria, slots, existing))
    rivals = {id(row) for slot in slots for row in slot.candidates}
    if all(len(s.candidates) <= 1 for s in slots) and len(rivals) == sum(
        len(s.candidates) for s in slots
    ):
        return {slot.name: slot.candidates[0] for slot in slots if slot.candidates}
    slots.sort(key=lambda slot: len(slot.candidates))  # stable: ties stay in rubric order
    search = _Search(slots, relations)
    search.descend(0, {}, frozenset())
    return search.best


def can_bind(criterion: Criterion, new: NewRows, initial: Environment) -> bool:
    """Whether each record that a criterion wants created may be one of the new rows."""
    return all(fitting for _, fitting in _candidates(criterion, new, initial))


def _candidates(
    criterion: Criterion, new: NewRows, initial: Environment
) -> Iterator[tuple[Target, tuple[Entity, ...]]]:
    """Each target of a criterion that wants records created, with the new rows that fit it."""
    if criterion.kind == "create":
        rows = new.get((criterion.service, criterion.table), ())
        for target in criterion.targets:
            yield (
                target,
                derive(initial, (target, *rows), partial(_fitting, target, rows, initial)),
            )


def _slots(criteria: Sequence[Criterion], new: NewRows, initial: Environment) -> Iterator[Slot]:
    for criterion in criteria:
        for number, (target, fitting) in enumerate(_candidates(criterion, new, initial)):
            open_ = tuple(check for check in target.checks if check.variables)
            yield Slot(slot_name(criterion, number), criterion.id, fitting, open_)


def _fitting(
    target: Target, rows: Sequence[Entity], initial: Environment
) -> tuple[Entity, ...]:
    # Texts last: they cost most.
    checks = sorted(target.checks, key=lambda check: check.mode == "contains")
    return tuple(
        row
        for row in rows
        if not unlike(target, row, initial)
        and all(holds_once(check, row, initial) for check in checks)
    )


def unlike(target: Target, row: Entity, initial: Environment) -> list[str]:
    """The states, flags and lists of a new row that are not what the target wants."""
    if not target.holds:
        return []
    held = derive(initial, (settled, row), partial(settled, row))
    return [name for name, value in target.holds.items() if held.get(name) != value]


def holds_once(check: Check, row: Entity, initial: Environment) -> bool:
    """`values_hold`, looked at once for the same record."""
    return derive(initial, (values_hold, check, row), partial(values_hold, check, row, initial))


def _relations(
    criteria: Sequence[Criterion],
    slots: Sequence[Slot],
    existing: Mapping[str, Sequence[Entity | None]],
) -> Iterator[Relation]:
    for slot in slots:
        for check in slot.checks:
            for variable in check.variables:
                yield Relation(slot.criterion, check, slot.name, variable)
    for criterion in criteria:
        rows = existing.get(criterion.id, ())
        for target, row in zip(criterion.targets, rows, strict=False):
            yield from _row_relations(criterion, target, row)


def _row_relations(
    criterion: Criterion, target: Target, row: Entity | None
) -> Iterator[Relation]:
    for check in target.checks:
        for variable in check.variables:
            if row is not None:
                yield Relation(criterion.id, check, row, variable)


@define
class _Search:
    """Branch and bound over the slots; a branch that cannot beat the best is left."""

    slots: list[Slot]
    relations: list[Relation]
    best: dict[str, Entity] = field(factory=dict)
    fewest_lost: int = 1 << 30
    nodes: int = 0

    def descend(self, index: int, bound: dict[str, Entity], lost: frozenset[str]) -> None:
        self.nodes += 1
        if len(lost) > self.fewest_lost or self.nodes > _MOST_NODES:
            return
        if index == len(self.slots):
            if len(lost) < self.fewest_lost or len(bound) > len(self.best):
                self.best, self.fewest_lost = dict(bound), len(lost)
            return
        slot = self.slots[index]
        for row in slot.candidates:
            if any(row is other for other in bound.values()):
                continue
            if self.fewest_lost == len(lost) and len(self.best) == len(self.slots):
                return  # a whole binding that loses no more is found already
            more = {**bound, slot.name: row}
            self.descend(index + 1, more, lost | self._loses(slot, more))
        orphaned = {r.criterion for r in self.relations if r.variable == slot.name}
        self.descend(index + 1, bound, lost | orphaned | {slot.criterion})

    def _loses(self, slot: Slot, bound: Mapping[str, Entity]) -> frozenset[str]:
        """The criteria that fail for certain once this slot is bound."""
        lost = set()
        for relation in self.relations:
            if slot.name not in (relation.variable, relation.holder):
                continue
            holder = relation.holder
            row = bound.get(holder) if isinstance(holder, str) else holder
            named = bound.get(relation.variable)
            if row is not None and named is not None:
                held = getattr(row, relation.check.field, None)
                if not refers(relation.check, held, named):
                    lost.add(relation.criterion)
        return frozenset(lost)
