"""``compoworld bench``: the figures of this machine beside targets and physical references."""

from __future__ import annotations

import platform
from typing import Any

import click

from compoworld_core import plugins
from compoworld_core.bench.figures import FULL, QUICK, TARGETS, measure
from compoworld_core.cli import output
from compoworld_core.errors import UsageError


@click.command()
@click.option("--quick", is_flag=True, help="Shorter loops: rougher figures, sooner.")
@click.option("--services", multiple=True, help="Only these: a,b,c.  [all installed]")
@click.option("--generator", default="walk", show_default=True, help="Whose tasks to count.")
@click.option("--check", is_flag=True, help="Exit 1 where a figure misses its target.")
@output.json_option
@click.pass_context
def bench(
    ctx: click.Context,
    quick: bool,
    services: tuple[str, ...],
    generator: str,
    check: bool,
    as_json: bool,
) -> None:
    """Measure calls, forks, generation, proofs and start-up in one run of about a minute."""
    registry = plugins.services()
    named = {name for text in services for name in text.split(",") if name}
    names = sorted(named) or registry.names()
    for name in names:
        registry.get(name)
    if not names:
        raise UsageError(
            "no service is installed; install one: pip install compoworld[services]"
        )
    found = measure(names, QUICK if quick else FULL, generator=generator, say=output.note)
    if as_json:
        output.json_document(found)
    else:
        _show(found)
    if check and not all(each["ok"] for each in found["targets"].values()):
        ctx.exit(1)


def _show(found: dict[str, Any]) -> None:
    rows = []
    for target in TARGETS:
        figure = found["targets"].get(target.name)
        sign = "≥" if target.at_least else "≤"
        bound = f"{sign} {target.bound:g} {target.unit}"
        if figure is None:
            rows.append([target.name, "not measured", bound, "", target.says])
            continue
        ratio = f"{figure['ratio']:.2f}{'' if figure['ok'] else '  missed'}"
        rows.append(
            [target.name, _said(figure["value"], target.unit), bound, ratio, target.says]
        )
    output.table(("FIGURE", "HERE", "TARGET", "OF TARGET", "WHAT"), rows)
    reference = found["reference"]
    output.line()
    output.line("Beside it, on this machine")
    others = [
        ("validate_us", reference["validate_us"], "validation of the arguments alone"),
        ("record_json_us", reference["record_json_us"], "the record to JSON alone"),
        ("dict_get_us", reference["dict_get_us"], "a look-up in a dictionary"),
        ("deepcopy_1000_us", reference["deepcopy_1000_us"], "deep copies of 1,000 records"),
        ("digest_us_per_change", found["digest_us_per_change"], "digest, per changed record"),
        ("calibration_us", found["calibration_us"], "1,000 turns of a plain loop"),
    ]
    output.table(("", "", ""), [[f"  {n}", _said(v, "µs"), text] for n, v, text in others])
    python = f"{platform.python_implementation()} {platform.python_version()}"
    output.line(f"{python}, {output.counted(len(found['services']), 'service')}")


def _said(value: float | None, unit: str) -> str:
    if value is None:
        return "not measured"
    return f"{value:,.0f} {unit}" if abs(value) >= 100 else f"{value:.3g} {unit}"
