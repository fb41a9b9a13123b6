"""Soundness: whether a proposal names only what there is, before anything is run.

The proof is made for candidates of programs; a model may name a step, a table or a field that
does not exist, or call a write a read. Each problem is a line for the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from compoworld_core.expressions import All, Const, Expr, Lit, Out, Pick, walk
from compoworld_core.plan import Goal, Plan, Selection, Step
from compoworld_core.proof.probes.discoverable import leaves
from compoworld_core.registry import closest
from compoworld_core.state import Entity
from compoworld_core.world import World
from compoworld_tasks_agentic.proposal import Draw, Planted, Proposal
from compoworld_tasks_agentic.screen import problems_of_row

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_MOST: Final = {"steps": 60, "goals": 30, "selections": 40, "carries": 40}
_MOST_ROWS: Final = 150
_LONGEST_TEXT: Final = 400
_COMPUTED: Final = ("money", "cents", "quantity", "percent")
_SHORTEST_SENTENCE: Final = 10


def problems(proposal: Proposal, draw: Draw, world: World) -> Iterator[str]:
    """What cannot be, one line each."""
    plan = proposal.plan
    for part, most in _MOST.items():
        if len(getattr(plan, part)) > most:
            yield f"the plan has {len(getattr(plan, part))} {part}; {most} are allowed"
            return
    yield from _names(plan)
    yield from _planting(proposal, draw, world)
    yield from _steps(plan, draw, world)
    yield from _goals(plan, world, draw)
    yield from _decoys(proposal)
    yield from _selections(plan, draw, world)
    yield from _worlds(proposal, draw, world)
    for carry in plan.carries:
        if not 0 <= carry.edge < len(draw.walk) - 1:
            yield f"a carry names edge {carry.edge}; there are 0 to {len(draw.walk) - 2}"


def _names(plan: Plan) -> Iterator[str]:
    parts: dict[str, Iterable[Step | Goal | Selection]] = {
        "step": plan.steps, "goal": plan.goals, "selection": plan.selections
    }  # fmt: skip
    for noun, items in parts.items():
        seen: set[str] = set()
        for item in items:
            if not _NAME.fullmatch(item.id):
                yield f"{noun} id {item.id[:60]!r} must be letters, digits, _ and -"
            elif item.id in seen:
                yield f"two {noun}s have the id {item.id!r}"
            seen.add(item.id)


# -- planting ------------------------------------------------------------------------------


def _planting(proposal: Proposal, draw: Draw, world: World) -> Iterator[str]:
    total = sum(len(rows) for rows in proposal.planting.values())
    if total > _MOST_ROWS:
        yield f"{total} rows are planted; {_MOST_ROWS} are allowed"
        return
    for service, rows in proposal.planting.items():
        if service not in draw.services:
            yield f"planting names the service {service[:60]!r}; {_there_are(draw.services)}"
            continue
        for number, planted in enumerate(rows):
            yield from _row(f"planting of {service}, row {number}", service, planted, world)


def _row(where: str, service: str, planted: Planted, world: World) -> Iterator[str]:
    tables = world.services[service].state.tables()
    if planted.table not in tables:
        yield f"{where}: no table {planted.table!r}{_near(planted.table, tables)}"
        return
    key = planted.id if planted.op == "update" else planted.row.get("id")
    if isinstance(key, bool) or not isinstance(key, str | int):
        yield f"{where}: the {planted.op} needs an id"
    elif planted.op == "insert" and key in world.states[service].table(planted.table):
        yield f"{where}: {planted.table} has a row with the id {key!r} already"
    elif isinstance(key, str) and not re.fullmatch(r"[\w:@.#-]{1,120}", key):
        yield f"{where}: {key[:60]!r} is no id"
    yield from problems_of_row(where, planted.row, world.services.values())


# -- the plan ------------------------------------------------------------------------------


def _steps(plan: Plan, draw: Draw, world: World) -> Iterator[str]:
    played: set[str] = set()
    last = 0
    for step in plan.steps:
        where = f"step {step.id}"
        if not 0 <= step.visit < len(draw.walk):
            yield f"{where}: visit {step.visit}; there are 0 to {len(draw.walk) - 1}"
            return
        if draw.walk[step.visit] != step.service:
            yield f"{where}: visit {step.visit} is of {draw.walk[step.visit]}"
            return
        if step.visit < last:
            yield f"{where} goes back to visit {step.visit}; steps follow the walk"
        last = max(last, step.visit)
        tools = world.services[step.service].tools
        tool = tools.get(step.tool)
        if tool is None:
            yield f"{where}: {step.service} has no tool {step.tool!r}{_near(step.tool, tools)}"
            return
        if step.write == tool.read_only:
            yield f"{where}: {step.tool} is a {'read' if tool.read_only else 'write'}"
        yield from _expressions(where, step.expressions(), played)
        for argument in step.arguments:
            if not argument.path or len(argument.path) > 8 or _large(argument.path):
                yield f"{where}: {list(argument.path)} is no place for an argument"
        played.add(step.id)
    missing = set(range(len(draw.walk))) - {step.visit for step in plan.steps}
    for visit in sorted(missing):
        yield f"visit {visit} ({draw.walk[visit]}) has no step"


def _large(path: Iterable[str | int]) -> bool:
    """A list position far beyond what a call holds would fill the memory."""
    return any(isinstance(part, int) and not 0 <= part < 100 for part in path)


def _expressions(where: str, parts: Iterable[Expr], played: set[str]) -> Iterator[str]:
    for expr in parts:
        if isinstance(expr, Out | Pick | All) and expr.step not in played:
            yield f"{where} reads {expr.step!r}, which no earlier step is called"
        texts = leaves(expr.literal) if isinstance(expr, Lit | Const) else ()
        path = getattr(expr, "path", ())
        if any(isinstance(part, int) and part < 0 for part in path):
            yield f"{where}: {list(path)} counts from the end, which nobody asked for"
        template = getattr(expr, "template", "")
        if len(template) > _LONGEST_TEXT or any(len(text) > _LONGEST_TEXT for text in texts):
            yield f"{where}: a text of more than {_LONGEST_TEXT} characters"


def _goals(plan: Plan, world: World, draw: Draw) -> Iterator[str]:
    steps = {step.id: step for step in plan.steps}
    for goal in plan.goals:
        where = f"goal {goal.id}"
        roots = [expr for expect in goal.expects for expr in expect.exprs]
        roots += [goal.key] if goal.key is not None else []
        yield from _expressions(where, (e for r in roots for e in walk(r)), set(steps))
        for expect in goal.expects:
            kinds = expect.kinds or (expect.kind,) * len(expect.exprs)
            if not expect.exprs or len(kinds) != len(expect.exprs):
                yield f"{where}, {expect.field}: as many kinds as exprs, and at least one"
        if len(goal.text) < _SHORTEST_SENTENCE:
            yield f"{where}: its text must be a sentence that a person understands"
        if goal.kind == "answer":
            continue
        step = steps.get(goal.step)
        if step is None or not step.write:
            yield f"{where}: {goal.step!r} is no step that writes{_near(goal.step, steps)}"
            continue
        if goal.service != step.service:
            yield f"{where}: its step is of {step.service}, not of {goal.service[:60]!r}"
            continue
        yield from _fields(where, goal.service, goal.table, [x.field for x in goal.expects],
                           world, draw)  # fmt: skip
        if goal.kind == "create":
            if goal.new_id is None or not goal.expects:
                yield f"{where}: a create needs new_id and expects"
        elif goal.key is None or (goal.kind == "update" and not goal.expects):
            yield f"{where}: an {goal.kind} needs its row's key, and an update expects"
    aimed = {goal.step for goal in plan.goals}
    for step in plan.steps:
        if step.write and step.id not in aimed and not step.may_fail:
            yield f"step {step.id} writes and no goal says what for"


def _decoys(proposal: Proposal) -> Iterator[str]:
    """A decoy is a wrong value that a planted row holds; others would fail honest wording."""
    rows = [planted.row for rows in proposal.planting.values() for planted in rows]
    held = {str(value) for row in rows for value in _scalars(row)}
    for goal in proposal.plan.goals:
        for expect in goal.expects:
            for decoy in expect.decoys:
                if decoy.kind in _COMPUTED and _is_number(decoy.value):
                    continue  # the sum over the shadow's rows, say
                if str(decoy.value) not in held or not str(decoy.value).strip():
                    yield f"goal {goal.id}: no planted row holds the decoy {decoy.value!r}"


def _is_number(value: Any) -> bool:
    try:
        return Decimal(str(value)).is_finite()
    except ArithmeticError:
        return False


def _scalars(node: Any) -> Iterator[Any]:
    if isinstance(node, dict):
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            yield from _scalars(item)
    else:
        yield node


def _selections(plan: Plan, draw: Draw, world: World) -> Iterator[str]:
    steps = {step.id: step for step in plan.steps}
    for selection in plan.selections:
        where = f"selection {selection.id}"
        roots = [selection.key, *(expr for _, _, expr in selection.conditions)]
        yield from _expressions(where, (e for r in roots for e in walk(r)), set(steps))
        if selection.step not in steps:
            yield f"{where}: no step is called {selection.step!r}"
        elif not selection.conditions:
            yield f"{where} has no condition"
        else:
            names = [field for field, _, _ in selection.conditions]
            yield from _fields(where, selection.service, selection.table, names, world, draw)


def _fields(
    where: str, service: str, table: str, names: Iterable[str], world: World, draw: Draw
) -> Iterator[str]:
    if service not in draw.services:
        yield f"{where} names the service {service[:60]!r}; {_there_are(draw.services)}"
        return
    tables: Mapping[str, type[Entity]] = world.services[service].state.tables()
    if table not in tables:
        yield f"{where}: {service} has no table {table[:60]!r}{_near(table, tables)}"
        return
    known = tables[table].model_fields
    for name in names:
        if name not in known:
            yield f"{where}: {table} has no field {name[:60]!r}{_near(name, known)}"


def _worlds(proposal: Proposal, draw: Draw, world: World) -> Iterator[str]:
    for number, other in enumerate(proposal.worlds):
        where = f"world {number}"
        service = other.place(draw.walk)
        if service not in draw.services:
            edges = f"there are 0 to {len(draw.walk) - 2}, and -1 with a service of the walk"
            yield f"{where}: edge {other.edge}; {edges}"
            continue
        tables = world.services[service].state.tables()
        for planted in other.changes:
            yield from _row(where, service, planted, world)
        for table in other.without:
            if table not in tables:
                yield f"{where}: {service} has no table {table[:60]!r}{_near(table, tables)}"
        if not (other.changes or other.without or other.other_ids):
            yield f"{where} changes nothing"


def _there_are(names: Iterable[str]) -> str:
    return f"there are: {', '.join(names)}"


def _near(name: str, known: Iterable[Any]) -> str:
    listed = [str(each) for each in known]
    near = closest(name[:80], listed)
    return f"; closest: {', '.join(near)}" if near else f"; {_there_are(listed[:20])}"
