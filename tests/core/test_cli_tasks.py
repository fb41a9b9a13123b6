"""`compoworld tasks`: JSON shapes are a contract, exit codes say yes or no, pages read well."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from compoworld_core import plugins
from compoworld_core.cli import run
from compoworld_core.run import Run

SERVICES = Path(__file__).parents[1] / "services"
REQUEST = ["--generator", "sample", "--distractors", "0", "--scale", "60"]

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True, scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The sample services and their generator are installed, and no other service."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SERVICES / "installed"))
        patch.setenv("PYTHONPATH", f"{SERVICES}{os.pathsep}{SERVICES / 'installed'}")
        patch.setenv("COMPOWORLD_DISABLE_PLUGINS", "services")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        plugins.current.cache_clear()
        yield
    plugins.current.cache_clear()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "run"
    assert run(["tasks", "generate", "--n", "3", *REQUEST, "--out", str(path)]) == 0
    return path


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def answer(capsys: Capture) -> Any:
    return json.loads(capsys.readouterr().out)


def edit(path: Path, old: str, new: str) -> None:
    file = path / "tasks.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    assert old in lines[1]
    file.write_text("".join([lines[0], lines[1].replace(old, new), *lines[2:]]))


# -- generate ------------------------------------------------------------------------------


def test_generate_answers_with_counts(tmp_path: Path, capsys: Capture) -> None:
    out = str(tmp_path / "run")
    assert run(["tasks", "generate", "--n", "4", *REQUEST, "--out", out, "--json"]) == 0
    found = answer(capsys)
    assert found["accepted"] == 4
    assert found["rejected"] == {"service-error": 1, "unambiguous": 2, "walk": 1}
    assert isinstance(found["seconds"], float)


def test_too_few_is_a_no_with_the_accepted_kept(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "run"
    args = ["tasks", "generate", "--n", "9", "--max-tries", "5", *REQUEST, "--out", str(out)]
    assert run(args) == 1
    assert "3 of 9 tasks after 5 tries; they are kept" in capsys.readouterr().err
    assert len(list(Run.open(out).tasks())) == 3


def test_generate_sums_up_why_tries_were_refused(tmp_path: Path, capsys: Capture) -> None:
    run(["tasks", "generate", "--n", "4", *REQUEST, "--out", str(tmp_path / "run")])
    shown = capsys.readouterr().out
    assert "4/4 accepted, 8 tried; refused: unambiguous 2" in shown
    assert "dues: the condition on status does not matter" in shown


def test_generate_takes_lists_and_options(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "run"
    names = ["--services", "crm,billing", "--services", "mailbox,notes,tracker"]
    more = ["--option", "depth=2", "--option", "tone=terse", "--walk", "7:9", "--workers", "2"]
    args = ["tasks", "generate", "--n", "1", *REQUEST, *names, *more, "--out", str(path)]
    assert run(args) == 0, capsys.readouterr().err
    configuration = Run.open(path).configuration
    assert configuration["options"] == {"depth": 2, "tone": "terse"}
    assert configuration["walk"] == [7, 9]
    assert len(configuration["services"]) == 5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--walk", "seven"], "write it as 7:12"),
        (["--walk", "3:4"], "at least as many, such as 5:5"),
        (["--generator", "sampl"], "Closest: sample"),
        (["--services", "crm,bilin"], "Closest: billing"),
        (["--workers", "0"], "give at least 1"),
        (["--option", "depth"], "name=value"),
        (["--n", "0"], "greater than or equal to 1"),
        (["--executor", "ray", "--workers", "2"], "no executor is called 'ray'"),
    ],
)
def test_wrong_usage_says_what_to_type(
    tmp_path: Path, capsys: Capture, arguments: list[str], said: str
) -> None:
    args = ["tasks", "generate", *REQUEST, *arguments, "--out", str(tmp_path / "run")]
    assert run(args) == 2
    assert said in capsys.readouterr().err


def test_another_request_into_a_run_is_refused(copied: Path, capsys: Capture) -> None:
    assert run(["tasks", "generate", "--n", "5", *REQUEST, "--out", str(copied)]) == 2
    assert "another run: the option n was 3 and is 5" in capsys.readouterr().err


# -- verify --------------------------------------------------------------------------------


def test_verify_proves_all_again(made: Path, capsys: Capture) -> None:
    assert run(["tasks", "verify", str(made), "--json"]) == 0
    assert answer(capsys) == {"tasks": 3, "proven": 3, "replay_only": 0, "failures": []}


def test_verify_takes_the_path_of_the_file_and_workers(made: Path, capsys: Capture) -> None:
    assert run(["tasks", "verify", str(made / "tasks.jsonl"), "--workers", "2"]) == 0
    assert "3 tasks: 3 proven, 0 failed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "probe"),
    [
        ('"value":"2026-06-19"}],"variables"', '"value":"2026-06-18"}],"variables"', "rubric"),
        ('"goal_digest":"', '"goal_digest":"0', "reachable"),
        ("Then let", "Thus let", "record"),
        ("19 June 2026", "18 June 2026", "discoverable"),
    ],
)
def test_an_edited_task_fails_with_its_probe(
    copied: Path, capsys: Capture, old: str, new: str, probe: str
) -> None:
    edit(copied, old, new)
    assert run(["tasks", "verify", str(copied), "--json"]) == 1
    found = answer(capsys)
    assert (found["tasks"], found["proven"]) == (3, 2)
    assert [f["probe"] for f in found["failures"]] == [probe]


def twice(task: dict[str, Any]) -> None:
    task["services"].append(task["services"][0])


def strange_walk(task: dict[str, Any]) -> None:
    task["walk"][0] = "elsewhere"


def strange_step(task: dict[str, Any]) -> None:
    task["reference"]["steps"][0]["service"] = "elsewhere"


def no_step(task: dict[str, Any]) -> None:
    del task["reference"]["steps"][0]


def far_edge(task: dict[str, Any]) -> None:
    task["certificate"]["worlds"][0]["edge"] = 99


def other_graph(task: dict[str, Any]) -> None:
    task["graph"]["edges"].pop()


def other_probe(task: dict[str, Any]) -> None:
    task["certificate"]["probes"].pop()


@pytest.mark.parametrize(
    "change",
    [twice, strange_walk, strange_step, no_step, far_edge, other_graph, other_probe],
)
def test_a_record_that_makes_no_sense_fails_alone(
    copied: Path, capsys: Capture, change: Callable[[dict[str, Any]], None]
) -> None:
    file = copied / "tasks.jsonl"
    first, second, *rest = file.read_text().splitlines()
    task = json.loads(second)
    change(task)
    file.write_text("\n".join([first, json.dumps(task), *rest]) + "\n")
    assert run(["tasks", "verify", str(copied), "--json"]) == 1
    found = answer(capsys)
    assert (found["proven"], len(found["failures"])) == (2, 1)
    assert found["failures"][0]["task"] == task["id"]


def test_a_replay_only_task_is_counted_apart(copied: Path, capsys: Capture) -> None:
    edit(copied, '"kind":"proven"', '"kind":"replay-only"')
    assert run(["tasks", "verify", str(copied), "--json"]) == 0
    assert answer(capsys) == {"tasks": 3, "proven": 2, "replay_only": 1, "failures": []}


def test_a_changed_base_fails_each_task_that_stands_on_it(
    copied: Path, capsys: Capture
) -> None:
    base = json.loads((copied / "world.json").read_text())["bases"]["crm"]
    file = copied / "bases" / f"{base}.json"
    file.write_bytes(file.read_bytes().replace(b"lead", b"LEAD", 1))
    assert run(["tasks", "verify", str(copied), "--json"]) == 1
    failures = answer(capsys)["failures"]
    assert [f["probe"] for f in failures] == ["s0"] * 3
    assert "was changed" in failures[0]["why"]


def test_a_service_that_is_not_installed_is_named(
    made: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = plugins.load(installed=False)
    monkeypatch.setattr(plugins, "current", lambda: none)
    assert run(["tasks", "verify", str(made)]) == 1
    shown = capsys.readouterr().out
    assert "services: no service is called 'billing'" in shown
    assert "install the distributions that provenance.versions names" in shown


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            '"instruction"',
            '"instructoin"',
            "did you mean 'instruction' instead of 'instructoin'",
        ),
        (
            "task@1",
            "task@7",
            "schema compoworld/task@7, and this version reads compoworld/task@1",
        ),
        ('{"certificate"', '"certificate"', "not JSON"),
    ],
)
def test_an_invalid_record_is_named_by_path_and_line(
    copied: Path, capsys: Capture, old: str, new: str, said: str
) -> None:
    edit(copied, old, new)
    assert run(["tasks", "verify", str(copied)]) == 2
    shown = capsys.readouterr().err
    assert f"{copied / 'tasks.jsonl'}:2: " in shown
    assert said in shown


def test_what_is_no_run_is_said(tmp_path: Path, capsys: Capture) -> None:
    assert run(["tasks", "verify", str(tmp_path)]) == 2
    assert "is no run: there is no" in capsys.readouterr().err


# -- show, stats, audit --------------------------------------------------------------------


def test_show_lists_the_tasks(made: Path, capsys: Capture) -> None:
    assert run(["tasks", "show", str(made), "--json"]) == 0
    rows = answer(capsys)["tasks"]
    assert [row["id"] for row in rows] == [t.id for t in Run.open(made).tasks()]


def test_show_a_task_tells_where_each_argument_comes_from(made: Path, capsys: Capture) -> None:
    task = next(Run.open(made).tasks())
    assert run(["tasks", "show", str(made), task.id[:10]]) == 0
    shown = capsys.readouterr().out
    for words in (
        task.instruction.splitlines()[0],
        "mailbox → crm → billing → tracker → notes → crm → billing",
        "email = sender of the one item of s1 where subject is",
        "for each of the items of all items of s3",
        "description = 'They owe {} in all.' with the sum of amount of all items of s3",
        "priority = 'high' (from the tool's schema)",
        "body states the id of issue",
        "Nothing else is changed, created or removed.",
        "tracker issues: at most 1 new",
        "ok  edges-carry: edges 6, worlds 6",
        "edge 1, mailbox → crm: another sender",
    ):
        assert words in shown


def test_show_one_task_as_json_is_its_record(made: Path, capsys: Capture) -> None:
    task = next(Run.open(made).tasks())
    assert run(["tasks", "show", str(made), task.id, "--json"]) == 0
    assert answer(capsys) == json.loads((made / "tasks.jsonl").read_text().splitlines()[0])


def test_show_an_unknown_task_says_how_to_list_them(made: Path, capsys: Capture) -> None:
    assert run(["tasks", "show", str(made), "task-zzz"]) == 2
    assert "no task is called 'task-zzz'" in capsys.readouterr().err


def test_stats_count_what_the_run_holds(made: Path, capsys: Capture) -> None:
    assert run(["tasks", "stats", str(made), "--json"]) == 0
    found = answer(capsys)
    assert found["tasks"] == 3
    assert found["carried"] == {"field": 9, "id": 6, "aggregate": 3}
    assert found["calls"] == {"least": 12, "median": 12, "mean": 12, "most": 12}
    assert found["acceptance"]["crm"] == {"accepted": 3, "tried": 5}


def test_stats_for_a_person(made: Path, capsys: Capture) -> None:
    assert run(["tasks", "stats", str(made)]) == 0
    assert "3 tasks from 5 tries" in capsys.readouterr().out


def test_audit_counts_by_kind(made: Path, capsys: Capture) -> None:
    assert run(["tasks", "audit", str(made), "--draws", "2", "--json"]) in (0, 1)
    found = answer(capsys)
    assert found["wrong"]["skipped_item"] == {"n": 6, "rejected": 6}
    assert found["equivalent"]["retry_after_error"] == {"n": 6, "accepted": 6}
    assert found["skipped"]["no_answer"] == {"the task asks for no answer": 6}
    assert found["tasks"] == 3


def test_an_audit_is_the_same_in_several_processes(made: Path, capsys: Capture) -> None:
    run(["tasks", "audit", str(made), "--json"])
    alone = answer(capsys)
    run(["tasks", "audit", str(made), "--workers", "2", "--json"])
    spread = answer(capsys)
    assert alone.pop("seconds") > 0
    assert spread.pop("seconds") > 0
    assert spread == alone


def test_an_audit_without_a_proven_task_is_said(copied: Path, capsys: Capture) -> None:
    (copied / "tasks.jsonl").unlink()
    assert run(["tasks", "audit", str(copied)]) == 2
    assert "holds no proven tasks" in capsys.readouterr().err


def test_an_audit_of_no_draws_is_refused(made: Path, capsys: Capture) -> None:
    assert run(["tasks", "audit", str(made), "--draws", "0"]) == 2
    assert "--draws is 0; give at least 1" in capsys.readouterr().err


def test_every_subcommand_has_json_and_help(capsys: Capture) -> None:
    for name in ("generate", "verify", "show", "stats", "audit", "split", "curriculum"):
        assert run(["tasks", name, "--help"]) == 0
        assert "--json" in capsys.readouterr().out


def test_a_task_is_found_by_the_beginning_of_its_number(made: Path, capsys: Capture) -> None:
    first = next(Run.open(made).tasks()).id
    assert run(["tasks", "show", str(made), first.removeprefix("task-")[:8]]) == 0
    assert first in capsys.readouterr().out


def test_a_run_without_tasks_is_said(copied: Path, capsys: Capture) -> None:
    (copied / "tasks.jsonl").unlink()
    assert run(["tasks", "show", str(copied)]) == 2
    assert "holds no tasks; make some" in capsys.readouterr().err
