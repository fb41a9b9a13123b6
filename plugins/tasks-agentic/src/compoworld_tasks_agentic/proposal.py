"""Proposal: what the model writes, as data that becomes a candidate."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from random import Random
from typing import Annotated, Any, Literal

from attrs import frozen
from pydantic import BaseModel, ConfigDict, Field

from compoworld_core.environment import Environment
from compoworld_core.errors import PlanError
from compoworld_core.patch import Operation, Patch
from compoworld_core.plan import Fact, Plan
from compoworld_core.proof.case import Candidate
from compoworld_core.proof.player import play
from compoworld_core.proof.probes.edges import DECISION
from compoworld_core.records import Span
from compoworld_core.records import World as OtherWorld
from compoworld_core.state import Ledger
from compoworld_core.world import World
from compoworld_tasks_agentic.marks import Marked

Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,39}$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Mark(_Part):
    """What a marked phrase of the instruction stands for."""

    kind: Literal["literal", "selection", "reference"]
    fact: Fact | None = None
    """literal: the value that the phrase states."""
    target: str = Field(default="", max_length=40)
    """selection, reference: the id of the plan's selection."""
    noun: str = Field(default="", max_length=40)
    """selection, reference: what people call such a record."""


class Planted(_Part):
    """One row that is added to a table, or fields that are changed in one."""

    op: Literal["insert", "update"]
    table: str = Field(max_length=80)
    id: str | int | None = None
    """update: the row's id."""
    row: dict[str, Any]
    """insert: the whole row; update: the fields that become other."""


class Alternative(_Part):
    """Another world in which the fact that an edge carries is another one."""

    edge: int = Field(ge=DECISION)
    """The edge; -1 where the fact only decides what is done: a state that refuses, a rule."""
    service: str = Field(default="", max_length=80)
    """edge -1: the service that is other; an edge's is the one that it leaves."""
    says: str = Field(min_length=1, max_length=200)
    """What is different, for a person."""
    changes: tuple[Planted, ...] = Field(default=(), max_length=12)
    without: dict[str, tuple[str | int, ...]] = Field(default_factory=dict, max_length=4)
    """Table → ids of rows that are not there."""
    other_ids: bool = False
    """New records get other ids: for an edge that carries the id of a new record."""

    def place(self, walk: tuple[str, ...]) -> str:
        """The service that is other; empty where there is no such edge."""
        if self.edge == DECISION:
            return self.service
        return walk[self.edge] if self.edge < len(walk) - 1 else ""


class Proposal(_Part):
    """A whole task as the model proposes it."""

    instruction: str = Field(min_length=40, max_length=6000)
    """With [[name|words]] around each marked phrase."""
    marks: dict[Name, Mark] = Field(min_length=1, max_length=60)
    planting: dict[str, tuple[Planted, ...]] = Field(default_factory=dict, max_length=20)
    """Service → rows."""
    plan: Plan
    worlds: tuple[Alternative, ...] = Field(default=(), max_length=40)


@frozen
class Draw:
    """What was drawn for a try before the model was asked."""

    services: tuple[str, ...]
    distractors: tuple[str, ...]
    walk: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All services of the environment, in its order."""
        return tuple(sorted((*self.services, *self.distractors)))


def spans_of(proposal: Proposal, marked: Marked) -> tuple[Span, ...]:
    """The marked phrases as spans; each mark has its phrase by then."""
    spans = []
    for phrase in marked.phrases:
        mark = proposal.marks[phrase.name]
        target = mark.target if mark.fact is None else str(mark.fact.value)
        spans.append(
            Span(start=phrase.start, end=phrase.end, kind=mark.kind, target=target,
                 fact=mark.fact, noun=mark.noun)
        )  # fmt: skip
    return tuple(spans)


def patches_of(proposal: Proposal, world: World, rng: Random) -> dict[str, Patch]:
    """What is planted, among the rows that are there, so that a place tells nothing."""
    patches = {}
    for service, rows in proposal.planting.items():
        state = world.states[service]
        operations = []
        for planted in rows:
            at = None
            if planted.op == "insert":
                at = rng.randrange(len(state.table(planted.table)) + 1) - 0.5
            operations.append(_operation(planted, at))
        if operations:
            patches[service] = Patch(operations=operations)
    return patches


def _operation(planted: Planted, at: float | None = None) -> Operation:
    key = planted.id if planted.op == "update" else None
    return Operation(op=planted.op, table=planted.table, id=key, row=planted.row, at=at)


def candidate_of(
    proposal: Proposal, marked: Marked, draw: Draw, patches: dict[str, Patch]
) -> Candidate:
    """The candidate, still without the other worlds."""
    plan = proposal.plan
    return Candidate(
        instruction=marked.text,
        services=draw.services,
        distractors=draw.distractors,
        walk=draw.walk,
        plan=plan,
        patches=patches,
        worlds=(),
        spans=spans_of(proposal, marked),
        difficulty={
            "steps": len(plan.steps),
            "writes": sum(step.write for step in plan.steps),
            "planted": sum(len(patch.operations) for patch in patches.values()),
        },
    )


def worlds_of(
    proposal: Proposal, candidate: Candidate, initial: Environment
) -> tuple[OtherWorld, ...]:
    """The other worlds, each a patch over s0."""
    ledgers = _ledgers(candidate.plan, initial)
    worlds = []
    for other in proposal.worlds:
        service = other.place(candidate.walk)
        operations = [_operation(planted) for planted in other.changes]
        for table, keys in other.without.items():
            operations += [Operation(op="delete", table=table, id=key) for key in keys]
        ledger = ledgers.get(service) if other.other_ids else None
        patch = Patch(operations=operations, ledger=ledger)
        worlds.append(
            OtherWorld(edge=other.edge, service=service, patch=patch, says=other.says)
        )
    return tuple(worlds)


def _ledgers(plan: Plan, initial: Environment) -> Mapping[str, Ledger]:
    """Service → its ledger in s0, one record further in each sequence that the plan uses."""
    final = initial.fork()
    with suppress(PlanError):  # the proof tells it, with its step
        play(plan, final)
    found = {}
    for name, state in initial.states.items():
        ledger = state.ledger.copy_out()
        used = final.states[name].ledger.counters
        ledger.counters = {key: ledger.counters.get(key, 0) + 1 for key in sorted(used)}
        found[name] = ledger
    return found
