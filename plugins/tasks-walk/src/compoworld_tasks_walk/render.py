"""Render: a script as the message that a colleague would write to an assistant."""

from __future__ import annotations

from functools import partial
from random import Random

from attrs import evolve

from compoworld_core.records import Span
from compoworld_tasks_walk import purposes
from compoworld_tasks_walk.clauses import Clauses, needed
from compoworld_tasks_walk.mentions import Unsayable
from compoworld_tasks_walk.phrases import Speaker
from compoworld_tasks_walk.registers import Arrangement
from compoworld_tasks_walk.script import Action, Attempt, Drop, Either, Said, Script, records_of
from compoworld_tasks_walk.tones import Register

DEEPEST = 2
"""Descriptions that may stand in one another in one sentence."""
WIDEST = 2
"""New descriptions in one sentence."""


def render(script: Script, register: Register, rng: Random) -> tuple[str, tuple[Span, ...]]:
    """The instruction and its spans; Unsayable where no honest text exists.

    The same script, register and random state give the same text.
    """
    speaker = Speaker(script, rng)
    clauses = Clauses(speaker)
    arrangement = Arrangement(register, speaker.writer, rng, script.staff.values())
    arrangement.open(script.topic, speaker.customer)
    for index, action in enumerate(script.actions):
        matter = not any(key in speaker.seen for key in touched(script, action))
        opened = False
        for key in _to_introduce(speaker, action):
            arrangement.begin(action=not opened, matter=matter)
            opened = True
            asked = purposes.questions(script, key, speaker.seen)
            speaker.turn()
            said = arrangement.introduction(matter=matter, questions=asked)
            speaker.fill(said, partial(speaker.mention, key))
            speaker.subject = key
            arrangement.stop()
        arrangement.begin(action=not opened, matter=matter)
        reasons = purposes.reasons(script, action)
        if isinstance(action, Attempt):
            speaker.aside, reasons = arrangement.since(reasons), ()
        arrangement.lead(
            last=0 < index == len(script.actions) - 1,
            matter=matter and not opened,
            aims=_aims(script, index),
            reasons=reasons,
            conditional=isinstance(action, Either | Attempt),
        )
        speaker.turn()
        clauses.write(action)
        arrangement.stop()
    arrangement.close()
    for key, record in script.records.items():
        if key not in speaker.seen:
            raise Unsayable(f"nothing in the text needs the {record.noun}")
    spans = sorted(speaker.writer.spans, key=lambda span: (span.start, -span.end, span.noun))
    return speaker.writer.text, tuple(spans)


def _aims(script: Script, index: int) -> tuple[str, ...]:
    """What an action is for; an attempt to tell something, what it is told for."""
    action = script.actions[index]
    if isinstance(action, Attempt) and not isinstance(action.first, Drop):
        actions = (*script.actions[:index], action.first, *script.actions[index + 1 :])
        return purposes.aims(evolve(script, actions=actions), action.first)
    return purposes.aims(script, action)


def touched(script: Script, action: Action) -> set[str]:
    """All records of which the action speaks, those in their descriptions too."""
    found: set[str] = set()
    wanted = list(needed(action))
    while wanted:
        key = wanted.pop()
        if key in found or key not in script.records:
            continue
        found.add(key)
        wanted += [r for trait in script.records[key].traits for r in records_of(trait.value)]
    return found


def _to_introduce(speaker: Speaker, action: Action) -> list[str]:
    """Records that need a sentence of their own before the action, the first one first."""
    found: list[str] = []
    wanted = list(dict.fromkeys(needed(action)))
    while True:
        costs = {key: _cost(speaker, key, found) for key in wanted}
        width = sum(costs.values())
        deepest = max(costs, key=lambda key: costs[key], default="")
        if not deepest or (costs[deepest] <= DEEPEST and width <= WIDEST):
            return found
        found.append(_innermost(speaker, deepest, found))


def _cost(speaker: Speaker, key: str, introduced: list[str]) -> int:
    traits = speaker.record(key).traits
    if key in introduced or key in speaker.seen or not traits:
        return 0
    if len(traits) == 1 and isinstance(traits[0].value, Said):
        return 1 if speaker.record(key).many else 0  # "the team Data" is said in passing
    return 1 + max((_cost(speaker, k, introduced) for k in speaker.needs(key)), default=0)


def _innermost(speaker: Speaker, key: str, introduced: list[str]) -> str:
    """The record in the chain whose description is short enough for a sentence."""
    while _cost(speaker, key, introduced) > DEEPEST:
        key = max(speaker.needs(key), key=lambda k: _cost(speaker, k, introduced))
    return key


__all__ = ["Register", "Unsayable", "render"]
