"""Wrong targets: the right change on the wrong records, too few of them, or too many."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from pydantic_core import to_json

from compoworld_core.audit.branches import replanned
from compoworld_core.audit.effects import contents, same_but_for_stamps, shuffled, subject
from compoworld_core.audit.kinds import wrong
from compoworld_core.audit.rivals import as_json, like, others, places, rival_of
from compoworld_core.audit.toolbox import schema_at
from compoworld_core.audit.trial import Trial, call
from compoworld_core.audit.writes import Arguments, Slot, Unfit, Write
from compoworld_core.environment import Environment
from compoworld_core.expressions import Lit
from compoworld_core.plan import Selection
from compoworld_core.state import Entity
from compoworld_core.types import KEY_KINDS


def _subject_rivals(trial: Trial, write: Write, rng: Random) -> Iterator[tuple[Slot, Any]]:
    """(the slot that names the record, the same key of another record), look-alikes first."""
    slot = subject(write)
    if slot is None:
        return
    service = write.step.service
    tables = {goal.table for goal in write.goals}
    for place in places(trial, service, slot.raw):
        if place.table in tables:
            for row in others(trial, service, place):
                yield slot, like(slot.raw, as_json(getattr(row, place.field)))
    yield slot, rival_of(trial, slot, rng, service=service)


@wrong
def wrong_record(trial: Trial, rng: Random) -> Environment:
    """Made the right change on a look-alike of the record."""
    why = "no record is changed"
    for write in shuffled(trial.writes, rng):
        try:
            for slot, raw in _subject_rivals(trial, write, rng):
                try:
                    return trial.with_write(write, write.edited(slot.path, slot.carrying(raw)))
                except Unfit as error:
                    why = str(error)
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


@wrong
def also_wrong_record(trial: Trial, rng: Random) -> Environment:
    """Made the right change, and the same change on a look-alike."""
    why = "no record is changed"
    for write in shuffled(trial.writes, rng):
        try:
            for slot, raw in _subject_rivals(trial, write, rng):
                try:
                    return _also(trial, write, write.edited(slot.path, slot.carrying(raw)))
                except Unfit as error:
                    why = str(error)
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


def _also(trial: Trial, write: Write, more: Arguments) -> Environment:
    """All that was asked, and one more call that changes something."""
    end = trial.end()
    call(end, write.tool, more)
    if same_but_for_stamps(trial.reference, end):
        raise Unfit("the other record was like that already")
    return end


@wrong
def skipped_item(trial: Trial, rng: Random) -> Environment:
    """Forgot one of the records that each had to be treated."""
    counts: dict[str, int] = {}
    for write in trial.writes:
        if write.step.foreach is not None:
            counts[write.step.id] = counts.get(write.step.id, 0) + 1
    several = [step for step, count in counts.items() if count > 1]
    if not several:
        raise Unfit("no step goes through several records")
    step = rng.choice(several)
    left_out = rng.randrange(counts[step])
    return trial.edited({step: lambda calls: [c for i, c in enumerate(calls) if i != left_out]})


@wrong
def extra_item(trial: Trial, rng: Random) -> Environment:
    """Treated one more record than the filter selects: a condition was not looked at."""
    each = [w for w in trial.writes if w.step.foreach is not None]
    if not each:
        raise Unfit("no step goes through several records")
    write = rng.choice(each)
    treated = [w.arguments for w in each if w.step.id == write.step.id]
    for slot, raw in _subject_rivals(trial, write, rng):
        more = write.edited(slot.path, slot.carrying(raw))
        if more not in treated:
            return _also(trial, write, more)
    raise Unfit("all records of the table are meant")


@wrong
def missing_write(trial: Trial, rng: Random) -> Environment:
    """Forgot one of the things to do."""
    if not trial.writes:
        raise Unfit("nothing is to be written")
    return trial.without(rng.choice(trial.writes).step.id)


@wrong
def stopped_early(trial: Trial, rng: Random) -> Environment:
    """Stopped before the last thing to do."""
    del rng
    if not trial.writes:
        raise Unfit("nothing is to be written")
    return trial.without(trial.writes[-1].step.id)


# -- looked up the wrong record ------------------------------------------------------------


@wrong
def wrong_lookup(trial: Trial, rng: Random) -> Environment:
    """Looked up a look-alike at the start of a chain, and did all that follows from it."""
    why = "no description names a record by a key"
    for selection in shuffled(trial.plan.selections, rng):
        for name, kind, expr in selection.conditions:
            if not isinstance(expr, Lit) or kind not in KEY_KINDS:
                continue
            for row in _lookalikes(trial, selection, name, expr.literal):
                try:
                    return _with_literal(trial, selection, expr, as_json(getattr(row, name)))
                except Unfit as error:
                    why = str(error)
    raise Unfit(why)


def _lookalikes(trial: Trial, selection: Selection, name: str, value: Any) -> list[Entity]:
    for place in places(trial, selection.service, value):
        if place.table == selection.table and place.field == name:
            return others(trial, selection.service, place)
    return []


def _with_literal(trial: Trial, selection: Selection, lit: Lit, value: Any) -> Environment:
    """The plan with another literal in its look-ups; what it writes word for word stays."""
    if value == lit.literal:
        raise Unfit("the look-alike has the same key")
    old = lit.model_dump(mode="json")
    new = {**old, "literal": value}
    return replanned(
        trial,
        lambda node: new if node == old else node,
        "nothing is looked up by it",
        spared=old,
    )


# -- recipients ----------------------------------------------------------------------------


def _addressed(trial: Trial, rng: Random) -> Iterator[tuple[Write, Slot]]:
    """The slots that name a recipient: an address in a message, an invitation, a share."""
    for write in shuffled(trial.writes, rng):
        for slot in contents(trial, write):
            if slot.kind == "email" and write.creates() and not slot.template:
                yield write, slot


def _stranger(trial: Trial, address: str, rng: Random) -> str:
    """Another address of the same world."""
    held = Slot((), Lit(literal=address, kind="email"), address, "email")
    try:
        found = rival_of(trial, held, rng)
        if isinstance(found, str) and "@" in found:
            return found
    except Unfit:
        pass
    name, _, host = address.partition("@")
    return f"{name}.jr@{host}"


def _without(arguments: Arguments, slot: Slot) -> Arguments:
    if len(slot.path) == 1:
        return {k: v for k, v in arguments.items() if k != slot.path[0]}
    *parents, last = slot.path
    root = json.loads(to_json(arguments))
    node = root
    for step in parents:
        node = node[step]
    del node[last]
    return dict(root)


@wrong
def missing_recipient(trial: Trial, rng: Random) -> Environment:
    """Left out one of those whom the message was for, and gave up where that was refused."""
    for write, slot in _addressed(trial, rng):
        try:
            return trial.with_write(write, _without(write.arguments, slot))
        except Unfit:
            return trial.without(write.step.id)
    raise Unfit("nothing is addressed to anybody")


@wrong
def wrong_recipient(trial: Trial, rng: Random) -> Environment:
    """Sent it to somebody else."""
    why = "nothing is addressed to anybody"
    for write, slot in _addressed(trial, rng):
        try:
            stranger = _stranger(trial, str(slot.value), rng)
            return trial.with_write(write, write.edited(slot.path, stranger))
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


@wrong
def extra_recipient(trial: Trial, rng: Random) -> Environment:
    """Sent it to one more person than was asked."""
    why = "nothing that is written takes addresses"
    for write in shuffled(trial.writes, rng):
        if not write.creates():
            continue
        actor = trial.initial.states[write.step.service].ledger.actor
        for name, is_list in _address_fields(trial, write):
            held = write.arguments.get(name)
            stranger = _stranger(trial, actor, rng)
            if is_list:
                given: Any = [*held, stranger] if isinstance(held, list) else [stranger]
            else:
                given = f"{held}, {stranger}" if held else stranger
            try:
                return trial.with_write(write, {**write.arguments, name: given})
            except Unfit as error:
                why = str(error)
    raise Unfit(why)


def _address_fields(trial: Trial, write: Write) -> Iterator[tuple[str, bool]]:
    """(parameter, takes a list) of a tool that name recipients."""
    tool = trial.tool(write.tool)
    for name in ("cc", "bcc", "to", "attendees", "recipients", "email_ccs", "guests"):
        if name in tool.parameters:
            schema = schema_at(tool, (name,))
            items = schema_at(tool, (name, 0))
            if items.get("type") in (None, "string"):
                yield name, schema.get("type") == "array"
