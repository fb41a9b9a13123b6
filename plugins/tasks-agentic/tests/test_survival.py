"""Survival: what a rewording may change and what it may not."""

from __future__ import annotations

from typing import Any

import pytest
from compoworld_tasks_agentic.dialogue import Complaint
from compoworld_tasks_agentic.marks import write_marks
from compoworld_tasks_agentic.survival import Original, refers, spans_of

from compoworld_core.proof.case import Candidate

REWORDED = (
    "Now is the moment to settle what is owed. Begin with [[s1|the mail with the subject]]"
    " [[s2|Launch plan questions]], then take [[s3|the contact whose address is its sender's]]."
    " Please move the due date of [[s4|all of the]] [[s5|open]] invoices on their account to"
    " [[s6|June 19, 2026]]. Raise a high-priority issue by the name of"
    " [[s7|Launch plan dispute]] which states the total, put the new issue's id in a note"
    ' called [[s8|"Launch plan minutes"]], and then add the note\'s id to the notes of'
    " [[s9|that contact]]. Lastly, let the contact's owner collect [[s10|the invoice]]"
    " [[s11|INV-9917]]."
)


@pytest.fixture(scope="module")
def original(world: Any) -> Original:
    from sample_tasks import draft

    return Original.of(draft(world).candidate())


def refused(original: Original, text: str) -> str:
    with pytest.raises(Complaint) as caught:
        spans_of(original, text)
    return caught.value.why


def change(old: str, new: str) -> str:
    assert old in REWORDED
    return REWORDED.replace(old, new, 1)


def test_a_rewording_keeps_each_span_over_its_new_words(original: Original) -> None:
    text, spans = spans_of(original, REWORDED)
    said = {span.target: text[span.start : span.end] for span in spans}
    assert said["2026-06-19"] == "June 19, 2026"
    assert said["other"] == "the invoice"
    before = original.candidate.spans
    assert sorted((s.kind, s.target) for s in spans) == sorted(
        (s.kind, s.target) for s in before
    )


def test_the_text_as_it_was_survives(original: Original) -> None:
    candidate = original.candidate
    text, _ = spans_of(original, write_marks(candidate.instruction, original.groups))
    assert text == candidate.instruction


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        # dropped
        ("[[s6|June 19, 2026]]", "that day", "the mark s6 is gone"),
        ("[[s6|June 19, 2026]]", "[[s6|that summer]]", "s6 must say '2026-06-19'"),
        ("[[s5|open]]", "[[s5|other]]", "s5 must say 'open'"),
        ("whose address is its sender's", "", "s3 no longer says sender, address"),
        ("[[s10|the invoice]]", "[[s10|the one]]", "s10 no longer says invoice"),
        ("which states the total", "", "total"),
        ("all of the", "the", "s4 no longer says all"),
        (" high-priority", "", "'high'|'priority'"),
        # added
        ("Raise a", "By Friday, raise a", "the time 'friday' is not in the original"),
        ("Raise a", "Raise the $300 as a", "the number 300 is not|the sign"),
        ("Raise a", "With Dana Reyes, raise a", "dana reyes|Dana"),
        ("Raise a", "Dana wants you to raise a", "the name 'Dana'"),
        ("Raise a", "As Globex asks, raise a", "the name 'As Globex'"),
        ("Raise a", "For it@globex.example, raise a", "the email"),
        ("Raise a", "See INV-1234 and raise a", "the code 'inv-1234'"),
        ("Raise a", "Two of us will check. Raise a", "the number word 'two'"),
        ("Raise a", 'Under "Hot matters" raise a', "the quoted"),
        ("Raise a", "In bug_tracker raise a", "the code 'bug_tracker'"),
        ("[[s6|June 19, 2026]]", "[[s6|June 19, 2026, 5 pm]]", "the datetime"),
        # another meaning
        ("[[s6|June 19, 2026]]", "[[s6|June 20, 2026]]", "s6 must say"),
        ("Please move", "Do not move", "excludes or denies"),
        ("invoices on", "invoices except on", "except"),
        ("Raise a", "If there is time, raise a", "of this kind: if"),
        ("Raise a", "Delete it and raise a", "asks nobody to delete"),
        ("Please move", "Please change", "the word 'move'|due"),
        ("[[s9|that contact]]", "[[s9|that invoice]]", "must name the contact"),
        ("[[s9|that contact]]", "[[s9|it]]", "s9: 'it' must name the contact"),
        # marks
        ("[[s8|", "[[s12|", "the mark s8 is gone"),
        ("Raise a", "Use [[s12|the bill]] and raise a", "there is no mark s12"),
        ("Now is", "[[s1|Now is]]", "stands twice"),
    ],
)  # fmt: skip
def test_what_changes_the_task_is_refused(
    original: Original, old: str, new: str, why: str
) -> None:
    import re

    said = refused(original, change(old, new))
    assert re.search(why, said), said


