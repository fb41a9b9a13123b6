"""How tables are laid out for the engine: columns, declarations, rows to and from tuples."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import ValidationError

from compoworld_core import Entity, ToolError
from compoworld_core.schema import meaning_of, problems
from compoworld_core.types import RefTo
from compoworld_services_data_analytics.snowflake.state import (
    Column,
    Record,
    Relation,
    SnowflakeState,
)

DATABASE = "ANALYTICS"
SCHEMA_OF = {
    "accounts": "CORE",
    "customers": "CORE",
    "employees": "REFERENCE",
    "products": "REFERENCE",
    "fx_rates": "REFERENCE",
    "orders": "SALES",
    "invoices": "FINANCE",
    "subscriptions": "FINANCE",
    "support_tickets": "SUPPORT",
}
"""State table → schema: the tables that other systems export to."""

SANDBOX = "SANDBOX"
"""Where create_table and create_view put what has no schema in its name."""

UNIQUE = {
    "accounts": ("name",),
    "customers": ("email",),
    "employees": ("email",),
    "products": ("sku",),
    "orders": ("order_name",),
    "invoices": ("invoice_number",),
}
"""Checked on writes in code: an index in the engine would change the order of rows."""

ID_PREFIX = {
    "accounts": "acc_",
    "customers": "cus_",
    "products": "prd_",
    "employees": "emp_",
    "orders": "ord_",
    "invoices": "inv_",
    "subscriptions": "sub_",
    "support_tickets": "tkt_",
    "fx_rates": "fx_",
}
_LARGEST = 1e15
"""Above it nine decimal places are not exact."""
NEW_KEY = "~new:"
"""How the engine marks the key of a row that was inserted without one."""

Kind = Literal["TEXT", "NUMBER", "FLOAT", "BOOLEAN", "DATE", "TIMESTAMP"]
_STORED = {"TEXT": "TEXT", "NUMBER": "INTEGER", "FLOAT": "REAL", "BOOLEAN": "INTEGER",
           "DATE": "TEXT", "TIMESTAMP": "TEXT"}  # fmt: skip
SHOWN = {"TEXT": "VARCHAR", "NUMBER": "NUMBER(38,0)", "FLOAT": "NUMBER(38,9)",
         "BOOLEAN": "BOOLEAN", "DATE": "DATE", "TIMESTAMP": "TIMESTAMP_TZ"}  # fmt: skip
_STRICT = ["STRICT"] if sqlite3.sqlite_version_info >= (3, 37) else []
"""Older engines take any value in any column; the typed records still refuse it."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d\Z")
_TIMESTAMP = re.compile(
    r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?\Z"
)


@dataclass(frozen=True)
class Field:
    """A column as the engine declares it."""

    name: str
    kind: Kind
    nullable: bool
    default: str | None = None
    """SQL text."""
    choices: tuple[str, ...] = ()
    key: int = 0
    refers: str = ""
    """State table whose ids the column holds."""


