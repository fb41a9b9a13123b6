"""Table: an ordered collection of frozen entities that forks without copying records.

A table is a shared immutable :class:`Base` (rows, positions, indexes) plus a small overlay of
changes. A fork shares the base and copies the overlay; the diff of two forks is the overlays.
The overlay is folded into a new base only by :meth:`Table.freeze`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from math import floor
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, get_args

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from compoworld_core.errors import CompoWorldError

if TYPE_CHECKING:
    from compoworld_core.state import Entity

E = TypeVar("E", bound="Entity")
Key = str | int

INDEX_FROM = 24
"""Rows from which an index pays: below it a scan is faster than the look-up."""


_ABSENT = object()
_IN_ORDER = "rows in order"
_new = object.__new__


class Journal:
    """Who may write to a state's tables now, and how to undo it.

    `undo` is None while a state is used directly (plain unit tests), a list during a call.
    """

    __slots__ = ("locked", "undo")

    def __init__(self) -> None:
        self.undo: list[Callable[[], None]] | None = None
        self.locked: str = ""
        """Not empty: writes are refused, and this says why."""

    def record(self, undo: Callable[[], None]) -> None:
        """Note how to undo a write that is about to happen; refuse it where locked."""
        if self.locked:
            raise WriteRefused(self.locked)
        if self.undo is not None:
            self.undo.append(undo)


class WriteRefused(CompoWorldError):  # noqa: N818  # a refusal, said to the service's author
    """A write outside a call, or in a call that is marked read-only."""


class Base(Generic[E]):
    """Immutable rows in order; indexes are built on first use and shared by all forks."""

    __slots__ = ("_indexes", "notes", "place", "rows", "sums")

    def __init__(self, rows: dict[Key, E]) -> None:
        self.rows = rows
        self.place = {key: float(n) for n, key in enumerate(rows)}
        self.sums: dict[str, int] = {}
        """Cached digest of the rows, by table name; kept by `state`."""
        self.notes: dict[str, Any] = {}
        """What others computed from these rows once, by their own name."""
        self._indexes: dict[str, dict[Any, tuple[Key, ...]] | None] = {}

    def index(self, field: str) -> dict[Any, tuple[Key, ...]] | None:
        """Value → keys for one field; None where a value of the field is not hashable."""
        try:
            return self._indexes[field]
        except KeyError:
            pass
        found: dict[Any, list[Key]] | None = {}
        for key, row in self.rows.items():
            try:
                cast("dict[Any, list[Key]]", found).setdefault(getattr(row, field), []).append(
                    key
                )
            except TypeError:
                found = None
                break
        index = None if found is None else {value: tuple(keys) for value, keys in found.items()}
        self._indexes[field] = index
        return index


class Table(Generic[E]):
    """Ordered rows keyed by `id`: `get`, `insert`, `update`, `delete`, `where`, iteration."""

    __slots__ = ("_added", "_base", "_changed", "_end", "journal", "notes")

    def __init__(self, rows: Iterable[E] = ()) -> None:
        held: dict[Key, E] = {}
        for row in rows:
            if row.id in held:
                raise ValueError(f"two rows have the id {row.id!r}")
            held[row.id] = row
        self._start(Base(held), {}, {}, float(len(held)), Journal())

    def _start(
        self,
        base: Base[E],
        changed: dict[Key, E | None],
        added: dict[Key, float],
        end: float,
        journal: Journal,
    ) -> None:
        self._base, self._changed, self._added, self._end = base, changed, added, end
        self.notes: dict[str, Any] = {}
        """What was computed from the rows as they are now, by its own name. Forks share it and
        a write begins another, so tables with the same notes hold the same rows."""
        self.journal = journal

    # -- reading ---------------------------------------------------------------------------

    def get(self, key: object) -> E | None:
        """The row of this key, or None."""
        if key in self._changed:
            return self._changed[key]
        return self._base.rows.get(cast("Key", key))

    def __getitem__(self, key: Key) -> E:
        changed = self._changed
        row = changed[key] if key in changed else self._base.rows.get(key)
        if row is None:
            raise KeyError(key)
        return row

    def __contains__(self, key: object) -> bool:
        return self.get(key) is not None

    def __len__(self) -> int:
        rows = self._base.rows
        gained = sum(1 for k, row in self._changed.items() if row is not None and k not in rows)
        lost = sum(1 for k, row in self._changed.items() if row is None and k in rows)
        return len(rows) + gained - lost

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def __iter__(self) -> Iterator[E]:
        if not self._changed:
            return iter(self._base.rows.values())
        rows: list[E] | None = self.notes.get(_IN_ORDER)
        if rows is None:
            rows = self.notes[_IN_ORDER] = self._in_order()
        return iter(rows)

    def _in_order(self) -> list[E]:
        changed, place = self._changed, self._base.place
        rows: list[E | None] = list(self._base.rows.values())
        for key, row in changed.items():
            if key in place:
                rows[int(place[key])] = row
        placed: list[E | None] = []
        start = 0
        added = sorted(self._added, key=lambda key: (self._added[key], str(key)))
        for key in added:
            end = max(start, floor(self._added[key]) + 1)
            placed += rows[start:end]
            placed.append(changed[key])
            start = end
        return [row for row in placed + rows[start:] if row is not None]

    def keys(self) -> list[Key]:
        """The keys in row order."""
        return [row.id for row in self]

    def where(self, /, **fields: Any) -> list[E]:
        """The rows whose fields equal these values, in row order."""
        base = self._base
        candidates: Iterable[Key] | None = None
        if len(base.rows) >= INDEX_FROM:
            for name, value in fields.items():
                index = base.index(name)
                if index is None:
                    continue
                try:
                    keys = index.get(value, ())
                except TypeError:
                    continue
                if candidates is None or len(keys) < len(cast("tuple[Key, ...]", candidates)):
                    candidates = keys
        if candidates is None:
            left = iter(self)
            for name, value in fields.items():  # a field at a time: each leaves fewer rows
                left = iter([row for row in left if getattr(row, name) == value])
            return list(left)
        changed, rows = self._changed, base.rows
        found = [
            rows[key]
            for key in candidates
            if key not in changed and _matches(rows[key], fields)
        ]
        if not changed:
            return found
        late = [row for row in changed.values() if row is not None and _matches(row, fields)]
        if late:
            found += late
            found.sort(key=self._rank)
        return found

    def first(self, /, **fields: Any) -> E | None:
        """The first row whose fields equal these values, or None."""
        found = self.where(**fields)
        return found[0] if found else None

    def _rank(self, row: E) -> tuple[float, str]:
        """What rows are sorted by; equal places fall back on the key, in any fork alike."""
        place = self._base.place.get(row.id)
        return (self._added[row.id], str(row.id)) if place is None else (place, "")

    # -- writing ---------------------------------------------------------------------------

    def insert(self, row: E, *, before: float | None = None) -> E:
        """Add a row at the end (or at a place between base rows); its id must be new."""
        key = row.id
        if self.get(key) is not None:
            raise ValueError(f"a row with the id {key!r} is there already")
        self._write(key, row)
        if key not in self._base.rows:
            if before is None:
                before = self._end
            self._end = max(self._end, floor(before) + 1.0)
            self._added[key] = before
        return row

    def update(self, key: Key, /, **fields: Any) -> E:
        """Replace fields of a row; the result is validated like a construction."""
        row = self[key]
        if fields.get("id", key) != key:
            raise ValueError("the id of a row cannot change")
        held, names = row.__dict__, type(row).__pydantic_fields__
        if len(held) != len(names):  # something is cached beside the fields
            held = {name: held[name] for name in names}
        new: E = row.__pydantic_validator__.validate_python({**held, **fields})
        self._write(key, new)
        return new

    def replace(self, row: E) -> E:
        """Put a whole row in place of the row with its id."""
        if row.id not in self:
            raise KeyError(row.id)
        self._write(row.id, row)
        return row

    def delete(self, key: Key) -> E:
        """Take a row out and return it."""
        row = self[key]
        self._write(key, None)
        return row

    def _write(self, key: Key, row: E | None) -> None:
        changed, added = self._changed, self._added
        old = changed.get(key, _ABSENT)
        self.journal.record(partial(self._restore, key, old, added.get(key), self._end))
        self.notes = {}
        if row is None and key not in self._base.rows:
            changed.pop(key, None)
            added.pop(key, None)
        elif row is not None and row is self._base.rows.get(key):
            changed.pop(key, None)
        else:
            changed[key] = row

    def _restore(self, key: Key, old: E | object, rank: float | None, end: float) -> None:
        """Undo one write: the row of the overlay (if any), its place, the end."""
        self.notes = {}
        if old is _ABSENT:
            self._changed.pop(key, None)
        else:
            self._changed[key] = cast("E | None", old)
        if rank is None:
            self._added.pop(key, None)
        else:
            self._added[key] = rank
        self._end = end

    # -- forks, diffs ----------------------------------------------------------------------

    def fork(self, journal: Journal) -> Table[E]:
        """A table that shares all records; writes to either are not seen by the other."""
        other: Table[E] = _new(Table)
        other._base, other._end, other.notes = self._base, self._end, self.notes
        other._changed, other._added = self._changed.copy(), self._added.copy()
        other.journal = journal
        return other

    def freeze(self) -> None:
        """Fold the overlay into a new shared base, when a world or an s0 is finished."""
        if self._changed:
            base = Base({row.id: row for row in self})
            self._start(base, {}, {}, float(len(base.rows)), self.journal)

    @property
    def overlay(self) -> dict[Key, E | None]:
        """Rows that differ from the base; None where a base row is gone. Read-only."""
        return self._changed

    @property
    def base(self) -> Base[E]:
        """The shared immutable part. Read-only."""
        return self._base

    def place(self, key: Key) -> float:
        """The position of a row; base rows stand at 0, 1, 2…"""
        return self._rank(self[key])[0]

    def is_twin(self, other: Table[E]) -> bool:
        """Whether both hold the same rows for certain; False says nothing."""
        if self.notes is other.notes:
            return True
        return self._base is other._base and not self._changed and not other._changed

    def changes(self, other: Table[E]) -> Iterator[tuple[Key, E | None, E | None]]:
        """(key, before, after) for each row that differs, in the order of their rows.

        Costs what changed where both share a base; what exists otherwise.
        """
        if self._base is other._base:
            mine, theirs = self._changed, other._changed
            keys: Iterable[Key] = [
                key
                for key in {**mine, **theirs}
                if mine.get(key, _ABSENT) is not theirs.get(key, _ABSENT)
            ]
        else:
            keys = dict.fromkeys((*self.keys(), *other.keys()))
        found = []
        for key in keys:
            before, after = self.get(key), other.get(key)
            if before is not after and before != after:
                rank = (
                    other._rank(after) if after is not None else self._rank(cast("E", before))
                )
                found.append((rank, key, before, after))
        found.sort(key=lambda change: (change[0], str(change[1])))
        return ((key, before, after) for _, key, before, after in found)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # a table can change

    def __repr__(self) -> str:
        return f"Table({len(self)} rows)"

    # -- pydantic --------------------------------------------------------------------------

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        (entity,) = get_args(source)
        rows = core_schema.list_schema(handler.generate_schema(entity))
        from_rows = core_schema.no_info_after_validator_function(cls, rows)
        return core_schema.json_or_python_schema(
            json_schema=from_rows,
            python_schema=core_schema.union_schema(
                [core_schema.is_instance_schema(Table), from_rows]
            ),
            serialization=core_schema.plain_serializer_function_ser_schema(
                list, return_schema=rows
            ),
        )


def _matches(row: Any, fields: dict[str, Any]) -> bool:
    for name, value in fields.items():  # noqa: SIM110  # a generator costs twice as much here
        if getattr(row, name) != value:
            return False
    return True
