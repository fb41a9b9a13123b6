"""Verification: proves a stored task again, from the run folder's files alone.

All of a task is compared with what the proof gives again, its graph and its certificate's
probes too, except for `provenance`: where a task comes from is told and cannot be proven.
"""

from __future__ import annotations

from functools import lru_cache

from compoworld_core.difficulty import rate
from compoworld_core.errors import PluginError, RecordError, ServiceError, UnknownName
from compoworld_core.graph import graph_of
from compoworld_core.proof.case import Refuted
from compoworld_core.proof.certificate import candidate_of, reprove, task_id
from compoworld_core.proof.probes.edges import DECISION
from compoworld_core.records import Task
from compoworld_core.run import Run, open_task


def verify_task(run: Run, task: Task) -> dict[str, str] | None:
    """None where the task proves again; otherwise which probe fails, and why.

    A record that makes no sense is a failure of its task like any other: those after it are
    still verified.
    """
    flaw = _flaw(task)
    if flaw:
        return _failure(task, "record", flaw)
    try:
        reprove(task, open_task(run, task))
    except Refuted as error:
        return _failure(task, error.probe, error.why)
    except UnknownName as error:
        why = f"{error}; install the distributions that provenance.versions names"
        return _failure(task, "services", why)
    except PluginError as error:
        return _failure(task, "services", str(error))
    except RecordError as error:
        return _failure(task, "s0", str(error))
    except ServiceError as error:
        return _failure(task, "service-error", str(error))
    except Exception as error:  # a record may be wrong in ways that nobody thought of
        return _failure(task, "record", f"it breaks the proof: {type(error).__name__}: {error}")
    if task_id(task) != task.id:  # the proof has left what was recorded of it out
        why = "the record was changed: its id does not fit its content"
        return _failure(task, "record", why)
    return None


def _flaw(task: Task) -> str:
    """What in a record contradicts the record itself; empty where nothing does."""
    names = [*task.services, *task.distractors]
    if len({*names}) < len(names):
        return "a service is named twice"
    strange = next((name for name in task.walk if name not in task.services), None)
    if strange is not None:
        return f"the walk visits {strange}, which is no service of the task"
    if task.graph != graph_of(task.walk):
        return "the graph is not that of the walk"
    for world in task.certificate.worlds:
        if not DECISION <= world.edge < len(task.walk) - 1:
            return f"another world is for edge {world.edge} of {len(task.walk) - 1}"
    score = task.difficulty.get("score")
    if score is not None and score != rate(candidate_of(task))["score"]:
        return f"the difficulty {score} is not what the task's features give"
    return ""


def _failure(task: Task, probe: str, why: str) -> dict[str, str]:
    return {"task": task.id, "probe": probe, "why": why}


def verify_line(path: str, line: str) -> dict[str, str] | None:
    """The same in whatever process: the task as its line, the run by its path."""
    return verify_task(_opened(path), Task.model_validate_json(line))


@lru_cache(maxsize=2)
def _opened(path: str) -> Run:
    return Run.open(path)
