"""Create: a new record takes the carried fact; its id goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from compoworld_core.expressions import Out
from compoworld_tasks_walk import motives, stories, topics
from compoworld_tasks_walk.affordances import Write, thaw
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.filling import (
    Filled,
    fill_rest,
    fillable,
    made,
    put_fact,
    put_said,
)
from compoworld_tasks_walk.hero import confusable
from compoworld_tasks_walk.known import Counter, Known, Rec
from compoworld_tasks_walk.patterns.finding import linked, linking
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import worth
from compoworld_tasks_walk.patterns.summing import besides
from compoworld_tasks_walk.script import Make, NewId, Timed
from compoworld_tasks_walk.sinks import fitting, news, places
from compoworld_tasks_walk.times import ending
from compoworld_tasks_walk.words import split

AGAIN: Final = 0.12
"""How much less a second new record of a kind is wanted."""


DRAFTED: Final = 0.03
"""How much less a message is only drafted: nobody learns anything from it."""
TWICE: Final = 0.03
"""How much less somebody is written to who was written to already."""
CLOSING: Final = 12.0
"""How much more a message is wanted at the end, where it sums up what was done."""
UNASKED: Final = ("customer ", "scheduled ")
"""Begins of nouns: only customers make their requests, and what is sent later says nothing."""


class Create:
    """The only pattern whose record did not exist before."""

    name = "create"
    writes = True
    weight = 0.4
    ahead = False
    once = False
    share = 1.0
    probes = ("edges-carry", "criteria-needed")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each tool of this service that creates a record and takes the fact."""
        service = draft.walk[visit]
        for write, open_ in fitting(draft, service, fact, self.name):
            if write.op != "create" or not fillable(draft, write):
                continue
            if draft.noun(service, write.table).startswith(UNASKED) or _in_code(draft, write):
                continue

            def apply(write: Write = write) -> None:
                self._write(draft, visit, fact, write)

            kind = draft.catalogue.archetype(service, write.table)
            made = sum(
                goal.kind == "create"
                and draft.catalogue.archetype(goal.service, goal.table) == kind
                for goal in draft.goals
            )
            if made and kind == "work":
                continue
            if kind == "comment" and write.parent is not None:
                continue  # the pattern "copy" puts it where it belongs
            natural = AGAIN**made * worth(draft, fact, service, write.table, self.name)
            rare = 0.3 if fact.source == "id" else 1.0
            if "draft" in split(write.tool).split():
                if not draft.lenient:
                    continue  # nobody learns anything from what is only drafted
                rare *= DRAFTED
            if kind == "message" and _written(draft, fact, write):
                if not draft.lenient:
                    continue  # what there is to say to somebody is said in one message
                rare *= TWICE
            elif kind == "message" and visit + 1 == len(draft.walk):
                rare *= CLOSING
            natural *= rare * max(place.worth for place in open_)
            closed = confusable(draft.catalogue, service, write.table, write.tool)
            yield Option(natural, apply, closes=write.table if closed else "")

    def _write(self, draft: Draft, visit: int, fact: Known, write: Write) -> None:
        filled = Filled(write)
        open_ = places(draft, write, fact, self.name)
        place = draft.rng.choices(open_, [each.worth for each in open_])[0]
        draft.carry(fact, visit)
        more = besides(draft, visit, fact, write)
        put_fact(draft, filled, place.name, fact, place.how, more)
        draft.asked, draft.inward = _asked(draft, fact), not news(draft, fact)
        until(draft, filled, fact)
        message = draft.catalogue.archetype(write.service, write.table) == "message"
        if message and draft.inward:
            draft.asked = _about(fact, more)
        theirs = [] if message and draft.inward else _theirs(draft, visit, write)
        filled.places += [(name, rec.id) for name, rec in theirs]
        fill_rest(draft, visit, filled, [rec for _, rec in theirs])
        if not filled.said:
            self._name(draft, filled)
        step = draft.call(visit, write.service, write.tool, filled.finish(draft), write=True)
        noun = draft.noun(write.service, write.table)
        text = f"A new {noun} exists: {', '.join(filled.told)}."
        action = made(draft, visit, filled, step, text)
        draft.actions.append(action)
        if write.id_path is not None and opaque(draft, write):
            draft.known.append(
                Known(
                    write.service, write.table, "id", "id",
                    Out(step=step, path=tuple(write.id_path)), None, None, visit,
                    NewId(action.goal),
                    Counter(
                        write.service, (), f"ids of {write.service} go on by one", ids=True
                    ),
                    source="id", record=action.goal,
                )
            )  # fmt: skip

    def _name(self, draft: Draft, filled: Filled) -> None:
        """A record without a word of its own cannot be told from another: give it a title."""
        profile = draft.profile(filled.write.service, filled.write.table)
        archetype = draft.catalogue.archetype(profile.service, profile.name)
        for name in filled.write.sinks:
            column = profile.fields.get(name)
            if column and column.fact.kind == "title" and name not in filled.filled:
                put_said(filled, name, draft.title(archetype), "title")
                return
        if not filled.takes and not filled.states:
            raise Barren(f"a new {profile.name} would have nothing to tell it by")


