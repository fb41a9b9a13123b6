"""Difficulty: how hard a task is, as a score from 0 to 1 and the features that it is made of.

The features are counted on what a generator proposes (plan, patches, spans, walk), so any
generator's tasks have them and none needs a proof for it. The score is a logistic function of
their weighted sum, each feature with a weight that is never negative: more of anything never
makes a task easier. Weights are fitted to the pass rates of policies (how-to/shape-a-dataset);
a difficulty that a generator hands over under another name is kept beside them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import exp
from typing import TYPE_CHECKING, Any, Final

from compoworld_core.expressions import Fn, Grep, Rule
from compoworld_core.user import USER

if TYPE_CHECKING:
    from compoworld_core.patch import Patch
    from compoworld_core.plan import Plan, Step
    from compoworld_core.proof.case import Candidate
    from compoworld_core.records import Task

ITEMS: Final = 3
"""Items that a for-each is taken to have: how many is known only when it is played."""

WEIGHTS: Final[dict[str, float]] = {
    "services": 0.07,
    "visits": 0.02,
    "distractors": 0.04,
    "near_duplicates": 0.01,
    "depth": 0.06,
    "register": 0.15,
    "constraints": 0.02,
    "write_calls": 0.25,
    "read_calls": 0.03,
    "branches": 0.15,
    "transformations": 0.12,
    "questions": 0.12,
    "answer": 0.1,
}
"""Feature → how much one more of it adds to the weighted sum."""

REGISTERS: Final[dict[str, float]] = {
    "request": 0.0, "email": 0.1, "handover": 0.25, "ticket": 0.25, "chatty": 0.5,
    "voice": 0.75, "terse": 1,
}  # fmt: skip
"""Register → how much it leaves to the reader."""

UNKNOWN_REGISTER: Final = 0.5


def features(
    plan: Plan,
    patches: Mapping[str, Patch],
    walk: Sequence[str],
    distractors: Sequence[str],
    provenance: Mapping[str, Any],
) -> dict[str, float]:
    """The numbers of which the score is made, each 0 or more."""
    register = provenance.get("register")
    return {
        "services": len(set(walk)),
        "visits": len(walk),
        "distractors": len(distractors),
        "near_duplicates": near_duplicates(plan, patches),
        "depth": depth(plan),
        "register": REGISTERS.get(str(register), UNKNOWN_REGISTER) if register else 0.0,
        "constraints": sum(len(selection.conditions) for selection in plan.selections),
        "write_calls": sum(_calls(step) for step in plan.steps if step.write),
        "read_calls": sum(
            _calls(each) for each in plan.steps if not (each.write or _asks(each))
        ),
        "branches": sum(step.when is not None or step.may_fail for step in plan.steps),
        "transformations": transformations(plan),
        "questions": sum(_asks(step) for step in plan.steps),
        "answer": plan.answer is not None,
    }


def _asks(step: Step) -> bool:
    return step.service == USER


def _calls(step: Step) -> int:
    return 1 if step.foreach is None else ITEMS


def near_duplicates(plan: Plan, patches: Mapping[str, Patch]) -> int:
    """Planted rows in tables from which descriptions select, beyond those that are meant."""
    meant = Counter((each.service, each.table) for each in plan.selections)
    planted = Counter(
        (service, operation.table)
        for service, patch in patches.items()
        for operation in patch.operations
        if operation.op == "insert"
    )
    return sum(max(0, planted[place] - count) for place, count in meant.items())


def depth(plan: Plan) -> int:
    """The longest chain of calls of which each needs what the one before showed, up to a write.

    1 is a write that needs no call before it.
    """
    lengths: dict[str, int] = {}
    for step in plan.steps:
        before = (lengths.get(name, 0) for name in step.reads)
        lengths[step.id] = 1 + max(before, default=0)
    return max((lengths[step.id] for step in plan.steps if step.write), default=0)


def transformations(plan: Plan) -> int:
    """Values that no observation shows as they are: sums, dates, rules, facts in a text."""
    return sum(len(set(_transformed(step))) for step in plan.steps)


_VERBATIM: Final = ("form", "text", "date")
"""Functions that only write a value in another form."""


def _transformed(step: Step) -> Iterator[str]:
    """The transformations in a step's values, each as its JSON, so that one counts once."""
    for expr in step.expressions():
        if isinstance(expr, Grep | Rule) or (
            isinstance(expr, Fn) and expr.name not in _VERBATIM
        ):
            yield expr.model_dump_json()


MIDDLE: Final = 3.1
"""The weighted sum of a task whose score is a half."""

SPREAD: Final = 0.9
"""The difference in weighted sums that takes a score from 0.5 to 0.73."""

_PER_VISIT: Final = {
    "write_calls": 1.0,
    "read_calls": 1.25,
    "near_duplicates": 2.1,
    "depth": 0.55,
    "constraints": 1.6,
    "transformations": 0.2,
}
"""Feature → how much of it a visit brings on average, in mixed tasks of the walk generator."""


def score(found: Mapping[str, float]) -> float:
    """The score of a task's features: 0 is easy, 1 is hard."""
    total = sum(weight * found.get(name, 0.0) for name, weight in WEIGHTS.items())
    return round(1 / (1 + exp((MIDDLE - total) / SPREAD)), 4)


def expected(services: int, visits: int, distractors: int) -> float:
    """About which score a task of this shape comes to, before it is made."""
    found: dict[str, float] = {name: each * visits for name, each in _PER_VISIT.items()}
    found |= {"services": services, "visits": visits, "distractors": distractors}
    return score(found)


def rate(candidate: Candidate) -> dict[str, float]:
    """What is stored with a task: the score, the features, and what the generator adds."""
    found = features(
        candidate.plan,
        candidate.patches,
        candidate.walk,
        candidate.distractors,
        candidate.provenance,
    )
    own = {name: value for name, value in candidate.difficulty.items() if name not in WEIGHTS}
    return {**own, **found, "score": score(found)}


def score_of(task: Task) -> float:
    """The score of a task: the recorded one, or what its record comes to where it has none."""
    recorded = task.difficulty.get("score")
    if recorded is not None:
        return recorded
    return score(
        features(task.reference, task.s0.patches, task.walk, task.distractors, task.provenance)
    )
