"""Trial: one task with its reference replay, from which mutated outcomes are branched off."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from attrs import define, field
from pydantic_core import to_json

from compoworld_core.audit.writes import Arguments, Edit, Slot, Stated, Unfit, Write, holes, put
from compoworld_core.environment import Environment
from compoworld_core.expressions import (
    All,
    Const,
    Expr,
    Fn,
    Grep,
    Lit,
    Out,
    Path,
    Pick,
    Scope,
    walk,
)
from compoworld_core.plan import Plan, Step
from compoworld_core.proof.player import Replay, Snapshot, play
from compoworld_core.records import Task
from compoworld_core.service import Tool
from compoworld_core.user import USER


@define
class Trial:
    """A task, its s0 and the replay of its reference, with a snapshot before each step."""

    task: Task
    initial: Environment
    replay: Replay = field(init=False)
    memory: dict[Any, Any] = field(factory=dict)
    """What was looked up in s0 before."""

    def __attrs_post_init__(self) -> None:
        self.replay = play(self.plan, self.initial.fork(), keep=True)

    @property
    def plan(self) -> Plan:
        """The reference."""
        return self.task.reference

    @property
    def reference(self) -> Environment:
        """How the reference ends."""
        return self.replay.environment

    def tool(self, full_name: str) -> Tool:
        """A tool by `service.tool`."""
        return self._tools[full_name]

    @cached_property
    def _tools(self) -> dict[str, Tool]:
        return self.initial.tools()

    @property
    def reading(self) -> list[Step]:
        """The steps of the reference that read from a service."""
        steps = self.plan.steps
        return [
            s for s in steps if not s.write and s.service != USER and self.replay.played(s.id)
        ]

    def tools_of(self, service: str) -> list[Tool]:
        """The tools of a service that run code."""
        found = self.initial.services[service].tools.values()
        return [tool for tool in found if tool.kind == "deterministic"]

    # -- what the reference wrote ----------------------------------------------------------

    @cached_property
    def writes(self) -> tuple[Write, ...]:
        """The writing calls that were played, in order."""
        found = []
        for position, step in enumerate(self.plan.steps):
            if step.write and self.replay.played(step.id):
                found += self._writes_of(position, step)
        return tuple(found)

    def _writes_of(self, position: int, step: Step) -> list[Write]:
        scope = self.replay.scope
        goals = tuple(goal for goal in self.plan.goals if goal.step == step.id)
        outputs = scope.outputs[step.id]
        items: list[Any] = [None]
        if step.foreach is not None:
            items = step.foreach.value(scope)
        else:
            outputs = [outputs]
        found = []
        for index, item in enumerate(items):
            scope.item = item
            slots: list[Slot] = []
            arguments: Arguments = {}
            for argument in step.arguments:
                value = argument.expr.value(scope)
                arguments = put(arguments, argument.path, value)
                if not isinstance(argument.expr, Const) and value is not None:
                    slots.append(self.slot(argument.path, argument.expr, value))
            output = outputs[index] if index < len(outputs) else None
            found.append(Write(step, position, index, arguments, tuple(slots), goals, output))
        scope.item = None
        return found

    def slot(self, path: Path, expr: Expr, value: Any) -> Slot:
        if isinstance(expr, Fn) and expr.name in ("text", "form") and isinstance(value, str):
            shown = holes(expr.template, value)
            if len(shown) == len(expr.args):
                facts = tuple(
                    Stated(
                        expr.kinds[i] if i < len(expr.kinds) else self.kind_of(arg),
                        arg.value(self.replay.scope), shown[i], arg,
                    )
                    for i, arg in enumerate(expr.args)
                )  # fmt: skip
                return Slot(path, expr, value, "text", expr.template, facts)
        return Slot(path, expr, value, self.kind_of(expr))

    def kind_of(self, expr: Expr) -> str:
        """What a value means, as far as the plan says it; empty where it does not."""
        if isinstance(expr, Lit | Grep):
            return expr.kind
        if isinstance(expr, Fn) and expr.kinds:
            return expr.kinds[0]
        return self._kinds.get(to_json(expr), "")

    @cached_property
    def _kinds(self) -> dict[bytes, str]:
        """Expression, as JSON → what its value means, for all that goals and carries name."""
        found: dict[bytes, str] = {to_json(c.expr): c.kind for c in reversed(self.plan.carries)}
        for goal in reversed(self.plan.goals):
            if goal.key is not None:
                found[to_json(goal.key)] = "id"
            for expect in goal.expects:
                if expect.mode != "contains":
                    found |= {to_json(expr): expect.kind for expr in expect.exprs}
        return found

    @cached_property
    def steps_as_json(self) -> list[dict[str, Any]]:
        """The reference's steps as JSON values. Read-only."""
        found: list[dict[str, Any]] = json.loads(to_json(self.plan.steps))
        return found

    def source_of(self, expr: Expr) -> str:
        """The service that showed the value; empty where the instruction states it."""
        steps = [e.step for e in walk(expr) if isinstance(e, Out | Pick | All)]
        return self.plan.step(steps[0]).service if steps else ""

    # -- branching off ---------------------------------------------------------------------

    def snapshot(self, step: str) -> Snapshot:
        """How things stood before a step of the reference."""
        return self.replay.snapshots[step]

    def end(self) -> Environment:
        """A fork of how the reference ends, its answer given."""
        return with_answer(self.reference.fork(), self.reference.answer)

    def edited(self, edits: Mapping[str, Edit]) -> Environment:
        """The reference by a policy that gave other arguments at some steps.

        It goes on as it can: what needs an observation that is missing is left out.
        """
        first = min(self.position(step) for step in edits)
        replay = self.resume(first)
        self.rest(replay, first, edits=edits)
        for step in edits:
            if not replay.played(step):
                raise Unfit("the tool refused the call")
        return replay.environment

    def resume(self, position: int) -> Replay:
        """The replay as it stood before the step at a position."""
        return self.snapshot(self.plan.steps[position].id).resume()

    def rest(
        self,
        replay: Replay,
        start: int,
        *,
        plan: Plan | None = None,
        edits: Mapping[str, Edit] | None = None,
        skip: Iterable[str] = (),
        touched: Iterable[str] = (),
    ) -> None:
        """Play the rest from a position; what no change reaches is taken from the reference.

        A call leaves all services but its own as they were, so a step must be played again only
        where its service was touched or an observation that it reads is another one.

        Args:
            replay: how things stand before that position.
            start: the first step to play.
            plan: another plan with as many steps.
            edits: step → a change of its arguments.
            skip: steps to leave out.
            touched: services that are not as the reference had them there.
        """
        plan, edits, skip = plan or self.plan, edits or {}, set(skip)
        dirty = set(touched)
        seen, outputs = self.replay.scope.outputs, replay.scope.outputs
        other = {
            step.id
            for step in self.plan.steps[:start]
            if outputs.get(step.id) is not seen.get(step.id)
        }
        for position in range(start, len(plan.steps)):
            step = plan.steps[position]
            moved = step is not self.plan.steps[position] and step != self.plan.steps[position]
            asked = moved or step.id in edits or step.id in skip or bool(step.needs() & other)
            if not asked and step.service not in dirty:
                if step.id in seen:
                    outputs[step.id] = seen[step.id]
                continue
            if step.service not in dirty and step.service != USER:
                there = self.snapshot(self.plan.steps[position].id).environment
                replay.environment.put(step.service, there.states[step.service])
                if step.write:
                    dirty.add(step.service)
            if step.id not in skip:
                edit = edits.get(step.id)
                play(
                    plan, replay.environment, replay=replay, order=[position], lenient=True,
                    rewrite={step.id: _rewrite(edit)} if edit else None,
                )  # fmt: skip
            if outputs.get(step.id, None) != seen.get(step.id, None):
                other.add(step.id)
        for name, state in self.reference.states.items():
            if name not in dirty:
                replay.environment.put(name, state)
        replay.environment.answer = None
        play(plan, replay.environment, replay=replay, order=(), lenient=True)

    def with_write(self, write: Write, arguments: Arguments) -> Environment:
        """The reference with other arguments in one of its writing calls."""

        def edit(calls: list[Arguments]) -> list[Arguments]:
            if write.index >= len(calls):
                raise Unfit("the step has fewer calls than in the reference")
            return [arguments if i == write.index else c for i, c in enumerate(calls)]

        return self.edited({write.step.id: edit})

    def without(self, *steps: str) -> Environment:
        """The reference by a policy that forgot some steps, with what needs their results."""
        first = min(self.position(step) for step in steps)
        replay = self.resume(first)
        self.rest(replay, first, skip=steps)
        return replay.environment

    def after(self, write: Write) -> Replay:
        """A replay right after the step of a write, to do something before going on."""
        position = write.position + 1
        if position < len(self.plan.steps):
            return self.snapshot(self.plan.steps[position].id).resume()
        return Replay(self.end(), Scope(self.replay.scope.outputs.copy()))

    def go_on(self, replay: Replay, position: int, service: str) -> Environment:
        """Play the rest of the reference from a position, where one service was touched."""
        self.rest(replay, position, touched=(service,))
        return replay.environment

    def play_one(self, replay: Replay, position: int) -> None:
        """Play one step of the reference where it stands in the plan."""
        play(self.plan, replay.environment, replay=replay, order=[position], lenient=True)

    def position(self, step: str) -> int:
        """Where a step stands in the plan."""
        return next(i for i, s in enumerate(self.plan.steps) if s.id == step)

    def replayed(self, plan: Plan, first: str) -> Replay:
        """Another plan with the same steps before `first`, played from there."""
        position = self.position(first)
        replay = self.resume(position)
        self.rest(replay, position, plan=plan)
        return replay

    def idle(self, outcome: Environment) -> bool:
        """Does an outcome leave the records and the answer as the reference does?"""
        if outcome.answer != self.reference.answer:
            return False
        return next(iter(self.reference.changes(outcome)), None) is None


def with_answer(environment: Environment, answer: str | None) -> Environment:
    """The environment with the final answer given; none where it is None."""
    if answer is not None:
        environment.finish(answer)
    return environment


def call(environment: Environment, tool: str, arguments: Arguments) -> Any:
    """Call a tool as a policy would; Unfit where it refuses."""
    observation = environment.call(tool, arguments)
    if observation.is_error:
        raise Unfit("the tool refused the call")
    return observation.data


def _rewrite(edit: Edit) -> Callable[[Step, list[Arguments]], list[Arguments]]:
    return lambda _step, calls: edit(calls)
