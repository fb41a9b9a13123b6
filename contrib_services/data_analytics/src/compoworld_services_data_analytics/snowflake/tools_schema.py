"""Schema tools: databases, schemas, tables and views, and making them."""

from __future__ import annotations

import sqlite3
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict

from compoworld_core import Context, Forms, Ref, ToolError
from compoworld_core.resources import Page, check, paginate, require
from compoworld_core.types import Text, Title
from compoworld_services_data_analytics.snowflake import access, run, statement
from compoworld_services_data_analytics.snowflake.app import service
from compoworld_services_data_analytics.snowflake.ddl import NAME, read_create
from compoworld_services_data_analytics.snowflake.engine import engine_for
from compoworld_services_data_analytics.snowflake.layout import (
    DATABASE,
    LAYOUTS,
    SANDBOX,
    SHOWN,
    columns_of,
)
from compoworld_services_data_analytics.snowflake.state import (
    Column,
    Database,
    Relation,
    Schema,
    SnowflakeState,
    User,
)


class ColumnInfo(BaseModel):
    """A column of a table."""

    model_config = ConfigDict(extra="forbid")

    name: str
    type: str
    nullable: bool
    default: str | None
    primary_key: bool


class TableDescription(BaseModel):
    """A table or view with its columns."""

    model_config = ConfigDict(extra="forbid")

    id: str
    name: str
    kind: str
    comment: str
    owner: str
    rows: int | None
    columns: list[ColumnInfo]
    definition: str


@service.tool(read_only=True)
def list_databases(state: SnowflakeState) -> Page[Database]:
    """List the databases of the account."""
    return paginate(list(state.databases), 200)


@service.tool(read_only=True)
def list_schemas(state: SnowflakeState, database: Ref[Database]) -> Page[Schema]:
    """List the schemas of a database.

    Args:
        database: the database's name.
    """
    found = require(state.databases, database.upper(), "database")
    return paginate(state.schemas.where(database=found.id), 200)


@service.tool(read_only=True)
def list_tables(
    state: SnowflakeState, database: Ref[Database], schema_: Ref[Schema]
) -> Page[Relation]:
    """List the tables and views of a schema.

    Args:
        database: the database's name.
        schema: the schema's name.
    """
    require(state.databases, database.upper(), "database")
    found = require(state.schemas, schema_.upper(), "schema")
    return paginate(state.relations.where(schema_name=found.id), 200)


@service.tool(read_only=True)
def describe_table(state: SnowflakeState, table_name: Ref[Relation]) -> TableDescription:
    """Show the columns, comment and number of rows of a table or view.

    Args:
        table_name: the name, fully qualified or not.
    """
    relation = access.find_relation(state, table_name)
    rows: int | None = None
    columns: list[Column] = list(relation.columns)
    table = relation.name.lower()
    if relation.origin == "source":
        columns = columns_of(LAYOUTS[table])
        rows = len(state.table(table))
    elif relation.kind == "TABLE":
        rows = len(state.records.where(relation=relation.id))
    return TableDescription(
        id=relation.id,
        name=relation.name,
        kind=relation.kind,
        comment=relation.comment,
        owner=str(relation.owner),
        rows=rows,
        columns=[_info(column) for column in columns],
        definition=relation.definition,
    )


def _info(column: Column) -> ColumnInfo:
    default = None if column.default == "row_key()" else column.default
    return ColumnInfo(
        name=column.name,
        type=SHOWN[column.type],
        nullable=column.nullable and not column.key,
        default=default,
        primary_key=column.key > 0,
    )


@service.tool(destructive=True)
def create_table(
    state: SnowflakeState,
    ctx: Context,
    query: Annotated[
        str,
        Forms(**{"relations.name": "CREATE TABLE {} (id NUMBER PRIMARY KEY, label VARCHAR)"}),
    ],
) -> Relation:
    """Make a table. Without a schema in its name it goes to ANALYTICS.SANDBOX.

    Args:
        query: CREATE [OR REPLACE] TABLE [IF NOT EXISTS] name (column TYPE [NOT NULL]
            [DEFAULT literal] [PRIMARY KEY], …).
    """
    user = access.me(state, ctx)
    created = read_create(statement.parse(query))
    schema, name = _home(state, created.path)
    old = _existing(state, name)
    if old is not None:
        if created.if_not_exists:
            return old
        check(created.replace, "conflict", f"object {old.id} already exists")
        _remove(state, old, user)
    relation = Relation(
        id=f"{DATABASE}.{schema}.{name}",
        database=DATABASE,
        schema_name=schema,
        name=name,
        origin="custom",
        owner=user.default_role,
        columns=created.columns,
        created_at=ctx.now,
    )
    return _enter(state, relation)


