"""The examples of the pages run, and the answers hold the keys that scripts rely on."""

import json
import re
from pathlib import Path

import pytest
from pages import run_page
from sandbox import OWN, ROOT, Once, run

DOCS = ROOT / "sdk_docs"


@pytest.fixture(scope="session")
def tutorial(once: Once) -> Path:
    """The folder in which the tutorial's examples have run."""

    def make(path: Path) -> None:
        path.mkdir(exist_ok=True)
        run_page(DOCS / "tutorial.md", path)

    return once("tutorial", make)


def test_the_tutorial_runs(tutorial: Path) -> None:
    rows = (tutorial / "runs" / "sft.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 3
    assert {"messages", "tools"} <= json.loads(rows[0]).keys()


@pytest.mark.parametrize(
    "page", ["write-a-service", "write-a-reward", "ask-the-user", "shape-a-dataset"]
)
def test_a_how_to_runs(page: str, tmp_path: Path) -> None:
    run_page(DOCS / "how-to" / f"{page}.md", tmp_path)


def keys_promised() -> list[tuple[str, str, list[str]]]:
    """(command, list within its answer, keys) of each row of the page on JSON answers."""
    text = (DOCS / "reference" / "json.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)`(?: → `(\w+)\[\]`)? \| (`.+`) \|$", text, re.MULTILINE)
    return [(command, inner, re.findall(r"`(\w+)`", keys)) for command, inner, keys in rows]


@pytest.mark.parametrize(("command", "inner", "keys"), keys_promised())
def test_an_answer_has_the_keys_that_are_promised(
    command: str, inner: str, keys: list[str], tutorial: Path
) -> None:
    words = command.replace("NAME", "gmail").replace("RUN", "runs/tasks").split()
    if words[1] == "check":
        words[2] = "stripe"
    if words[1] == "generate":  # goes on with what is there: nothing is left to do
        words += ["--n", "3", "--k", "3", "--distractors", "0", "--walk", "4:6"]
        words += ["--scale", "60", "--seed", "3", "--out", "runs/tasks"]
        words += ["--services", "gmail,hubspot,linear,zendesk"]
    if words[1] == "run":
        words += ["--tasks", "runs/tasks", "--policy", "oracle", "--n", "1"]
        words += ["--out", "runs/oracle"]
    answer = json.loads(run(OWN / "compoworld", *words, "--json", cwd=tutorial))
    found = answer[inner][0] if inner else answer
    assert set(keys) <= found.keys()


def test_a_task_has_the_keys_that_are_promised(tutorial: Path) -> None:
    text = (DOCS / "reference" / "json.md").read_text(encoding="utf-8")
    (sentence,) = re.findall(r"^A task has at least the keys (.*)$", text, re.MULTILINE)
    line = (tutorial / "runs" / "tasks" / "tasks.jsonl").read_text().splitlines()[0]
    promised = set(re.findall(r"`(\w+)`", sentence))
    assert len(promised) == 14
    assert promised <= json.loads(line).keys()
