"""The rubric: criteria and gates, computed from a plan and a replay of it.

A changed world has its own rubric: the same plan, evaluated on what its replay saw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache, partial
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from attrs import frozen
from pydantic_core import to_json

from compoworld_core import facts
from compoworld_core.environment import Environment
from compoworld_core.errors import PlanError
from compoworld_core.expressions import Expr, Out, Path, Scope, at
from compoworld_core.plan import Expect, Fact, Goal, Plan, Step
from compoworld_core.proof.columns import asides, columns_of, currency_of, kind_of, literals
from compoworld_core.proof.memory import derive
from compoworld_core.proof.player import Replay
from compoworld_core.records import Allowed, Check, Column, Criterion, Gate, NewRows, Target
from compoworld_core.schema import meaning_of
from compoworld_core.service import Service
from compoworld_core.state import Entity, State
from compoworld_core.table import Key
from compoworld_core.types import Meaning, RefTo

UNCHANGED = "unchanged"
_SECOND = timedelta(seconds=1)


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
        asked = _Asked(plan, None, initial, new_ids)
        checks = tuple(_check(expect, replay.scope, asked, None) for expect in goal.expects)
        return Criterion(
            id=goal.id, text=goal.text, kind="answer", targets=(Target(checks=checks),)
        )
    step = plan.step(goal.step)
    asked = _Asked(plan, step, initial, new_ids)
    reads = (*goal.reads, *step.reads)
    # A fact is looked up in s0 of the service in which it was found.
    services = dict.fromkeys((goal.service, *(plan.step(read).service for read in reads)))
    states = (initial.states[name] for name in services if name in initial.states)
    found = replay.derive(
        reads, (goal, *states), lambda: _evaluated(goal, step, replay.scope, asked)
    )
    return (
        found if goal.kind != "create" else _with_holds(found, goal, replay, initial, new_ids)
    )


@frozen
class _Asked:
    """What the checks of a goal are made from, beside what the replay saw."""

    plan: Plan
    step: Step | None
    initial: Environment
    new_ids: Mapping[str, Goal]


def _evaluated(goal: Goal, step: Step, scope: Scope, asked: _Asked) -> Criterion:
    state = asked.initial.states[goal.service]
    items: list[Any] = [None] if step.foreach is None else step.foreach.value(scope)
    targets = []
    for item in items:
        scope.item = item
        key = None if goal.key is None else goal.key.value(scope)
        row = None if key is None else state.table(goal.table).get(key)
        checks = tuple(_check(expect, scope, asked, row) for expect in goal.expects)
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


def _with_holds(
    criterion: Criterion,
    goal: Goal,
    replay: Replay,
    initial: Environment,
    new_ids: Mapping[str, Goal],
) -> Criterion:
    """The criterion, with the states, flags and lists of the records that the replay made."""
    if goal.new_id is None:
        return criterion
    output = replay.scope.outputs[goal.step]
    shown = output if len(criterion.targets) > 1 or isinstance(output, list) else [output]
    table = replay.environment.states[goal.service].table(goal.table)
    rows = [table.get(_at(one, goal.new_id)) for one in shown]
    if len(rows) != len(criterion.targets) or None in rows:
        return criterion
    made = _made(replay, new_ids)

    def compute() -> Criterion:
        targets = []
        for target, row in zip(criterion.targets, rows, strict=True):
            assert row is not None, "just looked at"
            checked = {check.field for check in target.checks}
            holds = {
                name: value
                for name, value in derive(
                    initial, (settled, row), partial(settled, row)
                ).items()
                if name not in checked and not any(key in value for key in made)
            }
            targets.append(target.model_copy(update={"holds": holds}))
        return criterion.model_copy(update={"targets": tuple(targets)})

    return derive(initial, (_with_holds, criterion, *rows), compute)


def _made(replay: Replay, new_ids: Mapping[str, Goal]) -> list[str]:
    """The ids of the records that the replay made, which other runs call otherwise."""
    found = []
    for name, goal in new_ids.items():
        output = replay.scope.outputs.get(name)
        for one in output if isinstance(output, list) else [output]:
            key = None if goal.new_id is None else _at(one, goal.new_id)
            if key is not None:
                found.append(str(key))
    return found


def _at(value: Any, path: Path) -> Any:
    try:
        return at(value, path)
    except PlanError:
        return None


def _check(expect: Expect, scope: Scope, asked: _Asked, row: Entity | None) -> Check:
    values: list[Fact] = []
    columns: dict[str, Column] = {}
    variables: list[str] = []
    kinds = expect.kinds or (expect.kind,) * len(expect.exprs)
    initial, stated = asked.initial, expect.mode == "contains"
    origin = (asked.plan, asked.step)
    for expr, kind in zip(expect.exprs, kinds, strict=True):
        variable = _variable(expr, asked.new_ids)
        if variable:
            variables.append(variable)
            continue
        value, mark = expr.value(scope), ""
        if stated and kind in ("money", "cents"):
            given = expect.currency
            mark = (
                str(given.value(scope))
                if given
                else currency_of(expr, kind, scope, *origin, initial)
            )
        for one in value if isinstance(value, list) else [value]:
            found = []
            if stated:
                found = list(columns_of(expr, kind, one, *origin, initial.states))
            columns |= {f"{c.kind} {c.service} {c.table} {c.field}": c for c in found}
            if mark and one is not None:
                one = f"{one} {mark}"
            values.append(Fact(kind=kind, value=one))
    keeps = ""
    if expect.keeps and row is not None:
        keeps = str(getattr(row, expect.field) or "")
    # ValueError, without any decoys too, where a demanded value is none of its kind
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
        columns=tuple(columns.values()),
        asides=asides(tuple(columns.values()), _named(asked), initial.states)
        if columns
        else (),
        keeps=keeps,
    )


def _named(asked: _Asked) -> tuple[Fact, ...]:
    plan = asked.plan
    return derive(asked.initial, (literals, plan), partial(literals, plan))


def _variable(expr: Expr, new_ids: Mapping[str, Goal]) -> str:
    """The goal whose new record's id this expression is; empty for any other value."""
    if isinstance(expr, Out):
        goal = new_ids.get(expr.step)
        if goal and goal.new_id == expr.path:
            return goal.id
    return ""


