"""Trainers: what the plugin registers, for programs; commands do the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compoworld_core.errors import CompoWorldError
from compoworld_trainer_grpo import configuration, launch
from compoworld_trainer_grpo.runs import TrainingRun
from compoworld_trainer_grpo.settings import GrpoSettings, SftSettings


class SftTrainer:
    """Fine-tunes on exported trajectories."""

    def train(self, config: Mapping[str, Any]) -> Path:
        """Train and return the model's folder.

        Raises CompoWorldError where training was ended, UsageError where settings are wrong.

        Args:
            config: `out`, the run folder; `presets`, if any; and the fields of SftSettings.
        """
        return _train(SftSettings, config)


class GrpoTrainer:
    """Trains by GRPO on tasks."""

    def train(self, config: Mapping[str, Any]) -> Path:
        """Train and return the model's folder; as SftTrainer does, of GrpoSettings."""
        return _train(GrpoSettings, config)


def _train(kind: type[configuration.Kind], config: Mapping[str, Any]) -> Path:
    values = {name: value for name, value in config.items() if name not in ("out", "presets")}
    settings = configuration.settings(kind, presets=config.get("presets", ()), values=values)
    launch.check_launch(settings.launch)
    chosen, _ = launch.launchable(settings)
    run = TrainingRun.start(Path(config["out"]), chosen)
    ended = (run.ended() if run.finished else None) or launch.launch(run, lambda _: None)
    if ended["outcome"] != "finished":
        raise CompoWorldError(f"training {ended['outcome']}: {ended['message']}")
    return run.model
