"""Likeness: no two tasks of a run are the same in other words, or nearly so.

Two tasks are the same where their instructions have one skeleton (every phrase that stands for
a value or a record masked by its kind) and their graphs are equal. They are near-duplicates
where the estimated Jaccard similarity of their instructions' word shingles, literals masked, is
at least `NEAR`. It is estimated by MinHash; pairs to compare are found by locality-sensitive
bands, so that the cost of a task hardly grows with their number, and about 500 bytes are kept
of each.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b, shake_128
from struct import unpack
from typing import Any, Final

from attrs import define, field, frozen

from compoworld_core.graph import DependencyGraph
from compoworld_core.records import Span, Task

NEAR: Final = 0.7
"""Similarity from which an instruction is a near-duplicate: one clause of six differs. Tasks
of the walk generator that are not meant to be alike reach 0.3 among hundreds."""

SHINGLE: Final = 3
"""Words of a shingle."""

PERMUTATIONS: Final = 64
BANDS: Final = 16
_LAYOUT: Final = f"<{PERMUTATIONS}I"
_ROWS: Final = PERMUTATIONS // BANDS
"""Two instructions are compared where all of these minima of some band agree: a chance of
99 % at a similarity of 0.7, and of 12 % at 0.3."""

_WORD: Final = re.compile(r"<[a-z_ ]+>|[^\W_]+(?:['’][^\W_]+)?")
_DIGITS: Final = re.compile(r"\d+")


def _number(text: str) -> int:
    """The same 64 bits for the same text, in every process."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


# -- what is compared ----------------------------------------------------------------------


def masked(text: str, spans: Iterable[Span], *, all_kinds: bool) -> str:
    """The text with literals, or all spans, masked by kind; case, digits, spaces evened out.

    Of spans that lie within each other the outermost is masked.
    """
    chosen = [span for span in spans if all_kinds or span.kind == "literal"]
    parts: list[str] = []
    at = 0
    for span in sorted(chosen, key=lambda span: (span.start, -span.end)):
        if span.start < at:
            continue
        what = span.fact.kind if span.fact is not None else span.kind
        parts += [text[at : span.start], f" <{what}> "]
        at = span.end
    evened = "".join([*parts, text[at:]]).casefold()
    return " ".join(_WORD.findall(_DIGITS.sub("0", evened)))


def skeleton(instruction: str, spans: Sequence[Span]) -> str:
    """What is left of an instruction where each phrase that means something is masked."""
    return masked(instruction, spans, all_kinds=True)


def shingles(text: str) -> set[str]:
    """The runs of `SHINGLE` words; the whole text where it is shorter."""
    words = text.split()
    last = max(1, len(words) - SHINGLE + 1)
    return {" ".join(words[n : n + SHINGLE]) for n in range(last)}


def signature(text: str) -> tuple[int, ...]:
    """The MinHash of a masked text: over its shingles the least of each of many hashes.

    One extendable digest of a shingle gives all its hashes.
    """
    rows = [
        unpack(_LAYOUT, shake_128(each.encode()).digest(4 * PERMUTATIONS))
        for each in shingles(text)
    ]
    return tuple(map(min, *rows)) if len(rows) > 1 else rows[0]


def similarity(one: Sequence[int], other: Sequence[int]) -> float:
    """The estimated Jaccard similarity of two signatures' shingles, to about ±0.06."""
    return sum(map(int.__eq__, one, other)) / PERMUTATIONS


@frozen
class Mark:
    """What is remembered of a task."""

    task: int
    """Its id, as a number."""
    shape: int
    """Skeleton and graph."""
    minima: tuple[int, ...]
    """The signature."""


def mark_of(task: Task) -> Mark:
    """The mark of a task; it needs nothing but the task, so any process may make it."""
    return Mark(_number(task.id), *shape_and_minima(task.instruction, task.spans, task.graph))


def shape_and_minima(
    instruction: str, spans: Sequence[Span], graph: DependencyGraph
) -> tuple[int, tuple[int, ...]]:
    """Skeleton and graph as a number, and the signature of the masked instruction."""
    shape = _number(f"{skeleton(instruction, spans)}\n{graph.model_dump_json()}")
    return shape, signature(masked(instruction, spans, all_kinds=False))


# -- the tasks so far ----------------------------------------------------------------------


