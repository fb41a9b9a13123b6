"""What a Gmail account holds: messages, labels, filters, attachments, contacts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator

from compoworld_core import Entity, Ref, Service, State, Table, ToolError
from compoworld_core.types import (
    Company,
    CustomerEmail,
    DateTime,
    Email,
    FileName,
    Meaning,
    PersonName,
    Phone,
    Quantity,
    Tag,
    Text,
    Title,
)

Address = Annotated[str, Meaning("email")]
"""One address, or several with commas between them."""

CustomerName = Annotated[PersonName, Meaning("person", "customer")]

Account = Ref["Mailbox"]
"""The signed-in address; a call for any other is refused."""


def _ordered(labels: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(set(labels)))


LabelIds = Annotated[tuple[Ref["Label"], ...], AfterValidator(_ordered)]

SYSTEM_LABELS = (
    "INBOX", "SENT", "DRAFT", "TRASH", "SPAM", "UNREAD", "STARRED", "IMPORTANT",
    "CATEGORY_UPDATES", "CATEGORY_PROMOTIONS",
)  # fmt: skip
HIDDEN = frozenset({"TRASH", "SPAM"})
"""A search leaves messages with these labels out unless it asks for them."""


class Mailbox(Entity):
    """An account whose credentials the caller has; its id is the address."""

    id: str
    name: PersonName
    signature: Text = ""
    aliases: tuple[Email, ...] = ()
    """Further addresses that mail may be sent as."""
    alias_name: str = ""
    alias_signature: Text = ""
    forwarding: tuple[Email, ...] = ()
    """Verified addresses that a filter may forward to."""


class Label(Entity):
    """A system label or one of the user's own."""

    id: str
    name: Tag
    type: Literal["system", "user"] = "user"
    label_list_visibility: Literal["labelShow", "labelShowIfUnread", "labelHide"] = "labelShow"
    message_list_visibility: Literal["show", "hide"] = "show"
    background_color: str | None = None
    text_color: str | None = None


class Message(Entity):
    """A received or sent email, or a draft."""

    id: str
    thread_id: Ref[Message]
    """The id of the conversation's first message."""
    date: DateTime
    sender: CustomerEmail
    """Whoever writes to us; of what we wrote, ourselves."""
    sender_name: CustomerName | None = None
    to: tuple[Email, ...] = ()
    cc: tuple[Email, ...] = ()
    bcc: tuple[Email, ...] = ()
    subject: Title = ""
    body: Text = ""
    body_format: Literal["plain", "html"] = "plain"
    label_ids: LabelIds = ()
    attachment_ids: tuple[Ref[Attachment], ...] = ()
    attachment_names: tuple[FileName, ...] = ()
    rfc822_message_id: str
    """The Message-ID header, which replies name."""
    in_reply_to: str | None = None
    draft_id: str | None = None


class Attachment(Entity):
    """A file that came with a message."""

    id: str
    message_id: Ref[Message]
    filename: FileName
    mime_type: str = "text/plain"
    size: Quantity
    content: Text = ""
    """The text in the file; empty where it has none."""


class Filter(Entity):
    """A rule for new mail: what it matches and what it does."""

    id: str
    sender: Address | None = None
    to: Address | None = None
    subject: Title | None = None
    query: str | None = None
    negated_query: str | None = None
    has_attachment: bool | None = None
    add_label_ids: LabelIds = ()
    remove_label_ids: LabelIds = ()
    forward: Email | None = None


class Contact(Entity):
    """A person in the address book."""

    id: str
    name: PersonName
    given_name: str = ""
    family_name: str = ""
    email: Email | None = None
    phone: Phone | None = None
    organization: Company | None = None
    job_title: str | None = None
    notes: Text = ""
    updated_at: DateTime


class GmailState(State):
    """One account's mail and address book."""

    mailboxes: Table[Mailbox] = Table()
    labels: Table[Label] = Table()
    messages: Table[Message] = Table()
    attachments: Table[Attachment] = Table()
    filters: Table[Filter] = Table()
    contacts: Table[Contact] = Table()


service = Service(
    "gmail",
    state=GmailState,
    domain="productivity_collaboration",
    title="Gmail",
    summary="Mail of one account: search, read, send, draft, label, filter, look up contacts.",
)
service.words.update(
    {
        "mailboxes": "mailbox",
        "labels": "label",
        "labels.name": "called {}",
        "messages": "email",
        "messages.sender": "from {}",
        "messages.sender_name": "from {}",
        "messages.to": "to {}",
        "messages.subject": "with the subject “{}”",
        "messages.body": "saying “{}”",
        "messages.date": "of {}",
        "attachments": "attachment",
        "attachments.filename": "called {}",
        "filters": "mail filter",
        "filters.sender": "for mail from {}",
        "contacts": "contact",
        "contacts.name": "named {}",
        "contacts.email": "with the email address {}",
        "contacts.phone": "with the phone number {}",
        "contacts.organization": "at {}",
    }
)


def mailbox(state: GmailState, address: str) -> Mailbox:
    """The signed-in account, or ToolError(permission_denied) for any other address."""
    found = state.mailboxes.get(address) or state.mailboxes.get(address.strip().casefold())
    if found is None:
        signed_in = ", ".join(row.id for row in state.mailboxes) or "nobody"
        raise ToolError(
            "permission_denied",
            f"no credentials for {address[:80]!r}; signed in: {signed_in}",
        )
    return found
