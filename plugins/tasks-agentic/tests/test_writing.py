"""Mode write: replies of a scripted model become proven tasks, or are refused with a reason."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from compoworld_tasks_agentic.dialogue import Complaint
from compoworld_tasks_agentic.marks import grouped, write_marks
from compoworld_tasks_agentic.proposal import Draw
from compoworld_tasks_agentic.spending import TryWritten
from compoworld_tasks_agentic.writing import Writing

from compoworld_core.errors import UsageError
from compoworld_core.generation import Rejection, Request
from compoworld_core.proof.case import Candidate
from compoworld_core.records import Span, Task
from compoworld_core.testing.endpoint import ScriptedEndpoint


def told(reply: Any) -> str:
    return json.dumps(reply)


def test_a_good_reply_becomes_a_proven_task(
    try_one: Any, endpoint: ScriptedEndpoint, good: Any, index: int
) -> None:
    endpoint.say(told(good))
    task = try_one(index=index)
    assert isinstance(task, Task)
    assert (task.walk, task.certificate.kind) == (("crm", "tracker"), "proven")
    assert "[[" not in task.instruction
    assert task.provenance["writer"] == {
        "mode": "write", "model": "scripted", "outcome": "accepted", "replies": 1, "repairs": 0,
        "requests": 1, "prompt_tokens": 100, "completion_tokens": 10,
    }  # fmt: skip


def test_the_model_sees_walk_tools_rows_and_schema(
    try_one: Any, endpoint: ScriptedEndpoint, good: Any, index: int, world: Any
) -> None:
    endpoint.say(told(good))
    try_one(index=index, rows=1)
    system, user = (message["content"] for message in endpoint.bodies[0]["messages"])
    assert '"planting"' in system
    assert "Walk: crm, tracker" in user
    assert "create_issue" in user
    shown = [row.email in user for row in world.states["crm"].table("contacts")]
    assert shown.count(True) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("```json\n", "\n```"),
        ("```\n", "\n```\nThat is all."),
        ("<think>Perhaps {1}?</think>Here it is:\n", ""),
        ("Here it is: ", " I hope that helps."),
    ],
)
def test_a_reply_with_a_fence_or_prose_around_it_is_read(
    try_one: Any, endpoint: ScriptedEndpoint, good: Any, index: int, before: str, after: str
) -> None:
    endpoint.say(before + told(good) + after)
    assert isinstance(try_one(index=index), Task)


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ('{"instruction": "x', "reply: the reply is not valid JSON"),
        ("I would rather not.", "reply: the reply holds no JSON object"),
        ("", "reply: the reply holds no JSON object"),
        ({"message": {"content": None}}, "reply: the reply holds no JSON object"),
        ({"message": {"content": '{"a": 1}'}, "finish_reason": "length"}, "cut off"),
        ("[1, 2]", "reply holds no JSON object"),
        ('{"instruction": 5}', "schema: "),
    ],
)
def test_a_reply_that_is_none_goes_back_with_the_reason_and_is_repaired(
    try_one: Any, endpoint: ScriptedEndpoint, good: Any, index: int, bad: Any, complaint: str
) -> None:
    endpoint.say(bad, told(good))
    task = try_one(index=index)
    assert isinstance(task, Task)
    assert complaint in endpoint.complaint(1)
    assert task.provenance["writer"]["repairs"] == 1
    assert task.provenance["writer"]["prompt_tokens"] == 200


def test_what_the_proof_says_goes_back(
    try_one: Any, endpoint: ScriptedEndpoint, good: Any, index: int
) -> None:
    bad = json.loads(told(good))
    bad["worlds"] = []
    endpoint.say(told(bad), told(good))
    assert isinstance(try_one(index=index), Task)
    assert "edges-carry: edge 0 (crm → tracker) has no other world" in endpoint.complaint(1)


def test_the_budget_is_kept_and_the_last_reason_and_all_tokens_are_told(
    try_one: Any, endpoint: ScriptedEndpoint, watcher: Any, index: int
) -> None:
    endpoint.say("no", "no", '{"instruction": 5}')
    refused = try_one(index=index, budget=2)
    assert isinstance(refused, Rejection)
    assert refused.probe == "schema"
    assert refused.services == ("crm", "tracker")
    assert "replies 3, repairs 2, requests 3, prompt_tokens 300, completion_tokens 30" in (
        refused.why
    )
    assert len(endpoint.bodies) == 3
    [event] = watcher.events
    assert isinstance(event, TryWritten)
    assert (event.outcome, event.probe, event.usage["replies"]) == ("rejected", "schema", 3)


def test_no_request_grows_with_the_repairs(
    try_one: Any, endpoint: ScriptedEndpoint, index: int
) -> None:
    endpoint.say("no " * 50_000)
    try_one(index=index, budget=3)
    lengths = [len(json.dumps(body)) for body in endpoint.bodies]
    assert [len(body["messages"]) for body in endpoint.bodies] == [2, 4, 4, 4]
    assert lengths[3] == lengths[1]


@pytest.mark.parametrize("status", [429, 500])
def test_a_fault_that_passes_costs_a_request_and_no_repair(
    try_one: Any, endpoint: ScriptedEndpoint, good: Any, index: int, status: int
) -> None:
    endpoint.say(status, status, told(good))
    task = try_one(index=index)
    assert isinstance(task, Task)
    writer = task.provenance["writer"]
    assert (writer["requests"], writer["replies"], writer["repairs"]) == (3, 1, 0)


@pytest.mark.parametrize("status", [500, 400])
def test_an_endpoint_that_stays_down_ends_the_try_and_not_the_run(
    try_one: Any, endpoint: ScriptedEndpoint, index: int, status: int
) -> None:
    endpoint.say(status)
    refused = try_one(index=index, tries=2)
    assert isinstance(refused, Rejection)
    assert refused.probe == "endpoint"
    assert f"scripted {status}" in refused.why


def test_a_wrong_key_stops_the_run(
    try_one: Any, endpoint: ScriptedEndpoint, index: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WRITER_KEY", "k-1")
    endpoint.say(401)
    with pytest.raises(UsageError, match="WRITER_KEY"):
        try_one(index=index, api_key_env="WRITER_KEY")
    assert [each["Authorization"] for each in endpoint.headers] == ["Bearer k-1"]


def test_the_same_try_sends_the_same_bytes(
    try_one: Any, endpoint: ScriptedEndpoint, good: Any, index: int
) -> None:
    endpoint.say("no", told(good), "no", told(good))
    first = try_one(index=index, temperature=0.5, max_tokens=9000)
    second = try_one(index=index, temperature=0.5, max_tokens=9000)
    assert endpoint.bodies[:2] == endpoint.bodies[2:]
    assert endpoint.bodies[0]["seed"] != endpoint.bodies[1]["seed"]
    assert (endpoint.bodies[0]["temperature"], endpoint.bodies[0]["max_tokens"]) == (0.5, 9000)
    assert first == second


def test_no_seed_is_sent_where_none_is_wanted(
    try_one: Any, endpoint: ScriptedEndpoint, good: Any, index: int
) -> None:
    endpoint.say(told(good))
    try_one(index=index, seed=None, json_mode=True, body={"top_k": 5})
    assert "seed" not in endpoint.bodies[0]
    assert endpoint.bodies[0]["response_format"] == {"type": "json_object"}
    assert endpoint.bodies[0]["top_k"] == 5


def test_an_endpoint_that_tells_no_tokens_is_fine(
    try_one: Any, endpoint: ScriptedEndpoint, good: Any, index: int
) -> None:
    endpoint.usage = None
    endpoint.say(told(good))
    assert try_one(index=index).provenance["writer"]["prompt_tokens"] == 0


def test_a_task_over_five_services_and_seven_visits(world: Any, good: Any) -> None:
    """The hand-made task of the tests as a reply: loops, sums, new ids and other worlds."""
    from sample_tasks import WALK, draft

    candidate = draft(world).candidate()
    draw = Draw(candidate.services, (), WALK)
    asked = Request(n=1, k=5, walk=(7, 7))
    work = Writing(world, asked, draw, None, 0, "x")  # type: ignore[arg-type]  # nobody is asked
    reply = json.dumps(reply_of(candidate)).replace('"body": ""', '"body": "Regards"')
    for key in sorted(set(re.findall(r'"((?:ml|co|in)_[a-z0-9]+)"', reply))):
        reply = reply.replace(f'"{key}"', f'"{key}{"4k8d2x7q9w"[len(key) :]}"')
    made = work._candidate(json.loads(reply))
    assert made.plan == candidate.plan
    assert [each.edge for each in made.worlds] == [0, 1, 2, 3, 4, 5]


def reply_of(candidate: Candidate) -> dict[str, Any]:
    """A candidate as a model would have written it."""
    groups = grouped(candidate.spans)
    text = write_marks(candidate.instruction, groups)
    marks = {name: mark_of(group[0]) for name, group in groups.items()}
    for old, new in (
        ("[[s4|all ]][[s5|open]] invoices on", "[[s4|all [[s5|open]] invoices]] on"),
        ("a high-priority issue", "[[s20|a high-priority issue]]"),
        ("a note", "[[s21|a note]]"),
        ("the total", "the total of their amounts"),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    marks["s20"] = {"kind": "selection", "target": "issue", "noun": "issue"}
    marks["s21"] = {"kind": "selection", "target": "note", "noun": "note"}
    return {
        "instruction": text,
        "marks": marks,
        "planting": {
            service: [
                {"op": "insert", "table": o.table, "row": o.row} for o in patch.operations
            ]
            for service, patch in candidate.patches.items()
        },
        "plan": candidate.plan.model_dump(mode="json"),
        "worlds": [
            {
                "edge": world.edge,
                "says": world.says,
                "other_ids": world.patch.ledger is not None,
                "changes": [
                    {"op": "update", "table": o.table, "id": o.id, "row": o.row}
                    for o in world.patch.operations
                ],
            }
            for world in candidate.worlds
        ],
    }


def mark_of(span: Span) -> dict[str, Any]:
    if span.fact is not None:
        return {"kind": "literal", "fact": span.fact.model_dump(mode="json")}
    return {"kind": span.kind, "target": span.target, "noun": span.noun}


def test_a_task_of_another_difficulty_goes_back(world: Any, good: Any) -> None:
    draw = Draw(("crm", "tracker"), (), ("crm", "tracker"))
    asked = Request(n=1, k=2, walk=(2, 2), difficulty=(0.99, 1.0))
    work = Writing(world, asked, draw, None, 0, "x")  # type: ignore[arg-type]  # nobody is asked
    with pytest.raises(Complaint, match=r"0\.99 to 1 is wanted; it takes more writes"):
        work._candidate(good)
