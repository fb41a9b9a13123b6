"""Curves of trainings and what experiments found, on the page of a report."""

import json
from pathlib import Path

import pytest
from compoworld_report_html.chart import Line, chart
from compoworld_report_html.collection import collect
from compoworld_report_html.page import render
from compoworld_report_html.training import read_training

from compoworld_core.errors import RecordError, UsageError
from compoworld_core.run import METRIC_SCHEMA, Run


def trained(path: Path, command: str = "train grpo") -> Run:
    """A training of three steps."""
    run = Run.start(path, {"command": command}, {})
    with run.writing():
        for step, success in enumerate((0.25, 0.5, 0.75), 1):
            figures = {"success": success, "loss": 0.0, "criteria/create": 0.5}
            head = {"schema": METRIC_SCHEMA, "step": step}
            run.append("metrics", {**head, "kind": "train", **figures})
            run.append("metrics", {**head, "kind": "speed", "success": 9.0})
        run.append("metrics", {**head, "kind": "summary", "environment_share": 0.0123})
    return Run.open(path)


def experiment(path: Path, schema: str = "compoworld/experiment@1") -> Run:
    run = Run.start(path, {"command": "experiment"}, {})
    spread = {"median": 0.5, "least": 0.25, "most": 0.75}
    line = {
        "arm": "after <RL>",
        "test": "new",
        "seeds": 3,
        "success": spread,
        "uniform": spread,
    }
    data = {
        "schema": schema, "title": "Does it learn?", "question": "Does it?", "notes": ["so"],
        "settings": {"tasks": "two services"}, "summary": [line],
        "claims": [{"text": "it does", "value": 0.3, "holds": True}],
        "curves": [{"title": "success", "label": "seed 0", "points": [[1, 0.1], [2, 0.4]]}],
    }  # fmt: skip
    (path / "experiment.json").write_text(json.dumps(data))
    return run


def test_a_training_shows_its_curves_and_not_the_clock(tmp_path: Path) -> None:
    run = trained(tmp_path / "grpo")
    found = read_training(run)
    assert found is not None
    assert found.curves["success"] == [(1, 0.25), (2, 0.5), (3, 0.75)]
    page = render(collect([run], most_tasks=1, per_outcome=1), "t")
    assert "from 0.25 to 0.75" in page
    assert "criteria/create" in page


def test_a_training_says_how_much_of_its_time_the_services_took(tmp_path: Path) -> None:
    page = render(collect([trained(tmp_path / "grpo")], most_tasks=1, per_outcome=1), "t")
    assert f"{tmp_path.name}/grpo: services took 1.2% of the time." in page


def test_a_run_that_is_no_training_has_no_curves(tmp_path: Path) -> None:
    assert read_training(trained(tmp_path / "run", "rollouts")) is None


def test_an_experiment_shows_table_claims_and_curves_as_text(tmp_path: Path) -> None:
    page = render(collect([experiment(tmp_path / "x")], most_tasks=1, per_outcome=1), "t")
    assert "after &lt;RL&gt;" in page
    assert "50.0% (25.0% to 75.0%)" in page
    assert "it does: +0.300" in page
    assert "seed 0 from 0.1 to 0.4" in page


def test_an_experiment_of_another_schema_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="compoworld/experiment@2"):
        collect([experiment(tmp_path / "x", "compoworld/experiment@2")], most_tasks=1,
                per_outcome=1)  # fmt: skip


def test_an_empty_run_is_nothing_to_report(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nor a training"):
        collect([Run.start(tmp_path / "x", {"command": "x"}, {})], most_tasks=1, per_outcome=1)


def test_a_line_stays_within_its_chart() -> None:
    drawn = chart("t", [Line("a", [(0, -3.0), (5, 12.5), (9, float("nan"))])])
    assert drawn is not None
    path = drawn.split(' d="M')[1].split('"')[0]
    places = [tuple(map(float, each.split())) for each in path.split(" L")]
    assert len(places) == 2
    assert all(0 <= x <= 470 and 0 <= y <= 210 for x, y in places)


def test_a_chart_without_points_is_none() -> None:
    assert chart("t", [Line("a", [])]) is None


def test_many_points_are_drawn_as_few() -> None:
    drawn = chart("t", [Line("a", [(n, n % 2) for n in range(5000)])])
    assert drawn is not None
    assert drawn.count(" L") < 400
