"""Groups whose subcommands are plugins': `compoworld export sft`, `compoworld report html`."""

from __future__ import annotations

import click

from compoworld_core import plugins
from compoworld_core.errors import PluginError, UnknownName
from compoworld_core.registry import closest


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
            raise UnknownName(
                f"{self.name} format", cmd_name, closest(cmd_name, known), ", ".join(known)
            )
        return load_command(f"{self.name} {cmd_name}")


def load_command(name: str) -> click.Command:
    """The command that a plugin registers under this name, such as `export sft`."""
    found = plugins.commands().load(name)
    if not isinstance(found, click.Command):
        raise PluginError(f"command {name!r} is a {type(found).__name__}, not a command")
    return found
