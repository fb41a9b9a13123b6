"""Which argument lands in which field of the record that a write changes, and how."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from compoworld_tasks_walk.affordances import JSON, Into, Mode
from compoworld_tasks_walk.learning.drawing import ACTOR, Draws
from compoworld_tasks_walk.learning.hidden import telling, turned
from compoworld_tasks_walk.learning.matching import same
from compoworld_tasks_walk.learning.parameters import Leaf
from compoworld_tasks_walk.learning.runs import Run, Trial, like
from compoworld_tasks_walk.learning.world import World

PROBES = 2


def naming(trial: Trial, runs: Sequence[Run]) -> dict[str, Leaf]:
    """Field → the argument whose value the changed record had there, in every run."""
    found: dict[str, Leaf] = {}
    for leaf in [*trial.required, *trial.extra]:
        if trial.mapped.get(leaf) == ACTOR:
            continue
        names = ["id", *trial.world.facts[runs[0].main.table]]
        if leaf in trial.mapped and "." not in trial.mapped[leaf]:
            names = [trial.mapped[leaf], *names]
        for name in names:
            if name not in found and all(_names(run, leaf, name) for run in runs):
                found[name] = leaf
                break
    return {
        name: leaf
        for name, leaf in found.items()
        if name == "id"
        or ("id" not in found and len(found) == 1)
        or _decides(trial, runs[0], leaf, name)
    }


def _decides(trial: Trial, run: Run, leaf: Leaf, name: str) -> bool:
    """Whether another value of the argument fails, or changes another row."""
    column = run.world.column(run.main.table, name)
    others = [value for value in dict.fromkeys(column) if value != run.values[leaf]]
    if leaf.shape.ref:
        homes = run.world.homes(leaf.shape.ref)
        others += [k for t in homes for k in run.world.rows[t] if k != run.values[leaf]]
    for value in others[:12]:
        again = trial.given(run.key, run.world, {**run.values, leaf: value})
        if again is not None and again.main.id == run.main.id:
            return False
    return bool(others)


def _names(run: Run, leaf: Leaf, name: str) -> bool:
    before, after = run.main.before, run.main.after
    if before is None or isinstance(before.get(name), bool):
        return False
    value = run.values.get(leaf)
    kept = after is None or after.get(name) == before.get(name)
    return value is not None and same(before.get(name), value) and kept


def landing(trial: Trial, runs: Sequence[Run], leaf: Leaf) -> tuple[str, Mode] | None:
    """The field that takes a leaf's value in every run, and how; None where there is none."""
    seen = [run for run in runs if leaf in run.values]
    different = {str(run.values[leaf]) for run in seen}
    two = leaf.shape.json_type == "boolean" or 0 < len(leaf.shape.enum) <= PROBES
    lone = len(different) < PROBES and not two
    if not seen or (lone and leaf.shape.kind != "currency"):
        return None
    table = seen[0].main.table
    candidates: list[tuple[tuple[bool, ...], str, Mode]] = []
    for name, fact in trial.world.facts[table].items():
        modes = {_mode(run, leaf, name) for run in seen}
        mode = next(iter(modes)) if len(modes) == 1 else None
        moved = any(name in run.main.fields for run in seen)
        if mode is not None and moved:
            apart = (mode != "set", name != leaf.path[-1], fact.kind != leaf.shape.kind)
            candidates.append((apart, name, mode))
    if not candidates or (lone and len(candidates) > 1):
        return None
    _, name, mode = min(candidates)
    return name, mode


def _mode(run: Run, leaf: Leaf, name: str) -> Mode | None:
    """How a value got into a field in one run."""
    value, after = run.values[leaf], (run.main.after or {}).get(name)
    before = (run.main.before or {}).get(name)
    if isinstance(after, list):
        if not any(not isinstance(item, dict | list) and same(item, value) for item in after):
            return None
        if run.main.op == "create" or len(after) == 1:
            return "set" if len(after) == 1 or run.main.op == "create" else None
        return "add"
    if isinstance(after, dict) or after is None:
        return None
    if same(after, value):
        return "set"
    joined = isinstance(after, str) and isinstance(value, str) and len(value) > 3
    if joined and run.main.op == "update" and before and before in after and value in after:
        return "append"
    return None


