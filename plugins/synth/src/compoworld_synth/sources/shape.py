"""Shape: what a document looks like where a reader walks it, said as data and checked once.

A reader may then ask for what its shape promises without looking again. Null counts as absent,
and what a shape does not mention is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attrs import field, frozen

from compoworld_synth.sources.reading import SourceError

_SAID: Final = (
    (bool, "true or false"),
    (str, "text"),
    (int, "a number"),
    (float, "a number"),
    (dict, "an object"),
    (list, "a list"),
)


@frozen
class Shape:
    """What one node of a document has to be."""

    kinds: tuple[type, ...]
    """The JSON kinds that it may be of."""
    members: dict[str, Shape] = field(factory=dict)
    """Shapes of an object's members by their names."""
    each: Shape | None = None
    """The shape of every other member, or of a list's items."""
    needed: tuple[str, ...] = ()
    """Members that must be there."""
    extensible: bool = False
    """Members called `x-…` are of any shape, and left out."""


TEXT: Final = Shape((str,))
WORDS: Final = Shape((str, int, float, bool))
"""Text, or what YAML makes of a text without quotes: a version, a code, a name like `on`."""
FLAG: Final = Shape((bool,))
SCHEMA: Final = Shape((dict, bool))
"""A schema: its own validator looks into it."""


def record(*needed: str, **members: Shape) -> Shape:
    """The shape of an object with some known members; those of `needed` must be there."""
    return Shape((dict,), members, None, needed)


def table(each: Shape, *, extensible: bool = False) -> Shape:
    """The shape of an object whose members are all alike."""
    return Shape((dict,), {}, each, (), extensible)


def several(each: Shape) -> Shape:
    """The shape of a list."""
    return Shape((list,), {}, each)


def checked(node: Any, shape: Shape, where: str = "") -> Any:
    """The node without the nulls and extensions that its shape knows.

    SourceError names the first place that is not of the shape, and what stands there.
    """
    if not isinstance(node, shape.kinds):
        wanted = " or ".join(dict.fromkeys(_said(kind) for kind in shape.kinds))
        raise SourceError(f"{where or 'the document'} must be {wanted}, not {_shown(node)}")
    if isinstance(node, dict) and (shape.members or shape.each):
        return _members(node, shape, where)
    if isinstance(node, list) and shape.each is not None:
        return [checked(each, shape.each, f"{where}/{i}") for i, each in enumerate(node)]
    return node


def _members(node: Mapping[str, Any], shape: Shape, where: str) -> dict[str, Any]:
    for name in shape.needed:
        if node.get(name) is None:
            raise SourceError(f"{where or 'the document'} needs {name!r}, which is missing")
    made = {}
    for name, below in node.items():
        rule = shape.members.get(name, shape.each)
        if rule is None:
            made[name] = below
        elif below is not None and not (shape.extensible and name.startswith("x-")):
            made[name] = checked(below, rule, f"{where}/{name}" if where else name)
    return made


def _said(kind: type) -> str:
    return next(text for each, text in _SAID if each is kind)


def _shown(node: Any) -> str:
    if node is None:
        return "null"
    kind = next(text for each, text in _SAID if isinstance(node, each))
    short = f" ({node!r:.40})" if isinstance(node, str | int | float) else ""
    return f"{kind}{short}"
