"""One rollout: whatever a policy writes is played or told back to it, and the rest is data."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sample_tasks import draft, sample_world

from compoworld_core import Service, State, Table
from compoworld_core.conversation import (
    SYSTEM,
    read_message,
    to_chat,
    tool_calls,
    undescribed_calls,
)
from compoworld_core.environment import Environment
from compoworld_core.episode import Limits, play_episode
from compoworld_core.errors import ModelError, PluginError, UsageError
from compoworld_core.lines import to_line
from compoworld_core.proof.certificate import prove
from compoworld_core.records import Message, Task, Trajectory

Said = dict[str, Any]


@pytest.fixture(scope="module")
def made() -> tuple[Task, Environment]:
    draft_ = draft(sample_world(scale=40))
    initial = draft_.initial()
    return prove(draft_.candidate(), initial, draft_.bases()), initial


@pytest.fixture(scope="module")
def task(made: tuple[Task, Environment]) -> Task:
    return made[0]


@pytest.fixture
def initial(made: tuple[Task, Environment]) -> Environment:
    return made[1].fork()


class Says:
    """A policy that says what it is given, then that it is done."""

    def __init__(self, *messages: Said | Exception) -> None:
        self.left = list(messages)
        self.heard: list[list[Said]] = []
        self.tools: list[Said] = []

    def act(self, messages: Sequence[Said], tools: Sequence[Said]) -> Said:
        self.heard.append(list(messages))
        self.tools = list(tools)
        message = self.left.pop(0) if self.left else {"role": "assistant", "content": "Done."}
        if isinstance(message, Exception):
            raise message
        return message


def calls(*pairs: tuple[Any, Any], **more: Any) -> Said:
    """An assistant message with calls: (name, arguments as text, or whatever)."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": f"id{n}", "type": "function", "function": {"name": name, "arguments": text}}
            for n, (name, text) in enumerate(pairs)
        ],
        **more,
    }


def tool(service: str, name: str, **arguments: Any) -> tuple[str, str]:
    return "call_tool", json.dumps({"service": service, "tool": name, "arguments": arguments})


def shown(trajectory: Trajectory) -> list[Message]:
    return [message for message in trajectory.messages if message.role == "tool"]


NOTE = tool("notes", "write_note", title="A note")


# -- the course ----------------------------------------------------------------------------


def test_a_policy_sees_prompt_instruction_the_four_tools_and_what_happened(
    task: Task, initial: Environment
) -> None:
    policy = Says(calls(("list_services", "{}")))
    play_episode(task, initial, policy)
    assert policy.heard[0] == [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": task.instruction},
    ]
    assert [each["function"]["name"] for each in policy.tools] == [
        "list_services",
        "list_tools",
        "describe_tool",
        "call_tool",
    ]
    assistant, observation = policy.heard[1][2:]
    assert assistant["tool_calls"][0]["function"] == {
        "name": "list_services",
        "arguments": "{}",
    }
    assert observation["tool_call_id"] == "id0"
    assert "mailbox" in observation["content"]


def test_the_world_it_starts_from_stays_as_it_was(task: Task, initial: Environment) -> None:
    before = initial.digest()
    trajectory = play_episode(task, initial, Says(calls(NOTE)))
    assert initial.digest() == before
    assert trajectory.final_digest != before
    assert initial.transcript == []


def test_the_final_message_is_the_answer(task: Task, initial: Environment) -> None:
    last = {"role": "assistant", "content": "It is 42."}
    assert play_episode(task, initial, Says(last)).answer == "It is 42."


def test_parallel_calls_run_in_order_each_under_its_id(
    task: Task, initial: Environment
) -> None:
    together = calls(NOTE, ("list_services", "{}"), NOTE)
    apart = [calls(NOTE), calls(("list_services", "{}")), calls(NOTE)]
    one = play_episode(task, initial, Says(together))
    three = play_episode(task, initial, Says(*apart))
    assert [message.tool_call_id for message in shown(one)] == ["id0", "id1", "id2"]
    assert [m.content for m in shown(one)] == [m.content for m in shown(three)]
    assert one.final_digest == three.final_digest


def test_ids_are_unique_in_a_conversation(task: Task, initial: Environment) -> None:
    nameless = {"function": {"name": "list_services", "arguments": "{}"}}
    again = {"role": "assistant", "tool_calls": [nameless, {**nameless, "id": "id0"}]}
    trajectory = play_episode(task, initial, Says(calls(NOTE), again, calls(NOTE)))
    ids = [call.id for call in tool_calls(trajectory.messages)]
    assert len(set(ids)) == len(ids) == 4
    assert [message.tool_call_id for message in shown(trajectory)] == ids


def test_it_is_the_same_on_every_repetition(task: Task, initial: Environment) -> None:
    together = calls(NOTE, tool("notes", "write_note", title="Other"), NOTE)
    digests = {play_episode(task, initial, Says(together)).final_digest for _ in range(20)}
    assert len(digests) == 1


