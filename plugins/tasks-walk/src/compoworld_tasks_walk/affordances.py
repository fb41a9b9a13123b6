"""Affordances: what each tool of a service reveals and changes, as data learnt by running it.

`Lookup` is a read of rows of one table, `Write` a change of one record; both say which argument
meets which field of the entity. The planner reads nothing else about a service. Everything here
is frozen and survives a JSON round trip.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from typing import Any, Literal, get_args, get_origin, get_type_hints

from attrs import Attribute, field, fields, frozen, has

from compoworld_core.errors import RecordError
from compoworld_core.types import KEY_KINDS, Kind, freeze

SCHEMA = "compoworld/affordances@1"

JSON = Any
Path = tuple[str | int, ...]
"""Keys and list positions that lead into a JSON value."""
Fixed = tuple[tuple[Path, JSON], ...]
"""Constants at places in the arguments."""
Match = Literal["eq", "contains", "key"]
"""`eq`: rows whose field has the value (among its values, where it holds several); `contains`:
rows whose text contains it, case ignored; `key`: the one row whose key it is."""
Mode = Literal["set", "append", "add"]
Op = Literal["create", "update", "delete"]


@frozen
class Slot:
    """Where one value goes in a tool's arguments."""

    path: Path
    template: str = "{}"
    """Text around the value: `from:{}`. With a bare hole, the value keeps its JSON type."""
    fixed: Fixed = ()
    """Other leaves that this form of the argument needs."""
    kind: Kind = "text"
    json_type: str = "string"
    """`string`, `integer`, `number` or `boolean`: what the value must be in JSON."""
    enum: tuple[str | int, ...] = ()
    """All allowed values, where the parameter lists them."""

    def leaves(self, value: JSON) -> Fixed:
        """The places that this slot sets, for a value."""
        filled = value if self.template == "{}" else self.template.replace("{}", str(value))
        return ((self.path, filled), *self.fixed)

    def clashes(self, other: Slot) -> bool:
        """Whether both cannot be filled in one call."""
        mine, theirs = dict(self.leaves("\0a")), dict(other.leaves("\0b"))
        return any(
            (a == b and mine[a] != theirs[b]) or (a != b and _inside(a, b))
            for a in mine
            for b in theirs
        )


def _inside(a: Path, b: Path) -> bool:
    """Whether one path leads through the other."""
    return a[: len(b)] == b or b[: len(a)] == a


def arguments(filled: Iterable[tuple[Slot, JSON]], fixed: Fixed = ()) -> dict[str, JSON]:
    """A tool's arguments from values in slots and constants; slots win over constants."""
    places: dict[Path, JSON] = {}
    for slot, value in filled:
        places.update(slot.leaves(value))
    for path, value in fixed:
        places.setdefault(path, value)
    built: dict[str, JSON] = {}
    for path, value in places.items():
        _put(built, path, thaw(value))
    return built


def _put(node: Any, path: Path, value: JSON) -> None:
    for step, following in pairwise(path):
        fresh: Any = [] if isinstance(following, int) else {}
        node = _child(node, step, fresh)
    if isinstance(node, list):
        _child(node, path[-1], None)
    node[path[-1]] = value


def _child(node: Any, step: str | int, fresh: Any) -> Any:
    if isinstance(node, list) and isinstance(step, int):
        node.extend([None] * (step + 1 - len(node)))
        if node[step] is None:
            node[step] = fresh
    elif step not in node:
        node[step] = fresh
    return node[step]


def at(value: JSON, path: Path) -> JSON:
    """The value at a path; KeyError where there is none."""
    for step in path:
        inside = (
            step in value
            if isinstance(value, Mapping)
            else isinstance(value, list | tuple) and isinstance(step, int) and step < len(value)
        )
        if not inside:
            raise KeyError(step)
        value = value[step]
    return value


def thaw(value: JSON) -> JSON:
    """Plain lists and dicts from a frozen JSON value."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [thaw(item) for item in value]
    return value


@frozen
class By:
    """How an argument names or selects rows by the value of one field."""

    slot: Slot
    match: Match = "eq"


@frozen
class Paging:
    """How to get the rows after the first page."""

    slot: Slot
    """Where the cursor or the page's number goes."""
    mode: Literal["token", "page", "after"]
    next: Path | None
    """`token`: where a page gives the cursor of the next one; `after`: where an item gives it,
    to be taken from the last item; `page`: none, pages are counted from 1."""


@frozen
class Lookup:
    """A read of rows of one table."""

    service: str
    tool: str
    table: str
    by: Mapping[str, By]
    """Field → the parameter that selects rows by its value."""
    shape: Literal["one", "many"]
    items: Path
    """Where the item (`one`) or the list of items (`many`) stands in the result."""
    reveals: Mapping[str, Path]
    """Field → where its value stands inside one item."""
    required: tuple[str, ...] = ()
    """Fields of `by` that must be given."""
    fixed: Fixed = ()
    """Constants with which the call works best: the largest page size."""
    page_size: int | None = None
    """Rows on a full page, where the list is cut."""
    paging: Paging | None = None
    where: Mapping[str, tuple[JSON, ...]] = field(factory=dict)
    """Field → values of rows that the tool surely shows; others may be hidden (archived…). A
    field selected by `by` is free. `ref.field` is a field of the row that `ref` names."""
    actor: tuple[Slot, ...] = ()
    """Where the address of the account that the caller uses must go."""

    def calls(self, values: Mapping[str, JSON], actor: str = "") -> dict[str, JSON]:
        """The arguments that select rows by these fields' values, for the caller's account."""
        filled = [(self.by[name].slot, value) for name, value in values.items()]
        return arguments([*filled, *((slot, actor) for slot in self.actor)], self.fixed)


