"""Tools that find and read mail: messages, threads, attachments."""

from __future__ import annotations

import base64
import re
from html import escape
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict

from compoworld_core import Context, Forms, Ref, ToolError
from compoworld_core.resources import Page, check, paginate, require
from compoworld_core.types import DateTime, Email, FileName, PersonName, Title
from compoworld_services_productivity_collaboration.gmail.outgoing import plain_text
from compoworld_services_productivity_collaboration.gmail.query import parse, state_addresses
from compoworld_services_productivity_collaboration.gmail.state import (
    Account,
    Attachment,
    GmailState,
    LabelIds,
    Message,
    mailbox,
    service,
)

BodyFormat = Literal["text", "html", "raw"]
Query = Annotated[
    str,
    Forms(
        **{
            "messages.sender": "from:{}",
            "messages.to": "to:{}",
            "messages.cc": "cc:{}",
            "messages.subject": 'subject:"{}"',
            "messages.body": '"{}"',
            "messages.attachment_names": 'filename:"{}"',
            "messages.rfc822_message_id": "rfc822msgid:{}",
            "labels.name": 'label:"{}"',
        }
    ),
]

_LINK = re.compile(r"https?://[^\s<>\"')]+")
_MOST_PER_BATCH = 25
_MOST_PER_PAGE = 50
_INLINE = 20_000
"""Characters of a body that are shown unless all of it is asked for."""


class MessageSummary(BaseModel):
    """A message in a list: everything but its body."""

    model_config = ConfigDict(extra="forbid")

    id: str
    thread_id: Ref[Message]
    date: DateTime
    sender: Email
    sender_name: PersonName | None = None
    to: tuple[Email, ...] = ()
    cc: tuple[Email, ...] = ()
    subject: Title
    label_ids: LabelIds = ()
    attachment_names: tuple[FileName, ...] = ()
    rfc822_message_id: str | None = None
    in_reply_to: str | None = None
    draft_id: str | None = None


class Analysis(BaseModel):
    """Who wrote last in a conversation, and whose turn it is."""

    model_config = ConfigDict(extra="forbid")

    message_count: int
    participants: list[Email]
    last_sender: Email
    awaiting_reply_from: Literal["you", "them"]


class Thread(BaseModel):
    """A conversation with all its messages, the oldest first."""

    model_config = ConfigDict(extra="forbid")

    thread_id: Ref[Message]
    subject: Title
    messages: list[Message]
    analysis: Analysis | None = None


class AttachmentBytes(Attachment):
    """An attachment with its bytes in base64."""

    content_base64: str = ""


def summary(row: Message, *, headers: bool = False) -> MessageSummary:
    """The summary of a message; with `headers` also what replies refer to."""
    return MessageSummary.model_construct(
        id=row.id,
        thread_id=row.thread_id,
        date=row.date,
        sender=row.sender,
        sender_name=row.sender_name,
        to=row.to,
        cc=row.cc,
        subject=row.subject,
        label_ids=row.label_ids,
        attachment_names=row.attachment_names,
        rfc822_message_id=row.rfc822_message_id if headers else None,
        in_reply_to=row.in_reply_to if headers else None,
        draft_id=row.draft_id,
    )


def shown(row: Message, body_format: BodyFormat, *, links: bool, full: bool = False) -> Message:
    """A message as asked for; the stored one itself where nothing differs."""
    body = row.body
    if body_format == "text":
        body = plain_text(row)
    elif body_format == "html":
        if row.body_format == "plain":
            body = f"<div>{escape(row.body, quote=False)}</div>".replace("\n", "<br>\n")
    else:
        body = (
            f"Message-ID: {row.rfc822_message_id}\n"
            f"Date: {row.date:%a, %d %b %Y %H:%M:%S} +0000\n"
            f"From: {row.sender_name or ''} <{row.sender}>\nTo: {', '.join(row.to)}\n"
            f"Subject: {row.subject}\n\n{row.body}"
        )
    if len(body) > _INLINE and not full:
        body = f"{body[:_INLINE]}\n[cut: {len(body)} characters in all; ask with full=true]"
    if links:
        found = "\n".join(dict.fromkeys(_LINK.findall(row.body)))
        body = f"{body}\n\nLinks:\n{found or 'none'}"
    return row if body is row.body else row.model_copy(update={"body": body})


