"""Courses: which model GRPO of a comparison starts from."""

from pathlib import Path
from typing import Any

import pytest
from compoworld_trainer_grpo.experiments.courses import Data, Practice, Size
from compoworld_trainer_grpo.experiments.lab import Lab
from compoworld_trainer_grpo.experiments.record import Record


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Takes a course whose SFT learns only from some first weights; what GRPO started from."""

    def take(size: Size, learning: int) -> tuple[set[str], list[int]]:
        seeds: list[int] = []
        starts: set[str] = set()

        def model(_: Lab, name: str, *__: Any, seed: int, **___: Any) -> str:
            seeds.append(seed)
            return name

        def earliest(_: Lab, __: Record, ___: str, sft: str, *____: Any, **_____: Any) -> Any:
            return f"{sft}/early" if len(seeds) > learning else None

        monkeypatch.setattr(Lab, "model", model)
        monkeypatch.setattr(Lab, "imitate", lambda _, name, *__, **___: name)
        monkeypatch.setattr(Lab, "earliest", earliest)
        monkeypatch.setattr(Practice, "_draw", lambda *_: None)
        monkeypatch.setattr(Practice, "_score", lambda *_: None)
        monkeypatch.setattr(Practice, "_practise", lambda *given: starts.add(given[4]))
        here = Data(tmp_path, tmp_path)
        rewards = {"uniform": {}, "binary": {}}
        Practice(size, 1, (), {"SFT": here}, {"test": here}, rewards, tmp_path).take(
            Lab(tmp_path, str)
        )
        return starts, seeds

    return take


def test_all_rewards_start_where_sft_did_enough(started: Any) -> None:
    assert started(Size(), 0) == ({"seed1/SFT/early"}, [1])


def test_other_weights_are_drawn_where_sft_did_not_learn(started: Any) -> None:
    assert started(Size(), 2) == ({"seed1-draw2/SFT/early"}, [1, 1001, 2001])


def test_after_three_draws_it_goes_on_from_the_last(started: Any) -> None:
    assert started(Size(), 3) == ({"seed1-draw2/SFT"}, [1, 1001, 2001])


def test_nothing_is_tried_where_no_success_is_asked_for(started: Any) -> None:
    assert started(Size(start=0), 3) == ({"seed1/SFT"}, [1])
