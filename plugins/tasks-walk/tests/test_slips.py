"""Which faults of a text are found, and that real words are none."""

from __future__ import annotations

import pytest
from compoworld_tasks_walk.slips import slips


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("Void the  invoice.", "two spaces"),
        ("Void the invoice .", "space before"),
        ("Void the invoice..", "two marks"),
        ("Set the due_date.", "underscore"),
        ("Void the the invoice.", "twice"),
        ("Open a invoice.", "vowel"),
        ("Open an ticket.", "consonant"),
        ("Void it. then go.", "small letter"),
        ("Void {} now.", "hole"),
        ("Set it to None.", "nothing"),
        ("Send it to.", "loose"),
        ('Call it "X.', "not closed"),
        ("void it.", "capital"),
        ("Void it", "full stop"),
        ("To do:\n- void it.", "start of a line"),
        ("Void it,then go.", "after a mark"),
        ("Void it, since this is wrong, since they asked.", "reason twice"),
        ("Please void it, please.", "please twice"),
        ("Void those invoices is wrong.", "one of several"),
        ("Take it from in there.", "link twice"),
        ("Take the ticket's customer's order's note.", "owners in a row"),
        ("Void the invoice in_1PqRsTuVwXyZ24.", "raw id"),
    ],
)
def test_slips_are_found(bad: str, why: str) -> None:
    assert any(why in slip for slip in slips(bad))


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("Set the cancelreason.", "run together"),
        ("Set the totalprice.", "run together"),
        ("Set the createdAt.", "field's name"),
        ("Find the order whose customerid is known.", "id in words"),
        ("Go in the repository the repository now.", "a noun twice"),
        ("Could you please do it.", "question"),
    ],
)
def test_names_of_fields_in_a_text_are_slips(bad: str, why: str) -> None:
    assert any(why in slip for slip in slips(bad))


@pytest.mark.parametrize(
    "good",
    [
        "Take the paid order.",
        "Void the checkout in the workspace.",
        'Add a note saying "See the plan." Then void it.',
        "Void it.\n\nNina Ito\nnina@acme.example",
        "Find the user named dana-w. Please void it, then go. Please stop.",
        "Find the invoice INV-2024-0012 and the file plan-2026-10-18-final.pdf.",
    ],
)
def test_real_words_are_no_slips(good: str) -> None:
    assert slips(good) == []
