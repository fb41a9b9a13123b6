"""Laws: judges of single calls that hold for every tool. Each replays its sequence.

A judge sees only calls and what they showed and changed, so that a shorter sequence can be
judged by the same code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from compoworld_core.errors import ERROR_CODES, ServiceError
from compoworld_core.testing.conformity import misfits
from compoworld_validator.reading import derived, rows
from compoworld_validator.values import normal
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import Played, World

Fault = tuple[Reason, str]
Judge = Callable[[World, Sequence[Step]], Fault | None]

_MISSING = re.compile(
    r": (no [\w ]+ ['\"\d]|.*(not found|does not exist|(should|must) (be|have|match)|is not a |"
    r"is not one of|expected))"
)

_THERE = re.compile(r"already (exists|there|in|has)|is taken")


def guarded(judge: Judge) -> Judge:
    """The judge, with a crash anywhere in the sequence as its own fault."""

    def judged(world: World, steps: Sequence[Step]) -> Fault | None:
        try:
            return judge(world, steps)
        except ServiceError as error:
            return Reason.CRASHED, str(error)[:300]

    return judged


@guarded
def lawful(world: World, steps: Sequence[Step]) -> Fault | None:
    """Reads and errors leave the state; results fit; the same calls answer the same."""
    tool = world.tools[steps[-1][0]]
    digest = world.base.digest()
    played = Played(world.base, steps)
    seen = played.last
    wrote = played.before.digest() != played.environment.digest()
    if world.base.digest() != digest:
        return Reason.NOT_REPEATABLE, "a call in a fork changed the state it was forked from"
    if tool.read_only and wrote:
        return Reason.READ_WROTE, "the tool is read-only and the state changed"
    if seen.is_error:
        if wrote:
            return Reason.ERROR_WROTE, f"refused ({seen.code}) and the state changed"
        if seen.code not in ERROR_CODES:
            return Reason.WRONG_ERROR, f"the code {seen.code!r} is none of the closed list"
        if (seen.code == "conflict" and _MISSING.search(seen.text)) or (
            seen.code in ("not_found", "permission_denied") and _THERE.search(seen.text)
        ):
            return (
                Reason.WRONG_ERROR,
                f"the text says another thing than the code: {seen.text}"[:300],
            )
    else:
        for why in misfits(seen.data, tool.output_schema, tool.output_schema):
            return Reason.OUTPUT_MISFIT, why
    again = Played(world.base, steps)
    if (
        again.last.text != seen.text
        or again.environment.digest() != played.environment.digest()
    ):
        return Reason.NOT_REPEATABLE, "the same calls from the same state answer otherwise"
    return None


@guarded
def idempotent(world: World, steps: Sequence[Step]) -> Fault | None:
    """A second identical call changes no more than times."""
    played = world.play([*steps, steps[-1]])
    if played.seen[-2].is_error:
        return None
    if played.last.is_error:
        return None
    for change in played.changes():
        one, two = change.before, change.after
        if one is None or two is None:
            return Reason.NOT_IDEMPOTENT, f"the second call adds or removes in {change.table}"
        names = [n for n in one if one[n] != two.get(n) and not derived(normal(n))]
        if names:
            return Reason.NOT_IDEMPOTENT, f"the second call changes {names[0]} again"
    return None


@guarded
def refused(world: World, steps: Sequence[Step]) -> Fault | None:
    """Arguments that break the schema are refused as such."""
    played = world.play(steps)
    if not played.last.is_error:
        return Reason.BAD_ARGUMENT_ACCEPTED, "the arguments break the input schema"
    if played.last.code != "invalid_argument":
        return Reason.WRONG_ERROR, f"bad arguments are refused as {played.last.code}"
    return None


@guarded
def dangling(world: World, steps: Sequence[Step]) -> Fault | None:
    """An id that nothing has is refused, as not found."""
    played = world.play(steps)
    if not played.last.is_error:
        if rows(played.last.data) == []:
            return None  # a filter by what does not exist leaves nothing
        return Reason.DANGLING_ACCEPTED, "an id that nothing has is accepted"
    several = sum(isinstance(value, str) for value in steps[-1][1].values()) > 1
    allowed = ("not_found", "invalid_argument") if several else ("not_found",)
    if played.last.code not in allowed:
        return Reason.WRONG_ERROR, f"a missing id is refused as {played.last.code}"
    return None
