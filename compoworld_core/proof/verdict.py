"""The verdict: which criteria and gates a final state satisfies, with what was found.

It sees s0, the final state and the answer, never the calls. A criterion's variable stands for a
record that the policy creates; it is bound by matching.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from compoworld_core import facts
from compoworld_core.environment import Environment
from compoworld_core.plugins import verifiers
from compoworld_core.plan import Fact
from compoworld_core.proof.rubric import changes, differing
from compoworld_core.records import Check, Criterion, Finding, Gate, Target, Verdict
from compoworld_core.state import Entity
from compoworld_core.table import Key


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
        for service, table, key, before, after in changes(initial, final):
            outcome.changed[service, table, key] = (before, after)
            if before is None and after is not None:
                outcome.new.setdefault((service, table), []).append(after)
        return outcome

    def row(self, service: str, table: str, key: Key) -> Entity | None:
        row: Entity | None = self.final.states[service].table(table).get(key)
        return row


@frozen
class _Slot:
    """A record that a criterion wants created, and the new rows that fit its plain checks."""

    name: str
    target: Target
    candidates: tuple[Entity, ...]


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
    slots = [
        _Slot(_slot_name(c, n), target, tuple(_fitting(outcome, c, target)))
        for c in criteria
        if c.kind == "create"
        for n, target in enumerate(c.targets)
    ]
    bound = _bind(slots, criteria, outcome)
    passed: dict[str, bool] = {}
    found: list[Finding] = []
    for criterion in criteria:
        ok, note = _holds(criterion, outcome, bound, answer)
        passed[criterion.id] = ok
        if findings:
            wanted = "; ".join(_wanted(criterion))
            found.append(
                Finding(
                    id=criterion.id, ok=ok, text=criterion.text, expected=wanted, found=note
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


def _slot_name(criterion: Criterion, number: int) -> str:
    return criterion.id if len(criterion.targets) == 1 else f"{criterion.id}.{number}"


def _fitting(outcome: _Outcome, criterion: Criterion, target: Target) -> Iterator[Entity]:
    for row in outcome.new.get((criterion.service, criterion.table), ()):
        if all(_check_holds(check, row, None) for check in target.checks):
            yield row


def _bind(
    slots: Sequence[_Slot], criteria: Sequence[Criterion], outcome: _Outcome
) -> dict[str, Entity]:
    """Distinct new rows for the slots: as many as can be, and those that suit the variables."""
    if all(len(slot.candidates) <= 1 for slot in slots):
        taken: dict[str, Entity] = {}
        used: set[tuple[str, Key]] = set()
        for slot in slots:
            for row in slot.candidates:
                mark = (type(row).__name__, row.id)
                if mark not in used:
                    used.add(mark)
                    taken[slot.name] = row
        return taken
    best: dict[str, Entity] = {}
    best_score = -1
    tries = 0

    def search(index: int, bound: dict[str, Entity]) -> None:
        nonlocal best, best_score, tries
        if tries > 512:
            return
        if index == len(slots):
            tries += 1
            score = _score(criteria, outcome, bound)
            if score > best_score:
                best, best_score = dict(bound), score
            return
        slot = slots[index]
        for row in slot.candidates:
            if all(row is not other for other in bound.values()):
                search(index + 1, {**bound, slot.name: row})
        search(index + 1, bound)

    search(0, {})
    return best


def _score(
    criteria: Sequence[Criterion], outcome: _Outcome, bound: Mapping[str, Entity]
) -> int:
    held = sum(_holds(criterion, outcome, bound, None)[0] for criterion in criteria)
    return 100 * held + len(bound)


def _holds(
    criterion: Criterion, outcome: _Outcome, bound: Mapping[str, Entity], answer: str | None
) -> tuple[bool, str]:
    """Whether a criterion holds, and what is there instead."""
    if criterion.kind == "answer":
        wanted = [
            (f.kind, f.value) for t in criterion.targets for c in t.checks for f in c.values
        ]
        wrong = [
            (f.kind, f.value) for t in criterion.targets for c in t.checks for f in c.decoys
        ]
        missing, decoys = facts.states(answer or "", wanted, wrong)
        return not missing and not decoys, repr(answer)
    if criterion.kind not in ("create", "update", "delete"):
        verifier = verifiers().load(criterion.kind)
        ok, note = verifier.verify(criterion.check, outcome.initial, outcome.final, (answer,))
        return bool(ok), str(note)
    for number, target in enumerate(criterion.targets):
        if criterion.kind == "create":
            row = bound.get(_slot_name(criterion, number))
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
            if not _check_holds(check, row, bound):
                return (
                    False,
                    f"{criterion.table} {row.id}: {check.field} is {_brief(row, check)}",
                )
    return True, "as expected"


def _no_new(criterion: Criterion, target: Target, outcome: _Outcome) -> str:
    rows = outcome.new.get((criterion.service, criterion.table), [])
    if not rows:
        return f"no new row in {criterion.table}"
    notes = []
    for row in rows[:3]:
        wrong = [c for c in target.checks if not _check_holds(c, row, None)]
        parts = ", ".join(f"{c.field} is {_brief(row, c)}" for c in wrong)
        notes.append(
            f"new {criterion.table} {row.id}: {parts or 'it stands for another criterion'}"
        )
    return "; ".join(notes)


def _brief(row: Entity, check: Check) -> str:
    text = repr(getattr(row, check.field, None))
    return text if len(text) <= 120 else text[:117] + "..."


def _check_holds(check: Check, row: Entity, bound: Mapping[str, Entity] | None) -> bool:
    """Whether a field holds what it must; with no bindings, variables are left open."""
    held = getattr(row, check.field, None)
    if check.mode == "equals":
        if not all(_equal(fact, held) for fact in check.values):
            return False
    elif check.mode == "has":
        members = held if isinstance(held, tuple) else (held,)
        if not all(any(_equal(fact, m) for m in members) for fact in check.values):
            return False
    elif not _text_holds(check, held):
        return False
    if bound is None:
        return True
    return all(_refers(held, bound.get(name), check.mode) for name in check.variables)


def _equal(fact: Fact, held: Any) -> bool:
    if held is None or fact.value is None:
        return held is fact.value
    members = getattr(held, "__dict__", None)
    if members and not isinstance(
        held, str
    ):  # a nested value, such as an attendee with an email
        return any(_equal(fact, value) for value in members.values() if value is not None)
    return facts.equal(fact.kind, held, fact.value)


def _text_holds(check: Check, held: Any) -> bool:
    text = "" if held is None else str(held)
    if check.keeps and check.keeps.strip() not in text:
        return False
    fresh = text.replace(check.keeps.strip(), " ", 1) if check.keeps else text
    wanted = [(fact.kind, fact.value) for fact in check.values]
    wrong = [(fact.kind, fact.value) for fact in check.decoys]
    missing, decoys = facts.states(fresh, wanted, wrong)
    return not missing and not decoys


def _refers(held: Any, row: Entity | None, mode: str) -> bool:
    if row is None:
        return False
    if mode == "contains":
        return facts.mentions("id", row.id, str(held))
    if mode == "has" and isinstance(held, tuple):
        return row.id in held
    return bool(held == row.id)


def _wanted(criterion: Criterion) -> Iterator[str]:
    for target in criterion.targets:
        name = "a new row" if target.key is None else str(target.key)
        if criterion.kind == "delete":
            yield f"{name} is gone"
        for check in target.checks:
            values = [facts.render(fact.kind, fact.value) for fact in check.values]
            values += [f"the id of {variable}" for variable in check.variables]
            verb = {"equals": "is", "contains": "states", "has": "has"}[check.mode]
            yield f"{name}: {check.field} {verb} {', '.join(values)}"


def _broken(gate: Gate, outcome: _Outcome) -> Iterator[str]:
    allowed = {(a.service, a.table, a.key): a.fields for a in gate.allowed}
    limits = {(n.service, n.table): n.at_most for n in gate.new}
    for (service, table, key), (before, after) in outcome.changed.items():
        name = f"{service} {table} {key}"
        if before is None:
            if (service, table) not in limits:
                yield f"{name} was created"
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
