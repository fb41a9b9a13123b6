"""``compoworld services validate``: which tools of a service fail, with the smallest calls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compoworld_core.cli import output

if TYPE_CHECKING:
    from compoworld_core.service import Service
    from compoworld_validator.verdict import Verdicts


@click.command()
@click.argument("name", metavar="NAME|PATH")
@click.option("--cases", default=100, show_default=True, help="Argument sets for each tool.")
@click.option("--seed", default=0, show_default=True, help="Draws the world and the cases.")
@click.option("--write", is_flag=True, help="Mark in the manifest what fails or was not tried.")
@click.option("--derive", is_flag=True, help="Let a language model derive further cases.")
@click.option("--base-url", metavar="URL", help="Its endpoint, up to /v1.")
@click.option("--model", metavar="NAME", help="Its name.")
@output.json_option
@click.pass_context
def validate(
    ctx: click.Context,
    /,
    name: str,
    cases: int,
    seed: int,
    write: bool,
    derive: bool,
    base_url: str | None,
    model: str | None,
    as_json: bool,
) -> None:
    """Validate a service from its specification and its behaviour alone.

    NAME is an installed service, PATH the folder of a service package or its module's folder.
    Exit 1 where a tool fails.
    """
    import compoworld_validator
    from compoworld_core.errors import UsageError
    from compoworld_validator.place import opened

    if cases < 1:
        raise UsageError(f"--cases is {cases}; give at least 1")
    ask = None
    if derive:
        from compoworld_validator.derivation import asking

        ask = asking(base_url, model)
    elif base_url or model:
        raise UsageError("--base-url and --model belong to --derive; add it")
    failed = False
    documents: list[dict[str, Any]] = []
    for service, manifest in opened(name):
        if write and manifest is None:
            raise UsageError(
                f"{service.name} has no manifest.toml to write to; leave --write away"
            )
        verdicts = compoworld_validator.validate(service, cases=cases, seed=seed, ask=ask)
        failed = failed or bool(verdicts.findings)
        if write and manifest is not None:
            _marked(manifest, service, verdicts)
        documents.append(verdicts.as_json())
    if as_json:
        output.json_document(documents[0] if len(documents) == 1 else {"services": documents})
    else:
        for document in documents:
            _page(document)
    if failed:
        ctx.exit(1)


def _marked(path: Path, service: Service[Any], verdicts: Verdicts) -> None:
    """Write what was found of each tool that has code; the marks of all others stay."""
    from compoworld_core.manifest import Mark, mark

    marks: dict[str, Mark | None] = {
        tool.name: None for tool in service.tools.values() if tool.has_code
    }
    unreached = Mark("validation found no arguments that it accepts")
    marks |= dict.fromkeys(verdicts.unreached, unreached)
    marks |= {t: Mark(f.why, f.reason.value) for t, f in verdicts.findings.items()}
    mark(path, marks)


def _page(document: dict[str, Any]) -> None:
    import json

    tools = output.counted(document["tools"], "tool")
    output.line(f"{document['service']}: {document['passed']} of {tools} passed")
    for failure in document["quarantined"]:
        output.line(f"  {failure['tool']}: {failure['reason']}: {failure['why']}")
        for call in failure["sequence"]:
            output.line(f"    {call['tool']} {json.dumps(call['arguments'])}")
    for doubt in document["doubts"]:
        output.line(f"  doubt: {doubt['tool']}: {doubt['why']}; seen: {doubt['seen']}")
    if not document["orders_tried"]:
        output.line("  other orders were not tried: no process can be made here")
    if document["unreached"]:
        output.line(f"  no accepted arguments found: {', '.join(document['unreached'])}")
