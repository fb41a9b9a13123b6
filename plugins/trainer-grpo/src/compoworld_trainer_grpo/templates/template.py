"""Template: renders a conversation for a model, and reads what the model wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from attrs import field, frozen

from compoworld_core.conversation import to_chat
from compoworld_core.errors import UsageError
from compoworld_core.observation import encodable
from compoworld_core.records import Message, ToolCall
from compoworld_trainer_grpo.templates.reading import Reader, tagged

_PROBE: Final = ({"role": "user", "content": "x"},)


@frozen(slots=False)
class Template:
    """How a family of models is talked to; the Jinja text is a normal chat template."""

    name: str
    jinja: str = field(repr=False)
    prefix_preserving: bool
    """Whether a turn renders the same whatever follows it. Where not (templates that strip
    past thinking), each assistant turn is a training row of its own."""
    reader: Reader = tagged
    end: str = "<|im_end|>"
    """The token that ends an assistant's turn, as text."""
    objects: bool = False
    """Whether the Jinja text takes a call's arguments as an object only."""
    variables: Mapping[str, Any] = field(factory=dict)
    """What the Jinja text reads besides messages and tools, such as `bos_token`."""

    def render(
        self,
        messages: Sequence[Message | Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
        *,
        generation: bool,
    ) -> str:
        """The text of a conversation.

        Raises UsageError where the template refuses it.

        Args:
            messages: records or chat dictionaries; calls' arguments as JSON text or objects.
            tools: schemas, as `MetaTools.schemas()` gives them.
            generation: whether the header of the next assistant turn follows.
        """
        import jinja2
        from transformers.utils.chat_template_utils import render_jinja_template

        chat = [_plain(message, self.objects) for message in messages]
        try:
            rendered: Any = render_jinja_template(
                conversations=[chat],
                tools=[dict(tool) for tool in tools] or None,
                chat_template=self.jinja,
                add_generation_prompt=generation,
                **self.variables,
            )
        except jinja2.TemplateError as error:
            raise UsageError(
                f"the chat template {self.name!r} refuses the conversation: {error}; choose"
                " another one with --set template=NAME"
            ) from error
        return str(rendered[0][0])  # of the only conversation; beside it, what was generated

    def continuation(
        self,
        messages: Sequence[Message | Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
    ) -> str:
        """What follows the end token of the last assistant turn, up to where the next begins.

        The messages end in observations (or a user's reply). A sampler appends the tokens of
        this text to those that it has: it never tokenizes a model's own words again.
        """
        position = last_assistant(messages)
        before = self.render(messages[: position + 1], tools, generation=False)
        whole = self.render(messages, tools, generation=True)
        cut = before.rfind(self.end) + len(self.end)
        if not self.end or cut < len(self.end) or whole[:cut] != before[:cut]:
            raise UsageError(
                f"the chat template {self.name!r} renders a turn differently once more follows,"
                " so that no tokens can be appended; use a template that keeps its prefix, such"
                " as qwen3-training for qwen3"
            )
        return whole[cut:]

    @cached_property
    def opening(self) -> str:
        """The header of an assistant turn: what a model's text goes on from."""
        bare = self.render(_PROBE, (), generation=False)
        return self.render(_PROBE, (), generation=True).removeprefix(bare)

    def parse(self, text: str, *, number: int = 0) -> Message:
        """What a model wrote after the header, as an assistant message.

        Nothing is refused here: a malformed call becomes a ToolCall that holds what was
        written, and the environment answers it with what is wrong.

        Args:
            text: up to the end token or further; what follows the token is dropped.
            number: calls of the conversation so far; the new ones are `call_<number>`, ….
        """
        written = encodable(text).partition(self.end)[0] if self.end else encodable(text)
        said = self.reader(written, self.opening)
        calls = tuple(
            ToolCall(id=f"call_{number + index}", name=name, arguments=arguments)
            for index, (name, arguments) in enumerate(said.calls)
        )
        return Message(
            role="assistant",
            content=said.content or (None if calls else ""),
            reasoning_content=said.reasoning,
            tool_calls=calls,
        )


def last_assistant(messages: Sequence[Message | Mapping[str, Any]]) -> int:
    """The position of the last assistant message; UsageError where there is none."""
    for position in reversed(range(len(messages))):
        if role(messages[position]) == "assistant":
            return position
    raise UsageError("the conversation has no assistant message yet; render it instead")


def role(message: Message | Mapping[str, Any]) -> str:
    """Who says a message."""
    return message.role if isinstance(message, Message) else str(message["role"])


def _plain(message: Message | Mapping[str, Any], objects: bool) -> dict[str, Any]:
    """A message as templates take it: the content is text, which some add to."""
    chat = to_chat(message) if isinstance(message, Message) else dict(message)
    chat["content"] = "" if chat.get("content") is None else chat["content"]
    if objects and chat.get("tool_calls"):
        chat["tool_calls"] = [
            {**call, "function": {**call["function"], "arguments": _object(call["function"])}}
            for call in chat["tool_calls"]
        ]
    return chat


def _object(function: Mapping[str, Any]) -> Any:
    """A call's arguments as an object; what is none stays visible under one key."""
    given = function.get("arguments", {})
    if not isinstance(given, str):
        return given
    try:
        value = json.loads(given or "{}")
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"arguments": given}
