"""Writes: what a tool changes, which arguments land where, and under which conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from attrs import define, evolve, field

from compoworld_core.service import Tool
from compoworld_core.types import freeze
from compoworld_tasks_walk.affordances import JSON, By, Fixed, Into, Path, Side, Write
from compoworld_tasks_walk.learning.conditions import (
    existence,
    moves,
    of_named,
    others,
    preconditions,
    unique,
)
from compoworld_tasks_walk.learning.drawing import ACTOR, GUESSES, Values, leaves_in
from compoworld_tasks_walk.learning.matching import View, reveals
from compoworld_tasks_walk.learning.parameters import Leaf
from compoworld_tasks_walk.learning.reads import variants
from compoworld_tasks_walk.learning.runs import Run, Trial, more_runs, steady_run, stirred_run
from compoworld_tasks_walk.learning.sinks import into, landing, naming, probed, settled
from compoworld_tasks_walk.learning.world import World


def learn_writes(world: World, tool: Tool, rng: Random) -> tuple[list[Write], str, bool]:
    """(the writes of a tool, or why there are none, whether it worked without any change)."""
    found: list[Write] = []
    why = ""
    silent = False
    done: set[Leaf] = set()
    purse = [1500 + 40 * len(leaves_in(world, tool))]
    ways = variants(leaves_in(world, tool))
    for required, optional in ways:
        if purse[0] < 0 or {leaf for leaf in required if leaf.form} & done:
            continue
        trial = Trial(world, tool, required, optional, rng, purse=purse)
        first = steady_run(trial) or (stirred_run(trial) if len(ways) < _MANY else None)
        if first is None:
            why, silent = trial.refusal or why, silent or trial.silent
            continue
        study = Study(trial, first)
        write = study.write()
        found += [] if write is None else [write]
        why = study.why or why
        done |= set(study.owners.values())
        for pinned in study.choices() if purse[0] > 0 else ():
            trial = Trial(world, tool, required, optional, rng, pinned=pinned, purse=purse)
            first = steady_run(trial)
            if first is not None:
                again = Study(trial, first)
                write = again.write()
                if write is not None and not any(_alike(write, other) for other in found):
                    found.append(write)
    return found, why or "a call works and changes no record", silent


_MANY = 4


def _alike(write: Write, other: Write) -> bool:
    """Whether two writes do the same to the same table, whatever their constants."""
    return evolve(write, fixed=other.fixed) == other


@define
class Study:
    """What is found out about a tool, from calls that worked."""

    trial: Trial
    first: Run
    sinks: dict[str, Into] = field(factory=dict)
    owners: dict[str, Leaf] = field(factory=dict)
    """Sink → its argument."""
    needed: list[str] = field(factory=list)
    loose: list[Leaf] = field(factory=list)
    """Required arguments that neither name the row nor land."""
    later: list[Run] = field(factory=list)
    why: str = ""

    def write(self) -> Write | None:
        """The write; None with `why` where it was not found out."""
        trial, first = self.trial, self.first
        runs = more_runs(trial, first)
        if len(runs) < 2:
            self.why = f"it worked once and not again: {trial.refusal[:160]}"
            return None
        named = naming(trial, runs)
        if first.main.op != "create" and not named:
            self.why = f"no argument names the row of {first.main.table} that it changes"
            return None
        pinned = set(named.values())
        for leaf in dict.fromkeys([*trial.required, *trial.extra, *trial.optional]):
            if leaf not in pinned and trial.mapped.get(leaf) != ACTOR:
                self._sink(leaf, runs)
        self._spare(runs)
        fixed, self.why = _constants(trial, first, self.loose)
        if self.why:
            return None
        write, self.why = _write(self, runs, named, fixed)
        return write

    def _sink(self, leaf: Leaf, runs: list[Run]) -> None:
        """Find where an argument lands."""
        trial, first = self.trial, self.first
        seen = runs if leaf in first.values else probed(trial, first, leaf)
        place = landing(trial, seen, leaf) if seen else None
        guesses = range(len(GUESSES)) if seen is runs and not leaf.shape.told else (None,)
        for guess in guesses if place is None else ():
            seen = probed(trial, first, leaf, guess)
            place = landing(trial, seen, leaf) if seen else None
            if place is not None:
                break
        mode = settled(trial, first, leaf, *place) if place else None
        needed = leaf in trial.required or self._missed(leaf)
        if place is None or mode is None or place[0] in self.sinks:
            self.loose += [leaf] if needed else []
            return
        name = place[0]
        self.sinks[name] = into(trial, leaf, first.main.table, name, mode)
        self.owners[name] = leaf
        self.needed += [name] if needed else []
        self.later += seen if seen is not runs else []

    def _spare(self, runs: list[Run]) -> None:
        """A form that another form of the same argument can stand in for is not required."""
        first = runs[0]
        for name in [n for n in self.needed if self.owners[n].form]:
            leaf = self.owners[name]
            for run in self.later:
                other = next((k for k in run.values if k not in first.values), None)
                if other is None or other.parameter != leaf.parameter:
                    continue
                rest = {k: v for k, v in run.values.items() if k is not leaf}
                if self.trial.given(run.key, run.world, rest) is not None:
                    self.needed.remove(name)
                    break

    def _missed(self, leaf: Leaf) -> bool:
        """Whether the call fails without an optional argument that it was given."""
        trial, first = self.trial, self.first
        if leaf not in trial.extra or (len(trial.extra) == 1 and first.main.op != "create"):
            return False
        rest = {k: v for k, v in first.values.items() if k is not leaf}
        return trial.given(first.key, first.world, rest) is None

    def choices(self) -> list[Values]:
        """Other choices for enum arguments that do not land: they may mean other tables."""
        if any("." in leaf.form for leaf in self.trial.required):
            return []  # a form that names its table has settled the choice
        leaves = [k for k in self.loose if k.shape.enum and k not in self.trial.pinned]
        return [
            {leaf: value}
            for leaf in leaves[:1]
            for value in leaf.shape.enum
            if value != self.first.values[leaf]
        ]


_PLAIN = frozenset({"currency", "country", "status"})
"""Kinds of text that may be a constant of a call; others would be words of nobody's."""


