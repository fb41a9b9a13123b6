"""Effect: whether a mutant ever behaves otherwise, over a broad random driver of its own.

The driver knows the healthy service's typed parameters and state, which validation does not.
"""

from __future__ import annotations

from random import Random
from typing import Any, Literal

from compoworld_core.arguments import draw_arguments
from compoworld_core.cast import draw_cast
from compoworld_core.environment import Environment
from compoworld_core.errors import ServiceError
from compoworld_core.observation import Observation
from compoworld_core.service import Service, Tool
from compoworld_validator.mutation.mutant import Mutant, mutated

Effect = Literal["differs", "none", "crashes"]
SCALE = 40
_ABSENT = "nothing-has-this-id-0"


def effect_of(
    service: Service[Any], mutant: Mutant, *, calls: int = 240, seed: int = 0
) -> Effect:
    """Play the same calls on both and compare what is seen and what is kept.

    `crashes` is a mutant whose first difference is an exception that the core reports as a
    broken contract: too easy to find, so it counts for nobody.

    Args:
        service: the healthy one.
        mutant: a bug in one of its tools.
        calls: at most; a difference ends it.
        seed: of the world and of the arguments.
    """
    cast = draw_cast(seed, SCALE)
    sick_service = mutated(service, mutant)
    healthy = Environment.of([(service, service.new_state(cast, seed, SCALE))])
    sick = Environment.of([(sick_service, service.new_state(cast, seed, SCALE))])
    rng = Random(f"{seed}:{mutant.name}")
    target = service.tools[mutant.tool]
    others = [tool for tool in service.tools.values() if tool.kind == "deterministic"]
    last: dict[str, dict[str, Any]] = {}
    cursors: dict[str, Any] = {}
    for _ in range(calls):
        tool = target if rng.random() < 0.6 else rng.choice(others)
        arguments = _arguments(tool, healthy, rng, last, cursors)
        seen = healthy.call(tool.full_name, arguments)
        try:
            shown = sick.call(tool.full_name, arguments)
        except ServiceError:
            return "crashes"
        if seen.text != shown.text or healthy.digest() != sick.digest():
            return "differs"
        cursors[tool.name] = _cursor(seen)
    return "none"


def _arguments(
    tool: Tool,
    environment: Environment,
    rng: Random,
    last: dict[str, dict[str, Any]],
    cursors: dict[str, Any],
) -> dict[str, Any]:
    """New ones, the last ones again, the last ones with the next cursor, or a wrong id."""
    old, chance = last.get(tool.name), rng.random()
    cursor = cursors.get(tool.name)
    if old is not None and cursor and chance < 0.4:
        names = [n for n in tool.input_schema["properties"] if _is_cursor(n)]
        if names:
            return {**old, names[0]: cursor}
    if old is not None and chance < 0.2:
        return old
    drawn = draw_arguments(
        tool, environment.state(tool.service), rng, optional=rng.choice([0.1, 0.5, 0.9])
    )
    for name, value in drawn.items():
        if isinstance(value, str) and name.endswith("id") and rng.random() < 0.1:
            drawn[name] = _ABSENT
    last[tool.name] = drawn
    return drawn


def _is_cursor(name: str) -> bool:
    plain = name.replace("_", "").lower()
    return "cursor" in plain or "pagetoken" in plain or plain.endswith("after")


def _cursor(seen: Observation) -> Any:
    if isinstance(seen.data, dict):
        for name, value in seen.data.items():
            if _is_cursor(name) and value:
                return value
    return None
