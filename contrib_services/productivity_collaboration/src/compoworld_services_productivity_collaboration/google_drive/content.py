"""What is written into a file: from content arguments to text, MIME type and size."""

from __future__ import annotations

import base64
import binascii
import hashlib

from attrs import frozen

from compoworld_core import ToolError
from compoworld_core.resources import check

LONGEST = 500_000
_LONGEST_NAME = 255
_TEXT_TYPES = {
    "md": "text/markdown",
    "markdown": "text/markdown",
    "txt": "text/plain",
    "html": "text/html",
    "csv": "text/csv",
    "json": "application/json",
}
_IMPORTS = ("md", "markdown", "docx", "txt", "html", "rtf", "odt")


@frozen
class Body:
    """A file's text and its size in bytes."""

    text: str
    size: int


def name_of(text: str, parameter: str) -> str:
    """A file or folder name, checked."""
    cleaned = " ".join(text.split())
    check(
        0 < len(cleaned) <= _LONGEST_NAME,
        "invalid_argument",
        f"{parameter} must have 1 to {_LONGEST_NAME} characters",
    )
    return cleaned


def body_of(
    content: str | None,
    encoded: str | None,
    sha256: str | None,
    elsewhere: dict[str, str | None],
) -> Body | None:
    """The content that was given, if any; at most one source."""
    for parameter, value in elsewhere.items():
        if value is not None:
            raise ToolError(
                "unavailable", f"{parameter}: nothing can be fetched from there; give content"
            )
    check(
        content is None or encoded is None,
        "invalid_argument",
        "give content or base64_content, not both",
    )
    if encoded is not None:
        data = _decoded(encoded, sha256)
        try:
            return _checked(data.decode(), len(data))
        except UnicodeDecodeError:
            return _checked("", len(data))
    if content is None:
        return None
    return _checked(content, len(content.encode(errors="replace")))


def mime_type_of(name: str, given: str | None) -> str:
    """The MIME type as given, or by the name's ending."""
    if given is not None:
        check(
            "/" in given and len(given) <= 120,
            "invalid_argument",
            f"{given[:40]!r} is not a MIME type like text/plain",
        )
        return given
    return _TEXT_TYPES.get(name.rpartition(".")[2].casefold(), "text/plain")


def document_title(name: str, source_format: str | None) -> str:
    """The title of an imported document: the name without the ending of its format."""
    if source_format is not None and source_format.casefold() not in _IMPORTS:
        raise ToolError(
            "invalid_argument",
            f"source_format {source_format[:20]!r}; use one of: {', '.join(_IMPORTS)}",
        )
    stem, dot, ending = name.rpartition(".")
    return stem if dot and stem and ending.casefold() in _IMPORTS else name


def _decoded(encoded: str, sha256: str | None) -> bytes:
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise ToolError("invalid_argument", "base64_content is not base64") from None
    if sha256 is not None and hashlib.sha256(data).hexdigest() != sha256.casefold():
        raise ToolError("failed_precondition", "base64_sha256 does not match base64_content")
    return data


def _checked(text: str, size: int) -> Body:
    check(
        len(text) <= LONGEST,
        "invalid_argument",
        f"the content is longer than {LONGEST} characters",
    )
    return Body(text, size)
