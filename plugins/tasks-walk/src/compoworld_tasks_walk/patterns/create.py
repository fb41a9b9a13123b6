"""Create: a new record takes the carried fact; its id goes on."""

from __future__ import annotations

from collections.abc import Iterator

from compoworld_core.expressions import Out
from compoworld_core.plan import Goal
from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.filling import (
    Filled,
    fill_rest,
    fillable,
    put_fact,
    put_said,
)
from compoworld_tasks_walk.known import Counter, Known
from compoworld_tasks_walk.patterns.pattern import Option, worth
from compoworld_tasks_walk.script import Make, NewId
from compoworld_tasks_walk.sinks import places


class Create:
    """The only pattern whose record did not exist before."""

    name = "create"
    writes = True
    weight = 0.5
    probes = ("edges-carry", "criteria-needed")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each tool of this service that creates a record and takes the fact."""
        service = draft.walk[visit]
        for write in draft.catalogue.writes(service):
            if write.op != "create":
                continue
            fitting = places(draft, write, fact, self.name)
            if not fitting or not fillable(draft, write):
                continue

            def apply(write: Write = write) -> None:
                self._write(draft, visit, fact, write)

            natural = worth(draft, fact, service, write.table, self.name)
            rare = 0.3 if fact.source == "id" else 1.0
            yield Option(rare * natural * max(place.worth for place in fitting), apply)

    def _write(self, draft: Draft, visit: int, fact: Known, write: Write) -> None:
        filled = Filled(write)
        fitting = places(draft, write, fact, self.name)
        place = draft.rng.choices(fitting, [each.worth for each in fitting])[0]
        draft.carry(fact, visit)
        put_fact(draft, filled, place.name, fact, place.how)
        fill_rest(draft, visit, filled)
        if not filled.said:
            self._name(draft, filled)
        step = draft.call(visit, write.service, write.tool, filled.finish(draft), write=True)
        goal = draft.next_goal()
        noun = draft.noun(write.service, write.table)
        draft.goals.append(
            Goal(
                id=goal, step=step, kind="create", service=write.service, table=write.table,
                text=f"A new {noun} exists: {', '.join(filled.told)}.",
                new_id=None if write.id_path is None else tuple(write.id_path),
                expects=tuple(filled.expects),
            )
        )  # fmt: skip
        draft.actions.append(
            Make(
                goal, visit, write.tool, goal, tuple(filled.said), tuple(filled.states),
                tuple(filled.takes), tuple(filled.places),
            )
        )  # fmt: skip
        draft.mention_new(goal, write.service, write.table)
        if write.id_path is not None and opaque(draft, write):
            draft.known.append(
                Known(
                    write.service, write.table, "id", "id",
                    Out(step=step, path=tuple(write.id_path)), None, None, visit, NewId(goal),
                    Counter(
                        write.service, (), f"ids of {write.service} go on by one", ids=True
                    ),
                    source="id", record=goal,
                )
            )  # fmt: skip

    def _name(self, draft: Draft, filled: Filled) -> None:
        """A record without a word of its own cannot be told from another: give it a title."""
        profile = draft.profile(filled.write.service, filled.write.table)
        for name in filled.write.sinks:
            column = profile.fields.get(name)
            if column and column.fact.kind == "title" and name not in filled.filled:
                put_said(filled, name, draft.title(), "title")
                return
        if not filled.takes and not filled.states:
            raise Barren(f"a new {profile.name} would have nothing to tell it by")


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