def test_the_sentence_that_all_else_stays_may_be_said_otherwise(original: Original) -> None:
    spans_of(original, REWORDED + " Do not touch anything else, please!")
    spans_of(original, REWORDED + " The rest can stay as it is.")
    said = refused(original, REWORDED + " Do not touch the rest of the notes.")
    assert "notes" in said or "excludes" in said


def test_facts_that_change_places_are_refused(original: Original) -> None:
    swapped = REWORDED.replace("s7|Launch plan dispute", "s7|Launch plan minutes")
    swapped = swapped.replace('s8|"Launch plan minutes"', 's8|"Launch plan dispute"')
    assert "s7 must say" in refused(original, swapped)


def test_marks_that_change_places_are_refused(original: Original) -> None:
    swapped = (
        REWORDED.replace("[[s7|Launch plan dispute]]", "@")
        .replace('[[s8|"Launch plan minutes"]]', "[[s7|Launch plan dispute]]")
        .replace("@", '[[s8|"Launch plan minutes"]]')
    )
    assert "s8 came after s7 and must stay there" in refused(original, swapped)


def test_words_around_facts_that_change_places_are_refused(original: Original) -> None:
    swapped = (
        REWORDED.replace("Raise a high-priority issue", "Raise a high-priority @")
        .replace("in a note called", "in an issue called")
        .replace("@", "note")
    )
    assert "'issue' and 'note' have changed places" in refused(original, swapped)


def test_two_facts_of_one_call_and_of_different_kinds_may_swap() -> None:
    from sample_tasks import Wording

    from compoworld_core.expressions import Lit
    from compoworld_core.plan import Argument, Plan, Step

    def lit(name: str, kind: Any, value: str) -> Argument:
        return Argument(path=(name,), expr=Lit(literal=value, kind=kind))

    step = Step(
        id="s", visit=0, service="a", tool="t", write=True,
        arguments=(lit("title", "title", "Refund"), lit("due", "date", "2026-06-19")),
    )  # fmt: skip
    said = Wording().say("Open an issue ").literal("title", "Refund").say(" for ")
    said.literal("date", "2026-06-19").say(".")
    candidate = Candidate(
        said.text, ("a",), (), ("a", "a"), Plan(steps=(step,), goals=()), {}, (),
        tuple(said.spans),
    )  # fmt: skip
    original = Original.of(candidate)
    text, _ = spans_of(original, "For [[s2|19 June 2026]], open an issue [[s1|Refund]].")
    assert text == "For 19 June 2026, open an issue Refund."


@pytest.mark.parametrize(
    ("words", "latest", "ok"),
    [
        ("that issue", False, True),
        ("those issues", False, True),
        ("it", True, True),
        ("it", False, False),
        ("that order", True, False),
    ],
)
def test_a_reference_says_its_noun_or_means_the_record_mentioned_last(
    words: str, latest: bool, ok: bool
) -> None:
    assert refers(words, "issue", latest) is ok
