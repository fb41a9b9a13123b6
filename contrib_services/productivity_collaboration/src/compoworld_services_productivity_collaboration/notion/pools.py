"""Tables, documents and phrases of the seeded workspace."""

from __future__ import annotations

from dataclasses import dataclass

from compoworld_services_productivity_collaboration.notion.state import PropertyType


@dataclass(frozen=True, slots=True)
class Sheet:
    """A seeded data source: its columns, and how its rows are filled."""

    title: str
    description: str
    columns: tuple[tuple[str, PropertyType], ...]
    statuses: tuple[str, ...]
    titles: tuple[str, ...]
    share: int
    """Part of all rows, relative to the others."""


SHEETS = (
    Sheet(
        "Customer directory",
        "Contacts at our customers",
        (("Name", "title"), ("Email", "email"), ("Phone", "phone_number"),
         ("Company", "rich_text"), ("Status", "status"), ("Owner", "people"),
         ("Tags", "multi_select")),
        ("Lead", "Active", "On hold", "Churned"),
        ("{person}",),
        4,
    ),
    Sheet(
        "Projects",
        "What we do for whom, and by when",
        (("Name", "title"), ("Company", "rich_text"), ("Status", "status"), ("Owner", "people"),
         ("Due", "date"), ("Amount", "number"), ("Tags", "multi_select"),
         ("Billable", "checkbox")),
        ("Not started", "In progress", "Blocked", "Done"),
        ("{company} {area}", "{area} for {company}", "{product} {area}"),
        3,
    ),
    Sheet(
        "Contracts",
        "Signed and open contracts",
        (("Name", "title"), ("Reference", "rich_text"), ("Company", "rich_text"),
         ("Status", "status"), ("Amount", "number"), ("Due", "date"), ("Owner", "people"),
         ("Email", "email")),
        ("Draft", "In review", "Signed", "Expired"),
        ("Contract with {company}", "{company} renewal", "{company} service terms"),
        2,
    ),
    Sheet(
        "Tasks",
        "Work of the week",
        (("Name", "title"), ("Status", "status"), ("Owner", "people"), ("Due", "date"),
         ("Tags", "multi_select"), ("Reference", "rich_text"), ("Effort", "select")),
        ("Not started", "In progress", "Done"),
        ("Call {person}", "Prepare the {area} review", "Send the {area} notes to {company}",
         "Update the {area} plan", "Check stock of {product}", "Answer {person}"),
        4,
    ),
    Sheet(
        "Meeting notes",
        "One page for each meeting",
        (("Name", "title"), ("Company", "rich_text"), ("Owner", "people"), ("Email", "email"),
         ("Link", "url"), ("Held on", "date")),
        (),
        ("{area} call with {company}", "Weekly with {company}", "{company}: {area} kickoff"),
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
