"""Entities, state and the service object of Slack."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from compoworld_core import Context, Entity, Ref, Service, State, Table
from compoworld_core.context import DIGITS
from compoworld_core.types import Code, Company, DateTime, Email, PersonName, Phone, Text


class User(Entity):
    """A member or guest of the workspace."""

    id: str
    name: str
    """The handle, as in @dana."""
    real_name: PersonName
    email: Email
    title: str = ""
    """Job title."""
    phone: Phone | None = None
    is_admin: bool = False
    is_guest: bool = False
    """Somebody from outside the company."""
    deleted: bool = False
    """Deactivated: can neither be messaged nor invited."""
    status_text: Text = ""
    status_emoji: str = ""


class Channel(Entity):
    """A public or private channel, or a direct conversation."""

    id: str
    name: Code
    topic: Text = ""
    purpose: Text = ""
    is_private: bool = False
    is_im: bool = False
    """A direct conversation with one person."""
    is_general: bool = False
    is_archived: bool = False
    is_member: bool = True
    """Whether the calling account is in it."""
    other_members: tuple[Ref[User], ...] = ()
    """Everyone in it but the calling account."""
    creator: Ref[User]
    shared_with: Company | None = None
    """The outside organization that a shared channel connects to."""
    created: DateTime


class Reaction(BaseModel):
    """An emoji under a message, with those who chose it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    users: tuple[Ref[User], ...]


class Message(Entity):
    """A message of a channel; its id is Slack's `ts`."""

    id: str
    channel: Ref[Channel]
    user: Ref[User]
    text: Text
    thread_ts: Ref[Message] | None = None
    """The message that this one replies to."""
    reactions: tuple[Reaction, ...] = ()
    is_pinned: bool = False
    posted_at: DateTime
    edited_at: DateTime | None = None


class ScheduledMessage(Entity):
    """A message that waits for its time."""

    id: str
    channel: Ref[Channel]
    text: Text
    post_at: DateTime


class Reminder(Entity):
    """A note to a person that comes back at a time."""

    id: str
    user: Ref[User]
    creator: Ref[User]
    text: Text
    time: DateTime
    complete: bool = False


class SlackState(State):
    """One workspace, as the calling account sees it."""

    users: Table[User] = Table()
    channels: Table[Channel] = Table()
    messages: Table[Message] = Table()
    scheduled_messages: Table[ScheduledMessage] = Table()
    reminders: Table[Reminder] = Table()


service = Service(
    "slack",
    state=SlackState,
    domain="communication_support",
    title="Slack",
    summary="Channels, messages, threads, reactions, people and reminders of a workspace.",
)

service.words.update(
    {
        "users": "Slack user",
        "users.name": "with the handle {}",
        "users.real_name": "named {}",
        "users.email": "with the email address {}",
        "users.title": "who works as {}",
        "users.phone": "with the phone number {}",
        "channels": "Slack channel",
        "channels.name": "#{}",
        "channels.topic": "with the topic {}",
        "channels.purpose": "for {}",
        "channels.shared_with": "shared with {}",
        "messages": "Slack message",
        "messages.text": "saying {}",
        "messages.user": "from {}",
        "messages.channel": "in {}",
        "messages.posted_at": "posted at {}",
        "scheduled_messages": "scheduled message",
        "scheduled_messages.text": "saying {}",
        "scheduled_messages.post_at": "due to go out at {}",
        "reminders": "reminder",
        "reminders.text": "about {}",
        "reminders.user": "for {}",
        "reminders.time": "due at {}",
    }
)


def new_ts(ctx: Context, at: datetime) -> str:
    """A message's ts: seconds of its time and six digits that are unique in the workspace."""
    return f"{int(at.timestamp())}.{ctx.new_id('', length=6, alphabet=DIGITS)}"
