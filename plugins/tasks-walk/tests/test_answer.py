"""The service that shows what the answer tells is needed, though no edge leaves it last."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compoworld_core.environment import Environment
from compoworld_core.proof.player import play
from compoworld_core.proof.probes.edges import DECISION, changed_start
from compoworld_core.records import Task

# the first test of a changed core learns all tools anew, on however loaded a machine
pytestmark = pytest.mark.timeout(600)


def test_the_last_service_says_something_else_in_another_world(
    start_of: Callable[[Task], Environment], found: Callable[..., Task]
) -> None:
    task = found("answer")
    initial = start_of(task)
    here = play(task.reference, initial.fork()).environment.answer
    told = [
        play(task.reference, changed_start(initial, other).fork()).environment.answer
        for other in task.certificate.worlds
        if (other.edge, other.service) == (DECISION, task.walk[-1])
    ]
    assert told
    assert here not in told
