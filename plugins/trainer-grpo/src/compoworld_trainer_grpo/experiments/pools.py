"""Pools: what reduced tasks are made like, and how they are divided into training and tests."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

from compoworld_core.generation import Request
from compoworld_core.records import Task


@frozen
class Pool:
    """What reduced tasks are made like; a report names all of it."""

    services: tuple[str, ...]
    k: int = 2
    walk: tuple[int, int] = (2, 2)
    patterns: tuple[str, ...] = (
        "join", "named", "statement", "latest", "create", "update", "copy",
    )  # fmt: skip
    """Those that carry a value as it stands: a small model copies, and does not reckon."""
    scale: int = 20
    distractors: int = 0
    options: Mapping[str, Any] = field(factory=lambda: {"registers": ["terse"]})
    deeds: tuple[str, ...] = ()
    """Of what is generated, only tasks whose last steps call these tools."""
    per_composition: int | None = None
    """Tasks of one set of services, at most."""
    kept: float = 1.0
    """About so much of what is generated ends so."""

    def request(self, n: int, seed: int) -> Request:
        """What the generator is asked for."""
        return Request(
            n=n,
            k=self.k,
            walk=self.walk,
            distractors=self.distractors,
            services=self.services,
            patterns=self.patterns,
            scale=self.scale,
            per_composition=self.per_composition,
            options=dict(self.options),
            seed=seed,
        )

    def said(self) -> str:
        """In a sentence."""
        low, high = self.walk
        visits = str(low) if low == high else f"{low} to {high}"
        parts = [
            f"{self.k} of {', '.join(self.services) or 'all services'}",
            f"walks of {visits} visits",
            f"patterns {', '.join(self.patterns) or 'all'}",
            f"{self.scale} records a service",
            f"{self.distractors} distractors",
            *(f"{name}={json.dumps(value)}" for name, value in self.options.items()),
        ]
        if self.per_composition:
            parts.append(f"{self.per_composition} of each set of services at most")
        if self.deeds:
            parts.append(f"only tasks that end in {', '.join(self.deeds)}")
        return "; ".join(parts)

    def takes(self, task: Task) -> bool:
        """Is it one of these?"""
        tools = tuple(step.tool for step in task.reference.steps)
        return tools[len(tools) - len(self.deeds) :] == self.deeds


def composition(task: Task) -> frozenset[str]:
    """The services of a task, as a set."""
    return frozenset(task.services)


def hold_out(tasks: Iterable[Task], least: int) -> frozenset[str] | None:
    """A composition to hold out, whose services are each trained on in others.

    Of those with at least so many tasks, the one with the fewest; None where there is none.
    """
    counts = Counter(composition(task) for task in tasks)
    fitting = [
        each
        for each, count in counts.items()
        if count >= least
        and all(any(name in other for other in counts if other != each) for name in each)
    ]
    return min(fitting, key=lambda each: (counts[each], sorted(each)), default=None)


def divide(
    tasks: Iterable[Task], held: Iterable[frozenset[str]], records: int
) -> tuple[list[Task], list[Task], list[Task]]:
    """Training tasks; unseen tasks of the same compositions; tasks of held-out compositions.

    Args:
        tasks: in order.
        held: compositions that no training task has.
        records: tasks of the second kind: the last ones.
    """
    hidden, tasks = set(held), list(tasks)
    others = [task for task in tasks if composition(task) in hidden]
    rest = [task for task in tasks if composition(task) not in hidden]
    cut = max(0, len(rest) - records)
    return rest[:cut], rest[cut:], others
