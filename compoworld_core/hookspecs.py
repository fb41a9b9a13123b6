"""What a plugin may implement: twelve hooks, none of which decides anything.

A plugin is a module in the entry-point group ``compoworld``. It marks functions of the names
below with ``@hookimpl`` and takes the arguments that it wants. No hook returns a value, and no
hook is "first result wins": installing a plugin extends the choice and never makes it.

The ``register_*`` hooks receive ``register(name, target, *, summary="")``; the target is an
object or ``"module:attribute"``, which is imported when the name is used.
"""

from __future__ import annotations

from typing import Protocol

import pluggy

PROJECT = "compoworld"
"""The pluggy project, the entry-point group of plugins, and the prefix of the other groups."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class Register(Protocol):
    """What a ``register_*`` hook calls once per name."""

    def __call__(self, name: str, target: object, *, summary: str = "") -> None:
        """Make the target known under a name."""


@hookspec
def register_services(register: Register) -> None:
    """Add services; each target is a ``Service``.

    Entry points of the group ``compoworld.services`` need no hook.
    """


@hookspec
def register_simulators(register: Register) -> None:
    """Add simulators; each target makes a ``Simulator``, from keywords where it has options.

    They stand in for tools without code where a command is given ``--simulator NAME``; an
    ``Environment`` takes one as ``simulator``.
    """


@hookspec
def register_task_generators(register: Register) -> None:
    """Add task generators; each target makes a ``TaskGenerator``."""


@hookspec
def register_verifiers(register: Register) -> None:
    """Add kinds of criteria; each target is a ``Verifier``."""


@hookspec
def register_rewards(register: Register) -> None:
    """Add rewards; each target is a ``Reward``."""


@hookspec
def register_trainers(register: Register) -> None:
    """Add trainers; each target makes a ``Trainer``."""


@hookspec
def register_policies(register: Register) -> None:
    """Add policies and model clients; each target makes a ``Policy``."""


@hookspec
def register_users(register: Register) -> None:
    """Add users, who answer a policy's questions; each target is a ``UserFactory``."""


@hookspec
def register_executors(register: Register) -> None:
    """Add executors, which spread work over processes; each target makes an ``Executor``."""


@hookspec
def register_sandboxes(register: Register) -> None:
    """Add sandboxes, which run programs that a model wrote; each target makes a ``Sandbox``."""


@hookspec
def register_commands(register: Register) -> None:
    """Add subcommands of ``compoworld``; each target is a click command.

    The command line must list its commands without importing a plugin, so a command that
    should appear in ``compoworld --help`` is declared as an entry point of the group
    ``compoworld.commands``; the name ``services.audit`` makes ``compoworld services audit``. A
    command known by this hook only is found when it is typed; under the name ``export csv`` or
    ``report csv`` it becomes a format of ``compoworld export`` or ``compoworld report``.
    """


@hookspec
def observe(event: object) -> None:
    """See an event, an immutable record of what has happened.

    An observer that raises is logged and switched off.
    """
