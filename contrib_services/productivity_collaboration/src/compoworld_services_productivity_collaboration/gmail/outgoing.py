"""Outgoing mail: from a tool's arguments to a sent message or a draft."""

from __future__ import annotations

import base64
import binascii
import re
from html import unescape
from typing import Any, Literal

from attrs import frozen

from compoworld_core import Context, ToolError
from compoworld_core.context import DIGITS, HEX, MIXED
from compoworld_core.resources import check, require
from compoworld_services_productivity_collaboration.gmail.state import (
    Attachment,
    GmailState,
    Mailbox,
    Message,
)

_ADDRESS = re.compile(r"^[^@\s,<>]+@[^@\s,<>]+\.[^@\s,<>]+$")
_NAMED = re.compile(r"^[^<>]*<([^<>]+)>$")
_TAG = re.compile(r"<[^>]*>")
_BREAK = re.compile(r"<(?:br|/p|/div|/li|/tr|/h\d)[^>]*>", re.IGNORECASE)
_LONGEST_BODY = 200_000
_LONGEST_SUBJECT = 998
_MOST_RECIPIENTS = 500


@frozen(kw_only=True)
class Letter:
    """What the caller wants to send or to save as a draft."""

    to: str | None
    cc: str | None
    bcc: str | None
    subject: str | None
    body: str | None
    body_format: Literal["plain", "html"]
    from_name: str | None
    from_email: str | None
    thread_id: str | None
    in_reply_to: str | None
    reply_all: bool
    quote_original: bool
    forward_message_id: str | None
    include_forwarded_attachments: bool
    include_signature: bool
    attachments: list[dict[str, Any]] | None


@frozen
class _File:
    name: str
    mime_type: str
    size: int
    content: str


def addresses(text: str | None, parameter: str) -> tuple[str, ...]:
    """The addresses in `a@x.com, Bo <b@y.com>`, lower case, each once."""
    found: dict[str, None] = {}
    for part in re.split(r"[,;]", text or ""):
        named = _NAMED.match(part.strip())
        address = (named[1] if named else part).strip().casefold()
        if not address:
            continue
        if not _ADDRESS.match(address) or len(address) > 254:
            raise ToolError(
                "invalid_argument",
                f"{parameter}: {address[:80]!r} is not an email address; "
                "write name@example.com, several with commas between them",
            )
        found[address] = None
    return tuple(found)


def deliver(
    state: GmailState, ctx: Context, box: Mailbox, letter: Letter, *, draft: bool
) -> Message:
    """Send a letter, or keep it as a draft."""
    sender, sender_name, signature = _identity(box, letter)
    forwarded = None
    if letter.forward_message_id is not None:
        forwarded = require(state.messages, letter.forward_message_id, "message")
        check(
            not (letter.thread_id or letter.reply_all),
            "invalid_argument",
            "a forward is not a reply: leave thread_id and reply_all out",
        )
    parent = None if forwarded else _parent(state, letter)
    own = {box.id, *box.aliases}
    to, cc, bcc = _recipients(letter, parent, own)
    if not draft:
        check(
            bool(to or cc or bcc),
            "invalid_argument",
            "name a recipient: to, cc or bcc, or reply_all with a thread_id",
        )
    subject = _subject(letter, parent, forwarded, draft=draft)
    body = _body(letter, parent, forwarded, signature if letter.include_signature else "")
    check(
        draft or bool(body) or bool(letter.attachments),
        "invalid_argument",
        "an email needs a body",
    )
    files = [_attached(item) for item in letter.attachments or ()]
    if forwarded and letter.include_forwarded_attachments:
        kept = (state.attachments.get(key) for key in forwarded.attachment_ids)
        files += [_File(f.filename, f.mime_type, f.size, f.content) for f in kept if f]
    labels = ["DRAFT"] if draft else ["SENT"]
    if not draft and not own.isdisjoint((*to, *cc, *bcc)):
        labels += ["INBOX", "UNREAD"]
    message_id = ctx.new_id("19", length=14, alphabet=HEX)
    saved = [
        state.attachments.insert(
            Attachment(
                id=ctx.new_id("ANGjdJ", length=14, alphabet=MIXED),
                message_id=message_id,
                filename=file.name,
                mime_type=file.mime_type,
                size=file.size,
                content=file.content,
            )
        )
        for file in files
    ]
    return state.messages.insert(
        Message(
            id=message_id,
            thread_id=parent.thread_id if parent else message_id,
            date=ctx.now,
            sender=sender,
            sender_name=sender_name,
            to=to,
            cc=cc,
            bcc=bcc,
            subject=subject,
            body=body,
            body_format=letter.body_format,
            label_ids=tuple(labels),
            attachment_ids=tuple(file.id for file in saved),
            attachment_names=tuple(file.filename for file in saved),
            rfc822_message_id=f"<{ctx.new_id('CA', length=16, alphabet=MIXED)}@mail.example>",
            in_reply_to=parent.rfc822_message_id if parent else letter.in_reply_to,
            draft_id=ctx.new_id("r-", length=18, alphabet=DIGITS) if draft else None,
        )
    )


