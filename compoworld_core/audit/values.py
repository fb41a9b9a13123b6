"""Wrong values: the right record, the right field, and not the right value."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from random import Random
from typing import Any, Final

from attrs import evolve

from compoworld_core import pools
from compoworld_core.audit.effects import (
    changed,
    contents,
    field_of,
    interchangeable,
    is_reference,
    old_value,
    shuffled,
    spots,
)
from compoworld_core.audit.kinds import wrong
from compoworld_core.audit.rivals import like, rival_of, rivals
from compoworld_core.audit.spellings import plain
from compoworld_core.audit.spoiling import (
    day_and_month_swapped,
    mistyped,
    other_unit,
    other_zone,
    part_of,
    rounded,
    shifted,
)
from compoworld_core.audit.toolbox import words_at
from compoworld_core.audit.trial import Trial
from compoworld_core.audit.writes import Arguments, Edit, Slot, Unfit, Write
from compoworld_core.environment import Environment
from compoworld_core.expressions import All, Const, Fn, Lit

Spoil = Callable[[str, Any], Any]
"""(kind, raw value) → a wrong raw value; Unfit where the kind has none."""


def instead(raw: Any) -> Spoil:
    """Put this value there, whatever the right one is."""
    return lambda _kind, _raw: raw


def spoilt(trial: Trial, write: Write, slot: Slot, spoil: Spoil) -> Environment:
    """The reference with one value of one call spoilt: the fact of a text, or a bare value."""
    if slot.is_text and slot.facts:
        fact, *rest = slot.facts
        raw = spoil(fact.kind, fact.raw)
        value = slot.filled(plain(fact.kind, raw), *(f.shown for f in rest))
    else:
        kind = slot.facts[0].kind if slot.facts else slot.kind
        value = slot.carrying(like(slot.raw, spoil(kind, slot.raw)))
    return trial.with_write(write, write.edited(slot.path, value))


def anywhere(
    trial: Trial, rng: Random, spoil: Spoil, *, texts: bool = False, ids: bool = False
) -> Environment:
    """Spoil a value at the first drawn place where that works; Unfit where none does."""
    why = "no call states such a value"
    for write, slot in spots(trial, rng):
        if texts and not slot.is_text:
            continue
        if not ids and not slot.is_text and is_reference(trial, write, slot):
            continue
        try:
            return spoilt(trial, write, slot, spoil)
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


@wrong
def wrong_near_duplicate(trial: Trial, rng: Random) -> Environment:
    """Took the value from a look-alike of the record that was meant."""
    why = "no call states a value of a record"
    for write, slot in spots(trial, rng):
        if isinstance(slot.expr, Lit) or (
            not slot.is_text and is_reference(trial, write, slot)
        ):
            continue
        held = slot.facts[0] if slot.facts else slot
        try:
            rival = rival_of(trial, held, rng, service=write.step.service)
            return spoilt(trial, write, slot, instead(rival))
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


@wrong
def wrong_parent(trial: Trial, rng: Random) -> Environment:
    """Put the new record under another record of the same sort: the comment on another."""
    why = "no call names a record to belong to"
    for write, slot in spots(trial, rng):
        if slot.is_text or not is_reference(trial, write, slot):
            continue
        try:
            rival = rival_of(trial, slot, rng, service=write.step.service)
            return spoilt(trial, write, slot, instead(rival))
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


@wrong
def off_by_one(trial: Trial, rng: Random) -> Environment:
    """Wrote the neighbour of a value: one more, a day or an hour off, the next number."""
    return anywhere(trial, rng, lambda kind, raw: shifted(kind, raw, rng))


@wrong
def mistyped_value(trial: Trial, rng: Random) -> Environment:
    """Mistyped one character of an address, a name, a number or a code."""
    return anywhere(trial, rng, lambda kind, raw: mistyped(kind, raw, rng))


@wrong
def wrong_unit(trial: Trial, rng: Random) -> Environment:
    """Wrote an amount a hundred times too large: cents as if they were whole units."""
    return anywhere(trial, rng, other_unit)


_SIGNS: Final = {"$": "€", "€": "$", "£": "€"}
"""Sign of a currency → that of another one."""


@wrong
def wrong_currency(trial: Trial, rng: Random) -> Environment:
    """Wrote the right figure in another currency."""
    strange = [c for c in pools.CURRENCIES if c not in trial.task.instruction]
    for write, slot in spots(trial, rng):
        amounts = [f for f in slot.facts if f.kind in ("money", "cents")]
        if not slot.is_text or not amounts:
            continue
        named = [c for c in (*pools.CURRENCIES, *_SIGNS) if c in slot.value]
        if named:
            text = slot.value.replace(named[0], _SIGNS.get(named[0], rng.choice(strange)))
        elif isinstance(amounts[0].expr, Fn) and amounts[0].expr.name == "convert":
            text = f"{slot.value} {rng.choice(strange)}"
        else:
            continue
        return trial.with_write(write, write.edited(slot.path, text))
    raise Unfit("no text states an amount in a known currency")


@wrong
def wrong_time_zone(trial: Trial, rng: Random) -> Environment:
    """Kept the clock time and put it into another time zone."""
    for write, slot in spots(trial, rng):
        kind = slot.facts[0].kind if slot.facts else slot.kind
        if kind == "datetime":
            text = other_zone(kind, slot.raw)
            value = (
                slot.filled(text, *(f.shown for f in slot.facts[1:])) if slot.facts else text
            )
            return trial.with_write(write, write.edited(slot.path, value))
    raise Unfit("no call states an instant")


@wrong
def day_for_month(trial: Trial, rng: Random) -> Environment:
    """Read the day of a date as its month."""
    return anywhere(trial, rng, day_and_month_swapped)


@wrong
def partial_value(trial: Trial, rng: Random) -> Environment:
    """Wrote a part of the value: a first name, half a title, an address without its host."""
    for write, slot in spots(trial, rng):
        kind = slot.facts[0].kind if slot.facts else slot.kind
        if not slot.is_text and is_reference(trial, write, slot):
            continue
        try:
            part = part_of(kind, slot.raw)
        except Unfit:
            continue
        value = slot.filled(part, *(f.shown for f in slot.facts[1:])) if slot.template else part
        try:
            return trial.with_write(write, write.edited(slot.path, value))
        except Unfit:
            continue
    raise Unfit("no value has parts")


@wrong
def rounded_value(trial: Trial, rng: Random) -> Environment:
    """Rounded an amount off, or gave the day of an instant without its time."""
    for write, slot in spots(trial, rng):
        if slot.is_text and slot.facts:
            try:
                text = rounded(slot.facts[0].kind, slot.facts[0].raw)
            except Unfit:
                continue
            value = slot.filled(text, *(f.shown for f in slot.facts[1:]))
            return trial.with_write(write, write.edited(slot.path, value))
    raise Unfit("no text states a value that can be rounded")


@wrong
def stale_value(trial: Trial, rng: Random) -> Environment:
    """Wrote what the record held before: the change was not made."""
    why = "no record is changed"
    for write, slot in spots(trial, rng):
        if not write.updates():
            continue
        try:
            effect = changed(trial, write)
            old = old_value(effect, field_of(effect, slot))
            value = old if slot.is_text else slot.carrying(like(slot.raw, old))
            return trial.with_write(write, write.edited(slot.path, value))
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


@wrong
def wrong_enum(trial: Trial, rng: Random) -> Environment:
    """Chose another word of those that a status may have."""
    why = "no call sets a status"
    for write in shuffled(trial.writes, rng):
        for option in _words(trial, write, rng):
            try:
                return trial.with_write(write, option)
            except Unfit as error:
                why = str(error)
    raise Unfit(why)


def _words(trial: Trial, write: Write, rng: Random) -> list[dict[str, Any]]:
    """The call's arguments with another status, for each place where it sets one."""
    found = []
    service = write.step.service
    for slot in contents(trial, write):
        if slot.kind in ("status", "tag", "boolean"):
            listed = words_at(trial.tool(write.tool), slot.path)
            others = [w for w in listed if w is not None and w != slot.value]
            if not others:
                others = list(rivals(trial, service, slot.value, rng))[:1]
            if others:
                found.append(write.edited(slot.path, rng.choice(others)))
    constants = [
        expr.literal
        for goal in write.goals
        for expect in goal.expects
        for expr in expect.exprs
        if isinstance(expr, Const) and isinstance(expr.literal, str)
    ]
    for slot in write.slots:  # a statement that names the status in its own words
        for word in constants:
            quoted = f"'{word}'"
            if isinstance(slot.value, str) and quoted in slot.value:
                for rival in _other_words(trial, write, word, rng)[:1]:
                    value = slot.value.replace(quoted, f"'{rival}'", 1)
                    found.append(write.edited(slot.path, value))
    return found