@dataclass(frozen=True)
class Layout:
    """A table as the engine knows it; `name` is what statements call it, in lower case."""

    relation: str
    name: str
    fields: tuple[Field, ...]
    table: str = ""
    """Its table of the state; empty for a custom table."""

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The primary key's columns; `rowid` where there is none."""
        found = sorted((f.key, f.name) for f in self.fields if f.key)
        return tuple(name for _, name in found) or ("rowid",)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The stored columns, quoted; the row number first where there is no key."""
        names = tuple(quote(f.name) for f in self.fields)
        return names if self.keys != ("rowid",) else ("rowid", *names)

    @cached_property
    def key(self) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
        """What makes the key of a stored row."""
        names = [f.name for f in self.fields]
        places = [0 if key == "rowid" else names.index(key) for key in self.keys]
        if places == [0]:
            return lambda row: row[:1]
        return lambda row: tuple([row[place] for place in places])

    @cached_property
    def conversions(self) -> tuple[tuple[str, Callable[[Any], Any] | None], ...]:
        """Field → how its value is stored; None: as it is."""
        return tuple((f.name, _OUT.get(f.kind)) for f in self.fields)

    @cached_property
    def deletion(self) -> str:
        """The statement that takes a row out, by the values of its key."""
        test = " AND ".join(f"{quote(k) if k != 'rowid' else k} = ?" for k in self.keys)
        return f"DELETE FROM {quote(self.name)} WHERE {test}"  # noqa: S608  # quoted names

    @cached_property
    def insertion(self) -> str:
        """The statement that puts a stored row in."""
        columns, marks = ", ".join(self.columns), ", ".join("?" * len(self.columns))
        return f"INSERT INTO {quote(self.name)} ({columns}) VALUES ({marks})"  # noqa: S608  # quoted names

    @cached_property
    def selection(self) -> str:
        """The statement that reads all stored rows."""
        return f"SELECT {', '.join(self.columns)} FROM {quote(self.name)}"  # noqa: S608  # quoted names

    @property
    def declaration(self) -> str:
        """The CREATE TABLE statement."""
        parts = [_declare(f) for f in self.fields]
        checks = [
            f"CHECK ({quote(f.name)} IN (0, 1))" for f in self.fields if f.kind == "BOOLEAN"
        ]
        checks += [
            f"CHECK ({quote(f.name)} IN ({', '.join(map(literal, f.choices))}))"
            for f in self.fields
            if f.choices
        ]
        keyed = self.keys != ("rowid",)
        key = [f"PRIMARY KEY ({', '.join(map(quote, self.keys))})"] if keyed else []
        endings = [*_STRICT, *(["WITHOUT ROWID"] if keyed else [])]
        body = ", ".join(parts + key + checks)
        return f"CREATE TABLE {quote(self.name)} ({body}) {', '.join(endings)}"


def quote(name: str) -> str:
    """A name as a quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as a SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _declare(field: Field) -> str:
    text = f"{quote(field.name)} {_STORED[field.kind]}"
    if not field.nullable:
        text += " NOT NULL"
    if field.default is not None:
        text += f" DEFAULT ({field.default})"
    return text


# -- typed tables ------------------------------------------


def _typed(table: str, entity: type[Entity]) -> Layout:
    fields = tuple(_field(name, entity) for name in entity.model_fields)
    schema = SCHEMA_OF[table]
    return Layout(f"{DATABASE}.{schema}.{table.upper()}", table, fields, table)


def _field(name: str, entity: type[Entity]) -> Field:
    info = entity.model_fields[name]
    plain, nullable = _plain(info.annotation)
    choices: tuple[str, ...] = ()
    if get_origin(plain) is Literal:
        choices, kind = get_args(plain), "TEXT"
    else:
        kind = _KINDS[plain]
    default: str | None = None
    if name == "id":
        return Field(name, "TEXT", False, "row_key()", key=1)
    if info.is_required():
        default = "current_timestamp" if kind == "TIMESTAMP" else None
    elif info.default is not None:
        value = info.default
        default = literal(value) if isinstance(value, str) else str(float(value))
        if isinstance(value, int):
            default = str(int(value))
    markers = [item for item in info.metadata if isinstance(item, RefTo)]
    ref: RefTo | None = markers[0] if markers else meaning_of(info.annotation, RefTo)
    refers = _TABLE_OF[ref.entity] if ref else ""
    return Field(name, kind, nullable, default, choices, refers=refers)  # type: ignore[arg-type]  # one of Kind


_KINDS: dict[Any, str] = {str: "TEXT", int: "NUMBER", Decimal: "FLOAT", bool: "BOOLEAN",
                          date: "DATE", datetime: "TIMESTAMP"}  # fmt: skip


def _plain(annotation: Any) -> tuple[Any, bool]:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _plain(get_args(annotation)[0])
    if origin in (Union, UnionType):
        parts = [part for part in get_args(annotation) if part is not type(None)]
        return _plain(parts[0])[0], True
    return annotation, False


_TABLES = SnowflakeState.tables()
_TABLE_OF = {_TABLES[table].__name__: table for table in SCHEMA_OF}
LAYOUTS = {table: _typed(table, _TABLES[table]) for table in SCHEMA_OF}
"""State table → layout, of the tables with typed columns."""

