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
    "good", ["Take the paid order.", "Void the checkout in the workspace."]
)
def test_real_words_are_no_slips(good: str) -> None:
    assert slips(good) == []
