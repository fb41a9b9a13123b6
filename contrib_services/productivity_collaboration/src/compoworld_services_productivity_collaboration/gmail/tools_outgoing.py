"""Tools that send mail and save drafts."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from compoworld_core import Context, Forms, Ref
from compoworld_core.types import Email, PersonName, Text, Title
from compoworld_services_productivity_collaboration.gmail.outgoing import Letter, deliver
from compoworld_services_productivity_collaboration.gmail.state import (
    Account,
    Address,
    GmailState,
    Message,
    mailbox,
    service,
)

Files = Annotated[
    list[dict[str, Any]] | None,
    Forms(**{"attachments.filename": [{"filename": "{}", "content": "bm90ZXM="}]}),
]


@service.tool
def send_gmail_message(
    state: GmailState,
    ctx: Context,
    user_google_email: Account,
    subject: Title | None = None,
    body: Text | None = None,
    to: Address | None = None,
    body_format: Literal["plain", "html"] = "plain",
    cc: Address | None = None,
    bcc: Address | None = None,
    from_name: PersonName | None = None,
    from_email: Email | None = None,
    thread_id: Ref[Message] | None = None,
    in_reply_to: str | None = None,
    references: str | None = None,
    attachments: Files = None,
    include_signature: bool = True,
    quote_original: bool = False,
    reply_all: bool = False,
    forward_message_id: Ref[Message] | None = None,
    include_forwarded_attachments: bool = True,
    direction: Literal["auto", "ltr", "rtl"] = "auto",
) -> Message:
    """Send an email now: a new one, a reply in a thread, or a forward.

    Args:
        user_google_email: address of the account that sends.
        subject: may be left out in a reply or a forward.
        body: the text; in a forward a note above the original.
        to: recipients, with commas between them; reply_all works them out.
        body_format: whether the body is plain text or HTML.
        cc: recipients of a copy.
        bcc: recipients that the others do not see.
        from_name: the sender's name as shown.
        from_email: one of the account's own addresses to send as.
        thread_id: the conversation that this answers.
        in_reply_to: Message-ID header of the message that this answers.
        references: the chain of Message-IDs; worked out from the thread where left out.
        attachments: files as {"filename", "content" in base64, "mime_type"}.
        include_signature: add the account's signature, if it has one.
        quote_original: quote the answered message below the text.
        reply_all: answer everybody in the thread.
        forward_message_id: the message to pass on.
        include_forwarded_attachments: pass its attachments on too.
        direction: writing direction of the text.
    """
    box = mailbox(state, user_google_email)
    letter = Letter(
        to=to, cc=cc, bcc=bcc, subject=subject, body=body, body_format=body_format,
        from_name=from_name, from_email=from_email, thread_id=thread_id,
        in_reply_to=in_reply_to or _last(references), reply_all=reply_all,
        quote_original=quote_original, forward_message_id=forward_message_id,
        include_forwarded_attachments=include_forwarded_attachments,
        include_signature=include_signature, attachments=attachments,
    )  # fmt: skip
    return deliver(state, ctx, box, letter, draft=False)


@service.tool
def draft_gmail_message(
    state: GmailState,
    ctx: Context,
    user_google_email: Account,
    subject: Title | None = None,
    body: Text | None = None,
    to: Address | None = None,
    body_format: Literal["plain", "html"] = "plain",
    cc: Address | None = None,
    bcc: Address | None = None,
    from_name: PersonName | None = None,
    from_email: Email | None = None,
    thread_id: Ref[Message] | None = None,
    in_reply_to: str | None = None,
    references: str | None = None,
    attachments: Files = None,
    include_signature: bool = True,
    quote_original: bool = False,
    reply_all: bool = False,
    forward_message_id: Ref[Message] | None = None,
    include_forwarded_attachments: bool = True,
    direction: Literal["auto", "ltr", "rtl"] = "auto",
) -> Message:
    """Save an email as a draft without sending it; it may still lack recipients or text.

    Args:
        user_google_email: address of the account that keeps the draft.
        subject: may be left out.
        body: the text; in a forward a note above the original.
        to: recipients, with commas between them.
        body_format: whether the body is plain text or HTML.
        cc: recipients of a copy.
        bcc: recipients that the others do not see.
        from_name: the sender's name as shown.
        from_email: one of the account's own addresses to send as.
        thread_id: the conversation that this answers.
        in_reply_to: Message-ID header of the message that this answers.
        references: the chain of Message-IDs; worked out from the thread where left out.
        attachments: files as {"filename", "content" in base64, "mime_type"}.
        include_signature: add the account's signature, if it has one.
        quote_original: quote the answered message below the text.
        reply_all: answer everybody in the thread.
        forward_message_id: the message to pass on.
        include_forwarded_attachments: pass its attachments on too.
        direction: writing direction of the text.
    """
    box = mailbox(state, user_google_email)
    letter = Letter(
        to=to, cc=cc, bcc=bcc, subject=subject, body=body, body_format=body_format,
        from_name=from_name, from_email=from_email, thread_id=thread_id,
        in_reply_to=in_reply_to or _last(references), reply_all=reply_all,
        quote_original=quote_original, forward_message_id=forward_message_id,
        include_forwarded_attachments=include_forwarded_attachments,
        include_signature=include_signature, attachments=attachments,
    )  # fmt: skip
    return deliver(state, ctx, box, letter, draft=True)


def _last(references: str | None) -> str | None:
    """The message that a chain of Message-IDs ends with."""
    chain = (references or "").split()
    return chain[-1] if chain else None