@frozen
class Into:
    """How an argument lands in a field: as its value, after its text, among its items."""

    slot: Slot
    mode: Mode = "set"


@frozen
class Side:
    """Other records that a write changes too."""

    table: str
    op: Op
    fields: tuple[str, ...] = ()


@frozen
class Write:
    """A change of one record, and what comes with it."""

    service: str
    tool: str
    table: str
    op: Op
    by: Mapping[str, By]
    """Field → the parameter that names the row to change; empty for creates."""
    sinks: Mapping[str, Into]
    """Field → the argument that lands in it."""
    required: tuple[str, ...] = ()
    """Sinks that must be given."""
    fixed: Fixed = ()
    """Constants that the call needs."""
    effects: Mapping[str, JSON] = field(factory=dict)
    """Fields of the record that become a constant, whatever the arguments."""
    touches: tuple[str, ...] = ()
    """Further fields of the record that may change (times, versions, derived values)."""
    pre: Mapping[str, tuple[JSON, ...]] = field(factory=dict)
    """Field of the row to change → values for which the call works; `ref.field` is a field of
    the row that `ref` names, also for a create whose sink `ref` is."""
    own: tuple[str, ...] = ()
    """Fields of the row that must name the caller's own account: by its address, or by the key
    of the row that has it."""
    moves: Mapping[str, Mapping[str, tuple[JSON, ...]]] = field(factory=dict)
    """Enum sink → value written → values from which that works. Absent: from all."""
    parent: tuple[str, str] | None = None
    """(parent table, Ref field of the new record) of a child record; also among the sinks."""
    parent_pre: Mapping[str, tuple[JSON, ...]] = field(factory=dict)
    """As `pre`, of the parent's row."""
    id_path: Path | None = None
    """Where the id of the new or changed row stands in the result."""
    side: tuple[Side, ...] = ()
    unique: tuple[str, ...] = ()
    """Sinks for which a value that a row already has ends in a conflict."""
    exists: Mapping[str, tuple[str, str]] = field(factory=dict)
    """Sink → (table, field) in which its value must exist."""
    result: Mapping[str, Path] = field(factory=dict)
    """Field of the written row → where it stands in the result."""
    actor: tuple[Slot, ...] = ()
    """Where the address of the account that the caller uses must go."""

    @property
    def key(self) -> Slot | None:
        """The slot that takes the id of the row to change."""
        return self.by["id"].slot if "id" in self.by else None

    def calls(
        self, row: Mapping[str, JSON], values: Mapping[str, JSON], actor: str = ""
    ) -> dict[str, JSON]:
        """The arguments that write `values` into the row named by the fields of `row`."""
        named = [(self.by[name].slot, value) for name, value in row.items()]
        filled = [(self.sinks[name].slot, value) for name, value in values.items()]
        account = [(slot, actor) for slot in self.actor]
        return arguments([*named, *filled, *account], self.fixed)


@frozen
class Fact:
    """What a field of an entity means."""

    kind: Kind
    role: str = ""
    ref: str = ""
    """The table whose key the value is."""
    enum: tuple[str, ...] = ()
    distinct: bool = False
    """All seeded values differ."""
    optional: bool = False
    """The value may be null."""
    many: bool = False
    """The field holds several values."""
    json_type: str = "string"

    @property
    def is_key(self) -> bool:
        """Whether the kind can identify a record."""
        return self.kind in KEY_KINDS


@frozen
class Affordances:
    """All that is known of a service's tools."""

    service: str
    version: str
    lookups: tuple[Lookup, ...] = ()
    writes: tuple[Write, ...] = ()
    facts: Mapping[str, Mapping[str, Fact]] = field(factory=dict)
    """Table → field → meaning."""
    skipped: Mapping[str, str] = field(factory=dict)
    """Tool of which nothing was established → why."""

    @property
    def learnt(self) -> tuple[str, ...]:
        """Tools of which something is known, in a fixed order."""
        tools = [*(each.tool for each in self.lookups), *(each.tool for each in self.writes)]
        return tuple(dict.fromkeys(tools))

    def as_json(self) -> dict[str, JSON]:
        """The affordances as JSON values; what equals its default is left out."""
        return {"schema": SCHEMA, **_plain(self)}

    @classmethod
    def from_json(cls, data: Mapping[str, JSON]) -> Affordances:
        """Read what `as_json` gave; RecordError where it is something else."""
        if data.get("schema") != SCHEMA:
            raise RecordError(
                f"affordances of schema {data.get('schema')!r}; this version reads {SCHEMA}"
            )
        try:
            read: Affordances = _typed(cls, {k: v for k, v in data.items() if k != "schema"})
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            why = f"{type(error).__name__}: {error}"
            raise RecordError(f"these are not affordances ({why}); learn them anew") from error
        return read


def _plain(value: Any) -> Any:
    if has(type(value)):
        held = ((each, getattr(value, each.name)) for each in fields(type(value)))
        return {each.name: _plain(item) for each, item in held if item != _default(each)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _default(attribute: Attribute[Any]) -> Any:
    default: Any = attribute.default
    return default.factory() if hasattr(default, "factory") else default


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def _typed(hint: Any, data: Any) -> Any:
    """JSON values as the type that a field's annotation names."""
    origin, inner = get_origin(hint), get_args(hint)
    if has(hint):
        hints = _hints(hint)
        return hint(**{name: _typed(hints[name], value) for name, value in data.items()})
    if origin is tuple:
        parts = [inner[0]] * len(data) if inner[-1] is ... else inner
        return tuple(_typed(part, item) for part, item in zip(parts, data, strict=True))
    if origin is Mapping:
        return {key: _typed(inner[1], item) for key, item in data.items()}
    if type(None) in inner and data is not None:
        return _typed(inner[0], data)
    return freeze(data)
