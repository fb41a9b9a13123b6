"""Periods: filters that bound when something was or begins, `start_date` and `end_date`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from compoworld_synth.design import Comparison
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import snake
from compoworld_synth.resources import Resource

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

_FROM: Final = word_set(
    "start start_date start_time start_at start_datetime start_date_time starts_at from"
    " from_date from_time date_from time_from time_min min_time min_date begin begin_date"
    " begin_time starts_after starting date_start period_start since_date range_start"
    " start_day start_ts start_timestamp from_timestamp after_date date_after startdate"
    " starttime fromdate timemin start_month begin_at from_datetime"
)
_TO: Final = word_set(
    "end end_date end_time end_at end_datetime end_date_time ends_at to to_date to_time"
    " date_to time_to time_max max_time max_date finish finish_date ends_before starts_before"
    " ending"
    " date_end period_end until_date range_end end_day end_ts end_timestamp to_timestamp"
    " before_date date_before enddate endtime todate timemax end_month to_datetime"
)
_WHEN: Final = (
    "date", "created_at", "created_date", "start", "start_date", "start_time", "starts_at",
    "timestamp", "time", "datetime", "due_date", "due_on", "due_at", "txn_date", "posted_at",
)  # fmt: skip


def bounds(asked: Param) -> bool:
    """Whether it is a text that may bound a period: a number of that name is a place."""
    return snake(asked.name) in _FROM | _TO and asked.kind == "str" and not asked.numeric


def bound(asked: Param, resource: Resource) -> tuple[str, Comparison] | None:
    """(field, comparison) of a filter that is the bound of a period; None for others.

    A record that is made with a field of this name has it compared; else the time that its
    creator gives, else when it was made.
    """
    name = snake(asked.name)
    if name not in _FROM | _TO or asked.enum or asked.kind not in ("str", "int", "num"):
        return None
    sign: Comparison = "ge" if name in _FROM else "le"
    if "exclusive" in asked.description.lower():
        sign = "gt" if sign == "ge" else "lt"
    written = {
        snake(each.name)
        for item in resource.operations
        if item.phrase.group in ("create", "update")
        for param in item.params
        for each in (param, *(param.items.properties if param.items is not None else ()))
    }
    if name in written:
        return name, sign
    return next((each for each in _WHEN if each in written), "created_at"), sign
