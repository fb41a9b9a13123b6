"""``compoworld services affordances NAME``: what is known of each tool of a service."""

from __future__ import annotations

import click

from compoworld_core.cli import output
from compoworld_core.composition import load_service
from compoworld_tasks_walk.affordances import Into, Lookup, Write
from compoworld_tasks_walk.learning import affordances as known_of
from compoworld_tasks_walk.learning import learn


@click.command("affordances")
@click.argument("name")
@click.option("--anew", is_flag=True, help="Learn now, whatever the cache holds.")
@output.json_option
def affordances(name: str, anew: bool, as_json: bool) -> None:
    """Show what each tool of a service reveals and changes, as learnt by running it."""
    service = load_service(name)
    known = learn(service) if anew else known_of(service)
    if as_json:
        output.json_document(known.as_json())
        return
    output.line(f"{known.service}: {len(known.learnt)} of {len(service.tools)} tools learnt")
    for lookup in known.lookups:
        output.line(f"  {lookup.tool}  {_read(lookup)}")
    for write in known.writes:
        output.line(f"  {write.tool}  {_written(write)}")
    for tool, why in known.skipped.items():
        output.line(f"  {tool}  not used: {why}")


def _read(lookup: Lookup) -> str:
    """A lookup in a line."""
    count = "one of" if lookup.shape == "one" else "all"
    by = [
        f"{name}{'*' if name in lookup.required else ''} {by.match}"
        for name, by in lookup.by.items()
    ]
    parts = [f"shows {count} {lookup.table}", f"by {', '.join(by)}" if by else "unfiltered"]
    if lookup.where:
        parts.append(f"only where {_values(lookup.where)}")
    return "; ".join(parts)


def _written(write: Write) -> str:
    """A write in a line."""
    parts = [f"{write.op}s {write.table}"]
    if write.by:
        parts[0] += f" named by {', '.join(write.by)}"
    if write.sinks:
        sinks = ", ".join(_sink(name, into, write) for name, into in write.sinks.items())
        parts.append(f"takes {sinks}")
    if write.effects:
        parts.append(f"makes {', '.join(f'{n} {v}' for n, v in write.effects.items())}")
    if write.pre:
        parts.append(f"works where {_values(write.pre)}")
    if write.own:
        parts.append(f"on own rows ({', '.join(write.own)})")
    return "; ".join(parts)


def _sink(name: str, into: Into, write: Write) -> str:
    star = "*" if name in write.required else ""
    return f"{name}{star}" if into.mode == "set" else f"{name}{star} ({into.mode})"


def _values(conditions: object) -> str:
    """Fields with the values they must have."""
    assert hasattr(conditions, "items")
    return ", ".join(
        f"{name} is {' or '.join(map(str, values))}" for name, values in conditions.items()
    )
