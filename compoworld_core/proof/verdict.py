"""The verdict: which criteria and gates a final state satisfies, with what was found.

It sees s0, the final state and the answer, never the calls. A criterion's variable stands for a
record that the policy creates; it is bound by matching.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import define, field

from compoworld_core import facts
from compoworld_core.environment import Environment
from compoworld_core.plugins import make, verifiers
from compoworld_core.proof.binding import bind, slot_name
from compoworld_core.proof.checks import check_holds, said, wanted
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
    changed: dict[tuple[str, str, Key], tuple[Entity | None, Entity | None]] = field(
        factory=dict
    )
    new: dict[tuple[str, str], list[Entity]] = field(factory=dict)

    @classmethod
    def between(cls, initial: Environment, final: Environment) -> _Outcome:
        outcome = cls(initial, final)
        for service, table, key, before, after in initial.changes(final):
            outcome.changed[service, table, key] = (before, after)
            if before is None and after is not None:
                outcome.new.setdefault((service, table), []).append(after)
        return outcome

    def row(self, service: str, table: str, key: Key) -> Entity | None:
        row: Entity | None = self.final.states[service].table(table).get(key)
        return row


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
    existing = {
        c.id: [outcome.row(c.service, c.table, t.key) for t in c.targets if t.key is not None]
        for c in criteria
        if c.kind == "update"
    }
    bound = bind(criteria, outcome.new, existing, initial)
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
        right = [
            (f.kind, f.value) for t in criterion.targets for c in t.checks for f in c.values
        ]
        wrong = [
            (f.kind, f.value) for t in criterion.targets for c in t.checks for f in c.decoys
        ]
        missing, decoys = facts.states(answer or "", right, wrong)
        return not missing and not decoys, repr(answer)
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
            if not check_holds(check, row, bound):
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
        wrong = [c for c in target.checks if not check_holds(c, row, None)]
        parts = ", ".join(f"{c.field} is {said(row, c)}" for c in wrong)
        notes.append(
            f"new {criterion.table} {row.id}: {parts or 'it stands for another criterion'}"
        )
    return "; ".join(notes)


def _broken(gate: Gate, outcome: _Outcome) -> Iterator[str]:
    allowed = {(a.service, a.table, a.key): a.fields for a in gate.allowed}
    limits = {(n.service, n.table): n.at_most for n in gate.new}
    rows_of = {(n.service, n.table): n for n in gate.new}
    for (service, table, key), (before, after) in outcome.changed.items():
        name = f"{service} {table} {key}"
        if before is None:
            if (service, table) not in limits:
                yield f"{name} was created"
            elif after is not None:
                for listing in _unasked(rows_of[service, table], after):
                    yield f"{name}: {listing}"
        elif after is None:
            if allowed.get((service, table, key)) != ():
                yield f"{name} was removed"
        else:
            fields = allowed.get((service, table, key), ())
            extra = [f for f in differing(before, after) if f not in fields]
            if extra:
                yield f"{name}: {', '.join(extra)} changed"
    for (service, table), rows in outcome.new.items():
        limit = limits.get((service, table))
        if limit is not None and len(rows) > limit:
            yield f"{service}: {len(rows)} new {table}, not {limit}"


def _unasked(allowed: NewRows, row: Entity) -> Iterator[str]:
    """What a new row has that nobody asked for: a recipient, a flag, a state, a phone."""
    held = settled(row)
    values = row.model_dump(mode="json")
    for name, options in allowed.holds.items():
        if held.get(name) not in options:
            yield f"{name} is {str(values.get(name))[:80]!r}, not {' or '.join(options)}"
