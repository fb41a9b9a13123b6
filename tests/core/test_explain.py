"""A verdict explains itself: what was expected, what is there, and which call did it."""

import json
from typing import Any

import pytest
from sample_tasks import draft, sample_world

from compoworld_core.conversation import tool_calls
from compoworld_core.environment import Environment
from compoworld_core.episode import play_episode
from compoworld_core.errors import RecordError
from compoworld_core.explain import replay
from compoworld_core.proof.certificate import prove
from compoworld_core.proof.player import play
from compoworld_core.records import Finding, Message, Task, Trajectory

Calls = list[tuple[str, dict[str, Any]]]


@pytest.fixture(scope="module")
def made() -> tuple[Task, Environment]:
    draft_ = draft(sample_world(scale=40))
    initial = draft_.initial()
    return prove(draft_.candidate(), initial, draft_.bases()), initial


@pytest.fixture(scope="module")
def reference(made: tuple[Task, Environment]) -> Calls:
    """The calls of the reference solution, as (service.tool, arguments)."""
    task, initial = made
    played = play(task.reference, initial.fork())
    return [(call.tool, json.loads(call.arguments)) for call in played.calls]


class Makes:
    """A policy that makes given calls, one a turn."""

    def __init__(self, calls: Calls) -> None:
        self.left = list(calls)

    def act(self, messages: Any, tools: Any) -> dict[str, Any]:
        if not self.left:
            return {"role": "assistant", "content": "Done."}
        name, arguments = self.left.pop(0)
        service, _, tool = name.partition(".")
        text = json.dumps({"service": service, "tool": tool, "arguments": arguments})
        return {
            "role": "assistant",
            "tool_calls": [{"function": {"name": "call_tool", "arguments": text}}],
        }


def outcome(made: tuple[Task, Environment], calls: Calls) -> dict[str, Finding]:
    trajectory = play_episode(*made, Makes(calls))
    assert trajectory.verdict is not None
    return {finding.id: finding for finding in trajectory.verdict.findings}


def position(calls: Calls, name: str, last: bool = False) -> int:
    found = [n for n, (tool, _) in enumerate(calls) if tool == name]
    return found[-1 if last else 0]


def test_each_criterion_that_holds_names_the_call_that_completed_it(
    made: tuple[Task, Environment], reference: Calls
) -> None:
    found = outcome(made, reference)
    assert all(finding.ok for finding in found.values())
    updates = [n for n, (tool, _) in enumerate(reference) if tool == "billing.update_invoice"]
    assert found["dues"].call == updates[-2]
    assert found["issue"].call == position(reference, "tracker.create_issue")
    assert found["note"].call == position(reference, "notes.write_note")
    assert found["contact"].call == position(reference, "crm.add_to_notes")
    assert found["collector"].call == updates[-1]
    assert found["unchanged"].call is None


def test_what_was_never_touched_has_no_call(
    made: tuple[Task, Environment], reference: Calls
) -> None:
    calls = [call for call in reference if call[0] != "tracker.create_issue"]
    issue = outcome(made, calls)["issue"]
    assert (issue.ok, issue.call) == (False, None)
    assert issue.found == "no new row in issues"
    assert "Launch plan dispute" in issue.expected


def test_a_wrong_value_names_the_call_that_wrote_it(
    made: tuple[Task, Environment], reference: Calls
) -> None:
    calls = [(tool, dict(arguments)) for tool, arguments in reference]
    wrong = position(calls, "billing.update_invoice", last=True)
    calls[wrong][1]["collector"] = "nobody@elsewhere.example"
    finding = outcome(made, calls)["collector"]
    assert (finding.ok, finding.call) == (False, wrong)
    assert "nobody@elsewhere.example" in finding.found


def test_of_several_records_the_one_that_fails_decides(
    made: tuple[Task, Environment], reference: Calls
) -> None:
    calls = [(tool, dict(arguments)) for tool, arguments in reference]
    second = position(calls, "billing.update_invoice") + 1
    calls[second][1]["due"] = "2026-06-20"
    finding = outcome(made, calls)["dues"]
    assert (finding.ok, finding.call) == (False, second)
    del calls[second]
    finding = outcome(made, calls)["dues"]
    assert (finding.ok, finding.call) == (False, None)


def test_a_criterion_that_a_later_call_undid_names_that_call(
    made: tuple[Task, Environment], reference: Calls
) -> None:
    undo = ("crm.replace_notes", {"contact_id": "co_hero", "text": "Prefers mail."})
    finding = outcome(made, [*reference, undo])["contact"]
    assert (finding.ok, finding.call) == (False, len(reference))


def test_a_broken_gate_names_the_call_that_broke_it(
    made: tuple[Task, Environment], reference: Calls
) -> None:
    damage = ("mailbox.label_mail", {"mail_id": "ml_near", "label": "archive"})
    more = ("mailbox.label_mail", {"mail_id": "ml_hero", "label": "archive"})
    finding = outcome(made, [damage, more, *reference])["unchanged"]
    assert (finding.ok, finding.call) == (False, 0)
    assert "ml_near: label changed" in finding.found


def test_a_gate_that_was_mended_holds(made: tuple[Task, Environment], reference: Calls) -> None:
    damage = ("mailbox.label_mail", {"mail_id": "ml_near", "label": "archive"})
    mended = ("mailbox.label_mail", {"mail_id": "ml_near", "label": "inbox"})
    finding = outcome(made, [damage, mended, *reference])["unchanged"]
    assert (finding.ok, finding.call) == (True, None)


def test_calls_are_counted_as_the_trajectory_lists_them(
    made: tuple[Task, Environment], reference: Calls
) -> None:
    failing = ("notes.drop_note", {"note_id": 987654})
    trajectory = play_episode(*made, Makes([failing, failing, *reference]))
    assert trajectory.verdict is not None
    for finding in trajectory.verdict.findings:
        if finding.call is not None:
            call = tool_calls(trajectory.messages)[finding.call]
            criterion = next(c for c in made[0].criteria if c.id == finding.id)
            assert json.loads(call.arguments)["service"] == criterion.service


# -- replaying -----------------------------------------------------------------------------


@pytest.mark.parametrize("dropped", [None, 4, 6])
def test_a_replay_gives_the_recorded_verdict(
    made: tuple[Task, Environment], reference: Calls, dropped: int | None
) -> None:
    calls = [call for n, call in enumerate(reference) if n != dropped]
    trajectory = play_episode(*made, Makes(calls), key="rollout-x")
    bare = trajectory.model_copy(update={"verdict": None, "final_digest": ""})
    assert replay(*made, bare) == trajectory


def test_a_replay_that_shows_something_else_is_refused(
    made: tuple[Task, Environment], reference: Calls
) -> None:
    trajectory = play_episode(*made, Makes(reference), key="rollout-x")
    changed: list[Message] = list(trajectory.messages)
    changed[3] = changed[3].model_copy(update={"content": '{"items":[]}'})
    other: Trajectory = trajectory.model_copy(update={"messages": tuple(changed)})
    with pytest.raises(RecordError, match=r"rollout-x: call 0 \(call_tool\) shows something"):
        replay(*made, other)
