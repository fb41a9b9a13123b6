"""``compoworld synth complete DIR``: a coding agent writes what rules left simulated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from compoworld_core.cli import output


@click.command("complete")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--harness", "agent", type=click.Choice(["loop", "pi"]), default="loop",
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
    agent: Any,
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
    from compoworld_policy_openai.endpoint import read_endpoint

    from compoworld_core import sandbox
    from compoworld_synth.agentic import completion, harness
    from compoworld_synth.agentic.budget import Budget
    from compoworld_synth.agentic.package import open_package

    endpoint = read_endpoint(
        base_url,
        model,
        600.0,
        1,
        0.0,
        who="compoworld synth complete",
        key_variable=api_key_env,
    )
    if agent == "pi":
        harness.find_pi()
    package = open_package(folder)
    work = completion.Work(
        package, agent, endpoint, sandbox.choose(box), Budget(budget, requests), rounds, seconds
    )
    done = work.complete(tools)
    kept = completion.keep(package, done) if done.accepted and not dry_run else []
    if as_json:
        output.json_document(
            {
                "accepted": done.accepted, "rounds": done.rounds, "tools": list(done.tools),
                "written": kept, "problems": list(done.problems),
                "spending": dict(done.spending),
                "log": done.log.splitlines(),
            }
        )  # fmt: skip
    else:
        verdict = "accepted" if done.accepted else "not accepted"
        output.line(f"{verdict} after {done.rounds} rounds: {', '.join(done.tools)}")
        for name in kept:
            output.line(f"wrote {folder / name}")
        for problem in done.problems:
            output.line(problem)
        spent = done.spending
        output.line(
            f"{spent['requests']} requests, {spent['prompt_tokens']} +"
            f" {spent['completion_tokens']} tokens"
        )
    if not done.accepted:
        ctx.exit(1)
