"""``compoworld synth import``: what is refused, what is left behind, what it prints."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from compoworld_synth import ledger
from compoworld_synth.listing import Problem

from compoworld_core.cli import run


@pytest.fixture(autouse=True)
def pipeline(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A pipeline that writes one file: what the real one does is tested with it."""
    made = ModuleType("compoworld_synth.pipeline")

    def import_listing(listing: Any, out: Path) -> Any:
        (out / "src").mkdir(parents=True)
        (out / "src" / "manifest.toml").write_text(listing.server)
        service = SimpleNamespace(
            name=listing.server, tools=len(listing.tools), deterministic=0, simulated=1,
            quarantined=0, problems=(Problem("x", "why"),),
        )  # fmt: skip
        return SimpleNamespace(services=(service,))

    vars(made)["import_listing"] = import_listing
    monkeypatch.setitem(sys.modules, "compoworld_synth.pipeline", made)
    return made


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "pets.json"
    twice = {"name": "get_pet", "inputSchema": {"type": "object"}}
    path.write_text(json.dumps({"tools": [twice, twice]}))
    return path


def imported(*words: object) -> int:
    return run(["synth", "import", *map(str, words)])


def test_the_document_counts_tools_and_names_every_problem(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert imported(source, "--out", tmp_path / "out", "--json") == 0
    (found,) = json.loads(capsys.readouterr().out)["services"]
    assert (found["name"], found["tools"], found["simulated"]) == ("pets", 1, 1)
    assert [each["path"] for each in found["problems"]] == ["x", "get_pet"]
    assert (tmp_path / "out" / "src" / "manifest.toml").exists()


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["SOURCE", "--url", "http://127.0.0.1:1/mcp"],
        ["nowhere.json"],
        ["SOURCE", "--format", "opnapi"],
        ["SOURCE", "--service", "../up"],
        ["--url", "ftp://x/y"],
        ["--command", "   "],
    ],
)
def test_wrong_usage_leaves_nothing_behind(
    words: list[str], source: Path, tmp_path: Path
) -> None:
    before = sorted(tmp_path.rglob("*"))
    given = [str(source) if word == "SOURCE" else word for word in words]
    assert imported(*given, "--out", tmp_path / "out") == 2
    assert sorted(tmp_path.rglob("*")) == before


def test_a_failure_half_way_leaves_nothing_behind(
    source: Path, tmp_path: Path, pipeline: ModuleType
) -> None:
    def fail(listing: Any, out: Path) -> None:
        out.mkdir()
        raise OSError(28, "No space left on device", str(out))

    vars(pipeline)["import_listing"] = fail
    before = sorted(tmp_path.rglob("*"))
    assert imported(source, "--out", tmp_path / "out") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_is_there_is_refused_without_force(source: Path, tmp_path: Path) -> None:
    assert imported(source, "--out", tmp_path / "out") == 0
    assert imported(source, "--out", tmp_path / "out") == 2
    assert imported(source, "--out", tmp_path / "out", "--force") == 0


def test_force_removes_only_what_an_import_wrote(source: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    assert imported(source, "--out", tmp_path / "mine", "--force") == 2
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_force_leaves_a_project_alone_in_which_something_is_called_a_manifest(
    source: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine" / "vendor").mkdir(parents=True)
    (tmp_path / "mine" / "vendor" / "manifest.toml").write_text("a = 1")
    assert imported(source, "--out", tmp_path / "mine", "--force") == 2
    assert (tmp_path / "mine" / "vendor" / "manifest.toml").exists()


@pytest.mark.parametrize("name", ["notes.md", "README.md"])
def test_force_leaves_alone_what_was_added_or_edited(
    name: str, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert imported(source, "--out", out) == 0
    (out / "README.md").write_text("as it was written")
    ledger.write(out)
    (out / name).write_text("mine")
    assert imported(source, "--out", out, "--force") == 2
    assert name in capsys.readouterr().err
    assert (out / name).read_text() == "mine"


def test_the_service_gets_the_name_that_is_asked_for(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert imported(source, "--out", tmp_path / "out", "--service", "kennel", "--json") == 0
    assert json.loads(capsys.readouterr().out)["services"][0]["name"] == "kennel"


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_link_is_refused_before_any_work(
    source: Path, tmp_path: Path, force: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    assert imported(source, "--out", link, *force) == 2
    assert "is a link" in capsys.readouterr().err
    assert link.is_symlink()
