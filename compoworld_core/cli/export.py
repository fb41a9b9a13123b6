"""``compoworld export``: trajectories as training data, in the formats that plugins add.

A plugin adds a format by registering the command `export NAME` (hook `register_commands`).
"""

from __future__ import annotations

import click

from compoworld_core.cli.extension import PluginGroup


@click.group(cls=PluginGroup)
def export() -> None:
    """Turn trajectories into training data."""
