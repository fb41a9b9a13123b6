"""TrainingRun: the folder of a training, which survives `kill -9` at any point.

``run.toml`` says what was asked for (as for every run); ``metrics.jsonl`` holds the curves, a
line per logged step: kind `train`, `evaluation` or `data` repeat byte for byte with the seed,
kind `speed` is the clock's. ``tensorboard/`` shows the same; ``trajectories/step-00012/`` are
runs of their own, for `compoworld rollouts show`; ``checkpoints/`` has what a resume needs;
``model/`` is there once training has ended; ``end.json`` says how it did.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from attrs import define, field, frozen

from compoworld_core import lines
from compoworld_core.errors import CompoWorldError, RecordError, UsageError
from compoworld_core.run import METRIC_SCHEMA, Run, installed_versions, write_whole
from compoworld_trainer_grpo.settings import GrpoSettings, Settings, SftSettings

if TYPE_CHECKING:
    from compoworld_core.records import Trajectory

Kind = Literal["sft", "grpo"]
Outcome = Literal["finished", "diverged", "collapsed", "out-of-memory", "failed"]

STACK: Final = ("torch", "transformers", "trl", "peft", "accelerate", "deepspeed")
"""The distributions that decide what a run computes."""

_CHECKPOINT: Final = "checkpoint-"
_COMPLETE: Final = "complete.json"
_BEST: Final = "best.json"
_END: Final = "end.json"
# where a machine stands among others does not change what is computed
_PLACE: Final = ("machine_rank", "main_address", "main_port")


class TrainingEnded(CompoWorldError):  # noqa: N818  # an end, not always an error
    """Training ended before it was done, for a reason that a person can understand."""

    def __init__(self, outcome: Outcome, message: str) -> None:
        self.outcome: Outcome = outcome
        super().__init__(message)


@frozen
class Best:
    """The checkpoint that is kept whatever comes later."""

    step: int
    metric: str
    value: float


@define
class TrainingRun:
    """A training's folder; all of it but `start`, `open` and properties is the writer's."""

    run: Run
    kind: Kind
    settings: Settings
    _board: Any = field(default=None, repr=False)
    _watcher: Callable[[dict[str, Any]], None] | None = field(default=None, repr=False)

    # -- opening ---------------------------------------------------------------------------

    @classmethod
    def start(cls, out: Path, settings: SftSettings | GrpoSettings) -> TrainingRun:
        """Make the folder, or go on in one of the same settings, data and versions.

        Raises UsageError that names the difference where the folder holds another run.
        """
        kind: Kind = "sft" if isinstance(settings, SftSettings) else "grpo"
        asked = settings.model_dump(mode="json", exclude_none=True)
        asked["launch"] = {k: v for k, v in asked["launch"].items() if k not in _PLACE}
        inputs = settings.data if isinstance(settings, SftSettings) else settings.tasks
        configuration = {"command": f"train {kind}", **asked, "inputs": digests(inputs)}
        versions = installed_versions((), "compoworld-trainer-grpo", *STACK)
        run = Run.start(out, configuration, versions)
        write_whole(out / "settings.json", settings.model_dump_json(indent=2).encode())
        return cls(run, kind, settings)

    @classmethod
    def open(cls, path: Path) -> TrainingRun:
        """Open the folder of a training; UsageError where it is none."""
        run = Run.open(path)
        kind = str(run.configuration.get("command", "")).removeprefix("train ")
        file = run.path / "settings.json"
        if kind not in ("sft", "grpo") or not file.is_file():
            raise UsageError(f"{path} is no training run; make one: compoworld train --help")
        if kind == "sft":
            return cls(run, "sft", SftSettings.model_validate_json(file.read_bytes()))
        return cls(run, "grpo", GrpoSettings.model_validate_json(file.read_bytes()))

    @property
    def path(self) -> Path:
        """The folder."""
        return self.run.path

    @property
    def model(self) -> Path:
        """Where the trained model, or its adapter, is in the end."""
        return self.path / "model"

    @property
    def checkpoints(self) -> Path:
        """Where the checkpoints are."""
        return self.path / "checkpoints"

    @contextmanager
    def writing(self, *, step: int) -> Iterator[None]:
        """Hold the folder for writing from a step on: what came after it is forgotten.

        A second writer is refused; the lock ends with the process.
        """
        with self.run.writing():
            self._forget_after(step)
            self._board = _board(self.path, step) if self.settings.tensorboard else None
            try:
                yield
            finally:
                if self._board is not None:
                    self._board.close()
                    self._board = None

    def _forget_after(self, step: int) -> None:
        """Drop figures and trajectories of steps that will be done again."""
        self.begin()
        for shard in lines.shards(self.path, "metrics"):
            # from step 0 it begins anew, and says once more what it trains on
            kept = [data for _, data in lines.read(shard) if step and data["step"] <= step]
            text = "".join(f"{lines.to_line(data)}\n" for data in kept)
            write_whole(shard, text.encode())
        for folder in sorted((self.path / "trajectories").glob("step-*")):
            if int(folder.name.removeprefix("step-")) > step:
                shutil.rmtree(folder)

    # -- figures ---------------------------------------------------------------------------

    def watch(self, watcher: Callable[[dict[str, Any]], None]) -> None:
        """Have each line of metrics that this process writes told to somebody as well."""
        self._watcher = watcher

    def record(self, kind: str, step: int, values: Mapping[str, float]) -> None:
        """Write figures of a step: a line of metrics, and a point of each curve."""
        plain = {name: _plain(value) for name, value in values.items()}
        line = {"schema": METRIC_SCHEMA, "kind": kind, "step": step, **plain}
        self.run.append("metrics", line)
        if self._watcher is not None:
            self._watcher(line)
        if self._board is not None:
            for name, value in values.items():
                self._board.add_scalar(f"{kind}/{name}", value, step)
            self._board.flush()

    def keep(self, step: int, trajectories: Sequence[Trajectory]) -> Path:
        """Keep the episodes of a step as a run of its own; one that is there is replaced."""
        folder = self.path / "trajectories" / f"step-{step:05d}"
        if folder.is_dir():
            shutil.rmtree(folder)
        made = Run.start(
            folder,
            {"command": f"train {self.kind}", "step": step, "model": self.settings.model},
            self.run.versions,
        )
        with made.writing():
            for trajectory in trajectories:
                made.append("trajectories", trajectory)
        return folder

    # -- checkpoints -----------------------------------------------------------------------

    def checkpoint(self, step: int) -> Path:
        """The folder of a step's checkpoint."""
        return self.checkpoints / f"{_CHECKPOINT}{step}"

    def steps(self) -> list[int]:
        """Steps with a whole checkpoint, in order; a torn one does not count."""
        found = self.checkpoints.glob(f"{_CHECKPOINT}*/{_COMPLETE}")
        return sorted(int(file.parent.name.removeprefix(_CHECKPOINT)) for file in found)

    def complete(self, step: int) -> None:
        """Say that a step's checkpoint is whole; then older ones make room."""
        write_whole(self.checkpoint(step) / _COMPLETE, json.dumps({"step": step}).encode())
        best = self.best()
        stay = {*self.steps()[-self.settings.keep :], *([best.step] if best else [])}
        for old in self.steps():
            if old not in stay:
                # the mark goes first: half a checkpoint must not look like a whole one
                (self.checkpoint(old) / _COMPLETE).unlink()
                shutil.rmtree(self.checkpoint(old))

    def drop_torn(self) -> None:
        """Remove checkpoints that a kill left half written."""
        whole = {self.checkpoint(step) for step in self.steps()}
        for folder in sorted(self.checkpoints.glob(f"{_CHECKPOINT}*")):
            if folder not in whole:
                shutil.rmtree(folder)

    def best(self) -> Best | None:
        """The best checkpoint so far."""
        file = self.path / _BEST
        found = Best(**json.loads(file.read_bytes())) if file.is_file() else None
        return found if found is not None and found.step in self.steps() else None

    def choose_best(self, step: int, metric: str, value: float, *, larger: bool) -> bool:
        """Let a step's checkpoint be the best where its value is; equal values do not win."""
        best = self.best()
        wins = best is None or (value > best.value if larger else value < best.value)
        if wins and math.isfinite(value):
            chosen = {"step": step, "metric": metric, "value": value}
            write_whole(self.path / _BEST, json.dumps(chosen).encode())
            return True
        return False

    # -- the end ---------------------------------------------------------------------------

    def begin(self) -> None:
        """Forget how an earlier try ended."""
        (self.path / _END).unlink(missing_ok=True)

    def end(self, outcome: Outcome, step: int, message: str) -> None:
        """Say how the training ended."""
        data = {"outcome": outcome, "step": step, "message": message}
        write_whole(self.path / _END, json.dumps(data).encode())

    def ended(self) -> dict[str, Any] | None:
        """How the training ended: outcome, step, message; None while it has not."""
        file = self.path / _END
        if not file.is_file():
            return None
        try:
            data: dict[str, Any] = json.loads(file.read_bytes())
            return {name: data[name] for name in ("outcome", "step", "message")}
        except (ValueError, KeyError, TypeError) as error:
            raise RecordError(
                f"{file} is damaged: {error}; remove it, and the same command goes on"
            ) from error

    @property
    def finished(self) -> bool:
        """Whether everything that was asked for has been done, and the model is there."""
        ended = self.ended()
        return ended is not None and ended["outcome"] == "finished" and self.model.is_dir()


def digests(inputs: Sequence[str]) -> list[str]:
    """The content of input files, or of the tasks in run folders, as SHA-256."""
    return [_digest(Path(each)) for each in inputs]


def _digest(path: Path) -> str:
    files = [path] if path.is_file() else lines.shards(path, "tasks")
    if not files:
        what = "holds no tasks" if path.is_dir() else "is not there"
        raise UsageError(f"{path} {what}; make some: compoworld tasks generate --help")
    found = sha256()
    for file in files:
        with file.open("rb") as content:
            while block := content.read(1 << 20):
                found.update(block)
    return found.hexdigest()


def _plain(value: float) -> float | str:
    """JSON has no number for these, and a curve must not hide them."""
    return value if math.isfinite(value) else str(value)


def _board(path: Path, step: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise UsageError(
            "tensorboard is not installed; install it (pip install tensorboard), or do without:"
            " --set tensorboard=false"
        ) from error
    # curves that a resumed run draws again are hidden from this step on
    return SummaryWriter(path / "tensorboard", purge_step=step + 1)