def test_reasoning_and_token_counts_are_kept(task: Task, initial: Environment) -> None:
    thought = calls(("list_services", "{}"), reasoning_content="Let me look.",
                    usage={"total_tokens": 7, "details": {"x": 1}})  # fmt: skip
    last = {"role": "assistant", "content": "Done.", "usage": {"total_tokens": 5}}
    policy = Says(thought, last)
    trajectory = play_episode(task, initial, policy)
    assert trajectory.messages[2].reasoning_content == "Let me look."
    assert policy.heard[1][2]["reasoning_content"] == "Let me look."
    assert trajectory.usage["total_tokens"] == 12


# -- malformed -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("call_tool", '{"service": "notes"}{"tool": "write_note"}'),
        ("call_tool", '{"service": "notes", "tool": "write_note",}'),
        ("call_tool", '{"service": "notes", "tool": "write_note"'),
        ("call_tool", '{"service": "C:\\path"}'),
        ("call_tool", '{"service": "line\nbreak"}'),
        ("call_tool", "[]"),
        ("call_tool", None),
        ("call_tool", ["notes"]),
        ("call_tool", json.dumps({"service": "notes", "tool": "write_note", "arguments": "{"})),
        ("call_tol", "{}"),
        ("close", "{}"),
        (None, "{}"),
    ],
)
def test_a_malformed_call_is_told_and_counted_and_changes_nothing(
    task: Task, initial: Environment, name: Any, arguments: Any
) -> None:
    trajectory = play_episode(task, initial, Says(calls((name, arguments))))
    (observation,) = shown(trajectory)
    assert observation.is_error
    assert observation.content
    assert trajectory.usage["malformed_calls"] == trajectory.usage["failed_calls"] == 1
    assert trajectory.final_digest == initial.digest()
    assert trajectory.answer == "Done."


@pytest.mark.parametrize(
    "broken", ["text", [None], [{"id": "a"}], [{"function": "f"}], {"a": 1}]
)
def test_calls_of_any_shape_become_observations(
    task: Task, initial: Environment, broken: Any
) -> None:
    trajectory = play_episode(task, initial, Says({"role": "assistant", "tool_calls": broken}))
    assert [message.is_error for message in shown(trajectory)] == [True]


def test_a_call_that_a_tool_refuses_is_failed_and_not_malformed(
    task: Task, initial: Environment
) -> None:
    missing = tool("notes", "drop_note", note_id=987654)
    usage = play_episode(task, initial, Says(calls(missing))).usage
    assert (usage["failed_calls"], usage["malformed_calls"]) == (1, 0)


def test_arguments_as_objects_and_inner_arguments_as_text_are_understood(
    task: Task, initial: Environment
) -> None:
    inner = json.dumps({"title": "Two </tool_call> ``` {"})
    outer = {"service": "notes", "tool": "write_note", "arguments": inner}
    trajectory = play_episode(task, initial, Says(calls(("call_tool", outer))))
    (observation,) = shown(trajectory)
    assert json.loads(observation.content or "")["title"] == "Two </tool_call> ``` {"


@pytest.mark.parametrize(
    "said",
    [
        {"content": "\ud800"},
        {"content": [{"text": "\udfff"}], "reasoning_content": "\ud800"},
        calls(("\ud800", "{}")),
        calls(("list_services", '{"\\ud800": 1}')),
        calls(("list_services", '{"\ud800": 1}')),
        calls(("list_services", {"\ud800": 1})),
        calls(tool("\ud800", "\ud800")),
        calls(tool("notes", "write_note", title="\ud800")),
        calls(("call_tool", {"service": "notes", "tool": "write_note", "arguments": "\ud800"})),
        {"tool_calls": [{"id": "\ud800", "function": {"name": "list_services"}}]},
        {"content": "", "usage": {"\ud800": 1}},
        {"content": "", "usage": {"total_tokens": 10**5000}},
    ],
)
def test_whatever_a_policy_writes_can_be_written_to_a_file(
    task: Task, initial: Environment, said: Said
) -> None:
    trajectory = play_episode(task, initial, Says(said))
    assert trajectory.error == ""
    assert Trajectory.model_validate_json(to_line(trajectory).encode()) == trajectory


@pytest.mark.parametrize("arguments", [{(1, 2): 3}, {"a": {1, 2}}])
def test_arguments_that_are_no_json_are_told(
    task: Task, initial: Environment, arguments: Any
) -> None:
    trajectory = play_episode(task, initial, Says(calls(("list_services", arguments))))
    assert [message.is_error for message in shown(trajectory)] == [True]


def test_content_in_parts_is_read_as_text() -> None:
    parts = [
        {"type": "text", "text": "All "},
        {"type": "image"},
        {"type": "text", "text": "set"},
    ]
    assert read_message({"content": parts}, set())[0].content == "All set"


def test_a_record_and_its_chat_form_say_the_same() -> None:
    said = calls(NOTE, ("list_services", "{}"), reasoning_content="Hm.")
    message, _ = read_message(said, set())
    assert to_chat(message) == said
    assert read_message(to_chat(message), set())[0] == message


# -- limits --------------------------------------------------------------------------------


