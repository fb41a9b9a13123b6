"""Layout: how a batch is spread over processes, and the refusal of those that do not fit."""

from __future__ import annotations

from attrs import frozen

from compoworld_core.errors import UsageError
from compoworld_trainer_grpo.settings import GrpoSettings, SftSettings


@frozen
class SftLayout:
    """One optimiser step of SFT: `micro_batch x processes x accumulation` rows."""

    batch: int
    processes: int
    micro_batch: int
    accumulation: int
    """Forward passes of a process before an optimiser step."""

    @classmethod
    def of(cls, settings: SftSettings) -> SftLayout:
        """Spread the batch; UsageError, with what would fit, where it does not divide."""
        processes, micro, batch = (
            settings.launch.processes,
            settings.micro_batch,
            settings.batch,
        )
        if batch % processes:
            fit = _divisors(batch)
            raise UsageError(
                f"a batch of {batch} rows cannot be spread over {processes} processes;"
                f" processes that fit: {_listed(fit)}"
            )
        share = batch // processes
        micro = min(micro, share)
        if share % micro:
            raise UsageError(
                f"a process has {share} of the {batch} rows of a batch, which is no multiple of"
                f" micro_batch {micro}; micro_batch that fits: {_listed(_divisors(share))}"
            )
        return cls(batch, processes, micro, share // micro)


@frozen
class GrpoLayout:
    """One generation batch of GRPO: whole groups on each process, used in equal parts."""

    rows: int
    """Rollouts of a generation batch, over all processes."""
    rollouts: int
    """N, the size of a group."""
    processes: int
    groups: int
    """Groups of each process; none is split."""
    micro_batch: int
    per_generation: int
    """Micro-batches of a process in a generation batch: TRL's steps_per_generation."""
    accumulation: int
    """Micro-batches of a process in an optimiser step."""
    updates: int
    """Optimiser steps that one generation batch gives, all iterations together."""

    @classmethod
    def of(cls, settings: GrpoSettings) -> GrpoLayout:
        """Spread the groups; UsageError, with what would fit, where one would be split."""
        n, tasks = settings.rollouts, settings.tasks_per_step
        processes = settings.launch.processes
        rows = n * tasks
        if tasks % processes:
            near = [processes * k for k in (tasks // processes, tasks // processes + 1) if k]
            raise UsageError(
                f"{tasks} groups of {n} rollouts cannot be spread whole over {processes}"
                f" processes; tasks_per_step that fits: {_listed(near)}; processes that fit:"
                f" {_listed(_divisors(tasks))}"
            )
        share = rows // processes
        if share % settings.updates:
            raise UsageError(
                f"the {share} rollouts of a process cannot be used in {settings.updates} equal"
                f" updates; updates that fit: {_listed(_divisors(share))}"
            )
        part = share // settings.updates
        micro = min(settings.micro_batch, part)
        if part % micro:
            raise UsageError(
                f"a process has {part} rollouts in an update, which is no multiple of"
                f" micro_batch {micro}; micro_batch that fits: {_listed(_divisors(part))}"
            )
        return cls(
            rows=rows,
            rollouts=n,
            processes=processes,
            groups=tasks // processes,
            micro_batch=micro,
            per_generation=share // micro,
            accumulation=part // micro,
            updates=settings.updates * settings.iterations,
        )


def _divisors(number: int) -> list[int]:
    return [each for each in range(1, number + 1) if number % each == 0]


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
