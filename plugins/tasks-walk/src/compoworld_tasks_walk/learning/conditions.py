"""When a write works: states of the row and of the rows that it names, existence, uniqueness.

Each is found by changing one thing about a call that works.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compoworld_core.types import KEY_KINDS, freeze
from compoworld_tasks_walk.affordances import JSON, Into
from compoworld_tasks_walk.learning.drawing import ACTOR, Draws, among, spread, taken, value_of
from compoworld_tasks_walk.learning.hidden import telling, turned, values_for
from compoworld_tasks_walk.learning.parameters import Leaf
from compoworld_tasks_walk.learning.runs import Run, Trial
from compoworld_tasks_walk.learning.world import World

Pre = dict[str, tuple[JSON, ...]]


def works(trial: Trial, run: Run, world: World) -> bool:
    """Whether a run's call also works in a changed world, and changes something."""
    outcome = trial.call(run.values, world)
    return outcome.ok and bool(outcome.changes)


def preconditions(trial: Trial, run: Run) -> Pre:
    """Field of the row to change → values for which the call works; `ref.field` one step on."""
    if run.main.before is None:
        return {}
    found: Pre = {}
    for name in telling(run.world, run.main.table):
        held = value_of(run.world, run.main.table, run.main.before, name)
        values = _working(trial, run, run.main.table, run.main.id, name, held)
        if values is not None:
            found[name] = values
    return found


def of_named(
    trial: Trial, run: Run, sinks: Mapping[str, Into], leaves: Mapping[str, Leaf]
) -> Pre:
    """`ref.field` → values for which a create works, for the rows that its arguments name."""
    found: Pre = {}
    for name in sinks:
        leaf = leaves[name]
        if not leaf.shape.ref or leaf not in run.values:
            continue
        for home in run.world.homes(leaf.shape.ref):
            row = run.world.rows[home].get(run.values[leaf])
            if row is None:
                continue
            for inner in telling(run.world, home):
                if "." not in inner:
                    at = run.values[leaf]
                    values = _working(trial, run, home, at, inner, row.get(inner))
                    if values is not None:
                        found[f"{name}.{inner}"] = values
    return found


def _working(
    trial: Trial, run: Run, table: str, key: JSON, name: str, held: JSON
) -> tuple[JSON, ...] | None:
    """The values of a field for which the call works; None where it always does."""
    good: list[JSON] = [held]
    bad: list[JSON] = []
    for value, world in turned(run.world, table, key, name):
        (good if works(trial, run, world) else bad).append(value)
    if not bad:
        return None
    home, _, rest = name.rpartition(".")
    place = run.world.facts[table][home].ref if home else table
    known = values_for(run.world, place, rest)
    if any(value not in known for value in good):
        return None
    return tuple(value for value in known if value in good)


def moves(trial: Trial, run: Run, leaf: Leaf, name: str) -> dict[str, tuple[JSON, ...]]:
    """Value written → values from which it can be reached; empty where all can from all."""
    table = run.main.table
    held = run.world.facts[table].get(name)
    if held is None or not leaf.shape.enum or run.main.before is None:
        return {}
    values = values_for(run.world, table, name)
    found: dict[str, tuple[JSON, ...]] = {}
    everywhere = True
    starts: list[tuple[JSON, World]] = [(run.main.before.get(name), run.world)]
    starts += list(turned(run.world, table, run.main.id, name))
    for target in leaf.shape.enum:
        reached = [
            start
            for start, world in starts
            if start != target and trial.call({**run.values, leaf: target}, world).ok
        ]
        everywhere &= len(reached) == sum(start != target for start, _ in starts)
        if reached:
            found[str(target)] = tuple(v for v in values if v in reached)
    return {} if everywhere else found


