"""What goes to disk: Task, Criterion, Gate, Verdict, Certificate, Trajectory, with schemas."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from compoworld_core import facts
from compoworld_core.graph import DependencyGraph
from compoworld_core.patch import Patch
from compoworld_core.plan import Fact, Plan
from compoworld_core.types import Kind


class Record(BaseModel):
    """Base of what is read from files: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")


class Column(Record):
    """Where facts of a kind stand in s0."""

    kind: Kind
    service: str
    table: str
    field: str


class Check(Record):
    """What one field of a record must hold."""

    field: str
    mode: Literal["equals", "contains", "has"]
    kind: Kind
    values: tuple[Fact, ...] = ()
    variables: tuple[str, ...] = ()
    """Records that the policy creates, whose ids the field must hold too."""
    decoys: tuple[Fact, ...] = ()
    columns: tuple[Column, ...] = ()
    """contains: where the facts were found. Another value of such a column is a rival: a text
    that states it too chose none."""
    asides: tuple[Fact, ...] = ()
    """Values of these columns that the instruction names: the text may name them too."""
    keeps: str = ""
    """Old text that must survive."""


class Target(Record):
    """One record that a criterion speaks of: an existing row by key, or a new one."""

    key: str | int | None = None
    checks: tuple[Check, ...] = ()
    holds: dict[str, str] = Field(default_factory=dict)
    """For a new row: field → its value, as JSON, in states, flags and lists that no check
    speaks of. A draft that was sent is no draft."""


class Criterion(Record):
    """One condition on the outcome, as data, with a sentence that a person understands."""

    id: str
    text: str
    kind: str
    """create, update, delete, answer; others name a verifier plugin."""
    service: str = ""
    table: str = ""
    targets: tuple[Target, ...] = ()
    """All must hold."""
    check: dict[str, Any] = Field(default_factory=dict)
    """For a verifier plugin: what it checks."""


class Allowed(Record):
    """A change that the unchanged-except gate permits."""

    service: str
    table: str
    key: str | int
    fields: tuple[str, ...] = ()
    """Fields that may differ; none means that the row may be gone."""


class NewRows(Record):
    """How many new rows a table may have; None is any number (logs written on the side)."""

    service: str
    table: str
    at_most: int | None = None
    holds: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Field → the values, as JSON, that a new row may have in it: states, flags, recipients,
    and whatever the reference leaves empty. One more recipient is collateral damage, a draft
    that was sent is no draft, and a record that was cancelled again does not exist."""


class Gate(Record):
    """A condition that holds in s0 and must survive; it can only take away."""

    id: str
    text: str
    kind: Literal["unchanged-except"] = "unchanged-except"
    allowed: tuple[Allowed, ...] = ()
    new: tuple[NewRows, ...] = ()


class Finding(Record):
    """What a verdict found for one criterion or gate."""

    id: str
    ok: bool
    text: str
    expected: str = ""
    found: str = ""
    call: int | None = None
    """The call (from 0) that decided it, where the transcript was at hand."""


class Verdict(Record):
    """The verifier's answer for one rollout."""

    criteria: dict[str, bool]
    gates: dict[str, bool]
    findings: tuple[Finding, ...] = ()

    @property
    def success(self) -> bool:
        """All criteria and all gates hold."""
        return all(self.criteria.values()) and all(self.gates.values())

    @property
    def uniform(self) -> float:
        """Share of criteria that hold; gates are left out."""
        return sum(self.criteria.values()) / len(self.criteria)


class World(Record):
    """Another world of the certificate: s0 with one fact of one service changed."""

    edge: int
    """Which edge of the walk the fact goes over; -1 for one that only decides what is done:
    a state that refuses, a rule in a text."""
    service: str
    patch: Patch
    says: str
    """What is different, for a person."""


class Probe(Record):
    """The result of one probe of the certificate."""

    name: str
    ok: bool
    detail: dict[str, Any] = Field(default_factory=dict)


class Certificate(Record):
    """The proof, made by running; `tasks verify` makes it again from the files alone."""

    kind: Literal["proven", "replay-only"] = "proven"
    probes: tuple[Probe, ...] = ()
    worlds: tuple[World, ...] = ()


class Span(Record):
    """What a phrase of the instruction stands for."""

    start: int
    end: int
    kind: Literal["literal", "selection", "reference"]
    target: str
    """A selection's id; for a literal its value as text."""
    fact: Fact | None = None
    noun: str = ""


class StartState(Record):
    """s0: a content-addressed base per service, and the patch over it."""

    bases: dict[str, str]
    patches: dict[str, Patch] = Field(default_factory=dict)


class UserFact(Record):
    """A fact that the user holds back until asked for it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    about: tuple[tuple[str, ...], ...] = Field(min_length=1)
    """A question is about it where it has a word of each group: (due, deadline), (date,)."""
    kind: Kind
    value: Any
    other: Any
    """What the user would say in the other world of the proof."""
    says: str
    """The answer, with {} where the value stands."""

    @model_validator(mode="after")
    def _sound(self) -> UserFact:
        if self.says.count("{}") != 1:
            raise ValueError("says: must have one {} where the value stands")
        if not all(group and all(word.isalnum() for word in group) for group in self.about):
            raise ValueError("about: must be groups of single words")
        for value in (self.value, self.other):
            facts.normalise(self.kind, value)
        return self

    @property
    def sentence(self) -> str:
        """The answer."""
        return self.says.replace("{}", facts.render(self.kind, self.value))


class UserScript(Record):
    """What the user of a task holds back, and who plays them where nobody else is named."""

    facts: tuple[UserFact, ...] = Field(min_length=1)
    simulator: str = "scripted"
    options: dict[str, Any] = Field(default_factory=dict)


class Task(Record):
    """x = (u, s0, G, g, v) with its reference solution and its proof."""

    schema_: Literal["compoworld/task@1"] = Field(default="compoworld/task@1", alias="schema")
    id: str
    instruction: str
    spans: tuple[Span, ...] = ()
    services: tuple[str, ...]
    """The K services of the walk."""
    distractors: tuple[str, ...] = ()
    walk: tuple[str, ...]
    graph: DependencyGraph
    s0: StartState
    criteria: tuple[Criterion, ...]
    gates: tuple[Gate, ...] = ()
    reference: Plan
    goal_digest: str
    certificate: Certificate
    difficulty: dict[str, float] = Field(default_factory=dict)
    provenance: dict[str, Any] = Field(default_factory=dict)
    user: UserScript | None = None
    """None where nobody answers questions."""

    model_config = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True)


class ToolCall(Record):
    """A call as the policy wrote it."""

    id: str
    name: str
    arguments: str
    """JSON text."""


class Message(Record):
    """One chat message of a trajectory."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    is_error: bool = False
    """tool: the observation is an error."""


class Trajectory(Record):
    """The record of one rollout."""

    schema_: Literal["compoworld/trajectory@1"] = Field(
        default="compoworld/trajectory@1", alias="schema"
    )
    id: str
    task: str
    policy: str
    seed: int
    sample: int
    """Which of the N rollouts of its group, from 0."""
    messages: tuple[Message, ...]
    answer: str | None = None
    final_digest: str = ""
    verdict: Verdict | None = None
    """None where the rollout ended in an error before it could be judged."""
    reward: float | None = None
    error: str = ""
    usage: dict[str, int] = Field(default_factory=dict)
    """Token counts, where the policy knows them."""

    model_config = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True)
