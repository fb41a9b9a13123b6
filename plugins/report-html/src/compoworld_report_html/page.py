"""Page: the whole report as one HTML document that asks for nothing and runs nothing."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from compoworld_core.run import write_whole
from compoworld_report_html.collection import Collection
from compoworld_report_html.markup import Markup, Node, element
from compoworld_report_html.overview import generation, header, policy_table
from compoworld_report_html.rollout_section import rollout
from compoworld_report_html.task_section import task_section
from compoworld_report_html.training import experiment_section, training_section

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing is fetched and no script runs, whatever the records hold."""


def write_report(found: Collection, out: Path, title: str) -> int:
    """Write the document; its size in bytes."""
    content = render(found, title).encode()
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, content)
    return len(content)


def render(found: Collection, title: str) -> str:
    """The document's text."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Markup(_style())),
    )
    body = element(
        "body",
        element(
            "main",
            header(found, title),
            [experiment_section(each) for each in found.experiments],
            policy_table(found),
            training_section(found.trainings),
            generation(found),
            _tasks(found),
            _absent(found),
        ),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _style() -> str:
    return files("compoworld_report_html").joinpath("style.css").read_text(encoding="utf-8")


def _tasks(found: Collection) -> Markup | None:
    if not found.tasks:
        return None
    rest = found.total_tasks - len(found.tasks)
    note: Node = None
    if rest:
        note = element(
            "p", f"{rest} more tasks are not shown; --tasks shows more.", class_="note"
        )
    sections = [
        task_section(task, number, found.series, opened=number == 1)
        for number, task in enumerate(found.tasks, 1)
    ]
    return element("section", element("h2", "Tasks"), _legend(), sections, note)


def _legend() -> Markup:
    return element(
        "p",
        "In an instruction: ",
        element("span", "a value", class_="span literal"),
        ", ",
        element("span", "a description of a record", class_="span selection"),
        ", ",
        element("span", "a reference to one", class_="span reference"),
        ". In a walk: each lane is a service, each edge says what it carries.",
        class_="note",
    )


def _absent(found: Collection) -> Markup | None:
    """Rollouts whose task is in none of the folders: the figures are there, the task is not."""
    if not found.absent:
        return None
    told = (
        f"The tasks of these rollouts are in none of the given folders ({len(found.absent)}"
        " tasks); give the run that holds them to see instructions and proofs."
    )
    shown = [
        rollout(each, None, f"a{n}-{i}-{j}")
        for n, series in enumerate(found.series)
        for i, name in enumerate(found.absent[:20])
        for j, each in enumerate(series.shown.get(name, []))
    ]
    return element(
        "section", element("h2", "Rollouts without tasks"), element("p", told), shown
    )
