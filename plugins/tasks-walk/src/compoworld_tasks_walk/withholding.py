"""Withholding: values of a finished plan become facts that the user tells when asked.

The value leaves the script, so the instruction says only that it is to be asked for; the plan
asks right before the write that needs it, and reads the value in the reply.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from random import Random
from typing import Any, Final

from attrs import evolve, frozen
from pydantic import BaseModel

from compoworld_core.expressions import Expr, Fn, Grep, Lit, Out
from compoworld_core.plan import Argument, Plan, Step
from compoworld_core.records import Span, UserFact, UserScript
from compoworld_core.types import Kind
from compoworld_core.user import ASK, USER, asked
from compoworld_tasks_walk import words
from compoworld_tasks_walk.parties import keys_of
from compoworld_tasks_walk.script import Make, Said, Script

MOST: Final = 2
"""Facts that a user holds back."""
_KINDS: Final = (
    "date", "datetime", "money", "cents", "quantity", "percent", "title", "text", "email",
)  # fmt: skip
"""Kinds that a person states in a sentence, and that a reader finds there for certain."""
_LABELS: Final = {
    "to": "recipient",
    "summary": "title",
    "email": "email address",
    "starts": "start",
    "ends": "end",
}
_ALIKE: Final = (
    ("due", "deadline"),
    ("start", "begin", "starting"),
    ("end", "finish", "until", "ending"),
    ("amount", "much"),
    ("quantity", "many"),
    ("title", "name", "subject", "heading", "called", "titled", "headline"),
    ("recipient", "send", "sent", "whom"),
    ("email", "mail"),
    ("body", "text", "content", "message", "description", "say", "wording"),
)
"""Words that ask for the same; none that questions about other things have too."""
_WEAK: Final = frozenset({"date", "time", "and", "of", "the", "day"})
"""Words of a label that need not be in a question, where it has others."""
_REQUESTS: Final = (
    "Ask me for {} when you get there.",
    "I still owe you {}: just ask me.",
    "For {}, check with me first.",
    "I have {} here, so ask me.",
)


@frozen
class Withheld:
    """A plan that asks, what the user knows, and how the instruction says so."""

    plan: Plan
    script: Script
    """Without what is held back."""
    user: UserScript
    records: tuple[tuple[str, str], ...]
    """(label, record) of each fact: ("due date", "c2")."""


@frozen
class _Held:
    """A literal of the plan that may be held back."""

    action: int
    record: str
    field: str
    said: Said
    label: str
    noun: str

    @property
    def question(self) -> str:
        return f"What {self.label} should the new {self.noun} have?"


def withhold(plan: Plan, script: Script, staff: Sequence[str], rng: Random) -> Withheld | None:
    """Hold back one fact or two; None where the plan has none that can be.

    Args:
        plan: the finished plan.
        script: what its instruction would say.
        staff: addresses of our own people, for the other world of an address.
        rng: draws which facts.
    """
    held = list(_candidates(script))
    rng.shuffle(held)
    chosen: list[tuple[_Held, UserFact]] = []
    for each in held:
        fact = _fact(each, staff, rng)
        if len(chosen) < rng.choice((1, MOST)) and _apart([*chosen, (each, fact)]):
            chosen.append((each, fact))
    if not chosen:
        return None
    chosen.sort(key=lambda pair: pair[0].action)
    actions = list(script.actions)
    for number, (each, _) in enumerate(chosen, 1):
        make = actions[each.action]
        assert isinstance(make, Make), "only what a new record gets is held back"
        said = tuple(pair for pair in make.said if pair[0] != each.field)
        actions[each.action] = evolve(make, said=said)
        plan = _asking(plan, make.goal, each, f"u{number}")
    return Withheld(
        plan,
        evolve(script, actions=tuple(actions)),
        UserScript(facts=tuple(fact for _, fact in chosen)),
        tuple((each.label, each.record) for each, _ in chosen),
    )


def _candidates(script: Script) -> Iterator[_Held]:
    """Values of new records that the text can do without, whose record has a noun alone."""
    names = words.Words(script)
    nouns = [names.noun(key) for key, record in script.records.items() if not record.traits]
    given = () if script.hero is None else keys_of(script.hero)
    for number, action in enumerate(script.actions):
        if not isinstance(action, Make) or nouns.count(names.noun(action.record)) > 1:
            continue
        noun = names.noun(action.record)
        record = script.records[action.record]
        kinds = [said.kind for _, said in action.said]
        for place, (field, said) in enumerate(action.said):
            named = _LABELS.get(words.bare(field)) or names.label(record, field)
            label = words.dated(named, said.kind)
            later = said.kind in kinds[place + 1 :]  # a start may not move past its end
            if said.value in given or '"' in label or later:
                continue
            if said.kind in _KINDS and _plain(said, kinds):
                yield _Held(number, action.record, field, said, label, noun)


def _plain(said: Said, kinds: Sequence[Kind]) -> bool:
    """Can a sentence state it? Quotes would end early, and an amount needs its currency."""
    if said.kind in ("title", "text"):
        return isinstance(said.value, str) and not set('"“”\n{}') & set(said.value)
    return said.kind not in ("money", "cents") or "currency" not in kinds


def _fact(held: _Held, staff: Sequence[str], rng: Random) -> UserFact:
    said = held.said
    hole = '"{}"' if said.kind in ("title", "text") else "{}"
    stop = "" if str(said.value).endswith((".", "?", "!")) else "."
    return UserFact(
        about=_about(held.label),
        kind=said.kind,
        value=said.value,
        other=_other(said, staff, rng),
        says=f"The {held.label} is {hole}{stop}",
    )


def _about(label: str) -> tuple[tuple[str, ...], ...]:
    """The words that a question must have, each in any of its wordings."""
    telling = [word for word in label.casefold().split() if word.isalnum()]
    strong = [word for word in telling if word not in _WEAK] or telling
    return tuple(next((alike for alike in _ALIKE if word in alike), (word,)) for word in strong)


def _other(said: Said, staff: Sequence[str], rng: Random) -> Any:
    """What the user would say in the other world."""
    value = said.value
    match said.kind:
        case "date":
            return (date.fromisoformat(value) + timedelta(days=rng.randint(1, 9))).isoformat()
        case "datetime":
            later = datetime.fromisoformat(value) + timedelta(minutes=15)
            return later.isoformat().replace("+00:00", "Z")
        case "title":
            return f"{value} (second round)"
        case "text":
            return f"{value.rstrip('.')}, as we said."
        case "email":
            return rng.choice([address for address in staff if address != value])
        case _:
            more = 500 if said.kind == "cents" else 3
            return str(int(value) + more) if isinstance(value, str) else value + more


def _apart(chosen: Sequence[tuple[_Held, UserFact]]) -> bool:
    """Does each question get its own fact and no other?"""
    told = [fact for _, fact in chosen]
    return all(asked(told, held.question) == [fact] for held, fact in chosen)


def _asking(plan: Plan, goal: str, held: _Held, step: str) -> Plan:
    """The plan with a question before the goal's write, which reads the value in the reply."""
    write = next(each.step for each in plan.goals if each.id == goal)
    place = next(n for n, each in enumerate(plan.steps) if each.id == write)
    old, new = Lit(literal=held.said.value, kind=held.said.kind), _read(held.said, step)
    question = Fn(name="text", args=(), template=held.question)
    asks = Step(
        id=step, visit=plan.steps[place].visit, service=USER, tool=ASK,
        arguments=(Argument(path=("question",), expr=question),), when=plan.steps[place].when,
    )  # fmt: skip
    steps = list(plan.steps)
    steps[place : place + 1] = [asks, _replaced(steps[place], old, new)]
    goals = tuple(_replaced(g, old, new) if g.id == goal else g for g in plan.goals)
    return plan.model_copy(update={"steps": tuple(steps), "goals": goals})


