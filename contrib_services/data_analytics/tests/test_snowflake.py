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
