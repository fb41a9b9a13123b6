"""Paths: keys that are resource names, `projects/p/topics/t`: what lies in what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from compoworld_synth.naming import singular, snake

if TYPE_CHECKING:
    from compoworld_synth.design import EntityDesign
    from compoworld_synth.listing import ToolSpec

ANY: Final = "*"
"""A segment of a template that names a record; the others name collections."""


def template(pattern: str | None) -> tuple[str, ...]:
    """The segments of a pattern of resource names; empty where it is another pattern.

    >>> template("^projects/[^/]+/topics/[^/]+$")
    ('projects', '*', 'topics', '*')
    >>> template("^[a-z]+$")
    ()
    """
    if not pattern:
        return ()
    plain = pattern.removeprefix("^").removesuffix("$")
    parts = plain.replace("[^/]+", ANY).replace(".*", ANY).split("/")
    paired = len(parts) > 1 and len(parts) % 2 == 0
    named = all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", part) for part in parts[::2])
    return tuple(parts) if paired and named and set(parts[1::2]) == {ANY} else ()


def collection(spec: ToolSpec) -> str:
    """The last literal part of a tool's path, which names what is listed or made there."""
    literal = [p for p in re.split(r"[/:]", spec.rest.path if spec.rest else "") if p]
    return next((part for part in reversed(literal) if "{" not in part), "")


def below(uses: Iterable[tuple[str, ToolSpec]]) -> tuple[str, ...]:
    """The patterns of records that tools only list or make below other resource names."""
    made: dict[str, None] = {}
    for kind, spec in uses:
        if kind not in ("list", "create") or spec.rest is None:
            continue
        properties = spec.input_schema.get("properties", {})
        for name in spec.rest.path_parameters:
            found = template(properties.get(name, {}).get("pattern"))
            if found:
                made[pattern((*found, collection(spec), ANY))] = None
    return tuple(made)


def holder(wanted: tuple[str, ...], entities: Sequence[EntityDesign]) -> EntityDesign | None:
    """The entity of which some keys have this template."""
    for each in entities:
        if wanted and any(template(text) == wanted for text in each.id_patterns):
            return each
    return None


def pattern(parts: Sequence[str]) -> str:
    """The pattern of a template."""
    return "^" + "/".join("[^/]+" if part == ANY else part for part in parts) + "$"


def first(parts: Sequence[str]) -> str:
    """Some resource name of a template: what lies above records that nothing else holds."""
    made = [
        f"{snake(singular(parts[n - 1])).replace('_', '-')}-1" if part == ANY else part
        for n, part in enumerate(parts)
    ]
    return "/".join(made)
