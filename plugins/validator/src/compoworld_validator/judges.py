"""Judges: does a sequence of concrete calls break a law? Each replays it from the start.

A judge sees only calls and what they showed and changed, so that a shorter sequence can be
judged by the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from compoworld_core.environment import Environment
from compoworld_core.errors import ERROR_CODES, ServiceError
from compoworld_core.testing.conformity import misfits
from compoworld_validator.reading import Played, derived, identity, rows, same, scalars
from compoworld_validator.values import normal
from compoworld_validator.verdict import Reason, Step

Fault = tuple[Reason, str]
Judge = Callable[[Environment, Sequence[Step]], Fault | None]


_OTHER = ("id", "originalstarttime")
"""Fields that may differ from an argument of their name: the new record's own id."""


def _tool(base: Environment, name: str) -> Any:
    (service,) = base.services.values()
    return service.tools[name]


def guarded(judge: Judge) -> Judge:
    """The judge, with a crash anywhere in the sequence as its own fault."""

    def judged(base: Environment, steps: Sequence[Step]) -> Fault | None:
        try:
            return judge(base, steps)
        except ServiceError as error:
            return Reason.CRASHED, str(error)[:300]

    return judged


@guarded
def lawful(base: Environment, steps: Sequence[Step]) -> Fault | None:
    """Reads and errors leave the state; results fit; the same calls answer the same."""
    tool = _tool(base, steps[-1][0])
    digest = base.digest()
    played = Played(base, steps)
    seen = played.last
    wrote = played.before.digest() != played.environment.digest()
    if base.digest() != digest:
        return Reason.NOT_REPEATABLE, "a call in a fork changed the state it was forked from"
    if tool.read_only and wrote:
        return Reason.READ_WROTE, "the tool is read-only and the state changed"
    if seen.is_error:
        if wrote:
            return Reason.ERROR_WROTE, f"refused ({seen.code}) and the state changed"
        if seen.code not in ERROR_CODES:
            return Reason.WRONG_ERROR, f"the code {seen.code!r} is none of the closed list"
    else:
        for why in misfits(seen.data, tool.output_schema, tool.output_schema):
            return Reason.OUTPUT_MISFIT, why
    again = Played(base, steps)
    if (
        again.last.text != seen.text
        or again.environment.digest() != played.environment.digest()
    ):
        return Reason.NOT_REPEATABLE, "the same calls from the same state answer otherwise"
    return None


@guarded
def idempotent(base: Environment, steps: Sequence[Step]) -> Fault | None:
    """A second identical call changes no more than times."""
    played = Played(base, [*steps, steps[-1]])
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
def refused(base: Environment, steps: Sequence[Step]) -> Fault | None:
    """Arguments that break the schema are refused as such."""
    played = Played(base, steps)
    if not played.last.is_error:
        return Reason.BAD_ARGUMENT_ACCEPTED, "the arguments break the input schema"
    if played.last.code != "invalid_argument":
        return Reason.WRONG_ERROR, f"bad arguments are refused as {played.last.code}"
    return None


@guarded
def dangling(base: Environment, steps: Sequence[Step]) -> Fault | None:
    """An id that nothing has is refused, as not found."""
    played = Played(base, steps)
    if not played.last.is_error:
        if rows(played.last.data) == []:
            return None  # a filter by what does not exist leaves nothing
        return Reason.DANGLING_ACCEPTED, "an id that nothing has is accepted"
    several = sum(isinstance(value, str) for value in steps[-1][1].values()) > 1
    allowed = ("not_found", "invalid_argument") if several else ("not_found",)
    if played.last.code not in allowed:
        return Reason.WRONG_ERROR, f"a missing id is refused as {played.last.code}"
    return None


def echoed(known: frozenset[Any]) -> Judge:
    """A write stores what it was given, where a field of the record has that name.

    Args:
        known: values seen in the world; as an argument one may be a name for another value.
    """

    @guarded
    def judge(base: Environment, steps: Sequence[Step]) -> Fault | None:
        played = Played(base, steps)
        if played.last.is_error:
            return None
        given = scalars(steps[-1][1])
        own = {n: v for n, v in given.items() if n not in _OTHER and v not in known}
        changes = played.changes()
        shown = scalars(played.last.data) if isinstance(played.last.data, dict) else {}
        kept = [c for c in changes if c.after is not None and shown.get("id") == c.id]
        for change in kept[:1]:
            after, before = scalars(change.after or {}), scalars(change.before or {})
            fields = {normal(n) for n in change.after or {}}
            for name in sorted(own):
                if name in fields and not same(after.get(name), own[name]):
                    return Reason.ARGUMENT_LOST, f"{name} is {after.get(name)!r} after the call"
            for name in sorted(after):
                if name in shown and not same(after[name], shown[name]):
                    return (
                        Reason.RESULT_DIFFERS,
                        f"the result shows another {name} than is kept",
                    )
            if change.before is not None:
                fault = _others(base, steps[-1], before, after, given)
                if fault:
                    return fault
        if not changes and shown:
            for name in sorted(own):
                if name in shown and not same(shown[name], own[name]):
                    return (
                        Reason.ARGUMENT_LOST,
                        f"nothing changed and {name} is {shown[name]!r}",
                    )
        return None

    return judge


def _others(
    base: Environment,
    step: Step,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    given: Mapping[str, Any],
) -> Fault | None:
    """Another argument's field must not change."""
    parts = _tool(base, step[0]).input_schema.get("properties", {})
    silent = {n for n, part in parts.items() if part.get("default") is None}
    unnamed = {normal(name) for name in silent} - {normal(name) for name in step[1]}
    for name in sorted(unnamed):
        if name not in before or before[name] == after.get(name):
            continue
        moved = any(same(value, after.get(name)) for value in given.values())
        if name not in after or (moved and not isinstance(after[name], bool)):
            return Reason.WRONG_FIELD, f"{name} changed, which the call did not name"
    return None


