"""Both harnesses, for real: in the sandbox, through the proxy, with a scripted model."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from compoworld_policy_openai.endpoint import Endpoint
from compoworld_synth import report
from compoworld_synth.agentic import completion, harness
from compoworld_synth.agentic.budget import Budget
from compoworld_synth.agentic.package import open_package

from compoworld_core.errors import UsageError
from compoworld_core.protocols import Sandbox
from compoworld_core.testing.endpoint import ScriptedEndpoint

SOURCE = "src/compoworld_imported_notes/notes"
TOOLS = f"{SOURCE}/tools.py"
TOOL_NAMES = ("create_note", "delete_note", "get_note", "list_notes", "merge_notes")

# Each judgement runs the conformance suite, which takes seconds on a quiet machine.
pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture(params=["loop", "pi"])
def agent(request: pytest.FixtureRequest) -> Any:
    if request.param == "pi":
        try:
            harness.find_pi()
        except UsageError as error:
            pytest.skip(str(error))
    return request.param


@pytest.fixture
def work(
    served: Endpoint, box: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., completion.Work]:
    """`work(notes, agent)`: that agent at work on the package, without
    the independent validator, unless `validated` is set."""

    def make(
        folder: Path, agent: str = "loop", *, validated: bool = False, **options: Any
    ) -> completion.Work:
        if not validated:
            monkeypatch.setattr(harness, "validator_command", list)
        made = completion.Work(open_package(folder), agent, served, box, **options)
        made.limits = evolve(made.limits, seconds=280)
        return made

    return make


def test_a_service_is_written_and_its_wrong_first_version_repaired(
    agent: Any,
    unwritten: Path,
    endpoint: ScriptedEndpoint,
    work: Any,
    author: Any,
    versions: Any,
    key: str,
) -> None:
    endpoint.model = script = author(versions["wrong"], versions["right"])
    made = work(unwritten, agent, validated=True)
    done = made.complete()
    assert done.problems == ()
    assert (done.accepted, done.rounds, done.tools) == (True, 1, TOOL_NAMES)
    assert done.written[TOOLS].decode() == versions["right"]
    failed = [text for text in script.outputs if "conformance" in text]
    assert len(failed) == 1, "the agent saw the first version fail"
    assert done.spending["requests"] == len(endpoint.bodies) == 6
    assert done.spending["prompt_tokens"] == 6 * 100
    assert (unwritten / TOOLS).read_text() != versions["right"]
    assert completion.keep(made.package, done) == [TOOLS]
    assert (unwritten / TOOLS).read_text() == versions["right"]
    assert all(each["Authorization"] == f"Bearer {key}" for each in endpoint.headers)
    assert key not in done.log


def test_a_second_round_knows_what_was_wrong(
    notes: Path, endpoint: ScriptedEndpoint, work: Any, author: Any
) -> None:
    endpoint.model = script = author((notes / TOOLS).read_text() + "# nothing new\n")
    done = work(notes, rounds=2).complete()
    assert (done.accepted, done.rounds, done.written) == (False, 2, {})
    assert "merge_notes has no code yet" in done.problems[0]
    task = script.outputs[0]
    assert "What was wrong with the last version" in task
    assert "merge_notes has no code yet" in task


def test_a_spent_budget_ends_the_work(
    notes: Path, endpoint: ScriptedEndpoint, work: Any, author: Any, versions: Any
) -> None:
    endpoint.model = author((notes / TOOLS).read_text() + "# nothing new\n", versions["right"])
    done = work(notes, budget=Budget(requests=3)).complete()
    assert not done.accepted
    assert done.rounds == 1
    assert len(endpoint.bodies) == 3
    assert done.spending["refused"] == 1
    assert done.problems[-1] == "the budget is spent"


def test_an_endpoint_that_refuses_ends_the_work_and_is_named(
    notes: Path, endpoint: ScriptedEndpoint, work: Any
) -> None:
    endpoint.key = "another"
    done = work(notes, rounds=3).complete()
    assert (done.accepted, done.rounds, len(endpoint.bodies)) == (False, 1, 1)
    assert done.problems[-1].endswith("the endpoint refuses the host's key")
    assert done.spending["prompt_tokens"] == 0


def test_what_is_not_for_a_service_is_refused_without_being_run(
    notes: Path, endpoint: ScriptedEndpoint, work: Any, author: Any, versions: Any
) -> None:
    endpoint.model = author(f"import os\n{versions['right']}")
    done = work(notes, rounds=1).complete()
    assert done.problems == (f"not for a service: {TOOLS}:1: imports os",)


BY_HAND = """
from compoworld_core import compose
from compoworld_imported_notes.notes import service


