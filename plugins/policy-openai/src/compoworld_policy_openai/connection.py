"""Connection: one question to an endpoint, asked again where another try may help."""

from __future__ import annotations

import atexit
import json
import os
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from random import Random
from typing import Any, Final

import httpx
import tenacity
from attrs import define, field

from compoworld_core.errors import ModelError, UsageError
from compoworld_policy_openai.endpoint import Endpoint

_TRANSIENT: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_LONGEST_WAIT: Final = 120.0
"""Seconds that a Retry-After may ask for at most."""
_LARGEST: Final = 32 << 20
"""Bytes of an answer that are read at most."""

_clients: dict[tuple[int, bool, float], httpx.Client] = {}


class _FailedTry(ModelError):  # noqa: N818  # says what it is
    """A failed try, with what the server says about the next one."""

    def __init__(self, message: str, *, transient: bool, wait: float | None = None) -> None:
        self.wait = wait
        super().__init__(message, transient=transient)


@define
class Connection:
    """Asks one endpoint; counts what it took."""

    endpoint: Endpoint
    rng: Random
    """Spreads the waits of many rollouts; seeded, so that a rollout can be repeated."""
    tries: int = 0
    """Requests so far."""
    answers: int = 0
    _client: httpx.Client = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._client = _shared_client(self.endpoint)

    def ask(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The endpoint's answer: the message, its token counts, and why it ended there.

        Raises ModelError: transient where the last try still failed in a way that may pass,
        not transient where the request itself was refused. Raises UsageError where address,
        key or model are wrong: no other rollout would fare better.
        """
        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(self.endpoint.tries),
            wait=self._wait,
            retry=tenacity.retry_if_exception(
                lambda error: isinstance(error, _FailedTry) and error.transient
            ),
            reraise=True,
        )
        try:
            answer: dict[str, Any] = retrying(self._try, body)
        except _FailedTry as error:
            if not error.transient:
                raise
            tries = self.endpoint.tries
            raise ModelError(
                f"{error} (after {tries} {'try' if tries == 1 else 'tries'})", transient=True
            ) from error
        self.answers += 1
        return answer

    def _wait(self, state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome is not None else None
        if isinstance(error, _FailedTry) and error.wait is not None:
            return error.wait
        longest = min(60.0, self.endpoint.pause * 2.0 ** (state.attempt_number - 1))
        return longest * (0.5 + 0.5 * self.rng.random())

    def _try(self, body: Mapping[str, Any]) -> dict[str, Any]:
        self.tries += 1
        key = self.endpoint.key
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            with self._client.stream(
                "POST", self.endpoint.url, json=body, headers=headers
            ) as response:
                content = self._read(response)
        except httpx.TimeoutException as error:
            raise self._late() from error
        except httpx.TransportError as error:
            what = str(error) or type(error).__name__
            raise _FailedTry(f"{self.endpoint.url}: {what}", transient=True) from error
        except httpx.HTTPError as error:
            raise _FailedTry(f"{self.endpoint.url}: {error}", transient=False) from error
        if response.status_code != 200:
            raise self._refused(response, content)
        return self._parse(content)

    def _read(self, response: httpx.Response) -> bytes:
        """The body; an answer that drips on for ever, or is endless, is given up."""
        end = time.monotonic() + self.endpoint.timeout
        content = bytearray()
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > _LARGEST:
                raise _FailedTry(f"an answer of more than {_LARGEST} bytes", transient=False)
            if time.monotonic() > end:
                raise self._late()
        return bytes(content)

    def _late(self) -> _FailedTry:
        return _FailedTry(f"no answer within {self.endpoint.timeout:g} s", transient=True)

    def _refused(self, response: httpx.Response, content: bytes) -> Exception:
        status = response.status_code
        said = f"the endpoint answered {status}: {self._message(content)}"
        if status in (401, 403):
            return UsageError(f"{said}. Set the key: {self.endpoint.key_variable}")
        if status == 404:
            endpoint = self.endpoint
            return UsageError(
                f"{said}. Check the base URL, {endpoint.base_url}, and the model,"
                f" {endpoint.model}"
            )
        transient = status in _TRANSIENT
        return _FailedTry(said, transient=transient, wait=_retry_after(response.headers))

    def _parse(self, content: bytes) -> dict[str, Any]:
        try:
            data = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise _FailedTry(f"the answer is not JSON: {error}", transient=True) from error
        choices = data.get("choices") if isinstance(data, dict) else None
        first = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(first, dict) or not isinstance(first.get("message"), dict):
            found = self._message(content)
            raise _FailedTry(f"the answer holds no message: {found}", transient=True)
        return {
            "message": _with_text(first["message"]),
            "usage": data.get("usage"),
            "finish_reason": first.get("finish_reason"),
        }

    def _message(self, content: bytes) -> str:
        """What an error body says, in one short line and without the key."""
        text = content.decode(errors="replace")
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            data = None
        if isinstance(data, dict):
            error = data.get("error", data)
            said = error.get("message") if isinstance(error, dict) else error
            text = said if isinstance(said, str) else text
        line = self.endpoint.redacted(" ".join(text.split()))
        return line if len(line) <= 300 else f"{line[:297]}..."


def _with_text(message: dict[str, Any]) -> dict[str, Any]:
    """The message with its content as text, where an endpoint sends it in parts."""
    parts = message.get("content")
    if not isinstance(parts, list):
        return message
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return {**message, "content": "".join(text for text in texts if isinstance(text, str))}


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait; a date counts from the server's own clock."""
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            now = parsedate_to_datetime(headers.get("date", ""))
            seconds = (parsedate_to_datetime(text) - now).total_seconds()
        except (ValueError, TypeError):
            return None
    if seconds != seconds:  # NaN
        return None
    return min(max(seconds, 0.0), _LONGEST_WAIT)


def _shared_client(endpoint: Endpoint) -> httpx.Client:
    """One client, and its open connections, for all rollouts of this process."""
    key = (os.getpid(), endpoint.local, endpoint.timeout)
    if key not in _clients:
        _clients[key] = httpx.Client(timeout=endpoint.timeout, trust_env=not endpoint.local)
    return _clients[key]


def close_clients() -> None:
    """Close the connections of this process."""
    for key in [key for key in _clients if key[0] == os.getpid()]:
        _clients.pop(key).close()


atexit.register(close_clients)