@define
class Likeness:
    """The tasks of a run so far, as marks; in order, since a run's bytes depend on it."""

    _tasks: Numbers = field(factory=lambda: Numbers())
    _shapes: Numbers = field(factory=lambda: Numbers())
    _minima: array[int] = field(factory=lambda: array("I"))
    _bands: Bands = field(factory=lambda: Bands())

    def __len__(self) -> int:
        return len(self._minima) // PERMUTATIONS

    def refusal(self, mark: Mark) -> tuple[str, str] | None:
        """(probe, why) where a task like this is there already, or nearly so."""
        if mark.task in self._tasks:
            return "duplicate", "the same task as before"
        if mark.shape in self._shapes:
            return "duplicate", "the instruction's skeleton and the graph of an earlier task"
        found, _ = self.nearest(mark)
        if found >= NEAR:
            return "near-duplicate", f"an instruction {found:.2f} like that of an earlier task"
        return None

    def nearest(self, mark: Mark) -> tuple[float, int]:
        """The highest similarity to an earlier task, and which task that is, from 0.

        (0, -1) where none shares a band with it.
        """
        best, which = 0.0, -1
        for other in sorted(self._bands.like(mark.minima)):
            start = other * PERMUTATIONS
            found = similarity(mark.minima, self._minima[start : start + PERMUTATIONS])
            if found > best:
                best, which = found, other
        return best, which

    def add(self, mark: Mark) -> None:
        """Remember a task."""
        self._tasks.add(mark.task)
        self._shapes.add(mark.shape)
        self._minima.extend(mark.minima)
        self._bands.add(mark.minima)


@define
class Numbers:
    """A set of 64-bit numbers in eight bytes each."""

    _sorted: array[int] = field(factory=lambda: array("Q"))

    def __contains__(self, number: int) -> bool:
        at = bisect_left(self._sorted, number)
        return at < len(self._sorted) and self._sorted[at] == number

    def add(self, number: int) -> None:
        """Put a number in, once."""
        at = bisect_left(self._sorted, number)
        if at == len(self._sorted) or self._sorted[at] != number:
            self._sorted.insert(at, number)


_LEAST_SLOTS: Final = 1 << 10


@define
class Bands:
    """Which signatures share a band: chains through arrays, four bytes an entry."""

    _heads: array[int] = field(factory=lambda: array("i", [-1]) * _LEAST_SLOTS)
    """Slot → the latest entry there, or -1."""
    _before: array[int] = field(factory=lambda: array("i"))
    """Entry (signature times BANDS plus band) → the entry before it in its slot, or -1."""
    _keys: array[int] = field(factory=lambda: array("I"))
    """Entry → the band's key, from which its slot follows."""

    def like(self, minima: Sequence[int]) -> set[int]:
        """The signatures that agree with this one in a whole band."""
        found = set()
        mask = len(self._heads) - 1
        for band, key in enumerate(_keys(minima)):
            entry = self._heads[key & mask]
            while entry >= 0:
                if entry % BANDS == band and self._keys[entry] == key:
                    found.add(entry // BANDS)
                entry = self._before[entry]
        return found

    def add(self, minima: Sequence[int]) -> None:
        """Put a signature in; its number is how many there were."""
        if len(self._keys) + BANDS > len(self._heads):
            self._grow()
        for key in _keys(minima):
            self._keys.append(key)
            self._before.append(-1)
            self._link(len(self._keys) - 1)

    def _grow(self) -> None:
        self._heads = array("i", [-1]) * (2 * len(self._heads))
        for entry in range(len(self._keys)):
            self._link(entry)

    def _link(self, entry: int) -> None:
        slot = self._keys[entry] & (len(self._heads) - 1)
        self._before[entry] = self._heads[slot]
        self._heads[slot] = entry


def _keys(minima: Sequence[int]) -> Iterator[int]:
    """A number for each band of a signature."""
    for band in range(BANDS):
        mixed = band + 1
        for value in minima[band * _ROWS : (band + 1) * _ROWS]:
            mixed = (mixed ^ value) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
            mixed ^= mixed >> 32
        yield mixed & 0xFFFFFFFF


@define
class MostAlike:
    """The most alike pair of the tasks that were seen."""

    similarity: float = 0.0
    tasks: tuple[str, ...] = ()
    _likeness: Likeness = field(factory=Likeness)
    _names: list[str] = field(factory=list)

    def add(self, task: Task) -> None:
        """See a task."""
        mark = mark_of(task)
        found, which = self._likeness.nearest(mark)
        if found > self.similarity:
            self.similarity, self.tasks = found, (self._names[which], task.id)
        self._likeness.add(mark)
        self._names.append(task.id)

    def figures(self) -> dict[str, Any]:
        """{"similarity", "tasks"}: how alike, and the ids of both."""
        return {"similarity": round(self.similarity, 3), "tasks": list(self.tasks)}
