"""``compoworld services mutate``: how many injected bugs validation finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from compoworld_core.cli import output
from compoworld_core.errors import UsageError


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--n", "wanted", default=200, show_default=True, help="Mutants with an effect.")
@click.option("--seed", default=0, show_default=True, help="Draws the mutants.")
@click.option("--least", default=0.95, show_default=True, help="Share that must be found.")
@output.json_option
@click.pass_context
def mutate(
    ctx: click.Context,
    /,
    names: tuple[str, ...],
    wanted: int,
    seed: int,
    least: float,
    as_json: bool,
) -> None:
    """Inject bugs into healthy services and let validation look for them.

    Mutants that never change what is seen or kept are left out and counted. Exit 1 where too
    few are found.
    """
    from compoworld_core.composition import load_service
    from compoworld_validator.mutation.survey import survey_of

    if wanted < 1:
        raise UsageError(f"--n is {wanted}; give at least 1 mutant")
    detects = _validation()
    services = [load_service(name) for name in names]
    flagged = [service.name for service in services if detects(service)]
    healthy = [service for service in services if service.name not in flagged]
    survey = survey_of(healthy, detects, wanted=wanted, seed=seed)
    figures = {"seed": seed, "flagged_healthy": flagged, **survey.figures()}
    if as_json:
        output.json_document(figures)
    else:
        _page(figures)
    if figures["share"] < least or len(survey.found) + len(survey.missed) < wanted:
        ctx.exit(1)


def _validation() -> Callable[[Any], bool]:
    """The validator's `detects`, which is looked up late: operators know nothing of it."""
    import compoworld_validator

    found: Callable[[Any], bool] | None = getattr(compoworld_validator, "detects", None)
    if found is None:
        raise UsageError("compoworld_validator has no `detects`; install its whole package")
    return found


def _page(figures: dict[str, Any]) -> None:
    rows = [
        [name, counts["found"], counts["missed"]]
        for name, counts in figures["by_operator"].items()
        if counts["found"] or counts["missed"]
    ]
    output.table(("OPERATOR", "FOUND", "MISSED"), rows)
    for name in figures["missed"]:
        output.line(f"  missed: {name}")
    for name in figures["flagged_healthy"]:
        output.line(f"  left out, since validation refuses it without a bug: {name}")
    output.line(
        f"{figures['found']} of {output.counted(figures['mutants'], 'mutant')} found"
        f" ({figures['share']:.1%}); without effect, not counted:"
        f" {figures['without_effect']}; crashing, not counted: {figures['crashing']}"
    )
