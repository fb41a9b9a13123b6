"""``compoworld services validate``: which tools of a service fail, with the smallest calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from compoworld_core.cli import output


@click.command()
@click.argument("name", metavar="NAME|PATH")
@click.option("--cases", default=100, show_default=True, help="Argument sets for each tool.")
@click.option("--seed", default=0, show_default=True, help="Draws the world and the cases.")
@click.option("--write", is_flag=True, help="Quarantine what fails, in the manifest.")
@output.json_option
@click.pass_context
def validate(
    ctx: click.Context, /, name: str, cases: int, seed: int, write: bool, as_json: bool
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
    failed = False
    documents: list[dict[str, Any]] = []
    for service, manifest in opened(name):
        if write and manifest is None:
            raise UsageError(
                f"{service.name} has no manifest.toml to write to; leave --write away"
            )
        verdicts = compoworld_validator.validate(service, cases=cases, seed=seed)
        failed = failed or bool(verdicts.findings)
        if write and manifest is not None:
            _quarantined(manifest, verdicts.findings)
        documents.append(verdicts.as_json())
    if as_json:
        output.json_document(documents[0] if len(documents) == 1 else {"services": documents})
    else:
        for document in documents:
            _page(document)
    if failed:
        ctx.exit(1)


def _quarantined(manifest: Path, findings: Any) -> None:
    from compoworld_core.manifest import quarantine

    quarantine(manifest, {t: (f.reason.value, f.why) for t, f in findings.items()})


def _page(document: dict[str, Any]) -> None:
    import json

    tools = output.counted(document["tools"], "tool")
    output.line(f"{document['service']}: {document['passed']} of {tools} passed")
    for failure in document["quarantined"]:
        output.line(f"  {failure['tool']}: {failure['reason']}: {failure['why']}")
        for call in failure["sequence"]:
            output.line(f"    {call['tool']} {json.dumps(call['arguments'])}")
    if document["unreached"]:
        output.line(f"  no accepted arguments found: {', '.join(document['unreached'])}")
