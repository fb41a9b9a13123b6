"""State: the typed data of one service; Entity: one frozen record in it; digest and diff."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, Self, Union, get_args, get_origin

from attrs import frozen
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr
from pydantic_core import to_json

from compoworld_core.table import Journal, Key, Table
from compoworld_core.types import DateTime

_MODULUS = 1 << 256

_CANONICAL: dict[object, str] = {
    list: "tuple[X, ...]",
    set: "compoworld_core.types.StrSet",
    frozenset: "compoworld_core.types.StrSet",
    dict: "compoworld_core.types.Json",
}


class Entity(BaseModel):
    """A frozen record with an `id`. Fields hold immutable values in one canonical form.

    Use `tuple`, `StrSet`, `Json`, `Number`/`Money`, `DateTime` where plain Python would use
    list, set, dict, Decimal, datetime: equal values give equal bytes, and forks share records.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, validate_by_name=True, validate_by_alias=True,
        allow_inf_nan=False,
    )  # fmt: skip

    id: Any

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        _refuse_mutable(cls, cls.model_fields)


def _refuse_mutable(model: type[BaseModel], names: Iterable[str]) -> None:
    """TypeError where a field may hold what changes in place, or has no canonical form."""
    for name in names:
        info = model.model_fields[name]
        for part in _parts(info.annotation, bool(info.metadata)):
            instead = _CANONICAL.get(part)
            if instead:
                raise TypeError(
                    f"{model.__name__}.{name}: {getattr(part, '__name__', part)} is not allowed"
                    f" in what forks share; use {instead}"
                )
            if isinstance(part, type) and issubclass(part, BaseModel) and part is not model:
                if not part.model_config.get("frozen"):
                    raise TypeError(
                        f"{model.__name__}.{name}: {part.__name__} can change in place; give it"
                        " model_config = ConfigDict(frozen=True)"
                    )
                _refuse_mutable(part, part.model_fields)


def _parts(annotation: Any, marked: bool) -> Iterator[Any]:
    """The bare types in an annotation, where no `Annotated` gives them one canonical form."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _parts(get_args(annotation)[0], True)
    elif origin in (Union, UnionType, tuple):
        for part in get_args(annotation):
            yield from _parts(part, marked)
    elif origin is not None:
        yield origin
    elif annotation in (Decimal, datetime):
        if not marked:
            yield annotation
    else:
        yield annotation


_CANONICAL[Decimal] = "compoworld_core.types.Number or Money"
_CANONICAL[datetime] = "compoworld_core.types.DateTime"


class Ledger(BaseModel):
    """What a service's next ids, times and random draws depend on. Moves with writes only."""

    model_config = ConfigDict(extra="forbid")

    now: DateTime = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    """The virtual clock of this service."""
    key: int = 0
    """Key of the permutation that makes ids, and of the random draws."""
    writes: int = 0
    """Committed writes so far."""
    counters: dict[str, int] = Field(default_factory=dict)
    """Records made so far, per kind of id."""
    actor: str = "me@example.com"
    """The account whose credentials the caller uses: its email address."""

    def copy_out(self) -> Self:
        """An independent copy (four scalars and a small dict)."""
        other = type(self).__new__(type(self))  # past model_construct, which costs more
        values = {**self.__dict__, "counters": self.__dict__["counters"].copy()}
        object.__setattr__(other, "__dict__", values)
        object.__setattr__(other, "__pydantic_fields_set__", set(values))
        object.__setattr__(other, "__pydantic_extra__", None)
        object.__setattr__(other, "__pydantic_private__", None)
        return other


@frozen
class Change:
    """One record that differs between two states; None for `before` or `after`: not there."""

    service: str
    table: str
    id: Key
    before: dict[str, Any] | None
    after: dict[str, Any] | None

    def __str__(self) -> str:
        name = f"{self.service}: {self.table} {self.id}"
        if self.before is None:
            return f"{name} is new: {_brief(self.after or {})}"
        if self.after is None:
            return f"{name} is gone (was {_brief(self.before)})"
        pairs = [
            f"{field} {_show(self.before.get(field))} → {_show(value)}"
            for field, value in self.after.items()
            if self.before.get(field) != value
        ]
        return f"{name}: {', '.join(pairs)}"


def _show(value: Any) -> str:
    if not isinstance(value, str):
        return to_json(value).decode()
    return repr(value if len(value) <= 60 else value[:57] + "...")


def _brief(row: dict[str, Any]) -> str:
    told = {k: v for k, v in row.items() if k != "id" and v not in (None, "", [], {})}
    shown = [f"{k}={_show(v)}" for k, v in told.items()]
    return ", ".join(shown[:8]) + (", ..." if len(shown) > 8 else "")


