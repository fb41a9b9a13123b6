"""The warehouse: an answer that was kept is given again only where it would be the same."""

from __future__ import annotations

from typing import Any

import pytest
from compoworld_services_data_analytics.snowflake import engine, service

from compoworld_core import Environment, compose

_ORDERS = "SELECT * FROM orders WHERE status <> 'cancelled'"


@pytest.fixture
def env() -> Environment:
    return compose(service, seed=9, scale=40)


def ask(env: Environment, sql: str) -> Any:
    observation = env.call("snowflake.read_query", {"query": sql})
    return observation.text if observation.is_error else observation.data["items"]


def write(env: Environment, sql: str) -> None:
    observation = env.call("snowflake.write_query", {"query": sql})
    assert not observation.is_error, observation.text


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that reach the engine from now on."""
    reached: list[str] = []
    read = engine.Engine.read

    def noted(self: engine.Engine, sql: str, rights: Any, now: str) -> engine.Result:
        reached.append(sql)
        return read(self, sql, rights, now)

    monkeypatch.setattr(engine.Engine, "read", noted)
    return reached


def test_the_same_rows_are_read_once_for_all_forks(
    env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = counted(monkeypatch)
    first = ask(env.fork(), _ORDERS)
    other = env.fork()
    write(other, "UPDATE support_tickets SET status = 'closed' WHERE status <> 'closed'")
    assert ask(other, _ORDERS) == first
    assert len(reached) == 1


def test_other_rows_give_another_answer_and_the_first_state_keeps_its_own(
    env: Environment,
) -> None:
    first = ask(env, _ORDERS)
    other = env.fork()
    write(
        other, f"UPDATE orders SET status = 'cancelled' WHERE id = '{first[0]['id']}'"
    )  # our own key
    assert ask(other, _ORDERS) == first[1:]
    assert ask(env, _ORDERS) == first


def test_a_view_is_answered_from_the_rows_behind_it(env: Environment) -> None:
    made = env.call("snowflake.create_view", {"view_name": "alive", "query": _ORDERS})
    assert not made.is_error, made.text
    before = ask(env, "SELECT COUNT(*) AS n FROM alive")[0]["n"]
    assert before, "no order is alive"
    write(env, "UPDATE orders SET status = 'cancelled'")
    assert ask(env, "SELECT COUNT(*) AS n FROM alive")[0]["n"] == 0


@pytest.mark.parametrize("clock", ["current_timestamp", "datetime('now')", "datetime()"])
def test_an_answer_that_asked_for_the_time_is_not_given_at_another(
    env: Environment, clock: str
) -> None:
    first = ask(env, f"SELECT {clock} AS t")  # our own words
    assert ask(env, f"SELECT {clock} AS t") == first  # our own words
    write(env, "UPDATE orders SET status = 'cancelled'")
    assert ask(env, f"SELECT {clock} AS t") != first  # our own words


def test_an_answer_is_not_given_to_one_who_lost_the_right(env: Environment) -> None:
    assert isinstance(ask(env, _ORDERS), list)
    state = env.states["snowflake"]
    other = state.fork()
    other.journal.locked = ""
    for row in list(other.table("grants")):
        other.table("grants").delete(row.id)
    for row in list(other.table("relations")):
        other.table("relations").update(row.id, owner="NOBODY")
    env.put("snowflake", other)
    assert "insufficient privileges" in ask(env, _ORDERS)
