"""The executors: order, bounds, exceptions, killed workers, an ending parent."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from compoworld_executor_local.pool import ProcessPool, WorkerDied
from compoworld_executor_local.serial import Serial

from compoworld_core import plugins
from compoworld_core.errors import UnknownName, UsageError
from compoworld_core.protocols import Executor


def slow_start(item: int) -> int:
    """The first items take longest, so that they end last."""
    time.sleep(0.2 if item < 2 else 0)
    return item * item


def fail_on_three(item: int) -> int:
    if item == 3:
        raise UnknownName("thing", "three", (), "all names")  # not picklable by itself
    return item


def die_on_three(item: int) -> int:
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def pid(item: int) -> int:
    return os.getpid()


@pytest.mark.parametrize("executor", [ProcessPool(), Serial()])
def test_results_come_in_the_order_of_the_items(executor: Executor) -> None:
    assert list(executor.map(slow_start, range(9), workers=2)) == [n * n for n in range(9)]


@pytest.mark.parametrize("executor", [ProcessPool(), Serial()])
def test_an_exception_is_raised_at_its_place(executor: Executor) -> None:
    results = executor.map(fail_on_three, range(9), workers=2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(UsageError, match="no thing is called 'three'"):
        next(results)


def test_endless_items_are_taken_only_as_needed() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for n in count():
            taken.append(n)
            yield n

    results = ProcessPool().map(slow_start, items(), workers=2)
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]
    assert len(taken) <= 10


def test_the_work_is_done_in_other_processes() -> None:
    assert os.getpid() not in set(ProcessPool().map(pid, range(4), workers=2))


def test_a_killed_worker_is_a_clear_error() -> None:
    with pytest.raises(WorkerDied, match="run the same command again"):
        list(ProcessPool().map(die_on_three, range(9), workers=2))


def test_no_workers_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        list(ProcessPool().map(pid, range(2), workers=0))


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
    if True:
        list(ProcessPool().map(work, range(8), workers=2))
"""


def alive(process: int) -> bool:
    if True:
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