def probed(trial: Trial, first: Run, leaf: Leaf, guess: int | None = None) -> list[Run]:
    """Runs that give one leaf different values, on the row of the first run.

    Args:
        trial: the tool under study.
        first: a run that worked.
        leaf: the argument to vary.
        guess: which guess at a plain string to draw; by default one after the other.
    """
    draws = Draws(first.world, trial.rng)
    runs: list[Run] = []
    used: list[JSON] = []
    worlds = [first.world] * PROBES * 4
    if leaf.shape.enum:
        worlds += _other_states(first, leaf)
    for attempt, world in enumerate(worlds):
        held = world.rows[first.main.table].get(first.main.id, {})
        value = _probe(trial, draws, leaf, attempt if guess is None else guess)
        if value is None or value in used or value == held.get(str(leaf.path[-1])):
            continue
        values = {k: v for k, v in first.values.items() if not k.slot.clashes(leaf.slot)}
        for other in trial.optional:
            if other.path in leaf.needs and other not in values:
                values[other] = trial.drawn(other, draws)
        values[leaf] = value
        run = trial.given(first.key, world, values)
        if run is not None and like(run, first):
            runs.append(run)
            used.append(value)
            if len(runs) == PROBES:
                break
    return runs


def _other_states(first: Run, leaf: Leaf) -> list[World]:
    """Worlds in which the row is in another of the states that an argument may write."""
    table, key = first.main.table, first.main.id
    if first.main.before is None:
        return []
    return [
        world
        for name in telling(first.world, table)
        if "." not in name and first.world.facts[table][name].enum
        for value, world in turned(first.world, table, key, name)
        if value in leaf.shape.enum
        for _ in leaf.shape.enum
    ]


def _probe(trial: Trial, draws: Draws, leaf: Leaf, attempt: int) -> JSON:
    if leaf.shape.enum:
        return leaf.shape.enum[attempt % len(leaf.shape.enum)]
    if leaf.shape.json_type == "boolean":
        return attempt % 2 == 0
    if leaf.form:
        return trial.formed(leaf, draws)
    if leaf.shape.ref or attempt >= PROBES * 2:
        return draws.existing(leaf, attempt)
    return draws.fresh(leaf, attempt)


def settled(trial: Trial, first: Run, leaf: Leaf, name: str, mode: Mode) -> Mode | None:
    """Set, append or add, by a second call on the record that the first one left."""
    if first.main.op != "update":
        return mode
    run = next(iter(probed(trial, first, leaf)), None) if leaf not in first.values else first
    if run is None or run.outcome.after is None:
        return None
    draws = Draws(run.world, trial.rng)
    for attempt in range(4):
        value = _probe(trial, draws, leaf, attempt)
        if value is None or value == run.values[leaf]:
            continue
        again = trial.given(run.key, run.outcome.after, {**run.values, leaf: value})
        if again is None or again.main.id != run.main.id:
            continue
        held = (again.main.after or {}).get(name)
        both = isinstance(held, str | list) and run.values[leaf] in held and value in held
        if mode == "set":
            return "add" if isinstance(held, list) and both else "set"
        return mode if both else None
    return None if mode == "append" else mode


def into(trial: Trial, leaf: Leaf, table: str, name: str, mode: Mode) -> Into:
    """The sink as data; a plain string parameter takes the field's meaning."""
    fact = trial.world.facts[table][name]
    slot = leaf.slot if leaf.shape.told else evolve(leaf.slot, kind=fact.kind)
    return Into(slot, mode)
