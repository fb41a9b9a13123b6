"""What comes back from an agent: which files, and what they may hold."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from compoworld_synth.agentic import completion, harness, screen
from compoworld_synth.agentic.command import complete
from compoworld_synth.agentic.package import open_package, write_files

from compoworld_core import sandbox
from compoworld_core.errors import UsageError
from compoworld_core.protocols import Sandbox


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import subprocess", "imports subprocess"),
        ("from pathlib import Path", "imports from pathlib"),
        ("import urllib.request", "imports urllib.request"),
        ("from compoworld_core import plugins", "imports compoworld_core.plugins"),
        ("from compoworld_core.cache import x", "imports from compoworld_core.cache"),
        ("from compoworld_core.resources import *", "imports *"),
        ("from .. import models", "imports relatively"),
        ("x = open('a')", "uses open"),
        ("x = eval('1')", "uses eval"),
        ("x = ().__class__.__bases__", "uses .__bases__"),
        ("import re\nx = re.sys.modules", "uses .sys"),
        ("import re\nre.compiled = None", "assigns to .compiled"),
        ("def test_a(monkeypatch): ...", "uses monkeypatch"),
        ("x = __builtins__", "uses __builtins__"),
        ("def f(:", "no Python"),
        ("\x00", "no Python"),
    ],
)
def test_what_a_service_has_no_use_for_is_found(text: str, why: str) -> None:
    found = screen.problems("a.py", text.encode(), "notes_service")
    assert any(why in each for each in found), found


def test_what_a_service_is_written_with_is_fine(versions: dict[str, str]) -> None:
    text = f"from __future__ import annotations\nimport re\n{versions['right']}"
    assert screen.problems("a.py", text.encode(), "notes_service") == []


@pytest.mark.parametrize(
    ("path", "may"),
    [
        ("src/notes_service/tools.py", True),
        ("tests/test_written.py", True),
        ("tests/test_notes.py", False),
        ("tests/conftest.py", False),
        ("src/notes_service/__init__.py", False),
        ("src/notes_service/sub/tools.py", False),
        ("pyproject.toml", False),
        ("manifest.toml", False),
        ("src/notes_service/../../tools.py", False),
    ],
)
def test_a_model_writes_the_services_modules_and_nothing_else(
    notes: Path, path: str, may: bool
) -> None:
    assert sandbox.matches(path, open_package(notes).writable) is may


def test_nothing_is_written_through_a_link(notes: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("as it was")
    (notes / "src/notes_service/rules.py").symlink_to(outside)
    with pytest.raises(UsageError, match="is a link"):
        write_files(notes, {"src/notes_service/rules.py": b"new"})
    assert outside.read_text() == "as it was"


def test_a_link_in_the_package_is_not_read(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (notes / "src/notes_service/link.py").symlink_to(tmp_path / "secret")
    assert "src/notes_service/link.py" not in open_package(notes).files()


def test_a_file_that_was_not_asked_for_is_not_kept(notes: Path) -> None:
    package = open_package(notes)
    done = completion.Completion(
        True, 1, ("archive_note",), {"tests/conftest.py": b"x"}, (), {}, ""
    )
    with pytest.raises(UsageError, match="none of the files"):
        completion.keep(package, done)


def test_a_folder_without_tests_is_refused(notes: Path) -> None:
    (notes / "tests/test_notes.py").unlink()
    with pytest.raises(UsageError, match="nothing would judge"):
        open_package(notes)


@pytest.mark.parametrize("target", ["notes_service", "os; x:y", "a:b:c", "../x:y"])
def test_an_entry_point_that_is_none_is_refused(notes: Path, target: str) -> None:
    text = (notes / "pyproject.toml").read_text()
    (notes / "pyproject.toml").write_text(text.replace("notes_service:service", target))
    with pytest.raises(UsageError, match="write 'module:attribute'"):
        open_package(notes)


def test_an_agent_that_is_not_installed_is_named_with_the_cure(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"npm install --prefix {tmp_path}"):
        harness.find_pi({harness.PI_FOLDER: str(tmp_path)})


def test_the_command_completes_a_package(
    notes: Path, server: Any, box: Sandbox, author: Any, versions: Any,
    key: str, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("THE_KEY", key)
    server.model = author(versions["right"])
    words = [
        str(notes), "--harness", "loop", "--base-url", server.endpoint.base_url,
        "--model", "scripted", "--api-key-env", "THE_KEY", "--json",
    ]  # fmt: skip
    result = CliRunner().invoke(complete, words)
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert (data["accepted"], data["written"]) == (True, ["src/notes_service/tools.py"])
    assert (notes / "src/notes_service/tools.py").read_text() == versions["right"]
    assert key not in result.output
