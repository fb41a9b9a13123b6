"""Calls of a writing tool that work: found by trying, repeated with other rows and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from random import Random

from attrs import define, evolve, field, frozen

from compoworld_core.service import Tool
from compoworld_core.table import Key
from compoworld_tasks_walk.affordances import JSON, arguments
from compoworld_tasks_walk.learning.drawing import (
    ACTOR,
    GUESSES,
    Draws,
    Mapped,
    Values,
    formed,
    mappings,
    spread,
    taken,
)
from compoworld_tasks_walk.learning.hidden import telling, turned
from compoworld_tasks_walk.learning.matching import same
from compoworld_tasks_walk.learning.parameters import Leaf
from compoworld_tasks_walk.learning.world import Changed, Outcome, World


@frozen
class Run:
    """One call that worked."""

    world: World
    """The world before it."""
    key: Key | None
    """The row that the mapped arguments were taken from."""
    values: Values
    outcome: Outcome
    main: Changed


_PURSE = 1500


@define
class Trial:
    """A writing tool under study."""

    world: World
    tool: Tool
    required: list[Leaf]
    optional: list[Leaf]
    rng: Random
    table: str = ""
    """Where the mapped arguments are taken from; empty where none are."""
    mapped: Mapped = field(factory=dict)
    pinned: Values = field(factory=dict)
    """Choices that are made already."""
    held: Values = field(factory=dict)
    """Choices of the first call that worked: the likelier ones of later calls."""
    existing: set[Leaf] = field(factory=set)
    """Drawn arguments that take values that some row has."""
    extra: list[Leaf] = field(factory=list)
    """Optional arguments without one of which the call changes nothing."""
    purse: list[int] = field(factory=lambda: [_PURSE])
    """Calls that are left for the search of all ways to call the tool, shared by them."""
    attempt: int = 0
    """Which guess at plain strings worked."""
    refusal: str = ""
    """The last error, for a person."""
    silent: bool = False
    """A call worked and changed nothing."""

    def filled(self, key: Key | None, world: World, draws: Draws) -> Values | None:
        """Arguments for one row: mapped, then drawn; None where one has no value."""
        values: Values = {}
        if self.mapped:
            row = world.rows[self.table].get(key) if key is not None else None
            found = None if row is None else taken(self.mapped, world, self.table, row)
            if found is None:
                return None
            values.update(found)
        for leaf in [*self.required, *self.extra]:
            if leaf in values:
                continue
            value = self.drawn(leaf, draws)
            if value is None:
                return None
            values[leaf] = value
        return values

    def drawn(self, leaf: Leaf, draws: Draws) -> JSON:
        """A value for a leaf, as the strategy that worked draws it."""
        if leaf in self.pinned:
            return self.pinned[leaf]
        if leaf.shape.enum and not self.held:
            return leaf.shape.enum[self.attempt % len(leaf.shape.enum)]
        if leaf in self.held and self.rng.random() < 0.6:
            return self.held[leaf]
        if leaf.form:
            return self.formed(leaf, draws)
        if leaf in self.existing or leaf.shape.ref:
            return draws.existing(leaf, self.attempt)
        return draws.fresh(leaf, self.attempt)

    def formed(self, leaf: Leaf, draws: Draws) -> JSON:
        """A value for a documented form: of the meaning of the field that it names."""
        for table, facts in self.world.facts.items():
            for name, fact in facts.items():
                if formed(leaf.form, table, name):
                    homes = [n for n, t in self.world.tables_of.items() if fact.ref in t]
                    kind, ref = fact.kind, (homes[0] if homes else "")
                    enum: tuple[str | int, ...] = tuple(fact.enum)
                    shape = evolve(leaf.shape, kind=kind, ref=ref, enum=enum, told=True)
                    value = draws.fresh(evolve(leaf, shape=shape), self.attempt)
                    return str(value) if value is not None else None
        return draws.fresh(leaf, self.attempt)

    def call(self, values: Values, world: World) -> Outcome:
        """Run the tool on a fork of a world."""
        self.purse[0] -= 1
        given = arguments((leaf.slot, value) for leaf, value in values.items())
        return world.write(self.tool.name, given)

    def run(self, key: Key | None, world: World, changed: Values | None = None) -> Run | None:
        """A call for one row with some values changed; None where it fails or does nothing."""
        values = self.filled(key, world, Draws(world, self.rng))
        if values is None:
            return None
        values.update(changed or {})
        return self.given(key, world, values)

    def given(self, key: Key | None, world: World, values: Values) -> Run | None:
        """A call with these values; None where it fails or does nothing."""
        outcome = self.call(values, world)
        if not outcome.ok:
            self.refusal = outcome.text
            return None
        if not outcome.changes:
            self.silent = True
            return None
        drawn = [value for leaf, value in values.items() if not leaf.shape.ref]
        main = max(outcome.changes, key=lambda c: _weight(c, drawn, values, key))
        return Run(world, key, values, outcome, main)


def _weight(
    change: Changed, drawn: Sequence[JSON], values: Values, key: Key | None
) -> tuple[float, ...]:
    """How much a change looks like what the call is for: what it takes up, what is named."""
    after = [(change.after or {}).get(name) for name in change.fields]
    landed = sum(
        any(lands(cell, value) for cell in after)
        for value in drawn
        if not isinstance(value, bool)
    )
    named = change.op != "create" and (change.id in values.values() or change.id == key)
    return (landed, named, change.op == "create", -len(str(change.table)))


def lands(cell: JSON, value: JSON) -> bool:
    """Whether a value is a field's, or among its items, or part of its text."""
    if isinstance(cell, list):
        return any(same(item, value) for item in cell if not isinstance(item, dict | list))
    if isinstance(cell, str) and isinstance(value, str):
        return same(cell, value) or (len(value) > 3 and value in cell)
    return not isinstance(cell, dict) and same(cell, value)


