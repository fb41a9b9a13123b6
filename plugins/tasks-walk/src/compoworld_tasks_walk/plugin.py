"""Registers the walk generator."""

from compoworld_core import Register, hookimpl


@hookimpl
def register_task_generators(register: Register) -> None:
    """The default generator: a random walk, patterns over learnt affordances, no LLM."""
    register(
        "walk",
        "compoworld_tasks_walk.generator:WalkGenerator",
        summary="a random walk, patterns over tools learnt by running them; no LLM",
    )
