"""Examples: which services a trajectory's calls name, and whose documents are tokens then."""

import json
from pathlib import Path
from typing import Any

import pytest
from compoworld_trainer_grpo.examples import Example, read
from compoworld_trainer_grpo.models.tiny import catalogue
from compoworld_trainer_grpo.sft import corpus, rendered


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
