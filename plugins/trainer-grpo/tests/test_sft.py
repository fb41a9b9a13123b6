"""SFT on the model `tiny`, in this process: what is learnt from, and what is left behind."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from compoworld_trainer_grpo import masks, sft, worker
from compoworld_trainer_grpo.examples import read, split
from compoworld_trainer_grpo.models.loading import load
from compoworld_trainer_grpo.runs import TrainingRun
from compoworld_trainer_grpo.settings import SftSettings
from compoworld_trainer_grpo.start import origin

from compoworld_core.errors import RecordError, UsageError

Train = Callable[..., TrainingRun]

TINY = {"layers": 1, "hidden": 32, "vocabulary": 600}


@pytest.fixture
def train(tmp_path: Path, exported: Path) -> Train:
    """Trains in the folder of a name, and returns the run."""

    def _train(name: str = "run", **values: Any) -> TrainingRun:
        chosen: dict[str, Any] = {
            "model": "tiny", "tiny": TINY, "data": [str(exported)], "tensorboard": False,
            "launch": {"launcher": "none"}, "batch": 16, "micro_batch": 8, "evaluation": 0,
            "steps": 1,
        }  # fmt: skip
        settings = SftSettings.model_validate({**chosen, **values})
        run = TrainingRun.start(tmp_path / name, settings)
        worker.work(run)
        return run

    return _train


def curve(run: TrainingRun, name: str = "loss", kind: str = "train") -> list[float]:
    lines = [line for line in run.run.metrics() if line["kind"] == kind]
    return [line[name] for line in lines if name in line]


def rows_of(run: TrainingRun, exported: Path) -> list[masks.Row]:
    rows, _ = sft.tokenized(read([exported]), load(str(run.path / "start")), 10_000)
    return rows


def test_the_loss_is_the_mean_over_the_assistants_tokens(train: Train, exported: Path) -> None:
    import torch

    run = train()
    model = load(str(run.path / "start")).model
    total, count = 0.0, 0
    for row in rows_of(run, exported):
        ids = torch.tensor([row.input_ids])
        with torch.no_grad():
            spread = model(ids).logits[0].log_softmax(-1)
        for position in range(1, len(row.input_ids)):
            if row.assistant_mask[position]:
                total -= spread[position - 1, row.input_ids[position]].item()
                count += 1
    assert curve(run) == pytest.approx([total / count], rel=1e-5)


def test_packed_rows_do_not_see_each_other(train: Train) -> None:
    plain = train("plain")
    packed = train("packed", packing=True, max_length=1200)
    assert curve(packed) == pytest.approx(curve(plain), rel=1e-5)
    assert curve(packed, "grad_norm") == pytest.approx(curve(plain, "grad_norm"), rel=1e-3)


def test_labels_are_the_masks_token_by_token(
    train: Train, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import trl

    seen: list[Any] = []

    class Seen(trl.SFTTrainer):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            seen.append(self.train_dataset)

    monkeypatch.setattr(trl, "SFTTrainer", Seen)
    run = train()
    loaded = load(str(run.path / "start"))
    for data, row in zip(seen[0], rows_of(run, exported), strict=True):
        expected = [
            token if own else -100
            for token, own in zip(row.input_ids, row.assistant_mask, strict=True)
        ]
        assert (data["input_ids"], data["labels"]) == (row.input_ids, expected)
    trained = loaded.tokenizer.decode([t for t in seen[0][0]["labels"] if t != -100])
    assert "Mailed Ada." in trained
    assert '{"id"' not in trained  # a tool said this
    assert "Mail Ada (" not in trained  # the user said this


def test_an_adapter_alone_is_trained_and_belongs_on_its_model(train: Train) -> None:
    run = train(lora={"rank": 2}, learning_rate=1e-2)
    assert (run.model / "adapter_model.safetensors").is_file()
    assert not (run.model / "model.safetensors").exists()
    found = origin(str(run.path))
    assert (found.model, found.adapter) == (str(run.path / "start"), run.model)
    again = train("again", model=str(run.path), lora={"rank": 2}, learning_rate=1e-2)
    assert curve(again)[0] < curve(run)[0]


def test_a_checkpoint_of_an_adapter_belongs_on_the_same_model(train: Train) -> None:
    run = train(lora={"rank": 2}, learning_rate=1e-2)
    last = run.checkpoint(run.steps()[-1])
    found = origin(str(last))
    assert (found.model, found.adapter) == (str(run.path / "start"), last)
    again = train("again", model=str(last), lora={"rank": 2}, learning_rate=1e-2)
    assert curve(again)[0] < curve(run)[0]


def test_without_lora_an_adapter_is_merged_and_everything_is_trained(train: Train) -> None:
    first = train(lora={"rank": 2}, learning_rate=1e-2, steps=2)
    run = train("merged", model=str(first.path))
    assert (run.model / "model.safetensors").is_file()
    assert curve(run)[0] < curve(first)[0]


def test_a_model_goes_on_where_a_training_left_it(train: Train) -> None:
    first = train(steps=3, learning_rate=1e-2)
    second = train("second", model=str(first.path))
    assert curve(second)[0] < curve(first)[-1]


def test_a_training_that_has_not_ended_gives_no_model(train: Train) -> None:
    run = train()
    run.model.rename(run.path / "gone")
    with pytest.raises(UsageError, match="has no model yet"):
        train("second", model=str(run.path))


def test_divergence_ends_clearly_and_leaves_no_model(train: Train) -> None:
    run = train(learning_rate=1e30, steps=4)
    ended = run.ended()
    assert ended is not None
    assert ended["outcome"] == "diverged"
    assert "lower learning_rate" in ended["message"]
    assert not run.model.exists()


def test_training_stops_below_the_loss_that_was_asked_for(train: Train) -> None:
    run = train(stop_loss=100.0, steps=20)
    assert len(curve(run)) == 5
    assert run.finished


def test_the_best_checkpoint_has_the_lowest_evaluation_loss(train: Train) -> None:
    run = train(evaluation=0.2, evaluate_every=1, checkpoint_every=1, steps=4, batch=4, keep=1,
                learning_rate=0.3)  # fmt: skip
    losses = curve(run, "eval_loss", "evaluation")
    best = run.best()
    assert best is not None
    assert (best.value, best.step) == (min(losses), losses.index(min(losses)) + 1)
    assert run.steps() == sorted({best.step, 4})


def test_long_rows_are_left_out_and_counted(train: Train, exported: Path) -> None:
    lengths = sorted(len(row.input_ids) for row in rows_of(train(), exported))
    limit = lengths[len(lengths) // 2] - 1
    run = train("short", max_length=limit)
    fitting = sum(length <= limit for length in lengths)
    assert curve(run, "rows", "data") == [fitting]
    assert curve(run, "dropped_rows", "data") == [len(lengths) - fitting]


def test_nothing_that_fits_is_an_error_before_training(train: Train) -> None:
    with pytest.raises(UsageError, match=r"16 .*shortest has \d{3} .*tiny.vocabulary"):
        train(max_length=10)


def test_a_mask_without_a_token_is_an_error_with_its_place(
    train: Train, exported: Path, tmp_path: Path
) -> None:
    row = json.loads(exported.read_text().splitlines()[0])
    row["messages"] = [m for m in row["messages"] if m["role"] in ("system", "user")]
    file = tmp_path / "sft.jsonl"
    file.write_text(json.dumps(row) + "\n")
    with pytest.raises(UsageError, match=r"sft.jsonl:1: .*no token to learn from"):
        train(data=[str(file)])


def test_curves_are_in_tensorboard_too(train: Train) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    run = train(tensorboard=True, steps=2)
    events = EventAccumulator(str(run.path / "tensorboard"))
    events.Reload()
    points = [(each.step, each.value) for each in events.Scalars("train/loss")]
    assert points == [(n, pytest.approx(v)) for n, v in enumerate(curve(run), 1)]


def test_speed_is_told_apart_from_what_a_seed_repeats(train: Train) -> None:
    run = train()
    assert curve(run, "tokens_per_second", "speed")[0] > 0
    figures = {name for line in run.run.metrics() if line["kind"] == "train" for name in line}
    assert not {name for name in figures if "second" in name or "runtime" in name}


def test_memory_that_runs_out_says_what_to_do(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    def full(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")

    monkeypatch.setattr(sft, "tokenized", full)
    with pytest.raises(torch.OutOfMemoryError):
        train()
    ended = TrainingRun.open(tmp_path / "run").ended()
    assert ended is not None
    assert ended["outcome"] == "out-of-memory"
    assert "--set micro_batch=4" in ended["message"]


def test_a_tasks_rows_are_on_one_side_of_the_split(exported: Path) -> None:
    examples = read([exported, exported])
    train_rows, held = split(examples, 0.25, seed=1)
    assert len(held) == 8
    assert not {each.task for each in train_rows} & {each.task for each in held}
    assert split(examples[::-1], 0.25, seed=1)[1] == held[::-1]


def test_a_folder_is_answered_with_the_export_command(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="compoworld export sft"):
        read([tmp_path])


def test_a_row_of_another_schema_is_named_by_its_place(tmp_path: Path) -> None:
    file = tmp_path / "sft.jsonl"
    file.write_text('{"schema": "compoworld/task@1"}\n')
    with pytest.raises(RecordError, match=r"sft.jsonl:1: schema 'compoworld/task@1'"):
        read([file])


def test_the_registered_trainer_does_what_the_command_does(
    exported: Path, tmp_path: Path
) -> None:
    from compoworld_core import plugins

    trainer = plugins.make(plugins.trainers(), "sft")
    made = trainer.train(
        {
            "out": str(tmp_path / "run"), "presets": ["tiny-cpu"], "data": [str(exported)],
            "tiny": TINY, "steps": 1, "tensorboard": False, "launch": {"launcher": "none"},
        }
    )  # fmt: skip
    assert made == TrainingRun.open(tmp_path / "run").model
    assert load(str(made)).model.config.hidden_size == TINY["hidden"]


@pytest.mark.parametrize("schedule", ["constant", "linear", "cosine"])
def test_the_rate_rises_before_it_is_at_its_highest(train: Train, schedule: str) -> None:
    run = train(schedule=schedule, warmup=0.5, steps=4, learning_rate=1e-3)
    rates = curve(run, "learning_rate")
    assert rates[0] < rates[1] < 1e-3 + 1e-9
    assert max(rates) == pytest.approx(1e-3)


def test_a_training_that_begins_anew_says_its_data_once(train: Train) -> None:
    run = train(steps=2, checkpoint_every=2)
    checkpoint = run.checkpoint(2)
    for file in checkpoint.glob("complete.json"):
        file.unlink()  # as a kill leaves it
    worker.work(run)
    assert len(curve(run, "rows", "data")) == 1
    assert len(curve(run)) == 2


def test_a_finished_run_that_lost_its_model_is_not_finished(train: Train) -> None:
    run = train()
    assert run.finished
    run.model.rename(run.path / "gone")
    assert not run.finished


def test_rows_for_evaluation_may_all_be_too_long(
    train: Train, exported: Path, tmp_path: Path
) -> None:
    rows = [json.loads(line) for line in exported.read_text().splitlines()]
    _, held = split(read([exported]), 0.05, 0)
    for row in rows:
        if row["task"] == held[0].task:
            row["messages"][1]["content"] *= 400
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = train(data=[str(path)], evaluation=0.05, max_length=2000)
    (found,) = (line for line in run.run.metrics() if line["kind"] == "data")
    assert (found["evaluation_rows"], found["dropped_rows"]) == (0, 1)


def test_another_adapter_belongs_on_the_model_that_a_run_made(train: Train) -> None:
    run = train()
    found = origin(str(run.path), "elsewhere")
    assert (found.model, found.adapter) == (str(run.model), Path("elsewhere"))


def test_a_module_that_the_model_lacks_is_refused(train: Train) -> None:
    with pytest.raises(UsageError, match="no module 'q_prj'; closest: q_proj"):
        train(lora={"rank": 2, "targets": "v_proj,q_prj"})
