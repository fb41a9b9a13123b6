"""Sources: whatever describes a server's tools, read into one :class:`Listing`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from attrs import evolve

from compoworld_core.registry import closest
from compoworld_synth.listing import Listing, Problem
from compoworld_synth.sources.reading import SourceError, document, read_bytes

FORMATS: Final = ("mcp", "openapi", "discovery", "botocore")


def read(path: Path, kind: str = "", server: str = "") -> Listing:
    """The listing in a file; its kind is recognised where it is not given.

    SourceError, a UsageError, where it is none, is too large or contradicts itself.
    """
    stored = read_bytes(path)
    name = path.name
    if name.endswith(".gz"):
        stored, name = _unpacked(stored, path), name.removesuffix(".gz")
    return listing(document(stored, name), str(path), kind, server or name.partition(".")[0])


def listing(data: Any, source: str, kind: str = "", server: str = "") -> Listing:
    """The listing in a document of JSON values."""
    from compoworld_synth.sources import botocore, discovery, mcp, openapi

    readers: dict[str, Any] = dict(
        zip(FORMATS, (mcp, openapi, discovery, botocore), strict=True)
    )
    if kind and kind not in readers:
        near = closest(kind, readers)
        hint = f" Closest: {near[0]}." if near else ""
        raise SourceError(
            f"no format is called {kind!r}.{hint} There are: {', '.join(FORMATS)}"
        )
    kind = kind or next((each for each in FORMATS if readers[each].is_listing(data)), "")
    if not kind:
        raise SourceError(
            f"{source} is none of: MCP tools/list answer, OpenAPI 3, discovery document,"
            " botocore model; --format names the one it is and says what is missing"
        )
    try:
        found: Listing = readers[kind].listing(data, server, source)
        if kind != "mcp":
            found = _checked(found)
    except SourceError as error:
        if str(error).startswith(source):
            raise
        raise SourceError(f"{source}: {error}") from None
    return evolve(found, server=server) if server and not found.server else found


def _checked(found: Listing) -> Listing:
    """A listing whose translated schemas are valid; a wrong answer's schema is left out."""
    from compoworld_synth.sources.mcp import check_schema

    tools, problems = [], list(found.problems)
    for spec in found.tools:
        check_schema(spec.input_schema, f"{spec.name}/inputSchema")
        if spec.output_schema is not None:
            try:
                check_schema(spec.output_schema, f"{spec.name}/outputSchema")
            except SourceError as error:
                problems.append(Problem(f"{spec.name}/outputSchema", f"left out: {error}"))
                spec = evolve(spec, output_schema=None)
        tools.append(spec)
    return evolve(found, tools=tuple(tools), problems=tuple(problems))


def _unpacked(stored: bytes, path: Path) -> bytes:
    import gzip
    import io

    from compoworld_synth.sources.reading import LARGEST

    try:
        with gzip.open(io.BytesIO(stored)) as packed:
            data = packed.read(LARGEST + 1)
    except (OSError, EOFError) as error:
        raise SourceError(f"{path} is no gzip file: {error}") from None
    if len(data) > LARGEST:
        raise SourceError(f"{path} unpacks to more than {LARGEST:,} bytes")
    return data
