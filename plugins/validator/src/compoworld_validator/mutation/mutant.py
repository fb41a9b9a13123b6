"""Mutant: one bug injected into one tool by wrapping its function."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

from attrs import define, evolve, field, frozen

from compoworld_core.service import Service, Tool
from compoworld_core.state import State


@define
class Bug:
    """What an operator knows in a call: the healthy function, and what earlier calls left."""

    tool: Tool
    parameter: str = ""
    """The parameter that the operator is about; empty where it is about none."""
    other: str = ""
    memory: dict[Any, Any] = field(factory=dict)
    """Kept between calls, as a module-level variable would be."""

    def run(self, state: State, arguments: Mapping[str, Any]) -> Any:
        """Call the healthy function."""
        return self.tool.function(state, **arguments)


Deed = Callable[[Bug, State, dict[str, Any]], Any]
"""What a mutated tool does instead: (bug, state, arguments) → result."""

Places = Callable[[Tool], Iterator[tuple[str, str]]]
"""Where an operator applies in a tool: pairs of parameters, empty where it needs none."""


@frozen
class Operator:
    """One kind of bug."""

    name: str
    places: Places
    deed: Deed


@frozen
class Mutant:
    """One bug in one tool of one service."""

    service: str
    tool: str
    operator: Operator
    parameter: str = ""
    other: str = ""

    @property
    def name(self) -> str:
        """`gmail.send: swapped_arguments(to, cc)`, unique among the mutants of a service."""
        about = ", ".join(each for each in (self.parameter, self.other) if each)
        return f"{self.service}.{self.tool}: {self.operator.name}({about})"


def mutated(service: Service[Any], mutant: Mutant) -> Service[Any]:
    """A copy of a service with the bug in it; schemas, marks and other tools are the same."""
    healthy = service.tools[mutant.tool]
    bug = Bug(healthy, mutant.parameter, mutant.other)

    @functools.wraps(healthy.function)
    def function(state: State, **arguments: Any) -> Any:
        return mutant.operator.deed(bug, state, arguments)

    copy: Service[Any] = Service(
        service.name, state=service.state, domain=service.domain,
        summary=service.summary, title=service.title,
    )  # fmt: skip
    copy.words = service.words
    copy.tools = {**service.tools, mutant.tool: evolve(healthy, function=function)}
    copy._seed = service._seed
    return copy


# -- places --------------------------------------------------------------------------------


def in_writes(tool: Tool) -> Iterator[tuple[str, str]]:
    """Once in each tool that may write."""
    if not tool.read_only:
        yield "", ""


def in_deletes(tool: Tool) -> Iterator[tuple[str, str]]:
    """Once in each tool that says that it may remove something."""
    if tool.destructive:
        yield "", ""


def in_reads(tool: Tool) -> Iterator[tuple[str, str]]:
    """Once in each tool that only reads."""
    if tool.read_only:
        yield "", ""


def anywhere(tool: Tool) -> Iterator[tuple[str, str]]:
    """Once in each tool."""
    yield "", ""


def optional(tool: Tool) -> Iterator[tuple[str, str]]:
    """At each parameter that may be left out."""
    for name, (_, default) in tool.parameters.items():
        if default is not ...:
            yield name, ""


def of_type(*kinds: Any) -> Places:
    """At each parameter of one of these types."""

    def places(tool: Tool) -> Iterator[tuple[str, str]]:
        for name, (annotation, _) in tool.parameters.items():
            if any(bare in kinds for bare in _bare(annotation)):
                yield name, ""

    return places


def alike(tool: Tool) -> Iterator[tuple[str, str]]:
    """At each two neighbouring parameters that take the same types."""
    found = [(name, list(_bare(note))) for name, (note, _) in tool.parameters.items()]
    for n, (name, kinds) in enumerate(found):
        twin = next((other for other, others in found[n + 1 :] if others == kinds), "")
        if twin:
            yield name, twin


def _bare(annotation: Any) -> Iterator[Any]:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is None:
        yield annotation
    elif origin is Literal:
        yield Literal
    elif origin in (list, tuple, dict, set, frozenset):
        yield origin
    elif hasattr(annotation, "__metadata__"):
        yield from _bare(parts[0])
    else:
        for part in parts:
            if part is not type(None):
                yield from _bare(part)