def steady_run(trial: Trial) -> Run | None:
    """The first call of the first strategy that works for most rows, not by luck."""
    best: tuple[int, Run, tuple[object, ...]] | None = None
    for run in first_runs(trial):
        count = len(more_runs(trial, run))
        if count > 1 and (not trial.mapped or _lasting(trial, run)):
            return run
        found = (
            trial.extra,
            trial.table,
            trial.mapped,
            trial.existing,
            trial.held,
            trial.attempt,
        )
        if best is None or count > best[0]:
            best = (count, run, found)
    if best is None:
        return None
    trial.extra, trial.table, trial.mapped, trial.existing, trial.held, trial.attempt = best[2]  # type: ignore[assignment]  # as they were put in
    return best[1]


def _lasting(trial: Trial, run: Run) -> bool:
    """Whether new values for the same row work as well."""
    return sum(trial.run(run.key, run.world) is not None for _ in range(3)) > 0


def first_runs(trial: Trial) -> Iterator[Run]:
    """For each strategy a call that changes something; the trial is left at that strategy."""
    for extra in _extras(trial):
        for table, mapped, existing in _strategies(trial, extra):
            run = _tried(trial, table, mapped, existing, extra)
            if run is not None:
                yield run
            if trial.purse[0] < 0:
                return


def _tried(
    trial: Trial, table: str, mapped: Mapped, existing: set[Leaf], extra: list[Leaf]
) -> Run | None:
    """Try one strategy on some rows, drawing anew a few times."""
    trial.extra = [*extra, *_siblings(trial.optional, extra)]
    trial.table, trial.mapped, trial.existing, trial.held = table, mapped, existing, {}
    keys: Sequence[Key | None] = [None] * 2
    if mapped:
        rows = trial.world.rows[table]
        having = [k for k in rows if taken(mapped, trial.world, table, rows[k])]
        keys = spread(having, 2 if extra else _ROWS)
    for attempt in range(_attempts(trial)):
        trial.attempt = attempt
        for key in keys:
            run = trial.run(key, trial.world)
            if run is not None:
                trial.held = {k: v for k, v in run.values.items() if k.shape.enum}
                return run
    return None


def _extras(trial: Trial) -> Iterator[list[Leaf]]:
    """Sets of optional arguments to add: none, each, then pairs and triples."""
    yield []
    plain = ("title", "text", "quantity", "person")
    singles = sorted(
        trial.optional, key=lambda k: (bool(k.shape.ref), k.shape.kind not in plain)
    )
    yield from ([leaf] for leaf in singles)
    telling = [k for k in trial.optional if k.shape.json_type != "boolean" and not k.shape.enum]
    for size in (2, 3):
        yield from (list(group) for group in islice(combinations(telling, size), _GROUPS))


def _attempts(trial: Trial) -> int:
    """How often to draw anew: more where there are choices or plain strings to guess."""
    leaves = [k for k in [*trial.required, *trial.extra] if k not in trial.mapped]
    choices = [len(k.shape.enum) for k in leaves if k not in trial.pinned]
    plain = any(not k.shape.told and not k.form for k in leaves)
    return min(max([2, *choices, len(GUESSES) * plain]), 12)


