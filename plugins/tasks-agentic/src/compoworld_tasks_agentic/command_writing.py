"""``compoworld tasks writing RUN``: what the model's work for a run came to."""

from __future__ import annotations

from pathlib import Path

import click

from compoworld_core.cli import output
from compoworld_core.run import Run


@click.command("writing")
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@output.json_option
def writing(path: Path, as_json: bool) -> None:
    """Count what a model wrote for a run: accepted, repaired, rejected, replies and tokens."""
    from compoworld_tasks_agentic.figures import figures

    found = figures(Run.open(path))
    if as_json:
        output.json_document(found)
        return
    output.line(
        f"{found['accepted']} accepted, {found['repaired']} of them repaired; {found['kept']}"
        f" kept as they were; {found['rejected']} rejected"
    )
    for name in ("accepted", "rejected"):
        spent = found[f"spent_on_{name}"]
        output.line(
            f"spent on {name}: {spent['replies']} replies, {spent['prompt_tokens']} +"
            f" {spent['completion_tokens']} tokens"
        )
    if found["refused_by"]:
        listed = ", ".join(f"{probe} {count}" for probe, count in found["refused_by"].items())
        output.line(f"last refused by: {listed}")
