"""The hand-made candidate with a user who holds back the due date and the note's title."""

from __future__ import annotations

from typing import Any

from attrs import define, field
from pydantic import BaseModel
from sample_tasks import Draft, arg, draft, sample_world

from compoworld_core.environment import Environment
from compoworld_core.expressions import Fn, Grep, Lit, Out
from compoworld_core.plan import Plan, Step
from compoworld_core.proof.case import Candidate
from compoworld_core.proof.certificate import prove
from compoworld_core.records import Span, Task, UserFact, UserScript
from compoworld_core.user import ASK, USER
from compoworld_core.world import World

DUE = UserFact(
    about=(("due", "deadline"),),
    kind="date",
    value="2026-06-19",
    other="2026-07-03",
    says="They are due on {}.",
)
TITLE = UserFact(
    about=(("title", "call", "name"), ("note",)),
    kind="title",
    value="Launch plan minutes",
    other="Launch plan summary",
    says='Call the note "{}".',
)
QUESTIONS = {"due": "What is the due date?", "title": "Which title should the note have?"}


@define
class HeldBack:
    """The parts of the candidate, to be changed by a test before they are put together."""

    draft: Draft
    facts: list[UserFact] = field(factory=lambda: [DUE, TITLE])

    def candidate(self) -> Candidate:
        made = self.draft.candidate()
        made.user = UserScript(facts=tuple(self.facts))
        return made

    def prove(self) -> Task:
        return prove(self.candidate(), self.draft.initial(), self.draft.bases())

    def initial(self) -> Environment:
        return self.draft.initial()


def asks(step: str, visit: int, question: str) -> Step:
    """A step that asks the user."""
    said = Fn(name="text", args=(), template=question)
    return Step(
        id=step, visit=visit, service=USER, tool=ASK, arguments=(arg("question", said),)
    )


def held_back(world: World | None = None) -> HeldBack:
    """A sound candidate."""
    made = draft(world or sample_world(scale=40))
    told = {
        "2026-06-19": Grep(source=Out(step="due", path=("reply",)), kind="date"),
        "Launch plan minutes": Grep(source=Out(step="title", path=("reply",)), kind="title"),
    }
    plan: Plan = _told(made.plan, told)
    at = [step.id for step in plan.steps]
    steps = list(plan.steps)
    steps.insert(at.index("s6"), asks("title", 4, QUESTIONS["title"]))
    steps.insert(at.index("s4"), asks("due", 2, QUESTIONS["due"]))
    made.plan = plan.model_copy(update={"steps": tuple(steps)})
    _replace(made, "19 June 2026", "the day that I tell you")
    _replace(made, "Launch plan minutes", "with the title that I tell you")
    return HeldBack(made)


def _told(node: Any, told: dict[str, Grep]) -> Any:
    """The plan with each of these literals read from a reply."""
    if isinstance(node, Lit) and node.literal in told:
        return told[node.literal]
    if isinstance(node, tuple):
        return tuple(_told(part, told) for part in node)
    if isinstance(node, BaseModel):
        names = type(node).model_fields
        return type(node)(**{name: _told(getattr(node, name), told) for name in names})
    return node


def _replace(made: Draft, old: str, new: str) -> None:
    """Say something else at one place of the instruction; its literal goes."""
    wording = made.wording
    at = wording.text.index(old)
    wording.text = wording.text.replace(old, new, 1)
    shift = len(new) - len(old)
    kept: list[Span] = []
    for span in wording.spans:
        if span.start == at and span.kind == "literal":
            continue
        moved = shift if span.start > at else 0
        end = shift if span.end > at else 0
        kept.append(
            span.model_copy(update={"start": span.start + moved, "end": span.end + end})
        )
    wording.spans = kept
