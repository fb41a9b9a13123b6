"""The generator in a run: options, figures, and the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from compoworld_tasks_agentic.command_writing import writing
from compoworld_tasks_agentic.figures import figures
from compoworld_tasks_agentic.generator import AgenticGenerator
from compoworld_tasks_agentic.prompts import example, write_rules
from compoworld_tasks_agentic.replies import BadReply, read_object
from compoworld_tasks_agentic.views import skeleton, view_of

from compoworld_core.cli import run as command
from compoworld_core.errors import UsageError
from compoworld_core.generation import Request
from compoworld_core.run import Run
from compoworld_core.testing.endpoint import ScriptedEndpoint


def request(**options: Any) -> Request:
    return Request(n=1, k=2, walk=(2, 2), generator="agentic", options=options)


def spent(replies: int) -> dict[str, int]:
    """What the scripted endpoint says of so many replies."""
    return {
        "replies": replies, "requests": replies,
        "prompt_tokens": 100 * replies, "completion_tokens": 10 * replies,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"mode": "paint"}, "mode"),
        ({"budgets": 3}, "The task generator 'agentic' has: mode, model"),
        ({"budget": -1}, "budget"),
        ({"tries": 0}, "tries is 0"),
        ({"base_url": "nowhere"}, "write it like"),
        ({"api_key_env": "NO_SUCH_KEY"}, "NO_SUCH_KEY, which is not set"),
        ({"mode": "rewrite", "source": "nobody"}, "nobody"),
        ({"mode": "rewrite", "source": "agentic"}, "source is 'agentic' itself"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_asked(
    endpoint: ScriptedEndpoint, watcher: Any, options: dict[str, Any], why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        AgenticGenerator().check(request(**options))
    assert endpoint.bodies == []


def test_without_an_endpoint_it_says_what_to_set(
    watcher: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_BASE_URL", "COMPOWORLD_OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError, match="generator 'agentic' does not know the endpoint"):
        AgenticGenerator().check(request(model="m"))


def test_patterns_are_the_sources_business(endpoint: ScriptedEndpoint, watcher: Any) -> None:
    asked = request(mode="rewrite", source="sample").model_copy(update={"patterns": ("x",)})
    with pytest.raises(UsageError, match="no pattern is called 'x'"):
        AgenticGenerator().check(asked)


def test_a_run_counts_accepted_and_refused_tries_with_their_tokens(
    endpoint: ScriptedEndpoint, watcher: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(body: dict[str, Any]) -> str:
        asked = body["messages"][1]["content"]
        return example() if "Walk: crm, tracker" in asked else "no"

    endpoint.model = answer
    options = ["--option", "budget=1", "--option", "affordances=false"]
    asked = ["tasks", "generate", "--generator", "agentic", "--n", "1", "--k", "2"]
    asked += ["--walk", "2", "--services", "crm,tracker", "--distractors", "0", "--seed", "3"]
    asked += ["--scale", "40", "--out", str(tmp_path / "run"), "--json"]
    assert command([*asked, *options]) == 0
    found = json.loads(capsys.readouterr().out)
    run = Run.open(tmp_path / "run")
    [task] = run.tasks()
    refused = [m["why"] for m in run.metrics() if m.get("probe") == "reply"]
    assert found["rejected"].get("reply", 0) == len(refused)
    assert all("prompt_tokens 200" in why for why in refused)
    assert task.provenance["writer"]["prompt_tokens"] == 100
    assert len(endpoint.bodies) == 1 + 2 * len(refused)
    assert figures(run) == {
        "accepted": 1, "repaired": 0, "kept": 0, "rejected": len(refused),
        "refused_by": {"reply": len(refused)},
        "spent_on_accepted": spent(1), "spent_on_rejected": spent(2 * len(refused)),
    }  # fmt: skip
    assert (
        CliRunner()
        .invoke(writing, [str(tmp_path / "run")])
        .output.startswith(
            f"1 accepted, 0 of them repaired; 0 kept as they were; {len(refused)} rejected\n"
        )
    )
    assert command(["tasks", "verify", str(tmp_path / "run")]) == 0


def test_no_key_lies_in_the_run_folder(
    endpoint: ScriptedEndpoint, watcher: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WRITER_KEY", "secret-77")
    endpoint.say("no")
    asked = ["tasks", "generate", "--generator", "agentic", "--n", "1", "--k", "2"]
    asked += ["--walk", "2", "--services", "crm,tracker", "--scale", "40", "--max-tries", "1"]
    asked += ["--option", "api_key_env=WRITER_KEY", "--option", "budget=0"]
    asked += ["--option", "affordances=false", "--distractors", "0"]
    assert command([*asked, "--out", str(tmp_path / "run")]) == 1
    assert [each["Authorization"] for each in endpoint.headers] == ["Bearer secret-77"]
    written = [f.read_bytes() for f in (tmp_path / "run").rglob("*") if f.is_file()]
    assert written
    assert not any(b"secret-77" in content for content in written)


# -- what the model is shown ---------------------------------------------------------------


def test_a_view_is_bounded_and_gives_up_rows_first(world: Any) -> None:
    crm, state = world.services["crm"], world.states["crm"]
    small = json.loads(view_of(crm, state, rows=2, tools=2, affordances=False))
    assert (len(small["tools"]), len(small["rows"]["contacts"])) == (2, 2)
    assert small["tables"]["contacts"]["email"] == {
        "type": "string", "kind": "email", "required": True
    }  # fmt: skip
    large = view_of(crm, state, rows=50, tools=50, affordances=False)
    assert len(large) <= 40_000 + 20


def test_a_view_tells_what_the_walk_generator_learnt(
    world: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("compoworld_tasks_walk")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    shown = view_of(
        world.services["notes"], world.states["notes"], rows=0, tools=9, affordances=True
    )
    learnt = json.loads(shown)["learnt by running the tools"]
    assert "title" in next(w for w in learnt["writes"] if w["tool"] == "write_note")["sets"]


def test_a_skeleton_shows_the_names_of_a_result(world: Any) -> None:
    shown = skeleton(world.services["tracker"].tools["list_issues"].output_schema)
    assert shown["items"][0]["priority"] == "string"


def test_the_rules_hold_the_schema_of_the_reply() -> None:
    rules = write_rules()
    assert '"may_fail"' in rules or '"foreach"' in rules
    assert '"title": "' not in rules.partition("Schema:")[2].partition("An example")[0]


# -- reading -------------------------------------------------------------------------------


def test_the_longest_fence_is_the_reply() -> None:
    text = '```json\n{"a": 1}\n```\nor rather\n```json\n{"a": 1, "b": [2]}\n```'
    assert read_object(text) == {"a": 1, "b": [2]}


def test_brackets_in_texts_do_not_nest() -> None:
    assert read_object(json.dumps({"a": "[" * 500 + '"{'})) == {"a": "[" * 500 + '"{'}


def test_a_list_is_no_object() -> None:
    with pytest.raises(BadReply, match="no JSON object"):
        read_object("[1]")
