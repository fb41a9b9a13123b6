"""Groups that others extend: `compoworld services affordances`, `compoworld export sft`."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import click

from compoworld_core import plugins, registry
from compoworld_core.errors import PluginError, UnknownName


class OpenGroup(click.Group):
    """A group with commands of its own and those that distributions declare for it.

    The entry point ``services.affordances`` of the group ``compoworld.commands`` is the
    command ``compoworld services affordances``; it is imported when it is typed.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The group's own commands and the declared ones; imports none."""
        return sorted({*super().list_commands(ctx), *declared(str(self.name))})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find a command, importing a declared one; a wrong name says which are close."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        point = declared(str(self.name)).get(cmd_name)
        if point is not None:
            return load_declared(point)
        near = registry.closest(cmd_name, self.list_commands(ctx))
        help_line = f"compoworld {self.name} --help"
        raise UnknownName(f"{self.name} command", cmd_name, near, help_line)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing the declared ones."""
        rows = {name: each.get_short_help_str(70) for name, each in self.commands.items()}
        rows |= help_lines(declared(str(self.name)), rows)
        with formatter.section("Commands"):
            formatter.write_dl(sorted(rows.items()))


class PluginGroup(click.Group):
    """A group named `export` offers each command that a plugin registers as `export NAME`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names that plugins add to this group."""
        start = f"{self.name} "
        return [n.removeprefix(start) for n in plugins.commands() if n.startswith(start)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a plugin's command; a wrong name says which there are."""
        known = self.list_commands(ctx)
        if cmd_name not in known:
            near = registry.closest(cmd_name, known)
            raise UnknownName(f"{self.name} format", cmd_name, near, ", ".join(known))
        return load_command(f"{self.name} {cmd_name}")


def declared(group: str) -> dict[str, EntryPoint]:
    """The commands that distributions declare in a group, by name; "" is the top."""
    return {
        point.name.rpartition(".")[2]: point
        for point in plugins.command_points()
        if point.name.rpartition(".")[0] == group
    }


def help_lines(points: dict[str, EntryPoint], taken: dict[str, str]) -> dict[str, str]:
    """A line of help for each declared command whose name is not taken, importing none."""
    return {
        name: f"Added by {point.dist.name if point.dist is not None else point.value}."
        for name, point in points.items()
        if name not in taken
    }


def load_declared(point: EntryPoint) -> click.Command:
    """Import the command of an entry point."""
    distribution = point.dist.name if point.dist is not None else ""
    what = f"command {point.name!r}"
    return command_of(registry.resolve(point.value, what, distribution), point.name)


def load_command(name: str) -> click.Command:
    """The command that a plugin registers under this name, such as `export sft`."""
    return command_of(plugins.commands().load(name), name)


def command_of(found: object, name: str) -> click.Command:
    """What was found under a name, if it is a command."""
    if not isinstance(found, click.Command):
        raise PluginError(f"command {name!r} is a {type(found).__name__}, not a command")
    return found
