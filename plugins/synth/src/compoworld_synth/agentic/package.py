"""Package: the folder of an emitted service as this part of the work sees it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from compoworld_core.errors import UsageError

_TARGET: Final = re.compile(r"([A-Za-z_]\w*)(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
_LARGEST: Final = 4 << 20
_LEFT_OUT: Final = frozenset({"__pycache__", "build", "dist", "node_modules"})


@frozen
class Package:
    """A package that holds one service."""

    folder: Path
    service: str
    target: str
    """`module:attribute` of the service."""

    @property
    def module(self) -> str:
        """The package's import name."""
        return self.target.partition(":")[0].partition(".")[0]

    @property
    def writable(self) -> tuple[str, ...]:
        """What a model may write: the service's modules and one file of tests.

        Not the tests that judge it, the listing's schemas, the manifest or the packaging; nor
        the package's `__init__`, which runs whatever is imported.
        """
        folder = f"src/{self.module}"
        names = ("models.py", "state.py", "tools.py", "seed.py", "rules.py")
        return (*(f"{folder}/{name}" for name in names), "tests/test_written.py")

    def files(self) -> dict[str, bytes]:
        """Every regular file of the folder by its path; links and caches stay out."""
        return dict(sorted(_read(self.folder, self.folder)))


def open_package(folder: Path) -> Package:
    """The package in a folder; UsageError where there is none, or more than one service."""
    try:
        data: Any = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(
            f"{folder} holds no pyproject.toml; name the folder of one emitted package, as"
            " `compoworld synth import SOURCE --out DIR` writes them below DIR"
        ) from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder}/pyproject.toml cannot be read: {error}") from error
    project = data.get("project")
    points = project.get("entry-points", {}) if isinstance(project, Mapping) else {}
    services = points.get("compoworld.services", {}) if isinstance(points, Mapping) else {}
    if not isinstance(services, Mapping) or len(services) != 1:
        raise UsageError(
            f"{folder}/pyproject.toml declares {len(services)} services in the entry-point"
            " group compoworld.services; one is needed"
        )
    [(name, target)] = services.items()
    if not isinstance(target, str) or not _TARGET.fullmatch(target):
        raise UsageError(f"the service {name} is at {target!r}; write 'module:attribute'")
    package = Package(folder, str(name), target)
    if not any((folder / "tests").glob("test_*.py")):
        raise UsageError(f"{folder}/tests holds no tests, so nothing would judge the work")
    return package


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder; UsageError where a link stands in the way."""
    for name, content in files.items():
        path = folder
        for part in name.split("/"):
            path = path / part
            if path.is_symlink():
                raise UsageError(
                    f"{path} is a link; remove it, and nothing is written through it"
                )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _read(folder: Path, root: Path) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for path in sorted(folder.iterdir()):
        hidden = path.name.startswith(".") or path.name.endswith(".egg-info")
        if path.is_symlink() or hidden or path.name in _LEFT_OUT:
            continue
        if path.is_dir():
            found += _read(path, root)
        elif path.is_file() and path.stat().st_size <= _LARGEST:
            found.append((path.relative_to(root).as_posix(), path.read_bytes()))
    return found
