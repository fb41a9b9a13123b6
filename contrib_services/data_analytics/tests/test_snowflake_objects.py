"""The warehouse: custom tables and views, compute, access and insights."""

from __future__ import annotations

from typing import Any

import pytest
from compoworld_services_data_analytics.snowflake import service
from compoworld_services_data_analytics.snowflake.state import SnowflakeState

from compoworld_core import Environment, compose


@pytest.fixture
def env() -> Environment:
    return compose(service, seed=5, scale=200)


def call(env: Environment, tool: str, **arguments: Any) -> Any:
    seen = env.call(f"snowflake.{tool}", arguments)
    assert not seen.is_error, seen.text
    return seen.data


def refused(env: Environment, tool: str, code: str, **arguments: Any) -> str:
    before = env.digest()
    seen = env.call(f"snowflake.{tool}", arguments)
    assert seen.code == code, seen.text
    assert env.digest() == before, "a refused call changed the state"
    return seen.text


def rows(env: Environment, sql: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = call(env, "read_query", query=sql)["items"]
    return found


def held(env: Environment) -> SnowflakeState:
    state = env.state("snowflake")
    assert isinstance(state, SnowflakeState)
    return state


# -- custom tables and views ---------------------------------------


def test_a_custom_table_keeps_types_keys_and_defaults(env: Environment) -> None:
    made = call(
        env,
        "create_table",
        query="CREATE TABLE sandbox.scores (email VARCHAR(80) PRIMARY KEY, score NUMBER(5,2)"
        " DEFAULT 0.5, is_final BOOLEAN NOT NULL DEFAULT FALSE, seen_on DATE)",
    )
    assert made["id"] == "ANALYTICS.SANDBOX.SCORES"
    call(
        env,
        "write_query",
        query="INSERT INTO scores (email, is_final, seen_on)"
        " VALUES ('z@b', TRUE, '2026-01-02'), ('a@b', FALSE, NULL)",
    )
    assert rows(env, "SELECT * FROM scores") == [
        {"email": "a@b", "score": "0.5", "is_final": False, "seen_on": None},
        {"email": "z@b", "score": "0.5", "is_final": True, "seen_on": "2026-01-02"},
    ]
    refused(
        env,
        "write_query",
        "invalid_argument",
        query="INSERT INTO scores (email) VALUES ('a@b')",
    )
    columns = call(env, "describe_table", table_name="scores")["columns"]
    assert [column["type"] for column in columns] == [
        "VARCHAR", "NUMBER(38,9)", "BOOLEAN", "DATE",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE t",
        "CREATE TABLE t ()",
        "CREATE TABLE t (a)",
        "CREATE TABLE t (a BLOB)",
        "CREATE TABLE t (a TEXT, a TEXT)",
        "CREATE TABLE t (a TEXT CHECK (a > 1))",
        "CREATE TABLE t (a TEXT, PRIMARY KEY (b))",
        "CREATE TABLE t AS SELECT * FROM customers",
        "CREATE TABLE t (rowid TEXT)",
        "CREATE TABLE t (a TEXT DEFAULT (SELECT 1))",
        "CREATE TEMP TABLE t (a TEXT)",
        "CREATE TABLE sqlite_x (a TEXT)",
        "DROP TABLE customers",
    ],
)
def test_other_table_definitions_are_refused(env: Environment, sql: str) -> None:
    refused(env, "create_table", "invalid_argument", query=sql)


def test_a_name_is_used_once(env: Environment) -> None:
    refused(env, "create_table", "conflict", query="CREATE TABLE orders (a TEXT)")
    call(env, "create_table", query="CREATE TABLE IF NOT EXISTS orders (a TEXT)")
    refused(env, "create_table", "failed_precondition",
            query="CREATE OR REPLACE TABLE orders (a TEXT)")  # fmt: skip


def test_a_view_is_read_like_a_table_and_dropped(env: Environment) -> None:
    call(
        env,
        "create_view",
        view_name="overdue",
        query="SELECT company, amount FROM finance.invoices WHERE status = 'overdue'",
    )
    expected = sum(row.status == "overdue" for row in held(env).invoices)
    assert rows(env, "SELECT COUNT(*) AS n FROM overdue") == [{"n": expected}]
    refused(env, "write_query", "invalid_argument", query="DELETE FROM overdue")
    refused(
        env, "drop_object", "failed_precondition", object_type="table", object_name="overdue"
    )
    call(env, "drop_object", object_type="view", object_name="overdue")
    refused(env, "read_query", "invalid_argument", query="SELECT * FROM overdue")


def test_source_tables_cannot_be_dropped(env: Environment) -> None:
    refused(
        env, "drop_object", "failed_precondition", object_type="table", object_name="ORDERS"
    )


def test_the_catalogue_lists_what_queries_can_name(env: Environment) -> None:
    schemas = call(env, "list_schemas", database="ANALYTICS")["items"]
    names = [
        table["name"]
        for schema in schemas
        for table in call(env, "list_tables", database="ANALYTICS", schema=schema["id"])[
            "items"
        ]
    ]
    assert len(names) == 9
    for name in names:
        described = call(env, "describe_table", table_name=name)
        columns = call(env, "read_query", query=f"SELECT * FROM {name} LIMIT 1")["columns"]
        assert [column["name"] for column in described["columns"]] == columns
    refused(env, "describe_table", "not_found", table_name="ORDRES")