def test_turns_are_limited(task: Task, initial: Environment) -> None:
    policy = Says(*[calls(("list_services", "{}"))] * 9)
    trajectory = play_episode(task, initial, policy, limits=Limits(turns=3))
    assert len(shown(trajectory)) == 3
    assert trajectory.usage["truncated"] == 1
    assert trajectory.answer is None
    assert trajectory.verdict is not None


def test_calls_are_limited_and_each_gets_an_answer(task: Task, initial: Environment) -> None:
    policy = Says(calls(NOTE, NOTE, NOTE), calls(NOTE))
    trajectory = play_episode(task, initial, policy, limits=Limits(calls=2))
    assert [message.is_error for message in shown(trajectory)] == [False, False, True]
    assert "limit of 2 calls" in (shown(trajectory)[-1].content or "")
    assert trajectory.usage["calls"] == 2
    assert trajectory.usage["truncated"] == 1


def test_observations_are_cut_with_a_notice(task: Task, initial: Environment) -> None:
    policy = Says(calls(("list_tools", '{"service": "crm"}'), tool("crm", "list_contacts")))
    trajectory = play_episode(task, initial, policy, limits=Limits(observation=60))
    for message in shown(trajectory):
        assert "\n[cut: 60 of " in (message.content or "")
        assert len(message.content or "") < 150


def test_a_rollout_that_ends_itself_is_not_truncated(task: Task, initial: Environment) -> None:
    assert "truncated" not in play_episode(task, initial, Says()).usage


def test_usage_of_a_policy_moves_no_limit_and_forges_no_count(
    task: Task, initial: Environment
) -> None:
    forged = {"turns": -1, "calls": -1, "truncated": 1, "malformed_calls": 5, "tokens": 2}
    turn = calls(("list_services", "{}"), usage=forged)
    limited = play_episode(task, initial, Says(*[turn] * 9), limits=Limits(turns=3)).usage
    assert (limited["turns"], limited["calls"], limited["tokens"]) == (3, 3, 6)
    ended = play_episode(task, initial, Says(turn)).usage
    assert ended["malformed_calls"] == 0
    assert "truncated" not in ended


@pytest.mark.parametrize("name", ["turns", "calls", "observation"])
def test_a_limit_below_one_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"limit of {name} is 0"):
        Limits(**{name: 0})


# -- errors --------------------------------------------------------------------------------


def test_a_model_that_fails_is_data(task: Task, initial: Environment) -> None:
    policy = Says(calls(NOTE), ModelError("the endpoint is gone"))
    trajectory = play_episode(task, initial, policy)
    assert trajectory.error == "ModelError: the endpoint is gone"
    assert trajectory.verdict is None
    assert len(shown(trajectory)) == 1


def test_a_service_that_breaks_its_contract_is_data(task: Task) -> None:
    service = Service("broken", state=State, domain="samples", summary="Breaks.")

    @service.tool(read_only=True)
    def divide(state: State) -> int:
        """Divide."""
        return 1 // len(Table())

    initial = Environment.of([(service, State())])
    trajectory = play_episode(task, initial, Says(calls(tool("broken", "divide"))))
    assert trajectory.error.startswith("ServiceError: broken.divide: raised ZeroDivisionError")
    assert trajectory.verdict is None


def test_a_bug_in_a_policy_names_the_rollout(task: Task, initial: Environment) -> None:
    with pytest.raises(PluginError, match=rf"'mine' failed in {task.id}, sample 3: KeyError"):
        play_episode(task, initial, Says(KeyError("x")), name="mine", sample=3)


def test_wrong_usage_is_raised(task: Task, initial: Environment) -> None:
    with pytest.raises(UsageError, match="no key"):
        play_episode(task, initial, Says(UsageError("no key")))


def test_a_policy_that_returns_no_message_is_told_what_one_is(
    task: Task, initial: Environment
) -> None:
    with pytest.raises(PluginError, match="returned a str; act\\(\\) returns an assistant"):
        play_episode(task, initial, Says("Done."))  # type: ignore[arg-type]  # the point


# -- described before called ---------------------------------------------------------------

DESCRIBE = ("describe_tool", json.dumps({"service": "notes", "tool": "write_note"}))
WRONG = ("describe_tool", json.dumps({"service": "notes", "tool": "write_not"}))


@pytest.mark.parametrize(
    ("turns", "found"),
    [
        (lambda: [calls(DESCRIBE), calls(NOTE), calls(NOTE)], []),
        (lambda: [calls(NOTE), calls(DESCRIBE)], ["notes.write_note"]),
        (lambda: [calls(DESCRIBE, NOTE)], ["notes.write_note"]),
        (lambda: [calls(WRONG), calls(NOTE)], ["notes.write_note"]),
        (lambda: [calls(DESCRIBE), calls(tool("notes", "list_notes"))], ["notes.list_notes"]),
        (lambda: [calls(("call_tool", "{"))], []),
    ],
)
def test_calls_of_undescribed_tools_are_found(
    task: Task, initial: Environment, turns: Callable[[], list[Said]], found: list[str]
) -> None:
    assert undescribed_calls(play_episode(task, initial, Says(*turns()))) == found
