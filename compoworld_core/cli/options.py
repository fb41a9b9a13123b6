"""Options that commands share: `--option name=value`, `--workers` with `--executor`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from compoworld_core import plugins
from compoworld_core.errors import UsageError

if TYPE_CHECKING:
    from compoworld_core.protocols import Executor


def named_values(
    _ctx: click.Context, _option: click.Parameter, given: Sequence[str]
) -> dict[str, Any]:
    """A callback that reads `name=value` pairs, the value as JSON where it is JSON."""
    options: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{text!r} is no option; write it as name=value")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options


def load_executor(name: str, workers: int) -> Executor | None:
    """The executor of this name; None where one process does the work."""
    if workers < 1:
        raise UsageError(f"--workers is {workers}; give at least 1")
    if workers == 1 and name == "local":
        return None
    made: Executor = plugins.make(plugins.executors(), name)
    return made