def _written(draft: Draft, fact: Known, write: Write) -> bool:
    """Was one written already? One to a colleague and one to the customer will do."""
    outward = news(draft, fact)
    for action in draft.actions:
        if not isinstance(action, Make) or action.parent:
            continue
        made = draft.mentioned[action.record]
        if (made.service, made.archetype) == (write.service, "message"):
            to = {said.value for _, said in action.said if said.kind == "email"}
            theirs = draft.hero is not None and draft.hero.person.email in to
            if not to or theirs == outward:
                return True
    return False


def _in_code(draft: Draft, write: Write) -> bool:
    """Would the record be kept with code? What is done for a customer is not."""
    fields = draft.profile(write.service, write.table).fields
    refs = [fields[name].fact.ref for name in write.required if name in fields]
    return any(
        ref and draft.catalogue.archetype(write.service, ref) == "repository" for ref in refs
    )


def _asked(draft: Draft, fact: Known) -> tuple[str, ...]:
    """What somebody is asked to do because of a fact: forms of titles."""
    matter = stories.matter(draft.story, motives.matter_of(fact.value))
    if matter is None:
        return topics.DONE.get(fact.settled, ())
    title = (isinstance(fact.value, Timed) and matter.meet) or matter.ask
    return (title,) if title else ()


def _about(fact: Known, more: Sequence[Known]) -> tuple[str, ...]:
    """What a mail to a colleague is called: the matters that it tells."""
    told = [motives.matter_of(each.value) for each in (fact, *more)]
    return (f"{{own}}: {' and '.join(told)}",) if all(told) and len(told) < 3 else ()


def until(draft: Draft, filled: Filled, fact: Known) -> None:
    """What begins at an hour of a carried day ends an hour later."""
    if not isinstance(fact.value, Timed):
        return
    fields = draft.profile(filled.write.service, filled.write.table).fields
    for name in filled.write.required:
        if (
            name not in filled.filled
            and name in fields
            and fields[name].fact.kind == "datetime"
        ):
            put_fact(draft, filled, name, ending(fact), "typed")


def _theirs(draft: Draft, visit: int, write: Write) -> list[tuple[str, Rec]]:
    """The hero's records that a new one has to refer to: their channel, their payment."""
    fields = draft.profile(write.service, write.table).fields
    found = []
    for name in write.required:
        table = fields[name].fact.ref if name in fields else ""
        if table and linking(draft, visit, table):
            like = {
                n.partition(".")[2]: tuple(map(thaw, values))
                for n, values in write.pre.items()
                if n.startswith(f"{name}.")
            }
            found.append((name, linked(draft, visit, table, like)))
    return found


def opaque(draft: Draft, write: Write) -> bool:
    """Can the new id be had only from the answer? Names and public numbers can be foreseen."""
    profile = draft.profile(write.service, write.table)
    ids = [row.id for row in profile.rows]
    if len(ids) < 3 or "id" in write.sinks:
        return False
    if all(isinstance(known, int) for known in ids):
        return bool(max(ids) - min(ids) > 1000 * len(ids))
    texts = [str(known) for known in ids]
    return len(set(map(len, texts))) <= 2 and all(any(c.isdigit() for c in t) for t in texts)
