"""3: every edge carries, shown by two worlds.

s0' differs from s0 inside the source service only. Replayed there, the plan reads another
value of the fact that the edge carries, makes other calls at the target and satisfies its own
rubric; the old calls fail that rubric, and the two rubrics demand different values somewhere.
So no policy that ignores the source passes in both worlds.

The last visit carries nothing on, so it must write, or show what the answer tells. For that,
and for all else that decides and is carried by no edge, some world that is other in its source
alone has it come to something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from compoworld_core.environment import Environment
from compoworld_core.errors import PlanError, SimulationError
from compoworld_core.expressions import Path, at
from compoworld_core.patch import apply
from compoworld_core.plan import Plan
from compoworld_core.proof.case import Case, Refuted, misfit, rubric
from compoworld_core.proof.consistency import check_references
from compoworld_core.proof.memory import derive
from compoworld_core.proof.player import Replay, play
from compoworld_core.proof.probes.sought import ANSWER, deciding
from compoworld_core.proof.verdict import satisfied
from compoworld_core.records import Check, Criterion, World

NAME = "edges-carry"
DECISION = -1
"""The edge of a world in which a state or a rule has another thing done."""


def probe(case: Case) -> dict[str, Any]:
    """One world at least for each edge; every world given must hold.

    Each step must be played in one of them: a branch that no case leads to proves nothing.
    """
    walk = case.candidate.walk
    proven: dict[int, int] = {}
    replays = [case.replay]
    _check_carried(case)
    for world in case.candidate.worlds:
        if not _stands(world, walk):
            raise Refuted(NAME, f"world of edge {world.edge} changes {world.service}")
        replays.append(check_world(case, world))
        proven[world.edge] = proven.get(world.edge, 0) + 1
    for edge in range(len(walk) - 1):
        if edge not in proven:
            raise Refuted(
                NAME, f"edge {edge} ({walk[edge]} → {walk[edge + 1]}) has no other world"
            )
    _check_branches(case.plan, replays)
    _check_deciding(case, replays)
    return {"worlds": len(case.candidate.worlds), "edges": len(walk) - 1}


def _check_branches(plan: Plan, replays: Sequence[Replay]) -> None:
    """Each condition goes both ways, and each call that may be refused has both ends."""
    for step in plan.steps:
        made = [replay for replay in replays if step.id in replay.scope.outputs]
        if not made:
            raise Refuted(NAME, f"{step.id} is played in no world: its branch is dead")
        if step.when is not None and len(made) == len(replays):
            raise Refuted(NAME, f"{step.id} is played in every world: its condition is idle")
        if step.may_fail and len({replay.played(step.id) for replay in made}) == 1:
            ends = "goes through" if made[0].played(step.id) else "is refused"
            raise Refuted(NAME, f"{step.id} may fail, and {ends} in every world")


def _check_deciding(case: Case, replays: Sequence[Replay]) -> None:
    """What is told, and what decides, is another in a world of the service that shows it."""
    here = case.replay.scope
    there = list(zip(case.candidate.worlds, replays[1:], strict=True))
    sought = deciding(case.plan)
    for each in sought:
        outcome = each.outcome(here)
        if not any(
            world.service == each.source and each.outcome(replay.scope) != outcome
            for world, replay in there
        ):
            raise Refuted(NAME, f"{each.says} is the same in each other world of {each.source}")
    last = len(case.candidate.walk) - 1
    service = case.candidate.walk[last]
    written = any(step.write and step.visit == last for step in case.plan.steps)
    if not written and all((s.says, s.source) != (ANSWER, service) for s in sought):
        raise Refuted(NAME, f"the last visit writes nothing to {service} and tells nothing")


def _check_carried(case: Case) -> None:
    """An edge carries a value, or values; a whole record would differ by any of its fields."""
    for carry in case.plan.carries:
        value = carry.expr.value(case.replay.scope)
        values = value if isinstance(value, list) else [value]
        if any(isinstance(one, dict | list) for one in values):
            raise Refuted(NAME, f"edge {carry.edge} carries a whole record, not a fact")
        if isinstance(value, list) is not (carry.source == "set"):
            what = (
                "several values, and one" if isinstance(value, list) else "one value, and a set"
            )
            raise Refuted(NAME, f"edge {carry.edge} carries {what} is declared")


def _stands(world: World, walk: tuple[str, ...]) -> bool:
    """Does the world change the source of its edge, or, deciding, a service of the walk?"""
    if world.edge == DECISION:
        return world.service in walk
    return 0 <= world.edge < len(walk) - 1 and walk[world.edge] == world.service


def changed_start(initial: Environment, world: World) -> Environment:
    """s0': s0 with the world's patch inside its one service."""
    other = initial.fork()
    state = other.states[world.service].fork()
    try:
        apply(state, world.patch)
    except (ValidationError, ValueError, SimulationError) as error:
        why = f"the patch of edge {world.edge} does not fit: {misfit(error)}"
        raise Refuted(NAME, why) from error
    check_references(state, world.patch, world.service)
    other.put(world.service, state)
    return other


def check_world(case: Case, world: World) -> Replay:
    """The plan's replay in this world; Refuted unless it shows that its edge carries."""
    decides = world.edge == DECISION
    name = f"{'decision' if decides else f'edge {world.edge}'} ({world.says})"
    initial = changed_start(case.initial, world)
    index = case.index_of_service(world.service)
    replay = case.resume_before(index)
    replay.environment.put(world.service, initial.states[world.service])
    try:
        replay = play(
            case.plan,
            replay.environment,
            replay=replay,
            start=index,
        )
        criteria, gate = rubric(case.plan, replay, initial)
        carries = decides or _carries(case, replay, world.edge)
    except PlanError as error:
        raise Refuted(NAME, f"{name}: the plan fails in the other world: {error}") from error
    final = replay.environment
    if not satisfied(criteria, (gate,), initial, final, answer=final.answer):
        raise Refuted(NAME, f"{name}: the plan does not satisfy its rubric in the other world")
    if not carries:
        raise Refuted(NAME, f"{name}: no fact that the edge carries is another one")
    if not decides and (
        _calls(case.replay, case, world.edge + 1) == _calls(replay, case, world.edge + 1)
    ):
        raise Refuted(NAME, f"{name}: the calls of the target do not change")
    frozen = _frozen(case, initial, world.service)
    if satisfied(criteria, (gate,), initial, frozen, answer=frozen.answer):
        raise Refuted(NAME, f"{name}: the old calls satisfy the other world too")
    if _reference_demands(case) == demands(case.plan, replay, criteria):
        raise Refuted(NAME, f"{name}: both worlds demand the same values")
    return replay


