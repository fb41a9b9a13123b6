"""Control groups: a hard bound on the memory and the processes of a whole sandbox."""

from __future__ import annotations

import itertools
import os
import time
from pathlib import Path
from typing import Final

from attrs import frozen

from compoworld_core.sandbox import Limits

ROOT: Final = Path("/sys/fs/cgroup")

_numbers = itertools.count()


@frozen
class Group:
    """The folders of one control group: one for version 2, one a controller for version 1."""

    folders: tuple[Path, ...]

    def prefix(self) -> tuple[str, ...]:
        """What to put before a command so that it starts as a member."""
        enter = "".join(f'echo $$ > "{folder}/cgroup.procs" && ' for folder in self.folders)
        return ("/bin/sh", "-c", f'{enter}exec "$@"', "sh")

    def overrun(self) -> bool:
        """Whether a member was killed for the memory of all."""
        for folder in self.folders:
            for name in ("memory.events", "memory.oom_control"):
                if (folder / name).exists():
                    counts = dict(
                        line.split(" ", 1) for line in (folder / name).read_text().splitlines()
                    )
                    return int(counts.get("oom_kill", "0")) > 0
        return False

    def remove(self) -> None:
        """Remove it, once its members are gone, which the kernel tells a moment late."""
        for folder in self.folders:
            for _ in range(100):
                try:
                    folder.rmdir()
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.02)


def make(limits: Limits, root: Path = ROOT) -> Group | None:
    """A new group with these limits; None where this user or machine cannot make one."""
    name = f"compoworld-{os.getpid()}-{next(_numbers)}"
    # bwrap, the process that reaps and the program that starts the job count as well.
    processes = str(limits.processes + 4)
    memory = str(limits.memory_mb << 20)
    if (root / "cgroup.controllers").exists():
        wanted = {
            root / name: {"memory.max": memory, "memory.swap.max": "0", "pids.max": processes}
        }
    else:
        wanted = {
            root / "memory" / name: {
                "memory.limit_in_bytes": memory,
                "memory.memsw.limit_in_bytes": memory,
            },
            root / "pids" / name: {"pids.max": processes},
        }
    group = Group(tuple(wanted))
    try:
        for folder, values in wanted.items():
            folder.mkdir()
            for file, value in values.items():
                if ("swap" in file or "memsw" in file) and not (folder / file).exists():
                    continue  # kernels that do not count swap
                (folder / file).write_text(value)
    except OSError:
        group.remove()
        return None
    return group
