"""Child: emitted code run in a process of its own, with limits, before anybody relies on it.

`python -I -m compoworld_synth.child SRC PACKAGE SERVICE` prints {tool: why} of what failed;
`python -I -m compoworld_synth.child FOLDER` runs the validator on a package, with limits too.
"""

from __future__ import annotations

import importlib.util
import json
import resource
import runpy
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any, Final

SECONDS: Final = 60
MEMORY: Final = 2 << 30
"""Bytes, for a check; the validator of a whole package has twice as many."""
WALL: Final = 600
"""Seconds on the clock for a check, which is limited by the processor's time."""
VALIDATION: Final = 1800
"""Seconds on the clock that the validation of a whole package may take."""
_CALLS: Final = 3


class ChildFailed(Exception):  # noqa: N818  # a statement about the child
    """The child died, ran out of its limits or could not import the package."""


def run(src: Path, package: str, service: str) -> dict[str, str]:
    """Check one emitted service: tool → what is wrong; ChildFailed where nothing could run."""
    command = [sys.executable, "-I", "-m", "compoworld_synth.child", str(src), package, service]
    try:
        done = subprocess.run(  # noqa: S603  # our own interpreter and module
            command, capture_output=True, text=True, timeout=WALL, check=False, env={}
        )
    except subprocess.TimeoutExpired as error:
        raise ChildFailed(f"{service}: the check took over {WALL} s") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no output"]
        raise ChildFailed(
            f"{service}: the check ended with {done.returncode}: {lines[-1][:300]}"
        )
    found: dict[str, str] = json.loads(done.stdout)
    return found


def validated(folder: Path) -> dict[str, dict[str, Any]]:
    """The independent validator's document on each service of a package.

    ChildFailed where it is not installed or does not run to its end.
    """
    if not _validator():
        raise ChildFailed("not validated: pip install compoworld-validator")
    command = [sys.executable, "-I", "-m", "compoworld_synth.child", str(folder)]
    try:
        done = subprocess.run(  # noqa: S603  # our own interpreter and module
            command, capture_output=True, text=True, timeout=VALIDATION, check=False, env={}
        )
    except subprocess.TimeoutExpired as error:
        raise ChildFailed(f"validation took over {VALIDATION} s") from error
    if done.returncode not in (0, 1) or not done.stdout.startswith("{"):
        lines = done.stderr.strip().splitlines() or ["no output"]
        raise ChildFailed(f"validation ended with {done.returncode}: {lines[-1][:300]}")
    document = json.loads(done.stdout)
    return {each["service"]: each for each in document.get("services", [document])}


def _validator() -> bool:
    return (
        importlib.util.find_spec("compoworld_validator") is not None
        and importlib.util.find_spec("compoworld_validator.__main__") is not None
    )


def _limit(seconds: int, memory: int) -> None:
    """Limit this process: a child that outlives its parent ends as well."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _validate(folder: str) -> None:
    _limit(VALIDATION, 2 * MEMORY)
    sys.argv = ["compoworld_validator", folder, "--json"]
    runpy.run_module("compoworld_validator", run_name="__main__")


def _checked(src: str, package: str, name: str) -> dict[str, str]:
    """Import, seed twice and call each deterministic tool a few times."""
    import importlib

    from compoworld_core import compose
    from compoworld_core.arguments import draw_arguments
    from compoworld_core.errors import ServiceError

    sys.path.insert(0, src)
    service: Any = importlib.import_module(f"{package}.{name}").service
    base = compose(service, seed=5, scale=40)
    if base.digest() != compose(service, seed=5, scale=40).digest():
        return dict.fromkeys(service.tools, "two seeds of one world differ")
    wrong: dict[str, str] = {}
    for tool in service.tools.values():
        _ = tool.input_schema, tool.arguments
        if tool.kind != "deterministic":
            continue
        for n in range(_CALLS):
            env = base.fork()
            try:
                drawn = draw_arguments(tool, env.states[name], Random(n), optional=n / _CALLS)
                env.call(tool.full_name, drawn)
            except ServiceError as error:
                wrong[tool.name] = str(error)[:300]
                break
    return wrong


if __name__ == "__main__":
    if len(sys.argv) == 2:
        _validate(sys.argv[1])
    else:
        _limit(SECONDS, MEMORY)
        json.dump(_checked(*sys.argv[1:]), sys.stdout)