def stirred_run(trial: Trial) -> Run | None:
    """As `steady_run`, where no seeded row is in a state that the tool works on.

    One row is put into other states; the one that helps is given to half the table.
    """
    plain = trial.world
    trial.extra = []
    for table, mapped, existing in _strategies(trial):
        trial.table, trial.mapped, trial.existing, trial.attempt = table, mapped, existing, 0
        if not mapped:
            continue
        for key in spread(list(plain.rows[table]), 2):
            for name in telling(plain, table):
                for value, world in turned(plain, table, key, name):
                    if trial.purse[0] < 0:
                        return None
                    if trial.run(key, world) is None:
                        continue
                    trial.world = stirred(plain, table, name, value)
                    run = steady_run(trial)
                    if run is not None:
                        return run
                    trial.world = plain
    return None


def stirred(world: World, table: str, name: str, value: JSON) -> World:
    """A world in which every other row (or the row it names) has a value in a field."""
    first, dot, rest = name.partition(".")
    home = world.facts[table][first].ref if dot else table
    for key in list(world.rows[home])[::2]:
        world = world.variant(home, key, {rest or name: value}) or world
    return world


_GROUPS = 20
_ROWS = 6


def _siblings(optional: Sequence[Leaf], extra: Sequence[Leaf]) -> list[Leaf]:
    """What an optional object needs beside the leaf that is given."""
    return [k for leaf in extra for k in optional if k.path in leaf.needs and k not in extra]


def _strategies(
    trial: Trial, extra: Sequence[Leaf] = ()
) -> Iterator[tuple[str, Mapped, set[Leaf]]]:
    """(table, mapping from its rows, leaves that take seen values), the likeliest first."""
    world, leaves = trial.world, [*trial.required, *extra]
    refs = [leaf for leaf in trial.required if leaf.shape.ref]
    keyed = [
        leaf
        for leaf in trial.required
        if not leaf.shape.ref
        and not leaf.shape.enum
        and leaf.shape.json_type != "boolean"
        and (not leaf.shape.told or leaf.shape.kind in _KEYED)
    ]
    tables = list(world.rows)
    if refs:
        homes = [t for leaf in refs for t in world.homes(leaf.shape.ref)]
        tables = list(dict.fromkeys([*homes[::-1], *tables]))
        for table in tables:
            for mapped in mappings(refs, world, table):
                if len(mapped) == len(refs):
                    yield table, mapped, set()
    else:
        yield "", {}, set()
    if keyed:
        for table in tables:
            for mapped in mappings([*refs, *keyed], world, table):
                if len(mapped) == len(refs) + len(keyed):
                    yield table, mapped, set()
            for leaf in keyed if len(keyed) > 1 else []:
                for mapped in mappings([*refs, leaf], world, table):
                    if len(mapped) == len(refs) + 1:
                        yield table, mapped, set()
    yield "", {}, {leaf for leaf in leaves if not leaf.shape.enum}


_KEYED = frozenset({"email", "person", "company", "phone", "code", "url", "file_name", "id"})


def more_runs(trial: Trial, first: Run) -> list[Run]:
    """The first call and others: other rows, other values, each in the world the last one left.

    The clock moves between them, so that a time does not look like a constant.
    """
    runs = [first]
    keys: list[Key | None] = [None] * (_RUNS + 2)
    if trial.mapped:
        rows = trial.world.rows[trial.table]
        keys = [k for k in spread(list(rows), _RUNS * 8) if k != first.key]
        if all(name == ACTOR for name in trial.mapped.values()):
            keys = keys[: _RUNS + 2]
    for key in keys:
        run = trial.run(key, runs[-1].outcome.after or trial.world)
        if run is not None and like(run, first):
            runs.append(run)
            if len(runs) >= _RUNS and (not trial.mapped or _varied(trial, runs)):
                break
    for _ in range(_RETRIES if len(runs) == 1 else 0):
        run = trial.run(first.key, trial.world)
        if run is not None and like(run, first):
            runs.append(run)
            break
    return runs


_RUNS = 4
_RETRIES = 4


def like(run: Run, first: Run) -> bool:
    """Whether a run does to the same table what another does."""
    return (run.main.table, run.main.op) == (first.main.table, first.main.op)


def _varied(trial: Trial, runs: Sequence[Run]) -> bool:
    """Whether each argument taken from rows had different values."""
    return all(
        name == ACTOR or len({str(run.values.get(leaf)) for run in runs}) > 1
        for leaf, name in trial.mapped.items()
    )
