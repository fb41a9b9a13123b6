"""Service: a named state with tools; `@service.tool`, `@service.simulated`, `@service.seed`.

A tool is a plain function `f(state, ctx?, **typed arguments) -> typed result`; the decorator
returns it unchanged. Schemas and argument models are built on first use.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from hashlib import blake2b
from typing import Any, Concatenate, Generic, Literal, ParamSpec, TypeVar, overload

from attrs import define, evolve, frozen
from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError, from_json

from compoworld_core.cast import Cast
from compoworld_core.context import Context
from compoworld_core.errors import DuplicateName, ServiceError, UsageError
from compoworld_core.schema import (
    adapter,
    argument_model,
    describe,
    input_schema,
    offers,
    output_schema,
    signature,
)
from compoworld_core.state import Ledger, State

ToolKind = Literal["deterministic", "simulated", "quarantined"]
S = TypeVar("S", bound=State)
P = ParamSpec("P")
R = TypeVar("R")
Seed = Callable[[Context, int], S]

_SERVICE_NAME = re.compile(r"^[a-z][a-z0-9_]*$")
_TOOL_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
_ORIGINAL_NAME = re.compile(r"^[a-zA-Z0-9_./-]{1,128}$")
"""What MCP allows: an imported tool keeps its name, and exporters shorten it reversibly."""
SMALLEST_SCALE = 20


class Simulated(Exception):  # noqa: N818  # reads as a statement: `raise Simulated`
    """Raised by the body of a simulated tool: there is no code, the simulator answers."""


@frozen(eq=False)
class Original:
    """An imported tool as its server states it: what the agent sees and calls must satisfy."""

    description: str
    schema: dict[str, Any]
    """The server's own input schema, untouched."""
    check: Callable[[Any], list[tuple[str, str]]]
    """Parsed arguments → (path, what is wrong) for each fault; empty where they are valid."""
    method: str = ""
    """The HTTP method, where its source has one: PUT empties what a call leaves out."""


@define(eq=False)
class Tool:
    """One transition of a service."""

    service: str
    name: str
    function: Callable[..., Any]
    kind: ToolKind = "deterministic"
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    why: str = ""
    """Why the tool is quarantined or simulated."""
    original: Original | None = None
    """An imported tool's own description and schema; by default the function says them."""
    names: Mapping[str, str] = {}
    """Parameter → its name on the wire, where that is no identifier (`retry-count`)."""
    has_code: bool = True
    """Whether it was written as a tool with code, whatever `kind` validation left it."""

    @cached_property
    def full_name(self) -> str:
        """`service.tool`."""
        return f"{self.service}.{self.name}"

    @cached_property
    def description(self) -> str:
        """What the tool does, for the agent; the docstring without its `Args:`."""
        if self.original is not None:
            return self.original.description or describe(self.function)[0]
        return describe(self.function)[0]

    @property
    def summary(self) -> str:
        """The first line of the description."""
        return self.description.partition("\n")[0]

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The model that arguments are validated with."""
        return argument_model(self.name, self.function, self.names)

    @cached_property
    def parameters(self) -> dict[str, tuple[Any, Any]]:
        """Python parameter → (annotation, default), without state and context."""
        return signature(self.function).parameters

    @cached_property
    def context_parameter(self) -> str:
        """Name of the parameter that takes the Context; empty where there is none."""
        return signature(self.function).context

    @cached_property
    def result_type(self) -> Any:
        """The return annotation."""
        return signature(self.function).result

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments."""
        if self.original is not None:
            return self.original.schema
        return input_schema(self.arguments)

    @cached_property
    def offered(self) -> frozenset[str]:
        """The words that the argument schema names: enums, constants, defaults, examples."""
        return frozenset(offers(self.input_schema))

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        """JSON Schema of the result."""
        return output_schema(self.result_type)

    @cached_property
    def validate_json(self) -> Callable[[str | bytes], BaseModel]:
        """JSON text → validated arguments; raises pydantic's ValidationError."""
        validate: Callable[[str | bytes], BaseModel] = (
            self.arguments.__pydantic_validator__.validate_json
        )
        original = self.original
        if original is None:
            return validate

        def checked(text: str | bytes) -> BaseModel:
            try:
                faults = original.check(from_json(text, allow_inf_nan=False))
            except ValueError:
                faults = []  # no JSON: the model says so
            if faults:
                raise ValidationError.from_exception_data(self.name, [
                    {"type": PydanticCustomError("schema", "{why}", {"why": why}),
                     "loc": (path,) if path else (), "input": None}
                    for path, why in faults
                ])  # fmt: skip
            return validate(text)

        return checked

    @cached_property
    def to_json(self) -> Callable[[Any], bytes]:
        """Result → JSON bytes."""
        return adapter(self.result_type).serializer.to_json

    @property
    def annotations(self) -> dict[str, bool]:
        """The MCP annotations."""
        return {
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
        }


