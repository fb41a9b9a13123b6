"""The audit: many mutated outcomes of proven tasks, counted by kind."""

from __future__ import annotations

from random import Random

from attrs import define, field

from compoworld_core.environment import Environment
from compoworld_core.proof.case import Case
from compoworld_core.proof.certificate import candidate_of
from compoworld_core.proof.mutant import Skipped
from compoworld_core.proof.mutations import EQUIVALENT, MUST_BITE, WRONG
from compoworld_core.records import Task


@define
class Audit:
    """Outcomes by kind: how many there were, and how many were judged as they should be."""

    wrong: dict[str, list[int]] = field(factory=lambda: {kind: [0, 0] for kind in WRONG})
    """Kind → [outcomes, rejected]."""
    equivalent: dict[str, list[int]] = field(
        factory=lambda: {kind: [0, 0] for kind in EQUIVALENT}
    )
    """Kind → [outcomes, accepted]."""
    misjudged: list[tuple[str, str]] = field(factory=list)
    """(task, kind) of each outcome that was judged otherwise."""

    def add(self, task: Task, initial: Environment, *, draws: int, seed: int) -> None:
        """Mutate the task's reference, `draws` times each kind, at places drawn from the seed.

        Mutants without effect are left out of the counts of wrong outcomes, but for those
        that must have one.
        """
        case = Case(candidate_of(task), initial)
        case.prepare()
        reference = case.replay.environment.digest()
        for draw in range(draws):
            for kinds, mutations, right in (
                (self.equivalent, EQUIVALENT, True),
                (self.wrong, WRONG, False),
            ):
                for kind, mutate in mutations.items():
                    try:
                        final = mutate(case, Random(f"audit:{seed}:{task.id}:{kind}:{draw}"))
                    except Skipped:
                        continue
                    idle = final.digest() == reference
                    if not right and idle and kind not in MUST_BITE:
                        continue
                    as_it_should = case.judge(final).success is right
                    kinds[kind][0] += 1
                    kinds[kind][1] += as_it_should
                    if not as_it_should:
                        self.misjudged.append((task.id, kind))
