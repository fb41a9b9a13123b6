"""World: the running service, its calls played on forks, and the records it keeps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define, field

from compoworld_core.environment import Environment
from compoworld_core.errors import ServiceError
from compoworld_core.observation import Observation
from compoworld_core.service import Tool
from compoworld_core.state import Change, Entity, dump
from compoworld_validator.reading import SCALARS, Row, empty, equal, fields, leaves
from compoworld_validator.values import QUERIES, normal
from compoworld_validator.verdict import Step

_REMEMBERED = 4000
_LEAST = 3
"""Fields that must agree for an object to be taken for a record."""
_NAMES = ("identifier", "key", "number", "slug", "handle", "login")
"""How the names of fields end that tell one record from all others."""
_SHORT = 5
"""Characters of an id that may be another record's as well."""


class Played:
    """Calls played on a fresh fork; what each showed, and the state around the last."""

    def __init__(self, base: Environment, steps: Iterable[Step]) -> None:
        """Play them; ServiceError comes through."""
        self.environment = base.fork()
        (self.service,) = base.services
        self.seen: list[Observation] = []
        self.before = base
        self._changes: list[Change] | None = None
        self._kept: dict[int, tuple[Row, tuple[str, Row] | None]] = {}
        for name, arguments in steps:
            self.before = self.environment.fork()
            self.seen.append(self.environment.call(f"{self.service}.{name}", dict(arguments)))

    @property
    def last(self) -> Observation:
        """What the last call showed."""
        return self.seen[-1]

    def changes(self) -> list[Change]:
        """The records that the last call changed."""
        if self._changes is None:
            self._changes = self.before.diff(self.environment)
        return self._changes

    def settings(self) -> bool:
        """Whether the last call changed what stands in no table."""
        one, two = (e.states[self.service] for e in (self.before, self.environment))
        names = set(type(one).model_fields) - set(type(one).tables()) - {"ledger"}
        return any(getattr(one, name) != getattr(two, name) for name in names)

    def same_as(self, other: Played) -> bool:
        """Whether other calls answered the same at their end, and left the same."""
        return (
            self.last.text == other.last.text
            and self.environment.digest() == other.environment.digest()
        )

    def kept(self, shown: Row) -> tuple[str, Row] | None:
        """(table, record) that an object in a result shows, as it is kept after the calls."""
        found = self._kept.get(id(shown))
        if found is None or found[0] is not shown:
            found = (shown, match(self.environment, self.service, shown))
            self._kept[id(shown)] = found
        return found[1]


def without(steps: Sequence[Step], name: str) -> list[Step]:
    """Calls of which the last does not give an argument."""
    *before, (tool, given) = steps
    return [*before, (tool, {key: value for key, value in given.items() if key != name})]


def match(environment: Environment, service: str, shown: Row) -> tuple[str, Row] | None:
    """The record that an object shows: one of its values is the key, most fields agree."""
    state = environment.states[service]
    flat = fields(shown)
    own = flat.get("id")
    keys = [own] if isinstance(own, str | int) else list(flat.values())
    best: tuple[float, str, Row] | None = None
    for name in type(state).tables():
        table = state.table(name)
        for key in dict.fromkeys(k for k in keys if isinstance(k, str | int) and k != ""):
            row: Entity | None = None if isinstance(key, bool) else table.get(key)
            if row is None:
                continue
            kept = _plain_row(row)
            common = [n for n in flat if n in kept]
            agreed = sum(equal(flat[n], kept[n]) for n in common)
            told = sum(equal(flat[n], kept[n]) and flat[n] is not None for n in common)
            sure = key == own and len(str(key)) > _SHORT and len(common) > 1
            least = 1 if sure else min(_LEAST, len(kept))
            if told >= least and agreed * 2 >= len(common):
                score = agreed / len(common) + agreed / 100
                if best is None or score > best[0]:
                    best = score, name, kept
    return None if best is None else best[1:]


_rows: dict[int, tuple[Entity, Row]] = {}


def _plain_row(row: Entity) -> Row:
    """A record as JSON values under normalised names; remembered, since records are frozen."""
    found = _rows.get(id(row))
    if found is None or found[0] is not row:
        if len(_rows) > _REMEMBERED:
            _rows.clear()
        plain_ = {normal(name): value for name, value in (dump(row) or {}).items()}
        found = _rows[id(row)] = (row, plain_)
    return found[1]


