"""ProcessPool: spreads work over processes of this machine; results in the order of the items.

Processes are spawned, not forked: a fork copies locks and threads in whatever state they are.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.connection import wait
from typing import Any, Generic, TypeVar

from attrs import frozen

from compoworld_core.errors import CompoWorldError, UsageError

Item = TypeVar("Item")
Result = TypeVar("Result")

_PER_WORKER = 4
"""Items in flight for each worker: none waits for the next one, and memory stays bounded."""


class WorkerDied(CompoWorldError):  # noqa: N818  # says what happened
    """A process of the pool ended without a result: it was killed, or memory ran out."""


class ProcessPool:
    """Applies a function in processes; the function and the items must be picklable."""

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], *, workers: int
    ) -> Iterator[Result]:
        """Apply the function to each item; an exception of one item is raised at its place.

        Closing the iterator, or an exception, drops what is not done and ends the processes.
        """
        if workers < 1:
            raise UsageError(f"workers is {workers}; give at least 1")
        pool = ProcessPoolExecutor(
            workers, mp_context=multiprocessing.get_context("spawn"), initializer=_start
        )
        left = iter(items)
        task: _Task[Item, Result] = _Task(function)
        waiting: deque[Future[_Outcome]] = deque()
        try:
            waiting.extend(
                pool.submit(task, item) for item in islice(left, workers * _PER_WORKER)
            )
            while waiting:
                outcome = waiting.popleft().result()
                waiting.extend(pool.submit(task, item) for item in islice(left, 1))
                if outcome.error is not None:
                    raise outcome.error
                yield outcome.value
        except BrokenProcessPool as error:
            raise WorkerDied(
                "a worker process ended without a result: it was killed, or memory ran out."
                " What was finished is kept; run the same command again, perhaps with fewer"
                " workers"
            ) from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _start() -> None:
    """Prepare a worker: Ctrl-C is the parent's business, and no worker outlives its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()


def _follow(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)  # the parent is gone, however it ended


@frozen
class _Outcome:
    """What a worker sends back."""

    value: Any = None
    error: Exception | None = None


@frozen
class _Task(Generic[Item, Result]):
    """The function, with its exceptions made fit to travel."""

    function: Callable[[Item], Result]

    def __call__(self, item: Item) -> _Outcome:
        try:
            return _Outcome(self.function(item))
        except Exception as error:  # raised again in the parent, at the item's place
            return _Outcome(error=_portable(error))


def _portable(error: Exception) -> Exception:
    """The exception itself, or one that says the same where it cannot be pickled and back."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  # what was dumped right here
    except Exception:  # an exception's own __init__ or __reduce__ may raise anything
        if isinstance(error, UsageError):
            return UsageError(str(error))
        if isinstance(error, CompoWorldError):
            return CompoWorldError(str(error))
        return RuntimeError("".join(traceback.format_exception(error)))
    return error
