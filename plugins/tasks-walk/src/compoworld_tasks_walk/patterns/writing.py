"""Writes on a selected record: a new value, a stated fact, a child record, a fixed effect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from compoworld_core.expressions import All, Const, Expr, Item, Out
from compoworld_core.plan import Expect, Goal, When
from compoworld_tasks_walk import motives, moves, stories
from compoworld_tasks_walk.affordances import Write, thaw
from compoworld_tasks_walk.arguments import distinct
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.filling import (
    Filled,
    fill_rest,
    key_arguments,
    made,
    put_fact,
    put_said,
)
from compoworld_tasks_walk.habits import SETTLED
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.literals import usual
from compoworld_tasks_walk.script import Change, Drop, Make, simple
from compoworld_tasks_walk.sinks import places

UNKNOWN = 0.3
"""How much less a change is wanted of what no story speaks of."""


def updates(draft: Draft, service: str, table: str) -> Iterator[Write]:
    """Writes that change one row of a table without a carried fact."""
    for write in draft.catalogue.writes(service):
        of_table = (write.op, write.table) == ("update", table) and bool(write.by)
        if of_table and changes_alone(draft, write):
            yield write


def deed(draft: Draft, write: Write) -> float:
    """How natural it is to ask for what a write does."""
    archetype = draft.catalogue.archetype(write.service, write.table)
    fitting = 1.0
    if not any(True for _ in _fitting(draft, write)):
        fitting = 0.0 if archetype in stories.ARCHETYPES else UNKNOWN
    fields = tuple(write.effects) if write.effects else tuple(write.sinks)
    return fitting * moves.deed_worth(archetype, write.tool, fields)


def _fitting(draft: Draft, write: Write) -> Iterator[str]:
    """The words of what a write does, or can set, that belong to the story."""
    archetype = draft.catalogue.archetype(write.service, write.table)
    if write.effects:
        words = stories.words_of(write.tool, write.effects)
        yield from (word for word in words if stories.reasons(draft.story, archetype, [word]))
    fields = draft.profile(write.service, write.table).fields
    for name, into in write.sinks.items() if not write.effects or write.required else ():
        column = fields.get(name)
        for value in (into.slot.enum or column.fact.enum) if column is not None else ():
            word = stories.word_of(value)
            if stories.reasons(draft.story, archetype, [word]):
                yield word


def like_of(draft: Draft, write: Write) -> dict[str, tuple[Any, ...]]:
    """What a row must be like for the write to work."""
    pre = write.pre if write.op == "update" else write.parent_pre
    like = {name: tuple(map(thaw, values)) for name, values in pre.items()}
    if write.effects:
        for name, values in like.items():
            like[name] = tuple(v for v in values if str(v).lower() not in SETTLED) or values
    if write.op == "update":
        for name in write.own:
            like[name] = (draft.catalogue.own(write.service, write.table, name),)
    return like


def suits(draft: Draft, rec: Rec, write: Write) -> bool:
    """Do the record's rows meet the write's preconditions?"""
    return all(
        row.get(name) in values
        for name, values in like_of(draft, write).items()
        for row in rec.rows
        if "." not in name
    )


def changes_alone(draft: Draft, write: Write) -> bool:
    """Can the write change a record without a carried fact: an enum field, a fixed effect?"""
    if write.effects and not write.required:
        return True
    fields = draft.profile(write.service, write.table).fields
    return any(
        name in fields
        and fields[name].fact.enum
        and not fields[name].fact.many
        and into.mode == "set"
        and set(write.required) <= {name}
        for name, into in write.sinks.items()
    )


def change_alone(draft: Draft, visit: int, rec: Rec, write: Write) -> None:
    """Change a record without a carried fact: turn an enum field, or use a fixed effect."""
    if write.required or not write.effects:
        turn(draft, visit, rec, write)
    else:
        effect(draft, visit, rec, write)


def turn(draft: Draft, visit: int, rec: Rec, write: Write) -> None:
    """Give an enum field of the record another value, as the instruction says."""
    open_ = [pair for pair in turns(draft, rec, write) if pair[0] not in written(draft, rec)]
    if not open_:
        raise Barren(f"{write.tool} has no state to change")
    belonging = set(_fitting(draft, write))
    told = [(n, [v for v in held if stories.word_of(v) in belonging]) for n, held in open_]
    name, values = draft.rng.choice([pair for pair in told if pair[1]] or open_)
    filled = Filled(write)
    put_said(filled, name, draft.rng.choice(usual(name, values)), "status")
    change(draft, visit, rec, filled, name, filled.said[0][1])


def turns(draft: Draft, rec: Rec, write: Write) -> list[tuple[str, list[Any]]]:
    """The enum fields that a write alone can set, and the values that none of the rows has."""
    profile = draft.profile(rec.service, rec.table)
    found = []
    for name, into in write.sinks.items():
        column = profile.fields.get(name)
        if column is None or not column.fact.enum or column.fact.many or into.mode != "set":
            continue
        if set(write.required) - {name}:
            continue
        held = {str(row.get(name)) for row in rec.rows}
        values = [
            v
            for v in (into.slot.enum or column.fact.enum)
            if str(v) not in held and _reachable(write, name, v, held)
        ]
        if values:
            found.append((name, values))
    return found


def _reachable(write: Write, name: str, value: Any, held: set[str]) -> bool:
    """May the field become this value from all that it has now?"""
    if name not in write.moves:
        return True
    return held <= {str(origin) for origin in write.moves[name].get(str(value), ())}


def effect(draft: Draft, visit: int, rec: Rec, write: Write) -> None:
    """Use a tool that does one thing: cancel, archive, void."""
    if not write.effects or write.required:
        raise Barren(f"{write.tool} has no effect of its own")
    told = telling(draft, rec, write)
    if set(told) & written(draft, rec):
        raise Barren(f"{write.tool} would change nothing that can be told")
    step = _step(draft, visit, rec, write, Filled(write))
    draft.actions.append(dropped(draft, visit, rec, write, step, told))
    draft.score += 0.5


def dropped(
    draft: Draft, visit: int, rec: Rec, write: Write, step: str, told: dict[str, Any]
) -> Drop:
    """Add the goal of a step with a fixed effect; the action that says it."""
    fields = draft.profile(rec.service, rec.table).fields
    goal = draft.next_goal()
    expects = tuple(
        Expect(field=n, mode="equals", kind=fields[n].fact.kind, exprs=(Const(literal=v),))
        for n, v in told.items()
    )
    draft.goals.append(
        Goal(
            id=goal, step=step, kind="update", service=rec.service, table=rec.table,
            text=f"{draft.noun(rec.service, rec.table).capitalize()}: "
            + ", ".join(f"{n} is {v}" for n, v in told.items()),
            key=_key(draft, rec), expects=expects,
        )
    )  # fmt: skip
    return Drop(goal, visit, write.tool, rec.id, tuple(told.items()))


def telling(draft: Draft, rec: Rec, write: Write) -> dict[str, Any]:
    """What a write with a fixed effect changes for all to see; Barren where that is nothing."""
    fields = draft.profile(rec.service, rec.table).fields
    told = {
        name: thaw(value)
        for name, value in write.effects.items()
        if name in fields and _plain(value)
        if all(row.get(name) != thaw(value) for row in rec.rows)
    }
    if not told:
        raise Barren(f"{write.tool} would change nothing that can be told")
    return told


def _plain(value: Any) -> bool:
    return isinstance(value, str | bool) and value != ""


def changes(draft: Draft) -> Iterator[Change | Drop]:
    """What the plan changes by now; a child counts as a change of its parent."""
    for action in (part for whole in draft.actions for part in simple(whole)):
        if isinstance(action, Make):
            if action.parent:
                yield Drop(action.goal, action.visit, action.tool, action.parent)
        else:
            yield action


def written(draft: Draft, rec: Rec) -> set[str]:
    """Fields of the record that the plan changes already."""
    names: set[str] = set()
    for action in (part for whole in draft.actions for part in simple(whole)):
        if isinstance(action, Change) and action.record == rec.id:
            names.add(action.field)
        if isinstance(action, Drop) and action.record == rec.id:
            names |= {name for name, _ in action.effect}
    return names


def settled(draft: Draft, rec: Rec) -> str:
    """What the plan has done to the record, beside telling it facts; empty for nothing."""
    deeds = [
        motives.deed(action)
        for whole in draft.actions
        for action in simple(whole)
        if action.record == rec.id
    ]
    return next((deed for deed in deeds if deed), "")


def state_fact(draft: Draft, visit: int, rec: Rec, write: Write, fact: Known) -> None:
    """Put a fact into a field of the record, typed or in its text."""
    if fact.record == rec.id:
        raise Barren("a record is not told its own facts")
    spent = written(draft, rec)
    open_ = [
        place
        for place in places(draft, write, fact, "copy")
        if place.name not in spent
        and place.name not in rec.used
        and not set(write.required) - {place.name}
        and not (place.how == "typed" and rec.hero.get(place.name) == fact.hero)
    ]
    if not open_:
        raise Barren(f"{write.tool} takes no such fact")
    place = draft.rng.choices(open_, [each.worth for each in open_])[0]
    filled = Filled(write)
    put_fact(draft, filled, place.name, fact, place.how)
    change(draft, visit, rec, filled, place.name, fact.value)


def change(draft: Draft, visit: int, rec: Rec, filled: Filled, name: str, value: Any) -> None:
    """Add the write of one field of the record (or of each record of the set)."""
    text = _sentence(f"the {draft.noun(rec.service, rec.table)}", filled, many=rec.many)
    draft.actions.append(changed(draft, visit, rec, filled, name, value, text))
    draft.score += 0.5


def changed(
    draft: Draft,
    visit: int,
    rec: Rec,
    filled: Filled,
    name: str,
    value: Any,
    text: str,
    when: When | None = None,
    may_fail: bool = False,
) -> Change:
    """Add the step and the goal of such a write; the action that says it.

    Args:
        draft: the plan so far.
        visit: of which visit the step is.
        rec: what is changed.
        filled: the write with its arguments.
        name: the field.
        value: what it becomes, as the instruction says it.
        text: the criterion in words.
        when: the step is played only then.
        may_fail: it may be refused, and another way is taken then.
    """
    told = (*draft.carried, *draft.besides)
    if any((one.record, one.field) == (rec.id, name) for one in told):
        raise Barren(f"{name} was read before")
    write = filled.write
    step = _step(draft, visit, rec, write, filled, when, may_fail)
    goal = draft.next_goal()
    draft.goals.append(
        Goal(
            id=goal, step=step, kind="update", service=rec.service, table=rec.table,
            text=text, key=_key(draft, rec), expects=tuple(filled.expects),
        )
    )  # fmt: skip
    mode: Any = filled.mode(name)
    return Change(goal, visit, write.tool, rec.id, name, value, mode)


def add_child(
    draft: Draft,
    visit: int,
    rec: Rec,
    write: Write,
    fact: Known,
    more: Sequence[Known] = (),
) -> None:
    """Add a child record that states a fact, and more: a comment, a note, a line."""
    if fact.record == rec.id:
        raise Barren("a record is not told its own facts")
    if draft.strict and remarked(draft, rec, write):
        raise Barren("what there is to say on a record is said in one remark")
    filled = Filled(write)
    fitting = places(draft, write, fact, "copy")
    if not fitting:
        raise Barren(f"{write.tool} takes no such fact")
    place = draft.rng.choices(fitting, [each.worth for each in fitting])[0]
    put_fact(draft, filled, place.name, fact, place.how, more)
    if write.parent is None or write.parent[1] not in write.required:
        raise Barren(f"{write.tool} does not name its parent")
    fill_rest(draft, visit, filled, [rec])
    foreach = _foreach(rec)
    step = draft.call(
        visit, write.service, write.tool, filled.finish(draft), foreach=foreach, write=True
    )
    if not rec.many:
        came_out(draft, step, filled)
    noun, child = draft.noun(rec.service, rec.table), draft.noun(write.service, write.table)
    text = _sentence(f"a new {child} on the {noun}", filled, many=rec.many)
    draft.actions.append(made(draft, visit, filled, step, text, rec.id))
    draft.score += 0.4


def remarked(draft: Draft, rec: Rec, write: Write) -> bool:
    """Has the plan put such a remark on a record already? A page has paragraphs besides."""
    return any(
        isinstance(part, Make) and part.parent == rec.id and part.tool == write.tool
        for whole in draft.actions
        for part in simple(whole)
    )


def came_out(draft: Draft, step: str, filled: Filled) -> None:
    """Barren where a new record refers to another one than was named, as its answer shows."""
    for each in filled.expects:
        path = filled.write.result.get(each.field)
        if path is None or each.kind != "id" or each.mode != "equals":
            continue
        made = draft.trial.value(Out(step=step, path=tuple(path)))
        if made != draft.trial.value(each.exprs[0]):
            raise Barren(f"{filled.write.tool} puts it under another {each.field}")


def _sentence(what: str, filled: Filled, *, many: bool) -> str:
    head = f"For each of them, {what}" if many else what[:1].upper() + what[1:]
    return f"{head}: {', '.join(filled.told)}." if filled.told else f"{head}."


def _step(
    draft: Draft,
    visit: int,
    rec: Rec,
    write: Write,
    filled: Filled,
    when: When | None = None,
    may_fail: bool = False,
) -> str:
    keys = key_arguments(draft, write, rec, item=rec.many)
    return draft.call(
        visit, rec.service, write.tool, distinct([*keys, *filled.finish(draft)]),
        foreach=_foreach(rec), write=True, when=when, may_fail=may_fail,
    )  # fmt: skip


def _foreach(rec: Rec) -> Expr | None:
    if not rec.many:
        return None
    return All(step=rec.step, items=rec.lookup.items, where=rec.where, path=())


def _key(draft: Draft, rec: Rec) -> Expr:
    if rec.many:
        return Item(path=tuple(rec.lookup.reveals["id"]))
    return draft.expr(rec, "id")