def others(trial: Trial, run: Run, pre: Pre) -> tuple[Pre, tuple[str, ...], str]:
    """(further preconditions, fields that must name the caller's account, why it still fails).

    The call is repeated for other rows; where it fails, the row is given the first row's value
    in one field after the other.
    """
    world, table = run.world, run.main.table
    if run.main.before is None or not trial.mapped or trial.table != table:
        return {}, (), ""
    rows = world.rows[table]
    fitting = [
        key
        for key, row in rows.items()
        if all(among(value_of(world, table, row, n), vs) for n, vs in pre.items())
    ]
    tried = {key: _same_call(trial, run, key, world) for key in spread(fitting, 16)}
    failing = [key for key, done in tried.items() if not done]
    if not failing:
        return {}, (), ""
    for name, fact in world.facts[table].items():
        value = run.main.before.get(name)
        skipped = name == "id" or name in pre or fact.many or value is None
        if skipped or not _mended(trial, run, failing[:4], name):
            continue
        if (fact.ref or fact.kind == "email") and _is_actor(world, fact.ref, value):
            return {}, (name,), ""
        bad = [rows[key].get(name) for key in failing]
        good = [rows[key].get(name) for key, done in tried.items() if done]
        values = tuple(v for v in dict.fromkeys(map(freeze, good)) if v not in bad)
        apart = fact.ref or fact.kind in _TIMED or fact.json_type != "string"
        if values and not apart and len(values) <= _FEW:
            return {name: values}, (), ""
    if len(failing) * 5 <= len(tried):
        return {}, (), ""
    return {}, (), trial.refusal or "for some rows it changes nothing"


_FEW = 6
_TIMED = frozenset({"date", "datetime"})


def _same_call(trial: Trial, run: Run, key: JSON, world: World) -> bool:
    """Whether the run's call works for another row, its drawn values kept."""
    row = world.rows[trial.table].get(key)
    named = None if row is None else taken(trial.mapped, world, trial.table, row)
    if named is None:
        return False
    outcome = trial.call({**run.values, **named}, world)
    trial.refusal = outcome.text or trial.refusal
    return outcome.ok


def _mended(trial: Trial, run: Run, failing: Sequence[JSON], name: str) -> bool:
    """Whether failing rows work once they have the first row's value in a field."""
    value = (run.main.before or {}).get(name)
    for key in failing:
        changed = run.world.variant(run.main.table, key, {name: value})
        if changed is None or not _same_call(trial, run, key, changed):
            return False
    return True


def _is_actor(world: World, ref: str, value: JSON) -> bool:
    actor = world.state.ledger.actor
    return value == actor or (ref != "" and actor in world.rows[ref].get(value, {}).values())


def existence(trial: Trial, run: Run, leaf: Leaf) -> tuple[str, str] | None:
    """The (table, field) in which an argument's value must exist; None where it need not."""
    world = run.world
    if leaf.shape.ref:
        homes = world.homes(leaf.shape.ref)
        return (homes[0], "id") if homes else None
    if leaf.shape.enum or leaf.shape.json_type == "boolean" or trial.mapped.get(leaf) == ACTOR:
        return None
    draws = Draws(world, trial.rng)
    for attempt in range(2):
        if trial.given(run.key, world, {**run.values, leaf: draws.fresh(leaf, attempt)}):
            return None
    for table, facts in world.facts.items():
        for name, fact in facts.items():
            column = world.column(table, name) if fact.kind in KEY_KINDS else []
            if run.values[leaf] in column and _all_work(trial, run, leaf, column):
                return table, name
    return None


def _all_work(trial: Trial, run: Run, leaf: Leaf, column: Sequence[JSON]) -> bool:
    others = [value for value in dict.fromkeys(column) if value != run.values[leaf]][:3]
    return bool(others) and all(
        trial.given(run.key, run.world, {**run.values, leaf: value}) for value in others
    )


def unique(trial: Trial, run: Run, leaf: Leaf, name: str) -> bool:
    """Whether a value that another row has in the field ends in a conflict."""
    world, table = run.world, run.main.table
    fact = world.facts[table][name]
    if fact.ref or fact.enum or leaf.shape.json_type != "string":
        return False
    own = (run.main.before or {}).get(name)
    for value in [v for v in world.column(table, name) if v != own][:2]:
        if trial.call({**run.values, leaf: value}, world).code == "conflict":
            return True
    return False
