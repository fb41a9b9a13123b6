"""Words and texts that seeded issues, projects and requests are made of."""

from __future__ import annotations

from compoworld_services_project_management.linear.state import StateType

TEAMS = (("ENG", "Engineering"), ("OPS", "Operations"), ("DES", "Design"), ("SUP", "Support"),
         ("MKT", "Marketing"), ("FIN", "Finance"), ("SEC", "Security"), ("DAT", "Data"),
         ("MOB", "Mobile"), ("PLT", "Platform"))  # fmt: skip
STATES: tuple[tuple[str, StateType, str], ...] = (
    ("Backlog", "backlog", "#bec2c8"),
    ("Todo", "unstarted", "#e2e2e2"),
    ("In Progress", "started", "#f2c94c"),
    ("In Review", "started", "#0f783c"),
    ("Done", "completed", "#5e6ad2"),
    ("Canceled", "canceled", "#95a2b3"),
)
LABELS = ("Bug", "Feature", "Improvement", "Customer", "Regression", "Research", "Security",
          "Documentation", "Performance", "Blocked", "Quick win", "Legal")  # fmt: skip
STATUSES = ("Active", "Prospect", "Churned", "Lost")
TIERS = ("Enterprise", "Business", "Starter")
PROJECTS = ("Launch", "Rework", "Migrate", "Retire", "Speed up")
THINGS = ("checkout", "invoice archive", "password reset", "webhook delivery", "search",
          "order import", "single sign-on", "address form", "stock report", "refund flow",
          "mail templates", "usage dashboard", "API tokens", "price list", "customer merge",
          "audit log", "file upload", "team calendar", "partner portal", "data export",
          "tax rates", "onboarding tour", "mobile login", "contract renewal")  # fmt: skip
GOALS = (
    "Make {thing} ready for large accounts.",
    "Asked for by {company}.",
    "Less support work around {thing}.",
    "Has to be done before {day}.",
)
PROBLEMS = (
    "{thing} fails with a timeout",
    "{thing} shows the wrong total",
    "Decide how {thing} should look",
    "Add a filter to {thing}",
    "Document {thing}",
    "{thing} is slow with many rows",
    "Retry {thing} after an error",
    "Duplicate entries in {thing}",
    "Translate {thing}",
    "Review access to {thing}",
    "Test {thing} on small screens",
    "Alert when {thing} stops",
)
BODIES = (
    "Steps: open the page, press save, wait for the error.",
    "Reported by {name} ({email}).",
    "{company} asked for this in the last call.",
    "Seen since {day}. Account {account} is affected.",
    "This blocks {company}. Contact {name} for details.",
    "We should decide this before {day}.",
    "A payment of {amount} USD is stuck because of it.",
    "Only happens with large accounts.",
)
REMARKS = (
    "I can repeat this.",
    "Ready for review.",
    "{name} from {company} confirmed that it works now.",
    "Needs a decision first.",
    "Moved to the next cycle.",
    "Waiting for an answer from {email}.",
    "Estimate raised after a closer look.",
    "Same on the staging system since {day}.",
)
WISHES = (
    "Would renew if {thing} worked better.",
    "{name} needs this for the next audit.",
    "Asked for {thing} twice since {day}.",
    "Their team of {amount} people waits for it.",
    "Mentioned in the yearly review.",
)
