"""Topics: what a task is about, and the words for its titles and texts."""

from __future__ import annotations

from typing import Final

TOPICS: Final = (
    "quarterly renewal", "account review", "onboarding", "billing dispute", "price change",
    "contract draft", "product launch", "security review", "data export", "warehouse move",
    "service outage", "annual audit", "partner visit", "budget check", "migration plan",
    "training session", "customer survey", "refund case", "delivery delay", "event booking",
    "policy update", "system upgrade", "supplier change", "press enquiry", "hiring round",
)  # fmt: skip

TITLE_WORDS = (
    "follow-up", "summary", "checklist", "handover", "review", "next steps", "overview",
    "kickoff", "status", "questions", "agenda", "recap", "decision", "preparation",
)  # fmt: skip
SENTENCES = (
    "Please look into the {topic} this week.",
    "This belongs to the {topic}.",
    "We agreed to settle the {topic} before month end.",
    "Raised while preparing the {topic}.",
    "Needed for the {topic}, thanks.",
)