def _read(said: Said, step: str) -> Expr:
    """Where the value is read; a text of the reply is what stands in its quotes."""
    kind: Kind = "title" if said.kind == "text" else said.kind
    found = Grep(source=Out(step=step, path=("reply",)), kind=kind)
    if isinstance(said.value, str) and said.kind in ("money", "percent", "quantity"):
        return Fn(name="form", args=(found,), template="{}")
    return found


def _replaced(node: Any, old: Expr, new: Expr) -> Any:
    """A part of a plan with one expression in another's place."""
    if node == old:
        return new
    if isinstance(node, tuple):
        return tuple(_replaced(part, old, new) for part in node)
    if not isinstance(node, BaseModel):
        return node
    fields = {name: getattr(node, name) for name in type(node).model_fields}
    return type(node)(**{name: _replaced(held, old, new) for name, held in fields.items()})


def with_request(
    instruction: str, spans: tuple[Span, ...], withheld: Withheld, script: Script, rng: Random
) -> tuple[str, tuple[Span, ...]]:
    """The instruction with the sentence that says what to ask for, and its spans."""
    names = words.Words(script)
    labels: dict[str, list[str]] = {}
    for label, record in withheld.records:
        labels.setdefault(record, []).append(f"the {label}")
    listed, marks = "", []
    for record, wanted in labels.items():
        noun = names.noun(record)
        listed += f"{' and ' if listed else ''}{' and '.join(wanted)} of "
        start = len(listed)
        listed += f"the new {noun}"
        marks.append((start, len(listed), record, f"new {noun}"))
    before, _, after = rng.choice(_REQUESTS).partition("{}")
    head = f"{instruction}{chr(10) * 2 if chr(10) in instruction else ' '}{before}"
    more = tuple(
        Span(start=len(head) + a, end=len(head) + b, kind="reference", target=r, noun=n)
        for a, b, r, n in marks
    )
    return f"{head}{listed}{after}", (*spans, *more)
