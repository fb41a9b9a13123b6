"""Verification: proves a stored task again, from the run folder's files alone."""

from __future__ import annotations

from functools import lru_cache

from compoworld_core.errors import PluginError, RecordError, ServiceError, UnknownName
from compoworld_core.proof.case import Refuted
from compoworld_core.proof.certificate import reprove
from compoworld_core.records import Task
from compoworld_core.run import Run, open_task


def verify_task(run: Run, task: Task) -> dict[str, str] | None:
    """None where the task proves again; otherwise which probe fails, and why."""
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
    return None


def _failure(task: Task, probe: str, why: str) -> dict[str, str]:
    return {"task": task.id, "probe": probe, "why": why}


def verify_line(path: str, line: str) -> dict[str, str] | None:
    """The same in whatever process: the task as its line, the run by its path."""
    return verify_task(_opened(path), Task.model_validate_json(line))


@lru_cache(maxsize=2)
def _opened(path: str) -> Run:
    return Run.open(path)
