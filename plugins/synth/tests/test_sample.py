"""Samples for readers: drawn from what is deterministic, each with its code."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from compoworld_synth.command_report import sample
from compoworld_synth.figures import of_folder
from compoworld_synth.pipeline import import_listing
from compoworld_synth.sample import markdown, pick
from shop_desk import TOOLS, listing, tool

from compoworld_core import manifest


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The emitted workshop, with a tool that is not deterministic."""
    out = tmp_path_factory.mktemp("sample") / "p"
    odd = tool("estimate_costs", "Estimate costs.", "task_id", task_id={"type": "string"})
    import_listing(listing(odd), out, formatted=False, checked=False)
    return out


def test_same_seed_draws_the_same_tools(shop: Path) -> None:
    assert [p.name for p in pick(shop, 5, 1)] == [p.name for p in pick(shop, 5, 1)]
    assert [p.name for p in pick(shop, 5, 1)] != [p.name for p in pick(shop, 5, 2)]


def test_only_deterministic_tools_are_drawn(shop: Path) -> None:
    drawn = {each.name for each in pick(shop, 1000, 0)}
    assert drawn == {each.name for each in TOOLS}


def test_quarantined_tools_are_not_drawn(shop: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(shop, copy)
    path = next(copy.rglob(manifest.FILE))
    manifest.mark(path, {"get_task": manifest.Mark("it broke", "crash")})
    assert "get_task" not in {each.name for each in pick(copy, 1000, 0)}


def test_text_holds_description_schema_and_code(shop: Path) -> None:
    (one,) = (each for each in pick(shop, 1000, 0) if each.name == "create_task")
    text = markdown([one], 7)
    assert "## 7. shop: `create_task`" in text
    assert "> Create a task in a project." in text
    assert '"project_id"' in text
    assert "kit.insert(state.tasks, row)" in text
    assert "class Task(Entity):" in text
    assert "- `kit.insert`: Add a row" in text


def test_command_writes_so_many_to_a_file(shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "texts"
    done = CliRunner().invoke(
        sample, [str(shop), "--n", "7", "--per", "3", "--out", str(out)], catch_exceptions=False
    )
    assert done.exit_code == 0
    counts = [path.read_text().count("\n## ") for path in sorted(out.glob("*.md"))]
    assert counts == [3, 3, 1]


def test_figures_leave_an_index_out(tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text(json.dumps([{"file": "a.json"}]))
    assert list(of_folder(tmp_path)) == []


def test_figures_read_documents_of_every_ending(tmp_path: Path) -> None:
    here = Path(__file__).parent / "listings"
    shutil.copy(here / "pets.yaml", tmp_path / "pets.yaml")
    with gzip.open(tmp_path / "queues.json.gz", "wb") as packed:
        packed.write((here / "queues.json").read_bytes())
    found = {row["server"]: row["tools"] for row in of_folder(tmp_path, checked=False)}
    assert found == {"pets": 3, "queues": 3}
