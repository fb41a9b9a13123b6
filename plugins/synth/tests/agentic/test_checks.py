"""What the checks inside the sandbox make of the validator's verdicts and of the interface."""

import json
import sys
from typing import Any

import pytest
from compoworld_synth.agentic.inside import checks

FAILED = {"tool": "drafts.create", "why": "an id that nothing has is accepted", "sequence": []}


def verdicts(**changes: Any) -> list[str]:
    """A command that says what the validator would."""
    one = {"service": "mail", "quarantined": [], "unreached": [], **changes}
    other = {"service": "boards", "quarantined": [{**FAILED, "tool": "get"}], "unreached": []}
    return [
        sys.executable,
        "-c",
        f"print({json.dumps(json.dumps({'services': [other, one]}))})",
    ]


def test_a_tool_with_a_dot_in_its_name_is_judged() -> None:
    problems, unproven = checks.validation(
        "mail", ["drafts.create"], verdicts(quarantined=[FAILED])
    )
    assert unproven == {}
    assert len(problems) == 1
    assert "drafts.create: an id that nothing has" in problems[0]


def test_tools_that_are_not_in_question_are_left_alone() -> None:
    found = checks.validation("mail", ["get"], verdicts(quarantined=[FAILED]))
    assert found == ([], {})


def test_a_tool_that_could_not_be_tried_is_unproven() -> None:
    problems, unproven = checks.validation("mail", ["get"], verdicts(unreached=["get", "x"]))
    assert problems == []
    assert unproven == {"get": "validation found no arguments that it accepts"}


@pytest.mark.parametrize("said", ["", "[]", '{"services": []}', '{"service": "mail"}'])
def test_a_validator_that_breaks_is_a_problem(said: str) -> None:
    command = [sys.executable, "-c", f"print({said!r})"]
    problems, _ = checks.validation("mail", ["get"], command)
    assert "did not run to its end" in problems[0]


def test_the_document_of_a_single_service_is_read() -> None:
    document = {"service": "mail", "quarantined": [FAILED], "unreached": []}
    command = [sys.executable, "-c", f"print({json.dumps(json.dumps(document))})"]
    assert len(checks.validation("mail", ["drafts.create"], command)[0]) == 1
