"""Answers: results of SELECT statements, kept while what they were read from is the same.

A result follows from the statement, the user's rights, the rows of the tables that it read and,
where it asked for it, the time. Forks share tables, so one statement is put again and again to
the same rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from compoworld_services_data_analytics.snowflake.engine import Result
from compoworld_services_data_analytics.snowflake.layout import LAYOUTS
from compoworld_services_data_analytics.snowflake.state import SnowflakeState

_MOST = 256
"""Statements whose answers are kept."""
_MOST_EACH = 4
"""Answers of one statement that are kept, for different rows."""
_ALWAYS = ("relations", "memberships", "grants")
"""Tables of the state that each result depends on: names and rights."""


@dataclass(frozen=True)
class Answer:
    """A result with what it depends on."""

    tables: tuple[tuple[str, dict[str, Any]], ...]
    """Tables of the state, each with its notes: the same notes, the same rows."""
    now: str
    """The time that the statement asked for; empty where it did not."""
    result: Result


_kept: dict[tuple[str, str], tuple[Answer, ...]] = {}
"""(user, statement) → answers, the latest first."""


def recall(state: SnowflakeState, user: str, sql: str, now: str) -> Result | None:
    """The result that a statement gave for the same rows, rights and time."""
    for answer in _kept.get((user, sql), ()):
        if answer.now in ("", now) and all(
            state.table(name).notes is notes for name, notes in answer.tables
        ):
            return answer.result
    return None


def keep(state: SnowflakeState, user: str, sql: str, result: Result) -> Result:
    """Keep a result that a statement gave in this state; it is returned."""
    own = (LAYOUTS[name].table if name in LAYOUTS else "records" for name in result.read)
    names = dict.fromkeys((*_ALWAYS, *own))
    tables = tuple((name, state.table(name).notes) for name in names)
    if len(_kept) >= _MOST:
        _kept.clear()
    earlier = _kept.get((user, sql), ())[: _MOST_EACH - 1]
    _kept[user, sql] = (Answer(tables, result.now, result), *earlier)
    return result
