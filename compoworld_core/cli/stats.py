"""``compoworld tasks stats``: what a run's tasks are like, and why tries were refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compoworld_core.cli import output

if TYPE_CHECKING:
    from compoworld_core.generation import Tally


@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@output.json_option
def stats(path: Path, as_json: bool) -> None:
    """Count what a run holds: the mix of patterns, services, domains, graphs, difficulty.

    And the most alike pair of instructions, and why tries were refused.
    """
    from compoworld_core import cards, plugins
    from compoworld_core.generation import Tally
    from compoworld_core.profile import Profile
    from compoworld_core.run import Run

    run = Run.open(path)
    known = cards.all_cards(plugins.services())[0]
    profile = Profile({each.card.name: each.card.domain for each in known})
    profile.add_all(run.tasks())
    tally = Tally()
    for metric in run.metrics():
        if metric.get("kind") == "try":
            tally.add(metric)
    found = profile.figures() | {
        "tried": tally.tried,
        "rejected": dict(sorted(tally.rejected.items())),
        "acceptance": acceptance(tally),
    }
    if as_json:
        output.json_document(found)
        return
    tries = f" from {output.counted(tally.tried, 'try', 'tries')}" if tally.tried else ""
    output.line(f"{output.counted(profile.tasks, 'task')}{tries}")
    for name, value in found.items():
        if isinstance(value, dict) and value and name not in ("acceptance", "likeness"):
            inner = ", ".join(f"{key} {count}" for key, count in value.items())
            output.line(f"{name.replace('_', ' ')}: {inner}")
    alike = found["likeness"]
    if alike["tasks"]:
        pair = " and ".join(alike["tasks"])
        output.line(f"most alike: {alike['similarity']:.2f} between {pair}")
    if tally.services:
        output.table(
            ("SERVICE", "ACCEPTED", "TRIED"),
            [[n, *c] for n, c in sorted(tally.services.items())],
        )


def acceptance(tally: Tally) -> dict[str, Any]:
    """Service → tries that were accepted, and all whose walk it was in."""
    return {
        name: {"accepted": counts[0], "tried": counts[1]}
        for name, counts in sorted(tally.services.items())
    }
