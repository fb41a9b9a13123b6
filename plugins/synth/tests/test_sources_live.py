"""A real server, written with the official SDK, asked over stdio and streamable HTTP."""

from __future__ import annotations

import fcntl
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
        for _ in range(900):
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


ODD = """
import fcntl, json, subprocess, sys

held = open(sys.argv[2], "w") if len(sys.argv) > 2 else sys.stderr
if held is not sys.stderr:  # locked as long as the server, or what it starts, runs
    fcntl.flock(held, fcntl.LOCK_EX)
sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
subprocess.Popen(sleep, pass_fds=[held.fileno()])
print("Starting the kennel ...", flush=True)
print("\\033[2Jbooting", file=sys.stderr, flush=True)
tool = {"name": "get_pet", "inputSchema": {"type": "object"}, "foo": 1,
        "annotations": {"weird": 1, "readOnlyHint": True}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    result = {"tools": [] if sys.argv[1] == "none" else [tool]}
    if asked["method"] == "initialize":
        result = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {},
                  "serverInfo": {"name": "odd", "version": "1"}}
    elif sys.argv[1] == "endless":
        result["nextCursor"] = "more"
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


@pytest.fixture
def odd(tmp_path: Path) -> str:
    """The line that starts a server which talks too much, without how it goes on."""
    path = tmp_path / "odd.py"
    path.write_text(ODD)
    return f"{sys.executable} {path}"


def locked(path: Path) -> bool:
    """Whether some process still holds the file."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def test_lines_that_are_no_protocol_are_counted_and_not_logged(
    odd: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    found = live.from_command(f"{odd} one")
    assert [(each.path, each.why.split()[0]) for each in found.problems][-1] == ("stdout", "1")
    assert not caplog.records
    assert capfd.readouterr().err == ""


def test_unknown_keys_of_a_live_tool_are_reported(odd: str) -> None:
    paths = [each.path for each in live.from_command(f"{odd} one").problems]
    assert {"get_pet/foo", "get_pet/annotations/weird"} <= set(paths)


def test_what_a_server_started_ends_with_it(odd: str, tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    live.from_command(f"{odd} one {lock}")
    assert lock.is_file(), "the server took it"
    for _ in range(200):  # the kernel may take its time to end it
        if not locked(lock):
            return
        time.sleep(0.1)
    pytest.fail("what the server started is still there")


def test_a_refusal_of_ours_is_said_once(odd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_MOST_PAGES", 3)
    with pytest.raises(SourceError) as refused:
        live.from_command(f"{odd} endless")
    text = str(refused.value)
    assert text.count("pages of tools") == 1
    assert "SourceError" not in text
    assert "\033" not in text


def test_an_open_quote_is_named() -> None:
    with pytest.raises(SourceError, match="No closing quotation"):
        live.from_command('python "x')
