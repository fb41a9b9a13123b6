"""Conversations that the tests of models, templates and masks render."""

import json
from functools import partial

import pytest
from attrs import evolve
from compoworld_trainer_grpo.models import tiny
from compoworld_trainer_grpo.templates.known import bound, find

from compoworld_core import compose
from compoworld_core.conversation import opening
from compoworld_core.meta import MetaTools
from compoworld_core.records import Message, ToolCall

TEMPLATES = ("compact", "chatml", "qwen3", "qwen3-training")
SERVICES = ("gmail", "linear")


def play(*steps, instruction="Tell Ada Tölgyes (ada@x.example) about issue 17.", scale=40):
    """A conversation with a real environment: each step is a list of parallel calls."""
    meta = compose(*SERVICES, seed=3, scale=scale).meta
    messages = opening(instruction)
    number = 0
    for step in steps:
        calls = []
        for name, arguments in step:
            text = json.dumps(arguments, separators=(",", ":"))
            calls.append(ToolCall(id=f"call_{number}", name=name, arguments=text))
            number += 1
        messages.append(Message(role="assistant", tool_calls=tuple(calls)))
        messages += [
            Message(
                role="tool", content=meta.dispatch(c.name, c.arguments).text, tool_call_id=c.id
            )
            for c in calls
        ]
    return [*messages, Message(role="assistant", content="Done: Ada knows.\nNothing else.")]


@pytest.fixture(scope="session")
def conversation():
    """Seven turns: single and parallel calls, a refused one, long results, an answer."""
    return play(
        [("list_services", {})],
        [("list_tools", {"service": "gmail"}), ("list_tools", {"service": "linear"})],
        [("describe_tool", {"service": "gmail", "tool": "search_contacts"})],
        [
            (
                "call_tool",
                {"service": "linear", "tool": "linear_searchIssues", "arguments": {"limit": 5}},
            )
        ],
        [("call_tool", {"service": "gmail", "tool": "nothing", "arguments": {"é": "“x”"}})],
        [("describe_tool", {"service": "gmail", "tool": "send_gmail_message"})],
    )


@pytest.fixture(scope="session")
def tools():
    """The schemas of the meta-tools."""
    return MetaTools.schemas()


@pytest.fixture(scope="session")
def texts(conversation, tools):
    """Rendered conversations, for a tokenizer."""
    compact = find("compact")
    other = play(
        [("list_tools", {"service": "gmail"})],
        [("describe_tool", {"service": "gmail", "tool": "search_contacts"})],
        instruction="Find the ticket of ada@x.example.",
    )
    return [compact.render(each, tools, generation=False) for each in (conversation, other)]


@pytest.fixture(scope="session")
def small(texts):
    """A tiny model, tinier than the default."""
    return tiny.build(texts, seed=1, vocabulary=3000, layers=2, hidden=32)


def tokenizer_with(small, jinja, end="<|im_end|>"):
    """The tokenizer of another model: its own chat template, and its own end token."""
    tokenizer = small.tokenizer.__class__(tokenizer_object=small.tokenizer.backend_tokenizer)
    tokenizer.add_special_tokens({"eos_token": end, "pad_token": "<|endoftext|>"})
    tokenizer.chat_template = jinja
    return tokenizer


@pytest.fixture(scope="session")
def with_text(small):
    """Makes the tokenizer of another model from its chat template and end token."""
    return partial(tokenizer_with, small)


@pytest.fixture(params=TEMPLATES)
def loaded(request, small):
    """The same model under each template."""
    return evolve(small, template=bound(find(request.param), small.tokenizer))
