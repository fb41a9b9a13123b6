"""The warehouse: catalogue, statements that land in the typed state, compute and access."""

from __future__ import annotations

import json
from typing import Any

import pytest
from compoworld_services_data_analytics.snowflake import engine, service
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


# -- reading ----------------------------------------------------


@pytest.mark.parametrize("table", ["customers", "orders", "invoices", "support_tickets"])
def test_rows_show_the_fields_of_the_records(env: Environment, table: str) -> None:
    entities = sorted(held(env).table(table), key=lambda row: row.id)
    expected = [json.loads(entity.model_dump_json()) for entity in entities]
    assert rows(env, f"SELECT * FROM {table}") == expected[: engine.MOST_ROWS]


def test_names_may_be_qualified_and_in_any_case(env: Environment) -> None:
    plain = rows(env, "select count(*) as n from orders")
    assert rows(env, "SELECT COUNT(*) AS n FROM ANALYTICS.SALES.ORDERS") == plain
    assert rows(env, "SELECT count(*) AS n FROM sales.Orders o") == plain


def test_an_alias_with_a_schema_name_stays_an_alias(env: Environment) -> None:
    assert rows(env, "SELECT sales.currency FROM orders AS sales LIMIT 1")[0]["currency"]


def test_joins_and_aggregates_agree_with_the_records(env: Environment) -> None:
    state = held(env)
    by_email: dict[str, int] = {}
    for order in state.orders:
        email = state.customers[order.customer_id].email
        by_email[email] = by_email.get(email, 0) + 1
    found = rows(
        env,
        "SELECT c.email, COUNT(*) AS n FROM orders o JOIN customers c ON c.id = o.customer_id"
        " GROUP BY c.email",
    )
    assert {row["email"]: row["n"] for row in found} == by_email


def test_sums_of_money_are_exact(env: Environment) -> None:
    total = sum(invoice.amount for invoice in held(env).invoices)
    (row,) = rows(env, "SELECT SUM(amount) AS total FROM invoices")
    assert row["total"] == str(total.normalize()) or row["total"] == f"{total:f}"


def test_like_has_case_and_ilike_has_none(env: Environment) -> None:
    name = next(iter(held(env).customers)).name
    part = name[1:4].upper()
    assert rows(env, f"SELECT id FROM customers WHERE name LIKE '%{part}%'") == []
    assert rows(env, f"SELECT id FROM customers WHERE name ILIKE '_{part}%'")


def test_the_warehouse_speaks_some_of_its_own_date_functions(env: Environment) -> None:
    (row,) = rows(
        env,
        "SELECT DATEADD(month, 1, '2026-01-31') a, DATEDIFF(day, '2026-01-01', '2026-03-01') b,"
        " DATE_TRUNC('quarter', '2026-05-20') c, YEAR('2026-05-20') d",
    )
    assert row == {"a": "2026-02-28", "b": 59, "c": "2026-04-01", "d": 2026}


def test_results_are_cut_with_a_notice(env: Environment) -> None:
    found = call(env, "read_query", query="SELECT a.id FROM orders a, orders b")
    assert found["total"] == engine.MOST_ROWS
    assert found["truncated"]


# -- writing ----------------------------------------------------


def test_an_insert_lands_in_the_typed_state_with_id_and_time(env: Environment) -> None:
    done = call(
        env,
        "write_query",
        query="INSERT INTO customers (name, email, lifetime_value)"
        " VALUES ('Ada', 'a@b.example', 1.5)",
    )
    found = held(env).customers[done["ids"][0]]
    assert found.email == "a@b.example"
    assert str(found.lifetime_value) == "1.5"
    assert found.created_at.year >= 2026


def test_an_update_changes_the_matching_records_only(env: Environment) -> None:
    before = env.fork()
    number = next(row.invoice_number for row in held(env).invoices if row.status == "paid")
    call(
        env,
        "write_query",
        query=f"UPDATE finance.invoices SET status = 'void' WHERE invoice_number = '{number}'",
    )
    (change,) = before.diff(env)
    assert change.table == "invoices"
    assert change.after is not None
    assert change.after["status"] == "void"


def test_a_delete_takes_the_record_out(env: Environment) -> None:
    key = next(iter(held(env).support_tickets)).id
    call(env, "write_query", query=f"DELETE FROM support_tickets WHERE id = '{key}'")
    assert key not in held(env).support_tickets
    assert rows(env, f"SELECT * FROM support_tickets WHERE id = '{key}'") == []


