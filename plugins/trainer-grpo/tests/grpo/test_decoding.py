"""Decoding: many conversations at once say what each would say alone."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from doubles import Dictated, Tape


def engine(loaded: Any, **options: Any) -> Any:
    from compoworld_trainer_grpo.decoding import LocalEngine

    return LocalEngine(loaded.model, frozenset({loaded.tokenizer.eos_token_id}), 0, **options)


def asks(chunks: Sequence[tuple[int, Sequence[int]]], most: int, randoms: Any) -> list[Any]:
    from compoworld_trainer_grpo.decoding import Ask

    return [Ask(row, ids, most, randoms[row]) for row, ids in chunks]


def turns_of(session: Any, wanted: Sequence[Any]) -> Any:
    from compoworld_trainer_grpo.decoding import turns

    return turns(session, wanted)


def scores(loaded: Any, ids: Sequence[int]) -> list[float]:
    """Log-probability of each token but the first, in one pass over the whole text."""
    import torch

    with torch.no_grad():
        logits = loaded.model(input_ids=torch.tensor([list(ids)])).logits[0, :-1].double()
    chosen = torch.tensor(list(ids[1:]))
    found: list[float] = logits.log_softmax(-1).gather(-1, chosen[:, None])[:, 0].tolist()
    return found


TURNS = [
    [(0, [9] * 30), (1, [8, 7, 6]), (2, [8, 7, 6])],
    [(0, [5, 4]), (1, [11] * 90), (2, [3])],
    [(0, [12, 13, 14]), (2, [10] * 40)],
]
"""What three conversations hear before each turn; the second ends after two."""


def played(loaded: Any, turns: Any, **options: Any) -> dict[int, list[tuple[int, float]]]:
    """All tokens of each row, with their log-probability where the model drew them."""
    randoms = {row: Random(row) for row in range(3)}
    session = engine(loaded, **options).begin()
    said: dict[int, list[tuple[int, float]]] = {row: [] for row in range(3)}
    for chunks in turns:
        for (row, ids), turn in zip(
            chunks, turns_of(session, asks(chunks, 12, randoms)), strict=True
        ):
            said[row] += [(each, 0.0) for each in ids]
            said[row] += list(zip(turn.ids, turn.logprobs, strict=True))
    return said


@pytest.mark.parametrize("keep", [True, False])
def test_log_probabilities_are_those_of_one_pass_over_the_text(loaded: Any, keep: bool) -> None:
    for row, tokens in played(loaded, TURNS, keep=keep).items():
        whole = scores(loaded, [token for token, _ in tokens])
        drawn = [(a, b) for (_, a), b in zip(tokens[1:], whole, strict=True) if a]
        assert len(drawn) >= 12
        for a, b in drawn:
            assert a == pytest.approx(b, abs=2e-5), row


def test_a_conversation_does_not_depend_on_its_neighbours(loaded: Any) -> None:
    together = played(loaded, TURNS)
    for row in range(3):
        alone = [[each for each in chunks if each[0] == row] for chunks in TURNS]
        only = played(loaded, [chunks for chunks in alone if chunks])[row]
        assert [token for token, _ in only] == [token for token, _ in together[row]]


def test_a_prompt_that_rows_share_is_read_once(
    loaded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = engine(loaded)
    rows: list[int] = []
    forward = type(one).forward

    def counted(self: Any, **inputs: Any) -> Any:
        rows.append(inputs["input_ids"].shape[0])
        return forward(self, **inputs)

    monkeypatch.setattr(type(one), "forward", counted)
    randoms = {row: Random(row) for row in range(4)}
    chunks = [(row, [7] * 20) for row in range(4)]
    turns = turns_of(one.begin(), asks(chunks, 3, randoms))
    assert rows == [1, 4, 4]
    assert len({tuple(turn.ids) for turn in turns}) > 1  # each with its own random numbers


def test_a_turn_ends_with_its_end_token_or_its_budget(loaded: Any) -> None:
    end = loaded.tokenizer.eos_token_id
    tapes = {0: Tape([5, 6, end]), 1: Tape([5, 6, 7, 8, 9])}
    chunks = [(0, [4]), (1, [4])]
    turns = turns_of(engine(loaded, drawing=Dictated()).begin(), asks(chunks, 4, tapes))
    assert [(turn.ids, turn.ended) for turn in turns] == [
        ([5, 6, end], True),
        ([5, 6, 7, 8], False),
    ]


def test_tokens_are_drawn_in_proportion() -> None:
    import torch
    from compoworld_trainer_grpo.decoding import Drawing

    logits = torch.log(torch.tensor([[0.5, 0.0, 0.3, 0.2]])).expand(1000, -1)
    numbers = [(i + 0.5) / 1000 for i in range(1000)]
    tokens, logs = Drawing().draw(logits, numbers)
    assert [tokens.count(i) for i in range(4)] == [500, 0, 300, 200]
    assert logs[0] == pytest.approx(-0.6931, abs=1e-4)


@pytest.mark.parametrize(
    ("options", "kept"),
    [({"top_k": 2}, {0, 2}), ({"top_p": 0.45}, {0}), ({"temperature": 0.0}, {0})],
)
def test_unlikely_tokens_are_left_out(options: Any, kept: set[int]) -> None:
    import torch
    from compoworld_trainer_grpo.decoding import Drawing

    logits = torch.log(torch.tensor([[0.5, 0.1, 0.3, 0.1]])).expand(100, -1)
    tokens, _ = Drawing(**options).draw(logits, [i / 100 for i in range(100)])
    assert set(tokens) == kept


def test_processes_make_as_many_passes(loaded: Any) -> None:
    """The one that is done first goes along, pass by pass, until nobody needs one."""
    others = 9  # passes that another process makes

    one = engine(loaded, drawing=Dictated())
    told: list[bool] = []

    def anyone(here: bool) -> bool:
        told.append(here)
        return here or len(told) <= others

    one.anyone = anyone
    turns_of(one.begin(), asks([(0, [4])], 4, {0: Tape([5, 6, 7, 8])}))
    one.drain()
    assert one.passes == others
    assert told == [True] * 4 + [False] * 6
