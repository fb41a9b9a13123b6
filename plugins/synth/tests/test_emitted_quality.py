"""Emitted packages are held to what is asked of code by hand: types, laws, a reader's eye."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from compoworld_synth.listing import Listing
from compoworld_synth.pipeline import import_listing
from shop_desk import TOOLS, listing

from compoworld_core.testing import check_service

EXEMPLAR = Path(__file__).parent / "exemplar" / "tools.txt"
SMALL = tuple(
    each
    for each in TOOLS
    if each.name in ("create_project", "list_projects", "create_task", "get_task",
                     "update_task", "delete_task", "add_tag_to_task", "list_task_tags",
                     "create_tag", "list_tags")
)  # fmt: skip


def test_emission_is_what_a_person_wrote_as_exemplar(tmp_path: Path) -> None:
    shop = Listing("shop", SMALL, domain="project_management")
    import_listing(shop, tmp_path / "p", formatted=True, checked=False)
    emitted = (
        tmp_path / "p" / "src" / "compoworld_imported_shop" / "shop" / "tools.py"
    ).read_text()
    assert emitted == EXEMPLAR.read_text()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_emitted_code_passes_the_type_checker_in_strict_mode(tmp_path: Path) -> None:
    import_listing(listing(), tmp_path / "p", formatted=False, checked=False)
    cache = str(tmp_path / "cache")
    source = str(tmp_path / "p" / "src")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_emitted_service_passes_the_conformance_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Listing("quality", listing().tools, domain="project_management")
    import_listing(shop, tmp_path / "p", formatted=False, checked=False)
    monkeypatch.syspath_prepend(str(tmp_path / "p" / "src"))
    module = importlib.import_module("compoworld_imported_quality.quality")
    assert [(each.check, each.why) for each in check_service(module.service)] == []
