"""`compoworld experiment`: lists what there is, and refuses what there is not."""

import json
from pathlib import Path

import pytest
from compoworld_trainer_grpo.experiments import courses, demo
from compoworld_trainer_grpo.experiments.command import _LISTED, _runner, experiment

from compoworld_core.errors import CompoWorldError, UnknownName, UsageError


def test_without_a_name_it_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    experiment.main(["--json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out)["experiments"] == _LISTED


def test_a_wrong_name_says_which_is_close(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="learn"):
        experiment.main(["lern", "--out", str(tmp_path)], standalone_mode=False)


@pytest.mark.parametrize("name", _LISTED)
def test_each_listed_name_can_be_run(name: str) -> None:
    assert callable(_runner(name, 1, 0.1, "tiny-cpu"))


@pytest.mark.parametrize(
    ("name", "preset"), [("learn", "smollm2-cpu-lora"), ("growth", "paper")]
)
def test_a_preset_without_a_size_is_refused(name: str, preset: str, tmp_path: Path) -> None:
    with pytest.raises(CompoWorldError, match=r"growth|tiny-cpu"):
        experiment.main(
            [name, "--preset", preset, "--out", str(tmp_path)], standalone_mode=False
        )
    assert not list(tmp_path.iterdir())


def test_a_scale_leaves_seeds_and_rates_alone() -> None:
    small = demo.LEARN.scaled(0.5)
    assert (small.seeds, small.sft_rate) == (demo.LEARN.seeds, demo.LEARN.sft_rate)
    assert small.grpo_steps == round(demo.LEARN.grpo_steps * 0.5)
    assert courses.Size().scaled(0.001).held == 4


@pytest.mark.parametrize("scale", ["nan", "inf", "0", "-1"])
def test_a_scale_is_a_number_above_nothing(scale: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--scale is"):
        experiment.main(
            ["growth", "--scale", scale, "--out", str(tmp_path)], standalone_mode=False
        )


def test_an_unknown_preset_is_named_before_anything_else(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="nope"):
        experiment.main(
            ["demo", "--preset", "nope", "--out", str(tmp_path)], standalone_mode=False
        )
