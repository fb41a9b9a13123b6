"""Proxy: the only way out of the sandbox, from a Unix socket to the one endpoint.

The key is added here and is never inside. What is forwarded is one kind of request, a chat
completion of the configured model, as long as the budget lasts; one at a time, so that no
number of requests at once can outrun it.
"""

from __future__ import annotations

import json
import logging
import socketserver
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final

import httpx
from compoworld_policy_openai.endpoint import Endpoint

from compoworld_synth.agentic.budget import Spending

_LARGEST_REQUEST: Final = 8 << 20
_LARGEST_ANSWER: Final = 32 << 20
_PATH: Final = "/v1/chat/completions"
_SPENT: Final = "the budget of this work is spent"

_log = logging.getLogger("compoworld.synth.proxy")


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, place: str, endpoint: Endpoint, spending: Spending) -> None:
        super().__init__(place, _Handler)
        self.endpoint, self.spending = endpoint, spending
        self.turn = threading.Lock()
        # No redirects: an answer must not choose where the key goes next.
        self.client = httpx.Client(
            timeout=endpoint.timeout, trust_env=not endpoint.local, follow_redirects=False
        )

    def server_close(self) -> None:
        super().server_close()
        self.client.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        _log.debug("a connection from the sandbox failed", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 600
    server: _Server  # the one that makes it

    def do_GET(self) -> None:  # the standard library's name
        if self.path == "/v1/models":
            model = {"id": self.server.endpoint.model, "object": "model"}
            self._json(200, {"object": "list", "data": [model]})
        else:
            self._refuse(404, f"only POST {_PATH} leads out")

    def do_POST(self) -> None:  # as above
        length = self.headers.get("Content-Length", "")
        if self.path != _PATH:
            self._refuse(404, f"only POST {_PATH} leads out")
        elif not (length.isascii() and length.isdigit()) or int(length) > _LARGEST_REQUEST:
            self._refuse(413, f"give a Content-Length of at most {_LARGEST_REQUEST}")
        else:
            self._ask(self.rfile.read(int(length)))

    def _ask(self, content: bytes) -> None:
        try:
            body = json.loads(content)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            self._refuse(400, "the request is no JSON object")
            return
        with self.server.turn:
            left = self.server.spending.admit(len(content))
            if left == 0:
                # 402, not 429: clients wait and ask again after a 429.
                self._refuse(402, _SPENT)
                return
            self._forward(_bounded(body, self.server.endpoint.model, left), len(content))

    def _forward(self, body: dict[str, Any], prompt_bytes: int) -> None:
        endpoint, server = self.server.endpoint, self.server
        headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
        answer = bytearray()
        try:
            with server.client.stream("POST", endpoint.url, json=body, headers=headers) as met:
                if met.status_code != 200:
                    self._refuse(met.status_code, _told(met, endpoint.key))
                    return
                for chunk in met.iter_bytes():
                    answer += chunk
                    if len(answer) > _LARGEST_ANSWER:
                        self._refuse(502, "the endpoint's answer has no end")
                        return
                kind = met.headers.get("content-type", "application/json")
        except httpx.HTTPError as error:
            self._refuse(502, f"the endpoint does not answer: {type(error).__name__}")
            return
        finally:
            server.spending.add(_usage(bytes(answer)), prompt_bytes, len(answer))
        self._send(200, bytes(answer), kind)

    def _refuse(self, status: int, why: str) -> None:
        self.close_connection = True  # the body may not have been read
        self._json(status, {"error": {"message": why, "type": "compoworld_proxy"}})

    def _json(self, status: int, data: Any) -> None:
        self._send(status, json.dumps(data).encode(), "application/json")

    def _send(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "".join(c for c in kind if c.isprintable()))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        _log.debug(format, *args)


@contextmanager
def serve(endpoint: Endpoint, spending: Spending) -> Iterator[Path]:
    """Serve the proxy on a Unix socket while the context lasts; its path.

    The socket is open to all users, since the sandbox runs as one of its own, in a folder that
    only this user may enter.
    """
    with tempfile.TemporaryDirectory(prefix="compoworld-proxy-") as folder:
        place = Path(folder, "outside.sock")
        with _Server(str(place), endpoint, spending) as server:
            place.chmod(0o666)
            thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
            thread.start()
            try:
                yield place
            finally:
                server.shutdown()
                thread.join()


def _bounded(body: dict[str, Any], model: str, left: int) -> dict[str, Any]:
    """The request with our model, an answer no longer than the budget, and counts asked for."""
    kept = {**body, "model": model, "n": 1}
    named = [name for name in ("max_tokens", "max_completion_tokens") if name in body]
    for name in named or ["max_tokens"]:
        asked = body.get(name)
        kept[name] = min(asked, left) if isinstance(asked, int) and asked > 0 else left
    if not named and left > 16_384:
        del kept["max_tokens"]  # many endpoints refuse more than the model's window
    if body.get("stream"):
        kept["stream_options"] = {"include_usage": True}
    return kept


def _told(met: httpx.Response, key: str) -> str:
    """What a refusal says, in one line; without the key, which some endpoints repeat."""
    if met.status_code in (401, 403):
        return "the endpoint refuses the host's key"
    text = met.read()[:2_000].decode(errors="replace")
    if key:
        text = text.replace(key, "…")
    return " ".join(text.split())[:400]


def _usage(answer: bytes) -> Any:
    """The token counts of an answer: of the object, or of the last event that has some."""
    lines = answer.split(b"\n") if answer.lstrip().startswith((b"data:", b":")) else [answer]
    for line in reversed(lines):
        text = line.strip().removeprefix(b"data:").strip()
        if not text.startswith(b"{"):
            continue
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict) and isinstance(data.get("usage"), dict):
            return data["usage"]
    return None
