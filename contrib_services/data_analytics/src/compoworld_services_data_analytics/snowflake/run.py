"""Running statements for a user, and landing what they change in the typed state."""

from __future__ import annotations

from collections import Counter
from typing import Any

from compoworld_core import Context, Entity, Table, ToolError
from compoworld_services_data_analytics.snowflake import access, answers, statement
from compoworld_services_data_analytics.snowflake.engine import (
    Changed,
    Engine,
    Result,
    engine_for,
)
from compoworld_services_data_analytics.snowflake.layout import (
    ID_PREFIX,
    LAYOUTS,
    NEW_KEY,
    REFERRERS,
    UNIQUE,
    decimal,
    entity_of,
    record_of,
    values_of,
)
from compoworld_services_data_analytics.snowflake.state import SnowflakeState, User

_MOST_SPELT = 512


def query(state: SnowflakeState, ctx: Context, sql: str) -> Result:
    """Run a SELECT as the caller."""
    user = access.me(state, ctx)
    access.require_warehouse(state, user)
    parsed = statement.parse(sql)
    if parsed.verb not in statement.READS:
        _refuse(parsed.verb, "read_query runs SELECT statements")
    now = _now(ctx)
    known = answers.recall(state, user.id, sql, now)
    if known is not None:
        return known
    engine = engine_for(state)
    text = _spelt(state, engine, sql)
    result = engine.read(text, access.rights(state, user), now)
    return answers.keep(state, user.id, sql, result)


def change(
    state: SnowflakeState, ctx: Context, sql: str, user: User
) -> tuple[Result, list[str]]:
    """Run INSERT, UPDATE or DELETE as a user; the typed state takes what changed.

    Returns the result and the ids of the changed records.
    """
    parsed = statement.parse(sql)
    if parsed.verb not in statement.WRITES:
        _refuse(parsed.verb, "write_query runs INSERT, UPDATE and DELETE statements")
    engine = engine_for(state)
    text = _spelt(state, engine, sql)
    result = engine.write(text, access.rights(state, user), _now(ctx))
    return result, _land(state, ctx, engine, result)


def _refuse(verb: str, what: str) -> None:
    hints = {
        "CREATE": "; use create_table or create_view",
        "DROP": "; use drop_object",
        "SHOW": "; use the list_ tools",
        "DESCRIBE": "; use describe_table",
        "DESC": "; use describe_table",
        "SELECT": "; use read_query",
        "WITH": "; use read_query",
        "INSERT": "; use write_query",
        "UPDATE": "; use write_query",
        "DELETE": "; use write_query",
    }
    raise ToolError(
        "invalid_argument", f"{what}, not {verb[:20] or 'this'}{hints.get(verb, '')}"
    )


def _spelt(state: SnowflakeState, engine: Engine, sql: str) -> str:
    """`prepared`, once for each statement while the catalogue is the same."""
    spelt = engine.mirrors.spelt
    text = spelt.get(sql)
    if text is None:
        if len(spelt) >= _MOST_SPELT:
            spelt.clear()
        text = spelt[sql] = prepared(state, engine, statement.parse(sql))
    return text


def prepared(state: SnowflakeState, engine: Engine, parsed: statement.Statement) -> str:
    """A statement in the engine's spelling, in primary-key order where it names none."""
    homes: dict[str, tuple[str, str]] = {}
    views: list[str] = []
    columns: set[str] = set()
    for relation in state.relations:
        homes[relation.name.lower()] = (
            relation.database.lower(),
            relation.schema_name.lower(),
        )
        if relation.kind == "VIEW":
            views.append(relation.name.lower())
        columns.update(column.name.lower() for column in relation.columns)
    for layout in LAYOUTS.values():
        columns.update(field.name for field in layout.fields)
    new = statement.translate(parsed, homes, columns)
    statement.check_common_tables(new, views)

    def keys(name: str) -> tuple[str, ...] | None:
        layout = engine.layout(name)
        return layout.keys if layout else None

    return statement.ordered(new, keys).text


def _now(ctx: Context) -> str:
    return ctx.now.replace(microsecond=0).isoformat().replace("+00:00", "Z")


def shown(result: Result) -> list[dict[str, Any]]:
    """The rows of a result as JSON values: numbers exact, truth values as such."""
    return [
        {
            name: value if type(value) is str else _value(value, name in result.booleans)
            for name, value in zip(result.columns, row, strict=True)
        }
        for row in result.rows
    ]


def _value(value: Any, is_boolean: bool) -> Any:
    if isinstance(value, float):
        return str(decimal(value))
    if isinstance(value, bytes):
        return value.hex().upper()
    if is_boolean and value in (0, 1):
        return bool(value)
    return value


# -- landing -----------------------------------------------


def _land(state: SnowflakeState, ctx: Context, engine: Engine, result: Result) -> list[str]:
    """Write a statement's changes into the state; ToolError where one does not fit."""
    _check_unique(result)
    gone = [
        state.table(changed.layout.table or "records").delete(
            engine.held(changed.layout, changed.key)
        )
        for changed in result.changes
        if changed.row is None
    ]
    put = [
        _put(state, ctx, changed, changed.row)
        for changed in result.changes
        if changed.row is not None
    ]
    for changed in result.changes:
        if changed.layout.table:
            _check_references(state, changed)
    return [row.id for row in (*gone, *put)]


def _put(state: SnowflakeState, ctx: Context, changed: Changed, row: tuple[Any, ...]) -> Entity:
    layout = changed.layout
    if not layout.table:
        body = row[1:] if layout.keys == ("rowid",) else row
        record = record_of(layout, values_of(layout, body), changed.key)
        records = state.records
        return records.insert(record) if changed.old is None else records.replace(record)
    values = values_of(layout, row)
    if str(values["id"]).startswith(NEW_KEY):
        values["id"] = ctx.new_id(ID_PREFIX[layout.table], length=10)
    entity = entity_of(layout, values)
    table: Table[Entity] = state.table(layout.table)
    return table.insert(entity) if changed.old is None else table.replace(entity)


def _check_unique(result: Result) -> None:
    """ToolError where a unique column that the statement wrote holds a value twice."""
    for name, rows in result.tables.items():
        names = [field.name for field in LAYOUTS[name].fields] if name in LAYOUTS else []
        for column in UNIQUE.get(name, ()):
            at = names.index(column)
            written = {
                changed.row[at]
                for changed in result.changes
                if changed.layout.name == name
                and changed.row is not None
                and (changed.old is None or changed.old[at] != changed.row[at])
            }
            if not written:
                continue
            counted = Counter(row[at] for row in rows)
            twice = [
                value for value, count in counted.items() if count > 1 and value in written
            ]
            if twice:
                raise ToolError(
                    "conflict", f"UNIQUE constraint failed: {name}.{column} = {twice[0]!r}"
                )


def _check_references(state: SnowflakeState, changed: Changed) -> None:
    layout = changed.layout
    if changed.row is None:
        for table, column in REFERRERS[layout.table]:
            left = state.table(table).where(**{column: changed.key[0]})
            if left:
                raise ToolError(
                    "failed_precondition",
                    f"FOREIGN KEY constraint failed: {table}.{column} of {left[0].id} refers to"
                    f" {changed.key[0]}",
                )
        return
    for field, value in zip(layout.fields, changed.row, strict=True):
        if field.refers and value is not None and value not in state.table(field.refers):
            raise ToolError(
                "failed_precondition",
                f"FOREIGN KEY constraint failed: {layout.name}.{field.name} {value!r} is not in"
                f" {field.refers}",
            )