@service.tool(read_only=True, idempotent=True)
def search_gmail_messages(
    state: GmailState,
    ctx: Context,
    query: Query,
    user_google_email: Account,
    page_size: int = 10,
    page_token: str | None = None,
    include_headers: bool = False,
) -> Page[MessageSummary]:
    """Find messages with Gmail's search language, the newest first.

    Operators: from: to: cc: bcc: subject: label: in: is: has:attachment filename: after:
    before: newer_than: older_than: larger: smaller: rfc822msgid: "a phrase" -not OR ( ) { }.
    Trash and spam are left out unless the query names them.

    Args:
        query: what to look for; empty finds everything.
        user_google_email: address of the account that is signed in.
        page_size: how many messages a page has, at most 50.
        page_token: `next_cursor` of the page before.
        include_headers: also show the Message-ID headers that replies refer to.
    """
    mailbox(state, user_google_email)
    check(page_size >= 1, "invalid_argument", "page_size must be at least 1")
    rows = parse(query, state, ctx.now).run(state)
    page = paginate(rows, min(page_size, _MOST_PER_PAGE), page_token)
    items = [summary(row, headers=include_headers) for row in page.items]
    return Page[MessageSummary].model_construct(
        items=items, total=page.total, next_cursor=page.next_cursor
    )


@service.tool(read_only=True, idempotent=True)
def get_gmail_message_content(
    state: GmailState,
    message_id: Ref[Message],
    user_google_email: Account,
    include_headers: bool = True,
    body_format: BodyFormat = "text",
    include_links: bool = False,
    format: Literal["full", "metadata"] = "full",
    full: bool = False,
) -> Message:
    """Show one message: people, subject, labels, attachments and body.

    Args:
        message_id: the message.
        user_google_email: address of the account that is signed in.
        include_headers: headers are always shown.
        body_format: the body as plain text, as HTML, or with its raw headers.
        include_links: also list the web addresses in the body.
        format: metadata leaves the body empty.
        full: show all of a body longer than 20,000 characters.
    """
    mailbox(state, user_google_email)
    row = require(state.messages, message_id, "message")
    if format == "metadata":
        return row.model_copy(update={"body": ""})
    return shown(row, body_format, links=include_links, full=full)


@service.tool(read_only=True, idempotent=True)
def get_gmail_messages_content_batch(
    state: GmailState,
    message_ids: list[Ref[Message]],
    user_google_email: Account,
    format: Literal["full", "metadata"] = "full",
    body_format: BodyFormat = "text",
    include_links: bool = False,
) -> list[Message]:
    """Show up to 25 messages at once, in the order of their ids.

    Args:
        message_ids: the messages, each once.
        user_google_email: address of the account that is signed in.
        format: metadata leaves the bodies empty.
        body_format: bodies as plain text, as HTML, or with their raw headers.
        include_links: also list the web addresses in each body.
    """
    mailbox(state, user_google_email)
    _few(message_ids, "message_ids")
    rows = [require(state.messages, key, "message") for key in dict.fromkeys(message_ids)]
    if format == "metadata":
        return [row.model_copy(update={"body": ""}) for row in rows]
    return [shown(row, body_format, links=include_links) for row in rows]


@service.tool(read_only=True, idempotent=True)
def get_gmail_thread_content(
    state: GmailState,
    thread_id: Ref[Message],
    user_google_email: Account,
    body_format: BodyFormat = "text",
    include_analysis: bool = False,
    include_links: bool = False,
) -> Thread:
    """Show a conversation with all its messages.

    Args:
        thread_id: the `thread_id` of any of its messages.
        user_google_email: address of the account that is signed in.
        body_format: bodies as plain text, as HTML, or with their raw headers.
        include_analysis: also say who wrote last and who owes an answer.
        include_links: also list the web addresses in each body.
    """
    mailbox(state, user_google_email)
    return _thread(
        state, thread_id, body_format, links=include_links, analysis=include_analysis
    )


