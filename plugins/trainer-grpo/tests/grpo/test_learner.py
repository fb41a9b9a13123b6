"""The learner: TRL's trainer around our groups, on a bandit whose best arm is known."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from compoworld_trainer_grpo.grpo import group_trainer, grpo_config, scoring_of
from compoworld_trainer_grpo.layout import GrpoLayout
from compoworld_trainer_grpo.pool import task_order
from compoworld_trainer_grpo.rollouts import Rollouts
from compoworld_trainer_grpo.runs import TrainingRun
from compoworld_trainer_grpo.settings import GrpoSettings
from doubles import Bandit, bandit_tasks

from compoworld_core.errors import UsageError
from compoworld_core.records import Task

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.*:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing.*:FutureWarning"),
]


@pytest.fixture
def bandit(tmp_path: Path, loaded: Any, tasks: list[Task], tasks_run: Any) -> Any:
    """Makes a trainer with fresh weights, its run open for writing."""
    stacks = []

    def make(name: str = "run", order: list[str] | None = None, **values: Any) -> Any:
        chosen = {
            "model": "tiny", "tasks": (str(tasks_run.path),), "tensorboard": False, "steps": 1,
            "rollouts": 8, "tasks_per_step": 4, "micro_batch": 8, "updates": 1,
            "learning_rate": 0.01, "device": "cpu", "launch": {"launcher": "none"}, **values,
        }  # fmt: skip
        settings = GrpoSettings.model_validate(chosen)
        run = TrainingRun.start(tmp_path / name, settings)
        pool = bandit_tasks(tasks, 6)
        names = order or task_order(list(pool), settings)
        own = evolve(loaded, model=deepcopy(loaded.model))
        sampler: Any = Bandit(own)
        rollouts = Rollouts(
            run, pool, sampler, scoring_of(settings), n=settings.rollouts, seed=settings.seed,
            lam=0.01,
        )  # fmt: skip
        layout = GrpoLayout.of(settings)
        steps = len(names) // settings.tasks_per_step
        arguments = grpo_config(settings, run, layout, steps)
        writing = run.run.writing()
        writing.__enter__()
        stacks.append(writing)
        return group_trainer(settings, own, arguments, names, rollouts, [])

    yield make
    for writing in reversed(stacks):
        writing.__exit__(None, None, None)


def curve(trainer: Any, name: str) -> list[float]:
    return [line[name] for line in trainer.state.log_history if name in line]


def weights(trainer: Any) -> Any:
    import torch

    parameters = trainer.accelerator.unwrap_model(trainer.model).parameters()
    return torch.cat([each.detach().flatten() for each in parameters]).numpy()


def test_the_best_arm_is_learnt(bandit: Any) -> None:
    trainer = bandit(steps=25)
    trainer.train()
    success = curve(trainer, "success")
    assert success[0] < 0.5
    assert np.mean(success[-3:]) > 0.95


@pytest.mark.parametrize("reward", ["uniform", "binary"])
def test_other_rewards_learn_it_too(bandit: Any, reward: str) -> None:
    trainer = bandit(steps=25, reward=reward)
    trainer.train()
    assert np.mean(curve(trainer, "success")[-3:]) > 0.9


def test_the_log_says_the_reward_not_the_advantage(bandit: Any) -> None:
    trainer = bandit()
    trainer.train()
    [reward] = curve(trainer, "reward")
    [success] = curve(trainer, "success")
    assert 0 < success < reward < 1
    assert not [name for line in trainer.state.log_history for name in line if "ours" in name]


def test_a_batch_without_signal_moves_nothing(bandit: Any) -> None:
    """Nor does the momentum of the batch before it; the next one moves as ever."""
    from transformers import TrainerCallback

    trainer = bandit(steps=3)
    told, asked, seen = trainer.reward_funcs[0], [], []

    class Seen(TrainerCallback):
        def on_step_end(self, *_: Any, **__: Any) -> None:
            seen.append(weights(trainer))

    def silent_once(*given: Any, **named: Any) -> list[float]:
        asked.append(told(*given, **named))
        return asked[-1] if len(asked) != 2 else [0.0] * len(asked[-1])

    trainer.reward_funcs[0] = silent_once
    trainer.add_callback(Seen())
    trainer.train()
    assert np.array_equal(seen[1], seen[0])
    assert not np.array_equal(seen[2], seen[1])


def test_f_grpo_changes_gradients(bandit: Any) -> None:
    norms = []
    for scale in ("none", "f-grpo"):
        trainer = bandit(scale, scale=scale)
        trainer.train()
        norms += curve(trainer, "grad_norm")
        assert (curve(trainer, "advantage_scale")[0] < 1) == (scale == "f-grpo")
    assert norms[1] < 0.95 * norms[0]


def test_the_clip_acts_from_the_second_update_on(bandit: Any) -> None:
    trainer = bandit(updates=4, learning_rate=0.05)
    trainer.train()
    clipped = curve(trainer, "clip_ratio/region_mean")
    assert clipped[0] == 0
    assert max(clipped[1:]) > 0.02


def test_the_clip_acts_where_a_batch_is_used_again(bandit: Any) -> None:
    trainer = bandit(iterations=3, learning_rate=0.05)
    trainer.train()
    clipped = curve(trainer, "clip_ratio/region_mean")
    assert len(clipped) == 3
    assert clipped[0] == 0
    assert max(clipped) > 0.02


def test_used_once_the_ratio_is_one(bandit: Any) -> None:
    trainer = bandit(steps=2, learning_rate=0.05)
    trainer.train()
    assert curve(trainer, "clip_ratio/region_mean") == [0, 0]


@pytest.mark.parametrize("kind", ["grpo", "dapo"])
def test_the_loss_is_the_papers(bandit: Any, kind: str) -> None:
    """mean over rollouts of the mean over own tokens of min(r A, clip(r, 0.8, 1.28) A)."""
    import torch

    trainer = bandit(loss=kind)
    trainer.current_gradient_accumulation_steps = 1  # which `train` would set
    model = trainer.model
    model.train()
    torch.manual_seed(0)
    rows, prompt, length = 24, 3, 5
    mask = torch.tensor([[1] * n + [0] * (length - n) for n in (5, 4, 3, 5, 2, 1) * 4])
    own = torch.tensor([[1, 1, 0, 1, 1]] * rows)  # the third token is a tool's
    ids = torch.randint(9, 200, (rows, prompt + length))
    with torch.no_grad():
        logits = model(input_ids=ids).logits[:, prompt - 1 : -1].log_softmax(-1)
    logs = logits.gather(-1, ids[:, prompt:, None]).squeeze(-1)
    old = logs + 0.5 * torch.randn(rows, length)
    advantages = torch.randn(rows)
    both = (mask * own).numpy()
    loss = trainer._compute_loss(
        model,
        {
            "prompt_ids": ids[:, :prompt], "prompt_mask": torch.ones(rows, prompt).long(),
            "completion_ids": ids[:, prompt:], "completion_mask": mask, "tool_mask": own,
            "advantages": advantages, "old_per_token_logps": old,
            "num_items_in_batch": torch.tensor(both.sum()),
        },
    )  # fmt: skip
    ratio = np.exp((logs - old).numpy())
    gain = advantages.numpy()[:, None]
    each = np.minimum(ratio * gain, np.clip(ratio, 1 - 0.20, 1 + 0.28) * gain)
    clipped = ((ratio < 0.8) & (gain < 0)) | ((ratio > 1.28) & (gain > 0))
    assert (clipped * both).sum() > 10  # the bounds decide something here
    expected = -((each * both).sum(1) / both.sum(1)).mean()
    if kind == "dapo":  # the mean over all tokens; a generation batch is several micro-batches
        expected = -(each * both).sum() / both.sum() * trainer.args.steps_per_generation
    assert loss.item() == pytest.approx(expected, rel=1e-4)
    share = trainer._metrics["train"]["clip_ratio/region_mean"][0]
    assert share == pytest.approx((clipped * both).sum() / both.sum(), abs=1e-6)


def test_order_and_grouping_do_not_matter(bandit: Any) -> None:
    """The tasks in another order, and other micro-batches: the same step."""
    names = [f"task-{n}" for n in range(4)]
    made = [
        bandit("a", names),
        bandit("b", names[::-1]),
        bandit("c", names, micro_batch=2),
    ]
    for trainer in made:
        trainer.train()
    first = curve(made[0], "grad_norm")[0]
    for other in made[1:]:
        assert curve(other, "grad_norm")[0] == pytest.approx(first, rel=1e-4)
        assert curve(other, "success") == curve(made[0], "success")
        np.testing.assert_allclose(weights(other), weights(made[0]), atol=3e-4)


def test_a_resumed_training_draws_the_same_curve(bandit: Any) -> None:
    whole = bandit("whole", steps=4, updates=2, checkpoint_every=2)
    whole.train()
    checkpoint = Path(whole.args.output_dir) / "checkpoint-4"
    again = bandit("again", steps=4, updates=2, checkpoint_every=2)
    again.train(resume_from_checkpoint=str(checkpoint))
    for name in ("success", "reward", "grad_norm", "clip_ratio/region_mean"):
        assert curve(again, name) == pytest.approx(curve(whole, name), rel=1e-5), name
    np.testing.assert_allclose(weights(again), weights(whole), atol=1e-6)


def test_no_batch_holds_a_task_twice_and_each_pass_is_shuffled() -> None:
    settings = GrpoSettings(model="tiny", tasks=("x",), tasks_per_step=2, epochs=3)
    names = [f"task-{n}" for n in range(5)]
    order = task_order(names, settings)
    assert len(order) == 12  # two batches of two a pass, three passes
    passes = [order[i : i + 4] for i in (0, 4, 8)]
    assert all(len(set(each)) == 4 for each in passes)
    assert passes[0] != passes[1]
    assert order == task_order(names[::-1], settings)


def test_a_batch_of_more_tasks_than_there_are_is_refused() -> None:
    settings = GrpoSettings(model="tiny", tasks=("x",), tasks_per_step=4)
    with pytest.raises(UsageError, match="at most 3"):
        task_order(["a", "b", "c"], settings)


def test_options_that_the_reward_does_not_take_are_refused() -> None:
    settings = GrpoSettings(model="tiny", tasks=("x",), reward_options={"lambda": 1})
    with pytest.raises(UsageError, match="does not take these options"):
        scoring_of(settings)


def test_a_short_episode_is_not_computed_as_long_as_the_longest(bandit: Any) -> None:
    """Parts of a batch are as wide as they need be, with the same figures."""
    import torch

    trainer = bandit()
    ids = torch.randint(0, 400, (4, 12), generator=torch.Generator().manual_seed(1))
    lengths = (9, 6, 12, 7)
    mask = torch.tensor([[1] * n + [0] * (12 - n) for n in lengths])
    widths: list[int] = []
    inner = trainer.model.base_model
    inner.register_forward_pre_hook(
        lambda _module, _given, named: widths.append(named["input_ids"].shape[1]),
        with_kwargs=True,
    )
    ask = trainer._get_per_token_logps_and_entropies
    with torch.no_grad():
        whole = ask(trainer.model, ids, mask, 8, compute_entropy=True)
        parts = ask(trainer.model, ids, mask, 8, batch_size=2, compute_entropy=True)
    assert widths == [12, 9, 12]
    for one, other in zip(whole[:2], parts[:2], strict=True):
        assert one.shape == other.shape == (4, 8)
        assert torch.allclose(one, other, atol=1e-5)
    assert whole[2] is None
    assert parts[2] is None


def test_tokens_of_the_world_are_not_scored(bandit: Any) -> None:
    import torch

    trainer = bandit()
    asked: list[int] = []
    trainer.model.get_output_embeddings().register_forward_hook(
        lambda _module, given, _result: asked.append(given[0][..., 0].numel())
    )
    ids = torch.randint(0, 400, (2, 10), generator=torch.Generator().manual_seed(1))
    own = torch.tensor([[1, 1, 0, 0, 1, 1], [1, 0, 0, 1, 1, 1]])
    inputs = {
        "prompt_ids": ids[:, :4], "prompt_mask": torch.ones(2, 4, dtype=torch.long),
        "completion_ids": ids[:, 4:], "completion_mask": torch.ones(2, 6, dtype=torch.long),
        "tool_mask": own, "advantages": torch.tensor([1.0, -1.0]),
        "old_per_token_logps": torch.where(own.bool(), -5.0, -200.0),
        "num_items_in_batch": torch.tensor(8),
    }  # fmt: skip
    trainer.current_gradient_accumulation_steps = 1  # as in a training step
    loss = trainer._compute_loss(trainer.model, inputs)
    assert asked == [8]
    assert torch.isfinite(loss)


def test_rollouts_without_an_advantage_are_not_computed(bandit: Any) -> None:
    """The loss and its gradient are those of all rows."""
    import torch

    trainer = bandit(micro_batch=4)
    trainer.current_gradient_accumulation_steps = 1  # as in a training step
    ids = torch.randint(0, 400, (4, 10), generator=torch.Generator().manual_seed(1))
    inputs = {
        "prompt_ids": ids[:, :4], "prompt_mask": torch.ones(4, 4, dtype=torch.long),
        "completion_ids": ids[:, 4:], "completion_mask": torch.ones(4, 6, dtype=torch.long),
        "advantages": torch.tensor([1.0, 0.0, -2.0, 0.0]),
        "num_items_in_batch": torch.tensor(24),
    }  # fmt: skip
    widths: list[int] = []
    trainer.model.base_model.register_forward_pre_hook(
        lambda _module, _given, named: widths.append(len(named["input_ids"])),
        with_kwargs=True,
    )

    def step(found: dict[str, Any]) -> tuple[float, Any]:
        trainer.model.zero_grad()
        loss = trainer._compute_loss(trainer.model, found)
        loss.backward()
        return loss.item(), trainer.model.get_input_embeddings().weight.grad.clone()

    few, gradient = step(inputs)
    nudged = inputs["advantages"] + torch.tensor([0.0, 1e-30, 0.0, 1e-30])
    all_rows, whole = step({**inputs, "advantages": nudged})
    assert widths == [2, 4]
    assert few == pytest.approx(all_rows, abs=1e-6)
    assert torch.allclose(gradient, whole, atol=1e-6)
    flat, none = step({**inputs, "advantages": torch.zeros(4)})
    assert widths[-1] == 1
    assert flat == 0
    assert not none.any()
