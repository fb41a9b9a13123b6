"""ChatPolicy: lets a model behind an OpenAI-compatible chat endpoint play."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from compoworld_core.errors import UsageError
from compoworld_policy_openai.connection import Connection
from compoworld_policy_openai.endpoint import read_endpoint


class ChatPolicy:
    """Sends the history with the four tools and returns the model's message as it wrote it."""

    def __init__(
        self,
        task: Any,
        *,
        seed: int,
        base_url: str | None = None,
        model: str | None = None,
        temperature: float | None = None,
        top_p: float | None = None,
        max_tokens: int | None = None,
        timeout: float = 300.0,
        tries: int = 6,
        pause: float = 1.0,
        reasoning: bool = True,
        body: Mapping[str, Any] | None = None,
    ) -> None:
        """Make the policy of one rollout.

        Args:
            task: not looked at; the instruction stands in the messages.
            seed: sent with each request.
            base_url: the address up to /v1; by default of the environment.
            model: the model's name; by default of the environment.
            temperature: sent where given.
            top_p: sent where given.
            max_tokens: most tokens of one message; sent where given.
            timeout: seconds for one request.
            tries: requests for one message, where the first fails in a way that may pass.
            pause: seconds before the second try.
            reasoning: whether the model sees its earlier reasoning again.
            body: more keys of the request; null leaves one out.
        """
        del task
        if body is not None and not isinstance(body, Mapping):
            raise UsageError(f"body is {body!r}; give a JSON object")
        endpoint = read_endpoint(base_url, model, timeout, tries, pause)
        self._connection = Connection(endpoint, Random(seed))
        self._reasoning = reasoning
        self._given = {
            "model": endpoint.model,
            "seed": seed,
            "temperature": temperature,
            "top_p": top_p,
            "max_tokens": max_tokens,
            **(body or {}),
        }

    def act(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """The model's next message, as it wrote it; `usage` holds the token counts."""
        sent = [sendable(message, self._reasoning) for message in messages]
        body = {"messages": sent, "tools": list(tools), **self._given}
        before = self._connection.tries
        answer = self._connection.ask({k: v for k, v in body.items() if v is not None})
        message = dict(answer["message"])
        if message.get("reasoning_content") is None and isinstance(
            message.get("reasoning"), str
        ):
            message["reasoning_content"] = message["reasoning"]
        counts = dict(token_counts(answer["usage"]))
        counts["retries"] = self._connection.tries - before - 1
        return {**message, "role": "assistant", "usage": counts}


def sendable(message: Mapping[str, Any], reasoning: bool = True) -> dict[str, Any]:
    """A message as every endpoint takes it.

    The history holds calls as the model wrote them, malformed ones too, and servers refuse the
    whole request for one name or argument text that they cannot parse. So a name is cut to what
    names may hold, and arguments that are no JSON object are quoted inside one.
    """
    kept = dict(message)
    if not reasoning:
        kept.pop("reasoning_content", None)
    if kept.get("tool_calls"):
        kept["tool_calls"] = [_sendable_call(call) for call in kept["tool_calls"]]
    return kept


def _sendable_call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call["function"]
    name = re.sub(r"[^a-zA-Z0-9_-]", "_", function["name"])[:64] or "unnamed"
    arguments = function["arguments"]
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        arguments = json.dumps({"malformed": arguments} if arguments else {})
    return {**call, "function": {"name": name, "arguments": arguments}}


def token_counts(usage: Any) -> Iterator[tuple[str, int]]:
    """Token counts, with those that endpoints nest."""
    if not isinstance(usage, Mapping):
        return
    for name in ("prompt_tokens", "completion_tokens", "total_tokens"):
        yield from _count(name, usage.get(name))
    for group, name in (
        ("completion_tokens_details", "reasoning_tokens"),
        ("prompt_tokens_details", "cached_tokens"),
    ):
        details = usage.get(group)
        if isinstance(details, Mapping):
            yield from _count(name, details.get(name))


def _count(name: str, value: Any) -> Iterator[tuple[str, int]]:
    if isinstance(value, int) and not isinstance(value, bool):
        yield name, value
