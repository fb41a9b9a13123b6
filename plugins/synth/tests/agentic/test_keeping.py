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
from compoworld_core.testing.endpoint import ScriptedEndpoint

SOURCE = "src/compoworld_imported_notes/notes"
TOOLS = f"{SOURCE}/tools.py"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import subprocess", "imports subprocess"),
        ("from pathlib import Path", "imports from pathlib"),
        ("import urllib.request", "imports urllib.request"),
        ("from compoworld_core import plugins", "imports compoworld_core.plugins"),
        ("from compoworld_core.cache import x", "imports from compoworld_core.cache"),
        ("from compoworld_core.resources import *", "imports *"),
        ("from .. import models", "imports from above"),
        ("from compoworld_synth import child", "imports compoworld_synth.child"),
        ("import compoworld_synth.sources", "imports compoworld_synth.sources"),
        ("from . import os", "imports os"),
        ("kit.Path", "uses .Path"),
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
    found = screen.problems("a.py", text.encode(), "notes")
    assert any(why in each for each in found), found


def test_an_emitted_service_completed_is_fine(notes: Path, versions: dict[str, str]) -> None:
    before = (notes / TOOLS).read_bytes()
    text = versions["right"].encode()
    assert screen.problems("tools.py", text, "compoworld_imported_notes", before) == []


OLD = b"from pathlib import Path\nfrom json import loads\nDATA = loads(Path('a').read_text())\n"


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("", []),
        ("X = loads('1')", []),
        ("X = Path('b')", ["a.py:4: uses Path"]),
        (
            "from pathlib import Path as P",
            ["a.py:4: imports Path", "a.py:4: imports from pathlib"],
        ),
    ],
)
def test_what_its_author_wrote_stays_and_is_for_his_lines_alone(
    more: str, found: list[str]
) -> None:
    assert screen.problems("a.py", OLD + more.encode(), "notes", OLD) == found


def test_a_name_that_an_old_import_gives_is_not_for_new_lines() -> None:
    old = b"from compoworld_core import plugins as p, Service\n"
    found = screen.problems("a.py", old + b"x = p.load()\ny = Service\n", "notes", old)
    assert found == ["a.py:2: uses p"]


@pytest.mark.parametrize(
    ("path", "may"),
    [
        (TOOLS, True),
        ("tests/test_notes_written.py", True),
        ("tests/test_notes.py", False),
        ("tests/conftest.py", False),
        (f"{SOURCE}/__init__.py", False),
        (f"{SOURCE}/sub/tools.py", False),
        ("pyproject.toml", False),
        (f"{SOURCE}/manifest.toml", False),
        (f"{SOURCE}/schemas.json", False),
        ("src/compoworld_imported_notes/tools.py", False),
        (f"{SOURCE}/../../tools.py", False),
    ],
)
def test_a_model_writes_the_services_modules_and_nothing_else(
    notes: Path, path: str, may: bool
) -> None:
    assert sandbox.matches(path, open_package(notes).writable) is may


def test_nothing_is_written_through_a_link(notes: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("as it was")
    (notes / f"{SOURCE}/rules.py").symlink_to(outside)
    with pytest.raises(UsageError, match="is a link"):
        write_files(notes, {f"{SOURCE}/rules.py": b"new"})
    assert outside.read_text() == "as it was"


def test_a_link_in_the_package_is_not_read(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (notes / f"{SOURCE}/link.py").symlink_to(tmp_path / "secret")
    assert f"{SOURCE}/link.py" not in open_package(notes).files()


def test_a_file_that_was_not_asked_for_is_not_kept(notes: Path) -> None:
    package = open_package(notes)
    done = completion.Completion(
        True, 1, ("merge_notes",), {"tests/conftest.py": b"x"}, (), {}, {}, "", "a model"
    )
    with pytest.raises(UsageError, match="none of the files"):
        completion.keep(package, done)


def test_a_folder_without_tests_is_refused(notes: Path) -> None:
    (notes / "tests/test_notes.py").unlink()
    with pytest.raises(UsageError, match="nothing would judge"):
        open_package(notes)


@pytest.mark.parametrize("target", ["notes", "os; x:y", "a:b:c", "../x:y"])
def test_an_entry_point_that_is_none_is_refused(notes: Path, target: str) -> None:
    text = (notes / "pyproject.toml").read_text()
    (notes / "pyproject.toml").write_text(
        text.replace("compoworld_imported_notes.notes:service", target)
    )
    with pytest.raises(UsageError, match="write 'module:attribute'"):
        open_package(notes)


@pytest.fixture
def two(notes: Path) -> Path:
    """A package that holds a second service."""
    path = notes / "pyproject.toml"
    first = 'notes = "compoworld_imported_notes.notes:service"'
    second = first.replace("notes = ", "boards = ").replace(".notes:", ".boards:")
    path.write_text(path.read_text().replace(first, f"{first}\n{second}"))
    (notes / "src/compoworld_imported_notes/boards").mkdir()
    return notes


def test_of_several_services_one_is_named(two: Path) -> None:
    with pytest.raises(UsageError, match="2 services: notes, boards; name one with --service"):
        open_package(two)
    with pytest.raises(UsageError, match="no service 'board'; there are: boards"):
        open_package(two, "board")
    package = open_package(two, "boards")
    assert package.writable[0] == "src/compoworld_imported_notes/boards/models.py"
    assert package.own_tests == "tests/test_boards_written.py"


def test_a_service_that_lies_in_no_folder_is_refused(two: Path) -> None:
    (two / "src/compoworld_imported_notes/boards").rmdir()
    with pytest.raises(UsageError, match="is no folder"):
        open_package(two, "boards")


def test_an_agent_that_is_not_installed_is_named_with_the_cure(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"npm install --prefix {tmp_path}"):
        harness.find_pi({harness.PI_FOLDER: str(tmp_path)})


@pytest.mark.timeout(300)
def test_the_command_completes_a_package(
    notes: Path, endpoint: ScriptedEndpoint, box: Sandbox, author: Any, versions: Any,
    key: str, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("THE_KEY", key)
    monkeypatch.setattr(harness, "validator_command", list)
    endpoint.model = author(versions["right"])
    words = [
        str(notes), "--harness", "loop", "--base-url", endpoint.base_url,
        "--model", "scripted", "--api-key-env", "THE_KEY", "--json",
    ]  # fmt: skip
    result = CliRunner().invoke(complete, words)
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert (data["accepted"], data["written"]) == (True, [TOOLS])
    assert (notes / TOOLS).read_text() == versions["right"]
    assert key not in result.output
