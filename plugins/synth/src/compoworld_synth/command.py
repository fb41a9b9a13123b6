"""``compoworld synth``: the group, and ``compoworld synth import``."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compoworld_core.cli import output
from compoworld_core.cli.extension import OpenGroup
from compoworld_core.errors import UsageError

if TYPE_CHECKING:
    from compoworld_synth.listing import Listing
    from compoworld_synth.pipeline import Imported


@click.group(cls=OpenGroup)
def synth() -> None:
    """Make service packages from tool listings that someone else wrote."""


@click.command("import")
@click.argument("source", required=False, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A new folder.")
@click.option("--format", "kind", default="", help="mcp, openapi, discovery or botocore.")
@click.option("--command", default="", help="Start an MCP server over stdio and ask it.")
@click.option("--url", default="", help="Ask an MCP server over streamable HTTP.")
@click.option("--service", default="", help="The name of the service; else the server's.")
@click.option("--force", is_flag=True, help="Replace what an earlier import wrote to --out.")
@output.json_option
def import_(
    source: Path | None,
    out: Path,
    kind: str,
    command: str,
    url: str,
    service: str,
    force: bool,
    as_json: bool,
) -> None:
    """Turn a listing into an installable package in --out; every tool says what it is."""
    _check_out(out, force)
    listing = _listing(source, kind, command, url, service).callable()
    from compoworld_synth.pipeline import import_listing

    with _in_place(out) as folder:
        document = document_of(import_listing(listing, folder), listing)
    if as_json:
        output.json_document(document)
        return
    keys = ("name", "tools", "deterministic", "simulated", "quarantined")
    output.table(
        [key.upper() for key in keys],
        [[each[key] for key in keys] for each in document["services"]],
    )
    for each in document["services"]:
        for problem in each["problems"]:
            output.note(f"{problem['path']}: {problem['why']}")
    output.line(f"install it: pip install -e {out}")


def document_of(imported: Imported, listing: Listing) -> dict[str, Any]:
    """The JSON of an import: counts of each service, and the problems of its tools.

    A problem that no tool is to blame for stands with the first service.
    """
    services: list[dict[str, Any]] = []
    for each in imported.services:
        problems = [{"path": p.path, "why": p.why} for p in each.problems]
        row = {key: getattr(each, key) for key in ("name", "tools", "deterministic")}
        row |= {"simulated": each.simulated, "quarantined": each.quarantined}
        services.append({**row, "problems": problems})
    told = {(p["path"], p["why"]) for each in services for p in each["problems"]}
    missing = [p for p in listing.problems if (p.path, p.why) not in told]
    if services:
        services[0]["problems"] += [{"path": p.path, "why": p.why} for p in missing]
    return {"services": services}


def _listing(source: Path | None, kind: str, command: str, url: str, service: str) -> Listing:
    from attrs import evolve

    from compoworld_synth import sources
    from compoworld_synth.sources import live

    given = [
        name for name in (source and "SOURCE", command and "--command", url and "--url") if name
    ]
    if len(given) != 1:
        raise UsageError(
            f"one source is needed, {' and '.join(given) or 'none'} given;"
            " name a file, or --command 'LINE', or --url URL"
        )
    if service:
        _check_name(service)
    if source is not None:
        found = sources.read(source, kind)
    elif kind not in ("", "mcp"):
        raise UsageError(f"a live server speaks MCP, not {kind}; leave --format out")
    else:
        found = live.from_command(command) if command else live.from_url(url)
    return evolve(found, server=service) if service else found


def _check_name(service: str) -> None:
    import re

    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", service):
        raise UsageError(
            f"{service!r} is no service name; write lower-case letters, digits and _,"
            " a letter first, at most 40"
        )


def _check_out(out: Path, force: bool) -> None:
    if out.is_symlink():
        raise UsageError(f"{out} is a link; name the folder itself: {out.resolve()}")
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not force:
        raise UsageError(f"{out} exists; name a new folder, or replace it with --force")
    from compoworld_synth import ledger

    ledger.check(out)


@contextmanager
def _in_place(out: Path) -> Iterator[Path]:
    """A folder beside `out` that becomes `out` once all is well, and else goes away.

    It is this process's own, so that two imports into one folder do not meet; what it replaces
    is put aside first, and goes only when the new one stands.
    """
    from compoworld_synth import ledger

    made = out.absolute()
    made.parent.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=f".{made.name}.", dir=made.parent))
    work = place / "new"
    try:
        yield work
        ledger.write(work)
        if made.exists():
            made.rename(place / "old")
        work.rename(made)
    finally:
        shutil.rmtree(place, ignore_errors=True)
