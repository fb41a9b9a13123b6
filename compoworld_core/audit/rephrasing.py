"""Equivalent texts: the same facts, said as another person would say them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta, timezone
from random import Random
from typing import Final

from compoworld_core.audit.effects import is_reference, spots
from compoworld_core.audit.kinds import equivalent
from compoworld_core.audit.spellings import instant, other_spelling
from compoworld_core.audit.texts import texts
from compoworld_core.audit.trial import Trial
from compoworld_core.audit.writes import Slot, Unfit
from compoworld_core.environment import Environment


def _rewritten(trial: Trial, rng: Random, compose: Callable[[Slot], str]) -> Environment:
    """Write the text of one call otherwise."""
    why = "no text states a fact"
    for write, slot in texts(trial, rng):
        try:
            return trial.with_write(write, write.edited(slot.path, compose(slot)))
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


def _respelt(trial: Trial, rng: Random, kinds: frozenset[str], what: str) -> Environment:
    """Write one fact of these kinds in another form."""
    why = f"no text states {what}"
    for write, slot in texts(trial, rng):
        for index, fact in enumerate(slot.facts):
            if fact.kind not in kinds or isinstance(fact.raw, list):
                continue
            try:
                said = other_spelling(fact.kind, fact.raw, fact.shown, rng)
                shown = [said if i == index else f.shown for i, f in enumerate(slot.facts)]
                return trial.with_write(write, write.edited(slot.path, slot.filled(*shown)))
            except Unfit as error:
                why = str(error)
    raise Unfit(why)


@equivalent
def other_date_format(trial: Trial, rng: Random) -> Environment:
    """Wrote a date, or an instant, in another form."""
    return _respelt(trial, rng, frozenset({"date", "datetime"}), "a date")


@equivalent
def other_amount_format(trial: Trial, rng: Random) -> Environment:
    """Wrote an amount in another form."""
    return _respelt(
        trial, rng, frozenset({"money", "cents", "quantity", "percent"}), "an amount"
    )


@equivalent
def other_name_format(trial: Trial, rng: Random) -> Environment:
    """Wrote the name of a person or a company in another form: "Reyes, Dana"."""
    return _respelt(trial, rng, frozenset({"person", "company"}), "a name")


@equivalent
def other_phone_format(trial: Trial, rng: Random) -> Environment:
    """Wrote a phone number in another form."""
    return _respelt(trial, rng, frozenset({"phone"}), "a phone number")


@equivalent
def other_address_format(trial: Trial, rng: Random) -> Environment:
    """Wrote an email address in another form."""
    return _respelt(trial, rng, frozenset({"email", "url"}), "an address")


@equivalent
def other_code_format(trial: Trial, rng: Random) -> Environment:
    """Wrote a code or an id in quotes, brackets or small letters."""
    return _respelt(trial, rng, frozenset({"code", "id"}), "a code")


@equivalent
def quoted_title(trial: Trial, rng: Random) -> Environment:
    """Wrote a title in quotes, or in capital or small letters."""
    return _respelt(trial, rng, frozenset({"title", "tag", "file_name"}), "a title")


@equivalent
def reworded(trial: Trial, rng: Random) -> Environment:
    """Used other words around the facts."""
    form = rng.choice(
        (
            "For your information: {}",
            "{} (as requested)",
            "Here is the value you need: {}.",
            "{}",
            "We have noted {} here.",
        )
    )

    def compose(slot: Slot) -> str:
        shown = ", ".join(fact.shown for fact in slot.facts)
        if form.startswith("{}") and shown.isdecimal():
            raise Unfit("a bare number says nothing")
        return form.format(shown)

    return _rewritten(trial, rng, compose)


@equivalent
def with_courtesy(trial: Trial, rng: Random) -> Environment:
    """Wrote a longer text, with a greeting and thanks."""
    form = rng.choice(
        (
            "Hello,\n\nthank you for your patience.\n\n{}\n\nKind regards",
            "Hi team,\n{}\nPlease let me know if there are questions. Thanks!",
            "Dear all, as promised: {}. Many thanks and have a good day.",
        )
    )
    return _rewritten(trial, rng, lambda slot: form.format(slot.value))


_ASIDES: Final = {
    "date": "as of 12 May 2026", "money": "this saves us about 15 euros",
    "quantity": "this is item 2 of 3", "phone": "questions to +49 30 5550 1234",
    "person": "noted by Kim Barton", "email": "questions to office@barton.example",
}  # fmt: skip
"""Kind → words beside the point that state a fact of this kind."""


@equivalent
def with_other_facts(trial: Trial, rng: Random) -> Environment:
    """Added a remark with facts of other kinds than what was asked for."""

    def compose(slot: Slot) -> str:
        kinds = {_LIKE.get(fact.kind, fact.kind) for fact in slot.facts}
        free = [words for kind, words in _ASIDES.items() if _LIKE.get(kind, kind) not in kinds]
        return f"{slot.value} ({rng.choice(free)})"

    return _rewritten(trial, rng, compose)


_LIKE: Final = {
    "datetime": "date", "cents": "money", "quantity": "money", "percent": "money",
    "company": "person", "title": "person",
}  # fmt: skip
"""Kinds that a reader may take for each other."""


@equivalent
def with_harmless_words(trial: Trial, rng: Random) -> Environment:
    """Used words of denial, doubt or choice that are not about the fact."""
    form = rng.choice(
        (
            "{}\nPlease do not reply to this message.",
            "Not urgent. {}",
            "No further action is needed. {}",
            "{} Is there anything else you need?",
            "Please call or write if you have doubts. {}",
            "This was not easy to find, but here it is. {}",
            "{} Let me know if I got something wrong.",
        )
    )
    return _rewritten(trial, rng, lambda slot: form.format(slot.value.rstrip(".") + "."))


@equivalent
def in_markdown(trial: Trial, rng: Random) -> Environment:
    """Set the fact in bold, or as the item of a list."""
    form = rng.choice(("**{}**", "- {}", "* {}", "> {}", "| Value | {} |", "`{}`", "_{}_"))

    def compose(slot: Slot) -> str:
        return slot.filled(form.format(slot.facts[0].shown), *(f.shown for f in slot.facts[1:]))

    if form[0] == form[-1] and form[0] in "*`_":
        return _rewritten(trial, rng, compose)
    return _rewritten(trial, rng, lambda s: "\n".join(form.format(f.shown) for f in s.facts))


@equivalent
def other_whitespace(trial: Trial, rng: Random) -> Environment:
    """Left spaces and line breaks around the text."""
    form = rng.choice(("  {}  ", "\n{}\n", "{}\n\n", "\t{}"))
    return _rewritten(trial, rng, lambda slot: form.format(slot.value))


@equivalent
def other_case(trial: Trial, rng: Random) -> Environment:
    """Wrote the whole text in capital letters."""
    why = "no text states a fact whose letters may be large or small"
    for write, slot in texts(trial, rng):
        if all(fact.kind not in ("id", "url") for fact in slot.facts):
            try:
                return trial.with_write(write, write.edited(slot.path, slot.value.upper()))
            except Unfit as error:
                why = str(error)
    raise Unfit(why)


@equivalent
def argument_in_other_form(trial: Trial, rng: Random) -> Environment:
    """Gave an argument in another form: an instant in another zone, an address in capitals."""
    why = "no argument has another form"
    zone = timezone(timedelta(hours=rng.choice((2, -7, 9))))
    for write, slot in spots(trial, rng):
        if slot.template or is_reference(trial, write, slot) or not isinstance(slot.value, str):
            continue
        if slot.kind == "datetime":
            value = instant(slot.value).astimezone(zone).isoformat()
        elif slot.kind == "email":
            name, at, host = slot.value.partition("@")
            value = f"{name.upper()}{at}{host}"
        elif slot.kind == "title":
            value = f"{slot.value} "
        elif slot.kind == "money" and "." not in slot.value:
            value = f"{slot.value}.00"
        else:
            continue
        try:
            return trial.with_write(write, write.edited(slot.path, value))
        except Unfit as error:
            why = str(error)
    raise Unfit(why)
