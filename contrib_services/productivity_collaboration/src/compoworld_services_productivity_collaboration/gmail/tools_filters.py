"""Tools for filters: rules that label, archive or forward mail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict

from compoworld_core import Context, Forms, Ref, ToolError
from compoworld_core.context import MIXED
from compoworld_core.resources import check, require
from compoworld_services_productivity_collaboration.gmail.outgoing import addresses
from compoworld_services_productivity_collaboration.gmail.query import parse
from compoworld_services_productivity_collaboration.gmail.state import (
    Account,
    Filter,
    GmailState,
    Mailbox,
    Message,
    mailbox,
    service,
)
from compoworld_services_productivity_collaboration.gmail.tools_labels import (
    label_changes,
    relabel,
)

Criteria = Annotated[
    dict[str, Any] | None,
    Forms(
        **{
            "filters.sender": {"from": "{}"},
            "filters.to": {"to": "{}"},
            "filters.subject": {"subject": "{}"},
        }
    ),
]
Actions = Annotated[
    dict[str, Any] | None,
    Forms(
        **{
            "filters.add_label_ids": {"addLabelIds": ["{}"]},
            "filters.remove_label_ids": {"removeLabelIds": ["{}"]},
        }
    ),
]
_CRITERIA = {
    "from": "sender",
    "to": "to",
    "subject": "subject",
    "query": "query",
    "negatedQuery": "negated_query",
    "hasAttachment": "has_attachment",
}
_ACTIONS = ("addLabelIds", "removeLabelIds", "forward")
_MOST_FILTERS = 500


class FilterRun(BaseModel):
    """What a filter did to mail that was there already."""

    model_config = ConfigDict(extra="forbid")

    query: str
    """The search that it stands for."""
    matched: int
    changed: list[Ref[Message]]
    dry_run: bool


@service.tool(read_only=True, idempotent=True)
def list_gmail_filters(state: GmailState, user_google_email: Account) -> list[Filter]:
    """List the mailbox's filters.

    Args:
        user_google_email: address of the account that is signed in.
    """
    mailbox(state, user_google_email)
    return list(state.filters)


@service.tool(destructive=True)
def manage_gmail_filter(
    state: GmailState,
    ctx: Context,
    user_google_email: Account,
    action: str,
    criteria: Criteria = None,
    filter_action: Actions = None,
    filter_id: Ref[Filter] | None = None,
    dry_run: bool = False,
    max_messages: int = 5000,
) -> Filter | FilterRun:
    """Create, update, delete or apply a filter.

    An updated filter gets a new id. Apply runs a filter's labels over mail that is there.

    Args:
        user_google_email: address of the account that is signed in.
        action: create, update, delete or apply.
        criteria: what mail it matches: from, to, subject, query, negatedQuery, hasAttachment.
        filter_action: what it does: addLabelIds, removeLabelIds, forward.
        filter_id: the filter to update, delete or apply.
        dry_run: with apply, only count.
        max_messages: with apply, stop where more messages than this would change.
    """
    box = mailbox(state, user_google_email)
    if action == "create":
        check(criteria is not None, "invalid_argument", "create needs criteria")
        check(filter_action is not None, "invalid_argument", "create needs a filter_action")
        return _create(state, ctx, _fields(state, box, criteria or {}, filter_action or {}))
    if action in ("update", "delete"):
        if filter_id is None:
            raise ToolError("invalid_argument", f"{action} needs a filter_id")
        row = require(state.filters, filter_id, "filter")
        if action == "delete":
            return state.filters.delete(row.id)
        check(
            criteria is not None or filter_action is not None,
            "invalid_argument",
            "update needs criteria or a filter_action",
        )
        fields = _merged(state, box, row, criteria, filter_action)
        state.filters.delete(row.id)
        return _create(state, ctx, fields)
    if action != "apply":
        raise ToolError(
            "invalid_argument",
            f"action {action[:40]!r} is not known; use create, update, delete or apply",
        )
    if filter_id is not None:
        fields = _merged(
            state, box, require(state.filters, filter_id, "filter"), criteria, filter_action
        )
    else:
        fields = _fields(state, box, criteria or {}, filter_action or {})
    return _apply(state, ctx, fields, dry_run=dry_run, most=max_messages)


def _merged(
    state: GmailState,
    box: Mailbox,
    row: Filter,
    criteria: Mapping[str, Any] | None,
    actions: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """A filter's fields with a part replaced."""
    held = {name: getattr(row, name) for name in _CRITERIA.values()}
    done = {
        "add_label_ids": row.add_label_ids,
        "remove_label_ids": row.remove_label_ids,
        "forward": row.forward,
    }
    if criteria is not None:
        held = _criteria(criteria)
    if actions is not None:
        done = _actions(state, box, actions)
    return {**held, **done}


