"""A plugin that generates tasks over the sample services: some tries fail, as real ones do."""

from __future__ import annotations

from random import Random

from sample_tasks import draft

from compoworld_core import Register, hookimpl
from compoworld_core.errors import ServiceError, UsageError
from compoworld_core.generation import Request
from compoworld_core.proof.case import Candidate, Refuted
from compoworld_core.world import World

TOPICS = ("Launch plan", "Harbour move", "Site visit", "Data export")

ASIDES = (
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "hazel", "inlet", "jolly",
    "kiosk", "lemon", "maple", "nylon", "olive", "pearl", "quilt", "river", "sable", "tulip",
)  # fmt: skip
"""Of an aside that means nothing: without one, instructions would be near-duplicates."""


class SampleGenerator:
    """Proposes the hand-made task with another topic, and another aside, each time."""

    def check(self, request: Request) -> None:
        if request.patterns:
            raise UsageError(f"no pattern is called {request.patterns[0]!r}")

    def propose(self, world: World, request: Request, index: int) -> Candidate:
        rng = Random(f"{request.seed}:{index}")
        if index == int(request.options.get("bug", -1)):
            raise KeyError("a bug")
        if index % 5 == 3:
            raise Refuted("walk", f"no plan for try {index}", ("crm", "notes"))
        if index % 7 == 6:
            raise ServiceError(
                "billing", "list_invoices", "raised KeyError instead of ToolError"
            )
        made = draft(world, f"{rng.choice(TOPICS)} {index}")
        if index % 4 == 1:
            made.without("billing", "in_h3")
        words = int(request.options.get("aside", 30))
        made.wording.say(f" An aside: {' '.join(rng.choices(ASIDES, k=words))}.")
        return made.candidate()


@hookimpl
def register_services(register: Register) -> None:
    """Add the sample services; as a hook, so that a test can have these alone."""
    for name in ("billing", "crm", "mailbox", "notes", "tracker"):
        register(name, f"sample_services:{name}")


@hookimpl
def register_task_generators(register: Register) -> None:
    """Add `sample`."""
    register("sample", SampleGenerator, summary="a hand-made task")
