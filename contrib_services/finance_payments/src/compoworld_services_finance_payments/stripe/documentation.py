"""The documentation's pages, and the tool that searches them."""

from __future__ import annotations

import re
from typing import Final, Literal

from compoworld_core import UNSET
from compoworld_core.resources import Page, check, folded
from compoworld_services_finance_payments.stripe.state import Article, StripeState, service

Language = Literal["dotnet", "go", "java", "node", "php", "ruby", "python", "curl"]
_MOST_PAGES = 5
_WORD = re.compile(r"\w{3,}")
_COMMON = frozenset(("and", "are", "can", "does", "for", "from", "get", "have", "how", "the"))

PAGES: Final = (
    (
        "Drafting and finalizing invoices",
        "",
        (
            "An invoice starts as a draft. Add items while it is a draft, then finalize "
            "it: it gets its number and can be paid. A finalized invoice cannot be "
            "edited; void it and make another."
        ),
    ),
    (
        "When an invoice is overdue",
        "",
        (
            "An open invoice whose due date has passed is overdue. It stays open until it "
            "is paid, voided or marked as uncollectible."
        ),
    ),
    (
        "Refunding a payment",
        "",
        (
            "Refund a succeeded payment in full or in parts, up to what was paid. A "
            "disputed payment cannot be refunded while the bank decides."
        ),
    ),
    (
        "Answering a dispute",
        "",
        (
            "A dispute that needs a response takes evidence until its due date. Stage "
            "texts first and submit once: after that the bank reviews them and nothing "
            "can be added."
        ),
    ),
    (
        "Proration when a subscription changes",
        "",
        (
            "A change in the middle of a period bills or credits the days that are left. "
            "Choose whether the difference waits for the next invoice, is billed at once, "
            "or is dropped."
        ),
    ),
    (
        "Cancelling a subscription",
        "",
        (
            "A canceled subscription ends at once and cannot be started again; make a new "
            "one instead."
        ),
    ),
    (
        "Prices and products",
        "",
        (
            "A product has one price or several, each in one currency. A price's amount "
            "never changes: archive it and make another."
        ),
    ),
    (
        "Coupons",
        "",
        (
            "A coupon takes an amount or a percentage off, once, for some months, or for "
            "ever. An amount coupon works in its own currency only."
        ),
    ),
    (
        "Payment links",
        "",
        (
            "A payment link is a page for one price that anybody can open. Send it by "
            "mail or put it behind a button; it can send the customer on to your own page "
            "afterwards."
        ),
    ),
    (
        "The balance",
        "",
        (
            "Money from charges is pending for some days, then available and paid out. "
            "Refunds and lost disputes lower the available amount."
        ),
    ),
    (
        "Creating a customer in Python",
        "python",
        (
            "Install the client library, set the secret key, and create a customer with a "
            "name and an email address. Keep the id that comes back."
        ),
    ),
    (
        "Listening for events in Node",
        "node",
        (
            "Register an endpoint, check the signature of each event before you trust it, "
            "and answer quickly; handle the work later."
        ),
    ),
    (
        "Listing invoices with curl",
        "curl",
        (
            "Ask for the invoices of one customer with the customer's id; the newest "
            "comes first."
        ),
    ),
)
"""Title, programming language and text of each page."""


@service.tool(read_only=True)
def search_stripe_documentation(
    state: StripeState, question: str, language: Language = UNSET
) -> Page[Article]:
    """Find the documentation pages that fit a question best.

    Args:
        question: what you want to know, in words.
        language: leave out pages with examples in other programming languages.
    """
    check(len(question) <= 2000, "invalid_argument", "question is longer than 2000 characters")
    words = [w for w in _WORD.findall(question.casefold()) if w not in _COMMON]
    check(bool(words), "invalid_argument", "question must hold a word to look for")
    fields = ("title", "body")
    scored = []
    for article in state.articles:
        if language is not UNSET and article.language not in ("", language):
            continue
        text = folded(article, fields)
        score = sum(word in text for word in words)
        if score:
            scored.append((score, article))
    scored.sort(key=lambda pair: pair[0], reverse=True)
    found = [article for _, article in scored]
    return Page(items=found[:_MOST_PAGES], total=len(found), next_cursor=None)
