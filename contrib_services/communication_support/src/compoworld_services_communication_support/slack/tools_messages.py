"""Tools for messages: history, posting, threads, reactions, pins, scheduling."""

from __future__ import annotations

from datetime import timedelta

from compoworld_core import Context, Ref, ToolError
from compoworld_core.context import UPPER
from compoworld_core.resources import Page, check, paginate, require
from compoworld_core.types import DateTime, Text
from compoworld_services_communication_support.slack.access import (
    check_text,
    joined,
    live,
    me,
    message_in,
    visible,
)
from compoworld_services_communication_support.slack.state import (
    Channel,
    Message,
    Reaction,
    ScheduledMessage,
    SlackState,
    new_ts,
    service,
)

PAGE = 50
"""Most messages of one page."""
TOMBSTONE = "This message was deleted."
AHEAD = timedelta(days=120)
"""How far ahead a message may be scheduled."""


@service.tool(read_only=True)
def slack_get_channel_history(
    state: SlackState,
    channel_id: Ref[Channel],
    limit: int = 10,
    cursor: str | None = None,
    oldest: DateTime | None = None,
    latest: DateTime | None = None,
) -> Page[Message]:
    """Read a channel's messages, newest first; replies in threads are read with the thread.

    Args:
        channel_id: id of the channel.
        limit: how many to return, at most 50.
        cursor: next_cursor of the page before.
        oldest: only messages from this time on.
        latest: only messages up to this time.
    """
    channel = visible(state, channel_id)
    rows = [
        message
        for message in state.messages.where(channel=channel.id, thread_ts=None)
        if (oldest is None or message.posted_at >= oldest)
        and (latest is None or message.posted_at <= latest)
    ]
    rows.sort(key=lambda message: (message.posted_at, message.id), reverse=True)
    return paginate(rows, min(limit, PAGE), cursor)


@service.tool(read_only=True)
def slack_get_thread_replies(
    state: SlackState,
    channel_id: Ref[Channel],
    thread_ts: Ref[Message],
    limit: int = 50,
    cursor: str | None = None,
) -> Page[Message]:
    """Read a thread: the first message, then its replies, oldest first.

    Args:
        channel_id: id of the channel.
        thread_ts: id (ts) of the first message.
        limit: how many to return, at most 50.
        cursor: next_cursor of the page before.
    """
    parent = message_in(state, channel_id, thread_ts)
    replies = state.messages.where(thread_ts=parent.id)
    replies.sort(key=lambda message: (message.posted_at, message.id))
    return paginate([parent, *replies], min(limit, PAGE), cursor)


@service.tool
def slack_post_message(
    state: SlackState, ctx: Context, channel_id: Ref[Channel], text: Text
) -> Message:
    """Post a message to a channel or direct conversation.

    Args:
        channel_id: id of the channel.
        text: the message.
    """
    channel = live(state, channel_id)
    return _post(state, ctx, channel.id, text, None)


@service.tool
def slack_reply_to_thread(
    state: SlackState,
    ctx: Context,
    channel_id: Ref[Channel],
    thread_ts: Ref[Message],
    text: Text,
) -> Message:
    """Reply in the thread of a message.

    Args:
        channel_id: id of the channel.
        thread_ts: id (ts) of the message that starts the thread.
        text: the reply.
    """
    channel = live(state, channel_id)
    parent = message_in(state, channel.id, thread_ts)
    return _post(state, ctx, channel.id, text, parent.thread_ts or parent.id)


@service.tool(idempotent=True)
def slack_update_message(
    state: SlackState, ctx: Context, channel_id: Ref[Channel], ts: Ref[Message], text: Text
) -> Message:
    """Change the text of a message that this account posted.

    Args:
        channel_id: id of the channel.
        ts: id (ts) of the message.
        text: the new text.
    """
    live(state, channel_id)
    message = _own(state, ctx, channel_id, ts)
    if message.text == text:
        return message
    return state.messages.update(message.id, text=check_text(text), edited_at=ctx.now)


@service.tool(destructive=True)
def slack_delete_message(
    state: SlackState, ctx: Context, channel_id: Ref[Channel], ts: Ref[Message]
) -> Message:
    """Delete a message that this account posted; one with replies stays as a placeholder.

    Args:
        channel_id: id of the channel.
        ts: id (ts) of the message.
    """
    message = _own(state, ctx, channel_id, ts)
    if state.messages.first(thread_ts=message.id):
        return state.messages.update(
            message.id, text=TOMBSTONE, reactions=(), is_pinned=False, edited_at=ctx.now
        )
    return state.messages.delete(message.id)


@service.tool
def slack_add_reaction(
    state: SlackState,
    ctx: Context,
    channel_id: Ref[Channel],
    timestamp: Ref[Message],
    reaction: str,
) -> Message:
    """React to a message with an emoji.

    Args:
        channel_id: id of the channel.
        timestamp: id (ts) of the message.
        reaction: name of the emoji, without colons.
    """
    live(state, channel_id)
    message = message_in(state, channel_id, timestamp)
    name, own = _emoji(reaction), me(state, ctx).id
    held = _users(message, name)
    check(own not in held, "conflict", f"you have reacted with :{name}: already")
    return state.messages.update(message.id, reactions=_with(message, name, (*held, own)))


@service.tool
def slack_remove_reaction(
    state: SlackState,
    ctx: Context,
    channel_id: Ref[Channel],
    timestamp: Ref[Message],
    reaction: str,
) -> Message:
    """Take this account's reaction off a message.

    Args:
        channel_id: id of the channel.
        timestamp: id (ts) of the message.
        reaction: name of the emoji, without colons.
    """
    message = message_in(state, channel_id, timestamp)
    name, own = _emoji(reaction), me(state, ctx).id
    held = _users(message, name)
    check(own in held, "failed_precondition", f"you have not reacted with :{name}:")
    left = tuple(user for user in held if user != own)
    return state.messages.update(message.id, reactions=_with(message, name, left))


