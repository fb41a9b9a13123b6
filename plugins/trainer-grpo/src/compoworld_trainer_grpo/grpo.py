"""GRPO: TRL's GRPOTrainer on groups of episodes that are played and scored here.

What TRL does: the loss with its clip, old log-probabilities, batches, optimiser, checkpoints.
What it cannot do right: its rewards see one process' rows, its deviation is the sample's, its
tool loop makes as many generation calls as the longest episode of each process (under ZeRO-3
they must be equally many), and all rows share one random stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from math import fsum
from typing import TYPE_CHECKING, Any, Final

from compoworld_core.errors import UsageError
from compoworld_core.records import Verdict
from compoworld_core.rollout import group_rewards, load_reward
from compoworld_trainer_grpo.advantages import Scoring
from compoworld_trainer_grpo.arguments import quieten, resume, training_arguments
from compoworld_trainer_grpo.layout import GrpoLayout
from compoworld_trainer_grpo.models.head import labelled_head, unused
from compoworld_trainer_grpo.pool import Pool, task_order
from compoworld_trainer_grpo.rollouts import OURS, Rollouts
from compoworld_trainer_grpo.runs import TrainingRun
from compoworld_trainer_grpo.sampling import Sampler, Sampling, end_tokens
from compoworld_trainer_grpo.settings import GrpoSettings
from compoworld_trainer_grpo.start import lora_config, start

if TYPE_CHECKING:
    from torch import Tensor

    from compoworld_trainer_grpo.models.loading import Loaded

_FOCUSED: Final = "completion-focused"
_LAMBDA: Final = 0.01


def train(settings: GrpoSettings, run: TrainingRun) -> None:
    """Train on this rank and leave the model in the run; called on every rank.

    Raises UsageError before the first step where tasks, layout or reward do not fit.
    """
    from transformers import set_seed

    from compoworld_trainer_grpo.callbacks import Recorder

    pool = Pool.open(settings)
    layout = GrpoLayout.of(settings)
    order = task_order(list(pool.tasks), settings)
    scoring = scoring_of(settings)
    check_sampler(settings)
    arguments = grpo_config(settings, run, layout, len(order) // settings.tasks_per_step)
    set_seed(settings.seed)  # an adapter's first weights are drawn before the trainer seeds
    loaded = start(settings, run, pool.texts)
    sampler = Sampler(loaded, sampling_of(settings), pool.start, policy=settings.model)
    rollouts = Rollouts(
        run,
        pool.tasks,
        sampler,
        scoring,
        n=settings.rollouts,
        seed=settings.seed,
        resample=settings.resample,
        lam=_lambda(settings),
        gather=settings.launch.offload != "all",  # offloaded, it does not fit a device
    )
    recorder = Recorder(
        run, best="success", larger=True, sampled=True, collapse_after=settings.collapse_after
    )
    trainer = group_trainer(settings, loaded, arguments, order, rollouts, [recorder])
    quieten(trainer)
    if settings.sampler != "model":
        from compoworld_trainer_grpo.serving import VllmEngine

        sampler.engine = VllmEngine(
            trainer.vllm_generation, settings.sampler == "vllm-server", end_tokens(loaded)
        )
    checkpoint = resume(run)
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    if trainer.is_world_process_zero():
        run.record("summary", trainer.state.global_step, summary(run.run.metrics()))
    trainer.save_model(str(run.model))
    # left to the interpreter's end, taking the processes apart takes minutes now and then
    trainer.accelerator.end_training()


def group_trainer(
    settings: GrpoSettings,
    loaded: Loaded,
    arguments: Any,
    order: Sequence[str],
    rollouts: Rollouts,
    callbacks: Sequence[Any],
) -> Any:
    """TRL's trainer around the rollouts."""
    from datasets import Dataset
    from trl.trainer.grpo_trainer import GRPOTrainer

    class GroupTrainer(GRPOTrainer):
        """TRL's, whose logs say our rewards: its own are normalised already, so always 0."""

        _told = False
        """Whether a rollout of the update so far has an advantage."""

        def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
            figures = self._metrics["train"]
            for name in ("frac_reward_zero_std", *(n for n in figures if "advantage/" in n)):
                figures.pop(name, None)
            for name in [name for name in figures if name.startswith(OURS)]:
                figures[name.removeprefix(OURS)] = figures.pop(name)
            super().log(logs, start_time)

        def _compute_loss(self, model: Any, inputs: dict[str, Any]) -> Any:
            """TRL's, without scoring tokens that the world wrote, nor rollouts of groups
            without signal: they carry no loss."""
            share = 1.0
            # on several processes, each must make as many passes as the others
            if settings.loss == "grpo" and self.accelerator.num_processes == 1:
                inputs, share = telling(inputs)
            own, old = inputs.get("tool_mask"), inputs.get("old_per_token_logps")
            if own is not None and old is not None:  # unscored, the ratio is to be 1
                inputs = {**inputs, "old_per_token_logps": old * own}
            self._rest(bool(inputs["advantages"].any()))
            with head.only(own):
                return super()._compute_loss(model, inputs) * share  # type: ignore[no-untyped-call]  # TRL's own

        def _rest(self, told: bool) -> None:
            """Take no step in an update to which no rollout has anything to tell.

            Adam goes on by its momentum where gradients are 0, nine steps' worth in all: a
            model that had just learnt something wrong went on to forget the rest (seen).
            """
            import torch

            self._told = self._told or told
            if self.optimizer is None or not self.accelerator.sync_gradients:
                return
            tell = torch.tensor([self._told], device=self.accelerator.device)
            if not self.accelerator.gather(tell).any():
                for group in self.optimizer.param_groups:
                    group["lr"] = 0.0  # the schedule sets the next step's
            self._told = False

        def _get_per_token_logps_and_entropies(
            self, model: Any, input_ids: Any, attention_mask: Any, logits_to_keep: int,
            batch_size: int | None = None, **named: Any,
        ) -> Any:  # fmt: skip
            """TRL's, a part of the rows at a time, each no wider than its longest row: TRL pads
            all rows of a generation batch to the longest episode of it."""
            parts, own = [], head.own
            size = batch_size or len(input_ids)
            for first in range(0, len(input_ids), size):
                rows = slice(first, first + size)
                spare = unused(attention_mask[rows])
                kept, width = logits_to_keep - spare, attention_mask.shape[1] - spare
                with head.only(None if own is None else own[rows, :kept]):
                    found = super()._get_per_token_logps_and_entropies(
                        model, input_ids[rows, :width], attention_mask[rows, :width], kept,
                        **named,
                    )  # fmt: skip
                parts.append([_widened(each, logits_to_keep) for each in found])
            return tuple(_joined(each) for each in zip(*parts, strict=True))

    trainer = GroupTrainer(
        model=loaded.model,
        reward_funcs=[rollouts.advantage],
        args=arguments,
        # a prompt is a task's id: what is said to the model, the sampler renders
        train_dataset=Dataset.from_dict({"prompt": list(order)}),
        processing_class=loaded.tokenizer,
        peft_config=lora_config(settings.lora, loaded),
        rollout_func=rollouts,
        callbacks=list(callbacks),
    )
    head = labelled_head(trainer.model, trainer.temperature)
    return trainer


