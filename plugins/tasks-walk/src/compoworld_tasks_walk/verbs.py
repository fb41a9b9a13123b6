"""Verbs: what people say for tools, for statuses and for new records, as tables."""

from __future__ import annotations

from typing import Final

from compoworld_tasks_walk import archetypes, words
from compoworld_tasks_walk.lexicon import table

MAKERS: Final = table("""
email mail = send
message post = post
comment note insight block paragraph reply attachment = add
reminder = set
task = set up
invoice charge = raise
ticket issue case bug = open
refund = issue
meeting event appointment call = book
order booking = place
""")
"""Last word of a noun → the verb that brings a new one about; others are created."""

TOOL_MAKERS: Final = table("""
draft = draft
schedule = schedule
post = post
send = send
""")
"""Word of a tool's name → the verb for a message, before the noun is asked."""

DROPS: Final = table("""
cancel = cancel {}
archive = archive {}
unarchive = unarchive {}
void = void {}
finalize finalise = finalise {}
complete finish done = mark {} as done
suspend pause = suspend {}
resume = resume {}
pin = pin {}
unpin = unpin {}
close = close {}
reopen = reopen {}
resolve solve = resolve {}
delete remove drop destroy = delete {}
trash = move {} to the trash
restore untrash = restore {}
star = star {}
unstar = remove the star from {}
lock = lock {}
unlock = unlock {}
publish = publish {}
unpublish = unpublish {}
approve accept = approve {}
reject decline = decline {}
capture = capture {}
fulfill fulfil = fulfil {}
leave = leave {}
join = join {}
enable activate = activate {}
disable deactivate = deactivate {}
merge = merge {}
refund = refund {}
fulfillment fulfilment = fulfil {}
paid = mark {} as paid
""")
"""Word of a tool's name → what it does to the record."""

TURNS: Final = table("""
closed = close {}
cancelled canceled = cancel {}
archived = archive {}
void voided = void {}
resolved = resolve {}
refunded = refund {}
fulfilled = fulfil {}
paid = mark {} as paid
""")
"""Status → what a person says instead of setting it."""


def maker(tool: str, noun: str) -> str:
    """What a person says for bringing a new record of this noun about."""
    usual = MAKERS.get(words.last_word(noun), "create")
    if usual in ("send", "post"):
        told = words.verb_of(tool, TOOL_MAKERS)
        return "schedule" if noun.startswith("scheduled ") else told or usual
    return usual


def drop_of(tool: str, noun: str = "") -> str:
    """What a tool that does one thing does to a record; empty where its name does not say."""
    verb = words.verb_of(tool, DROPS)
    trade = verb == "mark {} as done" and archetypes.named(noun or "x") in _TRADE
    return "complete {}" if trade else verb


_TRADE: Final = ("order", "bill", "payment", "contract")
"""What is completed, while a task is done."""
