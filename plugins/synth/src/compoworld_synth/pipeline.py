"""Pipeline: from a listing to checked packages in a folder."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from compoworld_core import manifest
from compoworld_synth import child
from compoworld_synth.design import Design, analyse
from compoworld_synth.emit import package
from compoworld_synth.listing import Listing, Problem


@frozen
class ImportedService:
    """One service of an import; the counts are taken after the checks."""

    name: str
    tools: int
    deterministic: int
    simulated: int
    quarantined: int
    problems: tuple[Problem, ...] = ()


@frozen
class Imported:
    """What an import made."""

    services: tuple[ImportedService, ...]
    package: str


def import_listing(
    listing: Listing, out: Path, *, formatted: bool = True, checked: bool = True
) -> Imported:
    """Analyse a listing, write its package into `out`, check it in child processes.

    Args:
        listing: what a server offers.
        out: a folder that does not exist yet or is empty.
        formatted: run the formatter over the package, where it is installed.
        checked: run the package in a child process; what fails there is quarantined.
    """
    designs = analyse(listing)
    name = (
        "compoworld_imported_"
        + (re.sub(r"[^a-z0-9]+", "_", listing.server.lower()).strip("_") or "server")[:40]
    )
    package.write(listing, designs, out, name)
    if formatted:
        _format(out)
    folders = {design.service: out / "src" / name / design.service for design in designs}
    trouble = {d.service: _quarantine(d, folders[d.service], name) for d in designs if checked}
    if checked:
        _validate(out, folders)
    services = [
        _counted(listing, design, folders[design.service], trouble.get(design.service, ""))
        for design in designs
    ]
    return Imported(tuple(services), name)


def _quarantine(design: Design, folder: Path, name: str) -> str:
    """Mark what fails in the child process; returns why nothing could be checked, if so."""
    path = folder / manifest.FILE
    tools = manifest.read(path)
    able = [tool for tool, row in tools.items() if row["kind"] == "deterministic"]
    try:
        wrong, trouble = child.run(folder.parent.parent, name, design.service), ""
    except child.ChildFailed as error:
        wrong, trouble = dict.fromkeys(able, str(error)), str(error)
    marks = {t: manifest.Mark(why, "crash") for t, why in wrong.items() if t in able}
    manifest.mark(path, marks)
    return trouble


def _validate(out: Path, folders: Mapping[str, Path]) -> None:
    """Quarantine what the independent validator refuses, doubt what it could not try."""
    try:
        found, why = child.validated(out), ""
    except child.ChildFailed as error:
        found, why = {}, str(error)
    for service, folder in folders.items():
        path = folder / manifest.FILE
        document = found.get(service)
        able = _able(path)
        if document is None:
            said = manifest.Mark(why or "the validator did not see it")
            manifest.mark(path, dict.fromkeys(able, said))
            continue
        unreached = manifest.Mark("validation found no arguments that it accepts")
        marks = dict.fromkeys(document["unreached"], unreached)
        for each in document["quarantined"]:
            marks[each["tool"]] = manifest.Mark(each["why"], each["reason"])
        manifest.mark(path, {name: mark for name, mark in marks.items() if name in able})


def _able(path: Path) -> list[str]:
    """The tools of a manifest that have code and did not fail."""
    return [
        name
        for name, row in manifest.read(path).items()
        if row["kind"] == "deterministic" and not row.get("quarantined")
    ]


def _counted(listing: Listing, design: Design, folder: Path, trouble: str) -> ImportedService:
    rows = manifest.read(folder / manifest.FILE)
    bad = sum(bool(row.get("quarantined")) for row in rows.values())
    doubted = {name: row["unproven"] for name, row in rows.items() if row.get("unproven")}
    able = sum(row["kind"] == "deterministic" for row in rows.values()) - bad - len(doubted)
    problems = [p for p in listing.problems if p.path.partition("/")[0] in rows]
    if trouble:
        problems.append(Problem(design.service, trouble))
    for why in dict.fromkeys(doubted.values()):
        names = ", ".join(name for name, each in doubted.items() if each == why)
        problems.append(Problem(design.service, f"{why}; simulated: {names}"))
    return ImportedService(
        design.service, len(rows), able, len(rows) - able - bad, bad, tuple(problems)
    )


def _format(out: Path) -> None:
    """Lay the sources out with ruff where it is installed; else they stay as emitted."""
    beside = Path(sys.executable).with_name("ruff")
    found = str(beside) if beside.exists() else shutil.which("ruff")
    if found is None:
        return
    command = [found, "format", "--isolated", "--quiet", "--line-length", "96", str(out)]
    subprocess.run(command, capture_output=True, check=False)  # noqa: S603  # a formatter