@define(eq=False)
class World:
    """A seeded world of one service."""

    base: Environment
    tools: dict[str, Tool]
    views: dict[tuple[str, str], list[int]] = field(factory=dict)
    """(table, field) → how often results showed it [as it is kept, otherwise]."""
    own: dict[tuple[str, str, str], list[int]] = field(factory=dict)
    """The same by tool."""
    ids: dict[Any, str] = field(factory=dict)
    """Key of a record → its table; the last one where several have it."""
    cased: set[tuple[str, str]] = field(factory=set)
    """(table, field) in which some text has capitals: they are kept."""
    lettered: set[tuple[str, str]] = field(factory=set)
    """(table, field) in which some text has letters."""
    aliases: dict[Any, set[Any]] = field(factory=dict)
    """Value → values that stand in one record with it."""
    names: dict[tuple[str, str], list[Any]] = field(factory=dict)
    """(table, what people call a record by) → keys of the records that are called so."""
    shared: dict[Any, int] = field(factory=dict)
    """Key → how many tables have it."""
    _text: str = ""
    _played: dict[str, Played] = field(factory=dict)

    @classmethod
    def of(cls, base: Environment, tools: dict[str, Tool]) -> World:
        """Look at every record once."""
        world = cls(base, tools)
        for table, rows in world.rows().items():
            for row in rows:
                world.ids[row["id"]] = table
                world.shared[row["id"]] = world.shared.get(row["id"], 0) + 1
                told = {
                    v
                    for v in row.values()
                    if isinstance(v, str | int) and not isinstance(v, bool) and v not in ("", 0)
                }
                for name, value in row.items():
                    if isinstance(value, str) and normal(name).endswith(_NAMES):
                        keys = world.names.setdefault((table, value), [])
                        keys.append(row["id"])
                for value in told:
                    world.aliases.setdefault(value, set()).update(told)
                for name, value in row.items():
                    for text in leaves(value):
                        if isinstance(text, str) and text != text.lower():
                            world.cased.add((table, normal(name)))
                        if isinstance(text, str) and text.lower() != text.upper():
                            world.lettered.add((table, normal(name)))
        return world

    def play(self, steps: Sequence[Step]) -> Played:
        """The calls, played once; ServiceError comes through."""
        key = repr(steps if isinstance(steps, list) else list(steps))
        found = self._played.get(key)
        if found is None:
            if len(self._played) >= _REMEMBERED:
                self._played.clear()
            found = self._played[key] = Played(self.base, steps)
        return found

    def tried(self, steps: Sequence[Step]) -> Played | None:
        """The calls where the last is accepted; None where it is refused or it raises."""
        try:
            played = self.play(steps)
        except ServiceError:
            return None
        return None if played.last.is_error else played

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Table → its records in the seeded world."""
        (service,) = self.base.services
        state = self.base.state(service)
        return {
            name: [dump(row) or {} for row in state.table(name)]
            for name in type(state).tables()
        }

    def defaults(self, table: str) -> dict[str, Any]:
        """Normalised field → the value of a record for which nothing is said."""
        (service,) = self.base.services
        kind = type(self.base.states[service]).tables()[table]
        return {
            normal(name): info.get_default(call_default_factory=True)
            for name, info in kind.model_fields.items()
            if not info.is_required()
        }

    def keeps_case(self, table: str, name: str) -> bool:
        """Whether texts of a field keep their capitals, as far as its records tell."""
        place = (table, name)
        return place in self.cased or place not in self.lettered

    def text(self) -> str:
        """All that the records say, without case."""
        if not self._text:
            self._text = repr(self.rows()).casefold()
        return self._text

    def actor(self) -> str:
        """Whose credentials the caller uses."""
        (service,) = self.base.services
        return self.base.states[service].ledger.actor

    def view(self, tool: str, played: Played, objects: Iterable[Row]) -> None:
        """Remember which fields a tool shows as they are kept."""
        for shown in objects:
            found = played.kept(shown)
            if found is None:
                continue
            table, kept = found
            for name, value in fields(shown).items():
                if name not in kept or not plain(value) or not plain(kept[name]):
                    continue
                if empty(value) and empty(kept[name]):
                    continue
                place = 0 if equal(value, kept[name]) else 1
                self.views.setdefault((table, name), [0, 0])[place] += 1
                self.own.setdefault((tool, table, name), [0, 0])[place] += 1

    def differs(self, tool: str, table: str, name: str, value: Any, kept: Any) -> bool:
        """Whether a field is shown otherwise than kept, and not because it always is."""
        if not plain(value) or not plain(kept) or equal(value, kept):
            return False
        agreed, otherwise = self.own.get((tool, table, name), [0, 0])
        if not self.views.get((table, name), [0, 0])[0]:
            return False
        if value is not None and not self.tools[tool].read_only:
            return True
        parts = self.tools[tool].input_schema.get("properties", {})
        if value is None and any(normal(each) in QUERIES for each in parts):
            return False  # a search shows what it found in brief
        if value is None and not agreed:  # in brief: several fields are always left out
            mine = [yes for k, (yes, _) in self.own.items() if k[:2] == (tool, table)]
            return mine.count(0) < 2
        return bool(agreed or otherwise < 2)


def plain(value: Any) -> bool:
    """Whether a value can be compared: a scalar, nothing, or a list of scalars."""
    if isinstance(value, list):
        return all(isinstance(part, SCALARS) for part in value)
    return value is None or isinstance(value, SCALARS)
