"""Reading: bytes into JSON values, within limits, touching nothing else."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from compoworld_core.errors import UsageError

LARGEST: Final = 64 * 1024 * 1024
"""Bytes of one document; the largest discovery document known has 9 MB."""
DEEPEST: Final = 200
"""Levels of one document, counted before anything walks it by recursion."""


LARGEST_YAML: Final = 16 * 1024 * 1024
"""Characters of one YAML document; reading it takes a hundred times as long as JSON."""
_TAGS: Final = ("!", *(f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq")))


class SourceError(UsageError):
    """A source that is not what it was taken for, and what to do about it."""


def read_bytes(path: Path) -> bytes:
    """The bytes of a file that is not too large; SourceError says why not."""
    if not path.exists():
        raise SourceError(f"there is no file {path}; give the path of a listing")
    if not path.is_file():
        raise SourceError(f"{path} is no file; give the path of one listing")
    size = path.stat().st_size
    if size > LARGEST:
        raise SourceError(f"{path} has {size:,} bytes; at most {LARGEST:,} are read")
    return path.read_bytes()


def document(data: bytes, name: str) -> Any:
    """JSON, or YAML read safely, as JSON values; SourceError where it is neither.

    Args:
        name: what the bytes are called in messages; `.yaml` and `.yml` choose YAML.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{name} is not UTF-8 text ({error.reason}); save it as UTF-8"
        ) from None
    try:
        found = _yaml(text, name) if name.endswith((".yaml", ".yml")) else _json(text, name)
    except RecursionError:
        raise SourceError(f"{name} is nested more than {DEEPEST} levels deep") from None
    if _too_deep(found):
        raise SourceError(f"{name} is nested more than {DEEPEST} levels deep")
    return found


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except ValueError as error:
        raise SourceError(
            f"{name} is no JSON: {error}; for YAML give the file a name in .yaml"
        ) from None


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON value")


def _finite(number: str) -> float:
    found = float(number)
    if not math.isfinite(found):
        raise ValueError(f"{number} is too large a number")
    return found


def _yaml(text: str, name: str) -> Any:
    import yaml

    if len(text) > LARGEST_YAML:
        raise SourceError(
            f"{name} has {len(text):,} characters; at most {LARGEST_YAML:,} of YAML are read,"
            " which is slow: convert it to JSON"
        )
    loader = _plain_loader()
    try:
        for trouble in _troubles(yaml.parse(text, Loader=loader)):
            raise SourceError(f"{name} {trouble}")
        loaded = loader(text).get_single_data()
    except yaml.YAMLError as error:
        raise SourceError(f"{name} is no YAML: {error}") from None
    except ValueError as error:  # an integer of thousands of digits
        raise SourceError(f"{name} holds a value that cannot be read: {error}") from None
    return _as_json(loaded, name)


def _troubles(events: Iterable[Any]) -> Iterator[str]:
    """What would be refused or unfold without end, told before anything is built of it."""
    depth = 0
    for event in events:
        kind = type(event).__name__
        depth += kind in ("SequenceStartEvent", "MappingStartEvent")
        depth -= kind in ("SequenceEndEvent", "MappingEndEvent")
        if depth > DEEPEST:
            yield f"is nested more than {DEEPEST} levels deep"
        if kind == "AliasEvent":
            # They could unfold a short text into gigabytes; no specification needs them.
            yield "uses YAML aliases (*name), which are not followed"
        tag = str(getattr(event, "tag", None) or "!")
        if tag not in _TAGS:
            yield f"uses the YAML tag {tag:.60}, which is not followed: leave it out"


def _plain_loader() -> Any:
    """A SafeLoader that leaves dates as the text they are: JSON has none."""
    import yaml

    safe: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's, twenty times faster

    resolvers = {
        first: [(tag, rule) for tag, rule in rules if not tag.endswith(":timestamp")]
        for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return type("Loader", (safe,), {"yaml_implicit_resolvers": resolvers})


def _as_json(value: Any, name: str) -> Any:
    """YAML's values as JSON has them: keys are text (`200:`), no bytes and no sets."""
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else json.dumps(key, default=str): _as_json(each, name)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [_as_json(each, name) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise SourceError(f"{name} holds {value}, which JSON has not")
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise SourceError(f"{name} holds a {type(value).__name__}, which JSON has not")


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [below for each in level for below in _children(each)]
        if not level:
            return False
    return True


def _children(value: Any) -> Iterator[Any]:
    found = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict | list):
        yield from (each for each in found if isinstance(each, dict | list))
