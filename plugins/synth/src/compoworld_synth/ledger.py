"""Ledger: which files an import wrote, so that ``--force`` replaces those and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from compoworld_core.errors import UsageError

NAME: Final = ".compoworld-import.json"
_MADE: Final = ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache")
"""Folders that tools make anew."""
_MARKED: Final = "manifest.toml"
"""`services validate --write` and `synth complete` write into it; it is made anew too."""
_SHOWN: Final = 5


def write(folder: Path) -> None:
    """Note every file of a folder with its digest."""
    held = {path: _digest(folder / path) for path in _files(folder)}
    text = json.dumps(held, indent=1, sort_keys=True) + "\n"
    (folder / NAME).write_text(text, encoding="utf-8")


def check(folder: Path) -> None:
    """UsageError unless all that a folder holds is as an import has left it."""
    noted = _noted(folder)
    if noted is None:
        raise UsageError(
            f"{folder} holds no import, so --force leaves it alone; remove it by hand"
        )
    own = [
        path
        for path in _files(folder)
        if path not in noted or (_digest(folder / path) != noted[path])
        if not path.endswith(_MARKED)
    ]
    if own:
        shown = ", ".join(own[:_SHOWN]) + (", …" if len(own) > _SHOWN else "")
        raise UsageError(
            f"{folder} holds what no import wrote, or what was edited since: {shown};"
            " --force would lose it: move it away, or name another folder"
        )


def _noted(folder: Path) -> dict[str, str] | None:
    """Path → digest, as an import has noted them; None where none did."""
    try:
        held = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return held if isinstance(held, dict) else None


def _files(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        made = any(part in _MADE or part.endswith(".egg-info") for part in parts)
        if (path.is_file() or path.is_symlink()) and not made and parts != (NAME,):
            yield "/".join(parts)


def _digest(path: Path) -> str:
    content = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
    return hashlib.sha256(content).hexdigest()
