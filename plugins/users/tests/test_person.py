"""A person as the user: what is shown, and what a typed line means."""

import io
import sys

import pytest
from compoworld_users.person import Person
from held_back import DUE, held_back

from compoworld_core.errors import UsageError
from compoworld_core.records import Task


@pytest.fixture(scope="module")
def task() -> Task:
    return held_back().prove()


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_the_line_is_the_reply(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "  On the 19th of June.\nmore\n")
    user = Person(task, seed=1)
    assert user.reply((), "When?") == "On the 19th of June."
    assert user.reply((("When?", "x"),), "And?") == "more"


@pytest.mark.parametrize("text", ["\n", "   \n", ""])
def test_an_empty_line_and_the_end_of_input_end_it(
    task: Task, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    typed(monkeypatch, text)
    assert Person(task, seed=1).reply((), "When?") is None


def test_the_task_is_shown_once_and_each_message_with_it(
    task: Task, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "a\nb\n")
    user = Person(task, seed=1)
    user.reply((), "When is it due?")
    first = capsys.readouterr().err
    assert task.instruction in first
    assert DUE.sentence in first
    assert "assistant: When is it due?" in first
    user.reply((("When is it due?", "a"),), "And the title?")
    assert task.instruction not in capsys.readouterr().err


def test_a_reply_that_is_no_text_is_told(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe\n"), "utf-8"))
    with pytest.raises(UsageError, match="type it in UTF-8"):
        Person(task, seed=1).reply((), "When?")


def test_patience_ends_without_a_prompt(task: Task, capsys: pytest.CaptureFixture[str]) -> None:
    assert Person(task, seed=1, patience=1).reply((("a", "b"),), "When?") is None
    assert capsys.readouterr().err == ""
