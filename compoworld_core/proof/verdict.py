"""The verdict: which criteria and gates a final state satisfies, with what was found.

It sees s0, the final state and the answer, never the calls. A criterion's variable stands for a
record that the policy creates; it is bound by matching.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from attrs import define, field

from compoworld_core.environment import Environment, RowChange
from compoworld_core.plugins import make, verifiers
from compoworld_core.proof.binding import bind, can_bind, holds_once, slot_name, unlike
from compoworld_core.proof.checks import check_holds, said, text_holds, variables_hold, wanted
from compoworld_core.proof.memory import derive
from compoworld_core.proof.rubric import differing, settled
from compoworld_core.records import Criterion, Finding, Gate, NewRows, Target, Verdict
from compoworld_core.state import Entity
from compoworld_core.table import Key

if TYPE_CHECKING:
    from compoworld_core.protocols import Verifier


@define
class _Outcome:
    """The difference between s0 and the final state, as the checks need it."""

    initial: Environment
    final: Environment
    changed: dict[str, Sequence[RowChange]] = field(factory=dict)
    """Service → what differs, where its state is another one."""
    new: dict[tuple[str, str], list[Entity]] = field(factory=dict)

    @classmethod
    def between(cls, initial: Environment, final: Environment) -> _Outcome:
        outcome = cls(initial, final)
        for service, state in initial.states.items():
            if state is final.states.get(service):
                continue
            changed = outcome.changed[service] = initial.changes_of(service, final)
            look = partial(_new_rows, service, changed)
            outcome.new |= derive(initial, (_new_rows, changed), look)
        return outcome

    def row(self, service: str, table: str, key: Key) -> Entity | None:
        row: Entity | None = self.final.states[service].table(table).get(key)
        return row


def _new_rows(
    service: str, changed: Sequence[RowChange]
) -> dict[tuple[str, str], list[Entity]]:
    """(service, table) → the rows among the changes that are new."""
    found: dict[tuple[str, str], list[Entity]] = {}
    for table, _, before, after in changed:
        if before is None and after is not None:
            found.setdefault((service, table), []).append(after)
    return found


def judge(
    criteria: Sequence[Criterion],
    gates: Sequence[Gate],
    initial: Environment,
    final: Environment,
    *,
    answer: str | None = None,
    findings: bool = False,
) -> Verdict:
    """The verdict on a final state. With `findings`, what was expected and what is there.

    Raises UnknownName where a criterion's kind is neither built in nor a verifier plugin's.
    """
    outcome = _Outcome.between(initial, final)
    bound = _bound(criteria, outcome)
    passed: dict[str, bool] = {}
    found: list[Finding] = []
    for criterion in criteria:
        ok, note = _held(criterion, outcome, bound, answer)
        passed[criterion.id] = ok
        if findings:
            expected = "; ".join(wanted(criterion))
            found.append(
                Finding(
                    id=criterion.id, ok=ok, text=criterion.text, expected=expected, found=note
                )
            )
    held: dict[str, bool] = {}
    for gate in gates:
        broken = list(_broken(gate, outcome))
        held[gate.id] = not broken
        if findings:
            note = "; ".join(broken[:5]) or "nothing else changed"
            found.append(Finding(id=gate.id, ok=not broken, text=gate.text, found=note))
    return Verdict(criteria=passed, gates=held, findings=tuple(found))


def satisfied(
    criteria: Sequence[Criterion],
    gates: Sequence[Gate],
    initial: Environment,
    final: Environment,
    *,
    answer: str | None = None,
) -> bool:
    """Whether all criteria and gates hold; it looks no further than the first that does not."""
    outcome = _Outcome.between(initial, final)
    if any(any(_broken(gate, outcome)) for gate in gates):
        return False
    for criterion in criteria:
        if _stands_alone(criterion):
            if not _held(criterion, outcome, {}, answer)[0]:
                return False
        elif not can_bind(criterion, outcome.new, initial):
            return False
    bound = _bound(criteria, outcome)
    return all(
        _held(criterion, outcome, bound, answer)[0]
        for criterion in criteria
        if not _stands_alone(criterion)
    )


def _stands_alone(criterion: Criterion) -> bool:
    """Whether it speaks of no new record, so that nothing must be bound."""
    return criterion.kind in ("update", "delete") and not any(
        check.variables for target in criterion.targets for check in target.checks
    )


def _bound(criteria: Sequence[Criterion], outcome: _Outcome) -> dict[str, Entity]:
    existing = {
        c.id: [outcome.row(c.service, c.table, t.key) for t in c.targets if t.key is not None]
        for c in criteria
        if c.kind == "update"
    }
    return bind(criteria, outcome.new, existing, outcome.initial)


def _held(
    criterion: Criterion, outcome: _Outcome, bound: Mapping[str, Entity], answer: str | None
) -> tuple[bool, str]:
    """`_holds`; looked at once for the same states of its service and the same new records."""
    if criterion.kind not in ("create", "update", "delete"):
        return _holds(criterion, outcome, bound, answer)
    names = [slot_name(criterion, number) for number in range(len(criterion.targets))]
    names += [v for t in criterion.targets for c in t.checks for v in c.variables]
    service = criterion.service
    states = (outcome.initial.states[service], outcome.final.states[service])
    parts = (criterion, *states, *(bound.get(name) for name in names))
    return derive(outcome.initial, parts, lambda: _holds(criterion, outcome, bound, answer))


def _holds(
    criterion: Criterion, outcome: _Outcome, bound: Mapping[str, Entity], answer: str | None
) -> tuple[bool, str]:
    """Whether a criterion holds, and what is there instead."""
    if criterion.kind == "answer":
        checks = [check for target in criterion.targets for check in target.checks]
        right = all(text_holds(check, answer, outcome.initial) for check in checks)
        return right, repr(answer)
    if criterion.kind not in ("create", "update", "delete"):
        verifier: Verifier = make(verifiers(), criterion.kind)
        ok, note = verifier.verify(criterion.check, outcome.initial, outcome.final, (answer,))
        return bool(ok), str(note)
    for number, target in enumerate(criterion.targets):
        if criterion.kind == "create":
            row = bound.get(slot_name(criterion, number))
            if row is None:
                return False, _no_new(criterion, target, outcome)
        else:
            assert target.key is not None, "a criterion on an existing row names its key"
            row = outcome.row(criterion.service, criterion.table, target.key)
            where = f"{criterion.table} {target.key}"
            if criterion.kind == "delete":
                if row is not None:
                    return False, f"{where} is still there"
                continue
            if row is None:
                return False, f"{where} is gone"
        for check in target.checks:
            # A new row was bound because it holds its values.
            stated = criterion.kind == "create" or holds_once(check, row, outcome.initial)
            if not (stated and variables_hold(check, row, bound)):
                return (
                    False,
                    f"{criterion.table} {row.id}: {check.field} is {said(row, check)}",
                )
    return True, "as expected"


def _no_new(criterion: Criterion, target: Target, outcome: _Outcome) -> str:
    rows = outcome.new.get((criterion.service, criterion.table), [])
    if not rows:
        return f"no new row in {criterion.table}"
    notes = []
    for row in rows[:3]:
        wrong = [c for c in target.checks if not check_holds(c, row, None, outcome.initial)]
        told = [f"{c.field} is {said(row, c)}" for c in wrong]
        told += [
            f"{name} is {getattr(row, name, None)!r}, not {target.holds[name]}"
            for name in unlike(target, row, outcome.initial)
        ]
        parts = ", ".join(told)
        notes.append(
            f"new {criterion.table} {row.id}: {parts or 'it stands for another criterion'}"
        )
    return "; ".join(notes)


def _broken(gate: Gate, outcome: _Outcome) -> Iterator[str]:
    """What breaks a gate; each service is looked at once for the same two states of it."""
    initial, final = outcome.initial, outcome.final
    crowded: list[str] = []
    for name in outcome.changed:
        look = partial(_trespasses, gate, name, outcome)
        parts = (gate, initial.states[name], final.states[name])
        changed, more = derive(initial, parts, look)
        yield from changed
        crowded += more
    yield from crowded


def _trespasses(gate: Gate, service: str, outcome: _Outcome) -> tuple[list[str], list[str]]:
    """What was changed in a service that may not be; where there are too many new rows."""
    allowed = {(a.table, a.key): a.fields for a in gate.allowed if a.service == service}
    rows_of = {n.table: n for n in gate.new if n.service == service}
    changed = []
    for table, key, before, after in outcome.changed[service]:
        name = f"{service} {table} {key}"
        if before is None:
            if table not in rows_of:
                changed.append(f"{name} was created")
            elif after is not None:
                held = derive(outcome.initial, (settled, after), partial(settled, after))
                changed += [f"{name}: {w}" for w in _unasked(rows_of[table], after, held)]
        elif after is None:
            if allowed.get((table, key)) != ():
                changed.append(f"{name} was removed")
        else:
            fields = allowed.get((table, key), ())
            extra = [f for f in differing(before, after) if f not in fields]
            if extra:
                changed.append(f"{name}: {', '.join(extra)} changed")
    crowded = []
    for (where, table), rows in outcome.new.items():
        limit = rows_of[table].at_most if where == service and table in rows_of else None
        if limit is not None and len(rows) > limit:
            crowded.append(f"{service}: {len(rows)} new {table}, not {limit}")
    return changed, crowded


def _unasked(allowed: NewRows, row: Entity, held: Mapping[str, str]) -> Iterator[str]:
    """What a new row has that nobody asked for: a recipient, a flag, a state, a phone."""
    wrong = [name for name, options in allowed.holds.items() if held.get(name) not in options]
    values = row.model_dump(mode="json") if wrong else {}
    for name in wrong:
        options = " or ".join(allowed.holds[name])
        yield f"{name} is {str(values.get(name))[:80]!r}, not {options}"
