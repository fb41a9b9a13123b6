"""Purpose: what it takes for the topic to be done, told by the first and the last action."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from compoworld_tasks_walk import lexicon, verbs, words
from compoworld_tasks_walk.script import Action, Change, Drop, Make, Said
from compoworld_tasks_walk.words import Words


class Purpose:
    """A script's purpose in general words: nothing in it names a record."""

    def __init__(self, known: Words, actions: Sequence[Action]) -> None:
        self._words = known
        self._actions = [*actions[:1], *actions[1:][-1:]]

    def done(self, rng: Random) -> str:
        """ "two invoices have been voided and an email has been sent"."""
        clauses = [self._clause(action, rng) for action in self._actions]
        return " and ".join(dict.fromkeys(clauses))

    @property
    def matters(self) -> str:
        """ "invoices and email"."""
        nouns = [self._noun(action) for action in self._actions]
        if len(nouns) > 1 and nouns[0] == nouns[1]:
            nouns = [words.plural(self._words.nouns[self._actions[0].record])]
        return " and ".join(nouns)

    def _noun(self, action: Action) -> str:
        noun = self._words.noun(action.record)
        return f"new {noun}" if isinstance(action, Make) else noun

    def _clause(self, action: Action, rng: Random) -> str:
        many = self._words.script.records[action.record].many
        noun = self._words.noun(action.record)
        somewhat = (
            f"some {noun} have been" if many else f"{words.article(noun)} {noun} has been"
        )
        return f"{somewhat} {self._deed(action, rng)}"

    def _deed(self, action: Action, rng: Random) -> str:
        if isinstance(action, Make):
            return verbs.done(verbs.maker(action.tool, self._words.nouns[action.record]))
        fixed = verbs.drop_of(action.tool)
        if isinstance(action, Drop):
            return verbs.done(fixed or self._turn(action) or "update {}")
        if fixed:
            return verbs.done(fixed)
        return self._changed(action, rng)

    @staticmethod
    def _turn(drop: Drop) -> str:
        if not drop.effect:
            return "delete {}"
        name, value = drop.effect[0]
        if isinstance(value, bool):
            known = words.flag(name) in lexicon.FLAGS
            return f"mark {{}} as {words.boolean(name, value)}" if known else ""
        return verbs.TURNS.get(words.enum(value), "")

    @staticmethod
    def _changed(change: Change, rng: Random) -> str:
        bare = words.bare(change.field)
        if bare.startswith("assign"):
            return "assigned"
        if isinstance(change.value, Said) and bare in ("stage", "dealstage"):
            return "moved on"
        if bare in lexicon.TEXTS or change.mode == "append":
            return rng.choice(("completed", "updated", "brought up to date"))
        return rng.choice(("updated", "brought up to date"))
