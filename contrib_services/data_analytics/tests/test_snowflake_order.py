"""The warehouse: what a statement shows does not depend on what the engine held before."""

from __future__ import annotations

from compoworld_services_data_analytics.snowflake import service

from compoworld_core import Environment, compose

_DELETE = {"query": "DELETE FROM support_tickets"}


def touched(env: Environment, ticket: str) -> Environment:
    """A fork in which one record is another object, so that the engine replaces its row."""
    other = env.fork()
    sql = f"UPDATE support_tickets SET priority = 'urgent' WHERE id = '{ticket}'"  # our own key
    assert not other.call("snowflake.write_query", {"query": sql}).is_error
    assert not other.call("snowflake.read_query", {"query": "SELECT * FROM orders"}).is_error
    return other


def test_deleted_records_are_listed_alike_whatever_the_engine_did_before() -> None:
    env = compose(service, seed=5, scale=200)
    first = env.fork().call("snowflake.write_query", _DELETE)
    touched(env, first.data["ids"][0])
    again = env.fork().call("snowflake.write_query", _DELETE)
    assert again.text == first.text
    assert len(first.data["ids"]) > 2
