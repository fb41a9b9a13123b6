"""Tools for people: users, profiles, the own status, reminders."""

from __future__ import annotations

from compoworld_core import Context, Ref
from compoworld_core.context import UPPER
from compoworld_core.resources import Page, check, paginate, require, search
from compoworld_core.types import DateTime, Email, Text
from compoworld_services_communication_support.slack.access import active, check_text, me
from compoworld_services_communication_support.slack.state import (
    Reminder,
    SlackState,
    User,
    service,
)

PAGE = 50
"""Most users or reminders of one page."""


@service.tool(read_only=True)
def slack_get_users(
    state: SlackState, cursor: str | None = None, limit: int = 100
) -> Page[User]:
    """List the workspace's members and guests.

    Args:
        cursor: next_cursor of the page before.
        limit: how many to return (at most 200; a page may hold fewer).
    """
    return paginate(list(state.users), min(limit, PAGE), cursor)


@service.tool(read_only=True)
def slack_search_users(
    state: SlackState, query: str, limit: int = 20, cursor: str | None = None
) -> Page[User]:
    """Find people whose handle, name, address or job title has all words.

    Args:
        query: words to look for.
        limit: how many to return, at most 50.
        cursor: next_cursor of the page before.
    """
    check(bool(query.strip()), "invalid_argument", "the query is empty")
    found = search(
        state.users, query.removeprefix("@"), ("name", "real_name", "email", "title")
    )
    return paginate(found, min(limit, PAGE), cursor)


@service.tool(read_only=True)
def slack_get_user_profile(state: SlackState, user_id: Ref[User]) -> User:
    """Show a person's profile.

    Args:
        user_id: id of the user.
    """
    return require(state.users, user_id, "user")


@service.tool(read_only=True)
def slack_lookup_user_by_email(state: SlackState, email: Email) -> User:
    """Find the person with an email address.

    Args:
        email: the address of the account.
    """
    found = state.users.where(email=email) or state.users.where(email=email.lower())
    check(bool(found), "not_found", f"nobody in this workspace has the address {email}")
    return found[0]


@service.tool(idempotent=True)
def slack_set_status(
    state: SlackState, ctx: Context, status_text: Text, status_emoji: str = ""
) -> User:
    """Set the status next to the own name; empty texts clear it.

    Args:
        status_text: at most 100 characters.
        status_emoji: an emoji such as :palm_tree:.
    """
    check(len(status_text) <= 100, "invalid_argument", "a status has at most 100 characters")
    emoji = status_emoji.strip()
    well_formed = not emoji or (len(emoji) > 2 and emoji[0] == emoji[-1] == ":")
    check(well_formed, "invalid_argument", "write the emoji with colons, such as :house:")
    own = me(state, ctx)
    return state.users.update(own.id, status_text=status_text, status_emoji=emoji)


@service.tool
def slack_add_reminder(
    state: SlackState,
    ctx: Context,
    text: Text,
    time: DateTime,
    user: Ref[User] | None = None,
) -> Reminder:
    """Remind a person of something at a time.

    Args:
        text: what to be reminded of.
        time: ISO 8601 date and time, in the future.
        user: whom to remind; the calling account by default.
    """
    own = me(state, ctx)
    target = own if user is None else active(state, user)
    check(
        not target.is_guest, "permission_denied", f"{target.real_name} is a guest; remind staff"
    )
    check(time > ctx.now, "invalid_argument", f"time must be after {ctx.now.isoformat()}")
    reminder = Reminder(
        id=ctx.new_id("Rm0", length=8, alphabet=UPPER),
        user=target.id,
        creator=own.id,
        text=check_text(text, 1000),
        time=time,
    )
    return state.reminders.insert(reminder)


@service.tool(read_only=True)
def slack_list_reminders(
    state: SlackState, ctx: Context, limit: int = 50, cursor: str | None = None
) -> Page[Reminder]:
    """List the reminders that this account has or made, the next one first.

    Args:
        limit: how many to return, at most 50.
        cursor: next_cursor of the page before.
    """
    own = me(state, ctx).id
    rows = [row for row in state.reminders if own in (row.user, row.creator)]
    rows.sort(key=lambda row: (row.time, row.id))
    return paginate(rows, min(limit, PAGE), cursor)


@service.tool
def slack_complete_reminder(
    state: SlackState, ctx: Context, reminder: Ref[Reminder]
) -> Reminder:
    """Mark a reminder as done.

    Args:
        reminder: id of the reminder.
    """
    row = _reminder(state, ctx, reminder)
    check(not row.complete, "failed_precondition", f"reminder {row.id} is done already")
    return state.reminders.update(row.id, complete=True)


@service.tool(destructive=True)
def slack_delete_reminder(state: SlackState, ctx: Context, reminder: Ref[Reminder]) -> Reminder:
    """Delete a reminder.

    Args:
        reminder: id of the reminder.
    """
    return state.reminders.delete(_reminder(state, ctx, reminder).id)


def _reminder(state: SlackState, ctx: Context, reminder: str) -> Reminder:
    row = require(state.reminders, reminder, "reminder")
    check(
        me(state, ctx).id in (row.user, row.creator),
        "permission_denied",
        f"reminder {row.id} belongs to somebody else",
    )
    return row