class Service(Generic[S]):
    """A named, independently executable environment: a State type, its tools and its seed."""

    def __init__(
        self, name: str, *, state: type[S], domain: str, summary: str = "", title: str = ""
    ) -> None:
        if not _SERVICE_NAME.match(name):
            raise UsageError(f"service name {name!r} must match {_SERVICE_NAME.pattern}")
        self.name, self.state, self.domain = name, state, domain
        self.summary = summary
        self.title = title or name.replace("_", " ").title()
        """What people call it: "Google Calendar"."""
        self.tools: dict[str, Tool] = {}
        """Name → tool, in the order of definition."""
        self.words: dict[str, str] = {}
        """Optional words for instructions: "contacts" → "contact" (what people call a row),
        "tickets.requester" → "from {}" (how a row is described by that field)."""
        self._seed: Seed[S] | None = None

    @overload
    def tool(
        self, function: Callable[Concatenate[S, P], R], /
    ) -> Callable[Concatenate[S, P], R]: ...
    @overload
    def tool(
        self,
        /,
        *,
        name: str = "",
        read_only: bool = False,
        destructive: bool = False,
        idempotent: bool = False,
        original: Original | None = None,
        names: Mapping[str, str] = ...,
    ) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]: ...
    def tool(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        name: str = "",
        read_only: bool = False,
        destructive: bool = False,
        idempotent: bool = False,
        original: Original | None = None,
        names: Mapping[str, str] = {},
    ) -> Any:
        """Register a function as a tool; returns it unchanged.

        Args:
            name: the tool's name where it is not the function's (`list-events`).
            read_only: the tool changes nothing. Checked: a write in such a call is an error.
            destructive: the tool may remove or overwrite what cannot be restored.
            idempotent: a second identical call changes nothing more.
            original: an imported tool's own description and schema.
            names: parameter → its name on the wire, where they differ.
        """

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self._add(
                Tool(
                    self.name, name or function.__name__, function, "deterministic",
                    read_only, destructive, idempotent, original=original, names=names,
                )
            )  # fmt: skip
            return function

        return register if function is None else register(function)

    @overload
    def simulated(
        self, function: Callable[Concatenate[S, P], R], /
    ) -> Callable[Concatenate[S, P], R]: ...
    @overload
    def simulated(
        self,
        /,
        *,
        name: str = "",
        read_only: bool = False,
        why: str = "",
        original: Original | None = None,
        names: Mapping[str, str] = ...,
    ) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]: ...
    def simulated(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        name: str = "",
        read_only: bool = False,
        why: str = "",
        original: Original | None = None,
        names: Mapping[str, str] = {},
    ) -> Any:
        """Register a tool without faithful code: the configured Simulator answers its calls."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self._add(
                Tool(
                    self.name, name or function.__name__, function, "simulated",
                    read_only, why=why, original=original, names=names, has_code=False,
                )
            )  # fmt: skip
            return function

        return register if function is None else register(function)

    def quarantine(self, tool: str, why: str) -> None:
        """Mark a tool as failed in validation: listed as such, never on a reference path."""
        self.tools[tool].kind = "quarantined"
        self.tools[tool].why = why

    def doubt(self, tool: str, why: str) -> None:
        """Mark a tool as unproven: its code is there, and the simulator answers instead."""
        self.tools[tool].kind = "simulated"
        self.tools[tool].why = why

    def unmarked(self) -> Service[S]:
        """A copy in which all tools with code count, as before validation marked any."""
        return self.with_tools(
            {
                name: evolve(tool, kind="deterministic", why="") if tool.has_code else tool
                for name, tool in self.tools.items()
            }
        )

    def with_tools(self, tools: Mapping[str, Tool]) -> Service[S]:
        """A copy with the same state, seed and words, and these tools by name."""
        made = copy.copy(self)
        made.tools = dict(tools)
        return made

    def seed(self, function: Seed[S]) -> Seed[S]:
        """Register `seed(ctx, scale) -> state`: a plausible world of about `scale` records."""
        self._seed = function
        return function

    def _add(self, tool: Tool) -> None:
        allowed = _TOOL_NAME if tool.original is None else _ORIGINAL_NAME
        if not allowed.match(tool.name):
            raise UsageError(
                f"{self.name}: tool name {tool.name!r} must match {allowed.pattern}"
            )
        if tool.name in self.tools:
            raise DuplicateName("tool", tool.full_name, "the first", "the second")
        self.tools[tool.name] = tool

    def new_state(self, cast: Cast, seed: int, scale: int = 200) -> S:
        """A seeded state: the same cast, seed and scale give the same bytes.

        Args:
            cast: the shared facts of the composed world.
            seed: the world's seed.
            scale: about how many records, from 20 up.
        """
        if scale < SMALLEST_SCALE:
            raise UsageError(f"scale is {scale}; the smallest is {SMALLEST_SCALE} records")
        ledger = Ledger(now=cast.today, key=_key(seed, self.name), actor=cast.staff[0].email)
        if self._seed is None:
            return self.state(ledger=ledger)
        context = Context(ledger, self.name, cast)
        state = self._seed(context, scale)
        if not isinstance(state, self.state):
            what = f"returned {type(state).__name__}, not a {self.state.__name__}"
            raise ServiceError(self.name, "seed", what)
        state.ledger = context.ledger
        return state.freeze()

    def __repr__(self) -> str:
        return f"Service({self.name!r}, {len(self.tools)} tools)"


def _key(seed: int, service: str) -> int:
    """A 64-bit key per seed and service."""
    return int.from_bytes(blake2b(f"{seed}:{service}".encode(), digest_size=8).digest())
