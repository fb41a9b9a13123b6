"""`compoworld export sft`: what becomes a row, and that `datasets` gives it back unchanged."""

import json
from pathlib import Path
from typing import Any

import pytest
from compoworld_export_sft.export import Choice, export, row

from compoworld_core.cli import run as command
from compoworld_core.errors import UsageError
from compoworld_core.meta import SCHEMAS
from compoworld_core.records import Message, ToolCall, Trajectory, Verdict
from compoworld_core.run import Run

GOOD = Verdict(criteria={"c": True}, gates={"g": True})
BAD = Verdict(criteria={"c": True}, gates={"g": False})


def call(key: str, arguments: str, name: str = "call_tool") -> ToolCall:
    return ToolCall(id=key, name=name, arguments=arguments)


def trajectory(key: str, *calls: ToolCall, **more: Any) -> Trajectory:
    said = [Message(role="system", content="S"), Message(role="user", content="U")]
    for each in calls:
        said += [
            Message(role="assistant", tool_calls=(each,)),
            Message(role="tool", content="{}", tool_call_id=each.id),
        ]
    said.append(Message(role="assistant", content="Done.", reasoning_content="So."))
    record = {"verdict": GOOD, "task": "task-1", "reward": 1.0, **more}
    return Trajectory(id=key, policy="p", seed=0, sample=0, messages=tuple(said), **record)


def stored(path: Path, *records: Trajectory) -> Run:
    run = Run.start(path, {"command": "rollouts"}, {})
    with run.writing():
        for record in records:
            run.append("trajectories", record)
    return run


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def inner(**arguments: Any) -> str:
    return json.dumps({"service": "s", "tool": "t", "arguments": arguments})


DESCRIBED = call("d", '{"service": "s", "tool": "t"}', "describe_tool")

AWKWARD = [
    trajectory("t1", DESCRIBED, call("a", inner(limit=5, note=None))),
    trajectory("t2", DESCRIBED, call("a", inner(limit="five", other={}))),
    trajectory(
        "t3", DESCRIBED, call("a", "{}", "list_services"), call("b", inner(rows=[1, "x", None]))
    ),
    trajectory(
        "t4", DESCRIBED, call("a", inner(limit={"deep": [{"k": 1}, {"l": "\u2028 🙂"}]}))
    ),
]
"""Calls of other shapes: a genuine null, an empty object, an integer where others have text."""


def test_a_row_holds_messages_and_the_four_tools() -> None:
    made = row(trajectory("t1", call("a", inner(limit=5, note=None))))
    assert made["tools"] == SCHEMAS
    assert made["messages"] == [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "U"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "a",
                    "type": "function",
                    "function": {
                        "name": "call_tool",
                        "arguments": inner(limit=5, note=None),
                    },
                }
            ],
        },
        {"role": "tool", "content": "{}", "tool_call_id": "a"},
        {"role": "assistant", "content": "Done.", "reasoning_content": "So."},
    ]


@pytest.mark.parametrize("shape", ["text", "object"])
@pytest.mark.parametrize("alike", [0, 280])
def test_datasets_gives_every_row_back_from_json_and_from_parquet(
    tmp_path: Path, shape: Any, alike: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    # more than one chunk of the reader, and the first says nothing of what comes later
    wide = {"task": "x" * 40_000}
    many = [AWKWARD[0].model_copy(update={"id": f"w{n}", **wide}) for n in range(alike)]
    many += AWKWARD
    file = tmp_path / "sft.jsonl"
    export([stored(tmp_path / "run", *many)], file, Choice(arguments=shape))
    cache = str(tmp_path / "cache")
    loaded = datasets.load_dataset("json", data_files=str(file), split="train", cache_dir=cache)
    assert list(loaded) == rows(file)
    loaded.to_parquet(tmp_path / "sft.parquet")
    again = datasets.Dataset.from_parquet(str(tmp_path / "sft.parquet"), cache_dir=cache)
    assert list(again) == rows(file)


def test_without_success_or_with_an_error_it_is_counted_and_left_out(tmp_path: Path) -> None:
    run = stored(
        tmp_path / "run",
        trajectory("good"),
        trajectory("bad", verdict=BAD),
        trajectory("broken", verdict=None, error="ModelError: down"),
    )
    tally = export([run], tmp_path / "sft.jsonl")
    assert [each["trajectory"] for each in rows(tmp_path / "sft.jsonl")] == ["good"]
    assert tally.left_out == {"no success": 1, "ended in an error": 1}
    assert export([run], tmp_path / "all.jsonl", Choice(only_success=False)).rows == 2


def test_a_call_of_an_undescribed_tool_is_counted_and_left_out(tmp_path: Path) -> None:
    blind = trajectory("blind", call("a", inner()), DESCRIBED)
    run = stored(tmp_path / "run", blind, trajectory("good", DESCRIBED, call("a", inner())))
    tally = export([run], tmp_path / "sft.jsonl", Choice(only_success=False))
    assert [each["trajectory"] for each in rows(tmp_path / "sft.jsonl")] == ["good"]
    assert tally.left_out == {"calls a tool that it had not described": 1}


def test_a_run_given_twice_gives_its_rows_once(tmp_path: Path) -> None:
    run = stored(tmp_path / "run", trajectory("good"))
    tally = export([run, run], tmp_path / "sft.jsonl")
    assert (tally.rows, tally.left_out) == (1, {"given twice": 1})


def test_a_malformed_call_is_kept_as_text_and_cannot_be_an_object(tmp_path: Path) -> None:
    run = stored(tmp_path / "run", trajectory("slip", call("a", '{"service": ')))
    assert export([run], tmp_path / "a.jsonl").rows == 1
    tally = export([run], tmp_path / "b.jsonl", Choice(arguments="object"))
    assert tally.left_out == {"a call's arguments are no object": 1}


def test_the_same_runs_give_the_same_bytes(tmp_path: Path) -> None:
    run = stored(tmp_path / "run", *AWKWARD)
    for name in ("a.jsonl", "b.jsonl"):
        export([run], tmp_path / name)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_a_folder_as_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        export([stored(tmp_path / "run", *AWKWARD)], tmp_path)


# -- the command ---------------------------------------------------------------------------


def test_the_command_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored(tmp_path / "run", trajectory("good"), trajectory("bad", verdict=BAD))
    out = tmp_path / "deep" / "sft.jsonl"
    given = ["export", "sft", str(tmp_path / "run"), "--out", str(out), "--json"]
    assert command(given) == 0
    told = capsys.readouterr()
    assert json.loads(told.out) == {
        "rows": 1,
        "left_out": {"no success": 1},
        "out": str(out),
    }
    assert "give --tasks RUN" in told.err


def test_no_row_at_all_is_a_no(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored(tmp_path / "run", trajectory("bad", verdict=BAD))
    given = ["export", "sft", str(tmp_path / "run"), "--out", str(tmp_path / "sft.jsonl")]
    assert command(given) == 1
    assert "--all takes those that failed" in capsys.readouterr().err


def test_an_unknown_format_says_which_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["export", "stf"]) == 2
    assert "Closest: sft" in capsys.readouterr().err
