"""Cache: what was worked out once and may be thrown away, in the user's cache folder."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def cache_folder(name: str) -> Path:
    """The folder of one kind of entries; it may not be there yet."""
    root = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(root) if root else Path.home() / ".cache") / "compoworld" / name


def remember(path: Path, text: str) -> None:
    """Write an entry in one step; a cache that cannot be written is only slower."""
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
