"""Topics: what a task is about, for its titles, texts and opening sentence."""

from __future__ import annotations

from typing import Final

TOPICS: Final = (
    "quarterly renewal", "account review", "onboarding", "billing dispute", "price change",
    "contract draft", "product launch", "security review", "data export", "warehouse move",
    "service outage", "annual audit", "partner visit", "budget check", "migration plan",
    "training session", "customer survey", "refund case", "delivery delay", "event booking",
    "policy update", "system upgrade", "supplier change", "press enquiry", "hiring round",
)  # fmt: skip
