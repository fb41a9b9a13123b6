"""Whole trainings by `compoworld train grpo`, whose success is dictated: what they leave."""

from collections.abc import Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from compoworld_trainer_grpo import grpo
from compoworld_trainer_grpo.decoding import Turn
from compoworld_trainer_grpo.runs import TrainingRun
from compoworld_trainer_grpo.sampling import Episode, Seat
from doubles import CONDITIONS, Bandit

from compoworld_core import cli
from compoworld_core.records import Verdict
from compoworld_core.run import Run

ROLLOUTS = 4
SERVICES = 0.25
"""Seconds, of the one that sampling a batch takes."""

Capture = pytest.CaptureFixture[str]


class Killed(RuntimeError):
    pass


class Dictated(Bandit):
    """A bandit of whose rollouts so many succeed in each batch; then none, without end."""

    def __init__(self, loaded: Any, successes: Sequence[int | None]) -> None:
        super().__init__(loaded)
        self.left = chain(successes, repeat(0))

    def play_seats(self, seats: Sequence[Seat], seed: int) -> list[Episode]:
        self.good = next(self.left)
        if self.good is None:
            raise Killed
        self.tally.seconds += 1.0
        self.tally.environment_seconds += SERVICES
        return super().play_seats(seats, seed)

    def _episode(self, row: int, seat: Seat, turn: Turn) -> Episode:
        episode = super()._episode(row, seat, turn)
        verdict = Verdict(criteria=dict.fromkeys(CONDITIONS, row < (self.good or 0)), gates={})
        object.__setattr__(episode, "verdict", verdict)
        return episode


@pytest.fixture
def train(tmp_path: Path, tasks_run: Run, loaded: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Trains with so many successes in each batch, None being a kill; the run."""
    model = str(loaded.save(tmp_path / "model"))

    def command(*successes: int | None, steps: int, **values: Any) -> TrainingRun:
        monkeypatch.setattr(grpo, "Sampler", lambda own, *_, **__: Dictated(own, successes))
        out = tmp_path / "run"
        values |= {"tensorboard": "false", "device": "cpu"}
        cli.run([
            "train", "grpo", "--tasks", str(tasks_run.path), "--model", model,
            "--steps", str(steps), "--rollouts", str(ROLLOUTS), "--tasks-per-step", "1",
            "--launcher", "none", "--out", str(out),
            *(part for each in values.items() for part in ("--set", "{}={}".format(*each))),
        ])  # fmt: skip
        return TrainingRun.open(out)

    return command


def test_of_a_training_that_collapses_the_checkpoint_that_did_best_stays(
    train: Any, capsys: Capture
) -> None:
    """With the default settings: of batches 21 to 30, which checkpoint 20 sampled, most."""
    run = train(*[1] * 10, *[2] * 10, *[3] * 10, *[1] * 3, steps=80, keep=1, updates=1)
    assert run.ended()["outcome"] == "collapsed"
    assert (run.best().step, run.best().value) == (20, 3 / ROLLOUTS)
    assert run.steps() == [20, 50]
    assert (run.checkpoint(20) / "model.safetensors").is_file()
    assert "best so far is kept (success 0.7500, step 20): " in capsys.readouterr().err


@pytest.mark.parametrize(("steps", "best"), [(2, 2), (3, 4), (12, 12)])
def test_of_a_short_training_the_first_half_is_judged_by_the_second(
    train: Any, steps: int, best: int
) -> None:
    """Counted in updates, two of a batch."""
    run = train(*[0] * (best // 2), *[2] * 9, steps=steps)
    assert run.finished
    assert (run.best().step, run.best().value) == (best, 2 / ROLLOUTS)
    assert run.steps() == [best, 2 * steps]


def test_the_summary_is_of_the_whole_training_after_a_resume_too(
    train: Any, capsys: Capture
) -> None:
    with pytest.raises(Killed):
        train(1, 1, 1, None, steps=4, checkpoint_every=2)
    run = train(1, 1, steps=4, checkpoint_every=2)
    lines = list(run.run.metrics())
    (found,) = [line for line in lines if line["kind"] == "summary"]
    seconds = [line["seconds"] for line in lines if "seconds" in line][:-1]
    assert len(seconds) == 8
    assert found["seconds"] == pytest.approx(sum(seconds))
    # four batches: the third was sampled twice, and counts as it was used
    assert found["environment_seconds"] == pytest.approx(4 * SERVICES)
    assert found["environment_share"] == pytest.approx(4 * SERVICES / sum(seconds))
    said = f"services took {found['environment_share']:.1%} of the time: 1.0 of "
    assert said in capsys.readouterr().err
