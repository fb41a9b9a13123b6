"""Tools that look people up in the account's address book."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from compoworld_core import Context, Forms, Ref, ToolError
from compoworld_core.resources import Page, check, paginate, require, search
from compoworld_services_productivity_collaboration.gmail.state import (
    Account,
    Contact,
    GmailState,
    mailbox,
    service,
)

PersonQuery = Annotated[
    str,
    Forms(
        **{
            "contacts.email": "{}",
            "contacts.name": "{}",
            "contacts.phone": "{}",
            "contacts.organization": "{}",
        }
    ),
]
_FIELDS = ("name", "email", "phone", "organization")
_ORDERS = (
    "LAST_MODIFIED_ASCENDING",
    "LAST_MODIFIED_DESCENDING",
    "FIRST_NAME_ASCENDING",
    "LAST_NAME_ASCENDING",
)
_MOST_LISTED = 50
_MOST_FOUND = 30


class ContactPage(Page[Contact]):
    """A page of contacts; a full sync ends with a token for later changes."""

    next_sync_token: str | None = None


@service.tool(read_only=True, idempotent=True)
def list_contacts(
    state: GmailState,
    ctx: Context,
    user_google_email: Account,
    page_size: int = 50,
    page_token: str | None = None,
    sort_order: str | None = None,
    request_sync_token: bool = False,
    sync_token: str | None = None,
) -> ContactPage:
    """List the address book.

    Args:
        user_google_email: address of the account that is signed in.
        page_size: how many contacts a page has, at most 50.
        page_token: `next_cursor` of the page before.
        sort_order: LAST_MODIFIED_ASCENDING, LAST_MODIFIED_DESCENDING, FIRST_NAME_ASCENDING
            or LAST_NAME_ASCENDING; not while syncing.
        request_sync_token: give a sync token on the last page.
        sync_token: only contacts that changed since this token was given.
    """
    mailbox(state, user_google_email)
    check(page_size >= 1, "invalid_argument", "page_size must be at least 1")
    syncing = request_sync_token or sync_token is not None
    check(
        not (syncing and sort_order), "invalid_argument", "sort_order does not go with syncing"
    )
    rows = list(state.contacts)
    if sync_token is not None:
        since = _since(sync_token)
        rows = [row for row in rows if row.updated_at > since]
    elif sort_order is not None:
        rows = _sorted(rows, sort_order)
    page = paginate(rows, min(page_size, _MOST_LISTED), page_token)
    last = syncing and page.next_cursor is None
    return ContactPage.model_construct(
        items=page.items,
        total=page.total,
        next_cursor=page.next_cursor,
        next_sync_token=f"sync:{ctx.now.isoformat()}" if last else None,
    )


@service.tool(read_only=True, idempotent=True)
def get_contact(
    state: GmailState, user_google_email: Account, contact_id: Ref[Contact]
) -> Contact:
    """Show one contact.

    Args:
        user_google_email: address of the account that is signed in.
        contact_id: the contact, with or without `people/` before it.
    """
    mailbox(state, user_google_email)
    return require(state.contacts, contact_id.removeprefix("people/"), "contact")


@service.tool(read_only=True, idempotent=True)
def search_contacts(
    state: GmailState, user_google_email: Account, query: PersonQuery, page_size: int = 30
) -> Page[Contact]:
    """Find contacts by name, email address, phone number or organization.

    Args:
        user_google_email: address of the account that is signed in.
        query: words that must all occur.
        page_size: how many contacts to show, at most 30.
    """
    mailbox(state, user_google_email)
    check(page_size >= 1, "invalid_argument", "page_size must be at least 1")
    check(bool(query.strip()), "invalid_argument", "query is empty")
    rows = state.contacts.where(email=query.strip().casefold()) if "@" in query else []
    rows = rows or search(state.contacts, query, _FIELDS)
    return paginate(rows, min(page_size, _MOST_FOUND))


def _since(token: str) -> datetime:
    try:
        since = datetime.fromisoformat(token.removeprefix("sync:"))
    except ValueError:
        since = None
    if since is None or since.tzinfo is None:
        raise ToolError(
            "failed_precondition", "this sync token is not valid; start with request_sync_token"
        )
    return since


def _sorted(rows: list[Contact], order: str) -> list[Contact]:
    if order == "FIRST_NAME_ASCENDING":
        return sorted(rows, key=lambda row: (row.given_name, row.family_name))
    if order == "LAST_NAME_ASCENDING":
        return sorted(rows, key=lambda row: (row.family_name, row.given_name))
    if order not in _ORDERS:
        raise ToolError(
            "invalid_argument", f"sort_order {order[:40]!r}; use one of: {', '.join(_ORDERS)}"
        )
    newest_first = order == "LAST_MODIFIED_DESCENDING"
    return sorted(rows, key=lambda row: row.updated_at, reverse=newest_first)
