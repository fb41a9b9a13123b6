"""Report: what an import says of each of its tools, read back from its manifests."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from compoworld_core import manifest
from compoworld_core.errors import UsageError

KEYS: Final = ("service", "name", "operations", "kind", "grade", "why")


def rows(path: Path) -> list[dict[str, Any]]:
    """One row a tool of every service below a folder; UsageError where there is none."""
    files = sorted(path.rglob(manifest.FILE))
    if not files:
        raise UsageError(
            f"{path} holds no {manifest.FILE}; make one:"
            f" compoworld synth import SOURCE --out {path}"
        )
    found = []
    for file in files:
        for row in manifest.read(file).values():
            bad = bool(row.get("quarantined"))
            doubted = "" if bad else row.get("unproven", "")
            kind = "quarantined" if bad else "simulated" if doubted else row["kind"]
            why = row["quarantined_because"] if bad else doubted or row["why"]
            found.append({**row, "service": file.parent.name, "kind": kind, "why": why})
    return found
