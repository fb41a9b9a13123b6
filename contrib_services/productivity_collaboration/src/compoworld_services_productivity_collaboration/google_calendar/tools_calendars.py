"""Tools for accounts and calendars, colours and the time."""

# ruff: noqa: N803, N815  # the product's names

from __future__ import annotations

from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict

from compoworld_core import Context, ToolError
from compoworld_core.context import HEX
from compoworld_core.resources import check, require
from compoworld_core.schema import UNSET
from compoworld_core.types import DateTime, Text, Title, Url
from compoworld_services_productivity_collaboration.google_calendar.access import (
    check_account,
    primary,
)
from compoworld_services_productivity_collaboration.google_calendar.arguments import (
    Nickname,
    Nicknames,
)
from compoworld_services_productivity_collaboration.google_calendar.drafting import COLORS
from compoworld_services_productivity_collaboration.google_calendar.state import (
    Account,
    Calendar,
    CalendarState,
    service,
)
from compoworld_services_productivity_collaboration.google_calendar.times import zone_of

_MOST_ACCOUNTS = 10


class Color(BaseModel):
    """A colour that an event may have."""

    model_config = ConfigDict(extra="forbid")

    colorId: str
    name: str
    background: str


class CurrentTime(BaseModel):
    """The time now."""

    model_config = ConfigDict(extra="forbid")

    currentTime: DateTime
    localTime: str
    """The same as a clock in the zone shows it."""
    timeZone: str


class Accounts(BaseModel):
    """The connected accounts."""

    model_config = ConfigDict(extra="forbid")

    accounts: list[Account]
    sign_in_url: Url | None = None
    """Where the owner of a new account signs in."""


@service.tool(name="list-calendars", read_only=True)
def list_calendars(state: CalendarState, account: Nicknames = UNSET) -> list[Calendar]:
    """List the calendars that the account owns or may see.

    Args:
        account: nicknames of the accounts to ask.
    """
    check_account(state, account)
    return list(state.calendars)


@service.tool(name="create-calendar")
def create_calendar(
    state: CalendarState,
    ctx: Context,
    summary: Title,
    description: Text = UNSET,
    timeZone: str = UNSET,
    account: Nickname = UNSET,
) -> Calendar:
    """Create a calendar of the account's own.

    Args:
        summary: its name.
        description: what it is for.
        timeZone: its time zone; that of the account's own calendar where left out.
        account: nickname of the account.
    """
    check_account(state, account)
    name = summary.strip()
    check(0 < len(name) <= 254, "invalid_argument", "summary must have 1 to 254 characters")
    taken = [row for row in state.calendars if row.summary.casefold() == name.casefold()]
    check(not taken, "conflict", f"there is a calendar {name!r} already")
    key = ctx.new_id("c_", length=32, alphabet=HEX)
    return state.calendars.insert(
        Calendar(
            id=f"{key}@group.calendar.example",
            summary=name,
            description=description or "",
            timeZone=zone_of(timeZone or None, primary(state).timeZone),
        )
    )


@service.tool(name="list-colors", read_only=True)
def list_colors(state: CalendarState, account: Nickname = UNSET) -> list[Color]:
    """List the colours of events.

    Args:
        account: nickname of the account to ask.
    """
    check_account(state, account)
    return [
        Color(colorId=key, name=name, background=shade) for key, (name, shade) in COLORS.items()
    ]


@service.tool(name="get-current-time", read_only=True)
def get_current_time(
    state: CalendarState, ctx: Context, timeZone: str = UNSET, account: Nickname = UNSET
) -> CurrentTime:
    """Tell the date and time now.

    Args:
        timeZone: the zone to tell it in; that of the own calendar where left out.
        account: nickname of the account to ask.
    """
    check_account(state, account)
    zone = zone_of(timeZone or None, primary(state).timeZone)
    now: datetime = ctx.now
    local = now if zone in ("UTC", "Etc/UTC", "GMT") else now.astimezone(ZoneInfo(zone))
    text = f"{local:%A, %Y-%m-%d %H:%M}"
    return CurrentTime(currentTime=now, localTime=text, timeZone=zone)


@service.tool(name="manage-accounts", destructive=True)
def manage_accounts(
    state: CalendarState,
    ctx: Context,
    action: Literal["list", "add", "remove"],
    account_id: Nickname = UNSET,
) -> Accounts:
    """List the connected accounts, connect another, or disconnect one.

    Args:
        action: what to do.
        account_id: the account's nickname; for add and remove.
    """
    if action == "list":
        if account_id is UNSET:
            return Accounts(accounts=list(state.accounts))
        return Accounts(accounts=[require(state.accounts, account_id, "account")])
    if account_id is UNSET:
        raise ToolError("invalid_argument", f"{action} needs an account_id")
    if action == "remove":
        row = require(state.accounts, account_id, "account")
        others = [r for r in state.accounts if r.id != row.id and r.status == "active"]
        check(
            bool(others) or row.status == "pending",
            "failed_precondition",
            f"{row.id} is the only signed-in account and cannot be removed",
        )
        state.accounts.delete(row.id)
        return Accounts(accounts=list(state.accounts))
    check(account_id not in state.accounts, "conflict", f"{account_id} is connected already")
    check(
        len(state.accounts) < _MOST_ACCOUNTS,
        "failed_precondition",
        f"{_MOST_ACCOUNTS} accounts are the most",
    )
    state.accounts.insert(Account(id=account_id, email=ctx.actor, status="pending"))
    url = f"https://accounts.example/signin?state={ctx.new_id('', length=16, alphabet=HEX)}"
    return Accounts(accounts=list(state.accounts), sign_in_url=url)