@service.tool
def create_view(
    state: SnowflakeState,
    ctx: Context,
    view_name: Title,
    query: Annotated[
        str, Forms(**{"relations.definition": "SELECT * FROM customers WHERE company = '{}'"})
    ],
    comment: Text = "",
) -> Relation:
    """Save a SELECT statement as a view, which queries can then name like a table.

    Args:
        view_name: its name; without a schema it goes to ANALYTICS.SANDBOX.
        query: one SELECT statement.
        comment: what it is for.
    """
    user = access.me(state, ctx)
    path = tuple(part.strip().lower() for part in view_name.split("."))
    schema, name = _home(state, path)
    old = _existing(state, name)
    check(old is None, "conflict", f"object {old.id if old else name} already exists")
    run.query(state, ctx, query)
    parsed = statement.parse(query)
    relation = Relation(
        id=f"{DATABASE}.{schema}.{name}",
        database=DATABASE,
        schema_name=schema,
        name=name,
        kind="VIEW",
        origin="custom",
        comment=comment,
        owner=user.default_role,
        definition=run.prepared(state, engine_for(state), parsed),
        created_at=ctx.now,
    )
    return _enter(state, relation)


@service.tool
def comment_on_object(
    state: SnowflakeState, ctx: Context, object_name: Ref[Relation], comment: Text
) -> Relation:
    """Set the comment of a table or view; needs its owner's role.

    Args:
        object_name: the table or view.
        comment: the new comment; empty removes it.
    """
    check(len(comment) <= 2000, "invalid_argument", "a comment has at most 2000 characters")
    relation = access.find_relation(state, object_name)
    _require_owner(state, access.me(state, ctx), relation)
    return state.relations.update(relation.id, comment=comment)


@service.tool(destructive=True)
def drop_object(
    state: SnowflakeState,
    ctx: Context,
    object_type: Literal["table", "view"],
    object_name: Ref[Relation],
) -> Relation:
    """Remove a table or view that was made here; tables that other systems export to stay.

    Args:
        object_type: what it is.
        object_name: its name.
    """
    relation = access.find_relation(state, object_name)
    check(
        relation.kind == object_type.upper(),
        "failed_precondition",
        f"{relation.id} is a {relation.kind.lower()}",
    )
    _remove(state, relation, access.me(state, ctx))
    return relation


def _home(state: SnowflakeState, path: tuple[str, ...]) -> tuple[str, str]:
    """(schema, name) in capitals of a name with up to three parts."""
    check(len(path) <= 3, "invalid_argument", "a name has at most three parts")
    name = path[-1]
    if not NAME.match(name) or name.startswith("sqlite_"):
        raise ToolError(
            "invalid_argument", f"invalid name {name[:60]!r}: letters, digits and _"
        )
    if len(path) == 3:
        require(state.databases, path[0].upper(), "database")
    schema = path[-2].upper() if len(path) > 1 else SANDBOX
    return str(require(state.schemas, schema, "schema").id), name.upper()


def _existing(state: SnowflakeState, name: str) -> Relation | None:
    return state.relations.first(name=name)


def _require_owner(state: SnowflakeState, user: User, relation: Relation) -> None:
    held = access.roles_of(state, user)
    check(
        relation.owner in held,
        "permission_denied",
        f"{relation.id} belongs to role {relation.owner}; you hold {', '.join(held) or 'none'}",
    )


def _remove(state: SnowflakeState, relation: Relation, user: User) -> None:
    if relation.origin == "source":
        raise ToolError("failed_precondition", f"{relation.id} is exported by another system")
    _require_owner(state, user, relation)
    for record in state.records.where(relation=relation.id):
        state.records.delete(record.id)
    state.relations.delete(relation.id)


def _enter(state: SnowflakeState, relation: Relation) -> Relation:
    """Add a relation and see that the engine accepts it."""
    if relation.id in state.relations:
        state.relations.replace(relation)
    else:
        state.relations.insert(relation)
    try:
        engine_for(state)
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise ToolError("invalid_argument", f"SQL error: {error}") from error
    return relation
