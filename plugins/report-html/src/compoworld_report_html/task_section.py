"""Task section: what is asked, how the services depend on each other, what is proven."""

from __future__ import annotations

from collections.abc import Iterator

from compoworld_core.cli.task_page import explain
from compoworld_core.plan import Step
from compoworld_core.proof.checks import wanted
from compoworld_core.records import Criterion, Gate, Probe, Span, Task
from compoworld_report_html.collection import Series
from compoworld_report_html.diagram import hue, walk_diagram
from compoworld_report_html.markup import Markup, Node, element
from compoworld_report_html.rollout_section import rollout

_PROBES = {
    "reachable": "The reference solution, played twice through the meta-tools, ends well.",
    "not-vacuous": "Nothing holds before the work is done.",
    "edges-carry": "In a world with another fact at the source, other calls are right.",
    "criteria-needed": "Without the steps behind it, each criterion fails.",
    "discoverable": "Every value that is demanded can be found by looking.",
    "no-shortcut": "What an edge carries cannot be had around its source.",
    "unambiguous": "Each description fits one record, and each of its words matters.",
    "told-when-asked": "What the user holds back is needed, and is told to who asks for it.",
    "tolerant-and-strict": "Equivalent outcomes pass; wrong ones fail.",
}


def task_section(task: Task, number: int, series: list[Series], *, opened: bool) -> Markup:
    """One task, folded: the line in the list is its summary."""
    title = next((line for line in task.instruction.splitlines() if line.strip()), task.id)
    chips = [_chip(each, task.id) for each in series if task.id in each.tasks]
    return element(
        "details",
        element(
            "summary",
            element("span", number, class_="ordinal"),
            element("span", title if len(title) <= 96 else f"{title[:95]}…", class_="title"),
            element("span", chips, class_="chips"),
        ),
        element("p", instruction(task), class_="instruction"),
        element("div", walk_diagram(task), class_="scroll"),
        _held_back(task),
        element(
            "div",
            _part("Must hold", element("ol", [_criterion(c) for c in task.criteria])),
            _part("Must stay", element("ul", [_gate(gate) for gate in task.gates])),
            class_="columns",
        ),
        _folded("Certificate", _certificate(task), f"{task.certificate.kind}"),
        _folded(
            "Reference solution",
            element("ol", [_step(task, step) for step in task.reference.steps], class_="steps"),
            f"{len(task.reference.steps)} steps",
        ),
        [_rollouts(task, each, f"t{number}-{n}") for n, each in enumerate(series)],
        element("p", f"{task.id} · {_made(task)}", class_="note"),
        class_="task",
        open=opened,
        id=f"t{number}",
    )


def _chip(series: Series, task: str) -> Markup:
    score = series.tasks[task]
    state = "all" if score.passed == score.rollouts else "some" if score.passed else "none"
    return element(
        "span", f"{series.label} {score.passed}/{score.rollouts}", class_=f"chip {state}"
    )


def instruction(task: Task) -> Iterator[Node]:
    """The text, with the phrases that its span map ties to values and records."""
    at = 0
    for span in sorted(task.spans, key=lambda each: each.start):
        if span.start < at or span.end > len(task.instruction):
            continue
        yield task.instruction[at : span.start]
        yield element(
            "span", task.instruction[span.start : span.end],
            class_=f"span {span.kind}", title=_meaning(span),
        )  # fmt: skip
        at = span.end
    yield task.instruction[at:]


def _meaning(span: Span) -> str:
    if span.kind == "literal":
        return f"a value: {span.target}"
    what = "describes" if span.kind == "selection" else "refers to"
    return f"{what} {span.noun or 'a record'} ({span.target})"


def _held_back(task: Task) -> Markup | None:
    if task.user is None:
        return None
    facts = [element("li", fact.sentence) for fact in task.user.facts]
    return _part("The user tells when asked", element("ul", facts))


def _part(title: str, content: Node) -> Markup:
    return element("div", element("h4", title), content)


def _folded(title: str, content: Node, aside: str) -> Markup:
    summary = element("summary", title, " ", element("span", aside, class_="aside"))
    return element("details", summary, content, class_="part")


def _criterion(criterion: Criterion) -> Markup:
    checks = [element("li", phrase) for phrase in wanted(criterion)]
    return element(
        "li", element("span", criterion.id, class_="key"), " ", criterion.text,
        element("ul", checks) if checks else None,
    )  # fmt: skip


def _gate(gate: Gate) -> Markup:
    lines = [
        f"{a.service} {a.table} {a.key}: "
        + (f"only {', '.join(a.fields)}" if a.fields else "may be removed")
        for a in gate.allowed
    ]
    lines += [
        f"{n.service} {n.table}: "
        + ("any number of new ones" if n.at_most is None else f"at most {n.at_most} new")
        for n in gate.new
    ]
    return element("li", gate.text, element("ul", [element("li", line) for line in lines]))


def _certificate(task: Task) -> Iterator[Node]:
    yield element(
        "table",
        element("tbody", [_probe(probe) for probe in task.certificate.probes]),
        class_="probes",
    )
    worlds = [
        element(
            "li",
            element(
                "span",
                f"{task.walk[world.edge]} → {task.walk[world.edge + 1]}",
                class_=f"mark h{hue(task, task.walk[world.edge])}",
            ),
            " ",
            world.says,
        )
        for world in task.certificate.worlds
        if world.edge + 1 < len(task.walk)
    ]
    if worlds:
        yield element("h4", "Other worlds")
        yield element("ol", worlds)


def _probe(probe: Probe) -> Markup:
    mark = element("span", "✓" if probe.ok else "✗", class_="ok" if probe.ok else "bad")
    told = _PROBES.get(probe.name, "")
    return element(
        "tr",
        element("td", mark),
        element("th", probe.name, scope="row"),
        element("td", told, element("div", _detail(probe.detail), class_="aside")),
    )


def _detail(value: object) -> str:
    """A probe's findings in a line."""
    if isinstance(value, dict):
        return "; ".join(f"{name} {_detail(inner)}" for name, inner in sorted(value.items()))
    if isinstance(value, list):
        return ", ".join(_detail(item) for item in value)
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 44 else f"{text[:12]}…"


def _step(task: Task, step: Step) -> Markup:
    rows = [
        element("li", element("code", ".".join(map(str, a.path))), " = ", explain(a.expr))
        for a in step.arguments
    ]
    each = f" for each of {explain(step.foreach)}" if step.foreach is not None else ""
    colour = f"mark h{hue(task, step.service)}"
    return element(
        "li",
        element("span", f"{step.service}.{step.tool}", class_=colour),
        element("span", " writes" if step.write else " reads", each, class_="aside"),
        element("ul", rows),
    )  # fmt: skip


def _rollouts(task: Task, series: Series, key: str) -> Markup | None:
    shown = series.shown.get(task.id)
    if not shown:
        return None
    score = series.tasks[task.id]
    passed = f"{score.passed} of {score.rollouts} passed"
    figures = f"uniform {score.mean('uniform'):.2f}, reward {score.mean('reward'):.2f}"
    return element(
        "div",
        element(
            "h4", series.label, " ", element("span", passed, ", ", figures, class_="aside")
        ),
        [rollout(each, task, f"{key}-{n}") for n, each in enumerate(shown)],
        class_="rollouts",
    )


def _made(task: Task) -> str:
    made = task.provenance
    told = [f"{k} {made[k]}" for k in ("generator", "seed", "try", "register") if k in made]
    return ", ".join(told)
