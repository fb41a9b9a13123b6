"""Tools for databases and data sources: read, create, change their columns."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict

from compoworld_core import UNSET, Context, Forms, Ref, ToolError
from compoworld_core.resources import check, require
from compoworld_services_productivity_collaboration.notion import access, columns, requests
from compoworld_services_productivity_collaboration.notion.state import (
    Database,
    DataSource,
    NotionState,
    Property,
    new_id,
    service,
)

SourceParent = requests.PageParent | dict[str, Any] | str
SourceTitle = Annotated[list[dict[str, Any] | str], Forms(title=[{"text": {"content": "{}"}}])]
SourceText = Annotated[
    list[dict[str, Any] | str], Forms(description=[{"text": {"content": "{}"}}])
]


class SourceName(BaseModel):
    """A data source of a database."""

    model_config = ConfigDict(frozen=True)

    id: Ref[DataSource]
    name: str


class DatabaseView(Database):
    """A database with its data sources."""

    data_sources: tuple[SourceName, ...]


@service.tool(name="API-retrieve-a-database", read_only=True)
def retrieve_database(state: NotionState, database_id: Ref[Database]) -> DatabaseView:
    """Show a database and which data sources it has.

    Args:
        database_id: id of the database.
    """
    database = require(state.databases, access.key(database_id), "database")
    held = state.data_sources.where(database_id=database.id)
    names = tuple(SourceName(id=row.id, name=row.title) for row in held)
    return DatabaseView(**database.__dict__, data_sources=names)


@service.tool(name="API-retrieve-a-data-source", read_only=True)
def retrieve_data_source(state: NotionState, data_source_id: Ref[DataSource]) -> DataSource:
    """Show a data source with its columns and their options.

    Args:
        data_source_id: id of the data source.
    """
    return access.data_source(state, data_source_id)


@service.tool(name="API-create-a-data-source")
def create_data_source(
    state: NotionState,
    ctx: Context,
    parent: SourceParent,
    properties: dict[str, Any] | str,
    title: SourceTitle = UNSET,
) -> DataSource:
    """Create a table: in a database, or with a new database on a page.

    Args:
        parent: {"page_id": …} for a new database there, or {"database_id": …}.
        properties: columns by name, as {"Name": {"title": {}}, "Due": {"date": {}}}; exactly
            one is the title.
        title: name of the table, as [{"text": {"content": "…"}}].
    """
    found = access.mapping(parent, "parent")
    given = access.mapping(properties, "properties")
    schema = columns.check_columns(
        tuple(columns.new_column(name, raw) for name, raw in given.items())
    )
    name = "Untitled" if title is UNSET else access.rich_text(title, "title")
    check(bool(name.strip()), "invalid_argument", "the title is empty")
    source = DataSource(
        id=new_id(ctx),
        database_id=_database(state, ctx, found, name).id,
        title=name,
        properties=schema,
        created_time=ctx.now,
    )
    return state.data_sources.insert(source)


@service.tool(name="API-update-a-data-source")
def update_data_source(
    state: NotionState,
    data_source_id: Ref[DataSource],
    title: SourceTitle = UNSET,
    description: SourceText = UNSET,
    properties: dict[str, Any] | str = UNSET,
) -> DataSource:
    """Change title, description or columns of a data source.

    Args:
        data_source_id: id of the data source.
        title: the new name, as [{"text": {"content": "…"}}].
        description: the new description, the same way.
        properties: by column name: null removes it with its values, {"name": …} renames it,
            a type such as {"number": {}} adds it.
    """
    source = access.data_source(state, data_source_id)
    changes: dict[str, Any] = {}
    if title is not UNSET:
        changes["title"] = access.rich_text(title, "title")
        check(bool(changes["title"].strip()), "invalid_argument", "the title is empty")
    if description is not UNSET:
        changes["description"] = access.rich_text(description, "description")
    if properties is not UNSET:
        given = access.mapping(properties, "properties")
        schema = _altered(source.properties, given)
        changes["properties"] = schema
        _clear(state, source, schema)
    check(bool(changes), "invalid_argument", "give title, description or properties")
    return state.data_sources.update(source.id, **changes)


def _database(state: NotionState, ctx: Context, parent: dict[str, Any], title: str) -> Database:
    given = parent.get("database_id")
    if isinstance(given, str):
        return require(state.databases, access.key(given), "database")
    page = parent.get("page_id")
    if not isinstance(page, str):
        raise ToolError("invalid_argument", 'parent is {"page_id": …} or {"database_id": …}')
    database = Database(
        id=new_id(ctx),
        title=title,
        parent_page_id=access.editable(state, page).id,
        created_time=ctx.now,
    )
    return state.databases.insert(database)


def _altered(schema: tuple[Property, ...], given: dict[str, Any]) -> tuple[Property, ...]:
    """The columns after removing, renaming and adding."""
    altered = list(schema)
    for name, raw in given.items():
        held = next((c for c in altered if name in (c.name, c.id)), None)
        if held is None:
            check(raw is not None, "not_found", f"no property {name[:60]!r} to remove")
            altered.append(columns.new_column(name, raw))
            continue
        at = altered.index(held)
        if raw is None:
            check(held.type != "title", "failed_precondition", "the title cannot be removed")
            del altered[at]
            continue
        change = access.mapping(raw, name)
        if any(kind in change for kind in columns.TYPES):
            new = columns.new_column(held.name, raw)
            check(
                new.type == held.type,
                "failed_precondition",
                f"{held.name} holds {held.type} values; remove it before adding another type",
            )
            altered[at] = held.model_copy(update={"options": new.options or held.options})
        new_name = change.get("name")
        if isinstance(new_name, str) and new_name.strip():
            altered[at] = altered[at].model_copy(update={"name": new_name})
    ids = [column.id for column in altered]
    for column in altered:
        check(
            ids.count(column.id) == 1, "conflict", f"{column.name} is there under another name"
        )
    return columns.check_columns(tuple(altered))


def _clear(state: NotionState, source: DataSource, schema: tuple[Property, ...]) -> None:
    """Empty the values of columns that are gone."""
    kept = {column.id for column in schema}
    if all(column.id in kept for column in source.properties):
        return
    for page in state.pages.where(data_source_id=source.id):
        gone = columns.cleared(schema, page)
        if gone:
            state.pages.update(page.id, **gone)
