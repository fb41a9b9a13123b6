"""A case under proof: a candidate task, its s0, the reference replay and its rubric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import Factory, define, field
from pydantic import ValidationError

from compoworld_core.dialogue import Dialogue
from compoworld_core.environment import Environment
from compoworld_core.errors import CompoWorldError, PlanError, SimulationError
from compoworld_core.patch import Patch, apply
from compoworld_core.plan import Goal, Plan
from compoworld_core.proof.memory import Remembering, derive, remembering
from compoworld_core.proof.player import Replay, play
from compoworld_core.proof.rubric import criteria_of, gate_of
from compoworld_core.proof.verdict import judge, satisfied
from compoworld_core.records import Criterion, Gate, Span, UserScript, Verdict, World
from compoworld_core.schema import problems
from compoworld_core.service import Service
from compoworld_core.state import State
from compoworld_core.user import PlainUser


@define
class Candidate:
    """What a generator of any origin hands to the proof."""

    instruction: str
    services: tuple[str, ...]
    distractors: tuple[str, ...]
    walk: tuple[str, ...]
    plan: Plan
    patches: dict[str, Patch]
    """Service → what is planted over its base."""
    worlds: tuple[World, ...]
    """The other worlds of probe 3, each over s0."""
    spans: tuple[Span, ...]
    difficulty: dict[str, float] = field(factory=dict)
    provenance: dict[str, Any] = field(factory=dict)
    user: UserScript | None = None
    """What the user holds back, where somebody answers questions."""


class Refuted(CompoWorldError):  # noqa: N818  # says what it is: a candidate, refuted
    """A probe failed: the candidate is not a task."""

    def __init__(self, probe: str, why: str, services: tuple[str, ...] = ()) -> None:
        self.probe, self.why, self.services = probe, why, services
        super().__init__(f"{probe}: {why}")


def start_environment(
    services: Mapping[str, Service[Any]],
    bases: Mapping[str, State],
    patches: Mapping[str, Patch],
    names: tuple[str, ...],
) -> Environment:
    """The environment in s0: each service's shared base with its patch over it."""
    pairs = []
    for name in names:
        state = bases[name].fork()
        patch = patches.get(name)
        if patch is not None:
            try:
                apply(state, patch)
            except (ValidationError, ValueError, SimulationError) as error:
                why = f"a planted row of {name} does not fit: {misfit(error)}"
                raise Refuted("s0", why) from error
        pairs.append((services[name], state))
    return Environment.of(pairs)


def misfit(error: Exception) -> str:
    """Why a patch does not fit, in one line."""
    return "; ".join(problems(error)) if isinstance(error, ValidationError) else str(error)


@define
class Case:
    """Everything a probe may look at."""

    candidate: Candidate
    initial: Remembering = field(converter=remembering)
    """s0; never changed. All that is played from it shares one memory."""
    replay: Replay = Factory(lambda: Replay(Environment({}, {})))
    """The reference's own replay, with a snapshot before each step."""
    criteria: tuple[Criterion, ...] = ()
    gate: Gate | None = None

    def __attrs_post_init__(self) -> None:
        if self.candidate.user is not None:
            self.initial.dialogue = Dialogue(PlainUser(self.candidate.user.facts))

    @property
    def plan(self) -> Plan:
        """The reference solution."""
        return self.candidate.plan

    def prepare(self) -> None:
        """Play the reference from s0 and compute its rubric; Refuted where it fails.

        A step that no deterministic code answers (simulated, quarantined) proves nothing.
        """
        for step in self.plan.steps:
            service = self.initial.services.get(step.service)
            tool = service.tools.get(step.tool) if service else None
            if tool is not None and tool.kind != "deterministic":
                why = f"{step.id} calls {tool.full_name}, which is {tool.kind}"
                raise Refuted("reachable", why, (step.service,))
        try:
            self.replay = play(self.plan, self.initial.fork(), keep=True)
            self.criteria, self.gate = rubric(self.plan, self.replay, self.initial)
        except PlanError as error:
            raise Refuted("reachable", str(error)) from error

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The writes that the reference makes in s0; another branch's are none of them."""
        return tuple(g for g in self.plan.goals if g.step and self.replay.played(g.step))

    def judge(self, final: Environment) -> Verdict:
        """The verdict of the reference's rubric on a final state and the answer given there."""
        assert self.gate is not None, "prepare() comes first"
        gate, answer = self.gate, final.answer
        return derive(
            self.initial,
            (self.criteria, gate, answer, *final.states.values()),
            lambda: judge(self.criteria, (gate,), self.initial, final, answer=answer),
        )

    def passes(self, final: Environment) -> bool:
        """Whether the reference's rubric is satisfied; sooner said than a verdict."""
        assert self.gate is not None, "prepare() comes first"
        gate, answer = self.gate, final.answer
        return derive(
            self.initial,
            (satisfied, self.criteria, gate, answer, *final.states.values()),
            lambda: satisfied(self.criteria, (gate,), self.initial, final, answer=answer),
        )

    def index_of_service(self, service: str) -> int:
        """Position of the first step that touches a service; beyond the last if none does."""
        for index, step in enumerate(self.plan.steps):
            if step.service == service:
                return index
        return len(self.plan.steps)

    def resume_before(self, index: int) -> Replay:
        """The replay as it stood before a step, to go on another way."""
        if index >= len(self.plan.steps):
            return Replay(self.replay.environment.fork(), self.replay.scope)
        return self.replay.snapshots[self.plan.steps[index].id].resume()


def rubric(
    plan: Plan, replay: Replay, initial: Environment
) -> tuple[tuple[Criterion, ...], Gate]:
    """Criteria and the unchanged-except gate of a replay."""
    try:
        return criteria_of(plan, replay, initial), gate_of(plan, replay, initial)
    except ValueError as error:
        raise PlanError(f"a demanded value is none of its kind: {error}") from error
