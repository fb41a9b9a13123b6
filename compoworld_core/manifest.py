"""Manifest: what a service package says of its tools (`manifest.toml`), and its quarantine.

The importer writes one table a tool; validation adds `quarantined` and its reason, or
`unproven`. The package applies it when it is imported, so a quarantined tool is listed as such
from then on, and an unproven one as simulated.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compoworld_core.errors import RecordError

if TYPE_CHECKING:
    from compoworld_core.service import Service

FILE = "manifest.toml"
SCHEMA = "compoworld/manifest@1"


def read(path: Path) -> dict[str, dict[str, Any]]:
    """Tool → what the manifest says of it; RecordError where the file is no manifest."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            raise RecordError(f"{path} has schema {data['schema']!r}; this reads {SCHEMA}")
        return {each["name"]: each for each in data["tool"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordError(
            f"{path} is not a manifest: {error}; import the service anew"
        ) from error


def write(path: Path, tools: Iterable[Mapping[str, Any]]) -> None:
    """Write one table a tool. Values are text, booleans or lists of text."""
    blocks = [f"schema = {_literal(SCHEMA)}\n"]
    for tool in tools:
        lines = [f"{key} = {_literal(value)}" for key, value in tool.items()]
        blocks.append("[[tool]]\n" + "\n".join(lines) + "\n")
    path.write_text("\n".join(blocks), encoding="utf-8")


def quarantine(path: Path, verdicts: Mapping[str, tuple[str, str]]) -> None:
    """Set the quarantined tools: tool → (reason of a closed list, sentence); frees others."""
    tools = read(path)
    for name, tool in tools.items():
        tool.pop("quarantined", None)
        tool.pop("quarantined_because", None)
        if name in verdicts:
            tool["quarantined"], tool["quarantined_because"] = verdicts[name]
    write(path, tools.values())


def doubt(path: Path, unproven: Mapping[str, str]) -> None:
    """Set the tools that validation could not try: tool → why; frees others."""
    tools = read(path)
    for name, tool in tools.items():
        tool.pop("unproven", None)
        if name in unproven:
            tool["unproven"] = unproven[name]
    write(path, tools.values())


def apply(service: Service[Any], path: Path) -> None:
    """Quarantine in the service what its manifest says failed; doubt what was not tried."""
    for name, tool in read(path).items():
        if tool.get("quarantined"):
            service.quarantine(name, str(tool["quarantined_because"]))
        elif tool.get("unproven"):
            service.doubt(name, str(tool["unproven"]))


def _literal(value: Any) -> str:
    """A TOML literal; JSON's escapes of text are TOML's, once surrogates are replaced."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value).encode("utf-8", "replace").decode()
    return json.dumps(text).replace("\x7f", "\\u007F") if text.isascii() else _wide(text)


def _wide(text: str) -> str:
    """Text outside ASCII as it is: TOML has no surrogate pairs, which JSON's escapes use."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
