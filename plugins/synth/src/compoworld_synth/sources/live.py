"""Live: a running MCP server asked for its tools with the official SDK; none is called."""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, Final
from urllib.parse import urlsplit

from attrs import define, evolve, field

from compoworld_synth.listing import Listing, Problem
from compoworld_synth.sources import mcp
from compoworld_synth.sources.reading import SourceError

PATIENCE: Final = 60.0
"""Seconds for starting a server and getting all its pages."""
_MOST_PAGES: Final = 500
_KEPT: Final = ("PATH", "LANG", "LC_ALL", "TMPDIR")
"""All that a server's process sees of the environment: no key, no token, no home."""
_AROUND: Final = (
    "import os, signal, subprocess, sys\n"
    "try:\n"
    "    subprocess.run(sys.argv[1:])\n"
    "finally:\n"
    "    os.killpg(0, signal.SIGKILL)\n"
)
"""Runs a server and then ends its process group, the SDK's own session: what the server has
started does not outlive the import."""


@define
class _Heard:
    """What came from a server beside what the SDK makes of it."""

    pages: list[dict[str, Any]] = field(factory=list)
    """The results that hold tools, as the server wrote them: the SDK drops what it does not
    know, and nothing is dropped silently here."""
    noise: int = 0
    """Lines that were no message of the protocol."""


def from_command(command: str, seconds: float = PATIENCE) -> Listing:
    """Start a server over stdio, list its tools, end it and all that it has started."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SourceError(
            f"--command {command!r} is no line of a shell: {error}; close what is open"
        ) from None
    if not words:
        raise SourceError("--command is empty; give the line that starts the server")
    _sdk()
    if shutil.which(words[0]) is None:
        raise SourceError(
            f"the command {command!r} gave no list of tools: there is no program {words[0]!r};"
            " install it, or write its path"
        )
    from mcp import StdioServerParameters, stdio_client

    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    # Without `env` the SDK would pass HOME, USER and SHELL on: those it is given win.
    blank = {"HOME": "/nonexistent", "USER": "", "LOGNAME": "", "SHELL": "", "TERM": ""}
    with tempfile.TemporaryFile("w+", errors="replace") as said:

        def connect() -> Any:
            around = ["-I", "-c", _AROUND, *words]
            environment = {**blank, **kept}
            server = StdioServerParameters(command=sys.executable, args=around, env=environment)
            return stdio_client(server, errlog=said)

        try:
            return _asked(connect, f"the command {command!r}", seconds)
        except SourceError as error:
            raise SourceError(f"{error}{_last(said)}") from error


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


def _last(said: IO[str]) -> str:
    """What a server said last on its standard error, with no sign that a terminal obeys."""
    said.seek(0)
    lines = [line.strip() for line in said.read()[-4000:].splitlines() if line.strip()]
    return f"; it said last: {lines[-1][:200]!a}" if lines else ""


def _asked(connect: Any, source: str, seconds: float) -> Listing:
    import anyio

    heard = _Heard()

    async def ask() -> dict[str, Any]:
        with anyio.fail_after(seconds):
            return await _pages(connect, source, heard)

    try:
        with _quiet():
            answer = anyio.run(ask)
    except TimeoutError:
        raise SourceError(f"{source} did not list its tools in {seconds:g} seconds") from None
    except Exception as error:
        # The SDK raises what the transport raised, in groups: all of it means "no listing".
        first = _first(error)
        if isinstance(first, SourceError):
            raise first from None
        text = f"{type(first).__name__}: {first}"[:300]
        raise SourceError(f"{source} gave no list of tools: {text}") from error
    found = mcp.listing(answer, answer["server"], source)
    if not heard.noise:
        return found
    why = f"{heard.noise} lines on its standard output were no message of the protocol"
    return evolve(found, problems=(*found.problems, Problem("stdout", why)))


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the SDK's log: a line on the server's standard output is no error of ours."""
    logger = logging.getLogger("mcp")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)


async def _pages(connect: Any, source: str, heard: _Heard) -> dict[str, Any]:
    import anyio
    from mcp import ClientSession

    async with connect() as streams, anyio.create_task_group() as tasks:
        send, receive = anyio.create_memory_object_stream[Any](0)
        tasks.start_soon(_listen, streams[0], send, heard)
        async with ClientSession(receive, streams[1]) as session:
            head = await session.initialize()
            cursor: str | None = None
            for _ in range(_MOST_PAGES):
                page = await session.list_tools(**_after(cursor))
                cursor = page.model_dump(by_alias=True).get("nextCursor")
                if not cursor:
                    break
            else:
                raise SourceError(f"{source} has more than {_MOST_PAGES} pages of tools")
        tasks.cancel_scope.cancel()
    info = head.model_dump(by_alias=True)["serverInfo"]
    tools = [tool for each in heard.pages for tool in each["tools"]]
    return {"tools": tools, "server": info["name"], "version": info.get("version", "")}


async def _listen(messages: Any, session: Any, heard: _Heard) -> None:
    """Hand messages on to the session: lists of tools are kept here, noise is counted."""
    async with session:
        async for each in messages:
            if isinstance(each, Exception):
                heard.noise += 1
                continue
            result = getattr(each.message, "result", None)
            if isinstance(result, dict) and isinstance(result.get("tools"), list):
                heard.pages.append(result)
                each.message = each.message.model_copy(
                    update={"result": {**result, "tools": []}}
                )
            await session.send(each)


def _after(cursor: str | None) -> dict[str, Any]:
    from mcp.types import PaginatedRequestParams

    return {"params": PaginatedRequestParams(cursor=cursor)} if cursor else {}


def _first(error: BaseException) -> BaseException:
    """The first single error of nested groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
