"""Who may see and change what: checks that the tools share."""

from __future__ import annotations

import re

from compoworld_core import Context, ToolError
from compoworld_core.resources import check, require
from compoworld_services_communication_support.slack.state import (
    Channel,
    Message,
    SlackState,
    User,
)

TEXT_LIMIT = 40_000
_CHANNEL_NAME = re.compile(r"[a-z0-9_-]{1,80}")


def me(state: SlackState, ctx: Context) -> User:
    """The calling account's user."""
    user = state.users.first(email=ctx.actor)
    if user is None:
        raise ToolError("permission_denied", f"{ctx.actor} has no account in this workspace")
    return user


def visible(state: SlackState, channel_id: str) -> Channel:
    """A channel that the caller can see; private ones only as a member."""
    channel = require(state.channels, channel_id, "channel")
    hidden = channel.is_private and not channel.is_member
    check(not hidden, "not_found", f"no channel {channel_id!r} that this account can see")
    return channel


def live(state: SlackState, channel_id: str) -> Channel:
    """A visible channel that takes messages: one that is not archived."""
    channel = visible(state, channel_id)
    check(
        not channel.is_archived,
        "failed_precondition",
        f"#{channel.name} is archived; use slack_unarchive_channel first",
    )
    return channel


def joined(state: SlackState, channel_id: str) -> Channel:
    """A live channel that the caller is a member of."""
    channel = live(state, channel_id)
    check(
        channel.is_member,
        "failed_precondition",
        f"you are not in #{channel.name}; use slack_join_channel first",
    )
    return channel


def message_in(state: SlackState, channel_id: str, ts: str) -> Message:
    """A message of a visible channel."""
    channel = visible(state, channel_id)
    message = state.messages.get(ts)
    if message is None or message.channel != channel.id:
        raise ToolError("not_found", f"no message {ts[:40]!r} in #{channel.name}")
    return message


def active(state: SlackState, user_id: str) -> User:
    """A user whose account works."""
    user = require(state.users, user_id, "user")
    check(not user.deleted, "failed_precondition", f"{user.real_name}'s account is deactivated")
    return user


def check_text(text: str, limit: int = TEXT_LIMIT) -> str:
    """A text that is not empty and not too long."""
    check(bool(text.strip()), "invalid_argument", "the text is empty")
    check(
        len(text) <= limit,
        "invalid_argument",
        f"the text has {len(text)} characters; at most {limit} are allowed",
    )
    return text


def check_channel_name(state: SlackState, name: str) -> str:
    """A channel name that is well formed and free."""
    name = name.removeprefix("#")
    check(
        _CHANNEL_NAME.fullmatch(name) is not None,
        "invalid_argument",
        "a channel name has 1 to 80 lower-case letters, digits, hyphens and underscores",
    )
    taken = state.channels.first(name=name)
    check(
        taken is None, "conflict", f"a channel is called #{name} already; choose another name"
    )
    return name