def _other_words(trial: Trial, write: Write, word: str, rng: Random) -> list[str]:
    """Other values of the field in the rows of the table that the call changes."""
    names = {e.field for goal in write.goals for e in goal.expects if len(e.exprs) == 1}
    tables = {goal.table for goal in write.goals}
    found: dict[str, None] = {}
    state = trial.initial.states[write.step.service]
    for table in sorted(tables):
        for row in state.table(table):
            for name in sorted(names):
                value = getattr(row, name, None)
                if isinstance(value, str) and value != word:
                    found[value] = None
    return shuffled(list(found), rng)


@wrong
def swapped_dates(trial: Trial, rng: Random) -> Environment:
    """Exchanged two dates: the start for the end, or the date of one record for another's."""
    return _exchanged(trial, rng, {"date", "datetime"}, "no two dates differ")


@wrong
def swapped_facts(trial: Trial, rng: Random) -> Environment:
    """Exchanged the facts of two records: each has what belongs to the other."""
    return _exchanged(trial, rng, None, "no two calls state facts of one kind")


def _exchanged(
    trial: Trial, rng: Random, kinds: set[str] | None, otherwise: str
) -> Environment:
    held = []
    for write, slot in spots(trial, rng):
        kind = slot.facts[0].kind if slot.facts else slot.kind
        fits = kind in kinds if kinds else slot.is_text
        if fits and not (not slot.is_text and is_reference(trial, write, slot)):
            held.append((write, slot, kind))
    for (one, mine, kind), (two, yours, other) in combinations(held, 2):
        if kind != other or str(mine.raw)[:16] == str(yours.raw)[:16]:
            continue
        if one.step.id == two.step.id and one.index != two.index:
            continue
        if interchangeable(one, mine, two, yours):
            continue
        try:
            return _with_both(trial, (one, mine, kind, yours.raw), (two, yours, kind, mine.raw))
        except Unfit as error:
            otherwise = str(error)
    raise Unfit(otherwise)


