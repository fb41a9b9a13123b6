"""The lab: where GRPO starts, which curves are drawn, what a preset changes."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from compoworld_trainer_grpo.experiments import lab
from compoworld_trainer_grpo.experiments.lab import Lab, metrics
from compoworld_trainer_grpo.experiments.record import Record
from compoworld_trainer_grpo.models import tiny
from compoworld_trainer_grpo.models.loading import load

from compoworld_core.run import METRIC_SCHEMA, Run


@pytest.mark.parametrize(
    ("success", "chosen"),
    [
        ({75: 0.1, 100: 0.3, 125: 0.9}, "checkpoints/checkpoint-100"),
        ({75: 0.2}, "checkpoints/checkpoint-75"),
        ({}, None),
    ],
    ids=["the first that does some", "at the threshold", "none does"],
)
def test_grpo_goes_on_from_the_checkpoint_that_leaves_something_to_learn(
    success: dict[int, float],
    chosen: str | None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    def scored(_lab: Lab, _name: str, model: str, _run: object, **_: object) -> Any:
        done = int(model.rsplit("-", 1)[1])
        return SimpleNamespace(figures=lambda: {"success": {"mean": success.get(done, 0.0)}})

    monkeypatch.setattr(Lab, "score", scored)
    monkeypatch.setattr(Lab, "part", lambda *_: None)
    monkeypatch.setattr(lab.Run, "open", lambda _: SimpleNamespace(tasks=lambda: iter(())))
    record = Record("course", "", "")
    found = Lab(tmp_path, str).earliest(
        record, "tried", str(tmp_path), tmp_path, last=126, success=0.2, seed=0
    )
    assert found == (chosen and str(tmp_path / chosen))
    tried = [step for step, _ in record.curves[0].points]
    assert tried == [75, 100, 125][: len(tried)]
    assert not chosen or chosen.endswith(f"-{tried[-1]}")


def test_a_group_of_figures_is_drawn_whole(tmp_path: Path) -> None:
    run = Run.start(tmp_path / "run", {"command": "train grpo"}, {})
    with run.writing():
        for step, kind in ((1, "train"), (2, "train"), (2, "speed")):
            figures = {"criteria/update": 0.1 * step, "criteria/gate": 1.0, "entropy": 2.0}
            run.append(
                "metrics", {"schema": METRIC_SCHEMA, "kind": kind, "step": step, **figures}
            )
    assert metrics(run.path, "train", ("criteria/", "loss")) == {
        "criteria/update": [[1, 0.1], [2, 0.2]],
        "criteria/gate": [[1, 1.0], [2, 1.0]],
    }


def test_another_model_is_started_from_as_it_is(tmp_path: Path) -> None:
    there = Lab(tmp_path, str, base={"model": "smollm2"})
    assert there.model("start", [], ()) == "smollm2"
    assert not list(tmp_path.iterdir())


def test_courses_beside_one_another_share_the_threads(tmp_path: Path) -> None:
    import torch

    before = torch.get_num_threads()
    course = SimpleNamespace(take=lambda _: torch.get_num_threads())
    try:
        assert lab._alone(tmp_path, lab.Budget(), {}, 3, course)[0] == 3
    finally:
        torch.set_num_threads(before)


def test_documents_become_tokens_of_a_pretrained_model(tmp_path: Path, exported: Path) -> None:
    small = tiny.build([], vocabulary=300, layers=1, hidden=32)
    pretrained = str(small.save(tmp_path / "pretrained"))
    lab = Lab(tmp_path, str, base={"model": pretrained})
    made = load(lab.model("start", [exported], ("gmail",), documents=64))
    assert made.template.name == "compact"
    assert 0 < len(made.tokenizer) - len(small.tokenizer) <= 64
    assert load(lab.model("again", [exported], ("gmail",))).template == small.template


@pytest.mark.parametrize(("kind", "trainer"), [("sft", "SftTrainer"), ("grpo", "GrpoTrainer")])
def test_what_a_preset_says_reaches_the_training(
    kind: str, trainer: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr(
        f"compoworld_trainer_grpo.trainers.{trainer}.train",
        lambda _, settings: given.update(settings),
    )
    base = {"model": "smollm2", "lora": {"rank": 8}, "micro_batch": 2}
    Lab(tmp_path, str, base=base).train(kind, "made", model="from-here", micro_batch=1)
    assert (given["model"], given["lora"], given["micro_batch"]) == (
        "from-here",
        {"rank": 8},
        1,
    )
