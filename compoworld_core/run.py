"""Run: the folder in which tasks, trajectories and figures lie. Survives a kill at any point.

``run.toml`` says what was asked for and of which versions; ``world.json`` the cast and the
bases; ``bases/<sha256>.json`` the seeded states, named by their content; then one JSONL file
per kind of record. Nothing in it depends on the time or the machine.
"""

from __future__ import annotations

import fcntl
import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, TypeVar

from attrs import define, field
from pydantic import BaseModel, ValidationError

from compoworld_core import lines, plugins
from compoworld_core.cast import Cast
from compoworld_core.composition import load_service
from compoworld_core.dialogue import Dialogue
from compoworld_core.environment import Environment
from compoworld_core.errors import RecordError, UsageError
from compoworld_core.lines import Model
from compoworld_core.proof.case import start_environment
from compoworld_core.records import Task, Trajectory
from compoworld_core.schema import problems
from compoworld_core.service import Service
from compoworld_core.state import State
from compoworld_core.user import PlainUser
from compoworld_core.world import Base, World, dump_base

RUN_SCHEMA: Final = "compoworld/run@1"
WORLD_SCHEMA: Final = "compoworld/world@1"
METRIC_SCHEMA: Final = "compoworld/metric@1"
TASK_SCHEMA: Final = "compoworld/task@1"
TRAJECTORY_SCHEMA: Final = "compoworld/trajectory@1"

_PLURAL: Final = {"task": "tasks", "trajectory": "trajectories"}

Named = TypeVar("Named", Task, Trajectory)


