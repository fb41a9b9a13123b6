"""Search: a policy that knows what it needs to know, and has to find out where it stands.

It sees the plan as a list of needs: each look-up that a write depends on. It is not told which
tool answers a need, only about what it must be like, so it tries what looks right (of tools
that change something it only reads the descriptions), with a budget of tries for each need and
each write. What is left of the budget goes into looking at the items of a
list that are alike; once it is used up, the next best item is taken. So many tools (distractor
services), near-duplicates, long chains and many writes each cost it: what difficulty is
measured with. It makes real calls and learns nothing but what they show.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from functools import lru_cache
from math import log
from random import Random
from typing import Any, Final

from attrs import define, field
from pydantic import BaseModel

from compoworld_core.errors import PlanError, UsageError
from compoworld_core.expressions import All, Const, Expr, Item, Out, Pick, Scope, at, walk
from compoworld_core.observation import Observation
from compoworld_core.plan import Plan, Step
from compoworld_core.proof.player import arguments
from compoworld_core.records import Task
from compoworld_core.user import USER
from compoworld_policies.drawing import Drawing
from compoworld_policies.script import SAY, Move, Script, Scripted, data

_PATIENCE: Final = 110
"""Meta-tool calls after which it tries only what looks best: rollouts are limited."""

_READING: Final = frozenset(
    {"count", "describe", "download", "fetch", "find", "get", "list", "lookup", "query", "read",
     "retrieve", "search", "show", "view"}
)  # fmt: skip
"""A tool whose name has none of these words may change something: it is not tried."""

_WORD: Final = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}")


def search(task: Task, *, seed: int, budget: int = 5, noise: float = 0.1) -> Scripted:
    """Find what each write needs by trying tools that read, then write.

    Args:
        task: whose plan says what is needed.
        seed: decides what looks promising.
        budget: wrong tries that each look-up and each write may cost, similar items looked at
            included.
        noise: how far looks mislead on average; with 0 the right tool is always tried first.
    """
    if type(budget) is not int or budget < 0:
        raise UsageError(f"budget is {budget!r}; give a whole number of tries, from 0 up")
    if type(noise) not in (int, float) or not 0 <= noise < float("inf"):
        raise UsageError(f"noise is {noise!r}; give a number from 0 up, such as 0.1")
    return Scripted(_Seeker(task, Random(seed), budget, noise).play())


@define
class _Seeker:
    """One rollout under way: what it has seen, and what it has left to spend."""

    task: Task
    rng: Random
    budget: int
    noise: float
    scope: Scope = field(factory=Scope)
    tools: dict[tuple[str, str], frozenset[str]] = field(factory=dict)
    """(service, tool) → the words by which it looks like something."""
    schemas: dict[tuple[str, str], Any] = field(factory=dict)
    left: dict[str, int] = field(factory=dict)
    """Look-up → what is left of its budget."""
    chosen: dict[str, Any] = field(factory=dict)
    """What it took for the value of a choice among items."""
    moves: int = 0

    def play(self) -> Script:
        """Look everything up that a write needs, then write; report what came of it."""
        plan = self.task.reference
        yield from self._discover()
        needed = _needed(plan)
        lost: set[str] = set()
        for step in plan.steps:
            if not step.write and step.id not in needed:
                continue
            try:
                if step.needs() & lost:
                    raise PlanError(f"{step.id} needs what was not found")
                looked = self._looked(step)
                if looked.when is not None and not looked.when.holds(self.scope):
                    continue
                yield from self._do(looked)
            except PlanError:
                lost.add(step.id)
        return self._report(plan, lost)

    def _discover(self) -> Generator[Move, str, None]:
        listed = data((yield from self._move("list_services", {})))["services"]
        for service in (row["name"] for row in listed):
            shown = data((yield from self._move("list_tools", {"service": service})))
            for row in shown["tools"]:
                looks = _words(f"{service} {row['name']} {row['summary']}")
                self.tools[service, row["name"]] = looks

    def _move(self, name: str, values: dict[str, Any]) -> Generator[Move, str, str]:
        self.moves += 1
        return (yield name, values)

    def _do(self, step: Step) -> Generator[Move, str, None]:
        """Make a step's calls, once its tool is found, and keep what they show."""
        calls = arguments(step, self.scope)
        if step.service == USER:
            for values in calls:
                reply = yield from self._move(SAY, values)
                self.scope.outputs[step.id] = {"reply": reply}
            return
        if calls:
            yield from self._find(step)
        yield from self._describe(step.service, step.tool)
        outputs = []
        for values in calls:
            text = yield from self._call(step.service, step.tool, values)
            try:
                outputs.append(data(text))
            except ValueError as error:
                if step.may_fail:
                    self.scope.outputs[step.id] = Observation(text, is_error=True)
                    return
                raise PlanError(f"{step.service}.{step.tool} says {text[:200]}") from error
        if step.foreach is None and not outputs:
            raise PlanError(f"{step.id} showed nothing")
        self.scope.outputs[step.id] = outputs if step.foreach is not None else outputs[0]

    def _describe(self, service: str, tool: str) -> Generator[Move, str, Any]:
        if (service, tool) not in self.schemas:
            about = {"service": service, "tool": tool}
            shown = data((yield from self._move("describe_tool", about)))
            self.schemas[service, tool] = shown["input_schema"]
        return self.schemas[service, tool]

    def _call(
        self, service: str, tool: str, values: Mapping[str, Any]
    ) -> Generator[Move, str, str]:
        about = {"service": service, "tool": tool, "arguments": values}
        return (yield from self._move("call_tool", about))

    # -- which tool ------------------------------------------------------------------------

    def _find(self, step: Step) -> Generator[Move, str, None]:
        """Try tools in the order in which they look right until the right one is next.

        PlanError where the budget does not get that far.
        """
        wanted = (step.service, step.tool)
        budget = self.budget if self.moves < _PATIENCE else 0
        drawing = Drawing(self.rng, self.task.instruction.split())
        for tried, name in enumerate(self._ranking(wanted)):
            if name == wanted:
                self.left[step.id] = budget - tried
                return
            if tried == budget:
                break
            schema = yield from self._describe(*name)
            if not _reads(name):
                continue
            text = yield from self._call(*name, drawing.draw(schema))
            try:
                drawing.see(data(text))
            except ValueError:
                continue  # an error: there is nothing to see in it
        raise PlanError(f"{step.id} was not found")

    def _ranking(self, wanted: tuple[str, str]) -> list[tuple[str, str]]:
        """The tools of its sort, most promising first.

        Some needs are well understood and some are not; and a tool that was right before looks
        no better now.
        """
        looks = self.tools.get(wanted, frozenset())
        noise = self.noise * self.rng.expovariate(1)

        def promise(name: tuple[str, str]) -> float:
            return _likeness(self.tools[name], looks) + noise * self._gumbel()

        names = [name for name in self.tools if _reads(name) == _reads(wanted)]
        ranked = sorted(((promise(name), name) for name in names), reverse=True)
        return [name for _, name in ranked]

    def _gumbel(self) -> float:
        return -log(-log(self.rng.random() or 0.5))

    # -- which item ------------------------------------------------------------------------

    def _looked(self, step: Step) -> Step:
        """The step with each choice among items replaced by what was taken for it."""
        changed: Step = self._replaced(step)
        return changed

    def _replaced(self, node: Any) -> Any:
        if isinstance(node, Pick | All) and not any(isinstance(e, Item) for e in walk(node)):
            return Const(literal=self._taken(node))
        if isinstance(node, BaseModel):
            changes = {name: self._replaced(getattr(node, name)) for name in _parts(type(node))}
            return node.model_copy(update=changes)
        if isinstance(node, tuple):
            return tuple(self._replaced(each) for each in node)
        return node

    def _taken(self, expr: Pick | All) -> Any:
        name = expr.model_dump_json()
        if name not in self.chosen:
            self.chosen[name] = self._choose(expr)
        return self.chosen[name]

    def _choose(self, expr: Pick | All) -> Any:
        """Look at the items that meet the first condition, as long as the budget lasts."""
        items = at(self.scope.outputs.get(expr.step), expr.items)
        if not isinstance(items, list):
            raise PlanError(f"{expr.step} shows no list")
        tests = [(each, self._value(each.equals)) for each in expr.where]
        alike = [item for item in items if all(c.holds(item, v) for c, v in tests[:1])]
        right = []
        for item in alike:
            left = self.left.get(expr.step, self.budget)
            fits = all(c.holds(item, v) for c, v in tests)
            if not fits and left > 0:
                self.left[expr.step] = left - 1
                continue
            right.append(item)  # it is right, or nobody looks any more
            if isinstance(expr, Pick) and tests:
                break
        if isinstance(expr, All):
            return [at(item, expr.path) for item in right]
        if len(right) != 1:
            raise PlanError(f"{len(right)} items match in {expr.step}, not one")
        return at(right[0], expr.path)

    def _value(self, expr: Expr) -> Any:
        changed: Expr = self._replaced(expr)
        return changed.value(self.scope)

    # -- the end ---------------------------------------------------------------------------

    def _report(self, plan: Plan, lost: set[str]) -> str:
        answer = ""
        if plan.answer is not None:
            try:
                answer = str(self._value(plan.answer))
            except PlanError:
                answer = "I could not find out what you asked for."
        if any(step.write and step.id in lost for step in plan.steps):
            return f"I could not find all that was needed. {answer}".strip()
        return f"Done. {answer}".strip()


def _needed(plan: Plan) -> set[str]:
    """The look-ups on which a write or the answer depends, at whatever remove."""
    answer = [] if plan.answer is None else list(walk(plan.answer))
    needed = {expr.step for expr in answer if isinstance(expr, Out | Pick | All)}
    for step in reversed(plan.steps):
        if step.write or step.id in needed:
            needed |= step.needs()
    return needed


@lru_cache(maxsize=1 << 15)
def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of words that two tools have in common, from 0 to 1."""
    return len(one & other) / max(1, len(one | other))


@lru_cache(maxsize=8192)
def _reads(name: tuple[str, str]) -> bool:
    """Whether a tool's name says that it only reads."""
    return bool(_words(name[1]) & _READING)


@lru_cache(maxsize=8192)
def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower().removesuffix("s") for word in _WORD.findall(text))


@lru_cache(maxsize=64)
def _parts(model: type[BaseModel]) -> tuple[str, ...]:
    """The fields of a part of a plan that may hold expressions."""
    holding = {"args", "arguments", "case", "equals", "expr", "foreach", "left", "right",
               "source", "when", "where"}  # fmt: skip
    return tuple(name for name in model.model_fields if name in holding)