REFERRERS = {
    target: [(name, f.name) for name, layout in LAYOUTS.items() for f in layout.fields
             if f.refers == target]
    for target in SCHEMA_OF
}  # fmt: skip
"""State table → (table, column) that holds its ids."""


def custom(relation: Relation) -> Layout:
    """The layout of a table that was made with create_table."""
    fields = tuple(
        Field(c.name, c.type, c.nullable and not c.key, c.default, key=c.key)
        for c in relation.columns
    )
    return Layout(relation.id, relation.name.lower(), fields)


# -- rows --------------------------------------------------


def _instant(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")


_OUT: dict[str, Callable[[Any], Any]] = {
    "FLOAT": float,
    "BOOLEAN": int,
    "DATE": date.isoformat,
    "TIMESTAMP": _instant,
}


def row_of(layout: Layout, entity: Entity) -> tuple[Any, ...]:
    """A record as the engine stores it; a custom row without a key starts with its number."""
    if isinstance(entity, Record):
        held = entity.values
        row = tuple(held.get(f.name) for f in layout.fields)
        return row if layout.keys != ("rowid",) else (entity.number, *row)
    values = entity.__dict__
    return tuple(
        [
            values[name] if convert is None or values[name] is None else convert(values[name])
            for name, convert in layout.conversions
        ]
    )


def decimal(value: float) -> Decimal:
    """A stored number as a decimal: nine places, in one canonical form."""
    if not abs(value) < _LARGEST:
        raise ToolError("invalid_argument", "numeric value out of range")
    found = Decimal(repr(round(value, 9)))
    return found.quantize(Decimal(1)) if found == found.to_integral() else found.normalize()


def values_of(layout: Layout, row: tuple[Any, ...]) -> dict[str, Any]:
    """A stored row as field values, checked for what the engine cannot check."""
    found: dict[str, Any] = {}
    for f, value in zip(layout.fields, row, strict=True):
        if value is not None:
            if f.kind == "FLOAT":
                value = decimal(value)
            elif f.kind == "DATE" and not _is_day(value, _DATE):
                raise _unreadable(f, "Date", value)
            elif f.kind == "TIMESTAMP" and not _is_day(value, _TIMESTAMP):
                raise _unreadable(f, "Timestamp", value)
        found[f.name] = value
    return found


def _is_day(value: str, shape: re.Pattern[str]) -> bool:
    if not shape.match(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _unreadable(field: Field, what: str, value: str) -> ToolError:
    form = "YYYY-MM-DD" if field.kind == "DATE" else "YYYY-MM-DD HH:MM:SS"
    return ToolError(
        "invalid_argument",
        f"{what} {value[:40]!r} is not recognized in {field.name}: use {form}",
    )


def entity_of(layout: Layout, values: dict[str, Any]) -> Entity:
    """A typed record from field values; ToolError where they do not fit."""
    try:
        return _TABLES[layout.table](**values)
    except ValidationError as error:
        lines = "; ".join(problems(error))
        raise ToolError("invalid_argument", f"row of {layout.name}: {lines}") from error


def record_of(layout: Layout, values: dict[str, Any], key: tuple[Any, ...]) -> Record:
    """A row of a custom table; its id is made of its key."""
    number = key[0] if layout.keys == ("rowid",) else 0
    plain = {
        name: float(value) if isinstance(value, Decimal) else value
        for name, value in values.items()
    }
    return Record(
        id=record_id(layout, key), relation=layout.relation, values=plain, number=number
    )


def record_id(layout: Layout, key: tuple[Any, ...]) -> str:
    """The id of a custom table's row."""
    return f"{layout.relation}/{'/'.join(str(part) for part in key)}"


def columns_of(layout: Layout) -> list[Column]:
    """A typed table's columns, as describe_table shows them."""
    return [
        Column(name=f.name, type=f.kind, nullable=f.nullable, default=f.default, key=f.key)
        for f in layout.fields
    ]