@define
class Run:
    """A run folder, open for reading; `writing()` opens it for appending."""

    path: Path
    configuration: dict[str, Any] = field(factory=dict)
    versions: dict[str, str] = field(factory=dict)
    _writers: dict[str, lines.Writer] = field(factory=dict)
    _bases: dict[tuple[str, str], State] = field(factory=dict)

    # -- opening ---------------------------------------------------------------------------

    @classmethod
    def start(
        cls, path: Path | str, configuration: Mapping[str, Any], versions: Mapping[str, str]
    ) -> Run:
        """Make a run folder, or go on in one that was made with the same configuration.

        Raises UsageError that names the difference where the folder holds another run.
        """
        path = Path(path)
        wanted = plain(configuration)
        if (path / "run.toml").is_file():
            run = cls.open(path)
            _refuse_other(path, run.configuration, wanted, "the option")
            _refuse_other(path, run.versions, dict(versions), "the version of")
            return run
        if path.is_dir() and any(path.iterdir()):
            raise UsageError(f"{path} is not empty and holds no run.toml; choose another --out")
        path.mkdir(parents=True, exist_ok=True)
        text = _toml({"schema": RUN_SCHEMA, "configuration": wanted, "versions": versions})
        write_whole(path / "run.toml", text.encode())
        return cls(path, wanted, dict(versions))

    @classmethod
    def open(cls, path: Path | str) -> Run:
        """Open a run folder by its path, or by the path of a file in it."""
        path = Path(path)
        folder = path.parent if path.is_file() else path
        file = folder / "run.toml"
        if not file.is_file():
            raise UsageError(f"{path} is no run: there is no {file}")
        try:
            data = tomllib.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise RecordError(f"{file}: not TOML: {error}") from error
        if data.get("schema") != RUN_SCHEMA:
            raise RecordError(f"{file}: schema {data.get('schema')!r}, not {RUN_SCHEMA!r}")
        return cls(folder, data.get("configuration", {}), data.get("versions", {}))

    # -- records ---------------------------------------------------------------------------

    def tasks(self) -> Iterator[Task]:
        """The tasks, in order."""
        return self.records("tasks", Task, TASK_SCHEMA)

    def task(self, name: str) -> Task:
        """A task by its id, or by an unambiguous beginning of it."""
        return _one(self.tasks(), name, "task", f"compoworld tasks show {self.path}")

    def trajectories(self) -> Iterator[Trajectory]:
        """The trajectories, in order."""
        return self.records("trajectories", Trajectory, TRAJECTORY_SCHEMA)

    def trajectory(self, name: str) -> Trajectory:
        """A trajectory by its id, or by an unambiguous beginning of it."""
        listing = f"compoworld rollouts show {self.path}"
        return _one(self.trajectories(), name, "trajectory", listing)

    def records(self, name: str, model: type[Model], schema: str) -> Iterator[Model]:
        """All records of a kind; RecordError with path and line where one is invalid."""
        for path in lines.shards(self.path, name):
            for number, data in lines.read(path):
                yield lines.parse(model, data, f"{path}:{number}", schema)

    def metrics(self) -> Iterator[dict[str, Any]]:
        """The figures: one object a line, each with a `kind`."""
        for path in lines.shards(self.path, "metrics"):
            for number, data in lines.read(path):
                if data.get("schema") != METRIC_SCHEMA:
                    found = data.get("schema")
                    raise RecordError(
                        f"{path}:{number}: schema {found!r}, not {METRIC_SCHEMA!r}"
                    )
                yield data

    @contextmanager
    def writing(self) -> Iterator[Run]:
        """Hold the folder for writing; a second writer is refused."""
        with self.alone():
            try:
                yield self
            finally:
                for writer in self._writers.values():
                    writer.close()
                self._writers.clear()

    @contextmanager
    def alone(self, purpose: str = "") -> Iterator[None]:
        """Be the only process that does something in the folder; UsageError where one is.

        The lock is the kernel's: it ends with the process, however that ends.

        Args:
            purpose: what is done, where it is not writing.
        """
        file = os.open(self.path / f".lock{purpose}", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise UsageError(
                    f"{self.path} is being written to by another process; wait for it, or"
                    " choose another --out"
                ) from error
            yield
        finally:
            os.close(file)

    def append(self, name: str, record: BaseModel | Mapping[str, Any] | str) -> None:
        """Add a record (or its line) to a kind; only inside `writing()`."""
        writer = self._writers.get(name)
        if writer is None:
            writer = self._writers[name] = lines.Writer(self.path, name)
        writer.append(record if isinstance(record, str) else lines.to_line(record))

    # -- the world -------------------------------------------------------------------------

    def save_world(self, world: World) -> None:
        """Store the cast and each base, once."""
        for base in world.bases.values():
            self.save_base(base.state)
        record = {
            "schema": WORLD_SCHEMA,
            "seed": world.seed,
            "scale": world.scale,
            "cast": world.cast.to_record(),
            "bases": {name: base.digest for name, base in world.bases.items()},
        }
        write_whole(self.path / "world.json", (lines.to_line(record) + "\n").encode())

    def has_world(self) -> bool:
        """Whether the world is stored already."""
        return (self.path / "world.json").is_file()

    def world(self) -> World:
        """The run's world, from its files: no seed function runs."""
        file = self.path / "world.json"
        if not file.is_file():
            raise RecordError(
                f"{self.path} holds no world.json: no tasks were generated into it"
            )
        data = json.loads(file.read_bytes())
        if data.get("schema") != WORLD_SCHEMA:
            raise RecordError(f"{file}: schema {data.get('schema')!r}, not {WORLD_SCHEMA!r}")
        services = {name: load_service(name) for name in data["bases"]}
        bases = {
            name: Base(self.load_base(digest, services[name]), digest)
            for name, digest in data["bases"].items()
        }
        cast = Cast.from_record(data["cast"])
        return World(data["seed"], data["scale"], cast, services, bases)

    def save_base(self, state: State) -> str:
        """Store a state under the digest of its bytes."""
        content = dump_base(state)
        digest = sha256(content).hexdigest()
        folder = self.path / "bases"
        folder.mkdir(exist_ok=True)
        if not (folder / f"{digest}.json").is_file():
            write_whole(folder / f"{digest}.json", content)
        return digest

    def load_base(self, digest: str, service: Service[Any]) -> State:
        """A stored state, checked against its name; read once, shared, never written to."""
        key = (digest, service.name)
        state = self._bases.get(key)
        if state is None:
            state = self._bases[key] = _read_base(
                self.path / "bases" / f"{digest}.json", service
            )
        return state


def _one(records: Iterable[Named], name: str, kind: str, listing: str) -> Named:
    """The record whose id begins like this; UsageError where none or several do.

    `task-` before the beginning may be left out.
    """
    beginnings = (name, f"{kind}-{name}")
    found = [record for record in records if record.id.startswith(beginnings)]
    if len(found) != 1:
        what = f"no {kind} is" if not found else f"{len(found)} {_PLURAL[kind]} are"
        raise UsageError(f"{what} called {name!r}; list them: {listing}")
    return found[0]


def _read_base(file: Path, service: Service[Any]) -> State:
    if not file.is_file():
        raise RecordError(f"{file} is missing: the s0 of a task stands on it")
    content = file.read_bytes()
    if sha256(content).hexdigest() != file.stem:
        raise RecordError(f"{file} was changed: its content is not what its name says")
    try:
        state: State = service.state.model_validate_json(content)
    except ValidationError as error:
        why = "; ".join(problems(error)[:3])
        raise RecordError(
            f"{file} does not fit the installed {service.name}: {why}; install the version that"
            " run.toml names"
        ) from error
    return state.freeze()


def open_task(run: Run, task: Task) -> Environment:
    """The environment of a task in s0, from the run folder's files alone.

    Services are in the order of their names, so that a listing does not tell which are needed.
    """
    names = tuple(sorted((*task.services, *task.distractors)))
    missing = [name for name in names if name not in task.s0.bases]
    if missing:
        raise RecordError(f"{task.id}: s0 has no base for {', '.join(missing)}")
    services = {name: load_service(name) for name in names}
    bases = {name: run.load_base(task.s0.bases[name], services[name]) for name in names}
    environment = start_environment(services, bases, task.s0.patches, names)
    if task.user is not None:
        environment.dialogue = Dialogue(PlainUser(task.user.facts))
    return environment


def installed_versions(services: Iterable[str], *others: str) -> dict[str, str]:
    """Distribution → version of the core, of services by name, and of other distributions."""
    registry = plugins.services()
    names = {"compoworld", *others} | {registry.get(name).distribution for name in services}
    found = {}
    for name in sorted(names - {""}):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"  # registered by hand, under a name that is not installed
    return found


def write_whole(path: Path, content: bytes) -> None:
    """Write a file such that it is there whole, or not at all."""
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def plain(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration as TOML can hold it: JSON values, without nulls."""
    data: dict[str, Any] = json.loads(json.dumps(configuration))
    return {key: value for key, value in data.items() if value is not None}


def _refuse_other(
    path: Path, held: Mapping[str, Any], new: Mapping[str, Any], what: str
) -> None:
    # what made it comes first: all else differs where that does
    for name in sorted({*held, *new}, key=lambda name: (name != "command", name)):
        if held.get(name) != new.get(name):
            raise UsageError(
                f"{path} holds another run: {what} {name} was {_said(held.get(name))} and is"
                f" {_said(new.get(name))}; choose another --out, or repeat the run as it was"
            )


def _said(value: Any) -> str:
    return "not there" if value is None else _value(value)


def _toml(tables: Mapping[str, Any]) -> str:
    """TOML of scalars first, then a table per mapping."""
    scalars = [f"{k} = {_value(v)}" for k, v in tables.items() if not isinstance(v, Mapping)]
    parts = ["\n".join(scalars)]
    for name, table in tables.items():
        if isinstance(table, Mapping):
            rows = [f"{_key(key)} = {_value(value)}" for key, value in sorted(table.items())]
            parts.append("\n".join([f"[{name}]", *rows]))
    return "\n\n".join(parts) + "\n"


def _key(key: str) -> str:
    bare = key.replace("-", "").replace("_", "")
    return key if bare.isalnum() and bare.isascii() else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{_key(k)} = {_value(v)}" for k, v in sorted(value.items()) if v is not None)
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("\x7f", "\\u007f")
