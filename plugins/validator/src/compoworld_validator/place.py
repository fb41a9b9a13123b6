"""Place: where a service lies, by its installed name or by the path of its package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from compoworld_core.composition import load_service
from compoworld_core.errors import UsageError
from compoworld_core.manifest import FILE
from compoworld_core.service import Service

Opened = tuple[Service[Any], Path | None]


def opened(name: str) -> Iterator[Opened]:
    """The services of an installed name or of a folder, each with its manifest, if any.

    Raises UsageError where a path holds no service, UnknownName where a name is not installed.
    """
    path = Path(name)
    if not path.exists():
        service = load_service(name)
        yield service, _manifest(service)
        return
    count = 0
    for each in _in_folder(path.resolve()):
        count += 1
        yield each
    if not count:
        raise UsageError(
            f"{path} holds no service: a package's folder has src/PACKAGE/ with a `service`"
        )


def _in_folder(path: Path) -> Iterator[Opened]:
    """Packages under src/, or the package that the path itself is."""
    source = path / "src" if (path / "src").is_dir() else path
    if (source / "__init__.py").exists():
        source, packages = source.parent, [source]
    else:
        packages = sorted(each.parent for each in source.glob("*/__init__.py"))
    sys.path.insert(0, str(source))
    for package in packages:
        inner = sorted(each.parent.name for each in package.glob("*/__init__.py"))
        for module in (package.name, *(f"{package.name}.{part}" for part in inner)):
            service = getattr(importlib.import_module(module), "service", None)
            if isinstance(service, Service):
                yield service, _manifest(service, module)


def _manifest(service: Service[Any], module: str = "") -> Path | None:
    """The manifest beside the module that defines the service, or above it."""
    if not module:
        tools = list(service.tools.values())
        module = tools[0].function.__module__ if tools else ""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return None
    for folder in list(Path(file).parents)[:4]:
        if (folder / FILE).exists():
            return folder / FILE
    return None
