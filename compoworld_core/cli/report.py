"""``compoworld report``: runs as pages for people, in the formats that plugins add.

A plugin adds a format by registering the command `report NAME` (hook `register_commands`).
"""

from __future__ import annotations

import click

from compoworld_core.cli.extension import PluginGroup


@click.group(cls=PluginGroup)
def report() -> None:
    """Turn runs into pages for people."""
