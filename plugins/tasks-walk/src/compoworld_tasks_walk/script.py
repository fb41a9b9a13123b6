"""The script of a task: what its instruction must say, before any word is chosen.

The planner writes it, the renderer turns it into sentences with a span for each literal,
description and reference.
"""

from __future__ import annotations

from typing import Any, Literal

from attrs import field, frozen

from compoworld_core.cast import Person
from compoworld_core.types import Kind


@frozen
class Said:
    """A value that stands in the instruction itself."""

    value: Any
    kind: Kind


@frozen
class FactOf:
    """A field of a record, not given away: "the due date of that invoice"."""

    record: str
    field: str
    kind: Kind


@frozen
class Figure:
    """An aggregate over a set of records: "the total amount of their open invoices"."""

    op: Literal["sum", "largest", "smallest", "count"]
    record: str
    field: str
    kind: Kind


@frozen
class NewId:
    """The id (or public number) of a record that an earlier action created."""

    record: str


@frozen
class Stated:
    """A fact that a record's text states: "the delivery date given in that email"."""

    record: str
    field: str
    kind: Kind
    name: str
    """What the fact is: "delivery date"."""


@frozen
class Overruling(Stated):
    """A fact that a text states, where another record states what is not right any more."""

    over: str
    """That record."""


@frozen
class Ruled:
    """What the rules in a record's text say for a case: "the contact for its priority"."""

    record: str
    field: str
    kind: Kind
    name: str
    case: FactOf
    """The field of another record that decides which rule counts."""


@frozen
class Shifted:
    """A day so many days before or after another: "two business days before its due date"."""

    of: FactOf | Figure | Stated
    count: Said
    unit: Literal["day", "business day"]
    way: Literal[1, -1]
    kind: Kind = "date"


@frozen
class Converted:
    """An amount in another currency, by a rate found elsewhere."""

    of: FactOf | Figure | Stated
    rate: Stated
    currency: str
    kind: Kind = "money"


@frozen
class Timed:
    """An hour of a day found elsewhere: "10:00 UTC on its due date"."""

    of: FactOf | Figure | Stated | Shifted
    clock: str
    """10:00; an end says no day of its own."""
    ends: bool = False
    kind: Kind = "datetime"


Value = Said | FactOf | Figure | NewId | Stated | Ruled | Shifted | Converted | Timed


def records_of(value: object) -> list[str]:
    """The records that a value names, in the order in which a text names them."""
    if isinstance(value, Timed):
        return [] if value.ends else records_of(value.of)
    if isinstance(value, Shifted):
        return records_of(value.of)
    if isinstance(value, Converted):
        return [*records_of(value.of), value.rate.record]
    if isinstance(value, Ruled):
        return [value.record, value.case.record]
    if isinstance(value, Overruling):
        return [value.record, value.over]
    if isinstance(value, FactOf | Figure | NewId | Stated):
        return [value.record]
    return []


@frozen
class Extreme:
    """The value of a trait: the largest (latest) or smallest of those that fit otherwise."""

    op: Literal["largest", "smallest"]


@frozen
class Trait:
    """One condition of a description: the record's field has this value."""

    field: str
    kind: Kind
    value: Value | Extreme
    via: str = ""
    """The field is a key of this other record, in the same service ("the customer's invoice");
    `value` is then FactOf(via, "id")."""
    negated: bool = False
    """The field has another value: "those that are not on hold"."""


@frozen
class Mentioned:
    """A record, or a set of them, that the instruction speaks of."""

    id: str
    """The selection's id; for a record that is created, the goal's id."""
    service: str
    table: str
    noun: str
    """What people call it, in the singular: "invoice"."""
    traits: tuple[Trait, ...] = ()
    """How it is described; empty for a record that an action creates."""
    many: bool = False
    archetype: str = ""
    """What it is about, where the planner knows."""


@frozen
class Change:
    """An action: a field of a record (or of each record of a set) takes a value."""

    goal: str
    visit: int
    tool: str
    record: str
    field: str
    value: Value
    mode: Literal["set", "append", "add"] = "set"
    why: str = ""
    """Its reason, where the plan has one: "it is about the same"."""


@frozen
class Make:
    """An action: a new record; a child of `parent` where there is one (a comment on a ticket).

    Where `parent` is a set, one for each of its records.
    """

    goal: str
    visit: int
    tool: str
    record: str
    said: tuple[tuple[str, Said], ...] = ()
    """Fields with values that the instruction gives (title, date, priority)."""
    states: tuple[tuple[str, tuple[Value, ...]], ...] = ()
    """Text fields and the facts that they must state: (body, (the due date of…))."""
    takes: tuple[tuple[str, Value], ...] = ()
    """Typed fields that take a carried value: (due_date, the event's date)."""
    places: tuple[tuple[str, str], ...] = ()
    """Fields that name a record of the same service: (team_id, record "the Sales team")."""
    parent: str = ""


@frozen
class Drop:
    """An action: a record is deleted or becomes a fixed state by a tool of its own (cancel)."""

    goal: str
    visit: int
    tool: str
    record: str
    effect: tuple[tuple[str, Any], ...] = ()
    """Fields that become a constant: (status, cancelled); empty where the record is deleted."""
    why: str = ""
    """Its reason, where the plan has one: "it is about the same"."""


@frozen
class Test:
    """What decides between two ways: a value is above (later than) another, or equals it."""

    test: Literal["equals", "above"]
    value: Value
    than: Said


@frozen
class Either:
    """An action: one thing where the test holds, another where it does not."""

    test: Test
    then: Change | Drop
    otherwise: Change | Drop


@frozen
class Attempt:
    """An action: something that may be refused, and what to do instead then."""

    first: Change | Make | Drop
    instead: Change | Make | Drop
    forbidden: bool = False
    """Is it refused for want of a permission? Else it may not be possible any more."""


@frozen
class Tell:
    """An action: the last message answers a question."""

    goal: str
    visit: int
    value: Value


Simple = Change | Make | Drop
Action = Simple | Either | Attempt | Tell


def simple(action: Action) -> tuple[Simple, ...]:
    """The plain actions that an action is made of."""
    if isinstance(action, Either):
        return action.then, action.otherwise
    if isinstance(action, Attempt):
        return action.first, action.instead
    return () if isinstance(action, Tell) else (action,)


@frozen
class Script:
    """Everything that the instruction says, in the order of the work."""

    records: dict[str, Mentioned]
    actions: tuple[Action, ...]
    topic: str
    """What it is about, in two or three words: "quarterly renewal"."""
    hero: Person | None = None
    """The customer whom it is about."""
    titles: dict[str, str] = field(factory=dict)
    """Service → the name that people know it by."""
    words: dict[str, dict[str, str]] = field(factory=dict)
    """Service → its own words: "tickets" → "ticket", "tickets.requester" → "from {}"."""
    alone: frozenset[str] = frozenset()
    """Last words of nouns that one service of the world alone has: "email"."""
    staff: dict[str, str] = field(factory=dict)
    """Address of a colleague → their first name."""
