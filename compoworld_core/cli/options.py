"""Options of strategies on the command line: `--option name=value`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click


def named_values(
    _ctx: click.Context, _option: click.Parameter, given: Sequence[str]
) -> dict[str, Any]:
    """A callback that reads `name=value` pairs, the value as JSON where it is JSON."""
    options: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{text!r} is no option; write it as name=value")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options
