"""Recorder: the curves of a transformers Trainer, its checkpoints, its end on disaster."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import fmean
from time import perf_counter
from typing import Any, Final

from transformers import (  # noqa: TID253  # only training imports this module
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

from compoworld_trainer_grpo.runs import Outcome, TrainingEnded, TrainingRun

CLOCK: Final = ("runtime", "per_second", "step_time", "_flos", "seconds")
"""Endings of figures that the clock decides: never among those that a seed repeats."""

STOP_OVER: Final = 5
"""Steps whose mean loss counts for `stop_loss`: one step alone is noise."""


class Recorder(TrainerCallback):
    """Sees a training on every rank; rank 0 writes, all ranks end together.

    Args:
        run: where to write; open for writing on rank 0.
        best: the logged figure that chooses the best checkpoint: `eval_loss`, `success`, …
            Its mean between two checkpoints counts.
        larger: whether more of it is better.
        sampled: whether it is of rollouts, which are older than the update of their step: what
            is seen after a checkpoint then judges it, and not what is seen before, so that an
            update that ruins a model is never part of the best one.
        stop_loss: end where the mean loss of five steps is below this; 0 never does.
        collapse_after: logged steps with success 0, after one above 0, that end a training;
            0 never does.
    """

    def __init__(
        self,
        run: TrainingRun,
        *,
        best: str,
        larger: bool,
        sampled: bool = False,
        stop_loss: float = 0.0,
        collapse_after: int = 0,
    ) -> None:
        self._run, self._best, self._larger, self._sampled = run, best, larger, sampled
        self._stop_loss, self._collapse_after = stop_loss, collapse_after
        self._since: list[float] = []
        self._last = 0
        self._began = 0.0
        self._tokens = 0.0

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Take the counters up where a checkpoint left them."""
        self._tokens = next(
            (e["num_tokens"] for e in reversed(state.log_history) if "num_tokens" in e), 0.0
        )
        self._last = state.global_step
        self._began = perf_counter()

    def on_step_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Start the step's clock: evaluation and saving are not part of a step."""
        self._began = perf_counter()

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Write the figures of a step; raise TrainingEnded, on every rank, on disaster."""
        figures = {k: float(v) for k, v in (logs or {}).items() if isinstance(v, int | float)}
        if self._best in figures:
            self._since.append(figures[self._best])
        if state.is_world_process_zero:
            self._write(state.global_step, figures)
        outcome, why = _agreed(self._disaster(state, figures))
        if outcome:
            if self._sampled and state.is_world_process_zero:
                self._judge(self._last)
            raise TrainingEnded(outcome, f"step {state.global_step}: {why}")
        if self._stop_loss and "loss" in figures:
            losses = [e["loss"] for e in state.log_history if "loss" in e][-STOP_OVER:]
            if len(losses) == STOP_OVER and fmean(losses) < self._stop_loss:
                control.should_training_stop = True

    def _write(self, step: int, figures: Mapping[str, float]) -> None:
        kind = "evaluation" if any(n.startswith("eval_") for n in figures) else "train"
        curve = {n: v for n, v in figures.items() if not n.endswith(CLOCK)}
        clock = {n: v for n, v in figures.items() if n.endswith(CLOCK)}
        if "loss" in figures:
            seconds = perf_counter() - self._began
            clock["seconds"] = seconds
            tokens = figures.get("num_tokens", self._tokens) - self._tokens
            if tokens > 0:
                clock["tokens_per_second"] = tokens / seconds
                self._tokens = figures["num_tokens"]
        if curve and set(curve) - {"epoch", "train_loss"}:
            self._run.record(kind, step, curve)
        if clock:
            self._run.record("speed", step, clock)

    def _disaster(
        self, state: TrainerState, figures: Mapping[str, float]
    ) -> tuple[Outcome | None, str]:
        for name in ("loss", "grad_norm"):
            if not math.isfinite(figures.get(name, 0.0)):
                return "diverged", (
                    f"{name} is {figures[name]}; lower learning_rate, or gradient_norm"
                )
        if self._collapse_after and "success" in figures:
            curve = [e["success"] for e in state.log_history if "success" in e]
            last = curve[-self._collapse_after :]
            if len(last) == self._collapse_after and not any(last) and any(curve):
                return "collapsed", (
                    f"success was {max(curve):.3f} at best and has been 0 for"
                    f" {self._collapse_after} steps; lower learning_rate, or start from a model"
                    " that is better before"
                )
        return None, ""

    def on_save(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Mark a checkpoint as whole, once every rank has written its part."""
        _barrier()
        if not state.is_world_process_zero:
            return
        step = state.global_step
        self._judge(self._last if self._sampled else step)
        self._last = step
        self._run.complete(step)

    def _judge(self, step: int) -> None:
        if self._since and step:
            self._run.choose_best(step, self._best, fmean(self._since), larger=self._larger)
        self._since.clear()


def _distributed() -> bool:
    import torch

    return bool(torch.distributed.is_available() and torch.distributed.is_initialized())


def _barrier() -> None:
    import torch

    if _distributed():
        torch.distributed.barrier()


def _agreed(decision: tuple[Outcome | None, str]) -> tuple[Outcome | None, str]:
    """Rank 0's decision: ranks that ended one by one would leave the others waiting."""
    import torch

    if not _distributed():
        return decision
    shared = [decision]
    torch.distributed.broadcast_object_list(shared, src=0)
    return shared[0]
