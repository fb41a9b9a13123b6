"""Both harnesses, for real: in the sandbox, through the proxy, with a scripted model."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from compoworld_synth.agentic import completion, harness
from compoworld_synth.agentic.budget import Budget
from compoworld_synth.agentic.package import open_package

from compoworld_core.errors import UsageError
from compoworld_core.protocols import Sandbox

TOOLS = "src/notes_service/tools.py"
TOOL_NAMES = ("archive_note", "create_note", "get_note", "list_notes")

pytestmark = pytest.mark.e2e


@pytest.fixture(params=["loop", "pi"])
def agent(request: pytest.FixtureRequest) -> Any:
    if request.param == "pi":
        try:
            harness.find_pi()
        except UsageError as error:
            pytest.skip(str(error))
    return request.param


def work(notes: Path, agent: Any, server: Any, box: Sandbox, **options: Any) -> completion.Work:
    return completion.Work(
        open_package(notes), agent, server.endpoint, box, seconds=60, **options
    )


def test_a_service_is_written_and_its_wrong_first_version_repaired(
    agent: Any, unwritten: Path, server: Any, box: Sandbox, author: Any, versions: Any, key: str
) -> None:
    server.model = author(versions["wrong"], versions["right"])
    made = work(unwritten, agent, server, box)
    done = made.complete()
    assert done.problems == ()
    assert (done.accepted, done.rounds, done.tools) == (True, 1, TOOL_NAMES)
    assert done.written[TOOLS].decode() == versions["right"]
    failed = [text for text in server.model.outputs if "conformance" in text]
    assert len(failed) == 1, "the agent saw the first version fail"
    assert done.spending["requests"] == len(server.bodies) == 6
    assert done.spending["prompt_tokens"] == 6 * 70
    assert (unwritten / TOOLS).read_text() != versions["right"]
    assert completion.keep(made.package, done) == [TOOLS]
    assert (unwritten / TOOLS).read_text() == versions["right"]
    assert all(each["Authorization"] == f"Bearer {key}" for each in server.headers)
    assert key not in done.log


def test_a_second_round_knows_what_was_wrong(
    notes: Path, server: Any, box: Sandbox, author: Any, versions: Any
) -> None:
    server.model = author(versions["wrong"])
    done = work(notes, "loop", server, box, rounds=2).complete()
    assert (done.accepted, done.rounds, done.written) == (False, 2, {})
    assert "archive_note" in done.problems[0]
    task = server.model.outputs[0]
    assert "What was wrong with the last version" in task


def test_a_spent_budget_ends_the_work(
    notes: Path, server: Any, box: Sandbox, author: Any, versions: Any
) -> None:
    server.model = author(versions["wrong"], versions["right"])
    done = work(notes, "loop", server, box, budget=Budget(requests=3)).complete()
    assert not done.accepted
    assert done.rounds == 1
    assert len(server.bodies) == 3
    assert done.spending["refused"] == 1


def test_what_is_not_for_a_service_is_refused_without_being_run(
    notes: Path, server: Any, box: Sandbox, author: Any, versions: Any
) -> None:
    server.model = author(f"import os\n{versions['right']}")
    done = work(notes, "loop", server, box, rounds=1).complete()
    assert done.problems == (f"not for a service: {TOOLS}:1: imports os",)


def test_tests_that_judge_cannot_be_rewritten(
    notes: Path, server: Any, box: Sandbox, author: Any, versions: Any
) -> None:
    """The agent breaks a tool, and overwrites the test that would see it."""
    right = versions["right"].replace("title=title", 'title="always this"')
    script = author(right)

    def model(body: dict[str, Any]) -> dict[str, Any]:
        message: dict[str, Any] = script(body)
        if len(script.outputs) == 2:
            edit = message["tool_calls"][0]["function"]
            edit["name"] = "write"
            edit["arguments"] = (
                '{"path": "tests/test_notes.py", "content": "def test_a(): ..."}'
            )
        return message

    server.model = model
    done = work(notes, "loop", server, box, rounds=1).complete()
    assert any("would not be kept" in text for text in script.outputs)
    assert not done.accepted
    assert "tests: 0 of 1 pass" in done.problems[0]


def test_the_agents_own_tests_count_and_cannot_reach_the_others(
    notes: Path, server: Any, box: Sandbox, versions: Any
) -> None:
    own = "def test_that_fails() -> None:\n    assert 1 == 2\n"
    writes = [(TOOLS, versions["right"]), ("tests/test_written.py", own)]

    def model(body: dict[str, Any]) -> dict[str, Any]:
        turn = sum(m["role"] == "tool" for m in body["messages"])
        if turn == len(writes):
            return {"content": "Done."}
        path, content = writes[turn]
        function = {
            "name": "write",
            "arguments": json.dumps({"path": path, "content": content}),
        }
        return {"tool_calls": [{"id": "c", "type": "function", "function": function}]}

    server.model = model
    done = work(notes, "loop", server, box, rounds=1).complete()
    assert len(done.problems) == 1
    assert "test_that_fails" in done.problems[0]


def test_a_tool_that_is_not_simulated_is_not_completed(
    notes: Path, server: Any, box: Sandbox
) -> None:
    with pytest.raises(UsageError, match="get_note is no simulated tool"):
        work(notes, "loop", server, box).complete(["get_note"])


def test_no_key_is_in_the_sandbox(notes: Path, server: Any, box: Sandbox, key: str) -> None:
    """The agent searches what it can read, from inside its checks."""
    hunt = (
        "import os, pathlib\n"
        "places = [p for top, what in [('/proc', '[0-9]*/environ'),"
        " ('/proc', '[0-9]*/cmdline'), ('/job', '**/*'), ('/tmp', '**/*'), ('/run', '**/*')]"
        " for p in pathlib.Path(top).glob(what)]\n"
        "found = repr(dict(os.environ))\n"
        "for place in places:\n"
        "    try: found += place.read_text(errors='replace')\n"
        "    except OSError: pass\n"
        f"hit = {key[:6]!r} + {key[6:]!r} in found\n"
        "raise RuntimeError(f'searched {len(found)}: {hit}')\n"
    )
    path = "src/notes_service/rules.py"
    steps = [
        {"name": "write", "arguments": {"path": path, "content": hunt}},
        {
            "name": "write",
            "arguments": {"path": TOOLS, "content": "import notes_service.rules"},
        },
        {"name": "run_checks", "arguments": {}},
    ]
    seen: list[str] = []

    def model(body: dict[str, Any]) -> dict[str, Any]:
        results = [m["content"] for m in body["messages"] if m["role"] == "tool"]
        seen[:] = results
        if len(results) == len(steps):
            return {"content": "Done."}
        step = steps[len(results)]
        function = {"name": step["name"], "arguments": json.dumps(step["arguments"])}
        return {"tool_calls": [{"id": "c", "type": "function", "function": function}]}

    server.model = model
    work(notes, "loop", server, box, rounds=1).complete()
    assert re.search(r"searched \d{4,}: False", seen[-1])
