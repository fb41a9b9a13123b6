"""Garbage: cyclic collection held back while work makes much that lives until its end."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no cycles during a piece of work; a proof spends a quarter of its time so.

    Reference counts free as always; what is left over is found right after. Whoever switched
    the collector off keeps it off.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
