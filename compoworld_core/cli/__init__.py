"""The ``compoworld`` command: subcommands as import strings, errors as one clear line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from compoworld_core import errors

COMMANDS = {
    "bench": ("compoworld_core.cli.bench:bench", "Measure the figures of this machine."),
    "export": ("compoworld_core.cli.export:export", "Turn trajectories into training data."),
    "play": ("compoworld_core.cli.play:play", "Call tools by hand and see what changes."),
    "plugins": ("compoworld_core.cli.plugins:plugins", "See what is installed."),
    "quickstart": (
        "compoworld_core.cli.quickstart:quickstart",
        "The main job end to end, on embedded defaults.",
    ),
    "report": ("compoworld_core.cli.report:report", "Turn runs into pages for people."),
    "rollouts": ("compoworld_core.cli.rollouts:rollouts", "Let a policy play tasks."),
    "services": ("compoworld_core.cli.services:services", "List, show and check services."),
    "tasks": ("compoworld_core.cli.tasks:tasks", "Generate, verify and show tasks."),
}
"""The core's subcommands: where each is, and its line in ``--help``."""

INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group that knows its subcommands by name and imports one when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The core's subcommands and those that distributions declare."""
        from compoworld_core import plugins  # the start of every command stays light

        declared = [point.name for point in plugins.command_points()]
        return sorted({*COMMANDS, *declared})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a subcommand; a wrong name says which are close."""
        from compoworld_core import plugins
        from compoworld_core.registry import closest, resolve

        if cmd_name in COMMANDS:
            target, distribution = COMMANDS[cmd_name][0], "compoworld"
        else:
            points = {point.name: point for point in plugins.command_points()}
            if cmd_name in points:
                point = points[cmd_name]
                target = point.value
                distribution = point.dist.name if point.dist is not None else ""
            elif cmd_name in plugins.commands():
                command = plugins.commands().load(cmd_name)
                return _command(command, cmd_name)
            else:
                known = {*COMMANDS, *points, *plugins.commands()}
                raise errors.UnknownName(
                    "command", cmd_name, closest(cmd_name, known), "compoworld --help"
                )
        return _command(resolve(target, f"command {cmd_name!r}", distribution), cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands without importing any."""
        from compoworld_core import plugins

        rows = {name: text for name, (_, text) in COMMANDS.items()}
        for point in plugins.command_points():
            source = point.dist.name if point.dist is not None else point.value
            rows.setdefault(point.name, f"Added by {source}.")
        with formatter.section("Commands"):
            formatter.write_dl(sorted(rows.items()))


def _command(found: object, name: str) -> click.Command:
    if not isinstance(found, click.Command):
        raise errors.PluginError(f"command {name!r} is a {type(found).__name__}, not a command")
    return found


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="compoworld", message="%(prog)s %(version)s")
def cli() -> None:
    """Compose services into worlds, generate proven tasks over them, roll out and reward."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0 done; 1 the work's answer is no; 2 wrong usage; 130 interrupted.
    """
    from compoworld_core.cli import output

    try:
        result: Any = cli.main(
            args=None if arguments is None else list(arguments),
            prog_name="compoworld",
            standalone_mode=False,
        )
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        output.note("interrupted")
        return INTERRUPTED
    except errors.UsageError as error:
        output.error(str(error))
        return 2
    except errors.CompoWorldError as error:
        output.error(str(error))
        return 1
    return result if isinstance(result, int) else 0


def main() -> NoReturn:
    """The console script."""
    sys.exit(run())
