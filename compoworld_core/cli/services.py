"""``compoworld services``: list, show, check, cards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compoworld_core import cards as card_files
from compoworld_core import plugins
from compoworld_core.cli import output
from compoworld_core.cli.extension import OpenGroup
from compoworld_core.errors import CompoWorldError, UnknownName, UsageError
from compoworld_core.registry import Entry, closest

if TYPE_CHECKING:
    from compoworld_core.service import Service


@click.group(cls=OpenGroup)
def services() -> None:
    """List, show and check services."""


@services.command("list")
@click.option("--domain", help="Only services of this domain.")
@output.json_option
def list_(domain: str | None, as_json: bool) -> None:
    """List the installed services from their cards, importing none."""
    listed, problems = card_files.all_cards(plugins.services())
    if domain is not None:
        known = sorted({each.card.domain for each in listed})
        if domain not in known:
            listing = "compoworld services list"
            raise UnknownName("domain", domain, closest(domain, known), listing)
        listed = [each for each in listed if each.card.domain == domain]
        problems = []
    rows: list[dict[str, Any]] = [
        {
            "name": each.card.name,
            "domain": each.card.domain,
            "tools": len(each.card.tools),
            **{kind: each.card.count(kind) for kind in card_files.KINDS},
            "distribution": each.distribution,
            "summary": each.card.summary,
        }
        for each in listed
    ]
    totals: dict[str, int] = {"services": len(rows)}
    for key in ("tools", *card_files.KINDS):
        totals[key] = sum(row[key] for row in rows)
    for problem in problems:
        output.note(f"{problem.service}: {problem.why}")
    if as_json:
        unlisted = [{"service": each.service, "why": each.why} for each in problems]
        output.json_document({"services": rows, "totals": totals, "problems": unlisted})
        return
    keys = ("name", "domain", "tools", "simulated", "quarantined", "distribution", "summary")
    headers = ("NAME", "DOMAIN", "TOOLS", "SIMULATED", "QUARANTINED", "FROM", "SUMMARY")
    output.table(headers, [[row[key] for key in keys] for row in rows])
    output.line(
        f"{output.counted(totals['services'], 'service')}, "
        f"{output.counted(totals['tools'], 'tool')}"
    )


@services.command()
@click.argument("name")
@output.json_option
def show(name: str, as_json: bool) -> None:
    """Show a service's tools with their descriptions and schemas."""
    service = _loaded(name)
    tools = [card_files.tool_record(tool) for tool in service.tools.values()]
    if as_json:
        output.json_document({"name": service.name, "domain": service.domain, "tools": tools})
        return
    output.line(f"{service.name} ({service.domain}): {service.summary}")
    for tool in tools:
        mark = "" if tool["kind"] == "deterministic" else f"  [{tool['kind']}]"
        output.line(f"\n{tool['name']}{mark}")
        for text in tool["description"].splitlines():
            output.line(f"  {text}".rstrip())
        required = tool["input_schema"].get("required", [])
        for parameter, schema in tool["input_schema"].get("properties", {}).items():
            star = "*" if parameter in required else ""
            about = schema.get("description", "")
            output.line(
                f"    {parameter}{star}: {_kind(schema)}{'  ' + about if about else ''}"
            )


@services.command()
@click.argument("names", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Check every installed service.")
@output.json_option
@click.pass_context
def check(ctx: click.Context, names: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Run the conformance suite on services; exit 1 if a check fails."""
    registry = plugins.services()
    chosen = registry.names() if everything else list(names)
    if not chosen:
        raise UsageError(
            "no service named; type compoworld services check NAME, or --all for every one"
        )
    for name in chosen:
        registry.get(name)
    from compoworld_core.testing import check_service  # heavy, and only this command needs it

    failures: list[dict[str, str]] = []
    for name in chosen:
        try:
            service = _loaded(name)
            found = [(each.check, each.why) for each in check_service(service)]
        except CompoWorldError as error:
            found = [("loads", str(error))]
        failures += [{"service": name, "check": what, "why": why} for what, why in found]
        if not as_json:
            output.line(f"{name}  {'FAIL' if found else 'ok'}")
            for what, why in found:
                output.line(f"  FAIL  {what}: {why}")
    failed = len({failure["service"] for failure in failures})
    if as_json:
        passed = len(chosen) - failed
        output.json_document({"checked": len(chosen), "passed": passed, "failures": failures})
    elif failed:
        output.line(f"{failed} of {output.counted(len(chosen), 'service')} failed")
    else:
        output.line(f"{output.counted(len(chosen), 'service')}: all checks passed")
    if failed:
        ctx.exit(1)


@services.command()
@click.argument("packages", nargs=-1, metavar="[DISTRIBUTION]...")
@click.option(
    "--check", "only_check", is_flag=True, help="Write nothing; exit 1 if one is stale."
)
@output.json_option
@click.pass_context
def cards(
    ctx: click.Context, packages: tuple[str, ...], only_check: bool, as_json: bool
) -> None:
    """Write each pack's cards.json, or check that it is up to date.

    Without names: all packs installed in editable mode.
    """
    done: list[dict[str, str]] = []
    for package, entries in _packs(packages).items():
        folder = card_files.folder_of(package)
        if folder is None:
            done.append({"package": package, "state": "failed", "why": "it is not a package"})
            continue
        done.append(
            {"package": package, **_refresh(folder / card_files.FILE, entries, only_check)}
        )
    bad = {"stale", "failed"}
    if as_json:
        output.json_document({"packs": done})
    else:
        for each in done:
            why = each.get("why", "")
            output.line(f"{each['package']}  {each['state']}{': ' + why if why else ''}")
    if any(each["state"] in bad for each in done):
        ctx.exit(1)


def _refresh(path: Path, entries: list[Entry], only_check: bool) -> dict[str, str]:
    try:
        text = card_files.text_of([card_files.card_of(_loaded(e.name)) for e in entries])
    except CompoWorldError as error:
        return {"state": "failed", "why": str(error)}
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return {"state": "fresh"}
    if only_check:
        return {"state": "stale", "why": "write it anew: compoworld services cards"}
    path.write_text(text, encoding="utf-8")
    return {"state": "written"}


def _packs(names: tuple[str, ...]) -> dict[str, list[Entry]]:
    """Top-level package → its services: of the named distributions, or of editable ones."""
    packs: dict[str, list[Entry]] = {}
    wanted = {_normal(name) for name in names}
    known: set[str] = set()
    for entry in plugins.services().entries():
        if not isinstance(entry.target, str):
            continue
        package = entry.target.partition(":")[0].partition(".")[0]
        known.add(entry.distribution)
        if wanted:
            chosen = bool({_normal(package), _normal(entry.distribution)} & wanted)
        else:
            folder = card_files.folder_of(package)
            chosen = folder is None or "site-packages" not in folder.parts
        if chosen:
            packs.setdefault(package, []).append(entry)
    found = {_normal(text) for p, es in packs.items() for text in (p, es[0].distribution)}
    for name in names:
        if _normal(name) not in found:
            listing = "compoworld services list"
            raise UnknownName("distribution", name, closest(name, known), listing)
    return dict(sorted(packs.items()))


def _normal(name: str) -> str:
    return name.lower().replace("_", "-")


def _loaded(name: str) -> Service[Any]:
    return card_files.checked(plugins.services().load(name), name)


def _kind(schema: dict[str, Any]) -> str:
    """A parameter's type in a word."""
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(_kind(each) for each in schema["anyOf"])
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(schema.get("type", "any"))
