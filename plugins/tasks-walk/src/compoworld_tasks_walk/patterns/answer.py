"""Answer: the last visit reads what is asked for, and the last message tells it."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from compoworld_core import facts
from compoworld_core.expressions import Fn
from compoworld_core.patch import Patch
from compoworld_core.plan import Expect, Goal
from compoworld_core.proof.probes.edges import DECISION
from compoworld_core.records import World as OtherWorld
from compoworld_tasks_walk.calling import label, phrase
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.patterns.aggregate import Aggregate
from compoworld_tasks_walk.patterns.correction import Correction
from compoworld_tasks_walk.patterns.extremes import Latest
from compoworld_tasks_walk.patterns.join import Join
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.script import Tell
from compoworld_tasks_walk.sinks import subject_of


class Answer:
    """Besides the changes, one thing is to be told; it stands in no other criterion.

    A world in which the last service shows something else has another answer.
    """

    name = "answer"
    writes = True
    weight = 2.6
    ahead = False
    once = False
    share = 1.0
    probes = ("edges-carry", "discoverable", "tolerant-and-strict")

    def __init__(self) -> None:
        self.ways = (Aggregate(), Latest(), Correction(), Join())

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """The ways to read something at the last visit."""
        if visit + 1 < len(draft.walk):
            return
        for way in self.ways:
            for option in way.options(draft, visit, fact):

                def apply(option: Option = option) -> None:
                    option.apply()
                    found = [
                        one
                        for one in draft.known
                        if one.visit == visit and one.kind in ("date", "money", "cents")
                        if subject_of(draft, one)
                    ]
                    if not found:
                        raise Barren("nothing here is worth asking")
                    self._tell(draft, visit, draft.rng.choice(found))

                yield evolve(option, apply=apply, tool=self.name)

    @staticmethod
    def _tell(draft: Draft, visit: int, fact: Known) -> None:
        if draft.answer is not None or fact.hero is None:
            raise Barren("there is an answer already")
        expr = draft.use(fact)
        if not facts.equal(fact.kind, draft.trial.value(expr), fact.hero):
            raise Barren(f"{fact.field} is shown as another value than was planted")
        if not draft.tells_apart(fact):
            raise Barren(f"a competitor has the same {fact.field}")
        draft.worlds.append(
            OtherWorld(
                edge=DECISION, service=fact.counter.service,
                patch=Patch(operations=list(fact.counter.operations)), says=fact.counter.says,
            )
        )  # fmt: skip
        draft.answer = Fn(
            name="text", args=(expr,), kinds=(fact.kind,), template=f"{label(fact)}: {{}}."
        )
        goal = draft.next_goal()
        draft.goals.append(
            Goal(
                id=goal, kind="answer", text=f"The answer tells {phrase(draft, fact)}.",
                expects=(
                    Expect(field="", mode="contains", kind="text", exprs=(expr,),
                           kinds=(fact.kind,), decoys=fact.wrong()),
                ),
            )
        )  # fmt: skip
        draft.actions.append(Tell(goal, visit, fact.value))
