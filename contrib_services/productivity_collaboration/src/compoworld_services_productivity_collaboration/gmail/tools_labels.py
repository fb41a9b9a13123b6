"""Tools for labels: list, manage, put on messages and take off."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict

from compoworld_core import Context, Ref, ToolError
from compoworld_core.context import DIGITS
from compoworld_core.resources import check, given, require
from compoworld_core.schema import UNSET
from compoworld_core.types import Tag
from compoworld_services_productivity_collaboration.gmail.state import (
    HIDDEN,
    Account,
    GmailState,
    Label,
    Message,
    mailbox,
    service,
)

_FIXED = ("SENT", "DRAFT")
"""Labels that say what a message is; nobody can put them on or take them off."""
_COLOR = re.compile(r"^#[0-9a-fA-F]{6}$")
_LONGEST = 225
_MOST_MESSAGES = 1000
_MOST_THREADS = 100


class Relabelled(BaseModel):
    """What a batch changed."""

    model_config = ConfigDict(extra="forbid")

    changed: list[Ref[Message]]
    unchanged: list[Ref[Message]]
    """Messages that had these labels already."""
    unknown: list[str]
    """Ids that no message or thread has."""


def relabel(state: GmailState, row: Message, add: list[str], remove: list[str]) -> Message:
    """Put labels on a message, take others off; trash and spam leave the inbox."""
    labels = (set(row.label_ids) | set(add)) - set(remove)
    if not HIDDEN.isdisjoint(add):
        labels.discard("INBOX")
    if labels == set(row.label_ids):
        return row
    return state.messages.update(row.id, label_ids=tuple(labels))


def label_changes(
    state: GmailState, add: list[str] | None, remove: list[str] | None
) -> tuple[list[str], list[str]]:
    """The labels to add and to remove, checked."""
    adds, removes = list(dict.fromkeys(add or ())), list(dict.fromkeys(remove or ()))
    check(
        bool(adds or removes),
        "invalid_argument",
        "name add_label_ids or remove_label_ids, or both",
    )
    for key in (*adds, *removes):
        require(state.labels, key, "label")
        check(
            key not in _FIXED,
            "invalid_argument",
            f"{key} says what a message is and cannot be added or removed",
        )
    both = [key for key in adds if key in removes]
    check(not both, "invalid_argument", f"{', '.join(both)} is in both lists")
    return adds, removes


@service.tool(read_only=True, idempotent=True)
def list_gmail_labels(
    state: GmailState,
    user_google_email: Account,
    include_system: bool = True,
    prefix: str | None = None,
    compact: bool = False,
) -> list[Label]:
    """List the labels: the system's first, then the user's by name.

    Args:
        user_google_email: address of the account that is signed in.
        include_system: show INBOX, SENT and the like too.
        prefix: only labels whose name starts like this.
        compact: leave hidden labels out.
    """
    mailbox(state, user_google_email)
    start = (prefix or "").casefold()
    rows = [
        row
        for row in state.labels
        if (include_system or row.type == "user")
        and row.name.casefold().startswith(start)
        and not (compact and row.label_list_visibility == "labelHide")
    ]
    return sorted(
        rows, key=lambda row: (row.type == "user", row.name if row.type == "user" else "")
    )


@service.tool(destructive=True)
def manage_gmail_label(
    state: GmailState,
    ctx: Context,
    user_google_email: Account,
    action: Literal["create", "update", "delete"],
    name: Tag | None = None,
    label_id: Ref[Label] | None = None,
    label_list_visibility: Literal["labelShow", "labelShowIfUnread", "labelHide"] | None = None,
    message_list_visibility: Literal["show", "hide"] | None = None,
    background_color: str | None = None,
    text_color: str | None = None,
    clear_color: bool = False,
) -> Label:
    """Create, change or delete one of the user's labels; a deleted one leaves its messages.

    Args:
        user_google_email: address of the account that is signed in.
        action: what to do.
        name: the label's name; needed to create. A slash nests it: Customers/Acme.
        label_id: the label to change or delete.
        label_list_visibility: whether the list of labels shows it.
        message_list_visibility: whether the list of messages shows it.
        background_color: as #rrggbb, together with text_color.
        text_color: as #rrggbb, together with background_color.
        clear_color: back to no colour.
    """
    mailbox(state, user_google_email)
    if action == "delete":
        row = _own(state, label_id, action)
        _take_off_all(state, row.id)
        return state.labels.delete(row.id)
    _check_colors(background_color, text_color, clear=clear_color)
    fields = given(
        name=_name(state, name, label_id) if name is not None else UNSET,
        label_list_visibility=label_list_visibility or UNSET,
        message_list_visibility=message_list_visibility or UNSET,
        background_color=None if clear_color else background_color or UNSET,
        text_color=None if clear_color else text_color or UNSET,
    )
    if action == "update":
        row = _own(state, label_id, action)
        check(bool(fields), "invalid_argument", "name something to change")
        return state.labels.update(row.id, **fields)
    check(name is not None, "invalid_argument", "create needs a name")
    check(
        label_id is None, "invalid_argument", "a new label gets its own id; leave label_id out"
    )
    return state.labels.insert(
        Label(id=ctx.new_id("Label_", length=10, alphabet=DIGITS), **fields)
    )


@service.tool(destructive=True, idempotent=True)
def modify_gmail_message_labels(
    state: GmailState,
    user_google_email: Account,
    message_id: Ref[Message],
    add_label_ids: list[Ref[Label]] | None = None,
    remove_label_ids: list[Ref[Label]] | None = None,
) -> Message:
    """Put labels on a message or take them off.

    Without INBOX it is archived, without UNREAD it is read, with TRASH it is deleted.

    Args:
        user_google_email: address of the account that is signed in.
        message_id: the message.
        add_label_ids: labels to put on.
        remove_label_ids: labels to take off.
    """
    mailbox(state, user_google_email)
    row = require(state.messages, message_id, "message")
    return relabel(state, row, *label_changes(state, add_label_ids, remove_label_ids))


@service.tool(destructive=True, idempotent=True)
def batch_modify_gmail_message_labels(
    state: GmailState,
    user_google_email: Account,
    message_ids: list[Ref[Message]] | None = None,
    add_label_ids: list[Ref[Label]] | None = None,
    remove_label_ids: list[Ref[Label]] | None = None,
    thread_ids: list[Ref[Message]] | None = None,
    verify: bool = True,
) -> Relabelled:
    """Put labels on many messages or whole conversations, or take them off.

    Args:
        user_google_email: address of the account that is signed in.
        message_ids: up to 1,000 messages.
        add_label_ids: labels to put on.
        remove_label_ids: labels to take off.
        thread_ids: up to 100 conversations, all of their messages.
        verify: report which ids are unknown; without it they are passed over in silence.
    """
    mailbox(state, user_google_email)
    keys, threads = list(message_ids or ()), list(thread_ids or ())
    check(bool(keys or threads), "invalid_argument", "name message_ids or thread_ids, or both")
    check(
        len(keys) <= _MOST_MESSAGES and len(threads) <= _MOST_THREADS,
        "invalid_argument",
        f"at most {_MOST_MESSAGES} messages and {_MOST_THREADS} threads in one call",
    )
    add, remove = label_changes(state, add_label_ids, remove_label_ids)
    rows: dict[str, Message] = {}
    unknown: list[str] = []
    for key in keys:
        row = state.messages.get(key)
        if row is None:
            unknown.append(key)
        else:
            rows[row.id] = row
    for thread in threads:
        found = state.messages.where(thread_id=thread)
        rows.update({row.id: row for row in found})
        if not found:
            unknown.append(thread)
    changed = [row.id for row in rows.values() if relabel(state, row, add, remove) is not row]
    return Relabelled(
        changed=changed,
        unchanged=[key for key in rows if key not in changed],
        unknown=unknown if verify else [],
    )


def _own(state: GmailState, label_id: str | None, action: str) -> Label:
    if label_id is None:
        raise ToolError("invalid_argument", f"{action} needs a label_id")
    row = require(state.labels, label_id, "label")
    check(
        row.type == "user",
        "failed_precondition",
        f"{row.name} is a system label; only your own labels can be changed or deleted",
    )
    return row


def _name(state: GmailState, name: str, label_id: str | None) -> str:
    cleaned = name.strip()
    check(
        0 < len(cleaned) <= _LONGEST,
        "invalid_argument",
        f"a label's name has 1 to {_LONGEST} characters",
    )
    for row in state.labels:
        if row.name.casefold() == cleaned.casefold() and row.id != label_id:
            raise ToolError("conflict", f"there is a label {row.name!r} already ({row.id})")
    return cleaned


def _check_colors(background: str | None, text: str | None, *, clear: bool) -> None:
    check(
        (background is None) == (text is None),
        "invalid_argument",
        "background_color and text_color go together",
    )
    check(
        not (clear and background), "invalid_argument", "clear_color cannot go with new colours"
    )
    for color in (background, text):
        check(
            color is None or bool(_COLOR.match(color)),
            "invalid_argument",
            f"{(color or '')[:20]!r} is not a colour like #16a766",
        )


def _take_off_all(state: GmailState, label: str) -> None:
    """Take a label that goes away off messages and out of filters."""
    for row in [row for row in state.messages if label in row.label_ids]:
        state.messages.update(row.id, label_ids=tuple(k for k in row.label_ids if k != label))
    for rule in list(state.filters):
        if label in rule.add_label_ids or label in rule.remove_label_ids:
            state.filters.update(
                rule.id,
                add_label_ids=tuple(k for k in rule.add_label_ids if k != label),
                remove_label_ids=tuple(k for k in rule.remove_label_ids if k != label),
            )
