"""``compoworld train``: the group; trainers of other distributions may join it."""

from __future__ import annotations

import click

from compoworld_core.cli.extension import OpenGroup


@click.group(cls=OpenGroup)
def train() -> None:
    """Train policies on trajectories and tasks."""