def _fields(
    state: GmailState, box: Mailbox, criteria: Mapping[str, Any], actions: Mapping[str, Any]
) -> dict[str, Any]:
    return {**_criteria(criteria), **_actions(state, box, actions)}


def _criteria(criteria: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in criteria.items():
        name = _known(key, tuple(_CRITERIA), "criteria")
        kind = bool if name == "hasAttachment" else str
        if value is None:
            continue
        if not isinstance(value, kind) or value == "" or len(str(value)) > 500:
            raise ToolError(
                "invalid_argument",
                f"criteria.{key} must be a {'true or false' if kind is bool else 'short text'}",
            )
        fields[_CRITERIA[name]] = value
    check(bool(fields), "invalid_argument", f"criteria needs one of: {', '.join(_CRITERIA)}")
    return fields


def _actions(state: GmailState, box: Mailbox, actions: Mapping[str, Any]) -> dict[str, Any]:
    lists: dict[str, list[str]] = {"addLabelIds": [], "removeLabelIds": []}
    forward = None
    for key, value in actions.items():
        name = _known(key, _ACTIONS, "filter_action")
        if name == "forward":
            forward = _forward(box, value)
        elif isinstance(value, list) and all(isinstance(item, str) for item in value):
            lists[name] = value
        else:
            raise ToolError("invalid_argument", f"filter_action.{name} is a list of label ids")
    add, remove = lists["addLabelIds"], lists["removeLabelIds"]
    check(
        bool(add or remove or forward),
        "invalid_argument",
        f"filter_action needs one of: {', '.join(_ACTIONS)}",
    )
    if add or remove:
        label_changes(state, add, remove)
    return {"add_label_ids": tuple(add), "remove_label_ids": tuple(remove), "forward": forward}


def _forward(box: Mailbox, value: object) -> str | None:
    if value is None:
        return None
    found = addresses(str(value), "forward")
    check(
        len(found) == 1 and found[0] in box.forwarding,
        "failed_precondition",
        f"{str(value)[:80]!r} is not a verified forwarding address; "
        f"there are: {', '.join(box.forwarding) or 'none'}",
    )
    return found[0]


def _known(key: str, known: tuple[str, ...], parameter: str) -> str:
    check(
        key in known,
        "invalid_argument",
        f"{parameter} has no {key[:40]!r}; it has: {', '.join(known)}",
    )
    return key


def _create(state: GmailState, ctx: Context, fields: dict[str, Any]) -> Filter:
    check(len(state.filters) < _MOST_FILTERS, "failed_precondition", "500 filters are the most")
    new = Filter(id=ctx.new_id("ANe1Bm", length=16, alphabet=MIXED), **fields)
    for row in state.filters:
        if row.model_copy(update={"id": new.id}) == new:
            raise ToolError("conflict", f"filter {row.id} does just that already")
    return state.filters.insert(new)


def _search(fields: Mapping[str, Any]) -> str:
    """The search that a filter stands for."""
    parts = []
    for name, key in (("sender", "from"), ("to", "to"), ("subject", "subject")):
        value = fields.get(name)
        if value:
            cleaned = str(value).replace('"', " ").strip()
            parts.append(f'{key}:"{cleaned}"')
    if fields.get("query"):
        parts.append(f"({fields['query']})")
    if fields.get("negated_query"):
        parts.append(f"-({fields['negated_query']})")
    wanted = fields.get("has_attachment")
    if wanted is not None:
        parts.append("has:attachment" if wanted else "-has:attachment")
    return " ".join(parts)


def _apply(
    state: GmailState, ctx: Context, fields: Mapping[str, Any], *, dry_run: bool, most: int
) -> FilterRun:
    add, remove = list(fields["add_label_ids"]), list(fields["remove_label_ids"])
    check(bool(add or remove), "failed_precondition", "the filter changes no labels")
    query = _search(fields)
    rows = parse(query, state, ctx.now).run(state)
    check(
        len(rows) <= most,
        "failed_precondition",
        f"{len(rows)} messages match, more than max_messages={most}; nothing was changed",
    )
    changed = []
    if not dry_run:
        changed = [row.id for row in rows if relabel(state, row, add, remove) is not row]
    return FilterRun(query=query, matched=len(rows), changed=changed, dry_run=dry_run)
