"""Live: a running MCP server asked for its tools with the official SDK; none is called."""

from __future__ import annotations

import shlex
from typing import Any, Final
from urllib.parse import urlsplit

from compoworld_synth.listing import Listing
from compoworld_synth.sources import mcp
from compoworld_synth.sources.reading import SourceError

PATIENCE: Final = 60.0
"""Seconds for starting a server and getting all its pages."""
_MOST_PAGES: Final = 500
_KEPT: Final = ("PATH", "LANG", "LC_ALL", "TMPDIR")
"""All that a server's process sees of the environment: no key, no token, no home."""


def from_command(command: str, seconds: float = PATIENCE) -> Listing:
    """Start a server over stdio, list its tools, end it."""
    import os

    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SourceError(
            f"--command {command!r} is no line of a shell: {error}; close what is open"
        ) from None
    if not words:
        raise SourceError("--command is empty; give the line that starts the server")
    _sdk()
    from mcp import StdioServerParameters, stdio_client

    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}

    def connect() -> Any:
        # Without `env` the SDK would pass HOME, USER and SHELL on: those it is given win.
        blank = {"HOME": "/nonexistent", "USER": "", "LOGNAME": "", "SHELL": "", "TERM": ""}
        return stdio_client(
            StdioServerParameters(command=words[0], args=words[1:], env={**blank, **kept})
        )

    return _asked(connect, f"the command {command!r}", seconds)


def from_url(url: str, seconds: float = PATIENCE) -> Listing:
    """List the tools of a server over streamable HTTP."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # brackets of an IPv6 address that do not match
        usable = False
    if not usable:
        raise SourceError(f"{url!r} is no http or https address; write http://HOST:PORT/mcp")
    _sdk()
    from mcp.client.streamable_http import streamable_http_client

    return _asked(lambda: streamable_http_client(url), url, seconds)


def _sdk() -> None:
    import importlib.util

    if importlib.util.find_spec("mcp") is None:
        raise SourceError(
            "asking a live server needs the MCP SDK: pip install 'compoworld-synth[mcp]'"
        )


def _asked(connect: Any, source: str, seconds: float) -> Listing:
    import anyio

    async def ask() -> dict[str, Any]:
        with anyio.fail_after(seconds):
            return await _pages(connect, source)

    try:
        answer = anyio.run(ask)
    except TimeoutError:
        raise SourceError(f"{source} did not list its tools in {seconds:g} seconds") from None
    except Exception as error:
        # The SDK raises what the transport raised, in groups: all of it means "no listing".
        if isinstance(error, SourceError):
            raise
        raise SourceError(f"{source} gave no list of tools: {_first(error)}") from error
    return mcp.listing(answer, answer["server"], source)


async def _pages(connect: Any, source: str) -> dict[str, Any]:
    from mcp import ClientSession

    async with connect() as streams, ClientSession(streams[0], streams[1]) as session:
        head = await session.initialize()
        tools: list[Any] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await session.list_tools(**_after(cursor))
            tools += [
                each.model_dump(mode="json", by_alias=True, exclude_none=True)
                for each in page.tools
            ]
            cursor = page.model_dump(by_alias=True).get("nextCursor")
            if not cursor:
                break
        else:
            raise SourceError(f"{source} has more than {_MOST_PAGES} pages of tools")
        info = head.model_dump(by_alias=True)["serverInfo"]
        return {"tools": tools, "server": info["name"], "version": info.get("version", "")}


def _after(cursor: str | None) -> dict[str, Any]:
    from mcp.types import PaginatedRequestParams

    return {"params": PaginatedRequestParams(cursor=cursor)} if cursor else {}


def _first(error: BaseException) -> str:
    """The first single error of nested groups, in a line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"[:300]