def _constants(trial: Trial, first: Run, loose: Sequence[Leaf]) -> tuple[Fixed, str]:
    """Required arguments that neither name nor land: constants, unless they name a row."""
    fixed: list[tuple[Path, JSON]] = []
    table = first.main.table
    for leaf in loose:
        if leaf.shape.ref or leaf in trial.existing or leaf in trial.mapped:
            place = ".".join(map(str, leaf.path))
            return (), f"what the required argument {place} does was not found out"
        told = leaf.shape.enum or leaf.shape.json_type != "string" or leaf.shape.kind in _PLAIN
        if not told:
            place = ".".join(map(str, leaf.path))
            return (), f"the text of the required argument {place} lands in no field of {table}"
        fixed += [(path, freeze(value)) for path, value in leaf.slot.leaves(first.values[leaf])]
    return tuple(fixed), ""


def _write(
    study: Study, runs: list[Run], named: Mapping[str, Leaf], fixed: Fixed
) -> tuple[Write | None, str]:
    trial, sinks, owners = study.trial, study.sinks, study.owners
    needed, later = study.needed, study.later
    first, main = runs[0], runs[0].main
    world, table = trial.world, main.table
    effects, touches = _consequences(trial, runs, later, sinks)
    if main.op == "update" and not sinks and not effects:
        return (
            None,
            f"it changes {', '.join(touches)} of {table} in a way that no argument tells",
        )
    pre = preconditions(trial, first)
    more, own, why = others(trial, first, pre)
    if why:
        return None, f"it fails on some rows of {table}, and no field tells which: {why[:160]}"
    pre.update(more)
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
        {name: freeze(values) for name, values in {**pre, **named_pre}.items()},
        own,
        {name: found for name, found in shifts.items() if found},
        parent,
        inner,
        result.get("id"),
        _sides([*runs, *later]),
        tuple(n for n in must if unique(trial, first, owners[n], n)),
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
    for name in reversed(needed):
        homes = trial.world.homes(owners[name].shape.ref)
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
        counted = isinstance(values[0], int | float) and not isinstance(values[0], bool)
        telling = not counted if first.op == "update" else values[0] not in (None, "", [])
        if changed and constant and telling and not timed:
            effects[name] = freeze(values[0])
    for run in [*runs, *later]:
        for name in run.main.fields:
            if name not in effects and name not in sinks and name != "id":
                touches[name] = None
    return effects, tuple(touches) if first.op == "update" else ()


def _sides(runs: Sequence[Run]) -> tuple[Side, ...]:
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
