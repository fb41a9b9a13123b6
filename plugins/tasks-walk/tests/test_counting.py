"""How many there are: a figure over a filtered set that goes on as a number."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from compoworld_tasks_walk import topics
from compoworld_tasks_walk.calling import label, phrase
from compoworld_tasks_walk.catalogue import Barren, Catalogue
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.generator import script_of
from compoworld_tasks_walk.hero import anchors, drawn
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.patterns.aggregate import COUNT, Aggregate
from compoworld_tasks_walk.render import render
from compoworld_tasks_walk.script import Tell
from compoworld_tasks_walk.slips import slips
from compoworld_tasks_walk.tones import REGISTERS

from compoworld_core.environment import Environment
from compoworld_core.patch import Patch
from compoworld_core.proof.player import play

# the first test of a changed core learns all tools anew, on however loaded a machine
pytestmark = pytest.mark.timeout(600)

SEEDS = 12
HOME = "stripe"
SIBLINGS = 2
"""Rows of the customer's that are left out."""

Counted = tuple[Draft, Known]


def counted(catalogue: Catalogue, seed: int) -> Counted | None:
    """A plan that reads how many of a customer's there are, and that number."""
    rng = Random(seed)
    hero = drawn(catalogue, rng)
    draft = Draft(catalogue, (HOME, HOME), rng, topics.draw(rng, hero.person.company), hero)
    draft.known += anchors(hero)
    for key in list(draft.known):
        for option in Aggregate().options(draft, 0, key):
            if option.tells[0].field != COUNT:
                continue
            mark = draft.mark()
            try:
                option.apply()
            except Barren:
                draft.back(mark)
                continue
            return draft, draft.known[-1]
    return None


@pytest.fixture(scope="module")
def made(catalogue: Catalogue) -> list[Counted]:
    found = [pair for seed in range(SEEDS) if (pair := counted(catalogue, seed)) is not None]
    assert len(found) > 2
    return found


@pytest.fixture(scope="module")
def start(catalogue: Catalogue) -> Callable[[Draft], Environment]:
    """The world of a plan with its planted rows."""
    world = catalogue.world

    def begin(draft: Draft) -> Environment:
        state = world.bases[HOME].state.fork()
        environment = Environment.of([(world.services[HOME], state)])
        environment.commit(HOME, draft.planter.patches()[HOME])
        return environment

    return begin


def number(draft: Draft, fact: Known, environment: Environment) -> int:
    """What the plan reads in an environment."""
    assert fact.expr is not None
    value = fact.expr.value(play(draft.plan(), environment).scope)
    assert isinstance(value, int)
    return value


def test_it_is_the_number_of_the_planted_rows(
    made: list[Counted], start: Callable[[Draft], Environment]
) -> None:
    for draft, fact in made:
        assert number(draft, fact, start(draft)) == fact.hero
        assert fact.hero == len(draft.records[fact.record].members)


def test_one_that_leaves_the_set_makes_it_one_less(
    made: list[Counted], start: Callable[[Draft], Environment]
) -> None:
    for draft, fact in made:
        changed = start(draft)
        changed.commit(HOME, Patch(operations=list(fact.counter.operations)))
        assert number(draft, fact, changed) == fact.hero - 1


def test_the_number_without_the_filter_is_a_wrong_one(made: list[Counted]) -> None:
    for draft, fact in made:
        members = draft.records[fact.record].members
        assert len(members) + SIBLINGS in {one.value for one in fact.wrong()}


def test_a_colleague_asks_for_the_number_of_them(made: list[Counted]) -> None:
    for seed, (draft, fact) in enumerate(made):
        draft.actions.append(Tell("c1", 0, fact.value))
        register = REGISTERS[seed % len(REGISTERS)]
        text, _ = render(script_of(draft), register, Random(seed))
        draft.actions.pop()
        assert "the number of their " in text
        assert slips(text) == []


def test_a_criterion_and_a_text_call_it_a_number(made: list[Counted]) -> None:
    for draft, fact in made:
        noun = draft.noun(fact.service, fact.table)
        assert phrase(draft, fact) == f"the number of {noun}s"
        assert label(fact) == "Number"
