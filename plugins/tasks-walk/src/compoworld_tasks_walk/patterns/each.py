"""For each: all records that share a carried key and pass a filter are changed."""

from __future__ import annotations

from collections.abc import Iterator

from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.catalogue import FieldProfile, TableProfile
from compoworld_tasks_walk.draft import Draft, Known
from compoworld_tasks_walk.patterns.pattern import Option, targets
from compoworld_tasks_walk.patterns.sets import select_set
from compoworld_tasks_walk.patterns.writing import effect, like_of, suits, turn, updates
from compoworld_tasks_walk.planting import Barren


class Each:
    """One write per record of the set; the set's other facts do not go on."""

    name = "each"
    writes = True

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each table that the key finds several rows of, with each tool that changes them."""
        for profile, column in targets(draft, visit, fact):
            if column.fact.distinct:
                continue
            for write in updates(draft, profile.service, profile.name):

                def apply(
                    write: Write = write,
                    profile: TableProfile = profile,
                    column: FieldProfile = column,
                ) -> None:
                    rec, _, _ = select_set(
                        draft, visit, fact, profile, column, like_of(draft, write)
                    )
                    if not suits(draft, rec, write):
                        raise Barren(f"{write.tool} does not work on such records")
                    draft.carry(fact, visit)
                    if write.required or not write.effects:
                        turn(draft, visit, rec, write)
                    else:
                        effect(draft, visit, rec, write)

                yield Option(1.5, 1.8, apply)
