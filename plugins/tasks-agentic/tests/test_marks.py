"""Marks: text with marked phrases, there and back."""

from __future__ import annotations

from typing import Any

import pytest
from compoworld_tasks_agentic.marks import BadMarks, grouped, read_marks, write_marks

from compoworld_core.records import Span


def span(start: int, end: int, target: str = "t") -> Span:
    return Span(start=start, end=end, kind="selection", target=target, noun="n")


def test_marks_nest_and_the_inner_phrase_comes_first() -> None:
    marked = read_marks("See [[who|the contact [[mail|a@b.example]] there]].")
    assert marked.text == "See the contact a@b.example there."
    assert [(p.name, p.words) for p in marked.phrases] == [
        ("mail", "a@b.example"),
        ("who", "the contact a@b.example there"),
    ]
    assert all(marked.text[p.start : p.end] == p.words for p in marked.phrases)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[a|x", "no end"),
        ("x]]", "that none began"),
        ("[[a| ]]", "no words"),
        ("[[a|x]] [[a|y]]", "twice"),
        ("[[../a|x]]", "outside a mark|none began"),
        ("[[a]] x", "none began|outside a mark"),
        ("[[a|" * 9 + "x" + "]]" * 9, "deeper|twice"),
    ],
)
def test_marks_that_cannot_be_read_say_why(text: str, why: str) -> None:
    with pytest.raises(BadMarks, match=why):
        read_marks(text)


def test_a_real_instruction_survives_the_round_trip(world: Any) -> None:
    from sample_tasks import draft

    candidate = draft(world).candidate()
    groups = grouped(candidate.spans)
    again = read_marks(write_marks(candidate.instruction, groups))
    assert again.text == candidate.instruction
    places = {p.name: (p.start, p.end) for p in again.phrases}
    assert places == {name: (g[0].start, g[0].end) for name, g in groups.items()}


def test_spans_at_one_place_share_a_mark_and_inner_ones_follow() -> None:
    groups = grouped([span(4, 9, "b"), span(0, 9), span(4, 9, "c")])
    assert [[s.target for s in group] for group in groups.values()] == [["t"], ["b", "c"]]
    assert write_marks("The nouns", groups) == "[[s1|The [[s2|nouns]]]]"


def test_phrases_that_cross_cannot_be_marked() -> None:
    with pytest.raises(BadMarks, match="crosses"):
        write_marks("abcdef", grouped([span(0, 4), span(2, 6)]))
