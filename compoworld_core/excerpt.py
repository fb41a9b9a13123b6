"""Excerpt: chosen tasks of a run, in an order, as a run folder of their own.

It stands on the same world, so every command that takes a run takes it. What a kill left half
done is gone on with: the tasks that are there already are the first of those that are due.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from compoworld_core import lines
from compoworld_core.errors import RecordError
from compoworld_core.run import Run, write_whole


def origin(run: Run) -> dict[str, Any]:
    """What tells one run from another in an excerpt's configuration: its tasks' content."""
    digest = sha256()
    for path in lines.shards(run.path, "tasks"):
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return {"tasks": digest.hexdigest()[:16], "of": run.configuration.get("command", "")}


def write(
    run: Run, path: Path | str, configuration: Mapping[str, Any], tasks: Sequence[str]
) -> Run:
    """Write the named tasks into a run folder, in this order.

    Args:
        run: where they come from; it is only read.
        path: the folder; one that was begun with the same configuration is gone on with.
        configuration: what its run.toml says, beside the versions of the run it comes from.
        tasks: their ids.
    """
    excerpt = Run.start(path, configuration, run.versions)
    with excerpt.writing():
        _share_world(run, excerpt)
        there = [str(data["id"]) for _, _, data in _lines(excerpt)]
        if there != list(tasks[: len(there)]):
            raise RecordError(
                f"{excerpt.path} holds other tasks than it was begun with; choose another --out"
            )
        missing = tasks[len(there) :]
        places = _places(run) if missing else {}
        for name in missing:
            file, start = places[name]
            with file.open("rb") as source:
                source.seek(start)
                excerpt.append("tasks", source.readline().decode().rstrip("\n"))
    return excerpt


def _share_world(run: Run, excerpt: Run) -> None:
    """The bases and the cast; a base's name says what is in it, so one file may serve both."""
    (excerpt.path / "bases").mkdir(exist_ok=True)
    for base in sorted((run.path / "bases").glob("*.json")):
        target = excerpt.path / "bases" / base.name
        if not target.is_file():
            try:
                os.link(base, target)
            except OSError:  # another file system, or one without links
                write_whole(target, base.read_bytes())
    world = run.path / "world.json"
    if world.is_file():
        write_whole(excerpt.path / "world.json", world.read_bytes())


def _places(run: Run) -> dict[str, tuple[Path, int]]:
    """Task → the file it is in, and where in it."""
    return {str(data["id"]): (file, start) for file, start, data in _lines(run)}


def _lines(run: Run) -> Iterator[tuple[Path, int, dict[str, Any]]]:
    """(file, start, object) for each task of a run; a line that was cut off is left out."""
    for path in lines.shards(run.path, "tasks"):
        start = 0
        with path.open("rb") as file:
            for line in file:
                try:
                    data = json.loads(line) if line.strip() else None
                except ValueError:
                    return
                if data is not None:
                    yield path, start, data
                start += len(line)
