"""Tables, documents and phrases of the seeded workspace."""

from __future__ import annotations

from dataclasses import dataclass

from compoworld_services_productivity_collaboration.notion.state import PropertyType


@dataclass(frozen=True, slots=True)
class Sheet:
    """A seeded data source: its own columns, and how its rows are filled."""

    title: str
    description: str
    columns: tuple[tuple[str, PropertyType], ...]
    titles: tuple[str, ...]
    filled: tuple[str, ...]
    """Columns of the template that its rows use."""
    share: int
    """Part of all rows, relative to the others."""


SHARED: tuple[tuple[str, PropertyType], ...] = (
    ("Name", "title"),
    ("Status", "status"),
    ("Owner", "people"),
    ("Company", "rich_text"),
    ("Email", "email"),
    ("Phone", "phone_number"),
    ("Reference", "rich_text"),
    ("Due", "date"),
    ("Amount", "number"),
    ("Tags", "multi_select"),
    ("Link", "url"),
)
"""Columns of the template that all tables of the workspace are made from."""

WIKI = Sheet("Company wiki", "Rules and guides", (), (), ("Owner", "Tags"), 0)
SHEETS = (
    Sheet(
        "Customer directory",
        "Contacts at our customers",
        (),
        ("{person}",),
        ("Email", "Phone", "Company", "Status", "Owner", "Tags"),
        4,
    ),
    Sheet(
        "Projects",
        "What we do for whom, and by when",
        (("Billable", "checkbox"),),
        ("{company} {area}", "{area} for {company}", "{product} {area}"),
        ("Company", "Status", "Owner", "Due", "Amount", "Tags"),
        3,
    ),
    Sheet(
        "Contracts",
        "Signed and open contracts",
        (),
        ("Contract with {company}", "{company} renewal", "{company} service terms"),
        ("Reference", "Company", "Status", "Amount", "Due", "Owner", "Email"),
        2,
    ),
    Sheet(
        "Tasks",
        "Work of the week",
        (("Effort", "select"),),
        ("Call {person}", "Prepare the {area} review", "Send the {area} notes to {company}",
         "Update the {area} plan", "Check stock of {product}", "Answer {person}"),
        ("Status", "Owner", "Due", "Tags", "Reference"),
        4,
    ),
    Sheet(
        "Meeting notes",
        "One page for each meeting",
        (("Held on", "date"),),
        ("{area} call with {company}", "Weekly with {company}", "{company}: {area} kickoff"),
        ("Company", "Owner", "Email", "Link"),
        2,
    ),
)  # fmt: skip

AREAS = ("launch", "migration", "audit", "redesign", "rollout", "training", "pilot", "survey")
TAGS = ("priority", "internal", "finance", "sales", "research", "legal", "follow-up")

DOCUMENTS = (
    ("Company wiki", ("Everything new colleagues need is linked from here.",
                      "Ask in the people channel if a page is missing.")),
    ("Travel policy", ("Trips over $1,500 need the approval of your lead.",
                       "Book trains for anything under five hours.")),
    ("Refund policy", ("Refunds up to $200 are paid by support.",
                       "Larger refunds are approved by finance first.")),
    ("Onboarding guide", ("Day one: accounts, badge, team lunch.", "Week one: support.")),
    ("Incident playbook", ("Open a channel, name a lead, write down times.",
                           "Tell customers within one hour.")),
    ("Purchase rules", ("Orders over $500 need two quotes.", "Keep the invoice number.")),
    ("Discount table", ("10 % from 50 pieces, 15 % from 200 pieces.",
                        "Anything above goes to the sales lead.")),
    ("Holiday calendar", ("The office is closed on public holidays.",)),
    ("Brand guide", ("Use the short name in running text.",)),
    ("Security checklist", ("Rotate keys each quarter.", "Report lost devices at once.")),
    ("Team handbook", ("Meetings have an agenda, or they do not happen.",)),
    ("Quarterly goals", ("Fewer open tickets, faster answers.",)),
)  # fmt: skip

LINES = (
    "Agreed with {person} to continue with the {area}.",
    "{company} asked for an offer on {quantity} x {product}.",
    "Next step: send the {area} summary to {email}.",
    "Open question: who signs for {company}?",
    "Budget is ${amount}.",
    "The {area} starts on {day}.",
    "Background and goals are in the first section.",
    "No blockers at the moment.",
    "Draft, please comment.",
    "Waiting for feedback from {company}.",
    "See {code} for details.",
    "Numbers were checked on {day}.",
)
REMARKS = (
    "Looks good.",
    "Can we move this to {day}?",
    "{person} has confirmed.",
    "Please add the amount, I think it was ${amount}.",
    "Is this still current?",
    "Done.",
    "Linked to {code}.",
)
