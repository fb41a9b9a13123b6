"""Learning all tools of a service, and remembering what was learnt."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from compoworld_core.cache import cache_folder, remember
from compoworld_core.errors import RecordError
from compoworld_core.service import Service, Tool
from compoworld_tasks_walk.affordances import SCHEMA, Affordances, Lookup, Write
from compoworld_tasks_walk.learning.checks import checked_lookup, checked_write
from compoworld_tasks_walk.learning.filters import learn_reads
from compoworld_tasks_walk.learning.world import World
from compoworld_tasks_walk.learning.writes import learn_writes

SCALE = 60


def learn(service: Service[Any], seed: int = 0, scale: int = SCALE) -> Affordances:
    """What each tool of a service reveals and changes, found by running it.

    Deterministic: the same service, seed and scale give the same affordances.
    """
    world = World.seeded(service, seed, scale)
    other = World.seeded(service, seed + 1, scale)
    world.settle(other)
    lookups: list[Lookup] = []
    writes: list[Write] = []
    skipped: dict[str, str] = {}
    for tool in service.tools.values():
        if tool.kind != "deterministic":
            skipped[tool.name] = f"it is {tool.kind}"
            continue
        found, changed, why = _learnt(world, other, tool, seed)
        lookups += found
        writes += changed
        if not found and not changed:
            skipped[tool.name] = " ".join(why.split())
    return Affordances(
        service.name, version_of(service), tuple(lookups), tuple(writes), world.facts, skipped
    )


def _learnt(
    world: World, other: World, tool: Tool, seed: int
) -> tuple[list[Lookup], list[Write], str]:
    """(lookups, writes, why there are none) of one tool, checked on the other world."""
    rng = Random(f"affordances:{world.service.name}:{tool.name}:{seed}")
    changed: list[Write] = []
    why = ""
    if not tool.read_only:
        changed, why, silent = learn_writes(world, tool, rng)
        kept = [write for each in changed if (write := checked_write(each, other, rng))]
        if kept or not silent:
            return [], kept, why or "what it does did not hold on another seeded state"
    found, why_not = learn_reads(world, tool, rng)
    sure = [lookup for each in found if (lookup := checked_lookup(each, other))]
    return sure, [], why_not or why or "what it shows did not hold on another seeded state"


def affordances(service: Service[Any]) -> Affordances:
    """What is known of a service, learnt once per version and kept in the user's cache."""
    version = version_of(service)
    path = cache_folder("affordances") / f"{service.name}-{version}.json"
    if path.is_file():
        try:
            return Affordances.from_json(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, RecordError):  # torn, or of another version: learn anew, below
            pass
    learnt = learn(service)
    remember(path, json.dumps(learnt.as_json(), ensure_ascii=False) + "\n")
    # as it will be read next time: a cold and a warm cache must give the same tasks
    return Affordances.from_json(json.loads(json.dumps(learnt.as_json())))


def version_of(service: Service[Any]) -> str:
    """A digest of what affordances depend on: the sources of service, core and learner."""
    digest = hashlib.blake2b(SCHEMA.encode(), digest_size=10)
    for source in _sources(["compoworld_core", __package__ or "", *_homes(service)]):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    for tool in service.tools.values():  # one that was typed into a prompt has no source
        code = getattr(tool.function, "__code__", None)
        digest.update(f"{tool.name} {tool.kind}".encode() + (code.co_code if code else b""))
    return digest.hexdigest()


def _sources(names: Iterable[str]) -> list[Path]:
    """The files of modules; of a package those of its own level."""
    found: dict[Path, None] = {}
    for name in names:
        module = sys.modules.get(name)
        file = getattr(module, "__file__", None)
        if file is None:
            continue
        folder = Path(file).parent
        files = sorted(folder.glob("*.py")) if hasattr(module, "__path__") else [Path(file)]
        found.update(dict.fromkeys(files))
    return list(found)


def _homes(service: Service[Any]) -> list[str]:
    """The modules that a service's code lies in, and their packages, sorted."""
    names = {service.state.__module__}
    names |= {tool.function.__module__ for tool in service.tools.values()}
    names |= {getattr(sys.modules.get(name), "__package__", None) or name for name in names}
    return sorted(names)
