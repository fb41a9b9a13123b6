"""Starts the `pi` coding agent with a port of the sandbox's own loopback as its endpoint.

`pi` speaks HTTP to addresses only, so each connection to the port is joined to the Unix socket
that leads out. Runs by its path; its one argument is a JSON object with argv, socket, model,
agent_folder.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any


def pour(source: socket.socket, target: socket.socket) -> None:
    """Copy bytes until one side ends."""
    try:
        while chunk := source.recv(1 << 16):
            target.sendall(chunk)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        target.close()  # the other direction ends with it


def join(inner: socket.socket, place: str) -> None:
    """Join one connection to the socket that leads out."""
    outer = socket.socket(socket.AF_UNIX)
    try:
        outer.connect(place)
    except OSError:
        inner.close()
        return
    threading.Thread(target=pour, args=(inner, outer), daemon=True).start()
    pour(outer, inner)


def accept(server: socket.socket, place: str) -> None:
    """Join every connection, for ever."""
    while True:
        inner, _ = server.accept()
        threading.Thread(target=join, args=(inner, place), daemon=True).start()


def models(port: int, model: str) -> dict[str, Any]:
    """The agent's list of models: the one behind the port, with a key that is none."""
    entry = {"id": model, "name": model, "reasoning": False, "input": ["text"]}
    provider = {
        "baseUrl": f"http://127.0.0.1:{port}/v1",
        "api": "openai-completions",
        "apiKey": "the-proxy-adds-it",
        "models": [entry],
        "compat": {"supportsStore": False, "maxTokensField": "max_tokens"},
    }
    return {"providers": {"compoworld": provider}}


def main(settings: dict[str, Any]) -> int:
    """Open the port, write the agent's settings, run it to its end."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        threading.Thread(
            target=accept, args=(server, settings["socket"]), daemon=True
        ).start()  # fmt: skip
        folder = Path(settings["agent_folder"])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "models.json").write_text(json.dumps(models(port, settings["model"])))
        environment = {**os.environ, "PI_CODING_AGENT_DIR": str(folder), "PI_OFFLINE": "1"}
        environment |= {"PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"}
        return subprocess.run(  # noqa: S603  # the host's own command
            settings["argv"], stdin=subprocess.DEVNULL, env=environment, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
