"""Wording: whether an instruction and the plan beside it agree, as far as can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compoworld_core.expressions import Const, Expr, Fn, Lit, walk
from compoworld_core.plan import Goal, Plan, Step
from compoworld_core.proof.probes.discoverable import leaves
from compoworld_core.world import World
from compoworld_tasks_agentic.marks import Marked
from compoworld_tasks_agentic.proposal import Draw, Mark, Proposal, spans_of
from compoworld_tasks_agentic.screen import of_tools, to_the_reader
from compoworld_tasks_agentic.statements import added, same_stem, says_word, words_of
from compoworld_tasks_agentic.survival import refers, says
from compoworld_tasks_agentic.vocabulary import DRASTIC


def problems(proposal: Proposal, marked: Marked, draw: Draw, world: World) -> Iterator[str]:
    """What text and plan say differently, one line each."""
    yield from _marks(proposal, marked)
    said = to_the_reader(marked.text)
    if said:
        yield f"the instruction speaks to a model: {said!r}"
    tool = of_tools(marked.text, (world.services[name] for name in draw.names))
    if tool:
        yield f"the instruction names the tool {tool!r}; say it as people do"
    yield from _unmarked(proposal, marked, draw, world)
    yield from _unsaid(proposal, marked)
    yield from _unjudged(proposal.plan, marked, world)
    yield from _undone(proposal.plan, marked)


def _marks(proposal: Proposal, marked: Marked) -> Iterator[str]:
    phrases = {phrase.name: phrase.words for phrase in marked.phrases}
    for name in sorted(phrases.keys() - proposal.marks.keys()):
        yield f"the text marks {name}, which `marks` does not explain"
    for name in sorted(proposal.marks.keys() - phrases.keys()):
        yield f"`marks` explains {name}, which the text does not mark"
    if phrases.keys() != proposal.marks.keys():
        return
    plan = proposal.plan
    known = {s.id for s in plan.selections} | {g.id for g in plan.goals}
    latest = ""
    for phrase, span in zip(marked.phrases, spans_of(proposal, marked), strict=True):
        mark: Mark = proposal.marks[phrase.name]
        where = f"mark {phrase.name}"
        if mark.kind == "literal":
            if mark.fact is None:
                yield f"{where} is a literal and needs its fact"
            elif not says(span, phrase.words):
                yield f"{where} must say {mark.fact.value!r}; it says {phrase.words!r}"
            continue
        if mark.fact is not None or mark.target not in known or not mark.noun:
            yield f"{where} needs a noun, no fact, and a target: a selection's or goal's id"
        elif not refers(phrase.words, mark.noun, latest == mark.target):
            yield f"{where}: {phrase.words!r} must name the {mark.noun}"
        latest = mark.target


def _unmarked(proposal: Proposal, marked: Marked, draw: Draw, world: World) -> Iterator[str]:
    """Facts that stand in the text and in no literal's mark."""
    literal = [
        phrase.words
        for phrase in marked.phrases
        if proposal.marks.get(phrase.name, _NO_MARK).kind == "literal"
    ]
    titles = [world.services[name].title for name in draw.names]
    for addition in added(marked.text, " \n ".join([*literal, *titles])):
        yield f"the instruction states {addition} outside any literal's mark"


_NO_MARK = Mark(kind="literal")
"""Of a phrase that nothing explains; that is told elsewhere."""


def _unsaid(proposal: Proposal, marked: Marked) -> Iterator[str]:
    """Values that the plan takes from the text, and that the text does not say."""
    plan = proposal.plan
    marks = [mark.fact for mark in proposal.marks.values() if mark.fact is not None]
    told = {(fact.kind, str(fact.value)) for fact in marks}
    step_parts = [e for step in plan.steps for e in step.expressions()]
    aim_parts = list(_aims(plan))
    used = {(e.kind, str(e.literal)) for e in (*step_parts, *aim_parts) if isinstance(e, Lit)}
    for kind, value in sorted(used - told):
        yield f"the plan uses the literal {value!r} ({kind}), which no mark states"
    for kind, value in sorted(told - used):
        yield f"the literal {value!r} ({kind}) is marked and the plan does not use it"
    for expr in aim_parts:
        if isinstance(expr, Const):
            for word in leaves(expr.literal):
                if not says_word(word, marked.text):
                    yield f"the plan aims at {word!r}, which the instruction does not say"
    targets = {mark.target for mark in proposal.marks.values()}
    described = {(s.service, s.table) for s in plan.selections}
    for goal in plan.goals:
        if goal.kind == "create" and goal.id not in targets:
            yield f"no phrase is marked as the new record of goal {goal.id}"
        elif goal.kind in ("update", "delete") and (goal.service, goal.table) not in described:
            yield f"goal {goal.id} changes a row that no selection describes"


def _aims(plan: Plan) -> Iterator[Expr]:
    """The expressions of goals and descriptions: what the task is judged by."""
    roots = [expr for goal in plan.goals for x in goal.expects for expr in x.exprs]
    roots += [goal.key for goal in plan.goals if goal.key is not None]
    roots += [expr for s in plan.selections for _, _, expr in s.conditions]
    for root in roots:
        yield from walk(root)


def _unjudged(plan: Plan, marked: Marked, world: World) -> Iterator[str]:
    """What a step writes at somebody's wish and no goal looks at."""
    for step in plan.steps:
        goals = [goal for goal in plan.goals if goal.step == step.id]
        if not step.write or (step.may_fail and not goals):
            continue
        judged = list(_aims(Plan(steps=plan.steps, goals=tuple(goals))))
        actor = world.states[step.service].ledger.actor
        for expr in _written(step, goals):
            if isinstance(expr, Fn) or expr in judged:
                continue
            if isinstance(expr, Const):
                words = list(leaves(expr.literal))
                if not words or not all(says_word(word, marked.text) for word in words):
                    continue
            if isinstance(expr, Lit) and str(expr.literal) == actor:
                continue
            yield f"step {step.id} writes {_shown(expr)}, and its goal does not expect it"


def _written(step: Step, goals: list[Goal]) -> Iterator[Expr]:
    """The values of a write's arguments; what a condition compares with is not written."""
    for argument in step.arguments:
        pending = [argument.expr]
        while pending:
            expr = pending.pop()
            if isinstance(expr, Fn) and expr not in _expected(goals):
                pending += expr.args
            else:
                yield expr


def _expected(goals: list[Goal]) -> list[Expr]:
    return [expr for goal in goals for expect in goal.expects for expr in expect.exprs]


def _shown(expr: Expr) -> str:
    if isinstance(expr, Lit | Const):
        return repr(expr.literal)
    return expr.model_dump_json(exclude_defaults=True)[:120]


def _undone(plan: Plan, marked: Marked) -> Iterator[str]:
    """What the text asks to do to a record, and no step does."""
    names = [step.tool for step in plan.steps if step.write]
    parts = [e for step in plan.steps for e in step.expressions()]
    names += [word for e in parts if isinstance(e, Lit | Const) for word in leaves(e.literal)]
    done = {word.casefold() for name in names for word in re.split(r"[\W_]+", name) if word}
    for word in dict.fromkeys(words_of(marked.text)):
        if word in DRASTIC and not any(same_stem(word, one) for one in done):
            yield f"the instruction asks to {word}, and no step does"
