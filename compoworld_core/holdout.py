"""Holdout: which services, compositions, patterns or lengths are held out, and for which split.

Services and patterns are dealt to the splits by a seeded climb: of a few random deals, each
improved label by label, the one whose splits come closest to the wanted shares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement
from math import log
from random import Random
from typing import Any, Final, TypeVar

from attrs import frozen

from compoworld_core.errors import UnknownName, UsageError
from compoworld_core.registry import closest
from compoworld_core.splits import NAMES, By, Name, Row, Split, Supersets

_DEALS: Final = 24
"""Random deals that the climb starts from."""

_NOTHING: Final = 1e-9
"""Tasks that an empty split counts as: nearly any deal without one is better."""

_NO_SUPERSET: Final = "its services are together in a task of another split"

Label = TypeVar("Label", str, int)

Deal = dict[str, Name]
"""Label → the split that it is dealt to."""

Place = Callable[[frozenset[str], Deal], Name | None]
"""Where a task with these labels goes; None where it mixes splits."""


@frozen
class Wanted:
    """How a run is to be split."""

    by: By
    shares: Mapping[Name, float]
    """Split → share of the tasks, about."""
    seed: int = 0
    hold: tuple[str, ...] = ()
    """What the test split gets, instead of what the climb would choose."""

    def __attrs_post_init__(self) -> None:
        total = sum(self.shares.values())
        if min(self.shares.values()) < 0 or not 0.99 < total < 1.01:
            said = ", ".join(f"{name} {share}" for name, share in self.shares.items())
            raise UsageError(f"the shares are {said}; they must be 0 or more and sum up to 1")
        if not (self.shares["train"] and self.shares["test"]):
            raise UsageError("--train and --test must be more than 0; --validation may be 0")

    @property
    def names(self) -> tuple[Name, ...]:
        """The splits that are to have tasks."""
        return tuple(name for name in NAMES if self.shares[name] > 0)


def split(rows: Sequence[Row], wanted: Wanted) -> Split:
    """Split tasks; UsageError where a wanted split would be empty."""
    ways: dict[By, Callable[[Sequence[Row], Wanted], Split]] = {
        "services": _by_services,
        "compositions": _by_compositions,
        "patterns": _by_patterns,
        "length": _by_length,
    }
    found = ways[wanted.by](rows, wanted).without_twins()
    empty = [name for name in wanted.names if not found.tasks[name]]
    if empty:
        counts = ", ".join(f"{name} {count}" for name, count in found.counts().items())
        raise UsageError(
            f"{' and '.join(empty)} would be empty: of {len(rows)} tasks, the best split by"
            f" {wanted.by} has {counts}, and drops {sum(found.dropped.values())};"
            f" {_fits(rows, wanted, empty)}"
        )
    return found


def _fits(rows: Sequence[Row], wanted: Wanted, empty: Sequence[Name]) -> str:
    """What would work instead."""
    sizes = sorted({len(row.services) for row in rows})
    everything = len(frozenset[str]().union(*(row.services for row in rows)))
    hints = []
    if wanted.hold:
        hints.append("hold out something else")
    if empty == ["validation"]:
        hints.append("give --validation 0")
    if wanted.by == "services" and sizes:
        hints.append(
            f"generate tasks of few services (here {sizes[0]} to {sizes[-1]} of {everything}),"
            " such as --k 2:3"
        )
    hints += [f"split --by {by}" for by in ("compositions", "length") if by != wanted.by]
    return ", or ".join(hints)


# -- services and patterns: labels are dealt -----------------------------------------------


def _by_services(rows: Sequence[Row], wanted: Wanted) -> Split:
    return _dealt(
        rows, wanted, lambda row: row.services, _whole, "its services are of two splits"
    )


def _by_patterns(rows: Sequence[Row], wanted: Wanted) -> Split:
    return _dealt(
        rows, wanted, lambda row: row.patterns, _marked, "it has patterns held for two splits"
    )


def _whole(labels: frozenset[str], deal: Deal) -> Name | None:
    """A task goes where all its services are."""
    places = {deal[label] for label in labels}
    return places.pop() if len(places) == 1 else None


def _marked(labels: frozenset[str], deal: Deal) -> Name | None:
    """A task goes where its held-out patterns are; to train where it has none."""
    places = {deal[label] for label in labels} - {"train"}
    return places.pop() if len(places) == 1 else (None if places else "train")


def _dealt(
    rows: Sequence[Row],
    wanted: Wanted,
    labels_of: Callable[[Row], frozenset[str]],
    place: Place,
    why: str,
) -> Split:
    units = Counter(labels_of(row) for row in rows)
    labels = sorted(frozenset[str]().union(*units))
    _known(wanted, labels)
    deal = _climb(units, labels, wanted, place)
    found = Split(wanted.by)
    found.held = {
        name: [label for label in labels if deal[label] == name]
        for name in wanted.names
        if wanted.by == "services" or name != "train"
    }
    for row in rows:
        name = place(labels_of(row), deal)
        if name is None:
            found.drop(why)
        else:
            found.tasks[name].append(row)
    return found


def _known(wanted: Wanted, labels: Sequence[str]) -> None:
    for name in wanted.hold:
        if name not in labels:
            kind = "service" if wanted.by == "services" else "pattern"
            near = closest(name, labels)
            raise UnknownName(f"{kind} of this run", name, near, ", ".join(labels) or "none")


def _climb(
    units: Mapping[frozenset[str], int],
    labels: Sequence[str],
    wanted: Wanted,
    place: Place,
) -> Deal:
    """The best deal of labels to splits that was found."""
    rng = Random(f"split:{wanted.by}:{wanted.seed}")
    listed = sorted(units.items(), key=lambda unit: sorted(unit[0]))
    touching = {
        label: [n for n, (each, _) in enumerate(listed) if label in each] for label in labels
    }
    free = [label for label in labels if label not in wanted.hold]
    names = [name for name in wanted.names if not (wanted.hold and name == "test")]
    total = sum(units.values())
    best: tuple[float, Deal] | None = None
    for _ in range(_DEALS):
        weights = [wanted.shares[name] for name in names]
        deal: Deal = dict.fromkeys(labels, "test")
        deal |= {label: rng.choices(names, weights)[0] for label in free}
        counts: Counter[Name | None] = Counter()
        for each, count in listed:
            counts[place(each, deal)] += count
        value, moved = _value(counts, wanted, total), True
        while moved:
            moved = False
            for label in rng.sample(free, len(free)):
                for name in names:
                    before = deal[label]
                    changed = _moved(listed, touching[label], deal, label, name, counts, place)
                    new = _value(changed, wanted, total)
                    if new > value + 1e-9:
                        value, counts, moved = new, changed, True
                    else:
                        deal[label] = before
        if best is None or value > best[0] + 1e-9:
            best = value, dict(deal)
    assert best is not None, "there is at least one deal"
    return best[1]


def _moved(
    listed: Sequence[tuple[frozenset[str], int]],
    touched: Sequence[int],
    deal: Deal,
    label: str,
    name: Name,
    counts: Counter[Name | None],
    place: Place,
) -> Counter[Name | None]:
    """The counts once a label is dealt to another split; the deal is changed."""
    changed = counts.copy()
    for n in touched:
        changed[place(listed[n][0], deal)] -= listed[n][1]
    deal[label] = name
    for n in touched:
        changed[place(listed[n][0], deal)] += listed[n][1]
    return changed


def _value(counts: Mapping[Any, int], wanted: Wanted, total: int) -> float:
    """How good a deal is: largest where few tasks are dropped and the shares are met."""
    return sum(
        wanted.shares[name] * log((counts.get(name, 0) + _NOTHING) / total)
        for name in wanted.names
    )


# -- compositions --------------------------------------------------------------------------


def _by_compositions(rows: Sequence[Row], wanted: Wanted) -> Split:
    units = Counter(row.services for row in rows)
    together = [_parts(text, units) for text in wanted.hold]
    rng = Random(f"split:{wanted.by}:{wanted.seed}")
    listed = sorted(units, key=sorted)
    rng.shuffle(listed)
    names: dict[frozenset[str], Name] = {}
    wholes = {name: Supersets() for name in NAMES}
    parts = {name: _Parts() for name in NAMES}
    counts: Counter[Name] = Counter()
    total = sum(units.values())
    for each in listed:
        if any(part <= each for part in together):
            options: list[Name] = ["test"]
        else:
            options = [n for n in wanted.names if not (wanted.hold and n == "test")]
        options.sort(key=lambda n: counts[n] - wanted.shares[n] * total)
        for name in options:
            rank = NAMES.index(name)
            if any(wholes[n].holds(each) for n in NAMES[:rank]):
                continue
            if any(parts[n].within(each) for n in NAMES[rank + 1 :]):
                continue
            names[each] = name
            wholes[name].add(each)
            parts[name].add(each)
            counts[name] += units[each]
            break
    found = Split(wanted.by)
    for row in rows:
        if row.services in names:
            found.tasks[names[row.services]].append(row)
        else:
            found.drop(_NO_SUPERSET)
    found.held = {
        name: sorted(" + ".join(sorted(s)) for s, at in names.items() if at == name)
        for name in wanted.names[1:]
    }
    return found


def _parts(text: str, units: Mapping[frozenset[str], int]) -> frozenset[str]:
    """The services of `a+b`, if some task has them together."""
    part = frozenset(name.strip() for name in text.split("+"))
    if not any(part <= each for each in units):
        raise UsageError(
            f"no task of this run has {' + '.join(sorted(part))} together; write a composition"
            " as gmail+stripe"
        )
    return part


class _Parts:
    """Sets of services, by their first member: is one of them within another set?"""

    def __init__(self) -> None:
        self._by_first: dict[str, list[frozenset[str]]] = {}

    def add(self, each: frozenset[str]) -> None:
        self._by_first.setdefault(min(each), []).append(each)

    def within(self, whole: frozenset[str]) -> bool:
        return any(part <= whole for m in whole for part in self._by_first.get(m, ()))


# -- length --------------------------------------------------------------------------------


def _by_length(rows: Sequence[Row], wanted: Wanted) -> Split:
    units = Counter(row.length for row in rows)
    lengths = sorted(units)
    total = len(rows)
    cuts = [*lengths, (lengths or [0])[-1] + 1]
    held = _least_held(wanted)
    best: tuple[float, int, int] | None = None
    for first, second in combinations_with_replacement(cuts, 2):
        if "validation" not in wanted.names and first != second:
            continue
        if held is not None and second != held:
            continue
        counts = Counter[Name]()
        for length, count in units.items():
            counts[_at(length, first, second)] += count
        value = _value(counts, wanted, total)
        if best is None or value > best[0] + 1e-9:
            best = value, first, second
    if best is None:
        raise UsageError(
            f"no task of this run has {held} visits; hold out one of"
            f" {', '.join(map(str, lengths))}: that and all longer ones go to test"
        )
    _, first, second = best
    found = Split(wanted.by)
    for row in rows:
        found.tasks[_at(row.length, first, second)].append(row)
    found.held = {
        name: [str(n) for n in lengths if _at(n, first, second) == name]
        for name in wanted.names
    }
    return found


def _at(length: int, first: int, second: int) -> Name:
    return "train" if length < first else "validation" if length < second else "test"


def _least_held(wanted: Wanted) -> int | None:
    if not wanted.hold:
        return None
    if len(wanted.hold) > 1 or not wanted.hold[0].isdigit():
        raise UsageError(
            f"--hold {','.join(wanted.hold)} is no length; give one number, such as 10: tasks"
            " of 10 visits and more go to test"
        )
    return int(wanted.hold[0])
