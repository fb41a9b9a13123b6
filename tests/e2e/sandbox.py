"""What end-to-end tests need: commands that must succeed, wheels, a clean environment."""

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import frozen

ROOT = Path(__file__).parents[2]
OWN = Path(sys.executable).parent
"""Where the commands of the environment under test lie."""

Once = Callable[[str, Callable[[Path], None]], Path]
"""`once(name, make)`: a folder that the first worker makes and all use."""


def run(*command: str | Path, cwd: Path | None = None, **environ: str) -> str:
    """Run a command to a good end and return its standard output."""
    given = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "MAKEFLAGS")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd, env=given | environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    shown = " ".join(str(word) for word in command)
    assert done.returncode == 0, f"{shown}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@frozen
class Installed:
    """A clean environment with CompoWorld from wheels."""

    path: Path
    cache: Path

    def compoworld(self, *arguments: str | Path) -> str:
        """Run the installed command, away from the checkout."""
        return self.run(self.path / "bin" / "compoworld", *arguments)

    def json(self, *arguments: str | Path) -> Any:
        """The answer of a command with --json."""
        return json.loads(self.compoworld(*arguments, "--json"))

    def python(self, *arguments: str | Path) -> str:
        """Run its interpreter."""
        return self.run(self.path / "bin" / "python", *arguments)

    def run(self, *command: str | Path) -> str:
        """Run a command with a cache of its own."""
        return run(*command, cwd=self.path, XDG_CACHE_HOME=str(self.cache))

    def install(self, *what: str | Path) -> None:
        """Install wheels, or names from the registry."""
        pip = (sys.executable, "-m", "pip", "--python", self.path / "bin" / "python")
        lock = self.path / "install.lock"
        with locked(lock):
            run(*pip, "install", "-q", "--disable-pip-version-check", *what)

    def visiting(self, service: str, others: str, out: Path) -> list[str]:
        """Generate and prove tasks over a service and two others; the instructions."""
        told = self.json(
            "tasks", "generate", "--n", "2", "--k", "3", "--distractors", "0", "--walk", "3:5",
            "--scale", "40", "--services", f"{service},{others}", "--seed", "1",
            "--max-tries", "60", "--out", out,
        )  # fmt: skip
        assert told["accepted"] == 2
        proven = self.json("tasks", "verify", out)
        assert (proven["tasks"], proven["proven"], proven["failures"]) == (2, 2, [])
        lines = (out / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
        tasks = [json.loads(line) for line in lines]
        return [task["instruction"] for task in tasks if service in task["walk"]]


class locked:  # reads as a word: `with locked(path)`
    """Holds a lock that the workers of a test run share."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("w")

    def __enter__(self) -> None:
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self.file.close()


def wheel_of(project: Path, out: Path) -> Path:
    """Build the wheel of a project folder."""
    run(
        sys.executable, "-m", "pip", "wheel", "-q", "--disable-pip-version-check",
        "--no-build-isolation", "--no-deps", "-w", out, project,
    )  # fmt: skip
    (wheel,) = out.glob("*.whl")
    return wheel