@pytest.mark.parametrize(
    ("sql", "code", "says"),
    [
        ("UPDATE orders SET amount = 'many'", "invalid_argument", "TEXT value in REAL column"),
        ("UPDATE orders SET status = 'lost'", "invalid_argument", "CHECK constraint failed"),
        ("UPDATE employees SET email = 'x'", "permission_denied", "EMPLOYEES"),
        ("INSERT INTO customers (name, email) VALUES ('A', 'b')", "invalid_argument", "email"),
        ("UPDATE customers SET email = NULL", "invalid_argument", "NOT NULL constraint failed"),
        ("UPDATE invoices SET due_on = '31/12/2026'", "invalid_argument", "not recognized"),
        ("UPDATE invoices SET due_on = '2026-02-31'", "invalid_argument", "not recognized"),
        ("UPDATE orders SET amount = 1e300", "invalid_argument", "out of range"),
        ("UPDATE orders SET amount = 2e9", "invalid_argument", "amount"),
        (
            "UPDATE customers SET email = 'same@b.example'",
            "conflict",
            "UNIQUE constraint failed",
        ),
        ("UPDATE orders SET customer_id = 'cus_none'", "failed_precondition", "FOREIGN KEY"),
        ("DELETE FROM customers", "failed_precondition", "FOREIGN KEY"),
        ("INSERT INTO orders (amount) VALUES (1)", "invalid_argument", "NOT NULL"),
        ("UPDATE customers SET id = 'a b'", "invalid_argument", "UNIQUE constraint failed"),
        ("UPDATE nowhere SET a = 1", "invalid_argument", "no such table"),
        ("UPDATE orders SET nope = 1", "invalid_argument", "no such column"),
        ("UPDATE orders SET", "invalid_argument", "incomplete input"),
        ("UPDATE fx_rates SET rate = 2", "permission_denied", "insufficient privileges"),
        ("SELECT 1", "invalid_argument", "use read_query"),
    ],
)
def test_a_statement_that_does_not_fit_changes_nothing(
    env: Environment, sql: str, code: str, says: str
) -> None:
    assert says in refused(env, "write_query", code, query=sql)


def test_a_failing_row_undoes_the_others_of_its_statement(env: Environment) -> None:
    one, two = [row.email for row in held(env).customers][:2]
    refused(
        env,
        "write_query",
        "conflict",
        query=f"UPDATE customers SET notes = 'x', email = '{one}' WHERE email = '{two}'",
    )
    assert rows(env, "SELECT id FROM customers WHERE notes = 'x'") == []


def test_forks_read_their_own_state(env: Environment) -> None:
    count = "SELECT COUNT(*) AS n FROM insights_of_forks"
    call(env, "create_table", query="CREATE TABLE insights_of_forks (a NUMBER)")
    other = env.fork()
    call(other, "write_query", query="INSERT INTO insights_of_forks VALUES (1), (2)")
    call(env, "write_query", query="UPDATE orders SET note = 'mine'")
    assert rows(env, count) == [{"n": 0}]
    assert rows(other, count) == [{"n": 2}]
    assert rows(other, "SELECT id FROM orders WHERE note = 'mine'") == []
    assert rows(env, "SELECT note FROM orders LIMIT 1") == [{"note": "mine"}]


def test_reading_an_unchanged_state_loads_no_row_again(
    env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows(env, "SELECT 1")
    loaded: list[int] = []
    monkeypatch.setattr(
        "compoworld_services_data_analytics.snowflake.mirror.row_of",
        lambda layout, entity: loaded.append(1),
    )
    rows(env.fork(), "SELECT * FROM customers")
    assert loaded == []


def test_another_world_does_not_see_the_rows_of_the_first(env: Environment) -> None:
    other = compose(service, seed=6, scale=60)
    for world in (env, other, env):
        found = {row["email"] for row in rows(world, "SELECT email FROM customers LIMIT 200")}
        assert found == {row.email for row in held(world).customers}


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


# -- seeds ----------------------------------------------------


@pytest.mark.parametrize("scale", [20, 200, 2000])
def test_seeds_are_of_the_asked_size_and_refer_to_what_exists(scale: int) -> None:
    state = held(compose(service, seed=3, scale=scale))
    total = sum(len(state.table(name)) for name in service.state.tables())
    assert scale <= total <= scale * 1.2 + 60
    for order in state.orders:
        assert order.customer_id in state.customers
        assert order.product_id in state.products
    for customer in state.customers:
        assert customer.account_id is None or customer.account_id in state.accounts
