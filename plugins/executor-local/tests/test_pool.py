"""The executors: order, bounds, exceptions, killed workers, an ending parent."""

import importlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from compoworld_executor_local.pool import ProcessPool, WorkerDied
from compoworld_executor_local.serial import Serial

from compoworld_core import plugins
from compoworld_core.errors import UsageError
from compoworld_core.protocols import Executor

WORK = """
import os, signal, time
from compoworld_core.errors import UnknownName

def slow_start(item):
    time.sleep(0.2 if item < 2 else 0)  # the first items end last
    return item * item

def fail_on_three(item):
    if item == 3:
        raise UnknownName("thing", "three", (), "all names")  # not picklable by itself
    return item

def die_on_three(item):
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return item

def pid(item):
    return os.getpid()
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A module that workers can import too."""
    folder = tmp_path_factory.mktemp("work")
    (folder / "pool_work.py").write_text(WORK)
    sys.path.insert(0, str(folder))
    yield importlib.import_module("pool_work")
    sys.path.remove(str(folder))


@pytest.mark.parametrize("executor", [ProcessPool(), Serial()])
def test_results_come_in_the_order_of_the_items(executor: Executor, work: Any) -> None:
    assert list(executor.map(work.slow_start, range(9), workers=2)) == [n * n for n in range(9)]


@pytest.mark.parametrize("executor", [ProcessPool(), Serial()])
def test_an_exception_is_raised_at_its_place(executor: Executor, work: Any) -> None:
    results = executor.map(work.fail_on_three, range(9), workers=2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(UsageError, match="no thing is called 'three'"):
        next(results)


def test_endless_items_are_taken_only_as_needed(work: Any) -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for n in count():
            taken.append(n)
            yield n

    results = ProcessPool().map(work.slow_start, items(), workers=2)
    assert next(results) == 0
    results.close()
    assert len(taken) <= 10


def test_the_work_is_done_in_other_processes(work: Any) -> None:
    assert os.getpid() not in set(ProcessPool().map(work.pid, range(4), workers=2))


def test_a_killed_worker_is_a_clear_error(work: Any) -> None:
    with pytest.raises(WorkerDied, match="run the same command again"):
        list(ProcessPool().map(work.die_on_three, range(9), workers=2))


def test_no_workers_is_a_usage_error(work: Any) -> None:
    with pytest.raises(UsageError, match="at least 1"):
        list(ProcessPool().map(work.pid, range(2), workers=0))


def test_both_are_registered() -> None:
    for name, kind in (("local", ProcessPool), ("serial", Serial)):
        assert plugins.executors().load(name) is kind


PROGRAM = """
import os, sys, time
from compoworld_executor_local.pool import ProcessPool

def work(item):
    with open(sys.argv[1], "a") as file:
        file.write(f"{os.getpid()}\\n")
    time.sleep(60)

if __name__ == "__main__":
    list(ProcessPool().map(work, range(8), workers=2))
"""


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes under /proc")
def test_workers_do_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    program, marks = tmp_path / "program.py", tmp_path / "pids"
    program.write_text(PROGRAM)
    marks.write_text("")
    parent = subprocess.Popen([sys.executable, str(program), str(marks)])
    deadline = time.monotonic() + 30
    while len(marks.read_text().split()) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    workers = [int(line) for line in marks.read_text().split()]
    parent.kill()
    parent.wait()
    while any(alive(w) for w in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(workers) == 2
    assert not any(alive(w) for w in workers)
