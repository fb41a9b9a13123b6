"""A real server, written with the official SDK, asked over stdio and streamable HTTP."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed: compoworld-synth[mcp]")

from compoworld_synth.sources import SourceError, live

SERVER = '''
import json, os, sys
from mcp.server import MCPServer

server = MCPServer("kennel", version="3")

@server.tool()
def get_pet(pet_id: str, detail: bool = False) -> str:
    """Get one pet."""
    return json.dumps(sorted(os.environ))

@server.tool()
def environment() -> str:
    return ""

if len(sys.argv) > 2:
    open(sys.argv[2], "w").write(json.dumps(dict(os.environ)))
if sys.argv[1] == "stdio":
    server.run("stdio")
else:
    server.run("streamable-http", port=int(sys.argv[1]))
'''


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "server.py"
    path.write_text(SERVER)
    return path


@pytest.fixture
def address(script: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, str(script), str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


def test_a_server_over_stdio_is_listed(script: Path) -> None:
    found = live.from_command(f"{sys.executable} {script} stdio")
    assert [each.name for each in found.tools] == ["get_pet", "environment"]
    assert (found.server, found.version) == ("kennel", "3")
    assert found.tools[0].input_schema["required"] == ["pet_id"]


def test_a_server_sees_no_secret_of_ours(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    seen = tmp_path / "seen.json"
    live.from_command(f"{sys.executable} {script} stdio {seen}")
    told = json.loads(seen.read_text())
    assert "OPENAI_API_KEY" not in told
    assert told.get("HOME") != os.environ.get("HOME")


def test_a_server_over_http_is_listed(address: str) -> None:
    assert [each.name for each in live.from_url(address).tools] == ["get_pet", "environment"]


def test_a_command_that_is_no_server_says_so() -> None:
    with pytest.raises(SourceError, match=r"no list of tools|did not list"):
        live.from_command(f"{sys.executable} -c pass", seconds=10)


def test_a_command_that_is_not_there_says_so() -> None:
    with pytest.raises(SourceError, match="no list of tools"):
        live.from_command("/nowhere/at-all")


def test_a_silent_server_is_given_up() -> None:
    with pytest.raises(SourceError, match="2 seconds"):
        live.from_command(f"{sys.executable} -c 'import time; time.sleep(60)'", seconds=2)


@pytest.mark.slow
def test_a_real_npm_server_is_listed() -> None:
    """Install one by hand and name its line: a download has no place in a test."""
    command = os.environ.get("COMPOWORLD_TEST_MCP_SERVER", "")
    if not command:
        pytest.skip("COMPOWORLD_TEST_MCP_SERVER names no server (`node …/everything stdio`)")
    assert len(live.from_command(command).tools) > 1


@pytest.mark.parametrize(
    "url", ["ftp://a/b", "localhost:80", "file:///etc/passwd", "", "http://[::1", "http://:80"]
)
def test_only_web_addresses_are_asked(url: str) -> None:
    with pytest.raises(SourceError, match="no http"):
        live.from_url(url)


def test_an_open_quote_is_named() -> None:
    with pytest.raises(SourceError, match="No closing quotation"):
        live.from_command('python "x')
