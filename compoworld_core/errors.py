"""The exception tree: who an error speaks to, and where it broke. Imports nothing.

Only :class:`ToolError` speaks to the agent; every other class speaks to a person. Messages say
what happened; what exists; what to type.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

ErrorCode = Literal[
    "not_found",
    "conflict",
    "invalid_argument",
    "permission_denied",
    "failed_precondition",
    "rate_limited",
    "unavailable",
]
"""The closed list of reasons a tool may give an agent."""

ERROR_CODES: Final[tuple[str, ...]] = get_args(ErrorCode)


class CompoWorldError(Exception):
    """Base of all errors raised on purpose."""


class UsageError(CompoWorldError):
    """A person can fix it: the command line exits with 2 and prints no traceback."""


class UnknownName(UsageError):  # noqa: N818  # the name says what is wrong
    """A name that nothing is registered under."""

    def __init__(self, kind: str, name: str, closest: tuple[str, ...], listing: str) -> None:
        self.kind, self.name, self.closest, self.listing = kind, name, closest, listing
        near = f" Closest: {', '.join(closest)}." if closest else ""
        super().__init__(f"no {kind} is called {name!r}.{near} All names: {listing}")


class DuplicateName(UsageError):  # noqa: N818  # the name says what is wrong
    """Two things under one name."""

    def __init__(self, kind: str, name: str, first: str, second: str) -> None:
        self.kind, self.name = kind, name
        super().__init__(f"two {kind}s are called {name!r}: {first} and {second}; remove one")


class PluginError(CompoWorldError):
    """A plugin failed to import or broke a hook's contract."""


class ServiceError(CompoWorldError):
    """A service's code broke its contract: it raised something else than ToolError."""

    def __init__(self, service: str, tool: str, why: str) -> None:
        self.service, self.tool, self.why = service, tool, why
        super().__init__(f"{service}.{tool}: {why}")


class SimulationError(CompoWorldError):
    """A simulator's prediction does not fit the typed state."""


class ModelError(CompoWorldError):
    """A model endpoint failed; `transient` says whether another try may help."""

    def __init__(self, message: str, *, transient: bool = False) -> None:
        self.transient = transient
        super().__init__(message)


class RecordError(UsageError):
    """A record on disk is invalid or has a schema version that we do not read."""


class PlanError(CompoWorldError):
    """A plan cannot go on: an expression has no value, or a reference call failed."""


class ToolError(CompoWorldError):
    """Said by a tool to the agent; the call is undone and becomes an error observation."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        if code not in ERROR_CODES:
            known = ", ".join(ERROR_CODES)
            raise ValueError(f"{code!r} is not an error code; there are: {known}")
        self.code: ErrorCode = code
        self.message = message
        super().__init__(f"{code}: {message}")
