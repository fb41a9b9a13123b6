"""Examples: exported trajectories, and their split into training and evaluation."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal

from attrs import frozen
from pydantic import BaseModel, Field, ValidationError

from compoworld_core import lines
from compoworld_core.errors import RecordError, UsageError
from compoworld_core.observation import encodable
from compoworld_core.schema import problems

SCHEMA: Final = "compoworld/sft@1"
"""What `compoworld export sft` writes."""


class _Function(BaseModel):
    name: str
    arguments: str | dict[str, Any] = ""


class _Call(BaseModel):
    function: _Function


class _Message(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | None = None
    tool_calls: list[_Call] | None = None


class _Row(BaseModel):
    """What a row must have; whatever else is there is not looked at."""

    messages: list[_Message] = Field(min_length=1)
    tools: list[dict[str, Any]]
    task: str


@frozen
class Example:
    """One exported trajectory."""

    messages: tuple[dict[str, Any], ...]
    tools: tuple[dict[str, Any], ...]
    task: str
    where: str
    """File and line, for messages."""

    @property
    def services(self) -> frozenset[str]:
        """The services that its calls name."""
        calls = (call for each in self.messages for call in each.get("tool_calls") or ())
        return frozenset(filter(None, map(_service, calls)))


def read(paths: Iterable[Path]) -> list[Example]:
    """All rows of the files, in order.

    Raises UsageError where a path is no file or there is no row, RecordError with the place
    where a row has another schema, or is torn or malformed.
    """
    found: list[Example] = []
    for path in paths:
        if path.is_dir():
            out = path / "sft.jsonl"
            raise UsageError(
                f"{path} is a folder; training reads an export: compoworld export sft {path}"
                f" --out {out}"
            )
        if not path.is_file():
            raise UsageError(f"{path} is not there; make it: compoworld export sft --help")
        for number, data in lines.read(path):
            where = f"{path}:{number}"
            if data.get("schema") != SCHEMA:
                raise RecordError(f"{where}: schema {data.get('schema')!r}, not {SCHEMA!r}")
            found.append(_example(data, where))
        if _torn(path):
            raise RecordError(
                f"{path}: the last line is cut off; make it again: compoworld export sft --help"
            )
    if not found:
        raise UsageError(
            "there is no row to train on; compoworld export sft --all takes failed trajectories"
        )
    return found


def split(
    examples: Sequence[Example], share: float, seed: int
) -> tuple[list[Example], list[Example]]:
    """Training and evaluation examples; all of a task's are on one side.

    At least one task is trained on, and one evaluated where the share is above 0 and there are
    two. The choice depends on the ids of the tasks and the seed alone.
    """
    tasks = sorted({each.task for each in examples}, key=lambda task: (_key(seed, task), task))
    wanted = max(1, round(share * len(tasks))) if share else 0
    held = frozenset(tasks[: min(wanted, len(tasks) - 1)])
    train = [each for each in examples if each.task not in held]
    return train, [each for each in examples if each.task in held]


def _example(data: dict[str, Any], where: str) -> Example:
    text = json.dumps(data, ensure_ascii=False)
    if not text.isascii():
        data = json.loads(encodable(text))  # no tokenizer takes a lone surrogate
    try:
        _Row.model_validate(data)
    except ValidationError as error:
        raise RecordError(f"{where}: {'; '.join(problems(error, 'row')[:3])}") from error
    return Example(tuple(data["messages"]), tuple(data["tools"]), data["task"], where)


def _torn(path: Path) -> bool:
    """Does the file end in half a line? A run may be cut off so, an export may not."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        if file.read() in (b"\n", b""):
            return False
        file.seek(0)
        *_, last = file
    try:
        json.loads(last)
    except ValueError:
        return True
    return False


def _service(call: Mapping[str, Any]) -> str:
    """The service that a call names; empty where it names none, or is no JSON."""
    given = call["function"].get("arguments")
    try:
        told = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        return ""
    return str(told.get("service", "")) if isinstance(told, dict) else ""


def _key(seed: int, task: str) -> str:
    return sha256(f"{seed}/{task}".encode()).hexdigest()
