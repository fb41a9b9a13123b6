"""Likeness: the same task in other words is refused, and memory for it stays small."""

import gc
import sys
from collections.abc import Sequence

import pytest
from bare_tasks import bare_task, words

from compoworld_core.graph import graph_of
from compoworld_core.likeness import (
    NEAR,
    Likeness,
    Mark,
    MostAlike,
    mark_of,
    masked,
    shape_and_minima,
    shingles,
    signature,
    similarity,
    skeleton,
)
from compoworld_core.plan import Fact
from compoworld_core.records import Span

WALK = ("crm", "mailbox", "crm")


def spans(text: str, *marked: tuple[str, str, str]) -> list[Span]:
    """(phrase, kind of span, kind of fact) → spans."""
    found = []
    for phrase, kind, fact in marked:
        start = text.index(phrase)
        value = Fact.model_validate({"kind": fact, "value": phrase}) if fact else None
        found.append(
            Span.model_validate(
                {"start": start, "end": start + len(phrase), "kind": kind, "target": "t",
                 "fact": value}
            )
        )  # fmt: skip
    return found


def order(number: str, title: str) -> tuple[str, list[Span]]:
    text = f"Cancel the order {number}, then mail Ana about {title}."
    return text, spans(
        text, (f"the order {number}", "selection", ""), (number, "literal", "code"),
        (title, "literal", "title"),
    )  # fmt: skip


def exact(one: str, other: str) -> float:
    left, right = shingles(one), shingles(other)
    return len(left & right) / len(left | right)


# -- skeletons -----------------------------------------------------------------------------


def test_a_skeleton_masks_the_outermost_spans_by_kind() -> None:
    assert skeleton(*order("#D42", "Rain")) == "cancel <selection> then mail ana about <title>"


def test_a_masked_text_keeps_the_words_of_descriptions() -> None:
    text, found = order("#D42", "Rain")
    said = masked(text, found, all_kinds=False)
    assert said == "cancel the order <code> then mail ana about <title>"


def test_other_values_give_the_same_skeleton_and_other_words_do_not() -> None:
    assert skeleton(*order("#D42", "Rain")) == skeleton(*order("#X7", "A walk in the snow"))
    text, found = order("#D42", "Rain")
    assert skeleton(text.replace("mail", "tell"), found) != skeleton(text, found)


def test_case_digits_spaces_and_marks_do_not_count() -> None:
    assert skeleton("Take  12 of\nthem!", ()) == skeleton("take 7 of them", ())


# -- similarity ----------------------------------------------------------------------------


def test_a_signature_is_the_same_on_every_machine() -> None:
    assert signature("one two three four")[:3] == (977653017, 2631596034, 1101912327)


@pytest.mark.parametrize("kept", [0, 30, 60, 90, 110, 120])
def test_the_estimate_is_near_the_exact_similarity(kept: int) -> None:
    one = words(1, 120)
    other = " ".join(one.split()[:kept] + words(2, 120 - kept).split())
    assert similarity(signature(one), signature(other)) == pytest.approx(
        exact(one, other), abs=0.15
    )


def remember(*instructions: str) -> Likeness:
    likeness = Likeness()
    for number, text in enumerate(instructions):
        likeness.add(mark_of(bare_task(number, WALK, instruction=text)))
    return likeness


def probe(likeness: Likeness, instruction: str, walk: Sequence[str] = WALK) -> str:
    refusal = likeness.refusal(mark_of(bare_task(999, walk, instruction=instruction)))
    return "" if refusal is None else refusal[0]


def test_the_same_task_is_a_duplicate() -> None:
    likeness = Likeness()
    likeness.add(mark_of(bare_task(1, WALK)))
    found = likeness.refusal(mark_of(bare_task(1, WALK, instruction=words(2))))
    assert found == ("duplicate", "the same task as before")


def test_one_skeleton_with_one_graph_is_a_duplicate() -> None:
    likeness = remember(words(1), words(2))
    assert probe(likeness, words(2)) == "duplicate"


def test_one_skeleton_with_another_graph_is_a_near_duplicate() -> None:
    assert probe(remember(words(1)), words(1), ("mailbox", "crm")) == "near-duplicate"


def test_a_word_changed_in_a_long_text_is_a_near_duplicate() -> None:
    text = words(1, 80)
    changed = f"{text.rsplit(' ', 1)[0]} otherwise"
    assert probe(remember(words(3, 80), text), changed) == "near-duplicate"


def test_half_of_the_words_changed_is_another_task() -> None:
    text = words(1, 80).split()
    assert probe(remember(" ".join(text)), " ".join([*text[:40], words(2, 40)])) == ""


def test_near_duplicates_are_found_whatever_is_between() -> None:
    texts = [words(number, 60) for number in range(300)]
    likeness = remember(*texts)
    for number in range(0, 300, 10):
        changed = f"{texts[number].rsplit(' ', 2)[0]} something else"
        found, which = likeness.nearest(mark_of(bare_task(999, WALK, instruction=changed)))
        assert (found >= NEAR, which) == (True, number)


def test_the_most_alike_pair_is_named() -> None:
    most = MostAlike()
    text = words(1, 80)
    for number, instruction in enumerate([text, words(2), f"{text} and more", words(3)]):
        most.add(bare_task(number, WALK, instruction=instruction))
    found = most.figures()
    assert found["tasks"] == ["task-000000000000", "task-000000000002"]
    assert 0.9 <= found["similarity"] < 1


# -- ten thousand tasks --------------------------------------------------------------------


def held(root: object) -> int:
    """Bytes of an object and all that it holds."""
    seen: dict[int, object] = {}
    left = [root]
    while left:
        each = left.pop()
        if id(each) not in seen and not isinstance(each, type):
            seen[id(each)] = each
            left += gc.get_referents(each)
    return sum(map(sys.getsizeof, seen.values()))


def test_ten_thousand_tasks_take_less_than_a_kilobyte_each() -> None:
    size, graph = 10_000, graph_of(WALK)
    likeness = Likeness()
    for number in range(size):
        mark = Mark(number, *shape_and_minima(words(number, 12), (), graph))
        assert likeness.refusal(mark) is None
        likeness.add(mark)
    assert len(likeness) == size
    assert 300 * size < held(likeness) < 800 * size
