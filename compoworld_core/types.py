"""Semantic types: what a string or number means, for seeds, arguments, tasks and rendering.

Each is an `Annotated` alias that carries a :class:`Meaning`; a type checker sees the type.
`Ref["Contact"]` marks a field or parameter that names another entity's key. :class:`Forms`
documents how a structured or query-language argument is filled, by example with one hole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar

from attrs import frozen
from pydantic import AfterValidator, GetJsonSchemaHandler, StringConstraints, WrapValidator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

Kind = Literal[
    "person",
    "email",
    "phone",
    "company",
    "money",
    "cents",
    "currency",
    "date",
    "datetime",
    "url",
    "file_name",
    "text",
    "title",
    "quantity",
    "percent",
    "status",
    "tag",
    "country",
    "code",
    "id",
    "boolean",
]

KEY_KINDS = frozenset({"person", "email", "phone", "company", "code", "url", "file_name", "id"})
"""Kinds that can identify a record; the others (dates, amounts, statuses…) are facts."""


@frozen
class Meaning:
    """What a value means; `role` tells groups apart that share a kind (staff, customer)."""

    kind: Kind
    role: str = ""


@frozen
class RefTo:
    """The value is the key of an entity of this name in the same service."""

    entity: str


HOLE = "{}"


@frozen(init=False)
class Forms:
    """Documented forms of an argument: table field → example with one hole `{}`.

    For a query language (`Forms(sender="from:{}")`), free-form objects
    (`Forms(email={"email": "{}"})`) or statements. Field names may be qualified
    (`"contacts.email"`). The forms appear in the tool's schema under `examples`, so an agent
    can learn them as it learns the schema.
    """

    forms: Mapping[str, Any]

    def __init__(self, **forms: Any) -> None:
        self.__attrs_init__(forms)

    def __get_pydantic_json_schema__(
        self, source: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler(source)
        schema["examples"] = list(self.forms.values())
        return schema


T = TypeVar("T")

if TYPE_CHECKING:

    class _Key(str, Generic[T]):
        """Phantom: lets a type checker read `Ref[Contact]` as `str`."""

    class _IntKey(int, Generic[T]):
        """Phantom: lets a type checker read `IntRef[Ticket]` as `int`."""

    Ref = str | _Key[T]
    IntRef = int | _IntKey[T]
else:

    def _entity_name(entity: object) -> str:
        return entity if isinstance(entity, str) else entity.__name__

    class Ref:
        """`Ref["Contact"]`: a string key of an entity of this service."""

        def __class_getitem__(cls, entity):
            return Annotated[str, RefTo(_entity_name(entity)), Meaning("id")]

    class IntRef:
        """`IntRef["Ticket"]`: an integer key of an entity of this service."""

        def __class_getitem__(cls, entity):
            return Annotated[int, RefTo(_entity_name(entity)), Meaning("id")]


def _aware(value: datetime) -> datetime:
    """Take a naive instant as UTC, and store every instant in UTC: one value, one form."""
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("the instant is out of range") from error


def _instant(value: Any, parse: Callable[[Any], datetime]) -> datetime:
    """Refuse numbers: an epoch in seconds or milliseconds is ambiguous."""
    if value.__class__ is datetime and value.tzinfo is UTC:
        return value
    if isinstance(value, (int, float)):
        raise ValueError("give an ISO 8601 date and time, not a number")
    return _aware(parse(value))


_DIGITS = 28
"""Digits of a number: as many as decimal arithmetic keeps exactly."""


def _plain(value: Decimal) -> Decimal:
    """One canonical form: 33, 33.0 and 3.3E+1 are the same value, and so are 0 and -0."""
    if not value:
        return Decimal(0)
    if not -_DIGITS <= value.adjusted() < _DIGITS or len(value.as_tuple().digits) > _DIGITS:
        raise ValueError(f"at most {_DIGITS} digits")
    return value.quantize(Decimal(1)) if value == value.to_integral() else value.normalize()


def freeze(value: Any) -> Any:
    """A JSON value whose containers cannot change (Frozen, tuple)."""
    if isinstance(value, dict):
        return Frozen({key: freeze(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return tuple(freeze(item) for item in value)
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError("NaN and Infinity are not JSON")
        return int(value) if value.is_integer() else value
    return value


class Frozen(dict[str, Any]):
    """A mapping that refuses change, so that entities can share it between forks."""

    def _refuse(self, *_args: Any, **_kwargs: Any) -> Any:
        raise TypeError("this mapping belongs to a frozen entity; write through Table.update")

    __setitem__ = __delitem__ = update = pop = popitem = clear = setdefault = __ior__ = _refuse

    def __copy__(self) -> Frozen:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Frozen:
        return self

    def __reduce__(self) -> tuple[type[Frozen], tuple[dict[str, Any]]]:
        return Frozen, (dict(self),)

    def __hash__(self) -> int:  # type: ignore[override]  # a frozen mapping is hashable
        return hash(tuple(sorted(self)))


Json = Annotated[Any, AfterValidator(freeze)]
"""Any JSON value, frozen deeply."""

StrSet = Annotated[tuple[str, ...], AfterValidator(lambda items: tuple(sorted(set(items))))]
"""Distinct strings without an order of their own: kept sorted, so that equal sets are equal."""

Number = Annotated[Decimal, AfterValidator(_plain)]
"""A decimal number; 33, 33.0 and 3.3E+1 are one value."""

PersonName = Annotated[str, Meaning("person")]
Email = Annotated[
    str,
    Meaning("email"),
    StringConstraints(
        strip_whitespace=True, max_length=254, pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$"
    ),
]
StaffEmail = Annotated[Email, Meaning("email", "staff")]
CustomerEmail = Annotated[Email, Meaning("email", "customer")]
Phone = Annotated[str, Meaning("phone")]
Company = Annotated[str, Meaning("company")]
Money = Annotated[Number, Meaning("money")]
Cents = Annotated[int, Meaning("cents")]
Currency = Annotated[str, Meaning("currency")]
Date = Annotated[date, Meaning("date")]
DateTime = Annotated[datetime, Meaning("datetime"), WrapValidator(_instant)]
Url = Annotated[str, Meaning("url")]
FileName = Annotated[str, Meaning("file_name")]
Text = Annotated[str, Meaning("text")]
Title = Annotated[str, Meaning("title")]
Quantity = Annotated[int, Meaning("quantity")]
Percent = Annotated[Number, Meaning("percent")]
Status = Annotated[str, Meaning("status")]
Tag = Annotated[str, Meaning("tag")]
Country = Annotated[str, Meaning("country")]
Code = Annotated[str, Meaning("code")]
"""A document or account number that people quote: INV-2041, ENG-123, AC-550381."""