# -- compute ----------------------------------------------------


def test_queries_need_a_warehouse_that_runs(env: Environment) -> None:
    call(env, "alter_warehouse", warehouse_name="COMPUTE_WH", auto_resume=False)
    call(env, "suspend_warehouse", warehouse_name="COMPUTE_WH")
    refused(env, "read_query", "failed_precondition", query="SELECT 1")
    refused(env, "suspend_warehouse", "failed_precondition", warehouse_name="COMPUTE_WH")
    call(env, "resume_warehouse", warehouse_name="COMPUTE_WH")
    assert rows(env, "SELECT 1 AS one") == [{"one": 1}]


def test_a_task_is_altered_while_suspended_and_runs_its_statement(env: Environment) -> None:
    task = call(env, "create_task", name="Tidy", warehouse="COMPUTE_WH",
                definition="UPDATE orders SET note = 'tidy' WHERE status = 'paid'")  # fmt: skip
    refused(env, "create_task", "conflict", name="Tidy", warehouse="COMPUTE_WH",
            definition="SELECT 1")  # fmt: skip
    refused(env, "create_task", "invalid_argument", name="Bad", warehouse="COMPUTE_WH",
            definition="DROP TABLE orders")  # fmt: skip
    call(env, "resume_task", task_id=task["id"])
    refused(env, "alter_task", "failed_precondition", task_id=task["id"], comment="x")
    call(env, "suspend_task", task_id=task["id"])
    changed = call(env, "alter_task", task_id=task["id"], comment="x")
    assert changed["definition"] == task["definition"]
    done = call(env, "execute_task", task_id=task["id"])
    paid = sum(row.status == "paid" for row in held(env).orders)
    assert done["last_result"] == f"{paid} rows affected"
    assert len(rows(env, "SELECT id FROM orders WHERE note = 'tidy'")) == paid


def test_a_task_on_a_suspended_warehouse_does_not_run(env: Environment) -> None:
    task = call(
        env, "create_task", name="Late", warehouse="REPORTING_WH", definition="SELECT 1"
    )
    refused(env, "execute_task", "failed_precondition", task_id=task["id"])


# -- access ----------------------------------------------------


def test_a_role_opens_a_table(env: Environment) -> None:
    me = held(env).users.first(email=held(env).ledger.actor)
    assert me is not None
    sql = "UPDATE fx_rates SET rate = 2 WHERE quote = 'EUR'"
    refused(env, "write_query", "permission_denied", query=sql)
    call(env, "grant_role", role="LOADER", user=me.id)
    call(env, "write_query", query=sql)
    refused(env, "grant_role", "conflict", role="LOADER", user=me.id)
    call(env, "revoke_role", role="LOADER", user=me.id)
    refused(env, "write_query", "permission_denied", query=sql)


def test_privileges_open_one_table(env: Environment) -> None:
    call(env, "grant_privileges", privileges=["UPDATE"], on="fx_rates", role="ANALYST")
    call(env, "write_query", query="UPDATE fx_rates SET rate = 2")
    refused(env, "write_query", "permission_denied", query="DELETE FROM fx_rates")
    refused(env, "write_query", "permission_denied", query="UPDATE products SET stock = 1")


def test_the_highest_role_is_out_of_reach(env: Environment) -> None:
    user = held(env).users.keys()[0]
    refused(env, "grant_role", "permission_denied", role="ACCOUNTADMIN", user=user)


def test_a_user_without_roles_reads_nothing(env: Environment) -> None:
    state = held(env).fork()
    for row in list(state.memberships):
        state.memberships.delete(row.id)
    other = Environment.of([(service, state)])
    refused(other, "read_query", "permission_denied", query="SELECT * FROM customers")
    refused(other, "read_query", "permission_denied",
            query="WITH orders AS (SELECT * FROM customers) SELECT * FROM orders")  # fmt: skip
    refused(other, "suspend_warehouse", "permission_denied", warehouse_name="COMPUTE_WH")


def test_users_are_made_found_and_partly_changed(env: Environment) -> None:
    made = call(env, "create_user", display_name="Ada B", email="ada.b@x.example")
    assert made["id"] == "ADA.B"
    refused(env, "create_user", "conflict", display_name="Ada", email="ada.b@x.example")
    changed = call(env, "alter_user", user_name="ADA.B", comment="new")
    assert changed["display_name"] == "Ada B"
    refused(env, "alter_user", "failed_precondition", user_name="ADA.B", default_role="LOADER")
    found = call(env, "list_users", email="ada.b@x.example")
    assert [user["id"] for user in found["items"]] == ["ADA.B"]


def test_insights_are_appended_and_paged(env: Environment) -> None:
    for n in range(3):
        call(env, "append_insight", insight=f"Finding {n}")
    page = call(env, "list_insights", limit=2)
    more = call(env, "list_insights", limit=100, cursor=page["next_cursor"])
    texts = [row["insight"] for row in page["items"] + more["items"]]
    assert texts[-3:] == ["Finding 0", "Finding 1", "Finding 2"]
    refused(env, "append_insight", "invalid_argument", insight="  ")
