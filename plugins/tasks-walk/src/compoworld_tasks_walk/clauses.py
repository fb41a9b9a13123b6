"""Clauses: what a colleague writes for each action, as a verb phrase in the imperative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from compoworld_tasks_walk import lexicon, words
from compoworld_tasks_walk.phrases import Speaker, Unsayable
from compoworld_tasks_walk.script import (
    Action,
    Change,
    Drop,
    FactOf,
    Figure,
    Make,
    Mentioned,
    NewId,
    Said,
    Value,
)

_STATUS = frozenset({"status", "state", "ticket_status"})
_STAGES = ("stage", "lifecyclestage")
_NAMES = frozenset({"title", "name", "subject", "dealname", "summary"})
_INSIDE = frozenset(
    "channel page database source folder list project board workspace calendar drive section"
    " document thread".split()
)
"""Things that records are put into."""
_REMARKS = frozenset("comment note reply".split())


def needed(action: Action) -> list[str]:
    """Records that the action's clause names, in the order in which it names them."""
    if isinstance(action, Change):
        return [action.record, *_of_value(action.value)]
    if isinstance(action, Drop):
        return [action.record]
    found = [action.parent] if action.parent else []
    found += [record for _, record in action.places]
    for _, value in action.takes:
        found += _of_value(value)
    for _, values in action.states:
        for value in values:
            found += _of_value(value)
    return found


def _of_value(value: Value) -> list[str]:
    return [value.record] if isinstance(value, FactOf | Figure | NewId) else []


class Clauses:
    """Writes actions through a speaker."""

    def __init__(self, speaker: Speaker) -> None:
        self.speaker = speaker
        self.writer = speaker.writer
        self.rng = speaker.rng

    def write(self, action: Action) -> None:
        """The action as a verb phrase."""
        if isinstance(action, Change):
            self._change(action)
            self.speaker.changed.add((action.record, action.field))
        elif isinstance(action, Drop):
            self._drop(action)
            self.speaker.changed |= {(action.record, name) for name, _ in action.effect}
        else:
            self._make(action)

    # -- changes ---------------------------------------------------------------------------

    def _change(self, change: Change) -> None:
        record = self.speaker.record(change.record)
        phrase, value = self._changing(record, change)
        self._on(change.record, phrase, value)

    def _on(self, key: str, phrase: str, value: Callable[[], None] | None) -> None:
        """A phrase with the record at {}; `[field of {}]` is "its field" after a long one."""
        speaker, writer = self.speaker, self.writer
        record = speaker.record(key)
        of = "of {}" in phrase
        fresh = key not in speaker.seen
        long = fresh and speaker.cost(key) > 1
        if record.many:
            self._on_each(key, phrase, of, long)
        elif long or (fresh and of and self.rng.random() < 0.5):
            writer.word(self.rng.choice(("find", "look up", "take")))
            speaker.mention(key)
            writer.word("and")
            self._pronounced(key, phrase, of)
        elif of and not fresh and speaker.writer.latest == key:
            self._pronounced(key, phrase, of)
        else:
            speaker.fill(phrase, lambda: speaker.mention(key, pronoun=True))
        if value:
            value()

    def _on_each(self, key: str, phrase: str, of: bool, long: bool) -> None:
        speaker, writer = self.speaker, self.writer
        if long or of:
            writer.word("for each of")
            speaker.mention(key)
            writer.mark(",")
            if of:
                speaker.fill(phrase.replace(" of {}", "", 1), _nothing)
                return
            noun = speaker.words.nouns[key]
            speaker.fill(phrase, lambda: writer.word(f"that {noun}"))
            return
        speaker.fill(phrase, lambda: self._each(key))

    def _each(self, key: str) -> None:
        self.writer.word("each of")
        self.speaker.mention(key, pronoun=True)

    def _pronounced(self, key: str, phrase: str, of: bool) -> None:
        """The phrase, with a pronoun for the record that was mentioned a moment ago."""
        speaker = self.speaker
        noun = speaker.words.noun(key)
        clear = speaker.writer.latest == key == speaker.writer.last.get(noun)
        if not (of and clear):
            speaker.fill(phrase, lambda: speaker.mention(key, pronoun=True))
            return
        before, _, after = phrase.partition("the ")
        named, _, rest = after.partition(" of {}")
        speaker.writer.word(before.strip())
        speaker.refer(key, noun, speaker.pronouns(key)[1])
        speaker.writer.word(f"{named}{rest}")

    def _changing(
        self, record: Mentioned, change: Change
    ) -> tuple[str, Callable[[], None] | None]:
        """The phrase of a change with {} for its record, and what writes the value after it."""
        name, value = change.field, change.value
        named = words.label(name)
        bare = name.lower().removeprefix("hs_")

        def tell() -> None:
            self.speaker.value(value, field=name)

        if isinstance(value, Said) and value.kind == "boolean":
            return "mark {} as", tell
        if change.mode == "append":
            return self._appending(value, named), tell if isinstance(value, Said) else None
        if change.mode == "add":
            if "tag" in named or "label" in named:
                return "tag {} with", tell
            return f"add to the {named} of {{}}", tell
        if isinstance(value, Said) and value.kind == "status":
            return self._turning(record, bare, named, value, tell)
        if isinstance(value, Said) and bare in _NAMES:
            return "rename {} to", tell
        if bare in ("assignee", "assignee_email", "assigned_to", "assignee_id"):
            return "assign {} to", tell
        if bare in ("owner", "owner_email"):
            return "hand {} over to", tell
        if isinstance(value, Said):
            return f"{self.rng.choice(('set', 'change'))} the {named} of {{}} to", tell
        if change_is_text(record, change):
            return f"put into the {named} of {{}}", tell
        return f"set the {named} of {{}} to", tell

    def _appending(self, value: Value, named: str) -> str:
        return f"add to the {named} of {{}}"

    def _turning(
        self, record: Mentioned, bare: str, named: str, value: Said, tell: Callable[[], None]
    ) -> tuple[str, Callable[[], None] | None]:
        wanted = words.enum(value.value)
        if bare in _STATUS:
            if wanted in lexicon.TURNS and not record.many and record.id in self.speaker.seen:
                return self._said_verb(lexicon.TURNS[wanted], value), None
            return "mark {} as", tell
        if bare.endswith(_STAGES):
            return f"move {{}} to {named if named != 'stage' else 'the stage'}", tell
        return f"{self.rng.choice(('set', 'change'))} the {named} of {{}} to", tell

    def _said_verb(self, phrase: str, value: Said) -> str:
        """A verb that says the status itself."""
        self._verb = value
        return phrase
