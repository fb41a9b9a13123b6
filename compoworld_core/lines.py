"""Lines: a file of JSON records, one a line, that survives a kill at any point.

A record is written as one whole line. A last line that was cut off is dropped when the file is
opened for writing again, and skipped by readers.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from compoworld_core.errors import RecordError
from compoworld_core.schema import problems

Model = TypeVar("Model", bound=BaseModel)

SHARD_BYTES: Final = 64 << 20
"""Size from which a file goes on in numbered ones: tasks.jsonl, tasks-00001.jsonl, …"""


def to_line(record: BaseModel | Mapping[str, Any]) -> str:
    """A record as one line: sorted keys, UTF-8, no line break."""
    data = (
        record.model_dump(mode="json", by_alias=True)
        if isinstance(record, BaseModel)
        else record
    )
    return json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def shards(folder: Path, name: str) -> list[Path]:
    """The files of a kind of record, in order."""
    first = folder / f"{name}.jsonl"
    found = [first] if first.is_file() else []
    return found + sorted(folder.glob(f"{name}-[0-9][0-9][0-9][0-9][0-9].jsonl"))


class Writer:
    """Appends lines to a kind of record of a folder."""

    def __init__(self, folder: Path, name: str, limit: int = SHARD_BYTES) -> None:
        self._folder, self._name, self._limit = folder, name, limit
        present = shards(folder, name)
        self._number = max(len(present) - 1, 0)
        path = present[-1] if present else folder / f"{name}.jsonl"
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        _mend(self._file)

    def append(self, line: str) -> None:
        """Write one line; it is in the file, whole, when this returns."""
        if os.fstat(self._file).st_size >= self._limit:
            self.close()
            self._number += 1
            path = self._folder / f"{self._name}-{self._number:05d}.jsonl"
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        left = memoryview(line.encode() + b"\n")
        while left:
            left = left[os.write(self._file, left) :]

    def close(self) -> None:
        """Close the file, with its bytes on the disk."""
        os.fsync(self._file)
        os.close(self._file)


def _mend(file: int) -> None:
    """Make the file end in a whole line: finish the last one if it is whole, or cut it off."""
    size = os.fstat(file).st_size
    if not size or os.pread(file, 1, size - 1) == b"\n":
        return
    start = size
    while start:
        step = min(start, 1 << 16)
        block = os.pread(file, step, start - step)
        found = block.rfind(b"\n")
        if found >= 0:
            start = start - step + found + 1
            break
        start -= step
    tail = os.pread(file, size - start, start)
    if _is_json(tail):
        os.write(file, b"\n")
    else:
        os.ftruncate(file, start)


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def read(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) for each line; RecordError where one is no JSON object."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n") and not _is_json(line):
                return  # cut off while it was written
            if not line.strip():
                continue
            try:
                data = json.loads(line)
            except ValueError as error:
                raise RecordError(f"{path}:{number}: not JSON: {error}") from error
            if not isinstance(data, dict):
                raise RecordError(f"{path}:{number}: not a JSON object")
            yield number, data


def parse(model: type[Model], data: Mapping[str, Any], where: str, schema: str) -> Model:
    """A record from its JSON object; RecordError with the place, and what was meant.

    Args:
        model: the record's class.
        data: the object.
        where: path and line, for messages.
        schema: the schema that the record must name.
    """
    found = data.get("schema")
    if found != schema:
        raise RecordError(f"{where}: {_mismatch(found, schema)}")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        names = sorted(_names(model, set()))
        lines = [*problems(error)[:3], *_closest(error, names)]
        raise RecordError(f"{where}: {'; '.join(lines)}") from error


def _mismatch(found: object, wanted: str) -> str:
    name = wanted.partition("@")[0]
    if found is None:
        return f'the record names no schema; expected "schema": "{wanted}"'
    if isinstance(found, str) and found.partition("@")[0] == name:
        return f"schema {found}, and this version reads {wanted}; install the one that wrote it"
    return f"schema {found!r}, not {wanted!r}"


def _closest(error: ValidationError, names: list[str]) -> Iterator[str]:
    for item in error.errors(include_url=False, include_input=False):
        if item["type"] == "extra_forbidden":
            key = str(item["loc"][-1])
            near = get_close_matches(key, names, 1, 0.5)
            if near:
                yield f"did you mean {near[0]!r} instead of {key!r}?"


def _names(model: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[str]:
    """The keys of a record and of all records inside it."""
    if model in seen:
        return
    seen.add(model)
    for name, info in model.model_fields.items():
        yield info.alias or name
        for inner in _models(info.annotation):
            yield from _names(inner, seen)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)
