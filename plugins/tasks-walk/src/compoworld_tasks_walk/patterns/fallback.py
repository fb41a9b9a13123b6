"""Fallback: a change that a record's state refuses forces a second way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import evolve

from compoworld_core.expressions import Out
from compoworld_core.patch import Operation, Patch
from compoworld_core.plan import When
from compoworld_core.proof.probes.edges import DECISION
from compoworld_core.records import World as OtherWorld
from compoworld_tasks_walk import motives, stories, topics
from compoworld_tasks_walk.affordances import Write, thaw
from compoworld_tasks_walk.arguments import distinct
from compoworld_tasks_walk.catalogue import Barren, FieldProfile, TableProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.filling import Filled, key_arguments, put_said
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.patterns.finding import by_fact
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import facts_of, worth
from compoworld_tasks_walk.patterns.ties import targets
from compoworld_tasks_walk.patterns.writing import (
    changed,
    changes_alone,
    deed,
    dropped,
    telling,
    turns,
    updates,
    written,
)
from compoworld_tasks_walk.script import Attempt, Change

TOO_LATE: Final = {
    "refunded": "The refund did not go through. I will call {own} about it.",
    "cancelled": "It could not be cancelled any more. I will call {own} about it.",
    "voided": "It could not be voided any more. I will call {own} about it.",
    "sent": "It could not be fulfilled. I will call {own} about it.",
    "paid": "The payment could not be booked. I will call {own} about it.",
    "billed": "It could not be sent out. I will call {own} about it.",
}
"""Deed → what is noted where it is refused."""


class Fallback:
    """ "Cancel their order; if that is not possible any more, set its priority to high".

    The record is in a state that refuses; in the other world it is not, and the first way is
    the right one. So neither way can be taken without trying.
    """

    name = "fallback"
    writes = True
    weight = 4.0
    ahead = False
    once = True
    share = 0.2
    probes = ("edges-carry", "criteria-needed", "tolerant-and-strict")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each record that the key finds, with a tool that some states refuse and another."""
        for profile, column in targets(draft, draft.walk[visit], fact):
            for first in updates(draft, profile.service, profile.name):
                if not (_refusing(profile, first) and _tried(first)):
                    continue
                for second in draft.catalogue.writes(profile.service):
                    if not _instead(draft, first, second):
                        continue

                    def apply(
                        profile: TableProfile = profile, column: FieldProfile = column,
                        first: Write = first, second: Write = second,
                    ) -> None:  # fmt: skip
                        self._try(draft, visit, fact, (profile, column), first, second)

                    natural = worth(draft, fact, profile.service, profile.name, self.name)
                    yield Option(natural * deed(draft, first), apply)

    def _try(
        self,
        draft: Draft,
        visit: int,
        fact: Known,
        place: tuple[TableProfile, FieldProfile],
        first: Write,
        second: Write,
    ) -> None:
        profile, column = place
        state, allowed, refused = draft.rng.choice(_refusing(profile, first))
        like = {name: tuple(map(thaw, values)) for name, values in second.pre.items()}
        if state in like:
            refused = [value for value in refused if value in like[state]]
        if not refused:
            raise Barren("the second way is refused as well")
        like[state] = tuple(refused)
        if fact.names is not None:  # its rows are planted when it is looked for
            value = draft.rng.choice(refused)
            for planted in fact.names.rows:
                planted.row[state] = value
        rec = by_fact(draft, visit, fact, profile, column, like)
        effects = telling(draft, rec, first)
        draft.carry(fact, visit)
        attempt = draft.call(
            visit, rec.service, first.tool,
            distinct([*key_arguments(draft, first, rec), *Filled(first).finish(draft)]),
            write=True, may_fail=True,
        )  # fmt: skip
        if not draft.trial.failed(attempt):
            raise Barren(f"{first.tool} is not refused in that state")
        drop = dropped(draft, visit, rec, first, attempt, effects)
        tried = _tried(first)
        instead = self._second(draft, visit, rec, second, attempt, state, tried)
        draft.actions.append(Attempt(drop, instead))
        value = draft.rng.choice(allowed)
        allows = Operation(op="update", table=rec.table, id=rec.hero["id"], row={state: value})
        _differs(draft, rec, allows, effects, instead, attempt)
        draft.worlds.append(
            OtherWorld(
                edge=DECISION, service=rec.service, patch=Patch(operations=[allows]),
                says=f"{rec.table} {rec.hero['id']}: {state} is {value!r}, which allows it",
            )
        )  # fmt: skip
        draft.known += [evolve(one, settled="") for one in facts_of(draft, rec, visit)]

    @staticmethod
    def _second(
        draft: Draft,
        visit: int,
        rec: Rec,
        write: Write,
        attempt: str,
        state: str,
        tried: str,
    ) -> Change:
        spent = {state, *written(draft, rec)}
        open_ = [pair for pair in turns(draft, rec, write) if pair[0] not in spent]
        texts = [name for name in _texts(draft, write) if name not in spent]
        filled = Filled(write)
        if open_:
            name, values = draft.rng.choice(open_)
            put_said(filled, name, draft.rng.choice(values), "status")
        elif texts:
            name = draft.rng.choice(texts)
            own = topics.parts(draft.topic)[0] or "them"
            put_said(filled, name, TOO_LATE[tried].format(own=own), "text")
        else:
            raise Barren(f"{write.tool} has nothing to change instead")
        when = When(test="fails", left=Out(step=attempt))
        noun = draft.noun(rec.service, rec.table)
        text = f"The {noun} could not be changed, so {', '.join(filled.told)}."
        return changed(draft, visit, rec, filled, name, filled.said[0][1], text, when)


