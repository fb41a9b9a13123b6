"""Examples: which services a trajectory's calls name, and whose documents are tokens then."""

import json
from pathlib import Path
from typing import Any

import pytest
from compoworld_trainer_grpo.examples import Example, read
from compoworld_trainer_grpo.models.tiny import catalogue
from compoworld_trainer_grpo.sft import corpus, rendered

from compoworld_core.errors import RecordError


def example(arguments: Any) -> Example:
    call = {"id": "c", "type": "function"}
    call |= {"function": {"name": "list_tools", "arguments": arguments}}
    said = {"role": "assistant", "content": None, "tool_calls": [call]}
    return Example(({"role": "user", "content": "x"}, said), (), "task", "file:1")


def test_services_are_those_that_calls_name(exported: Path) -> None:
    assert {name for each in read([exported]) for name in each.services} == {"mail"}


@pytest.mark.parametrize("arguments", ['{"service": "gmail"}', {"service": "gmail"}])
def test_arguments_are_text_or_an_object(arguments: Any) -> None:
    assert example(arguments).services == {"gmail"}


@pytest.mark.parametrize("arguments", ["{oops", "[]", "{}", '{"service": ""}', None])
def test_a_call_that_names_no_service_is_passed_by(arguments: Any) -> None:
    assert example(arguments).services == frozenset()


def test_the_tokenizer_learns_the_documents_of_called_services_alone() -> None:
    examples = [example(json.dumps({"service": name})) for name in ("gmail", "nowhere")]
    texts = list(corpus(examples))
    assert texts == [*rendered(examples), *catalogue(["gmail"])]


def exports(folder: Path, *rows: Any, end: str = "\n") -> Path:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows) + end)
    return path


WHOLE = {
    "schema": "compoworld/sft@1", "tools": [], "task": "t",
    "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"messages": None}, "messages: input should be"),
        ({"messages": []}, "messages: list should have"),
        ({"messages": ["x"]}, "messages.0: "),
        ({"messages": [{"role": "user", "content": ["x"]}]}, "messages.0.content: "),
        ({"messages": [{"role": "pirate", "content": "x"}]}, "messages.0.role: "),
        ({"messages": [{"role": "assistant", "tool_calls": [{}]}]}, "tool_calls.0.function: m"),
        ({"tools": None}, "tools: "),
        ({"task": ["t"]}, "task: "),
    ],
)
def test_a_malformed_row_is_refused_by_its_place(
    changed: dict[str, Any], said: str, tmp_path: Path
) -> None:
    path = exports(tmp_path, WHOLE, {**WHOLE, **changed})
    with pytest.raises(RecordError, match=r"rows\.jsonl:2: ") as caught:
        read([path])
    assert said in str(caught.value)


def test_an_export_that_ends_in_half_a_line_is_refused(tmp_path: Path) -> None:
    path = exports(tmp_path, WHOLE, end='\n{"schema": "comp')
    with pytest.raises(RecordError, match="the last line is cut off"):
        read([path])
    assert len(read([exports(tmp_path, WHOLE, WHOLE, end="")])) == 2


def test_a_lone_surrogate_becomes_a_question_mark(tmp_path: Path) -> None:
    said = {"role": "assistant", "content": "a\ud800b"}
    (found,) = read([exports(tmp_path, {**WHOLE, "messages": [said]})])
    assert found.messages[0]["content"] == "a?b"