@frozen
class _Touched:
    """What a replay changed in one service."""

    allowed: tuple[Allowed, ...]
    created: dict[str, tuple[Key, ...]]
    """Table → the ids of its new rows."""
    settled: dict[str, tuple[dict[str, str], ...]]
    """Table → what its new rows may not have otherwise."""


def gate_of(plan: Plan, replay: Replay, initial: Environment) -> Gate:
    """Nothing may change but what the reference changed."""
    final = replay.environment
    touched: dict[str, _Touched] = {}
    for service, state in initial.states.items():
        after = final.states[service]
        if after is not state:
            look = partial(_touched, service, initial, final)
            touched[service] = derive(initial, (_touched, state, after), look)
    own = {key for each in touched.values() for keys in each.created.values() for key in keys}
    made = {(goal.service, goal.table) for goal in plan.goals if goal.kind == "create"}
    writes = Counter(step.service for step in plan.steps if step.write)
    rows = tuple(
        NewRows(
            service=s,
            table=t,
            # A log grows with each write, so a retry makes more of it; nothing else may.
            at_most=None
            if (s, t) not in made and _may_be_log(initial, s, t, len(keys) >= writes[s])
            else len(keys),
            holds=_common(touched[s].settled[t], own) if (s, t) in made else {},
        )
        for s in sorted(touched)
        for t, keys in sorted(touched[s].created.items())
    )
    return Gate(
        id=UNCHANGED,
        text="Nothing else is changed, created or removed.",
        allowed=tuple(one for each in touched.values() for one in each.allowed),
        new=rows,
    )


def _touched(service: str, initial: Environment, final: Environment) -> _Touched:
    allowed: list[Allowed] = []
    created: dict[str, tuple[Key, ...]] = {}
    shown: dict[str, tuple[dict[str, str], ...]] = {}
    stamps: dict[str, dict[str, None]] = {}
    states = initial.states[service], final.states[service]
    for table, key, before, after in initial.changes_of(service, final):
        if after is None:
            allowed.append(Allowed(service=service, table=table, key=key))
        elif before is None:
            held = derive(initial, (settled, after), partial(settled, after))
            created[table] = (*created.get(table, ()), key)
            shown[table] = (*shown.get(table, ()), held)
        else:
            fields = differing(before, after)
            allowed.append(Allowed(service=service, table=table, key=key, fields=fields))
            stamps.setdefault(table, {}).update(_stamps(after, *states))
    return _Touched(
        tuple(_stamped(one, stamps.get(one.table, {})) for one in allowed), created, shown
    )


def _stamps(row: Entity, before: State, after: State) -> dict[str, None]:
    """The fields of a touched row that say when it was written: their time is the replay's.

    A row that happens to bear the time of the first write shows no difference there.
    """
    found: dict[str, None] = {}
    held, dated = row.__dict__, _dated(type(row))
    for name in type(row).__pydantic_fields__:
        value = held[name]
        if name not in dated and not isinstance(value, datetime):
            continue
        try:
            when = facts.normalise("datetime", value)
        except (ValueError, TypeError, OverflowError):
            continue  # it holds no instant
        # Many services keep whole seconds.
        if before.ledger.now - _SECOND < when <= after.ledger.now:  # type: ignore[operator]  # instants
            found[name] = None
    return found


@lru_cache(maxsize=1024)
def _dated(entity: type[Entity]) -> frozenset[str]:
    """The fields of an entity that mean an instant, in whatever type they hold it."""
    return frozenset(n for n in entity.model_fields if kind_of(entity, n) == "datetime")


def _stamped(allowed: Allowed, stamps: Mapping[str, None]) -> Allowed:
    more = tuple(name for name in stamps if name not in allowed.fields)
    if not more or not allowed.fields:
        return allowed  # no field: the row may be gone
    return allowed.model_copy(update={"fields": (*allowed.fields, *more)})


def _may_be_log(initial: Environment, service: str, table: str, grows: bool) -> bool:
    """Whether rows may be written there on the side of any write: no tool addresses them."""
    entity = initial.states[service].tables()[table]
    return grows and entity.__name__ not in _addressed(initial.services[service])


@lru_cache(maxsize=256)
def _addressed(service: Service[Any]) -> frozenset[str]:
    """The entities that the parameters of a service's tools name."""
    found = (
        meaning_of(annotation, RefTo)
        for tool in service.tools.values()
        for annotation, _ in tool.parameters.values()
    )
    return frozenset(reference.entity for reference in found if reference is not None)


def _common(rows: Sequence[dict[str, str]], own: set[Key]) -> dict[str, tuple[str, ...]]:
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
    held = row.__dict__
    looked = [
        (name, always) for name, always in _settled(type(row)) if always or not held[name]
    ]
    values = row.model_dump(mode="json", include={name for name, _ in looked})
    found = {}
    for name, always in looked:
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
