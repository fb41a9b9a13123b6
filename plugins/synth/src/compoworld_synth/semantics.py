"""Semantic types of fields, from their names and formats, where one is sure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from compoworld_synth.lexicon import by_word, word_set
from compoworld_synth.naming import singular, words

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

_LAST: Final = by_word(
    {
        "email": "email mail",
        "phone": "phone telephone mobile fax",
        "company": "company organization employer",
        "money": "amount price total subtotal cost balance budget salary revenue fee",
        "currency": "currency",
        "url": "url uri link website homepage href",
        "file_name": "filename",
        "text": "description body text content comment note message html markdown summary",
        "title": "title subject name headline label",
        "quantity": "quantity count",
        "percent": "percent percentage",
        "status": "status state stage",
        "tag": "tag category",
        "country": "country",
    }
)
_PERSON: Final = word_set(
    "full_name person_name contact_name customer_name first_name last_name display_name"
    " assignee_name owner_name"
)


def semantic_of(name: str, param: Param) -> str | None:
    """The `compoworld_core.types.Kind` of a field: `customer_email` → email.

    Dates are told by their format or by `_at`, `_date`; numbers only get kinds of numbers.
    """
    if param.kind == "bool":
        return "boolean"
    if param.kind not in ("str", "int", "num"):
        return None
    text = param.description.lower()
    if param.kind == "str" and (param.format == "date-time" or name.endswith("_at")):
        return "datetime"
    if param.kind == "str" and (
        param.format == "date" or name.endswith("_date") or name == "date"
    ):
        return "datetime" if "iso 8601" in text and "time" in text else "date"
    if param.format == "email":
        return "email"
    if param.format in ("uri", "url"):
        return "url"
    if name in _PERSON:
        return "person"
    found = words(name)
    if name in ("file_name", "filename"):
        return "file_name"
    if name in ("company_name", "organization_name"):
        return "company"
    kind = _LAST.get(singular(found[-1])) if found else None
    numeric = param.kind in ("int", "num")
    if kind == "money" and "cent" in text and param.kind == "int":
        return "cents"
    if numeric:
        return kind if kind in ("money", "quantity", "percent") else None
    return None if kind == "money" or (kind == "quantity") else kind
