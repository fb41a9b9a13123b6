"""Training: the curves of training runs, and what experiments found, as sections."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from attrs import define, field

from compoworld_core.errors import RecordError
from compoworld_core.run import Run
from compoworld_report_html.chart import Line, chart
from compoworld_report_html.markup import Markup, Node, element

RECORD: Final = "experiment.json"
EXPERIMENT_SCHEMA: Final = "compoworld/experiment@1"

_SHOWN: Final = (
    "success", "uniform", "reward", "loss", "eval_loss", "entropy", "clip_ratio/region_mean",
    "tool_failures", "zero_signal", "completions/mean_length",
)  # fmt: skip
"""Figures that are drawn, where a training has them."""

_KINDS: Final = ("train", "evaluation")


@define
class Training:
    """The curves of one training run."""

    label: str
    kind: str
    curves: dict[str, list[tuple[float, float]]] = field(factory=dict)
    """Figure → (step, value) pairs."""
    services: float | None = None
    """The share of its time that the services took, where it says so."""


def read_training(run: Run) -> Training | None:
    """The curves of a run that is a training; None where it is none."""
    command = str(run.configuration.get("command", ""))
    if not command.startswith("train "):
        return None
    folder = run.path.resolve()
    found = Training(f"{folder.parent.name}/{folder.name}", command.removeprefix("train "))
    for line in run.metrics():
        if line.get("kind") == "summary":
            found.services = line.get("environment_share")
        if line.get("kind") not in _KINDS:
            continue
        for name in _names(line):
            value = line[name]
            if isinstance(value, int | float):
                found.curves.setdefault(name, []).append((line["step"], float(value)))
    return found


def _names(line: Mapping[str, Any]) -> Iterator[str]:
    yield from (name for name in _SHOWN if name in line)
    yield from (name for name in line if name.startswith("criteria/"))


def read_experiment(folder: Path) -> dict[str, Any] | None:
    """What an experiment found, if the folder is that of one.

    Raises RecordError where the file is of another schema.
    """
    file = folder / RECORD
    if not file.is_file():
        return None
    data: dict[str, Any] = json.loads(file.read_bytes())
    if data.get("schema") != EXPERIMENT_SCHEMA:
        raise RecordError(f"{file}: schema {data.get('schema')!r}, not {EXPERIMENT_SCHEMA!r}")
    return data


def training_section(trainings: Iterable[Training]) -> Markup | None:
    """A chart for each figure, a line for each training of a kind."""
    parts: list[Node] = []
    by_kind: dict[str, list[Training]] = {}
    for each in trainings:
        by_kind.setdefault(each.kind, []).append(each)
    for kind, those in by_kind.items():
        figures = dict.fromkeys(name for each in those for name in each.curves)
        order = [*(n for n in _SHOWN if n in figures), *(n for n in figures if n not in _SHOWN)]
        charts = [
            chart(name, [Line(each.label, each.curves.get(name, ())) for each in those])
            for name in order
        ]
        shares = [
            element("p", f"{each.label}: services took {each.services:.1%} of the time.",
                    class_="note")
            for each in those
            if each.services is not None
        ]  # fmt: skip
        parts += [element("h3", kind.upper()), element("div", charts, class_="charts"), shares]
    if not parts:
        return None
    return element("section", element("h2", "Training"), parts)


def experiment_section(data: Mapping[str, Any]) -> Markup:
    """The question, a table of all arms on all tests, claims, curves, and what was done."""
    claims = [
        element(
            "li",
            element("span", "holds" if each["holds"] else "does not hold",
                    class_="good" if each["holds"] else "bad"),
            f" {each['text']}: {each['value']:+.3f}",
        )
        for each in data["claims"]
    ]  # fmt: skip
    return element(
        "section",
        element("h2", data["title"]),
        element("p", data["question"]),
        element("ul", claims, class_="claims") if claims else None,
        element("div", _table(data["summary"]), class_="scroll"),
        element("p", "Median over the seeds, with the least and the most.", class_="note"),
        element("div", list(_curves(data["curves"])), class_="charts"),
        [element("p", note, class_="note") for note in data["notes"]],
        [
            element("p", f"{name}: {value}", class_="note")
            for name, value in data["settings"].items()
        ],
    )


def _table(summary: Iterable[Mapping[str, Any]]) -> Markup:
    names = ("Trained", "Tested on", "Seeds", "Success", "Uniform score")
    rows = [
        element(
            "tr",
            element("th", line["arm"], scope="row"),
            element("td", line["test"]),
            element("td", line["seeds"], class_="number"),
            element("td", _bar(line["success"]["median"]), _percent(line["success"])),
            element("td", _bar(line["uniform"]["median"]), _percent(line["uniform"])),
        )
        for line in summary
    ]
    head = element("thead", element("tr", [element("th", name) for name in names]))
    return element("table", head, element("tbody", rows), class_="policies")


def _percent(found: Mapping[str, float]) -> str:
    text = f"{found['median']:.1%}"
    if found["least"] == found["most"]:
        return text
    return f"{text} ({found['least']:.1%} to {found['most']:.1%})"


def _bar(share: float) -> Markup:
    full = max(0.0, min(1.0, share)) * 100
    inner = element("span", "", class_="fill", style=f"width:{full:.1f}%")
    return element("span", inner, class_="bar", aria_hidden="true")


def _curves(curves: Iterable[Mapping[str, Any]]) -> Iterator[Node]:
    titles: dict[str, list[Line]] = {}
    for each in curves:
        titles.setdefault(each["title"], []).append(Line(each["label"], each["points"]))
    for title, lines in titles.items():
        yield chart(title, lines)
