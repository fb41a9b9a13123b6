"""Affordances: what each tool of a service reveals and changes, as data learnt by running it.

`Lookup` is a read of rows of one table, `Write` a change of one record; both say which argument
meets which field of the entity. The planner reads nothing else about a service. Everything here
is frozen and survives a JSON round trip.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from attrs import evolve, field, frozen

from compoworld_core.errors import RecordError
from compoworld_core.types import KEY_KINDS, Kind, freeze

SCHEMA = "compoworld/affordances@1"

JSON = Any
Path = tuple[str | int, ...]
"""Keys and list positions that lead into a JSON value."""
Fixed = tuple[tuple[Path, JSON], ...]
"""Constants at places in the arguments."""
Match = Literal["eq", "contains", "key"]
"""`eq`: rows whose field has the value; `contains`: whose text contains it, case ignored; `key`:
the one row whose id it is."""
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
    places: dict[Path, JSON] = dict(fixed)
    for slot, value in filled:
        places.update(slot.leaves(value))
    built: dict[str, JSON] = {}
    for path, value in sorted(places.items(), key=lambda place: [str(p) for p in place[0]]):
        _put(built, path, thaw(value))
    return built


def _put(node: Any, path: Path, value: JSON) -> None:
    for step, following in zip(path, path[1:], strict=False):
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
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list | tuple) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            raise KeyError(step)
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
    mode: Literal["token", "page"]
    next: Path | None
    """`token`: where a page gives the cursor of the next one."""


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

    def calls(self, values: Mapping[str, JSON]) -> dict[str, JSON]:
        """The arguments that select rows by these fields' values."""
        return arguments(((self.by[f].slot, v) for f, v in values.items()), self.fixed)


@frozen
class Into:
    """How an argument lands in a field: as its value, appended to its text, added to its items."""

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
    """Enum-like field of the row to change → values for which the call works."""
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

    @property
    def key(self) -> Slot | None:
        """The slot that takes the id of the row to change."""
        return self.by["id"].slot if "id" in self.by else None

    def calls(self, row: Mapping[str, JSON], values: Mapping[str, JSON]) -> dict[str, JSON]:
        """The arguments that write `values` into the row named by the fields of `row`."""
        named = [(self.by[f].slot, v) for f, v in row.items()]
        return arguments([*named, *((self.sinks[f].slot, v) for f, v in values.items())], self.fixed)


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
    searchable: bool = False
    """Some lookup selects by it."""

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
        return tuple(dict.fromkeys(each.tool for each in (*self.lookups, *self.writes)))

    def as_json(self) -> dict[str, JSON]:
        """The affordances as JSON values."""
        return {
            "schema": SCHEMA,
            "service": self.service,
            "version": self.version,
            "lookups": [_plain(each) for each in self.lookups],
            "writes": [_plain(each) for each in self.writes],
            "facts": {table: _plain_map(facts) for table, facts in self.facts.items()},
            "skipped": dict(self.skipped),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, JSON]) -> Affordances:
        """Read what `as_json` gave; RecordError where it is something else."""
        try:
            if data["schema"] != SCHEMA:
                raise RecordError(f"schema {data['schema']!r}; this version reads {SCHEMA}")
            facts = {
                table: {name: _fact(fact) for name, fact in fields.items()}
                for table, fields in data["facts"].items()
            }
            return cls(
                data["service"],
                data["version"],
                tuple(_lookup(each) for each in data["lookups"]),
                tuple(_write(each) for each in data["writes"]),
                facts,
                dict(data["skipped"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RecordError(f"not affordances ({type(error).__name__}: {error})") from error


def _plain(value: Any) -> JSON:
    """An attrs object of this module as JSON values, defaults left out."""
    if hasattr(type(value), "__attrs_attrs__"):
        blank = _BLANKS.get(type(value), {})
        out = {}
        for attribute in type(value).__attrs_attrs__:
            held = getattr(value, attribute.name)
            if attribute.name not in blank or held != blank[attribute.name]:
                out[attribute.name] = _plain(held)
        return out
    if isinstance(value, Mapping):
        return _plain_map(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _plain_map(value: Mapping[str, Any]) -> dict[str, JSON]:
    return {key: _plain(item) for key, item in value.items()}


def _path(data: JSON) -> Path:
    return tuple(data)


def _paths(data: JSON) -> dict[str, Path]:
    return {key: tuple(path) for key, path in data.items()}


def _fixed(data: JSON) -> Fixed:
    return tuple((tuple(path), freeze(value)) for path, value in data)


def _slot(data: JSON) -> Slot:
    slot = Slot(**{**data, "path": _path(data["path"])})
    return evolve(slot, fixed=_fixed(slot.fixed), enum=tuple(slot.enum))


def _by(data: JSON) -> dict[str, By]:
    return {key: By(**{**by, "slot": _slot(by["slot"])}) for key, by in data.items()}


def _values(data: JSON) -> dict[str, tuple[JSON, ...]]:
    return {key: tuple(values) for key, values in data.items()}


def _lookup(data: JSON) -> Lookup:
    paging = data.get("paging")
    read: dict[str, Any] = {
        **data,
        "by": _by(data["by"]),
        "items": _path(data["items"]),
        "reveals": _paths(data["reveals"]),
        "required": tuple(data.get("required", ())),
        "fixed": _fixed(data.get("fixed", ())),
    }
    if paging is not None:
        following = paging["next"]
        read["paging"] = Paging(
            _slot(paging["slot"]), paging["mode"], None if following is None else _path(following)
        )
    return Lookup(**read)


def _write(data: JSON) -> Write:
    sinks = {
        key: Into(**{**into, "slot": _slot(into["slot"])}) for key, into in data["sinks"].items()
    }
    side = tuple(
        Side(**{**each, "fields": tuple(each.get("fields", ()))}) for each in data.get("side", ())
    )
    parent, id_path = data.get("parent"), data.get("id_path")
    return Write(**{
        **data,
        "by": _by(data["by"]),
        "sinks": sinks,
        "required": tuple(data.get("required", ())),
        "fixed": _fixed(data.get("fixed", ())),
        "effects": {key: freeze(value) for key, value in data.get("effects", {}).items()},
        "touches": tuple(data.get("touches", ())),
        "pre": _values(data.get("pre", {})),
        "parent": None if parent is None else (parent[0], parent[1]),
        "parent_pre": _values(data.get("parent_pre", {})),
        "id_path": None if id_path is None else _path(id_path),
        "side": side,
        "unique": tuple(data.get("unique", ())),
        "exists": {key: (held[0], held[1]) for key, held in data.get("exists", {}).items()},
        "result": _paths(data.get("result", {})),
    })  # fmt: skip


def _fact(data: JSON) -> Fact:
    return Fact(**{**data, "enum": tuple(data.get("enum", ()))})


def _defaults(example: Any, required: tuple[str, ...]) -> dict[str, Any]:
    names = [attribute.name for attribute in type(example).__attrs_attrs__]
    return {name: getattr(example, name) for name in names if name not in required}


_SLOT = Slot(())
_BLANKS: dict[type, dict[str, Any]] = {
    Slot: _defaults(_SLOT, ("path", "kind", "json_type")),
    Lookup: _defaults(
        Lookup("", "", "", {}, "one", (), {}),
        ("service", "tool", "table", "by", "shape", "items", "reveals"),
    ),
    Write: _defaults(
        Write("", "", "", "create", {}, {}), ("service", "tool", "table", "op", "by", "sinks")
    ),
    Side: _defaults(Side("", "create"), ("table", "op")),
    Fact: _defaults(Fact("text"), ("kind",)),
}
"""Values that JSON leaves out."""
