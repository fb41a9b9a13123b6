"""Endpoint: which server and model a client talks to, and how patiently."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from attrs import field, frozen

from compoworld_core.errors import UsageError

BASE_URL: Final = ("COMPOWORLD_OPENAI_BASE_URL", "OPENAI_BASE_URL")
MODEL: Final = ("COMPOWORLD_OPENAI_MODEL", "OPENAI_MODEL")
KEY: Final = ("COMPOWORLD_OPENAI_API_KEY", "OPENAI_API_KEY")


@frozen
class Endpoint:
    """A chat endpoint with the limits of a request to it."""

    base_url: str
    model: str
    key: str = field(repr=False)
    """Empty for a server that asks for none. Never an option: options lie in run folders."""
    timeout: float
    """Seconds for one request, from its start to the last byte of the answer."""
    tries: int
    """Requests for one message, the first one included."""
    pause: float
    """Seconds before the second try; each further wait is twice as long, up to a minute."""
    key_variable: str = KEY[-1]
    """The environment variable that the key comes from."""

    @property
    def url(self) -> str:
        """Where requests go."""
        return f"{self.base_url}/chat/completions"

    def redacted(self, text: str) -> str:
        """A text without the key, which some endpoints repeat where they refuse."""
        return text.replace(self.key, "…") if self.key else text

    @property
    def local(self) -> bool:
        """Whether the server is on this machine, where no proxy leads to."""
        host = urlsplit(self.base_url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"


def read_endpoint(
    base_url: str | None,
    model: str | None,
    timeout: float,
    tries: object,
    pause: float,
    environment: Mapping[str, str] = os.environ,
    *,
    who: str = "the policy 'openai'",
    key_variable: str = "",
) -> Endpoint:
    """The endpoint that options and environment name; UsageError where something is missing.

    Args:
        base_url: the address up to /v1; by default of the environment.
        model: the model's name; by default of the environment.
        timeout: seconds for one request.
        tries: requests for one message.
        pause: seconds before the second try.
        environment: where variables are looked up.
        who: asks for it, in messages.
        key_variable: the variable that holds the key, instead of the usual ones.
    """
    url = base_url or _variable(environment, BASE_URL)
    if not url:
        raise UsageError(
            f"{who} does not know the endpoint; set COMPOWORLD_OPENAI_BASE_URL to"
            " the address that ends in /v1, such as http://127.0.0.1:8000/v1"
        )
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"the base URL is {url!r}; write it like http://127.0.0.1:8000/v1")
    name = model or _variable(environment, MODEL)
    if not name:
        raise UsageError(
            f"{who} does not know the model; give --option model=NAME, or set"
            " COMPOWORLD_OPENAI_MODEL"
        )
    _check("timeout", timeout, 0.001)
    _check("pause", pause, 0.0)
    if isinstance(tries, bool) or not isinstance(tries, int) or not 1 <= tries <= 100:
        raise UsageError(f"tries is {tries!r}; give a whole number from 1 to 100")
    names = (key_variable,) if key_variable else KEY
    key = _variable(environment, names)
    if key_variable and not key:
        raise UsageError(f"{who} is to take its key from {key_variable}, which is not set")
    return Endpoint(url.rstrip("/"), name, key, timeout, tries, pause, names[-1])


def _variable(environment: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((environment[name] for name in names if environment.get(name)), "")


def _check(name: str, value: object, least: float) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not least <= value <= 86_400:  # type: ignore[operator]  # a number by then
        raise UsageError(f"{name} is {value!r}; give seconds, from {least:g} to 86400")
