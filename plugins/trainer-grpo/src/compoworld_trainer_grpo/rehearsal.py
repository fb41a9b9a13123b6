"""Rehearsal: what `--dry-run` says, without loading anything."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import asdict

from compoworld_core.errors import CompoWorldError
from compoworld_trainer_grpo import launch, memory
from compoworld_trainer_grpo.layout import GrpoLayout, SftLayout
from compoworld_trainer_grpo.settings import GrpoSettings, SftSettings

_HERE = ("127.0.0.1", "localhost", "::1")


def plan(settings: SftSettings | GrpoSettings, out: Path) -> dict[str, Any]:
    """What a training would do: settings, layout, memory, files and commands.

    Raises UsageError where the layout is refused.
    """
    layout: SftLayout | GrpoLayout
    if isinstance(settings, SftSettings):
        layout = SftLayout.of(settings)
    else:
        layout = GrpoLayout.of(settings)
    found = memory.estimate(settings)
    said: dict[str, Any] = {
        "missing": missing(settings),
        "settings": settings.model_dump(mode="json"),
        "layout": asdict(layout),
        "memory_gib": None if found is None else found.figures(),
        "parameters": None if found is None else found.parameters,
        "trained": None if found is None else found.trained,
    }
    if settings.launch.launcher == "accelerate":
        said["deepspeed"] = launch.deepspeed_configuration(settings)
        said["commands"] = [
            shlex.join(launch.command(out.absolute(), rank))
            for rank in range(settings.launch.machines)
        ]
    return said


def missing(settings: SftSettings | GrpoSettings) -> str:
    """Why the training would be refused as things are; empty where it would not."""
    from compoworld_trainer_grpo.examples import read
    from compoworld_trainer_grpo.grpo import check_sampler, scoring_of
    from compoworld_trainer_grpo.models.loading import located
    from compoworld_trainer_grpo.pool import Pool, task_order

    try:
        located(settings.model)
        if isinstance(settings, SftSettings):
            read(map(Path, settings.data))
        else:
            task_order(list(Pool.open(settings).tasks), settings)
            scoring_of(settings)
            check_sampler(settings)
    except CompoWorldError as error:
        return str(error)
    return ""


def lines(said: dict[str, Any]) -> Iterator[str]:
    """A plan for people."""
    if said["missing"]:
        yield f"Not ready: {said['missing']}"
    yield "Settings"
    yield from _nested(said["settings"], 1)
    yield "Layout"
    layout = said["layout"]
    if "rollouts" in layout:
        yield (
            f"  {layout['rows']} rollouts a generation batch:"
            f" {layout['rows'] // layout['rollouts']} tasks x {layout['rollouts']};"
            f" {layout['groups']} whole groups on each of {layout['processes']} processes"
        )
        yield (
            f"  {layout['updates']} optimiser steps on it, each of {layout['accumulation']} x"
            f" {layout['micro_batch']} rollouts a process"
        )
        if layout["updates"] == 1:
            yield "  each rollout is used once: its ratio is 1, so the clip never acts"
    else:
        yield (
            f"  {layout['batch']} rows an optimiser step: {layout['processes']} processes x"
            f" {layout['accumulation']} x {layout['micro_batch']}"
        )
    yield "Memory on a device, estimated (GiB)"
    if said["memory_gib"] is None:
        yield "  not known before the model is here; its size may be given: --set size.…"
    else:
        trained, total = said["trained"], said["parameters"]
        yield f"  {trained:,.0f} of {total:,.0f} parameters are trained"
        for name, value in said["memory_gib"].items():
            yield f"  {name:<12} {value:10.3f}"
    settings = said["settings"]
    if settings.get("sampler") == "vllm-colocate":
        yield f"  and vLLM takes {settings['vllm_memory']:.0%} of the device for itself"
    launching = settings["launch"]
    if launching["machines"] > 1:
        yield "Give this command on each machine, with its launch.machine_rank; it starts there"
        if launching["main_address"] in _HERE:
            yield (
                f"  launch.main_address {launching['main_address']} is each machine's own: give"
                " the address of machine 0"
            )
    commands = said.get("commands", ())
    for rank, text in enumerate(commands):
        yield "Command" if len(commands) == 1 else f"Command of machine {rank}"
        yield f"  {text}"


def _nested(data: dict[str, Any], depth: int) -> Iterator[str]:
    for name, value in data.items():
        if isinstance(value, dict) and value:
            yield f"{'  ' * depth}{name}"
            yield from _nested(value, depth + 1)
        else:
            yield f"{'  ' * depth}{name:<20} {value}"
