"""Wheels and one clean environment, made once for all end-to-end tests and all workers."""

import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from sandbox import OWN, ROOT, Installed, Once, locked, run  # found by the line above


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.timeout(900))


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Once:
    """`once(name, make)`: a folder that the first worker makes and all use."""
    shared = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        shared = shared.parent

    def folder(name: str, make: Callable[[Path], None]) -> Path:
        path, done = shared / name, shared / f"{name}.done"
        with locked(shared / f"{name}.lock"):
            if not done.exists():
                make(path)
                done.touch()
        return path

    return folder


@pytest.fixture(scope="session")
def wheels(once: Once) -> list[Path]:
    """The wheels of the core, all packs and all plugins, as `make wheels` makes them."""

    def make(path: Path) -> None:
        run("make", "-o", ".venv/.runtime", "wheels", f"BIN={OWN}", f"DIST={path}", cwd=ROOT)

    return sorted(once("wheels", make).glob("*.whl"))


@pytest.fixture(scope="session")
def installed(once: Once, wheels: list[Path]) -> Installed:
    """A clean environment with all wheels, and pytest."""

    def make(path: Path) -> None:
        venv.create(path, with_pip=False)
        Installed(path, path / "cache").install(*wheels, "pytest")

    path = once("clean", make)
    return Installed(path, path / "cache")
