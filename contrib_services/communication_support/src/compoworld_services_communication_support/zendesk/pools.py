"""Subjects, texts and articles of the seeded help desk."""

from __future__ import annotations

from dataclasses import dataclass

from compoworld_services_communication_support.zendesk.state import TicketType


@dataclass(frozen=True, slots=True)
class Case:
    """A kind of request: what people write, and how it is filed."""

    subject: str
    text: str
    type: TicketType
    tags: tuple[str, ...]
    fields: tuple[str, ...] = ()


CASES = (
    Case("{product} arrived damaged", "The box was crushed and the {product} does not work. "
         "It was order {order}.", "problem", ("damaged", "shipping"), ("order",)),
    Case("Where is order {order}?", "We ordered on {day} and have not had a tracking number.",
         "question", ("shipping",), ("order",)),
    Case("Refund for order {order}", "Please refund ${amount} for the returned {product}.",
         "task", ("refund", "billing"), ("order", "amount")),
    Case("Question about invoice {invoice}", "The total of {invoice} does not match our "
         "purchase order. Can you check?", "question", ("billing",), ("invoice",)),
    Case("Charged twice", "Our card was charged twice for {invoice}, ${amount} each time.",
         "incident", ("billing", "urgent_case"), ("invoice", "amount")),
    Case("Cannot sign in", "The reset link does not arrive at {email}.", "incident",
         ("login",)),
    Case("Export is empty", "The export of last month's orders has only headers.", "problem",
         ("export", "bug")),
    Case("Change of delivery address", "{company} has moved, please use the new address.",
         "task", ("account",)),
    Case("Wrong colour of {product}", "We wanted the black one. How do we exchange it?",
         "question", ("exchange",), ("order",)),
    Case("Warranty for {product}", "It stopped working after two months.", "question",
         ("warranty",)),
    Case("Add a colleague to our account", "Please add {person} ({email}) to the account of "
         "{company}.", "task", ("account", "login")),
    Case("Site is slow this morning", "Pages take a minute to load for everybody here.",
         "incident", ("outage",)),
    Case("Bulk price for {product}", "We need about {quantity}. Is there a discount?",
         "question", ("sales",)),
    Case("Cancel our subscription", "We want to stop at the end of the month.", "task",
         ("cancellation", "billing")),
    Case("Missing parts", "Two screws of the {product} are missing.", "problem", ("parts",),
         ("order",)),
    Case("VAT number on invoices", "Please put our VAT number on {invoice} and later ones.",
         "task", ("billing",), ("invoice",)),
)  # fmt: skip

REPLIES = (
    "Thanks for writing. We are looking into it and will be back by {day}.",
    "Could you send a photo of the label?",
    "The replacement left our warehouse this morning.",
    "We have passed this on to our finance team.",
    "Does this also happen in another browser?",
    "I have credited ${amount}; it shows on the next statement.",
    "Any news on this?",
    "That works now, thank you!",
    "Here is what you asked for: {order}.",
)
NOTES = (
    "Called {person} at {company}, no answer.",
    "Same customer wrote twice, see {order}.",
    "Waiting for the carrier's report.",
    "Finance says {invoice} was paid on {day}.",
    "VIP, please answer today.",
)
PRAISE = ("Quick and friendly.", "Solved within the hour.", "Thank you!", "")
BLAME = ("Took far too long.", "Had to explain it three times.", "Still not fixed.", "")

ARTICLES = (
    (
        "Refund policy",
        "Billing",
        "Return goods within 30 days; refunds over $200 need approval.",
    ),
    ("How to read your invoice", "Billing", "It shows number, date, items and total."),
    ("Paying by bank transfer", "Billing", "Quote the invoice number so that we can match it."),
    ("Delivery times", "Shipping", "Standard delivery takes three to five working days."),
    ("Damaged parcels", "Shipping", "Send a photo within seven days; we replace the goods."),
    ("Changing the delivery address", "Shipping", "Possible until the parcel has left us."),
    (
        "Resetting your password",
        "Account",
        "The link on the sign-in page is valid for an hour.",
    ),
    ("Adding colleagues", "Account", "Owners invite colleagues under Settings, People."),
    ("Closing an account", "Account", "Write to support from the owner's address."),
    ("Warranty terms", "Products", "All products have a warranty of two years."),
    ("Exporting your orders", "Products", "Exports hold up to 10,000 rows as CSV."),
    (
        "Service levels",
        "Policies",
        "Urgent tickets get an answer in one hour, high ones in four.",
    ),
    ("Escalation rules", "Policies", "Billing disputes over $1,000 have high priority."),
    ("Goodwill credits", "Policies", "Agents may give a credit of up to $50 without asking."),
)
SECTIONS = ("Billing", "Shipping", "Account", "Products", "Policies")
USER_NOTES = ("Prefers mail to phone.", "Speaks for {company}.", "Pays by invoice.", "")
ORGANIZATION_NOTES = ("Key account.", "Contract ends on {day}.", "Net 30.", "", "")
