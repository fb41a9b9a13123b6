"""Habits: what people tell, by which field they name or narrow a record, what they do to it.

Tables by archetype and field; 0 is what nobody does, 1 neutral, up to 3 what everybody does.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from compoworld_tasks_walk.lexicon import table
from compoworld_tasks_walk.words import bare, known, split

_TALES: Final = table("""
default_branch head base branch sha mergeable_state mime_type language = 0.0
created created_at created_on updated updated_at modified modified_time posted_at = 0.1
color icon position sort_order username login handle default_role = 0.1
city country industry department job_title domain website = 0.4
hired_on signed_up_on stars followers size score rating = 0.4
logo link url web_url html_url abandoned_checkout_url = 0.5
sender requester_email customer_email email = 0.9
due due_date due_on deadline target_date closedate renews_on current_period_end = 1.4
amount_paid total_paid = 0.0
lifetime_value revenue annual_revenue annualrevenue = 0.3
evidence_due_by due_at = 1.8
start starts_at start_date end ends_at end_date ordered_on issued_on = 0.5
started_on post_at time sent_at current_period_start order_number sku tracking_number = 0.5
amount amount_due total total_price refund_amount balance mrr = 2.2
number invoice_number order_name identifier reference account_no = 0.8
subject title summary = 0.3
""")
"""Field → how far its value is worth telling anybody; others 1."""


def tale_worth(field: str) -> float:
    """How far people tell one another what stands in a field: a branch's name never.

    Args:
        field: the field of the carried fact; the one that is summed, for a figure.
    """
    return float(known(_TALES, field.rpartition(".")[2]) or 1.0)


_HANDLES: Final[Mapping[str, Mapping[str, float]]] = {
    "customer": {"person": 3.0, "email": 1.6, "company": 1.6, "code": 1.2, "phone": 0.3},
    "firm": {"company": 3.0, "code": 1.0, "phone": 0.1},
    "colleague": {"person": 3.0, "email": 1.4, "code": 0.5, "phone": 0.1},
    "bill": {"code": 3.0, "company": 1.2, "email": 1.0},
    "order": {"code": 3.0, "email": 1.0},
    "payment": {"code": 2.0, "email": 1.0},
    "contract": {"code": 1.5, "email": 1.2, "company": 1.2},
    "work": {"code": 2.4, "title": 2.4, "email": 1.0},
    "message": {"title": 2.4, "email": 1.6},
    "document": {"title": 2.6, "file_name": 2.6, "company": 0.8, "code": 0.8},
    "article": {"title": 2.6},
    "meeting": {"title": 2.6},
    "project": {"title": 2.6},
    "deal": {"title": 2.6, "company": 1.4},
    "product": {"title": 2.0, "code": 1.6},
    "channel": {"code": 2.0, "title": 2.0, "company": 1.2},
    "repository": {"title": 2.0, "code": 1.0},
}
"""Archetype → kind of a field → how far people name a record by it; else 0.2."""


def handle_worth(archetype: str, kind: str, field: str = "") -> float:
    """How natural it is to name a record by a field of a kind: nobody is called by a title."""
    held = _HANDLES.get(archetype, {}).get(kind, 0.2)
    if archetype in ("customer", "colleague", "firm") and kind in ("title", "url"):
        return 0.0
    return held * 0.2 if "url" in field.lower() or "sha" in field.lower().split("_") else held


_FILTERS: Final = table("""
status state stage dealstage = 2.0
priority ticket_priority severity = 0.4
financial_status fulfillment_status payment_status lead_status lifecyclestage = 1.6
kind category segment plan dealtype reason due date due_date score = 1.2
type event_type = 0.5
role account_state duration interval size currency country language = 0.6
visibility transparency permission body_format field_type color_id origin = 0.1
""")
"""Field of few values → how far people narrow by it; others 0.6."""


def filter_worth(archetype: str, field: str) -> float:
    """How natural it is to narrow by a field: "the open invoice", never the type of a user."""
    worth = float(known(_FILTERS, field) or 0.6)
    people = archetype in ("customer", "colleague", "firm")
    return worth * 0.3 if people and bare(field) in ("type", "kind", "state") else worth


_DEEDS: Final[Mapping[str, float]] = {
    "cancel": 2.4, "void": 2.4, "refund": 2.2, "resolve": 2.4, "close": 2.2, "complete": 2.2,
    "finalize": 2.2, "approve": 2.4, "reject": 2.0, "paid": 2.2, "assign": 2.2, "merge": 1.6,
    "priority": 2.2, "status": 2.0, "state": 2.0, "stage": 2.2, "archive": 1.4, "reopen": 1.8,
    "pause": 1.6, "resume": 1.4, "suspend": 1.2, "fulfill": 2.0, "due": 2.2, "publish": 1.4,
    "type": 0.7, "tags": 1.2, "label": 1.2, "pin": 0.8, "star": 0.6, "role": 0.4,
    "leave": 0.1, "join": 0.3, "rename": 0.3, "hidden": 0.1, "active": 1.0, "color": 0.0,
    "visibility": 0.4, "trash": 0.6, "delete": 0.7, "execute": 0.2, "transparency": 0.1,
}  # fmt: skip
"""Word of a tool's or a field's name → how natural it is to ask for that."""


@cache
def deed_worth(archetype: str, tool: str, fields: tuple[str, ...] = ()) -> float:
    """How natural it is to do to a record what a tool does, on the fields that it changes."""
    if archetype in ("place", "repository", "record", "product", "channel", "colleague"):
        scale = 0.3
    else:
        scale = 1.0
    names = [*split(tool).split(), *(word for name in fields for word in split(name).split())]
    found = [value for name in names for key, value in _DEEDS.items() if name.startswith(key)]
    return scale * (min(found) if found and min(found) < 0.5 else max(found, default=1.0))


SETTLED: Final = frozenset((
    "delivered", "shipped", "fulfilled", "paid", "returned", "completed", "solved", "closed",
    "refunded", "partially_refunded",
))  # fmt: skip
"""States in which people leave a record alone: nobody cancels what was delivered."""
GONE: Final = frozenset((
    "void", "voided", "cancelled", "canceled", "refunded", "expired", "uncollectible", "failed",
    "returned",
))  # fmt: skip
"""States of what was called off: nobody tells what it was worth."""
