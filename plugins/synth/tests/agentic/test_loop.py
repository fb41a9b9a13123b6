"""The built-in agent's loop against odd answers, over a proxy but outside the sandbox."""

from pathlib import Path
from typing import Any

import pytest
from compoworld_policy_openai.endpoint import Endpoint
from compoworld_synth.agentic import proxy
from compoworld_synth.agentic.budget import Budget, Spending
from compoworld_synth.agentic.inside import loop

from compoworld_core.testing.endpoint import ScriptedEndpoint


@pytest.fixture
def played(served: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`played()`: the status of the loop in an empty folder, with four turns."""

    def play() -> int:
        monkeypatch.chdir(tmp_path)
        with proxy.serve(served, Spending(Budget())) as socket:
            settings = {
                "prompt": "Do it.", "model": "scripted", "turns": 4, "socket": str(socket),
                "writable": ["a.py"], "check": ["/bin/false"],
            }  # fmt: skip
            return loop.main(settings)

    return play


def call(name: str, arguments: str, **more: Any) -> dict[str, Any]:
    return {"id": "c", "function": {"name": name, "arguments": arguments}, **more}


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ([call("write", '{"path": "a.py", "content": "x"}')], "wrote 1 characters"),
        ([call("write", '{"path": "../a.py", "content": "x"}')], "would not be kept"),
        ([call("read", '{"path": "no.py"}')], "FileNotFoundError"),
        ([call("read", '{"path": "a\\u0000"}')], "ValueError"),
        ([call("burn", "{}")], "no tool is called burn"),
        ([call("write", '{"path": "a.py"}')], "missing"),
        ([call("write", "[1]")], "no JSON object"),
        ([call("write", "{")], "cannot be read"),
        (["write"], "cannot be read"),
        ([{}], "cannot be read"),
        ([call("run_checks", "{}")], "The checks FAIL."),
    ],
)
def test_each_call_gets_a_result_whatever_it_is(
    endpoint: ScriptedEndpoint, played: Any, calls: list[Any], said: str
) -> None:
    endpoint.say({"tool_calls": calls}, "Done.")
    assert played() == 0
    assert said in endpoint.complaint(1)


@pytest.mark.parametrize("calls", [{"a": 1}, 7, "write", True])
def test_calls_that_are_no_list_are_no_calls(
    endpoint: ScriptedEndpoint, played: Any, calls: Any
) -> None:
    endpoint.say({"content": "x", "tool_calls": calls})
    assert played() == 0
    assert len(endpoint.bodies) == 1


@pytest.mark.parametrize(
    "reply", [500, b"<html>", b'{"choices": []}', b'{"choices": [{"message": "x"}]}']
)
def test_an_answer_that_is_none_ends_it(
    endpoint: ScriptedEndpoint, played: Any, reply: Any
) -> None:
    endpoint.say(reply)
    assert played() == 3


def test_it_ends_when_its_turns_are_used_up(endpoint: ScriptedEndpoint, played: Any) -> None:
    endpoint.say({"tool_calls": [call("list_files", "{}")]})
    assert played() == 0
    assert len(endpoint.bodies) == 4
