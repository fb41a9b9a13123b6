"""Fidelity: whether a derived form accepts and refuses what the original schema does."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

from compoworld_synth.forms import Form
from compoworld_synth.listing import ToolSpec
from compoworld_synth.schemas import Param, normalise
from compoworld_synth.sources.mcp import compile_schema

_ODD: Final[tuple[Any, ...]] = (
    None, True, 0, -1, 2.5, 10**12, "", "x", "0", "a" * 300, "été", [], [1], {}, {"a": 1},
)  # fmt: skip


def compare(spec: ToolSpec, form: Form, cases: int = 60, seed: int = 0) -> list[str]:
    """Each way in which a form differs from its original; empty where there is none.

    Valid and broken calls are drawn from the original and judged by both; each must come back
    from the form unchanged.
    """
    judge, other = compile_schema(spec.input_schema), compile_schema(form.schema)
    wrong: list[str] = []
    for call in calls(spec, cases, seed):
        there = form.derived(call)
        if there is None:
            continue
        if form.original(there) != call:
            wrong.append(f"{form.kind}: {call!r:.200} does not come back")
        elif judge.is_valid(call) != other.is_valid(there):
            says = "accepted" if judge.is_valid(call) else "refused"
            wrong.append(f"{form.kind}: {call!r:.200} is {says} by the original only")
    return wrong


def calls(spec: ToolSpec, cases: int, seed: int) -> Iterator[dict[str, Any]]:
    """Calls that try to be right, each followed by a broken one; the same for the same seed."""
    rng = Random(f"fidelity:{spec.name}:{seed}")
    params = normalise(spec)
    for _ in range(cases // 2):
        call = {p.name: _value(p, rng, 0) for p in params if p.required or rng.random() < 0.5}
        yield call
        yield _broken(call, params, rng)


def _value(param: Param, rng: Random, depth: int) -> Any:
    if param.has_default and rng.random() < 0.2:
        return copy.deepcopy(param.default)
    if param.enum:
        return rng.choice(param.enum)
    if param.nullable and rng.random() < 0.1:
        return None
    if param.kind == "union" and param.alternatives:
        return _value(rng.choice(param.alternatives), rng, depth)
    if param.kind == "obj":
        found = {
            p.name: _value(p, rng, depth + 1)
            for p in param.properties
            if p.required or (depth < 4 and rng.random() < 0.4)
        }
        if param.values is not None and depth < 6:
            found["key"] = _value(param.values, rng, depth + 1)
        return found
    if param.kind == "arr":
        count = max(param.min_items or 0, rng.randrange(0, 3) if depth < 6 else 0)
        item = param.items
        return [_value(item, rng, depth + 1) if item else "x" for _ in range(min(count, 5))]
    low = param.minimum if param.minimum is not None else 0
    if param.kind == "int":
        return int(low) + rng.randrange(0, 5)
    if param.kind == "num":
        return low + rng.choice((0, 1, 0.5))
    if param.kind == "bool":
        return rng.random() < 0.5
    length = max(param.min_length or 0, 3)
    return "abc123"[:length].ljust(length, "z") if length < 1000 else "z" * length


def _broken(call: Mapping[str, Any], params: tuple[Param, ...], rng: Random) -> dict[str, Any]:
    """A call with one thing changed: taken out, of another type, or added."""
    made: dict[str, Any] = copy.deepcopy(dict(call))
    way = rng.randrange(4)
    if made and way == 0:
        del made[rng.choice(list(made))]
    elif params and way == 1:
        made[rng.choice(params).name] = copy.deepcopy(rng.choice(_ODD))
    elif made and way == 2:
        _inside(made, rng)
    else:
        # Names that a derived form might take for its own.
        near = [p.name.replace("-", "_").lstrip("_") + "" for p in params] or ["x"]
        made[rng.choice([*near, "unknown", "self", "from_"])] = rng.choice(_ODD)
    return made


def _inside(node: Any, rng: Random) -> None:
    """Change one value somewhere below."""
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = rng.choice(keys)
        if isinstance(node[key], dict | list) and node[key] and rng.random() < 0.7:
            node = node[key]
            continue
        node[key] = copy.deepcopy(rng.choice(_ODD))
        return
