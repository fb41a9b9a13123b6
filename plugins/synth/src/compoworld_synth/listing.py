"""Listing: what a server offers, in one form whatever it was read from.

Names, descriptions and schemas are the source's own, untouched: calls are validated against
them. What analysis needs beside them is a view, made by :mod:`compoworld_synth.schemas`.
"""

from __future__ import annotations

import re
from typing import Any, Final

from attrs import evolve, frozen

CALLABLE: Final = re.compile(r"[a-zA-Z0-9_./-]{1,128}")
"""Names by which a service may offer a tool."""
_RULE: Final = "a tool's name is 1 to 128 letters, digits and . / _ -"

Schema = dict[str, Any]
"""A JSON Schema of draft 2020-12, as JSON values; references point into itself."""


@frozen
class Problem:
    """Something in a source that could not be represented, and where it is."""

    path: str
    """Where: the tool's name, then a JSON pointer (`create_pet/inputSchema/properties/tag`)."""
    why: str


@frozen
class Annotations:
    """The hints a tool gives about itself; None where it says nothing."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


@frozen(hash=False)
class Rest:
    """The HTTP side of a tool, where the source has one. Entities are names of its schemas."""

    method: str
    """GET, POST, PUT, PATCH, DELETE …, in capitals."""
    path: str
    """The template from the root of the service: `/users/{userId}/drafts/{id}`."""
    path_parameters: tuple[str, ...] = ()
    """Argument names of the template's variables, in its order."""
    query_parameters: tuple[str, ...] = ()
    body_parameter: str = ""
    """The argument that holds the body; empty where there is none or it is spread."""
    body_members: tuple[str, ...] = ()
    """The arguments that together are the body, where it is spread (botocore)."""
    body: Schema | None = None
    """What the body takes, references included (`$defs`)."""
    answers: bool = False
    """Whether the source says what a success answers; the tool's output schema has it."""
    response_lists: tuple[tuple[str, str], ...] = ()
    """(property, entity) of each array of named objects in the answer; the first need not be
    the one that the method is about. A bare array has the property ""."""
    resource: tuple[str, ...] = ()
    """The source's own grouping: ("users", "drafts") of a discovery document, an OpenAPI
    tag, nothing for botocore."""
    operation: str = ""
    """The source's name of the operation: `drafts.create`, an operationId, `CreateQueue`."""
    read_only_fields: tuple[str, ...] = ()
    """Properties of the body's schema that only the server sets."""


@frozen(hash=False)
class ToolSpec:
    """One tool as its server states it."""

    name: str
    description: str
    """Empty where the source has none."""
    title: str
    """Empty where the source has none."""
    input_schema: Schema
    """The original, untouched; its root is an object."""
    output_schema: Schema | None = None
    annotations: Annotations = Annotations()
    rest: Rest | None = None


@frozen(hash=False)
class Listing:
    """A server's tools in its own order, each name once."""

    server: str
    """A name for people, as the source or the caller gives it; no rule may read it."""
    tools: tuple[ToolSpec, ...]
    version: str = ""
    license: str = ""
    source: str = ""
    """What it was read from: a path, an URL, a command; for the package's README."""
    domain: str = ""
    """One of the product's domains, where the source says so."""
    problems: tuple[Problem, ...] = ()

    def tool(self, name: str) -> ToolSpec:
        """The tool of this name; KeyError where there is none."""
        for each in self.tools:
            if each.name == name:
                return each
        raise KeyError(name)

    def callable(self) -> Listing:
        """Without tools that no agent could call by their names; each is a problem."""
        odd = [each.name for each in self.tools if not CALLABLE.fullmatch(each.name)]
        problems = [Problem(ascii(name), f"left out: {_RULE}") for name in odd]
        kept = tuple(each for each in self.tools if each.name not in odd)
        return evolve(self, tools=kept, problems=(*self.problems, *problems))
