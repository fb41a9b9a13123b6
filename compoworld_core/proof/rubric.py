"""The rubric: criteria and gates, computed from a plan and a replay of it.

A changed world has its own rubric: the same plan, evaluated on what its replay saw.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic_core import to_json

from compoworld_core import facts
from compoworld_core.environment import Environment
from compoworld_core.expressions import Expr, Out, Scope
from compoworld_core.plan import Expect, Fact, Goal, Plan, Step
from compoworld_core.proof.memory import derive
from compoworld_core.proof.player import Replay
from compoworld_core.records import Allowed, Check, Criterion, Gate, NewRows, Target
from compoworld_core.schema import meaning_of
from compoworld_core.state import Entity, State
from compoworld_core.table import Key
from compoworld_core.types import Meaning

UNCHANGED = "unchanged"


def criteria_of(plan: Plan, replay: Replay, initial: Environment) -> tuple[Criterion, ...]:
    """The concrete criteria: the plan's goals, evaluated on what the replay saw.

    A goal whose step was not played (another branch) or refused demands nothing.
    """
    goals = [goal for goal in plan.goals if goal.kind == "answer" or replay.played(goal.step)]
    new_ids = {goal.step: goal for goal in goals if goal.kind == "create"}
    return tuple(_criterion(goal, plan, replay, initial, new_ids) for goal in goals)


def _criterion(
    goal: Goal, plan: Plan, replay: Replay, initial: Environment, new_ids: Mapping[str, Goal]
) -> Criterion:
    """One goal's criterion; the same object where it reads the same observations and rows."""
    if goal.kind == "answer":
        checks = tuple(_check(expect, replay.scope, new_ids, None) for expect in goal.expects)
        return Criterion(
            id=goal.id, text=goal.text, kind="answer", targets=(Target(checks=checks),)
        )
    step, state = plan.step(goal.step), initial.states[goal.service]

    def compute() -> Criterion:
        return _evaluated(goal, step, replay.scope, state, new_ids)

    return replay.derive((*goal.reads, *step.reads), (goal, state), compute)


def _evaluated(
    goal: Goal, step: Step, scope: Scope, state: State, new_ids: Mapping[str, Goal]
) -> Criterion:
    items: list[Any] = [None] if step.foreach is None else step.foreach.value(scope)
    targets = []
    for item in items:
        scope.item = item
        key = None if goal.key is None else goal.key.value(scope)
        row = None if key is None else state.table(goal.table).get(key)
        checks = tuple(_check(expect, scope, new_ids, row) for expect in goal.expects)
        targets.append(Target(key=key, checks=checks))
    scope.item = None
    return Criterion(
        id=goal.id,
        text=goal.text,
        kind=goal.kind,
        service=goal.service,
        table=goal.table,
        targets=tuple(targets),
    )


def _check(
    expect: Expect, scope: Scope, new_ids: Mapping[str, Goal], row: Entity | None
) -> Check:
    values: list[Fact] = []
    variables: list[str] = []
    kinds = expect.kinds or (expect.kind,) * len(expect.exprs)
    for expr, kind in zip(expect.exprs, kinds, strict=True):
        variable = _variable(expr, new_ids)
        if variable:
            variables.append(variable)
            continue
        value = expr.value(scope)
        many = value if isinstance(value, list) else [value]
        values += [Fact(kind=kind, value=one) for one in many]
    keeps = ""
    if expect.keeps and row is not None:
        keeps = str(getattr(row, expect.field) or "")
    known = {(fact.kind, facts.normalise(fact.kind, fact.value)) for fact in values}
    decoys = tuple(
        fact
        for fact in expect.decoys
        if (fact.kind, facts.normalise(fact.kind, fact.value)) not in known
    )
    return Check(
        field=expect.field,
        mode=expect.mode,
        kind=expect.kind,
        values=tuple(values),
        variables=tuple(variables),
        decoys=decoys,
        keeps=keeps,
    )


def _variable(expr: Expr, new_ids: Mapping[str, Goal]) -> str:
    """The goal whose new record's id this expression is; empty for any other value."""
    if isinstance(expr, Out):
        goal = new_ids.get(expr.step)
        if goal and goal.new_id == expr.path:
            return goal.id
    return ""


def gate_of(plan: Plan, replay: Replay, initial: Environment) -> Gate:
    """Nothing may change but what the reference changed."""
    allowed: list[Allowed] = []
    new: dict[tuple[str, str], int] = {}
    created: dict[tuple[str, str], list[Key]] = {}
    lists: dict[tuple[str, str], list[dict[str, str]]] = {}
    for service, table, key, before, after in initial.changes(replay.environment):
        if before is None:
            new[service, table] = new.get((service, table), 0) + 1
            created.setdefault((service, table), []).append(key)
            seen = lists.setdefault((service, table), [])
            if after is not None:
                seen.append(derive(initial, (settled, after), partial(settled, after)))
        elif after is None:
            allowed.append(Allowed(service=service, table=table, key=key))
        else:
            allowed.append(
                Allowed(service=service, table=table, key=key, fields=differing(before, after))
            )
    own = {key for keys in created.values() for key in keys}
    made = {(goal.service, goal.table) for goal in plan.goals if goal.kind == "create"}
    rows = tuple(
        NewRows(
            service=s,
            table=t,
            at_most=n if (s, t) in made else None,
            holds=_common(lists[s, t], own) if (s, t) in made else {},
        )
        for (s, t), n in sorted(new.items())
    )
    return Gate(
        id=UNCHANGED,
        text="Nothing else is changed, created or removed.",
        allowed=tuple(allowed),
        new=rows,
    )


def _common(rows: list[dict[str, str]], own: set[Key]) -> dict[str, tuple[str, ...]]:
    """Field → the values that any new row may have; none that names a record of the replay."""
    names = [name for name in rows[0] if all(name in row for row in rows)]
    return {
        name: tuple(sorted({row[name] for row in rows}))
        for name in names
        if not any(str(key) in row[name] for row in rows for key in own)
    }


@lru_cache(maxsize=1024)
def _settled(entity: type[Entity]) -> tuple[tuple[str, bool], ...]:
    """(field, whether its value counts even where it is set) of fields that nobody may add to.

    States, flags and lists (recipients, labels, members) count always; what the reference
    leaves empty must stay empty; prose, titles, times and numbers are the criteria's business.
    """
    fields = []
    for name, info in entity.model_fields.items():
        kind = getattr(meaning_of(info.annotation, Meaning), "kind", "")
        for marker in info.metadata:
            kind = marker.kind if isinstance(marker, Meaning) else kind
        if name == "id" or kind in ("text", "title"):
            continue
        plain = [part for part in _alternatives(info.annotation) if part is not type(None)]
        always = all(get_origin(part) in (tuple, Literal) or part is bool for part in plain)
        fields.append((name, always))
    return tuple(fields)


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) in (Union, UnionType):
        return get_args(annotation)
    return (annotation,)


def settled(row: Entity) -> dict[str, str]:
    """Field → its value as JSON text, for what a new row may not have otherwise."""
    values = row.model_dump(mode="json")
    found = {}
    for name, always in _settled(type(row)):
        value = values[name]
        if always or value in (None, "", [], {}):
            listed = sorted(value, key=str) if isinstance(value, list) else value
            found[name] = to_json(listed).decode()
    return found


def differing(before: Entity, after: Entity) -> tuple[str, ...]:
    """The fields in which two versions of a row differ."""
    one, two = before.__dict__, after.__dict__
    names = type(before).__pydantic_fields__
    return tuple(n for n in names if one[n] is not two[n] and one[n] != two[n])
