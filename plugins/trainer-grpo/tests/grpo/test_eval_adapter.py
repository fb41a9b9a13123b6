"""`compoworld eval` of the policy `local` with an adapter's folder."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from compoworld_core.cli.evaluate import evaluate_
from compoworld_core.run import Run

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folders(loaded: Any, tmp_path: Path) -> dict[str, str]:
    """A model, an adapter that changes what it says, and the model with it merged in."""
    from peft import LoraConfig, get_peft_model

    chosen = LoraConfig(
        r=4, lora_alpha=32, target_modules="all-linear", init_lora_weights=False
    )
    loaded.save(tmp_path / "base")
    adapted = get_peft_model(deepcopy(loaded.model), chosen)
    adapted.save_pretrained(tmp_path / "adapter")
    evolve(loaded, model=adapted.merge_and_unload()).save(tmp_path / "merged")
    return {name: str(tmp_path / name) for name in ("base", "adapter", "merged")}


def evaluated(tasks: Run, out: Path, capsys: Capture, **options: object) -> dict[str, Any]:
    """The figures, and the first words of each rollout."""
    given = {"temperature": 0, "turn_tokens": 12, "device": "cpu", **options}
    named = [part for key, value in given.items() for part in ("--option", f"{key}={value}")]
    where = ["--tasks", str(tasks.path), "--out", str(out)]
    more = ["--policy", "local", "--n", "1", "--max-turns", "1", *named, "--json"]
    evaluate_.main([*where, *more], standalone_mode=False)
    figures: dict[str, Any] = json.loads(capsys.readouterr().out)
    said = [
        next(message.content for message in each.messages if message.role == "assistant")
        for each in Run.open(out).trajectories()
    ]
    return {**figures, "said": said}


def test_an_adapter_is_played_on_its_model(
    tasks_run: Run, folders: dict[str, str], tmp_path: Path, capsys: Capture
) -> None:
    base, merged = (
        evaluated(tasks_run, tmp_path / f"{name}-out", capsys, model=folders[name])
        for name in ("base", "merged")
    )
    found = evaluated(
        tasks_run,
        tmp_path / "out",
        capsys,
        model=folders["base"],
        adapter=folders["adapter"],
    )
    assert (found["tasks"], found["rollouts"], found["errors"]) == (3, 3, 0)
    assert found["said"] == merged["said"]
    assert found["said"] != base["said"]
