"""A second small clean service to compose with: public numbers, dates, random draws."""

from typing import Annotated, Literal

from pydantic import Field

from compoworld_core import Context, Entity, IntRef, Service, State, Table, ToolError
from compoworld_core.resources import Filter, Resource, require
from compoworld_core.types import Company, Currency, Date, Email, Json, Money

Currencies = Literal["USD", "EUR"]


class Invoice(Entity):
    id: int
    company: Company
    email: Email
    total: Money
    currency: Currency = "USD"
    due: Date
    paid: bool = False
    extra: Json = None


class BookState(State):
    invoices: Table[Invoice] = Table()


service = Service(
    "ledgerbook", state=BookState, domain="finance_payments", summary="Invoices by number."
)
invoices = Resource(service, Invoice, "invoices", "invoice")
invoices.getter("get-invoice", "number", IntRef["Invoice"], "Show an invoice.")
invoices.lister(
    "list-invoices",
    {
        "email": Filter("email", Email),
        "due_from": Filter("due", Date, "from"),
        "paid": Filter("paid", bool),
    },
    "List invoices.",
)
invoices.searcher("search-invoices", "query", ("company", "email"), "Search invoices.")
invoices.updater(
    "update-invoice", "number", IntRef["Invoice"], ("due", "total"), "Change an invoice."
)
invoices.deleter("delete-invoice", "number", IntRef["Invoice"], "Take an invoice out.")


@service.tool(name="create-invoice")
def create_invoice(
    state: BookState,
    ctx: Context,
    company: Company,
    email: Email,
    total: Annotated[Money, Field(ge=0)],
    due: Date,
    currency: Currencies = "USD",
    extra: Json = None,
) -> Invoice:
    """Write an invoice.

    Args:
        extra: anything to keep with it.
    """
    return state.invoices.insert(
        Invoice(
            id=ctx.next_number("invoice", 1001),
            company=company,
            email=email,
            total=total,
            due=due,
            currency=currency,
            extra=extra,
        )
    )


@service.tool(name="pay-invoice")
def pay_invoice(state: BookState, number: IntRef["Invoice"]) -> Invoice:
    """Mark an invoice as paid."""
    if require(state.invoices, number, "invoice").paid:
        raise ToolError("failed_precondition", f"invoice {number} is paid already")
    return state.invoices.update(number, paid=True)


@service.tool(name="draw-audit")
def draw_audit(state: BookState, ctx: Context) -> Invoice | None:
    """Pick an invoice for audit and note it there."""
    if not state.invoices:
        return None
    chosen = ctx.rng.choice(list(state.invoices))
    return state.invoices.update(chosen.id, extra={"audit": ctx.now.isoformat()})


@service.seed
def seed(ctx: Context, scale: int) -> BookState:
    rng = ctx.rng
    rows = []
    for _ in range(scale):
        ctx.skip_numbers("invoice", rng.randrange(3))
        person = rng.choice(ctx.cast.customers)
        rows.append(
            Invoice(
                id=ctx.next_number("invoice", 1001),
                company=person.company,
                email=person.email,
                total=rng.randrange(100, 90000) / 100,
                due=ctx.now.date().replace(day=rng.randint(1, 28)),
                paid=rng.random() < 0.4,
            )
        )
    return BookState(invoices=Table(rows))