def _differs(
    draft: Draft,
    rec: Rec,
    allows: Operation,
    effects: Mapping[str, Any],
    instead: Change,
    attempt: str,
) -> None:
    """Barren unless the other state allows the first way, and the second then shows.

    Who does both, whatever came of the first, would otherwise be right in either world.
    """
    before = {name: value for name, value in {**rec.hero, **allows.row}.items() if name != "id"}
    start = allows.model_copy(update={"row": before})
    first, both = (
        draft.trial.after(rec.service, start, steps).model_dump(mode="json")
        for steps in ((attempt,), (attempt, draft.steps[-1].id))
    )
    if any(first[name] != value for name, value in effects.items()):
        raise Barren("the first way is refused in the other state as well")
    if first[instead.field] == both[instead.field]:
        raise Barren("nothing would show that both ways were taken")


def _tried(write: Write) -> str:
    """What a write would do to the record: "refunded"; empty where no note says so."""
    done = (motives.DEEDS.get(word) for word in stories.words_of(write.tool, write.effects))
    return next((word for word in done if word in TOO_LATE), "")


def _instead(draft: Draft, first: Write, second: Write) -> bool:
    """Can the second write be made to the record that refuses the first one?"""
    if (second.op, second.table) != ("update", first.table) or second.tool == first.tool:
        return False
    if second.effects or not second.by:
        return False
    return bool(_texts(draft, second)) or changes_alone(draft, second)


def _texts(draft: Draft, write: Write) -> list[str]:
    """The text fields that a write can set to what the instruction says, and nothing else."""
    fields = draft.profile(write.service, write.table).fields
    return [
        name
        for name, into in write.sinks.items()
        if name in fields and fields[name].fact.kind == "text" and fields[name].prose
        if into.slot.json_type == "string" and not set(write.required) - {name}
    ]


def _refusing(profile: TableProfile, write: Write) -> list[tuple[str, list[Any], list[Any]]]:
    """(field, values that allow the write, values that refuse it), for a fixed effect."""
    found = []
    if not write.effects or write.required:
        return []
    for name, values in write.pre.items():
        column = profile.fields.get(name)
        if column is None or not column.fact.enum:
            continue
        allowed = [thaw(value) for value in values]
        refused = [v for v in dict.fromkeys(column.values) if v not in allowed]
        done = write.effects.get(name)
        refused = [v for v in refused if v != thaw(done)] if done is not None else refused
        if allowed and refused:
            found.append((name, allowed, refused))
    return found
