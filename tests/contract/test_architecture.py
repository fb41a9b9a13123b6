"""What import-linter cannot say: allow-lists, file lengths, what a start imports."""

import ast
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIMIT = 400
HEAVY = ("torch", "transformers", "trl", "peft", "deepspeed", "datasets", "numpy", "httpx")


def sources() -> list[Path]:
    folders = [ROOT / "compoworld_core", *ROOT.glob("plugins/*/src")]
    folders += ROOT.glob("contrib_services/*/src")
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def modules_after(program: str) -> set[str]:
    """Names in `sys.modules` after a program has run in a fresh process."""
    ending = "\nimport json, sys\nsys.stderr.write('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program + ending], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def imported_packages(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


def test_no_file_is_longer_than_one_sitting() -> None:
    lengths = {str(p.relative_to(ROOT)): len(p.read_text().splitlines()) for p in sources()}
    assert {name: n for name, n in lengths.items() if n > LIMIT} == {}


@pytest.mark.parametrize("pack", sorted(p.name for p in ROOT.glob("contrib_services/*/")))
def test_services_import_the_core_the_standard_library_and_what_they_declare(pack: str) -> None:
    folder = ROOT / "contrib_services" / pack
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    declared = {name.split()[0].rstrip("~=<>! ") for name in project["dependencies"]}
    declared = {name.partition(">")[0].partition("=")[0].replace("-", "_") for name in declared}
    offered = {"compoworld_core", "attrs", "pydantic"}  # the core and what it depends on
    allowed = {*sys.stdlib_module_names, *offered, *declared}
    allowed |= {path.name for path in (folder / "src").iterdir()}
    for path in (folder / "src").rglob("*.py"):
        assert imported_packages(path) <= allowed, path


@pytest.mark.parametrize("folder", ["cookiecutter", "plugins", "tests", "contrib_services"])
def test_a_top_level_folder_shadows_no_library(folder: str) -> None:
    assert not (ROOT / folder / "__init__.py").exists()


def test_help_imports_no_plugin_no_service_and_nothing_heavy() -> None:
    program = (
        "from compoworld_core.cli import run\nassert run(['--help']) == 0\n"
        "assert run(['services', '--help']) == 0"
    )
    found = modules_after(program)
    ours = {name.partition(".")[0] for name in found if name.startswith("compoworld_")}
    assert ours == {"compoworld_core"}
    assert found.isdisjoint({*HEAVY, "pydantic"})
    assert "compoworld_core.plugins" in found


def test_listing_services_imports_none() -> None:
    found = modules_after("from compoworld_core.cli import run\nrun(['services', 'list'])")
    assert [name for name in sorted(found) if name.startswith("compoworld_services_")] == []
    assert found.isdisjoint(HEAVY)


def test_importing_the_core_loads_no_plugin_and_a_bounded_number_of_modules() -> None:
    everything = modules_after("from compoworld_core import *")
    ours = {name.partition(".")[0] for name in everything if name.startswith("compoworld_")}
    assert ours == {"compoworld_core"}
    assert everything.isdisjoint({*HEAVY, "click"})
    assert len(everything) < 400


def test_every_distribution_has_the_same_version() -> None:
    files = [ROOT / "pyproject.toml", *ROOT.glob("plugins/*/pyproject.toml")]
    files += ROOT.glob("contrib_services/*/pyproject.toml")
    versions = {tomllib.loads(p.read_text())["project"]["version"] for p in files}
    assert len(versions) == 1


def test_the_extras_name_every_distribution() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pointed = {
        name.split()[0]
        for extra in ("services", "plugins")
        for name in extras["optional-dependencies"][extra]
    }
    folders = [*ROOT.glob("plugins/*/"), *ROOT.glob("contrib_services/*/")]
    own = {
        tomllib.loads((f / "pyproject.toml").read_text())["project"]["name"] for f in folders
    }
    assert pointed == own
