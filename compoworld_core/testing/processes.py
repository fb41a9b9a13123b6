"""Checks on determinism: fresh processes agree, no tool asks the machine for time or chance."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from compoworld_core import plugins
from compoworld_core.errors import UsageError
from compoworld_core.service import Service
from compoworld_core.testing.replay import record
from compoworld_core.testing.trial import Trial, brief

_SURROUNDINGS = (
    {"PYTHONHASHSEED": "1", "TZ": "Etc/GMT+12"},
    {"PYTHONHASHSEED": "4242", "TZ": "Etc/GMT-14"},
)
"""Hash seeds differ, and so do local dates at any moment: the zones are 26 hours apart."""

_WAIT = 120
"""Seconds after which a fresh process counts as hung."""


def processes(trial: Trial) -> Iterator[str]:
    """Two fresh processes, and this one twice, show the same and end in the same bytes."""
    target = target_of(trial.service)
    if not target:
        yield (
            "a fresh process cannot import this service; put the Service object into a module"
            " under a name of its own (not __main__), then check that"
        )
        return
    started = [_start(trial, target, surroundings) for surroundings in _SURROUNDINGS]
    try:
        records = [record(trial), record(trial)]
        ended = [process.communicate(timeout=_WAIT) for process in started]
    finally:
        for process in started:
            if process.poll() is None:  # the check itself broke off
                process.kill()
                process.communicate()
    for (out, err), process in zip(ended, started, strict=True):
        if process.returncode:
            last = err.strip().rpartition("\n")[2]
            yield f"{target} does not run in a fresh process: {brief(last, 300)}"
            return
        records.append(json.loads(out))
    for other in records[1:]:
        difference = next(_differences(records[0], other), "")
        if difference:
            yield difference
            return


_CHILD = "COMPOWORLD_CHECKED"
"""Set in the processes that a check starts: a check inside one would start more without end."""


def _start(trial: Trial, target: str, surroundings: dict[str, str]) -> subprocess.Popen[str]:
    if os.environ.get(_CHILD):
        raise UsageError(
            "check_service runs while a service's module is imported; call it from a test"
        )
    module = sys.modules.get(target.partition(":")[0])
    request = {
        "target": target,
        "file": getattr(module, "__file__", None) or "",
        "path": [str(Path(entry).resolve()) for entry in sys.path],
        "seed": trial.seed,
        "calls": trial.calls,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "compoworld_core.testing.replay"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **surroundings, _CHILD: "1"},
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(request))
    process.stdin.flush()
    return process


def _differences(one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    cure = "reads a clock, builtin hash(), a set's order, module state? use ctx.now, ctx.rng"
    for name, schema in one["schemas"].items():
        if other["schemas"].get(name) != schema:
            yield f"{name}: its schema differs between processes; is a default a set?"
    if one["seed"] != other["seed"]:
        yield f"the seeded state differs between processes: the seed {cure}"
    for left, right in zip(one["steps"], other["steps"], strict=False):
        if left[:2] != right[:2]:
            yield f"before {left[0]}: the states had parted: a tool {cure}"
        elif left[3] != right[3]:
            yield (
                f"{left[0]} {brief(left[1])} showed {_part(left[2], right[2])} in another"
                f" run: {cure}"
            )
    if one["state"] != other["state"] or one["digest"] != other["digest"]:
        yield f"the final states differ between processes: a tool {cure}"


def _part(one: str, other: str) -> str:
    at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    start = max(0, at - 20)
    return f"{one[start : at + 40]!r} here and {other[start : at + 40]!r}"


def target_of(service: Service[Any]) -> str:
    """`module:attribute` where a fresh process finds the service; empty where there is none."""
    registry = plugins.services()
    for entry in registry.entries():
        listed = entry.name == service.name and isinstance(entry.target, str)
        if listed and registry.load(entry.name) is service:
            return str(entry.target)
    makers = [tool.function.__module__ for tool in service.tools.values()]
    for name in dict.fromkeys([*makers, *sorted(sys.modules)]):
        if name in ("__main__", "__mp_main__"):
            continue
        for attribute, value in list(vars(sys.modules.get(name, sys)).items()):
            if value is service:
                return f"{name}:{attribute}"
    return ""


_CLOCKS = {"now", "utcnow", "today", "time", "time_ns", "localtime", "gmtime", "ctime"}
_CHANCE = {
    "urandom",
    "getrandom",
    "uuid1",
    "uuid4",
    "token_hex",
    "token_bytes",
    "token_urlsafe",
}


def surroundings(trial: Trial) -> Iterator[str]:
    """No tool and no seed asks the machine for the time, for chance, or for builtin hash()."""
    found: dict[str, None] = {}
    owners = {_top(tool.function.__module__) for tool in trial.service.tools.values()}

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        if event != "c_call" or not _by_owner(frame, owners):
            return
        what = _forbidden(argument)
        if what:
            found.setdefault(f"{frame.f_code.co_qualname} asks {what}")

    trial.environment()  # everything is imported before we watch
    previous = sys.getprofile()
    sys.setprofile(watch)
    try:
        environment = trial.environment()
        for _ in trial.play(environment, "surroundings", 4 * len(trial.tools)):
            pass
    finally:
        sys.setprofile(previous)
    for line in found:
        yield f"{line}; use ctx.now, ctx.rng, ctx.new_id (and zlib.crc32 for a stable hash)"


def _top(module: str) -> str:
    return module.partition(".")[0] if not module.startswith("compoworld_core") else module


def _by_owner(frame: FrameType | None, owners: set[str]) -> bool:
    """Did the service's own code ask, directly or through the standard library?"""
    for _ in range(4):
        if frame is None:
            return False
        name = frame.f_globals.get("__name__", "")
        if _top(name) in owners:
            return True
        if _top(name).partition(".")[0] not in (
            "uuid",
            "secrets",
            "random",
            "datetime",
            "time",
        ):
            return False
        frame = frame.f_back
    return False


def _forbidden(function: Any) -> str:
    name, owner = getattr(function, "__name__", ""), getattr(function, "__self__", None)
    module = getattr(function, "__module__", None) or getattr(owner, "__module__", "")
    holder = getattr(owner, "__name__", "")
    if function is hash:
        return "builtin hash(), which differs between processes"
    if name in _CLOCKS and (module in ("time", "datetime") or holder in ("time", "datetime")):
        if name in ("localtime", "gmtime", "ctime"):
            return ""
        return f"the machine's clock ({name})"
    if name in _CHANCE and holder in ("posix", "nt"):
        return "the machine for chance"
    if owner is _GLOBAL_RANDOM:
        return "the global random generator"
    return ""


_GLOBAL_RANDOM: Any = __import__("random")._inst