def test_a_created_note_is_there() -> None:
    env = compose(service, seed=1)
    made = env.call("notes.create_note", {"title": "Milk"}).data
    assert env.call("notes.get_note", {"note_id": made["id"]}).data["title"] == "Milk"
"""


def writes(*files: tuple[str, str], then: str = "") -> tuple[Any, list[str]]:
    """A model that writes these files in turn, calls one more tool and ends; what it saw."""
    steps = [("write", {"path": path, "content": content}) for path, content in files]
    steps += [(then, {})] if then else []
    seen: list[str] = []

    def model(body: dict[str, Any]) -> dict[str, Any]:
        seen[:] = [m["content"] for m in body["messages"] if m["role"] == "tool"]
        if len(seen) == len(steps):
            return {"content": "Done."}
        name, arguments = steps[len(seen)]
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {"tool_calls": [{"id": "c", "type": "function", "function": function}]}

    return model, seen


def test_tests_that_judge_cannot_be_rewritten(
    notes: Path, endpoint: ScriptedEndpoint, work: Any, versions: Any
) -> None:
    """The agent breaks a tool, and overwrites the test that would see it."""
    (notes / "tests/test_by_hand.py").write_text(BY_HAND)
    broken = versions["right"].replace("title=title", "title='always this'")
    assert broken != versions["right"]
    nothing = "def test_nothing() -> None: ..."
    endpoint.model, seen = writes((TOOLS, broken), ("tests/test_by_hand.py", nothing))
    done = work(notes, rounds=1).complete()
    assert "would not be kept" in seen[1]
    assert not done.accepted
    assert "test_a_created_note_is_there" in done.problems[0]


def test_the_agents_own_tests_count(
    notes: Path, endpoint: ScriptedEndpoint, work: Any, versions: Any
) -> None:
    own = "def test_that_fails() -> None:\n    assert 1 == 2\n"
    endpoint.model, _ = writes((TOOLS, versions["right"]), ("tests/test_notes_written.py", own))
    done = work(notes, rounds=1).complete()
    assert len(done.problems) == 1
    assert "test_that_fails" in done.problems[0]


def test_a_tool_that_has_code_is_not_completed(notes: Path, work: Any) -> None:
    with pytest.raises(UsageError, match=r"get_note is no tool without code.*merge_notes"):
        work(notes).complete(["get_note"])


def test_what_is_kept_is_deterministic_in_the_manifest(
    notes: Path, endpoint: ScriptedEndpoint, work: Any, author: Any, versions: Any
) -> None:
    """Where the validator could not try it, it stays unproven."""
    endpoint.model = author(versions["right"])
    made = work(notes)
    done = made.complete()
    completion.keep(made.package, done)
    [row] = [each for each in report.rows(notes) if each["name"] == "merge_notes"]
    assert row["evidence"] == ["written by scripted by loop; the checks pass"]
    assert (row["kind"], "pip install compoworld-validator" in row["why"]) == (
        "simulated",
        True,
    )
    completion.keep(made.package, evolve(done, unproven={}))
    [row] = [each for each in report.rows(notes) if each["name"] == "merge_notes"]
    assert (row["kind"], row["why"]) == ("deterministic", "")


def test_no_key_is_in_the_sandbox(
    notes: Path, endpoint: ScriptedEndpoint, work: Any, key: str
) -> None:
    """The agent searches what it can read, from inside its checks."""
    hunt = (
        "import os, pathlib, sys\n"
        "places = [p for top, what in [('/proc', '[0-9]*/environ'),"
        " ('/proc', '[0-9]*/cmdline'), ('/job', '**/*'), ('/tmp', '**/*'), ('/run', '**/*')]"
        " for p in pathlib.Path(top).glob(what)"
        " if not p.is_relative_to(sys.prefix)]\n"  # a checkout may lie in /tmp itself
        "found = repr(dict(os.environ))\n"
        "for place in places:\n"
        "    try: found += place.read_text(errors='replace')\n"
        "    except OSError: pass\n"
        f"hit = {key[:6]!r} + {key[6:]!r} in found\n"
        "raise RuntimeError(f'searched {len(found)}: {hit}')\n"
    )
    files = ((f"{SOURCE}/rules.py", hunt), (TOOLS, "from . import rules"))
    endpoint.model, seen = writes(*files, then="run_checks")
    work(notes, rounds=1).complete()
    assert re.search(r"searched \d{4,}: False", seen[-1])
