"""CompoWorld: compose stateful mock services, generate proven cross-service tasks, play them.

The names below are the public ones; everything else is found in its own module. A name's module
is imported when the name is first used, so that the command line starts without the models.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compoworld_core.composition import compose
    from compoworld_core.context import Context
    from compoworld_core.environment import Environment
    from compoworld_core.errors import CompoWorldError, ToolError
    from compoworld_core.hookspecs import Register, hookimpl
    from compoworld_core.observation import Observation
    from compoworld_core.schema import UNSET
    from compoworld_core.service import Service, Simulated
    from compoworld_core.state import Entity, State
    from compoworld_core.table import Table
    from compoworld_core.types import Forms, IntRef, Ref
else:
    _MODULES = {
        "UNSET": "schema",
        "CompoWorldError": "errors",
        "Context": "context",
        "Entity": "state",
        "Environment": "environment",
        "Forms": "types",
        "IntRef": "types",
        "Observation": "observation",
        "Ref": "types",
        "Register": "hookspecs",
        "Service": "service",
        "Simulated": "service",
        "State": "state",
        "Table": "table",
        "ToolError": "errors",
        "compose": "composition",
        "hookimpl": "hookspecs",
    }

    def __getattr__(name: str) -> object:
        """Import a public name on first use."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = value
        return value


__all__ = [
    "UNSET",
    "CompoWorldError",
    "Context",
    "Entity",
    "Environment",
    "Forms",
    "IntRef",
    "Observation",
    "Ref",
    "Register",
    "Service",
    "Simulated",
    "State",
    "Table",
    "ToolError",
    "compose",
    "hookimpl",
]
__version__ = "0.1.0"
