"""Options of commands that let a policy play: whom it asks, its limits, who spreads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from compoworld_core.cli.options import named_values
from compoworld_core.episode import Limits

Command = TypeVar("Command", bound=Callable[..., Any])

_LIMITS: Final = Limits()
_OPTIONS: Final = (
    click.option(
        "--user-option", "user_options", multiple=True, callback=named_values,
        metavar="NAME=VALUE", help="An option of the user.",
    ),
    click.option(
        "--max-turns", default=_LIMITS.turns, show_default=True,
        help="Turns of a rollout at most.",
    ),
    click.option(
        "--max-calls", default=_LIMITS.calls, show_default=True,
        help="Calls of a rollout at most.",
    ),
    click.option(
        "--max-observation", default=_LIMITS.observation, show_default=True,
        help="Characters of an observation at most.",
    ),
    click.option("--workers", default=1, show_default=True, help="Rollouts at a time."),
    click.option("--executor", default="local", show_default=True, help="Who spreads them."),
)  # fmt: skip


def limited(command: Command) -> Command:
    """Give a command the options `user_options`, `max_*`, `workers` and `executor`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
