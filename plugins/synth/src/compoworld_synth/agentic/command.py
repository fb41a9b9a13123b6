"""``compoworld synth complete DIR``: a coding agent writes what rules left simulated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from compoworld_core.cli import output
from compoworld_synth.agentic.harness import HARNESSES

if TYPE_CHECKING:
    from compoworld_synth.agentic.completion import Completion

_PATIENCE = 600.0
"""Seconds for one answer of the endpoint: a whole file is written in one."""


@click.command("complete")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--service", default="", help="Which one, where the package holds several.")
@click.option("--harness", "agent", type=click.Choice(list(HARNESSES)), default="loop",
              show_default=True, help="The coding agent: built in, or pi.")  # fmt: skip
@click.option("--base-url", help="The endpoint up to /v1; by default of the environment.")
@click.option("--model", help="The model's name; by default of the environment.")
@click.option("--api-key-env", default="", help="The variable that holds the key.")
@click.option("--budget", type=click.IntRange(1), default=400_000, show_default=True,
              help="Tokens in all, prompts and answers.")  # fmt: skip
@click.option("--requests", type=click.IntRange(1), default=120, show_default=True,
              help="Requests in all.")  # fmt: skip
@click.option("--rounds", type=click.IntRange(1, 20), default=3, show_default=True,
              help="Starts of the agent; each further one learns what was wrong.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(1), default=1_800, show_default=True,
              help="Wall time of one round.")  # fmt: skip
@click.option("--tool", "tools", multiple=True, help="Only this tool; may be repeated.")
@click.option("--sandbox", "box", default="", help="By default the first that works.")
@click.option("--dry-run", is_flag=True, help="Judge the work, and write nothing.")
@output.json_option
@click.pass_context
def complete(
    ctx: click.Context,
    folder: Path,
    service: str,
    agent: str,
    base_url: str | None,
    model: str | None,
    api_key_env: str,
    budget: int,
    requests: int,
    rounds: int,
    seconds: float,
    tools: tuple[str, ...],
    box: str,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Complete an emitted package in a sandbox; exit 1 where no version passes the checks."""
    from attrs import evolve
    from compoworld_policy_openai.endpoint import read_endpoint

    from compoworld_core import sandbox
    from compoworld_synth.agentic import completion, harness
    from compoworld_synth.agentic.budget import Budget
    from compoworld_synth.agentic.package import open_package

    endpoint = read_endpoint(
        base_url, model, _PATIENCE, tries=1, pause=0.0, who="compoworld synth complete",
        key_variable=api_key_env,
    )  # fmt: skip
    if agent == "pi":
        harness.find_pi()
    work = completion.Work(
        open_package(folder, service), agent, endpoint, sandbox.choose(box),
        Budget(budget, requests), rounds,
    )  # fmt: skip
    work.limits = evolve(work.limits, seconds=seconds)
    done = work.complete(tools)
    kept = completion.keep(work.package, done) if done.accepted and not dry_run else []
    if as_json:
        output.json_document({**_document(done), "written": kept})
    else:
        _page(done, [folder / name for name in kept])
    if not done.accepted:
        ctx.exit(1)


def _document(done: Completion) -> dict[str, object]:
    return {
        "accepted": done.accepted, "rounds": done.rounds, "tools": list(done.tools),
        "problems": list(done.problems), "unproven": dict(done.unproven),
        "spending": dict(done.spending), "log": done.log.splitlines(),
    }  # fmt: skip


def _page(done: Completion, written: list[Path]) -> None:
    verdict = "accepted" if done.accepted else "not accepted"
    rounds = output.counted(done.rounds, "round")
    output.line(f"{verdict} after {rounds}: {', '.join(done.tools)}")
    for path in written:
        output.line(f"wrote {path}")
    for problem in done.problems:
        output.line(problem)
    for tool, why in done.unproven.items():
        output.line(f"{tool} counts as simulated: {why}")
    spent = done.spending
    output.line(
        f"{spent['requests']} requests, {spent['prompt_tokens']} +"
        f" {spent['completion_tokens']} tokens"
    )
