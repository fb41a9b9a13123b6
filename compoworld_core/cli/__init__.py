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
    "eval": ("compoworld_core.cli.evaluate:evaluate_", "Measure a policy over tasks."),
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
        from compoworld_core.cli.extension import declared  # importing this module stays light

        return sorted({*COMMANDS, *declared("")})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a subcommand; a wrong name says which are close."""
        from compoworld_core import plugins, registry
        from compoworld_core.cli import extension

        if cmd_name in COMMANDS:
            target, what = COMMANDS[cmd_name][0], f"command {cmd_name!r}"
            return extension.command_of(registry.resolve(target, what, "compoworld"), cmd_name)
        points = extension.declared("")
        if cmd_name in points:
            return extension.load_declared(points[cmd_name])
        if cmd_name in plugins.commands():
            return extension.load_command(cmd_name)
        near = registry.closest(cmd_name, {*COMMANDS, *points, *plugins.commands()})
        raise errors.UnknownName("command", cmd_name, near, "compoworld --help")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands without importing any."""
        from compoworld_core.cli import extension

        rows = {name: text for name, (_, text) in COMMANDS.items()}
        rows |= extension.help_lines(extension.declared(""), rows)
        with formatter.section("Commands"):
            formatter.write_dl(sorted(rows.items()))


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
    except OSError as error:  # a full disk, a folder that may not be written to
        if error.filename is None and error.errno is None:
            raise
        where = f" {error.filename}" if error.filename else ""
        output.error(f"the system refuses{where}: {error.strerror or error}")
        return 1
    return result if isinstance(result, int) else 0


def main() -> NoReturn:
    """The console script."""
    sys.exit(run())
