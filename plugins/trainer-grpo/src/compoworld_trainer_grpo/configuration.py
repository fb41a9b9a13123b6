"""Configuration: settings from a preset, a TOML file, `--set name=value` and options."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from compoworld_core.errors import UnknownName, UsageError
from compoworld_core.registry import closest
from compoworld_core.schema import problems
from compoworld_trainer_grpo.models.loading import EMBEDDED
from compoworld_trainer_grpo.settings import GrpoSettings, Settings, SftSettings

Kind = TypeVar("Kind", SftSettings, GrpoSettings)

_TABLES: Final = {SftSettings: "sft", GrpoSettings: "grpo"}
_BOTH: Final = "all"


def known_presets() -> list[str]:
    """The names of the presets."""
    folder = files("compoworld_trainer_grpo") / "presets"
    return sorted(
        each.name.removesuffix(".toml")
        for each in folder.iterdir()
        if each.name.endswith(".toml")
    )


def shared(preset: str) -> dict[str, Any]:
    """What a preset says for both trainers: the model, and where and how it is trained.

    Raises UnknownName, with the closest one.
    """
    return dict(_preset(preset)[_BOTH])


def settings(
    kind: type[Kind],
    *,
    presets: Sequence[str] = (),
    file: Path | None = None,
    values: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Kind:
    """The settings of a training, later sources over earlier ones.

    Raises UsageError that names the source, the place and the closest name.

    Args:
        kind: SftSettings or GrpoSettings.
        presets: names of `known_presets()`, later ones over earlier ones.
        file: TOML with the tables of a preset: `all`, `sft`, `grpo`.
        values: dotted name → value, as `--set` gives them.
        options: dotted name → value; None is not given.
    """
    data: dict[str, Any] = {}
    for name in presets:
        _merge(data, _tables(_preset(name), f"preset {name}", kind))
    if file is not None:
        _merge(data, _tables(_read(file), str(file), kind))
    for name, value in (values or {}).items():
        _merge(data, _nested(name, value))
    for name, value in (options or {}).items():
        if value is not None:
            _merge(data, _nested(name, value))
    if not data.get("model"):
        complete = [name for name in known_presets() if "model" in _preset(name)[_BOTH]]
        raise UsageError(
            "no model is named; give --model NAME (tiny, smollm2, a folder, a hub name), or a"
            f" preset that names one: --preset {'|'.join(complete)}"
        )
    return _validated(kind, data)


def _preset(name: str) -> dict[str, Any]:
    known = known_presets()
    if name not in known:
        raise UnknownName("preset", name, closest(name, known), ", ".join(known))
    text = (files("compoworld_trainer_grpo") / "presets" / f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UsageError(f"{file}: not TOML: {error}") from error


def _tables(data: Mapping[str, Any], source: str, kind: type[Settings]) -> dict[str, Any]:
    known = {_BOTH, *_TABLES.values()}
    for name, table in data.items():
        if name not in known or not isinstance(table, dict):
            near = [] if name in known else closest(name, known)
            hint = f"; closest: {', '.join(near)}" if near else ""
            raise UsageError(
                f"{source}: {name!r} is no table of settings; there are [all], [sft] and"
                f" [grpo]{hint}"
            )
    merged: dict[str, Any] = {}
    _merge(merged, data.get(_BOTH, {}))
    _merge(merged, data.get(_TABLES[kind], {}))
    return merged


def _nested(name: str, value: Any) -> dict[str, Any]:
    for part in reversed(name.split(".")):
        value = {part: value}
    nested: dict[str, Any] = value
    return nested


def _merge(into: dict[str, Any], new: Mapping[str, Any]) -> None:
    """Add nested values over those that are there."""
    for name, value in new.items():
        held = into.get(name)
        if isinstance(value, Mapping) and isinstance(held, dict):
            _merge(held, value)
        else:
            into[name] = dict(value) if isinstance(value, Mapping) else value


def _validated(kind: type[Kind], data: Mapping[str, Any]) -> Kind:
    try:
        found = kind.model_validate(data)
        # a run says which model it went on from, and may be read from another folder
        return found.model_copy(
            update={
                name: str(Path(getattr(found, name)).absolute())
                for name in ("model", "adapter")
                if getattr(found, name) not in ("", *EMBEDDED)
                and Path(getattr(found, name)).is_dir()
            }
        )
    except ValidationError as error:
        said = [
            line.replace("unknown argument", f"no such setting{_near(kind, line)}")
            for line in problems(error)[:3]
        ]
        raise UsageError(f"settings: {'; '.join(said)}; --dry-run shows them all") from error


def _near(kind: type[BaseModel], line: str) -> str:
    *path, name = line.partition(":")[0].split(".")
    model: Any = kind
    for part in path:
        if part not in model.model_fields:
            return ""  # a name with a dot in it
        inner = model.model_fields[part]
        model = type(inner.default) if inner.default is not None else _inner(inner.annotation)
    near = closest(name, list(model.model_fields))
    return f"; closest: {', '.join(near)}" if near else ""


def _inner(annotation: Any) -> Any:
    """The model in `Model | None`."""
    return next(part for part in annotation.__args__ if part is not type(None))
