"""Clauses: what a colleague writes for each action, as a verb phrase in the imperative."""

from __future__ import annotations

import re
from typing import Any, Final

from compoworld_core.plan import Fact
from compoworld_tasks_walk import lexicon, verbs, words
from compoworld_tasks_walk.choices import Choices
from compoworld_tasks_walk.making import Making
from compoworld_tasks_walk.phrases import Speaker
from compoworld_tasks_walk.script import (
    Action,
    Attempt,
    Change,
    Drop,
    Either,
    FactOf,
    Make,
    Said,
    Tell,
    Value,
    records_of,
    simple,
)

_HOLES: Final = re.compile(r"(<[^>]+>|\{r\}|\{v\}|\[[^]]+\])")
"""In a template: `<due date>` is "the due date of the record" or "its due date", `{r}` the
record, `{v}` the value, `[close]` a word that says the value itself."""

_MARKED: Final = re.compile(r"^mark \{r\} as (.+)$")


_STATES = ("status", "state")


def needed(action: Action) -> list[str]:
    """Records that the action's clause names, in the order in which it names them."""
    if isinstance(action, Tell):
        return records_of(action.value)
    if isinstance(action, Either | Attempt):
        tested = records_of(action.test.value) if isinstance(action, Either) else []
        return [*tested, *(key for part in simple(action) for key in needed(part))]
    if isinstance(action, Change):
        return [action.record, *records_of(action.value)]
    if isinstance(action, Drop):
        return [action.record]
    found = [action.parent] if action.parent else []
    found += [record for _, record in action.places]
    for _, value in action.takes:
        found += records_of(value)
    for _, values in action.states:
        for value in values:
            found += records_of(value)
    return found


