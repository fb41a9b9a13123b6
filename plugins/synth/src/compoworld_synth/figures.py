"""Figures: a folder of listings imported one by one, counted by server, kind and grade."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from compoworld_core.errors import CompoWorldError
from compoworld_synth import report, sources
from compoworld_synth.pipeline import import_listing

KEYS: Final = (
    "server", "domain", "tools", "deterministic", "share", "simulated", "quarantined",
    "grade_a", "grade_b", "seconds", "failed",
)  # fmt: skip


ENDINGS: Final = (".json", ".yaml", ".yml", ".json.gz")
"""What listings are called: a service model of botocore is packed."""
INDEX: Final = "index.json"
"""A folder's own list of its files: no listing of tools."""


def of_folder(
    path: Path, *, checked: bool = True, keep: Path | None = None
) -> Iterator[dict[str, Any]]:
    """One row a listing below `path`; `failed` says why one could not be imported.

    Args:
        path: a folder of listings.
        checked: run and validate what is emitted.
        keep: a folder in which the packages stay, each under its listing's name.
    """
    for file in sorted(path.iterdir()):
        if file.name.endswith(ENDINGS) and file.name != INDEX:
            yield of_listing(file, checked=checked, keep=keep)


def of_listing(file: Path, *, checked: bool = True, keep: Path | None = None) -> dict[str, Any]:
    """Import one listing into a temporary folder, or one below `keep`, and count."""
    row: dict[str, Any] = dict.fromkeys(KEYS, 0)
    name = next(file.name.removesuffix(end) for end in ENDINGS[::-1] if file.name.endswith(end))
    row |= {"server": name, "domain": "", "failed": "", "because": {}}
    work = Path(tempfile.mkdtemp(prefix="compoworld-figures-"))
    out = work / "out" if keep is None else keep / name
    begun = time.perf_counter()
    try:
        listing = sources.read(file).callable()
        row["domain"] = listing.domain
        import_listing(listing, out, formatted=keep is not None, checked=checked)
        tools = report.rows(out)
    except CompoWorldError as error:
        return {**row, "failed": str(error)}
    finally:
        shutil.rmtree(work, ignore_errors=True)
    kinds = Counter(tool["kind"] for tool in tools)
    able = [tool for tool in tools if tool["kind"] == "deterministic"]
    grades = Counter(tool["grade"] for tool in able)
    row |= {
        "tools": len(tools),
        **{k: kinds[k] for k in ("deterministic", "simulated", "quarantined")},
    }
    row |= {
        "grade_a": grades["A"],
        "grade_b": grades["B"],
        "share": _share(len(able), len(tools)),
    }
    row["because"] = dict(Counter(t["quarantined"] for t in tools if t.get("quarantined")))
    return {**row, "seconds": round(time.perf_counter() - begun, 2)}


def totals(rows: list[dict[str, Any]], key: str = "") -> list[dict[str, Any]]:
    """The rows summed, in all or by a key (`domain`)."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(str(row[key]) if key else "all", []).append(row)
    summed = []
    for name in sorted(groups):
        whole: dict[str, Any] = {"group": name, "servers": len(groups[name])}
        for field in (
            "tools",
            "deterministic",
            "simulated",
            "quarantined",
            "grade_a",
            "grade_b",
        ):
            whole[field] = sum(row[field] for row in groups[name])
        whole["share"] = _share(whole["deterministic"], whole["tools"])
        whole["failed"] = sum(bool(row["failed"]) for row in groups[name])
        whole["slowest"] = max(row["seconds"] for row in groups[name])
        summed.append(whole)
    return summed


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0
