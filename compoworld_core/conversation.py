"""Conversation: the chat messages of a rollout, as policies write and as records hold them.

A policy speaks the format of OpenAI-compatible endpoints. Whatever it writes becomes a record;
what is malformed in it is told to it by the environment, and never guessed at.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

from compoworld_core.errors import PluginError
from compoworld_core.observation import encodable
from compoworld_core.records import Message, ToolCall, Trajectory

SYSTEM: Final = (
    "You are an assistant who works with the services of a company on behalf of the user. The"
    " only tools that you call directly are list_services, list_tools, describe_tool and"
    " call_tool; with them you find out which services there are and what their tools take, and"
    " call those tools. Describe a tool before you call it for the first time. Look facts up"
    " instead of guessing them, change only what the task asks for, and go on until it is done;"
    " nobody answers questions. Then reply without a tool call, in a sentence or two: that ends"
    " the task."
)
"""The system prompt of a rollout where nobody answers."""

SYSTEM_WITH_USER: Final = SYSTEM.replace(
    " nobody answers questions. Then reply",
    " where only the user can know something, ask in a message without a tool call, and the"
    " user answers. When all is done, reply",
).replace("that ends the task", "a message that asks nothing ends the task")
"""The system prompt of a rollout where the user answers questions."""


def opening(instruction: str, *, answered: bool = False) -> list[Message]:
    """The messages that a rollout starts from: the system prompt and the instruction.

    Args:
        instruction: of the task.
        answered: whether there is a user who answers questions.
    """
    return [
        Message(role="system", content=SYSTEM_WITH_USER if answered else SYSTEM),
        Message(role="user", content=instruction),
    ]


def read_message(said: Any, taken: set[str]) -> tuple[Message, dict[str, int]]:
    """A policy's message as a record, and the token counts that came with it.

    Arguments given as an object become JSON text; a call without a name has the name ""; a
    lone surrogate, which no file can hold, becomes a question mark.
    Raises PluginError where the message is no mapping at all.

    Args:
        said: what the policy returned.
        taken: the ids of earlier calls; a call that repeats one, or has none, gets another.
    """
    if not isinstance(said, Mapping):
        raise PluginError(
            f"a policy returned a {type(said).__name__}; act() returns an assistant message:"
            ' {"role": "assistant", "content": "…", "tool_calls": […]}'
        )
    calls = said.get("tool_calls") or ()
    if isinstance(calls, str) or not isinstance(calls, Sequence):
        calls = (calls,)
    usage = said.get("usage")
    return (
        Message(
            role="assistant",
            content=_text(said.get("content")),
            reasoning_content=_text(said.get("reasoning_content")),
            tool_calls=tuple(_read_calls(calls, taken)),
        ),
        _counts(usage) if isinstance(usage, Mapping) else {},
    )


def _read_calls(calls: Sequence[Any], taken: set[str]) -> Iterator[ToolCall]:
    for call in calls:
        function = call.get("function") if isinstance(call, Mapping) else None
        given = function if isinstance(function, Mapping) else {}
        name, arguments = given.get("name"), given.get("arguments", "")
        key = call.get("id") if isinstance(call, Mapping) else None
        key = encodable(key) if isinstance(key, str) else ""
        if not key or key in taken:
            key = next(k for n in count(len(taken)) if (k := f"call_{n}") not in taken)
        taken.add(key)
        yield ToolCall(
            id=key,
            name=encodable(name) if isinstance(name, str) else "",
            arguments=encodable(arguments) if isinstance(arguments, str) else _json(arguments),
        )


def _text(content: Any) -> str | None:
    """Text content; the text parts of a list of parts."""
    if content is None:
        return None
    if isinstance(content, str):
        return encodable(content)
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return encodable("".join(part for part in parts if isinstance(part, str)))
    return _json(content)


def _json(value: Any) -> str:
    try:
        return encodable(json.dumps(value, ensure_ascii=False, default=repr))
    except (TypeError, ValueError, RecursionError):
        return f"({type(value).__name__} that is no JSON)"  # told to the policy as malformed


def _counts(usage: Mapping[Any, Any]) -> dict[str, int]:
    return {
        encodable(str(name)): number
        for name, number in usage.items()
        if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 1 << 53
    }


def to_chat(message: Message) -> dict[str, Any]:
    """A record in the format of chat endpoints and templates."""
    chat: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.reasoning_content is not None:
        chat["reasoning_content"] = message.reasoning_content
    if message.tool_calls:
        chat["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        chat["tool_call_id"] = message.tool_call_id
    return chat


def tool_calls(messages: Iterable[Message]) -> list[ToolCall]:
    """All calls of a conversation, in order; a finding's `call` is a position in this list."""
    return [call for message in messages for call in message.tool_calls]


def target(call: ToolCall) -> tuple[str, str] | None:
    """(service, tool) that a describe_tool or call_tool is about; None where it names none."""
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return None
    if not isinstance(arguments, dict):
        return None
    service, tool = arguments.get("service"), arguments.get("tool")
    return (service, tool) if isinstance(service, str) and isinstance(tool, str) else None


def undescribed_calls(trajectory: Trajectory) -> list[str]:
    """The `service.tool` of each call of a tool that no earlier turn had described.

    A description counts from the turn after the one that asked for it: two parallel calls know
    nothing of each other.
    """
    answered = {
        m.tool_call_id for m in trajectory.messages if m.role == "tool" and not m.is_error
    }
    described: set[tuple[str, str]] = set()
    found = []
    for message in trajectory.messages:
        new = set()
        for call in message.tool_calls:
            about = target(call)
            if about is None:
                continue
            if call.name == "describe_tool" and call.id in answered:
                new.add(about)
            elif call.name == "call_tool" and about not in described:
                found.append(".".join(about))
        described |= new
    return found