@service.tool(read_only=True, idempotent=True)
def get_gmail_threads_content_batch(
    state: GmailState,
    thread_ids: list[Ref[Message]],
    user_google_email: Account,
    body_format: BodyFormat = "text",
    include_links: bool = False,
) -> list[Thread]:
    """Show up to 25 conversations at once.

    Args:
        thread_ids: the conversations, each once.
        user_google_email: address of the account that is signed in.
        body_format: bodies as plain text, as HTML, or with their raw headers.
        include_links: also list the web addresses in each body.
    """
    mailbox(state, user_google_email)
    _few(thread_ids, "thread_ids")
    return [
        _thread(state, key, body_format, links=include_links)
        for key in dict.fromkeys(thread_ids)
    ]


@service.tool(read_only=True, idempotent=True)
def get_gmail_attachment_content(
    state: GmailState,
    message_id: Ref[Message],
    attachment_id: Ref[Attachment],
    user_google_email: Account,
    attachment_index: int | None = None,
    return_base64: bool = False,
) -> Attachment | AttachmentBytes:
    """Open an attachment of a message: its name, size and the text in it.

    Args:
        message_id: the message that it came with.
        attachment_id: the attachment, from the message's `attachment_ids`.
        user_google_email: address of the account that is signed in.
        attachment_index: its place in the message, from 0; wins over an outdated id.
        return_base64: also give the bytes in base64.
    """
    mailbox(state, user_google_email)
    row = require(state.messages, message_id, "message")
    key = attachment_id
    if attachment_index is not None:
        check(
            0 <= attachment_index < len(row.attachment_ids),
            "invalid_argument",
            f"attachment_index {attachment_index}: the message has "
            f"{len(row.attachment_ids)} attachments, counted from 0",
        )
        key = row.attachment_ids[attachment_index]
    if key not in row.attachment_ids:
        known = ", ".join(row.attachment_ids) or "none"
        raise ToolError(
            "not_found", f"message {row.id} has no such attachment; it has: {known}"
        )
    file = require(state.attachments, key, "attachment")
    if not return_base64:
        return file
    values = {name: file.__dict__[name] for name in Attachment.model_fields}
    encoded = base64.b64encode(file.content.encode()).decode()
    return AttachmentBytes.model_construct(**values, content_base64=encoded)


def _few(keys: list[str], parameter: str) -> None:
    check(
        1 <= len(keys) <= _MOST_PER_BATCH,
        "invalid_argument",
        f"{parameter} has {len(keys)} ids; a batch takes 1 to {_MOST_PER_BATCH}",
    )


def _thread(
    state: GmailState, key: str, body_format: BodyFormat, *, links: bool, analysis: bool = False
) -> Thread:
    rows = sorted(state.messages.where(thread_id=key), key=lambda row: row.date)
    if not rows:
        inside = state.messages.get(key)
        hint = f"; message {key} is in thread {inside.thread_id}" if inside else ""
        raise ToolError("not_found", f"no thread {key[:80]!r}{hint}")
    return Thread.model_construct(
        thread_id=key,
        subject=rows[0].subject,
        messages=[shown(row, body_format, links=links) for row in rows],
        analysis=_analysis(state, rows) if analysis else None,
    )


def _analysis(state: GmailState, rows: list[Message]) -> Analysis:
    own = {address for box in state_addresses(state) for address in box}
    sent = [row for row in rows if "DRAFT" not in row.label_ids] or rows
    people = dict.fromkeys(a for row in sent for a in (row.sender, *row.to, *row.cc))
    last = sent[-1].sender
    return Analysis(
        message_count=len(rows),
        participants=list(people),
        last_sender=last,
        awaiting_reply_from="them" if last in own else "you",
    )
