"""The certificate: a candidate becomes a task only by passing all probes, by running them."""

from __future__ import annotations

import json
from hashlib import sha256
from types import ModuleType
from typing import Final

from compoworld_core.environment import Environment
from compoworld_core.garbage import uncollected
from compoworld_core.graph import graph_of
from compoworld_core.proof.case import Candidate, Case, Refuted
from compoworld_core.proof.consistency import check_consistency
from compoworld_core.proof.probes import (
    discoverable,
    edges,
    needed,
    reachable,
    shortcuts,
    solver,
    told,
    tolerant,
    unambiguous,
    vacuous,
)
from compoworld_core.records import Certificate, Probe, StartState, Task

PROBES: Final[tuple[ModuleType, ...]] = (
    vacuous,
    unambiguous,
    discoverable,
    shortcuts,
    solver,
    reachable,
    needed,
    edges,
    tolerant,
)
"""In the order in which they are run: cheap ones first."""

_WITH_USER: Final = (*PROBES, told)
"""Where a user holds facts back."""


@uncollected()
def prove(candidate: Candidate, initial: Environment, bases: dict[str, str]) -> Task:
    """Run all probes; Refuted at the first that fails.

    Args:
        candidate: what the generator proposes.
        initial: s0, as `start_environment` makes it from the candidate's patches.
        bases: service → digest of the base that its patch stands on.
    """
    check_consistency(candidate, initial)
    case = Case(candidate, initial)
    case.prepare()
    probes = PROBES if candidate.user is None else _WITH_USER
    results = tuple(Probe(name=p.NAME, ok=True, detail=p.probe(case)) for p in probes)
    assert case.gate is not None, "prepare() made it"
    goal = next(probe.detail["digest"] for probe in results if probe.name == reachable.NAME)
    task = Task(
        id="",
        instruction=candidate.instruction,
        spans=candidate.spans,
        services=candidate.services,
        distractors=candidate.distractors,
        walk=candidate.walk,
        graph=graph_of(candidate.walk),
        s0=StartState(bases=bases, patches=candidate.patches),
        criteria=case.criteria,
        gates=(case.gate,),
        reference=candidate.plan,
        goal_digest=goal,
        certificate=Certificate(probes=results, worlds=candidate.worlds),
        difficulty=candidate.difficulty,
        provenance=candidate.provenance,
        user=candidate.user,
    )
    return task.model_copy(update={"id": task_id(task)})


def task_id(task: Task) -> str:
    """A content-addressed name: the same task has the same id wherever it was generated."""
    left_out = {"id", "provenance"} | ({"user"} if task.user is None else set())
    data = task.model_dump(mode="json", exclude=left_out, by_alias=True)
    content = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return f"task-{sha256(content.encode()).hexdigest()[:12]}"


def candidate_of(task: Task) -> Candidate:
    """What was proven, from the task's own record."""
    return Candidate(
        instruction=task.instruction,
        services=task.services,
        distractors=task.distractors,
        walk=task.walk,
        plan=task.reference,
        patches=task.s0.patches,
        worlds=task.certificate.worlds,
        spans=task.spans,
        difficulty=task.difficulty,
        provenance=task.provenance,
        user=task.user,
    )


def reprove(task: Task, initial: Environment) -> None:
    """Prove a stored task again; Refuted where a probe fails or its record says otherwise."""
    if task.certificate.kind != "proven":
        raise Refuted("certificate", "the task is replay-only: it was never proven")
    again = prove(candidate_of(task), initial, task.s0.bases)
    if again.goal_digest != task.goal_digest:
        raise Refuted(reachable.NAME, "the reference ends in another state than was recorded")
    if again.criteria != task.criteria or again.gates != task.gates:
        raise Refuted("rubric", "the recorded rubric is not what plan and replay give")
    if again.id != task.id:
        raise Refuted("record", "the record was changed: its id does not fit its content")
