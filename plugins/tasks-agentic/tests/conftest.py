"""A scripted endpoint on this machine, the sample services, and the generator under test."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from compoworld_policy_openai.connection import close_clients
from compoworld_policy_openai.testing import configured_endpoint
from compoworld_tasks_agentic import plugin
from compoworld_tasks_agentic.generator import AgenticGenerator
from compoworld_tasks_agentic.prompts import example

from compoworld_core import plugins
from compoworld_core.generation import Rejection, Request, attempt
from compoworld_core.records import Task
from compoworld_core.testing.endpoint import ScriptedEndpoint
from compoworld_core.world import World

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "services"))


@pytest.fixture(scope="session", autouse=True)
def connections() -> Iterator[None]:
    """One client for all tests: to make one reads all certificates of this machine."""
    yield
    close_clients()


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedEndpoint]:
    with configured_endpoint(monkeypatch) as made:
        yield made


class Watcher:
    """A plugin that keeps the events of its process."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    @plugins.hookimpl
    def observe(self, event: object) -> None:
        self.events.append(event)


@pytest.fixture
def watcher(monkeypatch: pytest.MonkeyPatch) -> Watcher:
    """Only the sample services, their generator and ours are there."""
    import sample_plugin

    monkeypatch.setenv("COMPOWORLD_DISABLE_PLUGINS", "services")
    found = plugins.load(installed=False)
    found.add(sample_plugin, "samples")
    found.add(plugin, "tasks-agentic")
    seen = Watcher()
    found.add(seen, "watcher")
    monkeypatch.setattr(plugins, "current", lambda: found)
    return seen


@pytest.fixture(scope="session")
def world() -> World:
    """The sample services over one cast; nobody writes to it."""
    from sample_tasks import sample_world

    return sample_world()


Try = Callable[..., Task | Rejection]


@pytest.fixture
def try_one(world: World, endpoint: ScriptedEndpoint, watcher: Watcher) -> Try:
    """`try_one(mode=…, **options)`: one try of the generator, proven by the core."""

    def run(*, index: int = 0, walk: int = 2, **options: Any) -> Task | Rejection:
        given = {"pause": 0.001, "timeout": 10, "affordances": False, **options}
        asked = Request(
            n=1, k=min(walk, 5), walk=(walk, walk), distractors=0, seed=3, options=given,
            services=("crm", "tracker") if walk == 2 else (), generator="agentic",
        )  # fmt: skip
        return attempt(world, AgenticGenerator(), asked, index)

    return run


@pytest.fixture
def good() -> dict[str, Any]:
    """The example of the prompt: a reply for the walk crm, tracker that is proven."""
    made: dict[str, Any] = json.loads(example())
    return made


@pytest.fixture
def index() -> int:
    """A try that draws the walk crm, tracker."""
    from random import Random

    from compoworld_tasks_agentic.writing import draw_try

    asked = Request(
        n=1, k=2, walk=(2, 2), distractors=0, seed=3, services=("crm", "tracker"),
        generator="agentic",
    )  # fmt: skip
    for index in range(50):
        rng = Random(f"agentic:0:3:{index}")
        if draw_try(World(3, 1, None, {}), asked, rng).walk == ("crm", "tracker"):  # type: ignore[arg-type]  # the draw looks at names only
            return index
    raise AssertionError("no try draws that walk")
