"""Options of commands that play: who simulates, whom a policy asks, its limits, who spreads."""

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

_SIMULATED: Final = (
    click.option(
        "--simulator", default="", metavar="NAME",
        help="Who answers tools without code: compoworld plugins list.",
    ),
    click.option(
        "--simulator-option", "simulator_options", multiple=True, callback=named_values,
        metavar="NAME=VALUE", help="An option of the simulator.",
    ),
    click.option(
        "--simulate", "simulate", multiple=True, metavar="SERVICE",
        help="Let the simulator answer all tools of this service.",
    ),
)  # fmt: skip


def simulated(command: Command) -> Command:
    """Give a command the options `simulator`, `simulator_options` and `simulate`."""
    for option in reversed(_SIMULATED):
        command = option(command)
    return command


def limited(command: Command) -> Command:
    """Give a command the options `user_options`, `max_*`, `workers` and `executor`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