class Clauses:
    """Writes actions through a speaker."""

    def __init__(self, speaker: Speaker) -> None:
        self.speaker = speaker
        self.making = Making(speaker)
        self.choices = Choices(speaker, self.write)

    def write(self, action: Action) -> None:
        """The action as a verb phrase."""
        if isinstance(action, Either):
            self.choices.either(action)
        elif isinstance(action, Attempt):
            self.choices.attempt(action)
        elif isinstance(action, Tell):
            self.choices.tell(action)
        elif isinstance(action, Make):
            self.making.write(action)
        elif isinstance(action, Change):
            self._put(self._changing(action), action.record, action.field, action.value)
            self.speaker.changed.add((action.record, action.field))
        else:
            for template, name, value in self._dropping(action):
                self._put(template, action.record, name, value)
            self.speaker.changed |= {(action.record, name) for name, _ in action.effect}

    def _put(self, template: str, key: str, field: str, value: Value | None) -> None:
        speaker, writer = self.speaker, self.speaker.writer
        many = speaker.record(key).many
        fresh = key not in speaker.seen
        owned, last = "<" in template, template.endswith("{r}")
        may = owned and not speaker.direct
        ahead = fresh and (speaker.cost(key) > 3 or (may and speaker.rng.random() < 0.1))
        ahead = ahead and not speaker.direct
        each = many and ((ahead and not last) or owned)
        if each:
            writer.word("go through")
            speaker.mention(key)
            writer.word("and")
        elif ahead and not many:
            ways = ("find", "look up", "take")
            person = words.is_person(speaker.words.nouns[key])
            writer.word(speaker.rng.choice(ways[:2] if person else ways))
            speaker.mention(key)
            writer.word("and")
        if each or ahead:
            speaker.subject = key
        elif fresh and speaker.cost(key) > 1:  # "as paid" would be far from "mark"
            template = _MARKED.sub(r"mark as \1 {r}", template)
        for part in _HOLES.split(template):
            if part == "{v}" and owned and self._same(key, field, value):
                self._that_of(value)
            elif part == "{v}" and value is not None:
                speaker.value(value, field=field)
            elif part == "{r}" and each:
                writer.word("each")
            elif part == "{r}":
                writer.word("each of" if many else "")
                speaker.mention(key, pronoun=True)
            elif part.startswith("<"):
                self._owned(key, part[1:-1], each)
            elif part.startswith("[") and isinstance(value, Said):
                fact = Fact(kind=value.kind, value=value.value)
                with writer.span("literal", str(value.value), fact=fact):
                    writer.word(part[1:-1])
            else:
                self._plain(part)
        speaker.subject = key

    def _same(self, key: str, field: str, value: Value | None) -> bool:
        """Does the value come from a field that is called the same?"""
        if not isinstance(value, FactOf) or value.kind in ("title", "id"):
            return False
        speaker = self.speaker
        named = speaker.words.label(speaker.record(key), field)
        return named == speaker.words.label(speaker.record(value.record), value.field)

    def _that_of(self, value: Value | None) -> None:
        """ "that of the contact at Acme": the same field of another record."""
        if isinstance(value, FactOf):
            self.speaker.writer.word("that of")
            self.speaker.mention(value.record)

    def _plain(self, part: str) -> None:
        """Words between the holes, with the marks that cling to what stands before them."""
        writer = self.speaker.writer
        mark = part[:1] if part.startswith((",", '"')) else ""
        if part.startswith('")'):
            mark = part
        said = part.removeprefix(mark).strip()
        writer.mark(mark)
        writer.word(said)
        if said.endswith('"'):
            writer.glue()

    def _owned(self, key: str, named: str, each: bool) -> None:
        """ "its due date" where that is clear, else "the due date of that invoice"."""
        speaker, writer = self.speaker, self.speaker.writer
        noun = speaker.words.noun(key)
        if each:
            writer.word(f"the {named} of each")
        elif key in speaker.seen and speaker.obvious(key):
            speaker.refer(key, noun, speaker.pronouns(key)[1])
            writer.word(named)
        else:
            writer.word(f"the {named} of")
            speaker.mention(key)

    # -- changes ---------------------------------------------------------------------------

    def _changing(self, change: Change) -> str:
        """The template of a change of one field."""
        value = change.value
        named = self.speaker.words.label(self.speaker.record(change.record), change.field)
        bare = words.bare(change.field)
        put = self.speaker.rng.choice(("set", "change"))
        if isinstance(value, Said) and value.kind == "boolean":
            flag = words.flag(change.field)
            known = flag in lexicon.FLAGS
            return "mark {r} as {v}" if known else f"turn the {flag} setting {{v}} for {{r}}"
        deed = verbs.drop_of(change.tool, self.speaker.record(change.record).noun)
        if deed and isinstance(value, Said):
            what = named.split()[-1]
            return f'{deed.replace("{}", "{r}")} ({what} "{{v}}")'
        if change.mode == "append":
            return f"add {{v}} to <{named}>"
        if change.mode == "add":
            tags = "tag" in named or "label" in named
            return "tag {r} with {v}" if tags else f"add {{v}} to <{named}>"
        if isinstance(value, Said) and value.kind == "status":
            return self._turning(change.record, bare, named, value, put)
        if bare in lexicon.NAMES and isinstance(value, Said):
            return "rename {r} to {v}"
        if bare.startswith("assign") and bare in lexicon.ROLES:
            return "assign {r} to {v}"
        if bare in lexicon.TEXTS:
            # "set" and "replace" say that what stood there goes; a tool that appends adds
            ways = (f"set <{named}> to {{v}}", f"replace <{named}> with {{v}}")
            return self.speaker.rng.choice((*ways, f"change <{named}> to {{v}}"))
        return f"{put} <{named}> to {{v}}"

    def _turning(self, key: str, bare: str, named: str, value: Said, put: str) -> str:
        wanted = words.enum(value.value)
        if bare.endswith(_STATES):
            said = verbs.TURNS.get(wanted)
            if said and key in self.speaker.seen:
                verb, _, rest = said.partition(" {}")
                return f"[{verb}] {{r}}{rest}"
            if bare in ("status", "state"):
                return "mark {r} as {v}"
        if named.endswith("stage") and named != "stage":
            return f"move {{r}} to {named} {{v}}"
        if named == "stage":
            return "move {r} to stage {v}"
        return f"{put} <{named}> to {{v}}"

    # -- fixed effects ---------------------------------------------------------------------

    def _dropping(self, drop: Drop) -> list[tuple[str, str, Value | None]]:
        """Templates of a tool that does one thing."""
        verb = verbs.drop_of(drop.tool, self.speaker.record(drop.record).noun)
        if verb:
            return [(verb.replace("{}", "{r}"), "", None)]
        if not drop.effect:
            return [("delete {r}", "", None)]
        found: list[tuple[str, str, Value | None]] = []
        for name, value in drop.effect:
            found.append((self._effect(drop.record, name, value, bool(found)), "", None))
        return found

    def _effect(self, key: str, name: str, value: Any, later: bool) -> str:
        start = "and " if later else ""
        if isinstance(value, bool):
            said, flag = words.boolean(name, value), words.flag(name)
            known = flag in lexicon.FLAGS
            turn = (
                f"mark {{r}} as {said}"
                if known
                else f"turn the {flag} setting {said} for {{r}}"
            )
            return start + turn
        said = words.enum(value)
        named = self.speaker.words.label(self.speaker.record(key), name)
        bare = words.bare(name)
        if bare.endswith(_STATES):
            return start + verbs.TURNS.get(said, f"mark {{}} as {said}").replace("{}", "{r}")
        return f"{start}set <{named}> to {said}"
