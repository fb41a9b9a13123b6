"""Sample: some of an import's deterministic tools, laid out for a reader who judges them."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from attrs import frozen

from compoworld_core import manifest
from compoworld_synth import report, runtime


@frozen
class Picked:
    """One tool: what its server states, and the code that was made of it."""

    package: str
    service: str
    name: str
    description: str
    input_schema: dict[str, Any]
    source: str
    records: str
    """The classes of the records that the code speaks of."""


def pick(path: Path, n: int, seed: int) -> list[Picked]:
    """At most `n` deterministic tools of the services below a folder, in random order.

    What validation quarantined or could not prove is not drawn. UsageError where the folder
    holds no import.
    """
    able = [row for row in report.rows(path) if row["kind"] == "deterministic"]
    able.sort(key=lambda row: (row["service"], row["name"]))
    chosen = Random(seed).sample(able, min(n, len(able)))
    folders = {file.parent.name: file.parent for file in sorted(path.rglob(manifest.FILE))}
    return [_picked(folders[row["service"]], row["name"]) for row in chosen]


def _picked(folder: Path, name: str) -> Picked:
    stated = json.loads((folder / "schemas.json").read_text(encoding="utf-8"))[name]
    source = _function((folder / "tools.py").read_text(encoding="utf-8"), name)
    models = (folder / "models.py").read_text(encoding="utf-8")
    tables = {n for n in re.findall(r"models\.(\w+)", source) if not n.endswith("State")}
    tables |= _held(models, re.findall(r"state\.(\w+)", source))
    records = "\n\n".join(_classes(models, tables))
    return Picked(
        folder.parent.name, folder.name, name, stated["description"], stated["input_schema"],
        source, records,
    )  # fmt: skip


def _function(text: str, name: str) -> str:
    """The source of the function that is registered under a tool's name."""
    for node in ast.parse(text).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
            named = next((each.value for each in keywords if each.arg == "name"), None)
            if isinstance(named, ast.Constant) and named.value == name:
                return ast.get_source_segment(text, node) or ""
    return ""


def _held(models: str, tables: Sequence[str]) -> set[str]:
    """The classes of the records in these tables of the state."""
    found = dict(re.findall(r"^    (\w+): Table\[(\w+)\]", models, re.MULTILINE))
    return {found[table] for table in tables if table in found}


def _classes(models: str, names: set[str]) -> Iterator[str]:
    for node in ast.parse(models).body:
        if isinstance(node, ast.ClassDef) and node.name in names:
            yield ast.get_source_segment(models, node) or ""


def markdown(picked: Sequence[Picked], first: int = 1) -> str:
    """The tools as one text: description, schema and code of each, numbered."""
    used = sorted(
        {name for each in picked for name in re.findall(r"\bkit\.(\w+)", each.source)}
    )
    lines = ["# Tools and the code that was made of them\n", "What `kit` does:\n"]
    for name in used:
        said = inspect.getdoc(getattr(runtime, name)) or ""
        lines.append(f"- `kit.{name}`: {said.splitlines()[0] if said else 'no description'}")
    for number, each in enumerate(picked, first):
        schema = json.dumps(each.input_schema, ensure_ascii=False, indent=1)[:6000]
        server = each.package.removeprefix("compoworld_imported_")
        lines += [
            f"\n## {number}. {server}: `{each.name}`\n",
            "Description, as the server states it:\n",
            _quoted(each.description[:3000] or "(none)"),
            f"\n```json\n{schema}\n```\n",
            f"```python\n{each.source}\n```\n",
            f"Records:\n\n```python\n{each.records}\n```",
        ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())
