"""The probe by which a pattern's edges are proven is what its tasks stand or fall by.

A task without the world in which its fact, or what decides, is another one is refused by a
declared probe, and by that one alone: without it the task would be accepted.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attrs import evolve
from compoworld_tasks_walk.patterns import PATTERNS

from compoworld_core.expressions import Grep, walk
from compoworld_core.plan import Carry, Plan
from compoworld_core.proof import certificate
from compoworld_core.proof.case import Candidate, Refuted, start_environment
from compoworld_core.proof.certificate import PROBES, candidate_of, prove
from compoworld_core.proof.probes.edges import DECISION
from compoworld_core.records import Task
from compoworld_core.world import World

# the first test of a changed core learns all tools anew, on however loaded a machine
pytestmark = pytest.mark.timeout(600)

Found = Callable[..., Task]
Judged = Callable[[Task, Candidate, str], str]
Broken = Callable[[Task], Candidate]


@pytest.fixture(scope="session")
def judged(world: World) -> Judged:
    """`judged(task, variant, probe)`: which probe refuses it, where one is left out; or ""."""

    def run(task: Task, variant: Candidate, left_out: str) -> str:
        names = tuple(sorted((*task.services, *task.distractors)))
        with pytest.MonkeyPatch.context() as patched:
            kept = tuple(probe for probe in PROBES if left_out != probe.NAME)
            patched.setattr(certificate, "PROBES", kept)
            try:
                start = start_environment(world.services, world.states, variant.patches, names)
                prove(variant, start, task.s0.bases)
            except Refuted as refuted:
                return refuted.probe
        return ""

    return run


def without_its_decisions(task: Task) -> Candidate:
    """No world in which the state, the permission or the rate is another one."""
    candidate = candidate_of(task)
    kept = tuple(one for one in candidate.worlds if one.edge != DECISION)
    assert len(kept) < len(candidate.worlds)
    return evolve(candidate, worlds=kept)


def without_worlds_of(fits: Callable[[Plan, Carry], bool]) -> Broken:
    """No world in which such a fact is another one: nothing shows that its edge carries."""

    def broken(task: Task) -> Candidate:
        candidate = candidate_of(task)
        edges = {c.edge for c in task.reference.carries if fits(task.reference, c)}
        assert edges
        kept = tuple(one for one in candidate.worlds if one.edge not in edges)
        return evolve(candidate, worlds=kept)

    return broken


def from_text(plan: Plan, carry: Carry) -> bool:
    return any(isinstance(expr, Grep) for expr in walk(carry.expr))


def aggregated(plan: Plan, carry: Carry) -> bool:
    return carry.source == "aggregate"


def new_id(plan: Plan, carry: Carry) -> bool:
    return carry.source == "id"


BROKEN: tuple[tuple[str, Broken], ...] = (
    ("convert", without_its_decisions),
    ("fallback", without_its_decisions),
    ("permission", without_its_decisions),
    ("policy", without_its_decisions),
    ("statement", without_worlds_of(from_text)),
    ("correction", without_worlds_of(from_text)),
    ("overrule", without_worlds_of(from_text)),
    ("aggregate", without_worlds_of(aggregated)),
    ("write-back", without_worlds_of(new_id)),
)


@pytest.mark.parametrize(("pattern", "broken"), BROKEN, ids=[name for name, _ in BROKEN])
def test_a_declared_probe_alone_refuses_what_no_world_shows(
    found: Found, judged: Judged, pattern: str, broken: Broken
) -> None:
    task = found(pattern)
    declared = next(one for one in PATTERNS if one.name == pattern).probes
    refusing = judged(task, broken(task), "")
    assert refusing in declared
    assert judged(task, broken(task), refusing) == ""
