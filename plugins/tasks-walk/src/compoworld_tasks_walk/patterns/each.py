"""For each: all records that share a carried key and pass a filter are changed."""

from __future__ import annotations

from collections.abc import Iterator

from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.patterns.pattern import Option, worth
from compoworld_tasks_walk.patterns.sets import SetKey, select_set, set_keys
from compoworld_tasks_walk.patterns.writing import change_alone, deed, like_of, suits, updates


class Each:
    """One write per record of the set; the set's other facts do not go on."""

    name = "each"
    writes = True
    weight = 2.5
    probes = ("edges-carry", "unambiguous")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each table that the key finds several rows of, with each tool that changes them."""
        for key in set_keys(draft, visit, fact):
            for write in updates(draft, key.profile.service, key.profile.name):

                def apply(write: Write = write, key: SetKey = key) -> None:
                    rec = select_set(draft, visit, fact, key, like_of(draft, write))
                    if not suits(draft, rec, write):
                        raise Barren(f"{write.tool} does not work on such records")
                    draft.carry(fact, visit)
                    change_alone(draft, visit, rec, write)

                natural = worth(draft, fact, key.profile.service, key.profile.name, self.name)
                yield Option(natural * deed(draft, write), apply)