@service.tool(read_only=True)
def slack_list_pins(
    state: SlackState, channel_id: Ref[Channel], limit: int = 50, cursor: str | None = None
) -> Page[Message]:
    """List the pinned messages of a channel.

    Args:
        channel_id: id of the channel.
        limit: how many to return, at most 50.
        cursor: next_cursor of the page before.
    """
    rows = state.messages.where(channel=visible(state, channel_id).id, is_pinned=True)
    return paginate(rows, min(limit, PAGE), cursor)


@service.tool
def slack_pin_message(
    state: SlackState, channel_id: Ref[Channel], timestamp: Ref[Message]
) -> Message:
    """Pin a message to its channel.

    Args:
        channel_id: id of the channel.
        timestamp: id (ts) of the message.
    """
    channel = joined(state, channel_id)
    message = message_in(state, channel.id, timestamp)
    check(not message.is_pinned, "conflict", f"message {message.id} is pinned already")
    pinned = len(state.messages.where(channel=channel.id, is_pinned=True))
    check(pinned < 100, "failed_precondition", "a channel holds 100 pins; unpin one first")
    return state.messages.update(message.id, is_pinned=True)


@service.tool
def slack_unpin_message(
    state: SlackState, channel_id: Ref[Channel], timestamp: Ref[Message]
) -> Message:
    """Take a message off the pins of its channel.

    Args:
        channel_id: id of the channel.
        timestamp: id (ts) of the message.
    """
    channel = joined(state, channel_id)
    message = message_in(state, channel.id, timestamp)
    check(message.is_pinned, "failed_precondition", f"message {message.id} is not pinned")
    return state.messages.update(message.id, is_pinned=False)


@service.tool
def slack_schedule_message(
    state: SlackState,
    ctx: Context,
    channel_id: Ref[Channel],
    text: Text,
    post_at: DateTime,
) -> ScheduledMessage:
    """Have a message posted at a later time.

    Args:
        channel_id: id of the channel.
        text: the message.
        post_at: ISO 8601 date and time, within the next 120 days.
    """
    channel = live(state, channel_id)
    check(post_at > ctx.now, "invalid_argument", f"post_at must be after {ctx.now.isoformat()}")
    check(post_at <= ctx.now + AHEAD, "invalid_argument", "post_at is over 120 days ahead")
    scheduled = ScheduledMessage(
        id=ctx.new_id("Q0", length=9, alphabet=UPPER),
        channel=channel.id,
        text=check_text(text),
        post_at=post_at,
    )
    return state.scheduled_messages.insert(scheduled)


@service.tool(read_only=True)
def slack_list_scheduled_messages(
    state: SlackState,
    channel_id: Ref[Channel] | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> Page[ScheduledMessage]:
    """List messages that wait for their time, the next one first.

    Args:
        channel_id: only those for this channel.
        limit: how many to return, at most 50.
        cursor: next_cursor of the page before.
    """
    if channel_id is None:
        rows = list(state.scheduled_messages)
    else:
        rows = state.scheduled_messages.where(channel=visible(state, channel_id).id)
    rows.sort(key=lambda row: (row.post_at, row.id))
    return paginate(rows, min(limit, PAGE), cursor)


@service.tool(destructive=True)
def slack_delete_scheduled_message(
    state: SlackState,
    channel_id: Ref[Channel],
    scheduled_message_id: Ref[ScheduledMessage],
) -> ScheduledMessage:
    """Cancel a message that waits for its time.

    Args:
        channel_id: id of the channel it is for.
        scheduled_message_id: id of the scheduled message.
    """
    channel = visible(state, channel_id)
    row = require(state.scheduled_messages, scheduled_message_id, "scheduled message")
    check(
        row.channel == channel.id,
        "not_found",
        f"scheduled message {row.id} is for another channel than #{channel.name}",
    )
    return state.scheduled_messages.delete(row.id)


def _post(
    state: SlackState, ctx: Context, channel: str, text: str, thread: str | None
) -> Message:
    message = Message(
        id=new_ts(ctx, ctx.now),
        channel=channel,
        user=me(state, ctx).id,
        text=check_text(text),
        thread_ts=thread,
        posted_at=ctx.now,
    )
    return state.messages.insert(message)


def _own(state: SlackState, ctx: Context, channel_id: str, ts: str) -> Message:
    message = message_in(state, channel_id, ts)
    if message.user != me(state, ctx).id:
        raise ToolError("permission_denied", f"message {ts} was posted by somebody else")
    return message


def _emoji(reaction: str) -> str:
    name = reaction.strip().strip(":")
    check(
        0 < len(name) <= 100 and not any(mark.isspace() or mark == ":" for mark in name),
        "invalid_argument",
        "give the name of one emoji, such as thumbsup",
    )
    return name


def _users(message: Message, name: str) -> tuple[str, ...]:
    return next((tuple(r.users) for r in message.reactions if r.name == name), ())


def _with(message: Message, name: str, users: tuple[str, ...]) -> tuple[Reaction, ...]:
    """The reactions where `name` is held by `users`; its place is kept, none is left empty."""
    new = Reaction(name=name, users=users)
    held = [new if reaction.name == name else reaction for reaction in message.reactions]
    if new not in held:
        held.append(new)
    return tuple(reaction for reaction in held if reaction.users)
