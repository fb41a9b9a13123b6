"""What a world's rows say about its tables, and what they may not decide."""

from __future__ import annotations

import pytest
from compoworld_tasks_walk.hero import anchored
from compoworld_tasks_walk.learning import affordances
from compoworld_tasks_walk.surveying import catalogue_of

from compoworld_core.world import draw_world

pytestmark = pytest.mark.timeout(600)  # the first test of a changed core learns all tools

MAIL, DESK = "gmail", "zendesk"


@pytest.mark.parametrize("seed", [1, 2, 3, 12])
def test_a_customers_mail_is_found_whoever_wrote_the_few_that_are_there(seed: int) -> None:
    """In some small worlds our own people wrote most mails, and no task led out of mail."""
    world = draw_world([MAIL, DESK], seed, 20)
    catalogue = catalogue_of(world, {n: affordances(s) for n, s in world.services.items()})
    assert anchored(catalogue, MAIL)["messages"].name == "sender"
