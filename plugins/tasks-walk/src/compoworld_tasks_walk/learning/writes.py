"""Writes: what a tool changes, which arguments land where, and under which conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from attrs import evolve

from compoworld_core.service import Tool
from compoworld_core.types import freeze
from compoworld_tasks_walk.affordances import JSON, By, Fixed, Into, Path, Side, Write
from compoworld_tasks_walk.learning.conditions import (
    existence,
    moves,
    of_named,
    owned,
    preconditions,
    unique,
)
from compoworld_tasks_walk.learning.drawing import ACTOR
from compoworld_tasks_walk.learning.matching import View, reveals
from compoworld_tasks_walk.learning.parameters import Leaf, leaves
from compoworld_tasks_walk.learning.reads import variants
from compoworld_tasks_walk.learning.runs import Run, Trial, first_run, more_runs, stirred_run
from compoworld_tasks_walk.learning.sinks import into, landing, naming, probed, settled
from compoworld_tasks_walk.learning.world import World


def learn_writes(world: World, tool: Tool, rng: Random) -> tuple[list[Write], str, bool]:
    """(the write of a tool, or why there is none, whether it worked without any change)."""
    required, optional = variants(leaves(tool))[0]
    trial = Trial(world, tool, required, optional, rng)
    first = first_run(trial) or stirred_run(trial)
    if first is None:
        return [], trial.refusal or "a call works and changes no record", trial.silent
    write, why = _studied(trial, first)
    return ([] if write is None else [write]), why, False


def _studied(trial: Trial, first: Run) -> tuple[Write | None, str]:
    runs = more_runs(trial, first)
    main = first.main
    if len(runs) < 2:
        return None, f"it worked once and not again: {trial.refusal[:160]}"
    named = naming(trial, runs)
    if main.op != "create" and not named:
        return None, f"no argument names the row of {main.table} that it changes"
    pinned = set(named.values())
    sinks: dict[str, Into] = {}
    owners: dict[str, Leaf] = {}
    needed: list[str] = []
    loose: list[Leaf] = []
    later: list[Run] = []
    for leaf in [*trial.required, *trial.extra, *trial.optional]:
        if leaf in pinned or trial.mapped.get(leaf) == ACTOR or leaf in owners.values():
            continue
        given = leaf in first.values
        seen = runs if given else probed(trial, first, leaf)
        place = landing(trial, seen, leaf) if seen else None
        if place is None and given:
            seen = probed(trial, first, leaf)
            place = landing(trial, seen, leaf) if seen else None
        mode = settled(trial, first, leaf, *place) if place else None
        if place is None or mode is None or place[0] in sinks:
            if leaf in trial.required:
                loose.append(leaf)
            continue
        name = place[0]
        sinks[name], owners[name] = into(trial, leaf, main.table, name, mode), leaf
        if leaf in trial.required:
            needed.append(name)
        later += seen if seen is not runs else []
    fixed, why = _constants(trial, first, loose)
    if why:
        return None, why
    return _write(trial, runs, later, named, sinks, owners, needed, fixed)


def _constants(trial: Trial, first: Run, loose: Sequence[Leaf]) -> tuple[Fixed, str]:
    """Required arguments that neither name nor land: constants, unless they name a row."""
    fixed: list[tuple[Path, JSON]] = []
    for leaf in loose:
        if leaf.shape.ref or leaf in trial.existing or leaf in trial.mapped:
            place = ".".join(map(str, leaf.path))
            return (), f"what the required argument {place} does was not found out"
        fixed += [(path, freeze(value)) for path, value in leaf.slot.leaves(first.values[leaf])]
    return tuple(fixed), ""


def _write(
    trial: Trial,
    runs: list[Run],
    later: list[Run],
    named: Mapping[str, Leaf],
    sinks: dict[str, Into],
    owners: Mapping[str, Leaf],
    needed: Sequence[str],
    fixed: Fixed,
) -> tuple[Write | None, str]:
    first, main = runs[0], runs[0].main
    world, table = trial.world, main.table
    effects, touches = _consequences(trial, runs, later, sinks)
    if main.op == "update" and not sinks and not effects:
        return (
            None,
            f"it changes {', '.join(touches)} of {table} in a way that no argument tells",
        )
    pre = preconditions(trial, first)
    own, always = owned(trial, first, pre)
    if not always:
        return (
            None,
            f"it fails on some rows of {table}, and no field tells which: {trial.refusal[:160]}",
        )
    shifts = {name: moves(trial, first, owners[name], name) for name in sinks}
    parent = _parent(trial, main.op, sinks, needed, owners)
    named_pre = of_named(trial, first, sinks, owners) if main.op == "create" else {}
    inner = {
        name.partition(".")[2]: values
        for name, values in named_pre.items()
        if parent is not None and name.partition(".")[0] == parent[1]
    }
    must = {n: existence(trial, first, owners[n]) for n in sinks if owners[n] in first.values}
    result = _result(trial, runs)
    return Write(
        world.service.name,
        trial.tool.name,
        table,
        main.op,
        {name: _by(trial, table, name, leaf) for name, leaf in named.items()},
        sinks,
        tuple(needed),
        fixed,
        effects,
        touches,
        {**pre, **named_pre},
        own,
        {name: found for name, found in shifts.items() if found},
        parent,
        inner,
        result.get("id"),
        _sides([*runs, *later], main.table, main.op),
        tuple(n for n in sinks if owners[n] in first.values and unique(trial, first, owners[n], n)),
        {name: place for name, place in must.items() if place is not None},
        result,
        tuple(leaf.slot for leaf, name in trial.mapped.items() if name == ACTOR),
    ), ""  # fmt: skip


def _by(trial: Trial, table: str, name: str, leaf: Leaf) -> By:
    fact = trial.world.facts[table][name]
    slot = leaf.slot if leaf.shape.told else evolve(leaf.slot, kind=fact.kind)
    return By(slot, "key" if name == "id" else "eq")


def _parent(
    trial: Trial,
    op: str,
    sinks: Mapping[str, Into],
    needed: Sequence[str],
    owners: Mapping[str, Leaf],
) -> tuple[str, str] | None:
    """The table and Ref field of the record that a new record belongs to."""
    if op != "create":
        return None
    for name in needed:
        homes = trial.world.tables_of.get(owners[name].shape.ref, ())
        if homes and sinks[name].mode == "set":
            return homes[0], name
    return None


def _consequences(
    trial: Trial, runs: Sequence[Run], later: Sequence[Run], sinks: Mapping[str, Into]
) -> tuple[dict[str, JSON], tuple[str, ...]]:
    """(fields that always become a constant, further fields that may change)."""
    effects: dict[str, JSON] = {}
    touches: dict[str, None] = {}
    first = runs[0].main
    for name, fact in trial.world.facts[first.table].items():
        if name in sinks or name == "id" or first.op == "delete":
            continue
        values = [(run.main.after or {}).get(name) for run in runs]
        changed = any(name in run.main.fields for run in runs)
        constant = all(value == values[0] for value in values)
        timed = fact.kind in ("date", "datetime") and values[0] is not None
        telling = first.op == "update" or values[0] not in (None, "", [])
        if changed and constant and telling and not timed:
            effects[name] = freeze(values[0])
    for run in [*runs, *later]:
        for name in run.main.fields:
            if name not in effects and name not in sinks and name != "id":
                touches[name] = None
    return effects, tuple(touches) if first.op == "update" else ()


def _sides(runs: Sequence[Run], table: str, op: str) -> tuple[Side, ...]:
    """Records beside the main one that changed in some run."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for run in runs:
        for change in run.outcome.changes:
            if (change.table, change.id) == (run.main.table, run.main.id):
                continue
            names = change.fields if change.op == "update" else ()
            found.setdefault((change.table, change.op), {}).update(dict.fromkeys(names))
    return tuple(
        Side(place[0], place[1], tuple(names))  # type: ignore[arg-type]  # an Op, from a change
        for place, names in sorted(found.items())
    )


def _result(trial: Trial, runs: Sequence[Run]) -> dict[str, Path]:
    """Field of the written row → where it stands in the result."""
    pairs = []
    for run in runs:
        row = run.main.after or run.main.before
        if row is not None and isinstance(run.outcome.data, Mapping):
            pairs.append((run.outcome.data, row))
    view = View(runs[0].main.table, "one", (), ("id", ()))
    return reveals(trial.world, view, pairs) if len(pairs) > 1 else {}