def plain_text(message: Message) -> str:
    """A message's body as text, its markup taken out."""
    if message.body_format == "plain":
        return message.body
    text = unescape(_TAG.sub("", _BREAK.sub("\n", message.body)))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _identity(box: Mailbox, letter: Letter) -> tuple[str, str | None, str]:
    """(address, display name, signature) of the sender."""
    if letter.from_email is None or letter.from_email.casefold() == box.id:
        return box.id, letter.from_name or box.name, box.signature
    alias = letter.from_email.strip().casefold()
    check(
        alias in box.aliases,
        "permission_denied",
        f"{letter.from_email[:80]!r} is not an address that {box.id} may send as; "
        f"there are: {', '.join((box.id, *box.aliases))}",
    )
    return alias, letter.from_name or box.alias_name or None, box.alias_signature


def _parent(state: GmailState, letter: Letter) -> Message | None:
    """The message that this one answers."""
    if letter.thread_id is not None:
        rows = state.messages.where(thread_id=letter.thread_id)
        if not rows:
            raise ToolError("not_found", f"no thread {letter.thread_id[:80]!r}")
        if letter.in_reply_to is not None:
            for row in rows:
                if row.rfc822_message_id == letter.in_reply_to:
                    return row
        hidden = {"DRAFT", "TRASH"}
        live = [row for row in rows if hidden.isdisjoint(row.label_ids)]
        check(bool(live), "failed_precondition", "the thread has only drafts or trash")
        return max(live, key=lambda row: row.date)
    check(not letter.reply_all, "invalid_argument", "reply_all needs a thread_id")
    if letter.in_reply_to is None:
        return None
    return state.messages.first(rfc822_message_id=letter.in_reply_to)


def _recipients(
    letter: Letter, parent: Message | None, own: set[str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    to, cc = addresses(letter.to, "to"), addresses(letter.cc, "cc")
    bcc = addresses(letter.bcc, "bcc")
    if parent is not None and letter.reply_all:
        mine = parent.sender in own
        back = parent.to if mine else (parent.sender,)
        if not to:
            to = tuple(address for address in back if address not in own)
        if not cc:
            others = dict.fromkeys((*back, *parent.to, *parent.cc))
            cc = tuple(a for a in others if a not in own and a not in to)
    count = len(to) + len(cc) + len(bcc)
    check(count <= _MOST_RECIPIENTS, "invalid_argument", f"{count} recipients; at most 500")
    return to, cc, bcc


def _subject(
    letter: Letter, parent: Message | None, forwarded: Message | None, *, draft: bool
) -> str:
    subject = " ".join((letter.subject or "").split())
    if not subject and forwarded is not None:
        subject = _prefixed("Fwd:", forwarded.subject)
    elif not subject and parent is not None:
        subject = _prefixed("Re:", parent.subject)
    check(draft or bool(subject), "invalid_argument", "an email needs a subject")
    check(len(subject) <= _LONGEST_SUBJECT, "invalid_argument", "the subject is too long")
    return subject


def _prefixed(prefix: str, subject: str) -> str:
    there = subject.casefold().startswith(prefix.casefold())
    return subject if there else f"{prefix} {subject}"


def _body(
    letter: Letter, parent: Message | None, forwarded: Message | None, signature: str
) -> str:
    parts = [letter.body] if letter.body else []
    if forwarded is not None:
        parts.append(
            "---------- Forwarded message ---------\n"
            f"From: {forwarded.sender_name or ''} <{forwarded.sender}>\n"
            f"Date: {forwarded.date:%a, %d %b %Y %H:%M} UTC\n"
            f"Subject: {forwarded.subject}\n"
            f"To: {', '.join(forwarded.to)}\n\n{plain_text(forwarded)}"
        )
    else:
        if signature:
            parts.append(f"-- \n{signature}")
        if letter.quote_original and parent is not None:
            quoted = "\n".join(f"> {line}" for line in plain_text(parent).splitlines())
            parts.append(f"On {parent.date:%a, %d %b %Y}, {parent.sender} wrote:\n{quoted}")
    joint = "<br><br>" if letter.body_format == "html" else "\n\n"
    body = joint.join(parts)
    check(
        len(body) <= _LONGEST_BODY,
        "invalid_argument",
        "the body is too long",
    )
    return body


def _attached(item: dict[str, Any]) -> _File:
    """A file from `{"filename": …, "content": base64}`."""
    name, content = item.get("filename"), item.get("content")
    if item.get("path") or item.get("url"):
        raise ToolError(
            "invalid_argument",
            "attachments: files cannot be fetched from a path or url here; "
            'give {"filename": "notes.txt", "content": "<base64>"}',
        )
    if not isinstance(name, str) or not name.strip() or not isinstance(content, str):
        raise ToolError(
            "invalid_argument",
            'attachments: each needs {"filename": "notes.txt", "content": "<base64>"}',
        )
    try:
        data = base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        raise ToolError(
            "invalid_argument", f"attachments: the content of {name[:80]!r} is not base64"
        ) from None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = ""
    mime_type = item.get("mime_type")
    known = mime_type if isinstance(mime_type, str) else "application/octet-stream"
    return _File(name.strip()[:255], known, len(data), text)
