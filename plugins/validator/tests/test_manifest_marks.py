"""Marks in the manifest: what one validation wrote, the next one looks behind."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from compoworld_validator.command import validate

from compoworld_core import manifest
from compoworld_core.manifest import Mark

SOURCE = '''
from pathlib import Path

from compoworld_core import Service, State, manifest
from compoworld_core.service import Simulated


class NoState(State):
    """Nothing."""


service = Service("marked", state=NoState, domain="x")


@service.tool(read_only=True)
def broken(state: NoState) -> int:
    raise KeyError(1)


@service.tool(read_only=True)
def sound(state: NoState) -> int:
    return 1


@service.simulated(why="no rule")
def nobody_knows(state: NoState) -> int:
    raise Simulated


manifest.apply(service, Path(__file__).with_name(manifest.FILE))
'''


@pytest.fixture
def package(tmp_path: Path) -> Path:
    inside = tmp_path / "src" / "markedtools"
    inside.mkdir(parents=True)
    (inside / "__init__.py").write_text(SOURCE)
    kinds = {"broken": "deterministic", "sound": "deterministic", "nobody_knows": "simulated"}
    rows = [{"name": name, "kind": kind} for name, kind in kinds.items()]
    manifest.write(inside / manifest.FILE, rows)
    return tmp_path


@pytest.fixture(autouse=True)
def clean_imports() -> Iterator[None]:
    before = list(sys.path)
    yield
    sys.path[:] = before
    sys.modules.pop("markedtools", None)


def validated(package: Path) -> tuple[int, dict[str, Any]]:
    """The exit code and the manifest after `--write`, in a process that imports anew."""
    sys.modules.pop("markedtools", None)
    done = CliRunner().invoke(validate, [str(package), "--write", "--json"])
    (file,) = package.rglob(manifest.FILE)
    return done.exit_code, manifest.read(file)


def test_a_second_run_says_the_same(package: Path) -> None:
    first = validated(package)
    assert first[1]["broken"]["quarantined"] == "crashed"
    assert validated(package) == first


def test_a_mended_tool_is_freed(package: Path) -> None:
    validated(package)
    (file,) = package.rglob("__init__.py")
    file.write_text(SOURCE.replace("raise KeyError(1)", "return 2"))
    status, tools = validated(package)
    assert status == 0
    assert "quarantined" not in tools["broken"]


def test_a_tool_that_nobody_could_try_before_is_tried(package: Path) -> None:
    (file,) = package.rglob(manifest.FILE)
    why = Mark("not validated: pip install compoworld-validator")
    manifest.mark(file, {"sound": why, "broken": why})
    _, tools = validated(package)
    assert "unproven" not in tools["sound"]
    assert tools["broken"]["quarantined"] == "crashed"


def test_a_tool_without_code_is_left_as_it_is(package: Path) -> None:
    assert validated(package)[1]["nobody_knows"] == {
        "name": "nobody_knows",
        "kind": "simulated",
    }