def _with_both(
    trial: Trial, first: tuple[Write, Slot, str, Any], second: tuple[Write, Slot, str, Any]
) -> Environment:
    edits: dict[str, list[tuple[Write, Slot, Any]]] = {}
    for write, slot, kind, raw in (first, second):
        if slot.is_text:
            value: Any = slot.filled(plain(kind, raw), *(f.shown for f in slot.facts[1:]))
        else:
            value = slot.carrying(like(slot.raw, raw))
        edits.setdefault(write.step.id, []).append((write, slot, value))
    return trial.edited({step: _several(found) for step, found in edits.items()})


def _several(found: list[tuple[Write, Slot, Any]]) -> Edit:
    def edit(calls: list[Arguments]) -> list[Arguments]:
        write = found[0][0]
        for _write, slot, value in found:
            write = evolve(write, arguments=write.edited(slot.path, value))
        return [write.arguments if i == write.index else c for i, c in enumerate(calls)]

    return edit


@wrong
def wrong_aggregate(trial: Trial, rng: Random) -> Environment:
    """Worked out the wrong figure: another member, or a total that leaves one out."""
    why = "no call states a worked-out value"
    for write, slot in spots(trial, rng):
        expr = slot.facts[0].expr if slot.facts else slot.expr
        if not isinstance(expr, Fn) or expr.name not in _FIGURES:
            continue
        try:
            raw = _other_figure(trial, expr, rng)
            return spoilt(trial, write, slot, instead(raw))
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


_FIGURES = ("sum", "count", "largest", "smallest")


def _other_figure(trial: Trial, fn: Fn, rng: Random) -> Any:
    (listed,) = fn.args
    scope = trial.replay.scope
    right = fn.value(scope)
    values = listed.value(scope)
    if fn.name == "count":
        return len(values) + rng.choice((1, -1))
    others = [v for v in values if str(v) != str(right)]
    if not others and isinstance(listed, All) and listed.where:
        wider = listed.model_copy(update={"where": ()}).value(scope)
        others = [v for v in wider if v is not None and str(v) != str(right)]
    if not others:
        others = list(rivals(trial, trial.source_of(fn), right, rng))
    if not others:
        raise Unfit("the figure is the same whatever is left out")
    return rng.choice(others)
