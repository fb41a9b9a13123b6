"""Tools for customers."""

# ruff: noqa: N803, N815 - names of the product's API

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any

from compoworld_core import UNSET, Context, Ref
from compoworld_core.resources import Page, check, given, require
from compoworld_core.types import (
    Company,
    CustomerEmail,
    Forms,
    Money,
    Phone,
    Quantity,
    Tag,
    Text,
)
from compoworld_services_ecommerce_retail.shopify.products import Count
from compoworld_services_ecommerce_retail.shopify.search import (
    By,
    First,
    Syntax,
    find,
    page,
    text_of,
)
from compoworld_services_ecommerce_retail.shopify.state import (
    Customer,
    ShopifyState,
    new_gid,
    service,
)
from compoworld_services_ecommerce_retail.shopify.values import tag_set, wording

_PHONE = re.compile(r"^\+?[0-9 ()./-]{5,30}$")


class CustomerView(Customer):
    """A customer with what was bought so far."""

    numberOfOrders: Quantity
    amountSpent: Money


def _spent(state: ShopifyState, row: Customer) -> Decimal:
    orders = state.orders.where(customerId=row.id, cancelledAt=None)
    return sum((order.totalPrice for order in orders), Decimal(0))


def _orders(state: ShopifyState, row: Customer) -> int:
    return len(state.orders.where(customerId=row.id))


def _word(place: int) -> Any:
    return lambda _state, row: row.displayName.split(" ")[place]


_SYNTAX = Syntax(
    fields={
        "id": By("id"),
        "email": By("email", form=str.lower),
        "phone": By("phone"),
        "first_name": By("displayName", value=_word(0)),
        "last_name": By("displayName", value=_word(-1)),
        "state": By("state", form=str.upper),
        "tag": By("tags", "tag"),
        "orders_count": By("id", "number", value=_orders),
        "total_spent": By("id", "number", value=_spent),
        "customer_date": By("createdAt", "moment"),
        "updated_at": By("updatedAt", "moment"),
    },
    text=("displayName", "email", "phone", "company"),
)
CustomerQuery = Annotated[
    str,
    Forms(
        email="email:{}",
        phone='phone:"{}"',
        displayName='"{}"',
        company='"{}"',
        state="state:{}",
        tags='tag:"{}"',
    ),
]


def _view(state: ShopifyState, row: Customer) -> CustomerView:
    fields = {name: getattr(row, name) for name in Customer.model_fields}
    return CustomerView.model_construct(
        **fields, numberOfOrders=_orders(state, row), amountSpent=_spent(state, row)
    )


@service.tool(read_only=True)
def get_customers(
    state: ShopifyState, first: First = 50, after: str = UNSET, query: CustomerQuery = UNSET
) -> Page[CustomerView]:
    """List customers with what they bought. A page holds at most 30.

    Args:
        first: how many at most.
        after: cursor of the earlier page.
        query: search terms, such as email:*@acme.example or orders_count:>5.
    """
    part = page(find(state, state.customers, _SYNTAX, text_of(query)), first, after)
    items = [_view(state, row) for row in part.items]
    return Page(items=items, total=part.total, next_cursor=part.next_cursor)


@service.tool(read_only=True)
def get_customer(state: ShopifyState, id: Ref[Customer]) -> CustomerView:
    """Show a customer with what was bought so far.

    Args:
        id: id of the customer, gid://shopify/Customer/…
    """
    return _view(state, require(state.customers, id, "customer"))


@service.tool(read_only=True)
def get_customers_count(state: ShopifyState, query: CustomerQuery = UNSET) -> Count:
    """Count customers.

    Args:
        query: search terms, as for get_customers.
    """
    return Count(count=len(find(state, state.customers, _SYNTAX, text_of(query))))


@service.tool
def create_customer(
    state: ShopifyState,
    ctx: Context,
    email: CustomerEmail,
    firstName: str = UNSET,
    lastName: str = UNSET,
    phone: Phone = UNSET,
    company: Company = UNSET,
    note: Text = UNSET,
    tags: list[Tag] = UNSET,
) -> Customer:
    """Add a customer. An email address or phone number belongs to one customer only.

    Args:
        email: address of the customer.
        firstName: given name.
        lastName: family name.
        phone: in international notation.
        company: where the customer works.
        note: remark that only staff sees.
        tags: marks to find the customer by.
    """
    fields = _checked(state, None, given(email=email, phone=phone, company=company, note=note))
    names = given(first=firstName, last=lastName)
    for name in names.values():
        wording(name, "a name", 100)
    if tags is not UNSET:
        fields["tags"] = tag_set(tags)
    row = Customer(
        id=new_gid(ctx, "Customer"),
        displayName=" ".join(names.values()) or email,
        createdAt=ctx.now,
        updatedAt=ctx.now,
        **fields,
    )
    return state.customers.insert(row)


@service.tool
def update_customer(
    state: ShopifyState,
    ctx: Context,
    id: Ref[Customer],
    email: CustomerEmail = UNSET,
    firstName: str = UNSET,
    lastName: str = UNSET,
    phone: Phone = UNSET,
    company: Company = UNSET,
    note: Text = UNSET,
    tags: list[Tag] = UNSET,
) -> Customer:
    """Change a customer; what is not given stays as it is.

    Args:
        id: the customer.
        email: new address; no other customer may have it.
        firstName: given name.
        lastName: family name.
        phone: in international notation; no other customer may have it.
        company: where the customer works.
        note: remark that only staff sees.
        tags: all tags, the old ones included.
    """
    row = require(state.customers, id, "customer")
    fields = _checked(state, row, given(email=email, phone=phone, company=company, note=note))
    names = given(first=firstName, last=lastName)
    for name in names.values():
        wording(name, "a name", 100)
    if names:
        first, _, last = row.displayName.partition(" ")
        fields["displayName"] = f"{names.get('first', first)} {names.get('last', last)}".strip()
    if tags is not UNSET:
        fields["tags"] = tag_set(tags)
    check(bool(fields), "invalid_argument", "name something to change")
    return state.customers.update(id, updatedAt=ctx.now, **fields)


def _checked(
    state: ShopifyState, row: Customer | None, fields: dict[str, Any]
) -> dict[str, Any]:
    """Values in the form that is stored; address and phone number must be free."""
    if "email" in fields:
        fields["email"] = fields["email"].lower()
    if "phone" in fields:
        check(
            _PHONE.match(fields["phone"]) is not None,
            "invalid_argument",
            "phone takes digits and spaces, such as +44 20 7946 0958",
        )
    if "company" in fields:
        wording(fields["company"], "company")
    if "note" in fields:
        wording(fields["note"], "note", 5000, empty=True)
    for name in ("email", "phone"):
        for other in state.customers.where(**{name: fields[name]}) if name in fields else ():
            check(
                row is not None and other.id == row.id,
                "conflict",
                f"customer {other.id} has the {name} {fields[name]} already",
            )
    return fields
