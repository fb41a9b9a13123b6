"""Survey: mutants of services, drawn evenly over operators, and which of them are found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final

from attrs import define, field

from compoworld_core.service import Service
from compoworld_validator.mutation.effect import effect_of
from compoworld_validator.mutation.mutant import Mutant, Operator, mutated
from compoworld_validator.mutation.passing import PASSING
from compoworld_validator.mutation.reading import READING
from compoworld_validator.mutation.writing import WRITING

OPERATORS: Final[tuple[Operator, ...]] = (*WRITING, *READING, *PASSING)

Detects = Callable[[Service[Any]], bool]
"""Whether validation finds something wrong with a service."""


@define
class Survey:
    """What became of the mutants."""

    found: list[Mutant] = field(factory=list)
    missed: list[Mutant] = field(factory=list)
    without_effect: list[Mutant] = field(factory=list)
    crashing: list[Mutant] = field(factory=list)

    def figures(self) -> dict[str, Any]:
        """Counts, overall and by operator; each missed mutant by name."""
        count = len(self.found) + len(self.missed)
        return {
            "mutants": count,
            "found": len(self.found),
            "share": len(self.found) / count if count else 0.0,
            "without_effect": len(self.without_effect),
            "crashing": len(self.crashing),
            "by_operator": {
                operator.name: {
                    "found": sum(m.operator is operator for m in self.found),
                    "missed": sum(m.operator is operator for m in self.missed),
                }
                for operator in OPERATORS
            },
            "missed": [mutant.name for mutant in self.missed],
        }


def all_mutants(service: Service[Any]) -> Iterator[Mutant]:
    """Every place of every operator in the deterministic tools of a service."""
    for operator in OPERATORS:
        for tool in service.tools.values():
            if tool.kind == "deterministic":
                for parameter, other in operator.places(tool):
                    yield Mutant(service.name, tool.name, operator, parameter, other)


def drawn(services: Sequence[Service[Any]], seed: int) -> Iterator[tuple[Service[Any], Mutant]]:
    """All mutants in random order, an operator and a service at a time, so that none rules."""
    piles: dict[str, list[tuple[Service[Any], Mutant]]] = {}
    for service in services:
        for mutant in all_mutants(service):
            piles.setdefault(mutant.operator.name, []).append((service, mutant))
    rng = Random(seed)
    for pile in piles.values():
        rng.shuffle(pile)
    while piles:
        for name in list(piles):
            yield piles[name].pop()
            if not piles[name]:
                del piles[name]


def effective(
    services: Sequence[Service[Any]], wanted: int, seed: int, survey: Survey
) -> Iterator[tuple[Service[Any], Mutant]]:
    """As many mutants as wanted that have an effect; the others are counted in the survey."""
    count = 0
    for service, mutant in drawn(services, seed):
        if count >= wanted:
            return
        effect = effect_of(service, mutant, seed=seed)
        if effect == "differs":
            count += 1
            yield service, mutant
        elif effect == "none":
            survey.without_effect.append(mutant)
        else:
            survey.crashing.append(mutant)


def survey_of(
    services: Sequence[Service[Any]], detects: Detects, *, wanted: int, seed: int
) -> Survey:
    """Let a validation look for mutants of services."""
    survey = Survey()
    for service, mutant in effective(services, wanted, seed, survey):
        caught = detects(mutated(service, mutant))
        (survey.found if caught else survey.missed).append(mutant)
    return survey