class State(BaseModel):
    """The typed data that a service owns: tables of entities and, where needed, settings."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, allow_inf_nan=False)

    ledger: Ledger = Field(default_factory=Ledger)
    """Clock, id counters and actor; the core advances it."""

    _journal: Journal = PrivateAttr(default_factory=Journal)
    _table_names: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls._table_names = tuple(
            name
            for name, info in cls.model_fields.items()
            if get_origin(info.annotation) is Table
        )
        own = (n for n in cls.model_fields if n != "ledger" and n not in cls._table_names)
        _refuse_mutable(cls, own)

    def model_post_init(self, context: Any, /) -> None:
        for name in self._table_names:
            table: Table[Any] = self.__dict__[name]
            if table.journal.undo is None and not table.journal.locked:
                table.journal = self._journal
            else:
                self.__dict__[name] = table.fork(self._journal)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self).model_fields:
            if name in self._table_names:
                raise TypeError(f"{name} is a table; write through its methods")
            old = self.__dict__[name]
            # looked up when it is undone: a validated assignment makes a new __dict__
            self.journal.record(lambda: self.__dict__.__setitem__(name, old))
        super().__setattr__(name, value)

    @classmethod
    @cache
    def tables(cls) -> dict[str, type[Entity]]:
        """Table name → entity class. Read-only."""
        return {
            name: get_args(cls.model_fields[name].annotation)[0] for name in cls._table_names
        }

    @property
    def journal(self) -> Journal:
        """Who may write now, and how to undo it. For the environment."""
        # not `self._journal`: pydantic's look-up of a private attribute costs several µs
        journal: Journal = self.__pydantic_private__["_journal"]  # type: ignore[index]  # set
        return journal

    def table(self, name: str) -> Table[Any]:
        """A table by its name; KeyError where there is none."""
        if name not in self._table_names:
            raise KeyError(name)
        found: Table[Any] = self.__dict__[name]
        return found

    def fork(self) -> Self:
        """A state that shares all records; writes to either are not seen by the other."""
        other = type(self).__new__(type(self))
        journal = Journal()
        values = self.__dict__.copy()
        for name in self._table_names:
            values[name] = values[name].fork(journal)
        values["ledger"] = values["ledger"].copy_out()
        private = {"_journal": journal}
        object.__setattr__(other, "__dict__", values)
        object.__setattr__(other, "__pydantic_fields_set__", set(values))
        object.__setattr__(other, "__pydantic_extra__", None)
        object.__setattr__(other, "__pydantic_private__", private)
        return other

    def freeze(self) -> Self:
        """Fold all overlays into shared bases; call once a world or an s0 is finished."""
        for name in self._table_names:
            self.__dict__[name].freeze()
        return self

    def digest(self, hashes: dict[int, int] | None = None) -> str:
        """SHA-256 over all records and settings; equal states, equal digests, in any process.

        Costs what changed since the tables were frozen. The order of rows is not part of it.

        Args:
            hashes: row by identity → its hash; for callers that keep every row alive.
        """
        total = int.from_bytes(hashlib.sha256(self._settings()).digest())
        for name in self._table_names:
            total += _table_sum(name, self.__dict__[name], hashes)
        return f"{total % _MODULUS:064x}"

    def _settings(self) -> bytes:
        ledger = self.ledger.__dict__
        rest = {k: v for k, v in self.__dict__.items() if k not in self._table_names}
        rest["ledger"] = {**ledger, "counters": dict(sorted(ledger["counters"].items()))}
        return to_json(dict(sorted(rest.items())))

    def changes(self, other: State) -> Iterator[tuple[str, Key, Entity | None, Entity | None]]:
        """(table, id, before, after) for each record that differs; `self` is before."""
        for name in self._table_names:
            one: Table[Any] = self.__dict__[name]
            two: Table[Any] = other.__dict__[name]
            if one.is_twin(two):
                continue
            for key, before, after in one.changes(two):
                yield name, key, before, after


def _row_hash(table: str, row: Entity, hashes: dict[int, int] | None = None) -> int:
    known = None if hashes is None else hashes.get(id(row))
    if known is not None:
        return known
    text = row.__pydantic_serializer__.to_json(row)
    found = int.from_bytes(hashlib.sha256(table.encode() + b"\0" + text).digest())
    if hashes is not None:
        hashes[id(row)] = found
    return found


def _table_sum(name: str, table: Table[Any], hashes: dict[int, int] | None) -> int:
    note = f"digest of {name}"
    total: int | None = table.notes.get(note)
    if total is None:
        total = table.notes[note] = _summed(name, table, hashes)
    return total


def _summed(name: str, table: Table[Any], hashes: dict[int, int] | None) -> int:
    base = table.base
    total = base.sums.get(name)
    if total is None:
        total = sum(_row_hash(name, row) for row in base.rows.values())
        base.sums[name] = total
    for key, row in table.overlay.items():
        old = base.rows.get(key)
        total += (0 if row is None else _row_hash(name, row, hashes)) - (
            0 if old is None else _row_hash(name, old, hashes)
        )
    return total


def dump(row: Entity | None) -> dict[str, Any] | None:
    """A record as JSON values."""
    return None if row is None else row.model_dump(mode="json")
