"""`compoworld report html`: what is on the page, and that hostile content stays text."""

import json
import os
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from compoworld_report_html.collection import collect
from compoworld_report_html.markup import element, text_of
from compoworld_report_html.page import render
from compoworld_report_html.task_section import instruction

from compoworld_core import plugins
from compoworld_core.cli import run as command
from compoworld_core.records import Task
from compoworld_core.run import Run

SERVICES = Path(__file__).parents[3] / "tests" / "services"
HOSTILE = "<script>alert(1)</script> \"'> <img src=x onerror=alert(2)> &amp; \x00 </style>"
VOID = {"meta", "br"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    """Two tasks over the sample services, played by three policies."""
    base = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SERVICES / "installed"))
        patch.syspath_prepend(str(SERVICES))
        patch.setenv("PYTHONPATH", f"{SERVICES}{os.pathsep}{SERVICES / 'installed'}")
        patch.setenv("COMPOWORLD_DISABLE_PLUGINS", "services")
        patch.setenv("XDG_CACHE_HOME", str(base / "cache"))
        plugins.current.cache_clear()
        wanted = ["--n", "2", "--generator", "sample", "--distractors", "0", "--scale", "60"]
        assert command(["tasks", "generate", *wanted, "--out", str(base / "run")]) == 0
        for policy in ("oracle", "partial", "null"):
            given = ["--tasks", str(base / "run"), "--policy", policy, "--n", "4"]
            assert command(["rollouts", "run", *given, "--out", str(base / policy)]) == 0
        yield [base / name for name in ("run", "oracle", "partial", "null")]
    plugins.current.cache_clear()


class Page(HTMLParser):
    """Tags, attributes and text of a document, with its nesting checked."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def rendered(folders: list[Path], tasks: int = 40, per_outcome: int = 1) -> str:
    runs = [Run.open(path) for path in folders]
    return render(collect(runs, most_tasks=tasks, per_outcome=per_outcome), "A run")


def test_the_page_holds_tasks_proofs_policies_and_verdicts(folders: list[Path]) -> None:
    page = Page(rendered(folders))
    tasks = list(Run.open(folders[0]).tasks())
    for task in tasks:
        for line in task.instruction.splitlines():
            assert line in page.text
        assert all(criterion.text in page.text for criterion in task.criteria)
        assert all(probe.name in page.text for probe in task.certificate.probes)
        assert all(world.says in page.text for world in task.certificate.worlds)
    assert page.tags.count("svg") == len(tasks)
    for policy in ("oracle 4/4", "null 0/4"):
        assert page.text.count(policy) == len(tasks)
    assert "100.0%" in page.text


def test_a_verdict_links_to_the_call_that_decided_it(folders: list[Path]) -> None:
    page = Page(rendered(folders))
    ids = [value for name, value in page.attributes if name == "id"]
    links = [value[1:] for name, value in page.attributes if name == "href"]
    assert links
    assert set(links) <= set(ids)
    assert len(ids) == len(set(ids))


def test_nothing_is_fetched_and_no_script_runs(folders: list[Path]) -> None:
    text = rendered(folders)
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    assert {name for name, _ in page.attributes}.isdisjoint({"src", "srcset", "action"})
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert not re.search(r"url\(|@import", text)
    assert any("default-src 'none'" in value for _, value in page.attributes)


def hostile_copy(folders: list[Path], tmp_path: Path) -> list[Path]:
    """The first task and the rollouts, with every free text replaced by an attack."""
    made = []
    for folder, name in ((folders[0], "tasks"), (folders[2], "trajectories")):
        run = Run.start(tmp_path / name, {}, {})
        with run.writing():
            for line in (folder / f"{name}.jsonl").read_text().splitlines():
                run.append(name, json.dumps(poisoned(json.loads(line))))
        made.append(run.path)
    return made


def poisoned(value: Any, key: str = "") -> Any:
    free = ("instruction", "text", "says", "content", "found", "expected", "noun", "arguments")
    if isinstance(value, dict):
        return {k: poisoned(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [poisoned(each, key) for each in value]
    return value + HOSTILE if key in free and isinstance(value, str) else value


def test_hostile_records_stay_text(folders: list[Path], tmp_path: Path) -> None:
    text = rendered(hostile_copy(folders, tmp_path))
    assert "<script" not in text
    assert "<img" not in text
    page = Page(text)
    assert page.text.count("<script>alert(1)</script>") > 20
    assert not [name for name, _ in page.attributes if name.startswith("on")]


def test_text_and_attributes_are_escaped_and_writable() -> None:
    found = element("b", HOSTILE, "\ud800", title=HOSTILE)
    assert found.count("<") == 2
    assert '"' not in found.removeprefix('<b title="').partition('">')[0]
    found.encode()
    assert text_of(["a", ["<", None], 3]) == "a&lt;3"


def test_a_large_run_is_cut_and_counted_whole(folders: list[Path]) -> None:
    page = Page(rendered(folders, tasks=1, per_outcome=1))
    assert "1 more tasks are not shown" in page.text
    assert "2 tasks" in page.text
    assert "24 rollouts" in page.text
    assert page.tags.count("svg") == 1


def test_rollouts_are_shown_without_their_tasks_too(folders: list[Path]) -> None:
    page = Page(rendered(folders[1:2]))
    assert "in none of the given folders (2 tasks)" in page.text
    assert "100.0%" in page.text


def test_two_runs_of_one_policy_are_told_apart(folders: list[Path]) -> None:
    page = Page(rendered([folders[0], folders[1], folders[1]]))
    assert "oracle (oracle) 4/4" in page.text


def test_the_same_runs_give_the_same_bytes(folders: list[Path], tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        given = [str(folder) for folder in folders]
        assert command(["report", "html", *given, "--out", str(tmp_path / name)]) == 0
    first = (tmp_path / "a.html").read_bytes()
    assert first == (tmp_path / "b.html").read_bytes()
    assert len(first) < 1_000_000


def test_the_command_counts(
    folders: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "deep" / "report.html"
    given = [*map(str, folders), "--out", str(out), "--tasks", "1", "--json"]
    assert command(["report", "html", *given]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "tasks": 2,
        "shown": 1,
        "rollouts": 24,
        "bytes": out.stat().st_size,
        "out": str(out),
    }


def test_an_empty_run_is_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Run.start(tmp_path / "run", {}, {})
    out = str(tmp_path / "r.html")
    assert command(["report", "html", str(tmp_path / "run"), "--out", out]) == 2
    assert "neither tasks nor rollouts" in capsys.readouterr().err


def test_a_span_map_that_does_not_fit_its_text_is_passed_over(folders: list[Path]) -> None:
    task = next(iter(Run.open(folders[0]).tasks()))
    short = Task.model_validate({**task.model_dump(), "instruction": "Do it."})
    assert text_of(instruction(short)) == "Do it."
