"""Tools for channels: list, create, change, archive, membership."""

from __future__ import annotations

from compoworld_core import Context, Ref
from compoworld_core.context import UPPER
from compoworld_core.resources import Page, check, paginate, require, search
from compoworld_core.types import Code, Text
from compoworld_services_communication_support.slack.access import (
    active,
    check_channel_name,
    joined,
    live,
    me,
    visible,
)
from compoworld_services_communication_support.slack.state import (
    Channel,
    SlackState,
    User,
    service,
)

PAGE = 30
"""Most channels or users of one page: Slack may give fewer than asked for."""


def _seen(state: SlackState) -> list[Channel]:
    return [c for c in state.channels if not c.is_im and (c.is_member or not c.is_private)]


@service.tool(read_only=True)
def slack_list_channels(
    state: SlackState,
    limit: int = 100,
    cursor: str | None = None,
    exclude_archived: bool = False,
) -> Page[Channel]:
    """List the channels that this account can see: public ones, and private ones it is in.

    Args:
        limit: how many to return (at most 200; a page may hold fewer).
        cursor: next_cursor of the page before.
        exclude_archived: leave archived channels out.
    """
    rows = [c for c in _seen(state) if not (exclude_archived and c.is_archived)]
    return paginate(rows, min(limit, PAGE), cursor)


@service.tool(read_only=True)
def slack_search_channels(
    state: SlackState, query: str, limit: int = 20, cursor: str | None = None
) -> Page[Channel]:
    """Find channels whose name, topic, purpose or shared organization has all words.

    Args:
        query: words to look for.
        limit: how many to return, at most 30.
        cursor: next_cursor of the page before.
    """
    check(bool(query.strip()), "invalid_argument", "the query is empty")
    fields = ("name", "topic", "purpose", "shared_with")
    found = search(_seen(state), query.removeprefix("#"), fields)
    return paginate(found, min(limit, PAGE), cursor)


@service.tool(read_only=True)
def slack_get_channel_info(state: SlackState, channel_id: Ref[Channel]) -> Channel:
    """Show one channel.

    Args:
        channel_id: id of the channel.
    """
    return visible(state, channel_id)


@service.tool(read_only=True)
def slack_get_channel_members(
    state: SlackState,
    ctx: Context,
    channel_id: Ref[Channel],
    limit: int = 100,
    cursor: str | None = None,
) -> Page[User]:
    """List who is in a channel.

    Args:
        channel_id: id of the channel.
        limit: how many to return (at most 200; a page may hold fewer).
        cursor: next_cursor of the page before.
    """
    channel = visible(state, channel_id)
    members = [me(state, ctx)] if channel.is_member else []
    members += [state.users[user] for user in channel.other_members if user in state.users]
    return paginate(members, min(limit, PAGE), cursor)


@service.tool
def slack_create_channel(
    state: SlackState, ctx: Context, name: Code, is_private: bool = False
) -> Channel:
    """Create a channel; the calling account becomes its first member.

    Args:
        name: lower-case letters, digits, hyphens and underscores, at most 80.
        is_private: only members can see it.
    """
    channel = Channel(
        id=ctx.new_id("C0", length=9, alphabet=UPPER),
        name=check_channel_name(state, name),
        is_private=is_private,
        creator=me(state, ctx).id,
        created=ctx.now,
    )
    return state.channels.insert(channel)


@service.tool
def slack_open_dm(state: SlackState, ctx: Context, user_id: Ref[User]) -> Channel:
    """Open the direct conversation with a person; an existing one is returned.

    Args:
        user_id: whom to talk to.
    """
    own = me(state, ctx)
    user = active(state, user_id)
    check(user.id != own.id, "invalid_argument", "this is your own account")
    for channel in state.channels.where(other_members=(user.id,)):
        if channel.is_im:
            return channel
    channel = Channel(
        id=ctx.new_id("D0", length=9, alphabet=UPPER),
        name=f"dm-{user.name}",
        is_private=True,
        is_im=True,
        other_members=(user.id,),
        creator=own.id,
        created=ctx.now,
    )
    return state.channels.insert(channel)


@service.tool
def slack_rename_channel(state: SlackState, channel_id: Ref[Channel], name: Code) -> Channel:
    """Give a channel another name.

    Args:
        channel_id: id of the channel.
        name: the new name.
    """
    channel = _group(joined(state, channel_id))
    check(not channel.is_general, "failed_precondition", "the general channel keeps its name")
    return state.channels.update(channel.id, name=check_channel_name(state, name))


