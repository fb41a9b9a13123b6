"""Manifest: what a service package says of its tools (`manifest.toml`), and its marks.

The importer writes one table a tool. Validation marks those that failed (`quarantined` with its
reason) or could not be tried (`unproven`). The package applies the marks when it is imported:
a quarantined tool is then listed as such, and an unproven one as simulated.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from compoworld_core.errors import RecordError

if TYPE_CHECKING:
    from compoworld_core.service import Service

FILE: Final = "manifest.toml"
SCHEMA: Final = "compoworld/manifest@1"
KINDS: Final = ("deterministic", "simulated")
"""What a tool is as it was written; marks stand beside it."""
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
"""Keys that TOML takes without quotes."""


@frozen
class Mark:
    """What validation has against a tool."""

    why: str
    """A sentence."""
    reason: str = ""
    """Of a closed list, where it failed; empty where it could not be tried."""


def read(path: Path) -> dict[str, dict[str, Any]]:
    """Tool → what the manifest says of it; RecordError where the file is no manifest."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            raise RecordError(f"{path} has schema {data['schema']!r}; this reads {SCHEMA}")
        tools: dict[str, dict[str, Any]] = {}
        for number, each in enumerate(data["tool"], 1):
            _check(each, f"{path}, tool {number}", tools)
            tools[each["name"]] = dict(each)
        return tools
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordError(
            f"{path} is not a manifest: {error}; import the service anew"
        ) from error


def _check(tool: Any, where: str, before: Mapping[str, Any]) -> None:
    """RecordError where a table lacks what every reader needs, or is there twice."""
    name, kind = tool["name"], tool["kind"]
    if not isinstance(name, str) or kind not in KINDS:
        raise RecordError(
            f"{where} needs a name, and a kind of {' and '.join(KINDS)}, not {name!r}, {kind!r}"
        )
    if name in before:
        raise RecordError(f"{where} is a second table of {name!r}; delete one of them")


def write(path: Path, tools: Iterable[Mapping[str, Any]]) -> None:
    """Write one table a tool, the whole file at once.

    Values are text, numbers, booleans or lists of these; RecordError for anything else.
    """
    blocks = [f"schema = {_literal(SCHEMA)}\n"]
    for tool in tools:
        lines = [f"{_key(key)} = {_literal(value)}" for key, value in tool.items()]
        blocks.append("[[tool]]\n" + "\n".join(lines) + "\n")
    draft = path.with_name(f".{path.name}.part")
    draft.write_text("\n".join(blocks), encoding="utf-8")
    draft.replace(path)


def mark(path: Path, marks: Mapping[str, Mark | None]) -> None:
    """Set what validation found of the tools that it tried; None frees a tool.

    Tools that are not named keep what an earlier validation said. Raises RecordError where the
    manifest knows no such tool.
    """
    tools = read(path)
    strangers = [name for name in marks if name not in tools]
    if strangers:
        raise RecordError(f"{path} lists no tool {strangers[0]!r}; import the service anew")
    for name, found in marks.items():
        tool = tools[name]
        for key in ("quarantined", "quarantined_because", "unproven"):
            tool.pop(key, None)
        if found is not None and found.reason:
            tool |= {"quarantined": found.reason, "quarantined_because": found.why}
        elif found is not None:
            tool["unproven"] = found.why
    write(path, tools.values())


def apply(service: Service[Any], path: Path) -> None:
    """Quarantine in the service what its manifest says failed; doubt what was not tried."""
    for name, tool in read(path).items():
        failed, doubted = tool.get("quarantined"), tool.get("unproven")
        if not (failed or doubted):
            continue
        if name not in service.tools:
            raise RecordError(
                f"{path} marks the tool {name!r}, which {service.name} has not; import the"
                " service anew, or delete its table"
            )
        if failed:
            service.quarantine(name, str(tool.get("quarantined_because", failed)))
        else:
            service.doubt(name, str(doubted))


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _literal(name)


def _literal(value: Any) -> str:
    """A TOML literal: JSON's but for DEL, which JSON leaves, and for lone surrogates."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    if isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return repr(value)
    if not isinstance(value, str):
        kind = type(value).__name__
        raise RecordError(f"a manifest holds text, numbers, truth and lists, not {kind}")
    text = value.encode("utf-8", "replace").decode()
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
