"""Cutting: a server's tools into services of 10 to 40, never through an entity.

Atoms are entities with all their operations. They are joined greedily by the weight of the
references between them and the words that their nouns share, small groups first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from attrs import define, field

from compoworld_synth.design import ToolDesign
from compoworld_synth.naming import snake, strip_prefix

MOST: Final = 40
LEAST: Final = 10
HUB: Final = 3
"""An entity that more groups than this refer to is held as a copy in each."""


@define
class Piece:
    """The tools of one service to be."""

    name: str
    tools: list[ToolDesign]
    entities: tuple[str, ...] = ()
    hubs: tuple[str, ...] = ()


@define
class _Group:
    tools: list[ToolDesign] = field(factory=list)
    entities: set[str] = field(factory=set)
    refs: Counter[str] = field(factory=Counter)
    first: int = 0


def pieces(tools: Sequence[ToolDesign], server: str) -> list[Piece]:
    """The pieces of a server, in the order of their first tools."""
    groups = _atoms(tools)
    if len(tools) > MOST:
        groups = _joined(groups)
    else:
        groups = [_union(groups)] if groups else []
    groups.sort(key=lambda group: group.first)
    hubs = _hubs(groups)
    base = snake(server)
    order = {tool.spec.name: place for place, tool in enumerate(tools)}
    found, taken = [], Counter[str]()
    for group in groups:
        name = base if len(groups) == 1 else f"{base}_{_title(group)}"[:60]
        taken[name] += 1
        name = name if taken[name] == 1 else f"{name}_{taken[name]}"
        held = sorted(hub for hub in hubs if hub in group.refs or hub in group.entities)
        group.tools.sort(key=lambda tool: order[tool.spec.name])
        found.append(Piece(name, group.tools, tuple(sorted(group.entities)), tuple(held)))
    return found


def _atoms(tools: Sequence[ToolDesign]) -> list[_Group]:
    """One group an entity; tools without one go by the words of their names."""
    found: dict[str, _Group] = {}
    for place, tool in enumerate(tools):
        entity = next((one.entity for one in tool.operations if one.entity), None)
        key = entity or "?" + "_".join(strip_prefix(tool.spec.name, ())[:2])
        group = found.setdefault(key, _Group(first=place))
        group.tools.append(tool)
        if entity:
            group.entities.add(entity)
        for operation in tool.operations:
            for param in operation.params:
                if param.ref and param.ref != entity:
                    group.refs[param.ref] += 3 if param.param.required else 1
    return [part for group in found.values() for part in _split(group)]


def _split(group: _Group) -> list[_Group]:
    """Groups without an entity may be cut anywhere; an entity stays whole up to the limit."""
    parts = []
    for start in range(0, len(group.tools), MOST):
        tools = group.tools[start : start + MOST]
        parts.append(
            _Group(tools, set(group.entities), Counter(group.refs), group.first + start)
        )
    return parts


def _union(groups: Sequence[_Group]) -> _Group:
    made = _Group(first=min(group.first for group in groups))
    for group in groups:
        made.tools.extend(group.tools)
        made.entities |= group.entities
        made.refs.update(group.refs)
    return made


def _weight(one: _Group, other: _Group) -> float:
    refs = sum(one.refs[name] for name in sorted(other.entities))
    refs += sum(other.refs[name] for name in sorted(one.entities))
    mine = {word for name in one.entities for word in name.split("_")}
    theirs = {word for name in other.entities for word in name.split("_")}
    near = 1 / (1 + abs(one.first - other.first))
    return (refs + 2 * len(mine & theirs) + near) / (len(one.tools) + len(other.tools))


def _joined(groups: list[_Group]) -> list[_Group]:
    """Join the smallest group with the one that it weighs most with, while it fits."""
    waiting = sorted(groups, key=lambda group: (len(group.tools), group.first))
    done: list[_Group] = []
    while waiting:
        group = waiting.pop(0)
        fits = [one for one in waiting if len(one.tools) + len(group.tools) <= MOST]
        if not fits:
            done.append(group)
            continue
        best = max(fits, key=lambda one: (_weight(group, one), -one.first))
        waiting.remove(best)
        waiting.append(_union([group, best]))
        waiting.sort(key=lambda one: (len(one.tools), one.first))
    return done


def _hubs(groups: Sequence[_Group]) -> list[str]:
    """Entities that more than three groups refer to from outside."""
    counted: Counter[str] = Counter()
    for group in groups:
        counted.update(name for name in group.refs if name not in group.entities)
    return [name for name, times in counted.items() if times > HUB]


def _title(group: _Group) -> str:
    """The entity with most tools names the piece."""
    counted = Counter(
        one.entity for tool in group.tools for one in tool.operations if one.entity
    )
    return counted.most_common(1)[0][0] if counted else "tools"
