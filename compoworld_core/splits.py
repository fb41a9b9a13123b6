"""Splits: a run's tasks as train, validation and test, with something held out that is proven.

What can be held out: services (every task of a split has only services of that split),
compositions (no earlier split has a task with all services of a later one's), patterns and
lengths (a later split's tasks have what no earlier one's have). Tasks that would mix splits are
dropped and counted. `proof` reads the finished folders alone and shows that the claim holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Literal, get_args

from attrs import define, field, frozen

from compoworld_core import excerpt
from compoworld_core.errors import UsageError
from compoworld_core.likeness import skeleton
from compoworld_core.lines import to_line
from compoworld_core.records import Task
from compoworld_core.run import Run, write_whole

SPLIT_SCHEMA: Final = "compoworld/split@1"

By = Literal["services", "compositions", "patterns", "length"]

BYS: Final[tuple[By, ...]] = get_args(By)

Name = Literal["train", "validation", "test"]

NAMES: Final[tuple[Name, ...]] = get_args(Name)
"""The splits; a later one holds what no earlier one has."""


@frozen
class Row:
    """What a split needs to know of a task."""

    id: str
    services: frozenset[str]
    distractors: frozenset[str]
    patterns: frozenset[str]
    length: int
    skeleton: int
    """Of the instruction, as a number."""
    start: int
    """s0, as a number."""


def row_of(task: Task) -> Row:
    """The row of a task."""
    return Row(
        task.id,
        frozenset(task.services),
        frozenset(task.distractors),
        frozenset(task.provenance.get("patterns", ())) - {"start"},
        len(task.walk),
        _number(skeleton(task.instruction, task.spans)),
        _number(to_line(task.s0)),
    )


def _number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


@define
class Split:
    """Which task is in which split, and why others are in none."""

    by: By
    tasks: dict[Name, list[Row]] = field(factory=lambda: {name: [] for name in NAMES})
    held: dict[Name, list[str]] = field(factory=dict)
    """What each split may have that no other has: services, patterns, lengths, compositions."""
    dropped: dict[str, int] = field(factory=dict)
    """Why → how many tasks."""

    def drop(self, why: str, count: int = 1) -> None:
        """Count tasks that are in no split."""
        if count:
            self.dropped[why] = self.dropped.get(why, 0) + count

    def without_twins(self) -> Split:
        """The same without tasks whose id, skeleton or s0 a later split has.

        The later split keeps its task, since it is the smaller one.
        """
        owner: dict[tuple[str, str | int], Name] = {}
        found = Split(self.by, held=self.held, dropped=dict(self.dropped))
        for name in reversed(NAMES):
            for row in self.tasks[name]:
                keys = tuple(_keys(row))
                if any(owner.get(key, name) != name for key in keys):
                    found.drop("the same task, skeleton or s0 is in a later split")
                else:
                    owner.update(dict.fromkeys(keys, name))
                    found.tasks[name].append(row)
        return found

    def exposed(self) -> int:
        """Tasks in which a service that another split holds is a distractor.

        They need it for nothing, but a policy may look at its tools.
        """
        if self.by != "services":
            return 0
        others = {
            name: frozenset(
                s for other, held in self.held.items() if other != name for s in held
            )
            for name in NAMES
        }
        return sum(
            not row.distractors.isdisjoint(others[name])
            for name, rows in self.tasks.items()
            for row in rows
        )

    def counts(self) -> dict[str, int]:
        """Split → tasks."""
        return {name: len(rows) for name, rows in self.tasks.items()}


def _keys(row: Row) -> Iterator[tuple[str, str | int]]:
    """What must not be in two splits."""
    yield "task", row.id
    yield "skeleton", row.skeleton
    yield "s0", row.start


# -- writing -------------------------------------------------------------------------------


def write(
    run: Run, out: Path | str, found: Split, configuration: Mapping[str, Any]
) -> dict[str, Any]:
    """Write the splits as run folders, prove them from these, and write split.json.

    Returns what split.json says. A half-written split is gone on with.
    """
    out = Path(out)
    if (out / "run.toml").exists():
        raise UsageError(f"{out} is a run itself; choose another --out")
    said = {"command": "split", "by": found.by, "source": excerpt.origin(run), **configuration}
    folders = [
        excerpt.write(run, out / name, said | {"split": name}, [row.id for row in rows])
        for name, rows in found.tasks.items()
    ]
    record = {
        "schema": SPLIT_SCHEMA,
        **said,
        "counts": found.counts(),
        "held": found.held,
        "dropped": found.dropped,
        "exposed": found.exposed(),
        "proof": proof(found.by, folders),
    }
    write_whole(out / "split.json", (to_line(record) + "\n").encode())
    return record


# -- the proof -----------------------------------------------------------------------------


def proof(by: By, folders: Sequence[Run]) -> dict[str, Any]:
    """Whether train, validation and test are as they claim, from their files alone.

    Returns {"holds", "checked": {what was compared: how many}, "violations": [sentences]}.
    """
    rows = [[row_of(task) for task in run.tasks()] for run in folders]
    checked: Counter[str] = Counter()
    violations: list[str] = []
    for later in range(1, len(rows)):
        for earlier in range(later):
            pair = f"{NAMES[earlier]} and {NAMES[later]}"
            for name in ("task", "skeleton", "s0"):
                left, right = (
                    {key for row in rows[n] for kind, key in _keys(row) if kind == name}
                    for n in (earlier, later)
                )
                checked[f"{name}s"] += len(left) + len(right)
                violations += [f"{pair} share the {name} {key}" for key in sorted(left & right)]
            found, count = _shared(by, rows[earlier], rows[later])
            checked[by] += count
            violations += [f"{pair}: {what}" for what in found]
    return {"holds": not violations, "checked": dict(checked), "violations": violations}


def _shared(by: By, earlier: Sequence[Row], later: Sequence[Row]) -> tuple[list[str], int]:
    """What two splits share although it was held out, and how much was compared."""
    if by == "compositions":
        seen, unseen = ({row.services for row in rows} for rows in (earlier, later))
        index = Supersets(seen)
        listed = sorted(tuple(sorted(each)) for each in unseen if index.holds(each))
        return [f"{' + '.join(each)} are together in both" for each in listed], len(unseen)
    if by == "patterns":
        # each task of the later split needs a pattern that the earlier one never has
        known = frozenset[str]().union(*(row.patterns for row in earlier))
        found = [f"{row.id} has no new pattern" for row in later if row.patterns <= known]
        return found, len(later)
    if by == "length":
        most = max((row.length for row in earlier), default=0)
        found = [f"{row.id} has {row.length} visits" for row in later if row.length <= most]
        return found, len(later)
    left = frozenset[str]().union(*(row.services for row in earlier))
    right = frozenset[str]().union(*(row.services for row in later))
    return [f"both have {name}" for name in sorted(left & right)], len(left) + len(right)


class Supersets:
    """Sets of services, by their members: is one of them a superset of another set?"""

    def __init__(self, sets: Iterable[frozenset[str]] = ()) -> None:
        self._by_member: dict[str, list[frozenset[str]]] = {}
        for each in sorted(sets, key=sorted):
            self.add(each)

    def add(self, each: frozenset[str]) -> None:
        """Add a set."""
        for member in each:
            self._by_member.setdefault(member, []).append(each)

    def holds(self, part: frozenset[str]) -> bool:
        """Whether some set has all of these members."""
        listed = [self._by_member.get(member, []) for member in part]
        return any(part <= whole for whole in min(listed, key=len))
