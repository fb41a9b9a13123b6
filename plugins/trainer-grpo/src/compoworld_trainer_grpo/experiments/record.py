"""Record: what an experiment found, as data that the report, the docs and people read.

A row is one arm (a way of training) on one test, with one seed; a summary is the median over
the seeds with the least and the most. A claim is a sentence that the numbers bear out or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from attrs import asdict, define, field, frozen

if TYPE_CHECKING:
    from compoworld_core.evaluation import Evaluation

SCHEMA: Final = "compoworld/experiment@1"
FIGURES: Final = ("success", "uniform", "turns")


@frozen
class Row:
    """An arm on a test, with a seed."""

    arm: str
    test: str
    seed: int
    tasks: int
    rollouts: int
    success: Mapping[str, float]
    """mean, low, high: 95 % over tasks."""
    uniform: Mapping[str, float]
    turns: Mapping[str, float] | None = None
    """mean: the share of the oracle's turns that the arm writes too, each after the oracle's
    own beginning; None where nobody asked."""


@frozen
class Curve:
    """Figures over steps."""

    title: str
    label: str
    points: Sequence[Sequence[float]]
    """(step, value) pairs."""


@frozen
class Claim:
    """What was to be seen, and whether it was."""

    text: str
    value: float
    holds: bool


@define
class Record:
    """All of it."""

    name: str
    title: str
    question: str
    settings: dict[str, Any] = field(factory=dict)
    notes: list[str] = field(factory=list)
    rows: list[Row] = field(factory=list)
    curves: list[Curve] = field(factory=list)
    claims: list[Claim] = field(factory=list)

    def add(
        self, arm: str, test: str, seed: int, found: Evaluation, turns: float | None = None
    ) -> Row:
        """Take up an evaluation, and the share of the oracle's turns that were foreseen."""
        figures = found.figures()
        row = Row(
            arm, test, seed, figures["tasks"], figures["rollouts"],
            figures["success"], figures["uniform"], None if turns is None else {"mean": turns},
        )  # fmt: skip
        self.rows.append(row)
        return row

    def draw(self, title: str, label: str, points: Sequence[Sequence[float]]) -> None:
        """Take up a curve."""
        if points:
            self.curves.append(Curve(title, label, points))

    def claim(self, text: str, value: float, *, holds: bool) -> None:
        """State something with its number."""
        self.claims.append(Claim(text, round(value, 4), holds))

    def values(self, arm: str, test: str, figure: str = "success") -> dict[int, float]:
        """Seed → mean, of an arm on a test."""
        return {
            row.seed: getattr(row, figure)["mean"]
            for row in self.rows
            if (row.arm, row.test) == (arm, test) and getattr(row, figure) is not None
        }

    def gain(self, arm: str, over: str, test: str, figure: str = "success") -> float:
        """The median over seeds of what an arm adds to another one, seed by seed."""
        new, old = self.values(arm, test, figure), self.values(over, test, figure)
        return median(new[seed] - old[seed] for seed in new if seed in old)

    def summary(self) -> Iterator[dict[str, Any]]:
        """A line for each arm and test: median, least and most over the seeds."""
        for arm, test in dict.fromkeys((row.arm, row.test) for row in self.rows):
            line: dict[str, Any] = {"arm": arm, "test": test}
            for figure in FIGURES:
                found = self.values(arm, test, figure)
                each = list(found.values())
                if not each:
                    continue
                line[figure] = {
                    "median": round(median(each), 4),
                    "least": round(min(each), 4),
                    "most": round(max(each), 4),
                }
                line["seeds"] = len(each)
            yield line

    def data(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"schema": SCHEMA, **asdict(self), "summary": list(self.summary())}


def table(record: Record) -> tuple[tuple[str, ...], list[list[str]]]:
    """Heads and rows of the summary, for a terminal and for the docs."""
    lines = list(record.summary())
    shown = [figure for figure in FIGURES if any(figure in line for line in lines)]
    heads = ("TRAINED", "TESTED ON", "SEEDS", *(f"{n.upper()} (LEAST, MOST)" for n in shown))
    rows = [
        [
            line["arm"], line["test"], str(line["seeds"]),
            *(_spread(line.get(figure), percent=figure != "uniform") for figure in shown),
        ]
        for line in lines
    ]  # fmt: skip
    return heads, rows


def _spread(found: Mapping[str, float] | None, *, percent: bool) -> str:
    if found is None:
        return "-"
    shown = [f"{found[n]:.1%}" if percent else f"{found[n]:.3f}" for n in _SPREAD]
    return f"{shown[0]} ({shown[1]}, {shown[2]})"


_SPREAD: Final = ("median", "least", "most")
