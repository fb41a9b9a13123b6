"""What the trainer's tests share: no hub, one thread, and a few exported trajectories."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from compoworld_core.meta import MetaTools

# before the first import of theirs: they read the environment once
for name, value in {
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRL_EXPERIMENTAL_SILENCE": "1",
    "DS_ACCELERATOR": "cpu",
}.items():
    os.environ.setdefault(name, value)

QUIET = (
    # torch's own modules, on import
    "ignore:.*torch.jit.script.*:DeprecationWarning",
    "ignore:.*SwigPy.*:DeprecationWarning",
    "ignore:.*swigvarlink.*:DeprecationWarning",
    # PEFT asks a model by a name that transformers has renamed
    "ignore:.*is_gradient_checkpointing.*:FutureWarning",
    # torch asks for pinned memory where there is no accelerator to pin it for
    "ignore:.*pin_memory.*:UserWarning",
)
"""Warnings of the training stack that no code of ours can avoid."""


def pytest_configure(config: pytest.Config) -> None:
    for line in QUIET:
        config.addinivalue_line("filterwarnings", line)


PEOPLE = {"Ada": "ada@x.io", "Bob": "bob@y.io", "Cyd": "cyd@z.io", "Dan": "dan@w.io"}
TOPICS = ("lunch", "budget", "travel", "hiring")


def trajectory(person: str, topic: str) -> dict[str, Any]:
    """One row of an export, written by hand: mail somebody about something."""
    mail = {"to": PEOPLE[person], "subject": topic}
    send = {"service": "mail", "tool": "send", "arguments": mail}
    steps = (
        ("list_tools", {"service": "mail"}, '["send"]'),
        ("call_tool", send, json.dumps({"id": "m1", **mail})),
    )
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Use the tools."},
        {"role": "user", "content": f"Mail {person} ({PEOPLE[person]}) about {topic}."},
    ]
    for number, (name, arguments, result) in enumerate(steps):
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    messages.append({"role": "assistant", "content": f"Mailed {person}."})
    return {
        "schema": "compoworld/sft@1",
        "messages": messages,
        "tools": MetaTools.schemas(),
        "task": f"task-{person}-{topic}",
        "trajectory": f"trajectory-{person}-{topic}",
        "policy": "oracle",
        "success": True,
        "reward": 1.0,
    }


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of `compoworld export sft` with sixteen trajectories of as many tasks."""
    path = tmp_path_factory.mktemp("export") / "sft.jsonl"
    rows = [trajectory(person, topic) for person in PEOPLE for topic in TOPICS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
