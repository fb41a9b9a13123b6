"""Recordings: answers of the model by the hash of what it was asked, one file each."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from compoworld_core.errors import RecordError

SCHEMA: Final = "compoworld/prediction@1"


@frozen
class Recordings:
    """A folder of answers. Files are written whole, so that many processes can share it."""

    path: Path

    def find(self, request: Mapping[str, Any]) -> str | None:
        """The recorded answer to a request, or None; RecordError where a file is damaged."""
        file = self._file(request)
        try:
            record = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise RecordError(f"{file} is no recording: {error}; delete it") from error
        content = record.get("content") if isinstance(record, dict) else None
        if not isinstance(content, str) or record.get("schema") != SCHEMA:
            raise RecordError(f"{file} is no {SCHEMA}; delete it")
        return content

    def keep(self, request: Mapping[str, Any], content: str) -> None:
        """Record an answer."""
        file = self._file(request)
        file.parent.mkdir(parents=True, exist_ok=True)
        record = {"schema": SCHEMA, "content": content}
        draft = file.with_suffix(f".{os.getpid()}.part")
        draft.write_text(json.dumps(record, sort_keys=True), encoding="utf-8")
        draft.replace(file)

    def _file(self, request: Mapping[str, Any]) -> Path:
        text = json.dumps(request, sort_keys=True)
        key = sha256(text.encode()).hexdigest()
        return self.path / key[:2] / f"{key}.json"
