"""Export: trajectories as rows of chat messages and tools, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, Literal

from attrs import define, field, frozen

from compoworld_core.conversation import to_chat, undescribed_calls
from compoworld_core.errors import UsageError
from compoworld_core.lines import to_line
from compoworld_core.meta import MetaTools
from compoworld_core.records import Trajectory
from compoworld_core.run import Run

SFT_SCHEMA: Final = "compoworld/sft@1"

Arguments = Literal["text", "object"]


@frozen
class Choice:
    """Which trajectories become rows, and how their calls look."""

    only_success: bool = True
    """False also takes those that failed; never taken are those that ended in an error, and
    those that call a tool which they had not described: nobody should learn to guess."""
    replay_only: bool = False
    """Whether trajectories of tasks without a full proof are taken."""
    arguments: Arguments = "text"
    """A call's arguments as JSON text, which no loader can reshape, or as an object."""


@define
class Tally:
    """What an export came to."""

    rows: int = 0
    left_out: dict[str, int] = field(factory=dict)
    """Reason → trajectories."""
    unknown_tasks: int = 0
    """Rows whose task is in none of the given runs: its proof could not be looked at."""

    def leave_out(self, why: str) -> None:
        """Count a trajectory that is no row."""
        self.left_out[why] = self.left_out.get(why, 0) + 1


def export(
    runs: Iterable[Run], out: Path, choice: Choice | None = None, tasks: Iterable[Run] = ()
) -> Tally:
    """Write the trajectories of the runs to a file, which is there whole or not at all.

    Args:
        runs: where the trajectories are, and perhaps their tasks.
        out: the file.
        choice: which ones, and in which shape.
        tasks: where else the tasks are.
    """
    choice = choice or Choice()
    runs = list(runs)
    kinds = {t.id: t.certificate.kind for run in (*runs, *tasks) for t in run.tasks()}
    tally = Tally()
    if out.is_dir():
        raise UsageError(f"{out} is a folder; name a file, such as {out / 'sft.jsonl'}")
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f"{out.name}.part")
    with part.open("w", encoding="utf-8", newline="\n") as file:
        for trajectory in _each_once(runs, tally):
            why = _unwanted(trajectory, kinds.get(trajectory.task, ""), choice)
            if why:
                tally.leave_out(why)
                continue
            tally.rows += 1
            tally.unknown_tasks += trajectory.task not in kinds
            file.write(_line(row(trajectory, choice.arguments)) + "\n")
    part.replace(out)
    return tally


def _line(data: dict[str, Any]) -> str:
    """A row as one line, also for readers that split at every line break Unicode has."""
    return to_line(data).translate({code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)})


def _each_once(runs: Iterable[Run], tally: Tally) -> Iterator[Trajectory]:
    seen: set[str] = set()
    for run in runs:
        for trajectory in run.trajectories():
            if trajectory.id in seen:
                tally.leave_out("given twice")
                continue
            seen.add(trajectory.id)
            yield trajectory


def _unwanted(trajectory: Trajectory, kind: str, choice: Choice) -> str:
    """Why a trajectory is left out; empty where it is taken."""
    if trajectory.error or trajectory.verdict is None:
        return "ended in an error"
    if choice.only_success and not trajectory.verdict.success:
        return "no success"
    if undescribed_calls(trajectory):
        return "calls a tool that it had not described"
    if kind == "replay-only" and not choice.replay_only:
        return "task is replay-only"
    if choice.arguments == "object" and not all(
        _is_object(call.arguments) for m in trajectory.messages for call in m.tool_calls
    ):
        return "a call's arguments are no object"
    return ""


def row(trajectory: Trajectory, arguments: Arguments = "text") -> dict[str, Any]:
    """A trajectory as one row: `messages`, `tools`, and where it comes from."""
    messages = [to_chat(message) for message in trajectory.messages]
    if arguments == "object":
        for message in messages:
            for call in message.get("tool_calls", ()):
                function = call["function"]
                function["arguments"] = json.loads(function["arguments"] or "{}")
    return {
        "schema": SFT_SCHEMA,
        "messages": messages,
        "tools": MetaTools.schemas(),
        "task": trajectory.task,
        "trajectory": trajectory.id,
        "policy": trajectory.policy,
        "success": trajectory.verdict is not None and trajectory.verdict.success,
        "reward": trajectory.reward,
    }


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text or "{}"), dict)
    except (ValueError, RecursionError):
        return False
