"""Checks on seeded states: they are valid at each scale, reproducible, and hang together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compoworld_core.references import dangling, reference_paths, tables_of
from compoworld_core.state import State
from compoworld_core.testing.trial import Trial, brief

SCALES = (20, 200, 2000)


def seeds(trial: Trial) -> Iterator[str]:
    """A state at each scale: same seed, same bytes; another seed, other bytes."""
    if trial.service._seed is None:
        return
    sizes = []
    for scale in SCALES:
        state = trial.state(scale)
        text = state.model_dump_json()
        if trial.state(scale).model_dump_json() != text:
            yield (
                f"two seedings at scale {scale} with one seed differ; draw from ctx.rng,"
                " ids from ctx.new_id, times from ctx.now, and keep no state in the module"
            )
        sizes.append(sum(len(state.table(name)) for name in state.tables()))
        for line in dangling(state):
            yield f"at scale {scale}, {line}"
    if (
        trial.state(SCALES[0], trial.seed + 1).model_dump_json()
        == trial.state(SCALES[0]).model_dump_json()
    ):
        yield "seeds 0 and 1 give the same bytes; draw from ctx.rng and ctx.cast"
    if sizes[0] == 0:
        yield f"the seed makes no record at scale {SCALES[0]}"
    elif not sizes[0] < sizes[1] < sizes[2]:
        yield f"scales {SCALES} make {sizes} records; more scale must make more"


def round_trips(trial: Trial) -> Iterator[str]:
    """A state written as JSON and read again has the same bytes and the same digest."""
    environment = trial.environment()
    for _ in trial.play(environment, "round trip", 20):
        pass
    for what, state in (
        ("seeded", trial.state(200)),
        ("after writes", _state(trial, environment)),
    ):
        text = state.model_dump_json()
        read = type(state).model_validate_json(text)
        again = read.model_dump_json()
        if again != text:
            yield (
                f"the state ({what}) dumps differently after a round trip, from"
                f" {_first_difference(text, again)}; use the canonical types of"
                " compoworld_core.types"
            )
        elif read.digest() != state.digest():
            yield f"the state ({what}) has another digest after a round trip"


def _state(trial: Trial, environment: Any) -> State:
    state: State = environment.state(trial.service.name)
    return state


def _first_difference(one: str, other: str) -> str:
    at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    start = max(0, at - 30)
    return f"{brief(one[start:], 60)!r} to {brief(other[start:], 60)!r}"


def references(trial: Trial) -> Iterator[str]:
    """Every Ref names an entity of the state, and an existing row, also after random writes."""
    for entity in trial.service.state.tables().values():
        for path, name in reference_paths(entity):
            if not tables_of(trial.service.state, name):
                yield (
                    f"{entity.__name__}.{'.'.join(path)} refers to {name}, but no table holds"
                    f" that; there are: {', '.join(_entities(trial.service.state))}"
                )
    environment = trial.environment()
    broken = set(dangling(_state(trial, environment)))
    for tool, arguments, _ in trial.play(environment, "references"):
        if tool.read_only:
            continue
        for line in dangling(_state(trial, environment)):
            if line not in broken:
                broken.add(line)
                yield (
                    f"after {tool.name} {brief(arguments)}, {line}; check the key in the tool,"
                    " and clear or refuse what points to a row before it goes"
                )


def _entities(state: type[State]) -> list[str]:
    return [entity.__name__ for entity in state.tables().values()]
