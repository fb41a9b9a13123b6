"""Request: what to generate, with the ranges from which each try draws its shape."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from compoworld_core import difficulty as scores
from compoworld_core.rotation import turn

_VISITS: Final = (7, 12)
"""Fewest and most visits of a walk, where nothing is said and the services are few."""

_SHAPES: Final = 12
"""Shapes that are drawn for a try with a difficulty, of which the best is taken."""


class Request(BaseModel):
    """What to generate."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    n: int = Field(ge=1)
    """Accepted tasks wanted."""
    k: int = Field(default=5, ge=1)
    """Services of a task; the fewest where `most_k` is given. 1 is for data to compare with."""
    most_k: int | None = None
    """Most services of a task: each try draws how many it has."""
    distractors: int = Field(default=5, ge=0)
    """Services that are there and not needed; the fewest where `most_distractors` is given."""
    most_distractors: int | None = None
    """Most of them: each try draws how many it has."""
    walk: tuple[int, int] = _VISITS
    """Fewest and most visits; longer where k is large and nothing else is said."""
    difficulty: tuple[float, float] | None = None
    """Least and highest score of a task; generators aim at it, others are refused."""
    seed: int = 0
    scale: int = 200
    """About how many records a service holds."""
    services: tuple[str, ...] = ()
    """Services to walk over; all installed ones where empty."""
    domains: tuple[str, ...] = ()
    """Only services of these domains."""
    patterns: tuple[str, ...] = ()
    """Only these patterns of the generator; all where empty."""
    per_composition: int | None = Field(default=None, ge=1)
    """Accepted tasks of one set of services, at most: the sets take turns."""
    generator: str = "walk"
    options: dict[str, Any] = Field(default_factory=dict)
    """Options of the generator."""

    @model_validator(mode="before")
    @classmethod
    def _long_enough(cls, given: Any) -> Any:
        """A walk that nobody asked for visits each service and some twice."""
        if not isinstance(given, dict) or given.get("walk") is not None:
            return given
        low, high = _VISITS
        k, most = given.get("k", 0), given.get("most_k")
        if isinstance(k, int) and isinstance(most, int):  # easy tasks are short, too
            return {**given, "walk": (k, max(high, most + 5))}
        walk = (max(low, k), max(high, k + 5)) if isinstance(k, int) else _VISITS
        return {**given, "walk": walk}

    @model_validator(mode="after")
    def _fits(self) -> Request:
        low, high = self.walk
        most = self.ks[1]
        if not (self.k <= low <= high and most <= high):
            raise ValueError(
                f"a walk of {low}:{high} visits does not fit {most} services; it must have at"
                f" least as many, such as {self.k}:{max(high, most)}"
            )
        for name, (least, largest) in (("k", self.ks), ("distractors", self.spare)):
            if largest < least:
                raise ValueError(f"{name} from {least} to {largest} is no range")
        easiest, hardest = self.difficulty or (0, 1)
        if not 0 <= easiest < hardest <= 1:
            raise ValueError(f"a difficulty of {easiest}:{hardest} is no range within 0:1")
        return self

    @property
    def ks(self) -> tuple[int, int]:
        """The fewest and the most services of a task."""
        return self.k, self.k if self.most_k is None else self.most_k

    @property
    def spare(self) -> tuple[int, int]:
        """The fewest and the most distractors of a task."""
        most = self.most_distractors
        return self.distractors, self.distractors if most is None else most

    def of_try(self, index: int) -> Request:
        """What one try is asked for: where a range is given, what is drawn from it.

        With a difficulty, the shape (services, visits, distractors) is drawn such that its
        tasks are likely to have it. With a bound for each composition, the services are those
        whose turn it is.
        """
        shaped = self._shaped(index)
        if self.per_composition is None:
            return shaped
        services = turn(self.services, shaped.k, index, self.seed)
        return shaped.model_copy(update={"services": services})

    def _shaped(self, index: int) -> Request:
        rng = Random(f"shape:{self.seed}:{index}")
        if self.difficulty is not None:
            aim = rng.uniform(*self.difficulty)
            shapes = [self._shape(rng) for _ in range(_SHAPES)]
            k, visits, spare = min(shapes, key=lambda each: abs(scores.expected(*each) - aim))
            walk = (visits, visits)
        elif self.most_k is None and self.most_distractors is None:
            return self
        else:
            k, _, spare = self._shape(rng)
            walk = (max(k, self.walk[0]), self.walk[1])
        drawn = {"k": k, "most_k": None, "distractors": spare, "most_distractors": None}
        return self.model_copy(update={**drawn, "walk": walk})

    def _shape(self, rng: Random) -> tuple[int, int, int]:
        """Services, visits and distractors, drawn."""
        k = rng.randint(*self.ks)
        low, high = self.walk
        return k, rng.randint(max(k, low), high), rng.randint(*self.spare)
