"""Package: the folder of an emitted service as this part of the work sees it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from compoworld_core.errors import UsageError
from compoworld_core.registry import closest

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_TARGET: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
_LARGEST: Final = 32 << 20
"""Bytes of one file that goes into the sandbox."""
_LEFT_OUT: Final = frozenset({"__pycache__", "build", "dist", "node_modules"})


@frozen
class Package:
    """A distribution's folder, and the one of its services that is worked on."""

    folder: Path
    service: str
    target: str
    """`module:attribute` of the service."""

    @property
    def top(self) -> str:
        """The import name of the whole distribution."""
        return self.target.partition(":")[0].partition(".")[0]

    @property
    def source(self) -> str:
        """The folder of the service's modules, within the distribution's."""
        return f"src/{self.target.partition(':')[0].replace('.', '/')}"

    @property
    def own_tests(self) -> str:
        """The file for tests that a model writes."""
        return f"tests/test_{self.service}_written.py"

    @property
    def writable(self) -> tuple[str, ...]:
        """What a model may write: the service's modules and one file of tests.

        Not the tests that judge it, the listing's schemas, the manifest or the packaging; nor
        the package's `__init__`, which runs whatever is imported.
        """
        names = ("models.py", "state.py", "tools.py", "seed.py", "rules.py")
        return (*(f"{self.source}/{name}" for name in names), self.own_tests)

    def files(self) -> dict[str, bytes]:
        """Every regular file by its path, but for links, hidden files and what builds leave.

        Raises UsageError where one is too large for the sandbox.
        """
        return dict(sorted(_read(self.folder, self.folder)))


def open_package(folder: Path, service: str = "") -> Package:
    """The package in a folder; UsageError where there is none, or no service of this name.

    Args:
        folder: with `pyproject.toml`, `src` and `tests`.
        service: needed where the package has several.
    """
    services = _declared(folder)
    if not service and len(services) != 1:
        some = ", ".join(services) or "none"
        raise UsageError(
            f"{folder} holds {len(services)} services: {some}; name one with --service"
        )
    name = service or next(iter(services))
    if name not in services:
        near = ", ".join(closest(name, services)) or ", ".join(services) or "none"
        raise UsageError(f"{folder} holds no service {name!r}; there are: {near}")
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name of a service; write lower-case letters, digits, _"
        )
    target = services[name]
    if not isinstance(target, str) or not _TARGET.fullmatch(target):
        raise UsageError(f"the service {name} is at {target!r}; write 'module:attribute'")
    package = Package(folder, name, target)
    if not (folder / package.source).is_dir():
        raise UsageError(
            f"{folder}/{package.source} is no folder; a service is completed that lies in one,"
            " as `compoworld synth import` writes them"
        )
    if not any((folder / "tests").glob("test_*.py")):
        raise UsageError(f"{folder}/tests holds no tests, so nothing would judge the work")
    return package


def _declared(folder: Path) -> Mapping[str, Any]:
    """Service → target, of the entry points."""
    try:
        data: Any = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(
            f"{folder} holds no pyproject.toml; name the folder that"
            " `compoworld synth import SOURCE --out DIR` wrote"
        ) from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder}/pyproject.toml cannot be read: {error}") from error
    for key in ("project", "entry-points", "compoworld.services"):
        data = data.get(key, {}) if isinstance(data, Mapping) else {}
    return data if isinstance(data, Mapping) else {}


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


def _read(folder: Path, root: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.iterdir()):
        hidden = path.name.startswith(".") or path.name.endswith(".egg-info")
        if path.is_symlink() or hidden or path.name in _LEFT_OUT:
            continue
        if path.is_dir():
            yield from _read(path, root)
        elif path.is_file():
            if path.stat().st_size > _LARGEST:
                raise UsageError(f"{path} has over {_LARGEST >> 20} MiB; take it out")
            yield path.relative_to(root).as_posix(), path.read_bytes()
