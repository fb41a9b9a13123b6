"""Proxy: the only way out of the sandbox, from a Unix socket to the one endpoint.

The key is added here and is never inside. What is forwarded is one kind of request, a chat
completion of the configured model, as long as the budget lasts; one at a time, so that no
number of requests at once can outrun it.
"""

from __future__ import annotations

import json
import logging
import socket
import socketserver
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final

import httpx
from compoworld_policy_openai.endpoint import Endpoint

from compoworld_synth.agentic.budget import Spending

_LARGEST_REQUEST: Final = 8 << 20
_LARGEST_ANSWER: Final = 32 << 20
_LARGEST_REFUSAL: Final = 1 << 16
_LINGER: Final = 2.0
"""Seconds without a byte after which a refused client is not listened to any more."""
_LONG_ANSWER: Final = 16_384
"""Tokens from which an answer is not limited unasked: many endpoints refuse a limit that is
above the model's window, and no window is known here."""
_PATH: Final = "/v1/chat/completions"
_SPENT: Final = "the budget of this work is spent"

_log = logging.getLogger("compoworld.synth.proxy")


class _Failed(Exception):  # noqa: N818  # says what it is
    """The endpoint gave no answer to a request."""

    def __init__(self, status: int, why: str, taken: int | None) -> None:
        """Note what the sandbox is told.

        Args:
            status: of our answer.
            why: in one line.
            taken: bytes that came before it failed; None where the endpoint did no work.
        """
        super().__init__(why or f"the endpoint answers {status}")
        self.status, self.taken = status, taken


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
            self._refuse(404, f"only POST {_PATH} leads out", unread=True)
        elif not (length.isascii() and length.isdigit()) or int(length) > _LARGEST_REQUEST:
            told = f"give a Content-Length of at most {_LARGEST_REQUEST}"
            self._refuse(413, told, unread=True)
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
        spending = self.server.spending
        try:
            answer, kind = self._asked(body)
        except _Failed as failed:
            if failed.taken is not None:
                spending.add(None, prompt_bytes, failed.taken)
            spending.trouble = str(failed)
            self._refuse(failed.status, str(failed))
            return
        spending.add(_usage(answer), prompt_bytes, len(answer))
        spending.trouble = ""
        self._send(200, answer, kind)

    def _asked(self, body: dict[str, Any]) -> tuple[bytes, str]:
        """The endpoint's answer and its content type; _Failed where there is none."""
        endpoint, client = self.server.endpoint, self.server.client
        headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
        answer = bytearray()
        try:
            with client.stream("POST", endpoint.url, json=body, headers=headers) as met:
                if met.status_code != 200:
                    raise _Failed(met.status_code, _told(met, endpoint), None)
                for chunk in met.iter_bytes():
                    answer += chunk
                    if len(answer) > _LARGEST_ANSWER:
                        raise _Failed(502, "the endpoint's answer has no end", len(answer))
                return bytes(answer), met.headers.get("content-type", "application/json")
        except httpx.HTTPError as error:
            taken = None if isinstance(error, httpx.ConnectError) else len(answer)
            why = f"the endpoint does not answer: {type(error).__name__}"
            raise _Failed(502, why, taken) from error

    def _refuse(self, status: int, why: str, unread: bool = False) -> None:
        self.close_connection = True
        self._json(status, {"error": {"message": why, "type": "compoworld_proxy"}})
        if unread:
            self._linger()

    def _linger(self) -> None:
        """Let a client end its body, or it meets a broken pipe before it reads the answer."""
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(_LINGER)
        left = _LARGEST_REQUEST
        with suppress(OSError):  # the client has gone, or waits: closed all the same
            while left > 0 and (chunk := self.connection.recv(1 << 16)):
                left -= len(chunk)

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
    if not named and left > _LONG_ANSWER:
        del kept["max_tokens"]
    if body.get("stream"):
        kept["stream_options"] = {"include_usage": True}
    return kept


def _told(met: httpx.Response, endpoint: Endpoint) -> str:
    """What a refusal says, in one line and without the key."""
    if met.status_code in (401, 403):
        return "the endpoint refuses the host's key"
    text = endpoint.redacted(met.read()[:_LARGEST_REFUSAL].decode(errors="replace"))
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
