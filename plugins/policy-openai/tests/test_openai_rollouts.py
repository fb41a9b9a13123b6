"""Whole rollouts with a scripted model behind the endpoint."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compoworld_core import plugins
from compoworld_core.cli import run as command
from compoworld_core.conversation import undescribed_calls
from compoworld_core.proof.player import play
from compoworld_core.records import Trajectory
from compoworld_core.run import Run, open_task
from compoworld_core.testing.endpoint import ScriptedEndpoint

SERVICES = Path(__file__).parents[3] / "tests" / "services"


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A run of two proven tasks over the sample services, which alone are installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SERVICES / "installed"))
        patch.syspath_prepend(str(SERVICES))
        patch.setenv("PYTHONPATH", f"{SERVICES}{os.pathsep}{SERVICES / 'installed'}")
        patch.setenv("COMPOWORLD_DISABLE_PLUGINS", "services")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        plugins.current.cache_clear()
        path = tmp_path_factory.mktemp("tasks") / "run"
        wanted = ["--n", "2", "--generator", "sample", "--distractors", "0", "--scale", "60"]
        assert command(["tasks", "generate", *wanted, "--out", str(path)]) == 0
        yield path
    plugins.current.cache_clear()


def said(name: str, key: str, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": key, "type": "function", "function": function}


class Clerk:
    """Plays a task's reference by heart: discovers, slips now and then, goes on."""

    def __init__(self, path: Path, *, slip: bool = False) -> None:
        self.slip = slip
        self.turns: dict[str, list[dict[str, Any]]] = {}
        run = Run.open(path)
        for task in run.tasks():
            made = play(task.reference, open_task(run, task)).environment.transcript
            calls = [(*each.tool.split(".", 1), json.loads(each.arguments)) for each in made]
            self.turns[task.instruction] = list(self._turns(calls))

    def _turns(self, calls: list[tuple[str, str, Any]]) -> Iterator[dict[str, Any]]:
        yield {"reasoning_content": "Look.", "tool_calls": [said("list_services", "s")]}
        tools = dict.fromkeys((service, tool) for service, tool, _ in calls)
        yield {
            "content": "In parallel.",
            "tool_calls": [
                said("describe_tool", f"d{n}", service=service, tool=tool)
                for n, (service, tool) in enumerate(tools)
            ],
        }
        if self.slip:
            broken = {"name": "call_tool", "arguments": '{"service": "crm", "tool": '}
            yield {
                "tool_calls": [
                    {"id": "m", "type": "function", "function": broken},
                    said("search_everything", "u", query="x"),
                    said("list_services", "p"),
                ]
            }
        for n, (service, tool, arguments) in enumerate(calls):
            call = said("call_tool", f"c{n}", service=service, tool=tool, arguments=arguments)
            yield {"tool_calls": [call]}
        yield {"content": "Settled.", "reasoning_content": "All done."}

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        return self.turns[body["messages"][1]["content"]][turn]


def roll_out(tasks: Path, out: Path, *more: str) -> int:
    options = ["--option", "pause=0.01", "--option", "timeout=10", "--out", str(out)]
    start = ["rollouts", "run", "--tasks", str(tasks), "--policy", "openai"]
    return command([*start, *options, *more, "--json"])


def played(out: Path) -> list[Trajectory]:
    return list(Run.open(out).trajectories())


def test_a_model_that_plays_by_rules_succeeds(
    tasks: Path, endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.model = Clerk(tasks)
    assert roll_out(tasks, tmp_path / "out", "--n", "2") == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["rollouts"], figures["pass_rate"], figures["errors"]) == (4, 1.0, 0)
    for trajectory in played(tmp_path / "out"):
        assert trajectory.messages[-1].reasoning_content == "All done."
        assert trajectory.usage["completion_tokens"] == 10 * trajectory.usage["turns"]
        assert not undescribed_calls(trajectory)


def test_faults_slips_and_parallel_calls_do_not_stop_it(
    tasks: Path, endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.model = Clerk(tasks, slip=True)
    endpoint.faults = [lambda handler: handler.send(429, {}, {"Retry-After": "0"}), None] * 8
    assert roll_out(tasks, tmp_path / "out", "--n", "1") == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["pass_rate"], figures["errors"]) == (1.0, 0)
    first = played(tmp_path / "out")[0]
    assert first.usage["malformed_calls"] == 2
    assert first.usage["retries"] > 0
    slipped = next(m for m in first.messages if m.tool_calls and m.tool_calls[0].id == "m")
    assert slipped.tool_calls[0].arguments == '{"service": "crm", "tool": ', "as written"
    answers = {m.tool_call_id: m for m in first.messages if m.role == "tool"}
    assert [answers[key].is_error for key in ("m", "u", "p")] == [True, True, False]


def test_an_endpoint_that_stays_down_makes_errors_and_no_crash(
    tasks: Path, endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.faults = [lambda handler: handler.send(500, {"error": "down"})] * 1000
    assert roll_out(tasks, tmp_path / "out", "--n", "1", "--option", "tries=2") == 1
    assert json.loads(capsys.readouterr().out)["errors"] == 2
    assert all("500: down" in trajectory.error for trajectory in played(tmp_path / "out"))


def test_an_endpoint_is_evaluated_with_intervals(
    tasks: Path, endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clerk = Clerk(tasks)
    hopeless = next(iter(clerk.turns))  # of two tasks, this one is given up at once

    def model(body: dict[str, Any]) -> dict[str, Any]:
        asked = body["messages"][1]["content"]
        return {"content": "No."} if asked == hopeless else clerk(body)

    endpoint.model = model
    more = ["--policy", "openai", "--option", "pause=0.01", "--n", "2", "--json"]
    assert command(["eval", "--tasks", str(tasks), *more, "--out", str(tmp_path / "out")]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["tasks"], figures["rollouts"], figures["errors"]) == (2, 4, 0)
    assert figures["success"] == {"mean": 0.5, "low": 0.0, "high": 1.0}
    assert figures["pass_hat"]["2"]["mean"] == 0.5
    assert {path.rpartition("/")[2] for path in endpoint.paths} == {"completions"}


@pytest.mark.e2e
def test_workers_ask_at_the_same_time_and_change_no_byte(
    tasks: Path, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    endpoint.model = Clerk(tasks)
    endpoint.delay = 0.05
    for workers in ("1", "3"):
        assert roll_out(tasks, tmp_path / workers, "--n", "3", "--workers", workers) == 0
    assert endpoint.most_at_once > 1
    one, three = (tmp_path / name / "trajectories.jsonl" for name in ("1", "3"))
    assert one.read_bytes() == three.read_bytes()
