"""An emitted service, imported from where it was written, and calls of its tools."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from compoworld_synth.pipeline import import_listing

from compoworld_core import compose

Call = Callable[..., Any]


@contextmanager
def emitted(listing: Any, out: Path) -> Iterator[Any]:
    """The one service of a listing; its modules are forgotten again."""
    made = import_listing(listing, out, formatted=False, checked=False)
    (one,) = made.services
    sys.path.insert(0, str(out / "src"))
    try:
        yield importlib.import_module(f"{made.package}.{one.name}").service
    finally:
        sys.path.pop(0)
        for name in [n for n in sys.modules if n.startswith(made.package)]:
            del sys.modules[name]


def caller(service: Any) -> Call:
    """Call a tool in a fresh world; an error is its code."""
    env = compose(service, seed=1)

    def called(tool: str, /, **arguments: Any) -> Any:
        seen = env.call(f"{service.name}.{tool}", arguments)
        return seen.code if seen.is_error else seen.data

    return called