def _carries(case: Case, replay: Replay, edge: int) -> bool:
    """Does a fact that this edge carries differ between the reference and the replay?"""
    return any(
        carry.expr.value(case.replay.scope) != carry.expr.value(replay.scope)
        for carry in case.plan.carries
        if carry.edge == edge
    )


def _calls(replay: Replay, case: Case, visit: int) -> list[tuple[str, str]]:
    steps = {step.id for step in case.plan.steps if step.visit == visit}
    return [(call.tool, call.arguments) for call in replay.calls if call.step in steps]


def _frozen(case: Case, initial: Environment, service: str) -> Environment:
    """The final state of the old calls in the other world.

    The other services see the same calls as in the reference, so they end as they did there.
    Reads change nothing and are left out.
    """
    environment = case.replay.environment.fork()
    environment.put(service, initial.states[service])
    writes = {step.id for step in case.plan.steps if step.write and step.service == service}
    for call in case.replay.calls:
        if call.step in writes:
            environment.call(call.tool, call.arguments)
    return environment


def _reference_demands(case: Case) -> list[Any]:
    parts = (demands, case.criteria, case.replay.scope)
    return derive(case.initial, parts, lambda: demands(case.plan, case.replay, case.criteria))


def demands(plan: Plan, replay: Replay, criteria: Sequence[Criterion]) -> list[Any]:
    """What a rubric wants to see where: variables stand for the ids that this replay made.

    Decoys and old texts are left out: a policy may satisfy both worlds in spite of them.
    """
    made = {
        goal.id: _at(replay, goal.step, goal.new_id)
        for goal in plan.goals
        if goal.new_id is not None
    }
    return [
        [
            (
                criterion.table,
                target.key,
                check.field,
                check.values,
                [made.get(v) for v in check.variables],
            )
            for target in criterion.targets
            for check in target.checks or (Check(field="", mode="equals", kind="id"),)
        ]
        for criterion in criteria
    ]


def _at(replay: Replay, step: str, path: Path) -> Any:
    try:
        return at(replay.scope.outputs.get(step), path)
    except PlanError:
        return None  # a for-each shows a list, and nothing refers to one of its ids
