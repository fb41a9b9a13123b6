"""Profile: what a run's tasks are like, counted one by one, so that memory stays flat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from attrs import define, field

from compoworld_core import likeness
from compoworld_core.difficulty import score_of

if TYPE_CHECKING:
    from compoworld_core.graph import DependencyGraph
    from compoworld_core.records import Task

DECILES: Final = tuple(f"{n / 10:.1f}" for n in range(10))
"""The least score of each tenth of the scale."""


@define
class Spread:
    """Numbers, by how often each comes."""

    counts: Counter[float] = field(factory=Counter)

    def add(self, value: float) -> None:
        """Count a number."""
        self.counts[value] += 1

    def figures(self) -> dict[str, float]:
        """Least, median, mean and most; nothing where there is no number."""
        total = self.counts.total()
        if not total:
            return {}
        ordered = sorted(self.counts)
        upto = list(accumulate(self.counts[value] for value in ordered))

        def at(rank: int) -> float:
            return next(v for v, n in zip(ordered, upto, strict=True) if rank < n)

        low, high = at((total - 1) // 2), at(total // 2)
        middle = low if low == high else (low + high) / 2
        mean = sum(value * count for value, count in self.counts.items()) / total
        return {
            "least": ordered[0],
            "median": round(middle, 4),
            "mean": round(mean, 2),
            "most": ordered[-1],
        }


@define
class Profile:
    """The figures of `tasks stats`."""

    domain_of: Mapping[str, str] = field(factory=dict)
    """Service → domain; what is not here is unknown."""
    tasks: int = 0
    spreads: dict[str, Spread] = field(factory=dict)
    mixes: dict[str, Counter[str]] = field(factory=dict)
    most_alike: likeness.MostAlike = field(factory=likeness.MostAlike)

    def add_all(self, tasks: Iterable[Task]) -> Profile:
        """Count tasks."""
        for task in tasks:
            self.add(task)
        return self

    def add(self, task: Task) -> None:
        """Count a task."""
        self.tasks += 1
        for name, measure in _SPREADS.items():
            value = measure(task)
            spread = self.spreads.setdefault(name, Spread())
            if value is not None:
                spread.add(value)
        for name, listing in _MIXES.items():
            self.mixes.setdefault(name, Counter()).update(map(str, listing(task)))
        domains = {self.domain_of.get(name, "unknown") for name in task.services}
        self.mixes.setdefault("domains", Counter()).update(sorted(domains))
        self.most_alike.add(task)

    def figures(self) -> dict[str, Any]:
        """All figures, as `--json` shows them."""
        spreads = {name: self.spreads.get(name, Spread()).figures() for name in _SPREADS}
        mixes = {name: _ranked(self.mixes.get(name, Counter())) for name in _ALL_MIXES}
        for name in ("difficulty_deciles", "lengths", "k"):
            mixes[name] = dict(sorted(mixes[name].items(), key=lambda pair: float(pair[0])))
        return {
            "tasks": self.tasks,
            **spreads,
            **mixes,
            "likeness": self.most_alike.figures(),
        }


def _ranked(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def shape(graph: DependencyGraph) -> str:
    """What the services and their links look like: path, cycle, star, tree, one loop, mesh.

    A link is an edge whatever its direction.
    """
    links = {frozenset(edge) for edge in graph.edges}
    degrees = Counter(name for link in links for name in link)
    size, most = len(graph.services), max(degrees.values(), default=0)
    if len(links) < size:
        if most <= 2:
            return "path"
        return "star" if most == size - 1 else "tree"
    if len(links) == size:
        return "cycle" if most == 2 else "one loop"
    return "mesh"


def degree(graph: DependencyGraph) -> int:
    """With how many others the best linked service is linked."""
    links = {frozenset(edge) for edge in graph.edges}
    return max(Counter(name for link in links for name in link).values(), default=0)


def _calls(task: Task) -> float | None:
    """Calls of the reference, as its certificate has counted them."""
    for probe in task.certificate.probes:
        if probe.name == "reachable":
            return float(probe.detail["calls"])
    return None


def _decile(task: Task) -> str:
    return DECILES[min(9, int(score_of(task) * 10))]


_SPREADS: Final[dict[str, Callable[[Task], float | None]]] = {
    "visits": lambda task: len(task.walk),
    "steps": lambda task: len(task.reference.steps),
    "calls": _calls,
    "criteria": lambda task: len(task.criteria),
    "words": lambda task: len(task.instruction.split()),
    "revisits": lambda task: len(task.walk) - len(set(task.walk)),
    "degree": lambda task: degree(task.graph),
    "distractors": lambda task: len(task.distractors),
    "difficulty": score_of,
}

_MIXES: Final[dict[str, Callable[[Task], Iterable[object]]]] = {
    "services": lambda task: task.services,
    "carried": lambda task: (carry.source for carry in task.reference.carries),
    "carried_kinds": lambda task: (carry.kind for carry in task.reference.carries),
    "patterns": lambda task: [p for p in task.provenance.get("patterns", ()) if p != "start"],
    "registers": lambda task: (v for k, v in task.provenance.items() if k == "register"),
    "certificates": lambda task: (task.certificate.kind,),
    "shapes": lambda task: (shape(task.graph),),
    "k": lambda task: (len(task.services),),
    "lengths": lambda task: (len(task.walk),),
    "difficulty_deciles": lambda task: (_decile(task),),
}

_ALL_MIXES: Final = (*_MIXES, "domains")
