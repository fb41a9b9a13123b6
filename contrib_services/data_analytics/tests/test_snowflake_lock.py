"""Hostile SQL: the engine cannot touch the host, run on, or give results that do not repeat."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from compoworld_services_data_analytics.snowflake import service

from compoworld_core import Environment, compose

TOOLS = ("read_query", "write_query", "create_table")


@pytest.fixture(scope="module")
def env() -> Environment:
    return compose(service, seed=5, scale=400)


def refused(env: Environment, sql: str, tool: str = "read_query") -> str:
    before = env.digest()
    seen = env.call(f"snowflake.{tool}", {"query": sql})
    assert seen.is_error, f"{sql} gave {seen.text[:200]}"
    assert env.digest() == before
    return seen.text


def items(env: Environment, sql: str) -> list[dict[str, object]]:
    seen = env.call("snowflake.read_query", {"query": sql})
    assert not seen.is_error, seen.text
    found: list[dict[str, object]] = seen.data["items"]
    return found


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH DATABASE '{path}' AS other",
        "DETACH DATABASE main",
        "VACUUM",
        "VACUUM INTO '{path}'",
        "VACUUM main INTO '{path}'",
        "PRAGMA journal_mode = OFF",
        "PRAGMA temp_store_directory = '{path}'",
        "PRAGMA writable_schema = 1",
        "PRAGMA hard_heap_limit = 0",
        "ANALYZE",
        "REINDEX",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT a",
        "RELEASE statement",
        "CREATE TRIGGER t AFTER INSERT ON orders BEGIN DELETE FROM orders; END",
        "CREATE INDEX i ON orders (amount)",
        "CREATE VIRTUAL TABLE t USING fts5(a)",
        "CREATE VIRTUAL TABLE t USING csv(filename='/etc/passwd')",
        "CREATE TEMP TABLE t (a TEXT)",
        "ALTER TABLE orders RENAME TO lost",
        "DROP TABLE orders",
        "EXPLAIN SELECT 1",
        "EXPLAIN QUERY PLAN SELECT * FROM orders",
        ".shell ls",
        "COPY INTO '@stage' FROM orders",
        "SELECT load_extension('{path}')",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('{path}', 'x')",
        "SELECT edit('x', 'sh')",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM pragma_table_info('orders')",
        "SELECT * FROM pragma_function_list()",
        "SELECT * FROM sqlite_master",
        "SELECT count(*) FROM sqlite_schema",
        "SELECT * FROM sqlite_temp_master",
        "SELECT * FROM dbstat",
        "SELECT * FROM fsdir('/')",
        "SELECT * FROM json_each('[1]')",
        "SELECT * FROM generate_series(1, 10)",
        "WITH x AS (SELECT * FROM sqlite_master) SELECT * FROM x",
        "INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 0, 'x')",
        "UPDATE sqlite_master SET sql = 'x'",
        "DELETE FROM sqlite_sequence",
        "INSERT INTO orders (note) SELECT sql FROM sqlite_master",
        "SELECT 1; DROP TABLE orders",
        "SELECT 1; ATTACH '{path}' AS b",
        "DELETE FROM orders WHERE id = 'x'; SELECT 1",
        "/* */ -- \nVACUUM INTO '{path}'",
    ],
)
def test_the_host_is_out_of_reach(
    env: Environment, tmp_path: Path, tool: str, sql: str
) -> None:
    path = tmp_path / "leak.db"
    refused(env, sql.format(path=path), tool)
    assert not path.exists()


@pytest.mark.parametrize(
    "sql",
    [
        "random()", "randomblob(8)", "changes()", "total_changes()", "last_insert_rowid()",
        "sqlite_version()", "sqlite_source_id()", "sqlite_compileoption_get(1)", "zeroblob(10)",
        "date('now', 'localtime')", "datetime('now', 'utc')", "sqlite_log(1, 'x')", "row_key()",
        "fts3_tokenizer('x')", "likelihood(1, 0.5)",
    ],
)  # fmt: skip
def test_functions_that_do_not_repeat_are_refused(env: Environment, sql: str) -> None:
    refused(env, f"SELECT {sql}")
    if sql != "row_key()":  # what makes ids in inserts; it counts from 1 in each statement
        refused(env, f"UPDATE orders SET note = 'x' WHERE 'x' = {sql}", "write_query")


@pytest.mark.parametrize(
    "sql",
    ["CURRENT_TIMESTAMP", "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')",
     "strftime('%Y-%m-%dT%H:%M:%SZ')", "replace(datetime(), ' ', 'T') || 'Z'",
     "replace(datetime('NOW'), ' ', 'T') || 'Z'", "date('now') || 'T' || time() || 'Z'",
     "CURRENT_DATE || 'T' || CURRENT_TIME || 'Z'",
     "strftime('%Y-%m-%dT%H:%M:%SZ', julianday('now'))",
     "strftime('%Y-%m-%dT%H:%M:%SZ', unixepoch(), 'unixepoch')"],
)  # fmt: skip
def test_the_time_is_the_services(env: Environment, sql: str) -> None:
    now = env.state("snowflake").ledger.now
    assert items(env, f"SELECT {sql} AS t") == [{"t": now.strftime("%Y-%m-%dT%H:%M:%SZ")}]


HEAVY = {
    "endless": "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
    " SELECT COUNT(*) FROM c",
    "product": "SELECT COUNT(*) FROM orders a, orders b, orders c, orders d",
    "memory": "WITH RECURSIVE c(x, s) AS (SELECT 1, printf('%30000d', 1)"
    " UNION ALL SELECT x + 1, s || '' FROM c)"
    " SELECT COUNT(*) FROM (SELECT * FROM c ORDER BY s)",
    "replace": "SELECT COUNT(*) FROM orders a, orders b, invoices c WHERE 'b' ="
    " replace(printf('%30000d', c.amount + a.amount * b.amount), printf('%15000d', 1), 'x')",
    "like": "SELECT COUNT(*) FROM orders a, orders b, orders c WHERE"
    " printf('%30000d', a.amount + b.amount * c.amount) LIKE '% % % % %6%'",
}


@pytest.mark.parametrize("kind", HEAVY)
def test_time_and_memory_are_limited(env: Environment, kind: str) -> None:
    start = time.monotonic()
    text = refused(env, HEAVY[kind])
    assert "cancelled" in text
    assert time.monotonic() - start < 20
    assert items(env, "SELECT COUNT(*) AS n FROM orders")[0]["n"], "the engine did not recover"


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT replace(printf('%30000d', 1), ' ', 'xx')", "too big"),
        ("SELECT '" + "x" * 30_000 + "'", "longer than"),
        ("SELECT " + "(" * 200 + "1" + ")" * 200, "SQL error"),
        ("SELECT " + "+".join(["1"] * 300), "too large"),
        ("SELECT " + ",".join(["1"] * 300), "too many columns"),
        (" UNION ALL ".join(["SELECT 1"] * 40), "too many terms"),
        ("SELECT 'a' LIKE '" + "%a" * 20 + "'", "wildcards"),
        ("SELECT ?", "binding"),
        ("SELECT :name", "binding"),
        ("SELECT 'open", "unrecognized token"),
        ("SELECT \x00", "null character"),
        ("", "empty"),
        (" ; ; -- nothing", "empty"),
        ("SELEKT 1", "not SELEKT"),
        ('SELECT * FROM customers WHERE name = "Ada"', "single quotes"),
        ("SELECT amount::text FROM orders", "CAST"),
        ("SELECT CAST(x'ff' AS TEXT)", "UTF-8"),
        ("SELECT 9e999", "out of range"),
        ("SELECT DATEADD(day, 99999999999, '2026-01-01')", "dateadd"),
        ("SELECT DATEADD(fortnight, 1, '2026-01-01')", "not a date part"),
    ],
)
def test_bad_statements_say_why(env: Environment, sql: str, says: str) -> None:
    assert says in refused(env, sql)


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("printf('%.*c', 500000000, 'x')", "a width of * is not available"),
        ("format('%*d', 500000000, 1)", "a width of * is not available"),
        ("printf('%.500000000c', 'x')", "too big"),
        ("printf('%-0500000000d', 1)", "too big"),
        ("printf('" + "%40000d" * 2_800 + "', 1)", "cancelled"),
        ("trim(printf('%30000d', 1), printf('%30000d', 1))", "cancelled"),
        ("instr(printf('%30000d', 1), printf('%15000d', 2))", "cancelled"),
        ("replace(printf('%30000d', 1), printf('%15000d', 2), 'x')", "cancelled"),
        ("printf('%30000d', 1) LIKE printf('%30000d', 1)", "pattern is longer"),
    ],
)
def test_no_single_step_is_long(env: Environment, sql: str, says: str) -> None:
    start = time.process_time()
    assert says in refused(env, f"SELECT {sql}")
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("printf('%05d|%-4s|%.2f|100%%', 42, 'ab', 2.5)", "00042|ab  |2.50|100%"),
        ("format('%,d', 1234567)", "1,234,567"),
        ("substr('warehouse', -5, 3)", "hou"),
        ("trim('  a ') || rtrim('xyy', 'y') || ltrim('zza', 'z')", "axa"),
        ("replace(upper('abc'), 'B', NULL)", None),
        ("instr('warehouse', 'house') + length('abc')", 8),
        ("hex('az')", "617A"),
    ],
)
def test_counted_functions_give_what_the_engine_gives(
    env: Environment, sql: str, value: object
) -> None:
    assert items(env, f"SELECT {sql} AS v") == [{"v": value}]


def test_a_loaded_computer_gives_the_same_results(
    env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = (
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 90000)"
        " SELECT SUM(x) AS n FROM c"
    )
    clock = iter(range(1_000_000))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock) / 50)
    assert items(env, sql) == [{"n": 90_000 * 90_001 // 2}]
    assert next(clock) > 1_000, "the statement was too short to tell"


@pytest.mark.parametrize("value", ["char(55296)", "CAST(x'ff' AS TEXT)"])
def test_text_that_is_not_utf_8_cannot_be_written(env: Environment, value: str) -> None:
    text = refused(env, f"UPDATE customers SET name = {value}", "write_query")
    assert text.startswith("invalid_argument")
    assert "UTF-8" in text
    text.encode()


def test_a_statement_changes_a_limited_number_of_rows(env: Environment) -> None:
    env = env.fork()
    env.call("snowflake.create_table", {"query": "CREATE TABLE big (a TEXT)"})
    text = refused(env, "INSERT INTO big SELECT a.id FROM orders a, orders b", "write_query")
    assert "would change" in text


def test_a_common_table_cannot_borrow_the_rights_of_a_view(env: Environment) -> None:
    env = env.fork()
    made = {"view_name": "open_view", "query": "SELECT id FROM orders"}
    assert not env.call("snowflake.create_view", made).is_error
    refused(env, "WITH open_view AS (SELECT * FROM customers) SELECT * FROM open_view")
    refused(env, "WITH open_view(a) AS (SELECT id FROM customers) SELECT * FROM open_view")


def test_reads_change_nothing(env: Environment) -> None:
    before = env.digest()
    items(env, "SELECT *, CURRENT_TIMESTAMP AS t FROM orders ORDER BY amount DESC LIMIT 5")
    assert env.digest() == before


@pytest.mark.parametrize("table", ["customers", "orders", "support_tickets"])
def test_rows_come_in_primary_key_order(env: Environment, table: str) -> None:
    keys = sorted(row.id for row in env.state("snowflake").table(table))
    a, b, c = keys[3], keys[1], keys[2]
    assert [row["id"] for row in items(env, f"SELECT id FROM {table}")] == keys[:200]
    picked = items(
        env, f"SELECT id FROM {table} WHERE id = '{a}' OR id = '{b}' OR id LIKE '{c}%'"
    )
    assert [row["id"] for row in picked] == [b, c, a]
    two = items(env, f"SELECT t.id FROM {table} AS t LIMIT 2 OFFSET 1")
    assert [row["id"] for row in two] == keys[1:3]


def test_the_order_does_not_depend_on_the_order_of_writing(env: Environment) -> None:
    one, two = env.fork(), env.fork()
    for world, order in ((one, ("zz", "aa")), (two, ("aa", "zz"))):
        for key in order:
            sql = (f"INSERT INTO accounts (id, name, created_at) VALUES ('{key}', 'N {key}',"
                   " '2026-01-01')")  # fmt: skip
            assert not world.call("snowflake.write_query", {"query": sql}).is_error
    sql = "SELECT id FROM accounts WHERE name LIKE 'N %'"
    assert items(one, sql) == items(two, sql) == [{"id": "aa"}, {"id": "zz"}]


def test_joins_without_an_order_follow_the_keys_of_their_tables(env: Environment) -> None:
    found = items(
        env,
        "SELECT o.id AS o, c.id AS c FROM orders o JOIN customers c ON c.id = o.customer_id",
    )
    assert found == sorted(found, key=lambda row: (str(row["o"]), str(row["c"])))


SCRIPT = """
import json
from compoworld_core import compose
from compoworld_services_data_analytics.snowflake import service
env = compose(service, seed=5, scale=100)
for tool, sql in [
    ("write_query", "INSERT INTO customers (name, email) VALUES ('A', 'a@x.y')"),
    ("read_query", "SELECT status, COUNT(*), SUM(amount), AVG(amount) FROM orders GROUP BY 1"),
    ("read_query", "SELECT DISTINCT c.company FROM customers c, orders o WHERE o.amount > 50"),
    ("read_query", "SELECT id, group_concat(note) FROM orders"),
]:
    print(env.call("snowflake." + tool, {"query": sql}).text)
print(env.digest())
"""


def test_two_processes_give_the_same_bytes() -> None:
    seen = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    }
    assert len(seen) == 1


def test_sorting_spills_into_memory_not_into_files(env: Environment) -> None:
    engine_module = sys.modules["compoworld_services_data_analytics.snowflake.engine"]
    made = engine_module.Engine()
    assert made._connection.execute("PRAGMA temp_store").fetchone() == (2,)
    assert made._connection.getlimit(sqlite3.SQLITE_LIMIT_ATTACHED) == 0
