"""Shrinking: the smallest sequence on which a judge still gives the same reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compoworld_validator.laws import Judge
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import World

_TRIES = 60
_OF_ARGUMENTS = (Reason.BAD_ARGUMENT_ACCEPTED, Reason.DANGLING_ACCEPTED, Reason.WRONG_ERROR)


def shrunk(
    world: World,
    judge: Judge,
    steps: Sequence[Step],
    reason: Reason,
    least: int,
    needed: Mapping[str, Sequence[str]],
) -> tuple[Step, ...]:
    """Drop calls from the front, then arguments one by one, while the reason recurs.

    Args:
        least: how many calls at the end the judge needs.
        needed: tool → arguments that stay.
    """
    tries = 0

    def recurs(shorter: Sequence[Step]) -> bool:
        nonlocal tries
        tries += 1
        if tries > _TRIES:
            return False
        fault = judge(world, shorter)
        return fault is not None and fault[0] is reason

    kept = list(steps)
    place = 0
    while place < len(kept) - least:
        shorter = kept[:place] + kept[place + 1 :]
        if recurs(shorter):
            kept = shorter
        else:
            place += 1
    for number, (tool, arguments) in enumerate(kept):
        for name in arguments:
            if name in needed.get(tool, ()) or reason in _OF_ARGUMENTS:
                continue  # a shorter call must be one that the schema allows
            less = {key: value for key, value in kept[number][1].items() if key != name}
            shorter = [*kept[:number], (tool, less), *kept[number + 1 :]]
            if recurs(shorter):
                kept = shorter
    return tuple(kept)
