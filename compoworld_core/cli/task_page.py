"""A task as a person reads it: what is asked, what must hold, how the reference does it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compoworld_core.expressions import (
    All,
    Condition,
    Const,
    Expr,
    Fn,
    Grep,
    Item,
    Lit,
    Out,
    Path,
    Pick,
    Rule,
)
from compoworld_core.plan import Step, When
from compoworld_core.proof.checks import wanted
from compoworld_core.records import Gate, Probe, Task


def page(task: Task) -> Iterator[str]:
    """The lines of the page."""
    yield f"{task.id}  ({task.certificate.kind})"
    yield ""
    yield from (f"  {line}" for line in task.instruction.splitlines())
    yield from _section("The user holds back", list(_user(task)))
    yield from _section("Walk", [" → ".join(task.walk), *_graph(task)])
    yield from _section("Must hold", list(_criteria(task)))
    yield from _section("Must stay", [line for gate in task.gates for line in _gate(gate)])
    yield from _section("Reference", list(_reference(task)))
    yield from _section("Certificate", [_probe(probe) for probe in task.certificate.probes])
    yield from _section("Other worlds", list(_worlds(task)))
    made = task.provenance
    told = [f"{k}: {_brief(made[k])}" for k in sorted(made) if k != "versions"]
    yield from _section("Made by", ["; ".join(told)] if told else [])


def _section(title: str, rows: list[str]) -> Iterator[str]:
    if rows:
        yield ""
        yield title
        yield from (f"  {row}" for row in rows)


def _user(task: Task) -> Iterator[str]:
    for fact in task.user.facts if task.user is not None else ():
        words = ", ".join("/".join(group) for group in fact.about)
        yield f"{fact.sentence}  (asked for by: {words})"


def _graph(task: Task) -> Iterator[str]:
    edges = ", ".join(f"{source} → {target}" for source, target in task.graph.edges)
    yield f"{len(task.services)} services, needed from each other: {edges}"
    if patterns := task.provenance.get("patterns"):
        yield f"patterns: {', '.join(map(str, patterns))}"
    if "score" in task.difficulty:
        yield f"difficulty: {task.difficulty['score']}"
    if task.distractors:
        yield f"there too, and not needed: {', '.join(task.distractors)}"


def _criteria(task: Task) -> Iterator[str]:
    for number, criterion in enumerate(task.criteria, 1):
        yield f"{number}. {criterion.text}  [{criterion.id}]"
        yield from (f"     {phrase}" for phrase in wanted(criterion))


def _gate(gate: Gate) -> Iterator[str]:
    yield gate.text
    for allowed in gate.allowed:
        what = f"only {', '.join(allowed.fields)}" if allowed.fields else "may be removed"
        yield f"     {allowed.service} {allowed.table} {allowed.key}: {what}"
    for new in gate.new:
        count = "any number of" if new.at_most is None else f"at most {new.at_most}"
        yield f"     {new.service} {new.table}: {count} new"


def _reference(task: Task) -> Iterator[str]:
    for number, step in enumerate(task.reference.steps, 1):
        mark = "writes" if step.write else "reads"
        mark += ", may be refused" if step.may_fail else ""
        yield f"{number}. {step.id}: {step.service}.{step.tool}  ({mark})"
        if step.when is not None:
            yield f"     only if {_when(step.when)}"
        if step.foreach is not None:
            yield f"     for each of {explain(step.foreach)}"
        yield from (f"     {line}" for line in _arguments(step))
    if task.reference.answer is not None:
        yield f"answer: {explain(task.reference.answer)}"


def _when(when: When) -> str:
    verb = {"equals": "is", "above": "is above", "fails": "was refused"}[when.test]
    left = when.left.step if when.test == "fails" and isinstance(when.left, Out) else (
        explain(when.left)
    )  # fmt: skip
    right = "" if when.right is None else f" {explain(when.right)}"
    return f"{'not: ' if when.negated else ''}{left} {verb}{right}"


def _arguments(step: Step) -> Iterator[str]:
    for argument in step.arguments:
        name = ".".join(str(part) for part in argument.path)
        yield f"{name} = {explain(argument.expr)}"


def explain(expr: Expr) -> str:
    """Where a value comes from, in words."""
    match expr:
        case Lit():
            return f"{_brief(expr.literal)} (from the instruction)"
        case Const():
            return f"{_brief(expr.literal)} (from the tool's schema)"
        case Out():
            return f"{_where(expr.path, 'the result')} of {expr.step}"
        case Pick():
            return f"{_where(expr.path, 'the item')} of the one item of {_rows(expr)}"
        case All():
            return f"{_where(expr.path, 'the items')} of all items of {_rows(expr)}"
        case Item():
            return f"{_where(expr.path, 'the item')} of the current item"
        case Grep():
            return f"the {expr.kind} that is stated in {explain(expr.source)}"
        case Rule():
            case, source = explain(expr.case), explain(expr.source)
            return f"the {expr.kind} for {case} that is stated in {source}"
        case Fn():
            return _function(expr)


def _rows(expr: Pick | All) -> str:
    conditions = " and ".join(_condition(condition) for condition in expr.where)
    return f"{expr.step} where {conditions}" if conditions else expr.step


def _condition(condition: Condition) -> str:
    verb = "is not" if condition.negated else "is"
    return f"{_where(condition.path, 'it')} {verb} {explain(condition.equals)}"


def _where(path: Path, whole: str) -> str:
    return ".".join(str(part) for part in path) or whole


def _function(fn: Fn) -> str:
    inner = ", ".join(explain(arg) for arg in fn.args)
    if fn.name in ("form", "text"):
        return f"{fn.template!r} with {inner}" if inner else repr(fn.template)
    if fn.name in ("days", "business_days"):
        start, count = (explain(arg) for arg in fn.args)
        way = "after" if fn.number > 0 else "before"
        return f"{count} {fn.name.replace('_', ' ')} {way} {start}"
    return f"the {fn.name} of {inner}"


def _probe(probe: Probe) -> str:
    shown = ", ".join(f"{key} {_detail(value)}" for key, value in sorted(probe.detail.items()))
    return f"{'ok' if probe.ok else 'FAILED'}  {probe.name}: {shown}"


def _detail(value: Any) -> str:
    if isinstance(value, dict):
        return f"({'; '.join(f'{key}: {_detail(inner)}' for key, inner in value.items())})"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value) or "none"
    text = str(value)
    return text if len(text) <= 32 else text[:12] + "…"


def _worlds(task: Task) -> Iterator[str]:
    for world in task.certificate.worlds:
        ends = " → ".join(task.walk[world.edge : world.edge + 2])  # none in a broken record
        what = f"edge {world.edge + 1}, {ends}" if world.edge >= 0 else f"in {world.service}"
        yield f"{what}: {world.says}"


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