@service.tool(idempotent=True)
def slack_set_channel_topic(
    state: SlackState, channel_id: Ref[Channel], topic: Text
) -> Channel:
    """Set the topic shown at the top of a channel.

    Args:
        channel_id: id of the channel.
        topic: the new topic, at most 250 characters; empty clears it.
    """
    channel = joined(state, channel_id)
    check(len(topic) <= 250, "invalid_argument", "a topic has at most 250 characters")
    return state.channels.update(channel.id, topic=topic)


@service.tool(idempotent=True)
def slack_set_channel_purpose(
    state: SlackState, channel_id: Ref[Channel], purpose: Text
) -> Channel:
    """Set the description that says what a channel is for.

    Args:
        channel_id: id of the channel.
        purpose: the new description, at most 250 characters; empty clears it.
    """
    channel = _group(joined(state, channel_id))
    check(len(purpose) <= 250, "invalid_argument", "a purpose has at most 250 characters")
    return state.channels.update(channel.id, purpose=purpose)


@service.tool
def slack_archive_channel(state: SlackState, channel_id: Ref[Channel]) -> Channel:
    """Archive a channel: its messages stay readable, nothing can be posted.

    Args:
        channel_id: id of the channel.
    """
    channel = _group(joined(state, channel_id))
    check(
        not channel.is_general, "failed_precondition", "the general channel cannot be archived"
    )
    return state.channels.update(channel.id, is_archived=True)


@service.tool
def slack_unarchive_channel(state: SlackState, channel_id: Ref[Channel]) -> Channel:
    """Bring an archived channel back.

    Args:
        channel_id: id of the channel.
    """
    channel = visible(state, channel_id)
    check(channel.is_archived, "failed_precondition", f"#{channel.name} is not archived")
    return state.channels.update(channel.id, is_archived=False)


@service.tool(idempotent=True)
def slack_join_channel(state: SlackState, channel_id: Ref[Channel]) -> Channel:
    """Join a public channel.

    Args:
        channel_id: id of the channel.
    """
    channel = live(state, channel_id)
    return channel if channel.is_member else state.channels.update(channel.id, is_member=True)


@service.tool
def slack_leave_channel(state: SlackState, channel_id: Ref[Channel]) -> Channel:
    """Leave a channel.

    Args:
        channel_id: id of the channel.
    """
    channel = _group(joined(state, channel_id))
    check(not channel.is_general, "failed_precondition", "nobody can leave the general channel")
    return state.channels.update(channel.id, is_member=False)


@service.tool
def slack_invite_to_channel(
    state: SlackState, ctx: Context, channel_id: Ref[Channel], users: list[Ref[User]]
) -> Channel:
    """Add people to a channel.

    Args:
        channel_id: id of the channel.
        users: ids of the people to add.
    """
    channel = _group(joined(state, channel_id))
    check(bool(users), "invalid_argument", "name at least one user")
    added = [active(state, user) for user in dict.fromkeys(users)]
    own = me(state, ctx).id
    for user in added:
        check(user.id != own, "invalid_argument", "you are in the channel already")
        check(
            user.id not in channel.other_members,
            "conflict",
            f"{user.real_name} ({user.id}) is in #{channel.name} already",
        )
        check(
            not user.is_guest or not channel.is_general,
            "permission_denied",
            f"{user.real_name} is a guest, and guests cannot be in #{channel.name}",
        )
    members = (*channel.other_members, *(user.id for user in added))
    return state.channels.update(channel.id, other_members=members)


@service.tool
def slack_remove_from_channel(
    state: SlackState, ctx: Context, channel_id: Ref[Channel], user_id: Ref[User]
) -> Channel:
    """Take a person out of a channel.

    Args:
        channel_id: id of the channel.
        user_id: whom to remove; to go yourself, leave the channel.
    """
    channel = _group(joined(state, channel_id))
    user = require(state.users, user_id, "user")
    check(user.id != me(state, ctx).id, "invalid_argument", "use slack_leave_channel instead")
    check(not channel.is_general, "failed_precondition", "nobody can leave the general channel")
    check(
        user.id in channel.other_members,
        "failed_precondition",
        f"{user.real_name} is not in #{channel.name}",
    )
    members = tuple(member for member in channel.other_members if member != user.id)
    return state.channels.update(channel.id, other_members=members)


def _group(channel: Channel) -> Channel:
    """Refuse a direct conversation, which has no name, purpose or membership to change."""
    check(
        not channel.is_im, "failed_precondition", "this does not work on a direct conversation"
    )
    return channel