def effective(known: frozenset[Any]) -> Judge:
    """Of a creating or deleting tool's accepted calls, each alone, one changes something.

    Args:
        known: values seen in the world: a result with another id speaks of a new record.
    """

    @guarded
    def judge(base: Environment, steps: Sequence[Step]) -> Fault | None:
        return _ineffective(base, steps, known)

    return judge


def _ineffective(
    base: Environment, steps: Sequence[Step], known: frozenset[Any]
) -> Fault | None:
    played = [Played(base, [step]) for step in steps]
    accepted = [each for each in played if not each.last.is_error]
    tool = _tool(base, steps[-1][0])
    deletes = "delete" in normal(tool.name)
    records = [scalars(e.last.data) for e in accepted if isinstance(e.last.data, dict)]
    made = bool(records) and all(
        "id" in record and record["id"] not in known for record in records
    )
    asked = {str(value) for _, given in steps for value in given.values()}
    made = made and not any(str(record["id"]) in asked for record in records)
    asks = any(normal(name) in ("q", "query", "sql") for name in steps[-1][1])
    if asks:
        return None  # a statement may rightly touch nothing
    if accepted and (deletes or made) and not any(_wrote(each) for each in accepted):
        return Reason.NO_EFFECT, "the tool writes, and no accepted call changes anything"
    return None


def _wrote(played: Played) -> bool:
    """A record changed, or something outside the tables; a drawn id alone is no effect."""
    if played.changes():
        return True
    shown = played.last.data
    record = isinstance(shown, dict) and "id" in shown
    return not record and played.before.digest() != played.environment.digest()


@guarded
def read_back(base: Environment, steps: Sequence[Step]) -> Fault | None:
    """[…, write, get]: the get shows the record as the write left it."""
    wrote, read = Played(base, steps[:-1]), Played(base, steps)
    if wrote.last.is_error:
        return None
    gone = [change for change in wrote.changes() if change.after is None]
    if gone:
        if not read.last.is_error and str(gone[0].id) in read.last.text:
            return Reason.STILL_THERE, "the record was removed and is still read"
        return None
    if read.last.is_error and any(change.before is not None for change in wrote.changes()):
        return None  # an update may hide a record: one leaves a private channel
    if read.last.is_error:
        return Reason.NOT_READ_BACK, f"the read after the write is refused: {read.last.code}"
    shown = read.last.data
    if not isinstance(shown, dict):
        return None
    flat = scalars(shown)
    for change in wrote.changes():
        if change.after is None or flat.get("id") != change.id:
            continue
        kept = scalars(change.after)
        for name in sorted(flat):
            if name in kept and not same(kept[name], flat[name]):
                return Reason.NOT_READ_BACK, f"{name} is not as it was written"
    return None


@guarded
def undisturbed(base: Environment, steps: Sequence[Step]) -> Fault | None:
    """[read, …, read]: the last shows what it shows without the first."""
    played = Played(base, steps)
    if played.last.text != Played(base, steps[1:]).last.text:
        return Reason.NOT_REPEATABLE, "an earlier read changes what a later one shows"
    return None


@guarded
def result_kept(base: Environment, steps: Sequence[Step]) -> Fault | None:
    """[write, get]: the get shows the fields that the write's result shows."""
    played = Played(base, steps)
    wrote, read = played.seen[-2].data, played.last.data
    if not isinstance(wrote, dict) or not isinstance(read, dict) or "id" not in wrote:
        return None
    if wrote["id"] != read.get("id") or set(wrote) != set(read):
        return None
    given, one, two = scalars(steps[-2][1]), scalars(wrote), scalars(read)
    for name in sorted(given):
        if name in one and same(one[name], given[name]) and not same(two.get(name), one[name]):
            return Reason.NOT_READ_BACK, f"the get shows another {name} than the write did"
    return None


@guarded
def agreeing(base: Environment, steps: Sequence[Step]) -> Fault | None:
    """[list, get]: the get shows the listed row of its id with the same values."""
    played = Played(base, steps)
    listed, got = rows(played.seen[0].data), played.last
    if listed is None or not isinstance(got.data, dict):
        return None
    asked = {str(v) for v in steps[-1][1].values() if isinstance(v, str | int)}
    row = next((r for r in listed if str(r.get("id", "")) in asked), None)
    if row is None or "id" not in got.data:
        return None
    one, two = scalars(row), scalars(got.data)
    for name in sorted(one):
        if name in two and not same(one[name], two[name]):
            return Reason.READS_DISAGREE, f"the list shows another {name} than the get"
    return None


def filtered(name: str, value: Any) -> Judge:
    """[list, filtered list]: exactly the rows whose field has the value are left."""
    plain = normal(name)

    @guarded
    def judge(base: Environment, steps: Sequence[Step]) -> Fault | None:
        played = Played(base, steps)
        every, left = rows(played.seen[0].data), rows(played.last.data)
        if every is None or left is None or name not in steps[-1][1]:
            return None
        for row in left:
            shown = scalars(row)
            if plain in shown and not same(shown[plain], value):
                return Reason.FILTER_WRONG, f"a row has {name} {shown[plain]!r}, not {value!r}"
        fits = {identity(r) for r in every if same(scalars(r).get(plain, ""), value)}
        lost = fits - {identity(row) for row in left}
        if lost:
            return Reason.FILTER_WRONG, f"{len(lost)} rows with {name} {value!r} are lost"
        return None

    return judge
