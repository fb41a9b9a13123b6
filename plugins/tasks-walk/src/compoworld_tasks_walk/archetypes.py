"""Archetypes: what a table is about, told by its noun and by the types of its fields.

No service is named here: a table that was generated yesterday is classified like the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, get_args

from compoworld_tasks_walk.lexicon import table

if TYPE_CHECKING:
    from compoworld_tasks_walk.catalogue import TableProfile

Archetype = Literal[
    "message", "channel", "comment", "customer", "firm", "colleague", "bill", "payment",
    "order", "contract", "deal", "work", "reminder", "project", "meeting", "document",
    "article", "product", "repository", "place", "record",
]  # fmt: skip
"""A customer is a person outside, a firm their company, a colleague one of our own people;
a contract is a subscription, a place is what others are put into, a record anything else."""

ARCHETYPES: Final[tuple[Archetype, ...]] = get_args(Archetype)


def _classes(text: str) -> Mapping[str, Archetype]:
    """A table whose values are archetypes."""
    return {noun: _BY_NAME[name] for noun, name in table(text).items()}


_BY_NAME: Final[Mapping[str, Archetype]] = {name: name for name in ARCHETYPES}

_NOUNS: Final = _classes("""
email mail message letter post sms = message
channel room conversation chat = channel
comment reply remark note review block reaction = comment
contact customer client guest lead attendee candidate subscriber patient buyer = customer
company organization organisation firm vendor supplier merchant = firm
employee colleague teammate staff = colleague
invoice bill quote estimate expense = bill
payment charge refund payout transaction transfer dispute receipt = payment
order checkout purchase booking reservation shipment fulfillment fulfilment delivery = order
subscription contract membership plan license licence = contract
deal opportunity = deal
ticket issue task case bug todo card request incident need = work
reminder alarm = reminder
project milestone cycle sprint epic campaign initiative = project
event meeting appointment call session interview = meeting
document page doc file spreadsheet presentation wiki = document
article = article
product variant price coupon discount item sku = product
repository repo branch commit = repository
folder drive label tag calendar section database source schema warehouse team board list = place
workspace role workflow property field table location mailbox state status filter = place
rating survey permission grant share association relation level position rate tier type = record
""")
"""Last word of a noun → its archetype."""

_COMPOUND: Final = _classes("""
pull_request = repository
customer_request = work
account_record = firm
order_position line_item invoice_item inventory_item = record
stock_level = record
subscription_item = record
role_grant = record
abandoned_checkout = record
pipeline_task = place
mail_filter = record
help_article = article
status_check = record
payment_link = product
issue_relation = record
payment_method = record
documentation_page = article
note_or_task = comment
""")
"""Last two words of a noun (joined by _) or all of them, which mean something else."""

_PEOPLE: Final = frozenset(
    ("user", "member", "person", "people", "account", "profile", "owner")
)
"""Nouns that are ours or outside: their fields tell."""


def archetype(profile: TableProfile, noun: str = "") -> Archetype:
    """What a table is about, by what people call its rows and by its fields.

    Args:
        profile: the seeded table.
        noun: what people call a row of it; without one, the table's name in the singular.
    """
    called = noun or _singular(profile.name)
    fields = tuple(
        (name, column.fact.kind, bool(column.fact.enum), bool(column.fact.ref), column.staff)
        for name, column in profile.fields.items()
    )
    return _classified(called.lower(), fields)


_Fields = tuple[tuple[str, str, bool, bool, bool], ...]
"""(name, kind, is it one of few values, is it a reference, does it hold our own people)."""


@cache
def _classified(noun: str, fields: _Fields) -> Archetype:
    found = named(noun)
    if found == "customer" and _ours(fields):
        return "colleague"
    if found == "customer" and any(one[:2] == ("name", "company") for one in fields):
        return "firm"
    if found is not None:
        return found
    return _by_fields(noun, fields)


def named(noun: str) -> Archetype | None:
    """The archetype that the noun alone tells; None where it tells none."""
    words = noun.replace("_", " ").replace("-", " ").split()
    if words[-1:] == ["record"]:
        words = words[:-1] if "_".join(words[-2:]) not in _COMPOUND else words
    for phrase in ("_".join(words), "_".join(words[-2:])):
        if phrase in _COMPOUND:
            return _COMPOUND[phrase]
    return _NOUNS.get(words[-1]) if words else None


def _singular(name: str) -> str:
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    if name.endswith(("xes", "shes", "ches", "sses")):
        return name[:-2]
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


def _ours(fields: _Fields) -> bool:
    people = [staff for _, kind, _, ref, staff in fields if kind in _PERSONAL and not ref]
    return bool(people) and all(people)


_PERSONAL: Final = ("email", "person")


def _by_fields(noun: str, fields: _Fields) -> Archetype:
    """The archetype of a table whose noun says nothing, by what its rows hold."""
    kinds = {kind for _, kind, _, ref, _ in fields if not ref}
    names = {name.lower() for name, *_ in fields}
    enum = any(few and kind == "status" for _, kind, few, _, _ in fields)
    refs = any(ref for _, _, _, ref, _ in fields)
    money, dated = bool(kinds & {"money", "cents"}), bool(kinds & {"date", "datetime"})
    text = "text" in kinds
    people = [one for one in fields if one[1] in _PERSONAL and not one[3]]
    if noun.split()[-1:] and noun.split()[-1] in _PEOPLE and people:
        return "colleague" if _ours(fields) else "customer"
    if names & _ENDS and dated:
        return "meeting"
    if "file_name" in kinds and text:
        return "document"
    if names & _SENDERS and text:
        return "message"
    if money and (names & _DUE or "currency" in kinds):
        return "bill" if names & _DUE else "payment"
    if money and enum and "title" in kinds:
        return "deal"
    if enum and "title" in kinds and (refs or people):
        return "work"
    if money and "title" in kinds:
        return "product"
    if "person" in kinds and kinds & {"email", "phone"}:
        return "colleague" if _ours(fields) else "customer"
    if "company" in kinds and "title" not in kinds and not people:
        return "firm"
    if text and refs and "title" not in kinds:
        return "comment"
    if "title" in kinds and text:
        return "document"
    return "record"


_ENDS: Final = frozenset(("end", "ends_at", "end_time", "endtime", "end_at", "attendees"))
_SENDERS: Final = frozenset(("sender", "from", "from_email", "sender_email", "recipient"))
_DUE: Final = frozenset(("due", "due_date", "due_on", "duedate", "due_at", "paid_on"))
