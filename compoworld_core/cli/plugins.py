"""``compoworld plugins``: what is installed, and which names each kind of strategy has."""

from __future__ import annotations

import click

from compoworld_core import plugins as installed
from compoworld_core.cli import output
from compoworld_core.cli.extension import OpenGroup


@click.group(cls=OpenGroup)
def plugins() -> None:
    """See what is installed."""


@plugins.command("list")
@output.json_option
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List plugins with their hooks, and the names they add; exit 1 if one did not load."""
    current = installed.current()
    names = {
        hook.removeprefix("register_"): [
            {"name": entry.name, "summary": entry.summary, "distribution": entry.distribution}
            for entry in current.registry(hook).entries()
        ]
        for hook in installed.KINDS
        if hook != "register_services"
    }
    loaded = current.plugins()
    failures = [str(error) for error in current.failures]
    if as_json:
        rows = [
            {"name": each.name, "distribution": each.distribution, "hooks": list(each.hooks)}
            for each in loaded
        ]
        output.json_document({"plugins": rows, "names": names, "failures": failures})
    else:
        output.table(
            ("NAME", "FROM", "HOOKS"),
            [(p.name, p.distribution or "(built in)", ", ".join(p.hooks)) for p in loaded],
        )
        output.line()
        output.table(
            ("KIND", "NAME", "SUMMARY"),
            [
                (kind.replace("_", " "), entry["name"], entry["summary"])
                for kind, entries in sorted(names.items())
                for entry in entries
            ],
        )
    if failures:
        ctx.exit(1)