def telling(inputs: dict[str, Any]) -> tuple[dict[str, Any], float]:
    """The rows of a micro-batch whose advantage is not 0, and the share of them.

    A mean over all rows is theirs times the share. Of rows that all have none, the first one
    stays: a step needs a loss, and that row's is 0.
    """
    advantages = inputs["advantages"]
    rows = advantages.nonzero().squeeze(-1)
    count, share = len(advantages), len(rows) / len(advantages)
    if len(rows) == count:
        return inputs, 1.0
    if not len(rows):
        rows = rows.new_zeros(1)
    return {
        name: value[rows] if getattr(value, "shape", ())[:1] == (count,) else value
        for name, value in inputs.items()
    }, share or 1.0


def _widened(found: Tensor | None, width: int) -> Tensor | None:
    """Figures of each token, with zeros where no token was asked about; others as they are."""
    if found is None or not found.dim():
        return found
    from torch.nn.functional import pad

    return pad(found, (0, width - found.shape[1]))


def _joined(parts: Sequence[Tensor | None]) -> Tensor | None:
    """Figures of all rows; one of a whole part as their mean."""
    import torch

    held = [each for each in parts if each is not None]
    if not held:
        return None
    return torch.cat(held) if held[0].dim() else torch.stack(held).mean()


def grpo_config(
    settings: GrpoSettings, run: TrainingRun, layout: GrpoLayout, steps: int
) -> Any:
    """TRL's configuration of a run.

    Args:
        settings: of the run.
        run: where checkpoints go.
        layout: how a generation batch is spread.
        steps: generation batches.
    """
    from trl.trainer.grpo_config import GRPOConfig

    # a checkpoint is judged by what is sampled after it, which the last one's never is
    every = min(settings.checkpoint_every, max(1, steps - steps // 2))
    return GRPOConfig(
        # a checkpoint between two generation batches: a resumed run samples the next one
        **training_arguments(settings, run, every=every * layout.updates),
        max_steps=steps * layout.updates,
        per_device_train_batch_size=layout.micro_batch,
        steps_per_generation=layout.per_generation,
        gradient_accumulation_steps=layout.accumulation,
        num_generations=layout.rollouts,
        num_iterations=settings.iterations,
        epsilon=settings.clip_low,
        epsilon_high=settings.clip_high,
        beta=0.0,
        loss_type=settings.loss,
        scale_rewards="none",  # advantages come normalised, by the population's deviation
        temperature=settings.temperature,
        top_p=settings.top_p,
        top_k=settings.top_k,
        max_completion_length=settings.episode_tokens,
        # with dropout, the policy that learns would not be the one that sampled
        disable_dropout=True,
        shuffle_dataset=False,  # `task_order` did, such that a resumed run goes on in it
        **vllm_arguments(settings),
    )


def vllm_arguments(settings: GrpoSettings) -> dict[str, Any]:
    """What TRL is told where vLLM samples."""
    if settings.sampler == "model":
        return {}
    found: dict[str, Any] = {
        "use_vllm": True,
        "vllm_mode": settings.sampler.removeprefix("vllm-"),
        # TRL's default leaves a whole episode out where one ratio of its many tokens is high
        "vllm_importance_sampling_mode": "token_truncate",
    }
    if settings.sampler == "vllm-server":
        if not settings.vllm_url:
            raise UsageError(
                "vllm-server needs the server's address: --set vllm_url=http://HOST:8000; start"
                " it with: trl vllm-serve --model MODEL"
            )
        found["vllm_server_base_url"] = settings.vllm_url
    else:
        found["vllm_gpu_memory_utilization"] = settings.vllm_memory
        found["vllm_max_model_length"] = settings.episode_tokens
    return found


def sampling_of(settings: GrpoSettings) -> Sampling:
    """How a run samples."""
    return Sampling(
        temperature=settings.temperature,
        top_p=settings.top_p,
        top_k=settings.top_k,
        turns=settings.turns,
        turn_tokens=settings.turn_tokens,
        episode_tokens=settings.episode_tokens,
        observation_tokens=settings.observation_tokens,
    )


def check_sampler(settings: GrpoSettings) -> None:
    """UsageError where who is to sample is not installed."""
    if settings.sampler != "model" and find_spec("vllm") is None:
        raise UsageError(
            f"sampler {settings.sampler} needs vllm, which is not installed here, nor by our"
            " extras, since each release of it wants its own torch: install the one that goes"
            " with yours (pip install vllm), or --set sampler=model"
        )


def scoring_of(settings: GrpoSettings) -> Scoring:
    """How a run scores groups; UsageError where the reward does not take its options."""
    reward = load_reward(settings.reward)
    probe = Verdict(criteria={"criterion": True}, gates={"gate": True})
    try:
        group_rewards(reward, [probe], settings.reward_options)
    except TypeError as error:
        raise UsageError(
            f"reward {settings.reward!r} does not take these options: {error}; see them with"
            " compoworld plugins list"
        ) from error
    return Scoring(
        reward, settings.reward_options, settings.scale, settings.gamma, settings.delta
    )


def _lambda(settings: GrpoSettings) -> float | None:
    if settings.reward != _FOCUSED:
        return None
    return float(settings.reward_options.get("lam", _LAMBDA))


def summary(lines: Iterable[Mapping[str, Any]]) -> Mapping[str, float]:
    """What a training has cost, in all its steps, those before a resume among them.

    The seconds are the clock's, without checkpoints; of several processes, their mean.

    Args:
        lines: of the run's metrics.
    """
    steps = [line for line in lines if line.get("kind") == "speed" and "seconds" in line]
    batches = [line for line in steps if "sampling_seconds" in line]
    seconds = fsum(line["seconds"] for line in steps)
    sampling = fsum(line["sampling_seconds"] for line in batches)
    services = fsum(line["environment_seconds"] for line in batches)
    written, read = (
        fsum(line[f"{name}_tokens_per_second"] * line["sampling_seconds"] for line in batches)
        for name in ("sampled", "read")
    )
    return {
        "seconds": seconds,
        "sampling_seconds": sampling,
        "environment_seconds": services,
        "environment_share": services / max(seconds, 1e-9),
        "model_tokens": written,
        "read_tokens": read,
        "tokens_per_second": (written + read) / max(seconds, 1e-9),
    }
