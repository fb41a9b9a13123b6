"""The hero: one customer whom a whole task is about, named once and found by their keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from random import Random

import pytest
from compoworld_tasks_walk import hero as heroes
from compoworld_tasks_walk.catalogue import Catalogue
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.generator import script_of
from compoworld_tasks_walk.known import NEVER
from compoworld_tasks_walk.parties import Hero, keys_of, swap_party
from compoworld_tasks_walk.planting import PERSONAL, Planted
from compoworld_tasks_walk.reach import plantable
from compoworld_tasks_walk.render import Unsayable, render
from compoworld_tasks_walk.tones import REGISTERS

from compoworld_core import facts
from compoworld_core.cast import fresh_person
from compoworld_core.expressions import Lit
from compoworld_core.types import KEY_KINDS

pytestmark = pytest.mark.timeout(600)  # the first test of a changed core learns all tools

MADE = 8


@pytest.fixture(scope="module")
def made(drafts: Callable[..., list[Draft]]) -> list[Draft]:
    """Plans of all patterns."""
    return drafts(MADE)


@pytest.fixture(scope="module")
def told(made: list[Draft]) -> list[tuple[Draft, str, list[Lit]]]:
    """Each plan that can be said, what is said, and the literals that it states."""
    found = []
    for number, draft in enumerate(made):
        try:
            text, spans = render(
                script_of(draft), REGISTERS[number % len(REGISTERS)], Random(number)
            )
        except Unsayable:
            continue
        stated = [
            Lit(literal=s.fact.value, kind=s.fact.kind) for s in spans if s.fact is not None
        ]
        found.append((draft, text, stated))
    assert len(found) > MADE // 2
    return found


def hero_of(draft: Draft) -> Hero:
    assert draft.hero is not None
    return draft.hero


# -- what is planted -------------------------------------------------------------------------


def personal(draft: Draft, planted: Planted) -> set[str]:
    """By whom a planted row says that it is: addresses, names, companies, phones of people
    outside."""
    fields = draft.catalogue.tables[planted.service, planted.table].fields
    return {
        value
        for name, column in fields.items()
        if column.outside and column.fact.kind in PERSONAL
        if (value := planted.row.get(name))
    }


def test_every_planted_row_is_the_heros_or_the_rivals_and_never_of_both(
    made: list[Draft],
) -> None:
    seen: Counter[str] = Counter()
    for draft in made:
        hero = hero_of(draft)
        for planted in draft.planter.rows:
            held = personal(draft, planted)
            owners = [
                name
                for name, person in (("hero", hero.person), ("rival", hero.rival))
                if held <= set(keys_of(person))
            ]
            assert owners, f"{planted.service}.{planted.table}: {held}"
            if held:
                assert len(owners) == 1
                seen[f"{planted.role} of the {owners[0]}"] += 1
    assert seen["hero of the hero"] > 10
    assert seen["shadow of the rival"] > 10
    assert not {"hero of the rival", "twin of the rival", "shadow of the hero"} & set(seen)


def test_the_two_are_nobody_in_the_world(catalogue: Catalogue) -> None:
    for seed in range(20):
        hero = heroes.drawn(catalogue, Random(seed))
        both = {*keys_of(hero.person), *keys_of(hero.rival)}
        assert len(both) >= 14
        for key in (*hero.key("email"), *hero.key("company"), *hero.key("person")):
            assert key.casefold() not in catalogue.tokens


def test_putting_one_in_place_of_another_leaves_nothing_of_the_first() -> None:
    first, second = (fresh_person(Random(seed), frozenset()) for seed in (1, 2))
    row = {
        "id": first.email, "email": first.email, "name": first.name, "company": first.company,
        "body": f"I am {first.name} of {first.company}, write to {first.email}.", "seats": 3,
    }  # fmt: skip
    swap_party(row, first, second)
    assert row == {
        "id": first.email, "email": second.email, "name": second.name, "seats": 3,
        "company": second.company,
        "body": f"I am {second.name} of {second.company}, write to {second.email}.",
    }  # fmt: skip


# -- what is known and carried ---------------------------------------------------------------


def test_the_keys_are_known_from_the_start_and_no_edge_carries_them(made: list[Draft]) -> None:
    for draft in made:
        keys = [fact for fact in draft.known if fact.visit == NEVER]
        assert [fact.kind for fact in keys] == ["email", "person", "company"]
        assert [(f.hero, f.shadow) for f in keys] == [
            hero_of(draft).key(fact.kind) for fact in keys
        ]
        assert draft.carried
        assert all(fact.visit != NEVER for fact in draft.carried)


def test_what_an_edge_carries_is_no_key_of_the_two(made: list[Draft]) -> None:
    for draft in made:
        for carry in draft.carries:
            value = draft.trial.value(carry.expr)
            assert not isinstance(value, str) or not hero_of(draft).owns(value)


def test_each_edge_carries_what_the_visit_before_has_told(made: list[Draft]) -> None:
    for draft in made:
        assert {carry.edge for carry in draft.carries} == set(range(len(draft.walk) - 1))
        for carry, fact in zip(draft.carries, draft.carried, strict=True):
            assert (fact.visit, fact.service) == (carry.edge, draft.walk[carry.edge])


def test_a_table_is_searched_by_the_most_telling_key(catalogue: Catalogue) -> None:
    found = {
        (service, table): column
        for service in catalogue.affordances
        for table, column in heroes.anchored(catalogue, service).items()
    }
    assert len(found) > 20
    for (service, table), column in found.items():
        others = catalogue.tables[service, table].fields.values()
        kinds = [kind for kind in heroes.KINDS if kind == column.fact.kind]
        assert kinds, column
        assert catalogue.archetype(service, table) not in ("record", "place", "colleague")
        better = heroes.KINDS[: heroes.KINDS.index(kinds[0])]
        assert not [
            each for each in others
            if each.fact.kind in better and each.outside and each.filled > 0.1
            and plantable(catalogue, (service, table, each.name))
        ]  # fmt: skip


def test_what_is_searched_by_a_key_is_not_found_by_a_title_too(catalogue: Catalogue) -> None:
    listed = [
        (service, profile.name)
        for service in catalogue.affordances
        for profile, _ in heroes.titled(catalogue, service)
    ]
    assert listed
    for service, table in listed:
        assert table not in heroes.anchored(catalogue, service)
        assert catalogue.archetype(service, table) in heroes.TITLED


# -- what is said ----------------------------------------------------------------------------


def test_the_instruction_names_the_hero_once(told: list[tuple[Draft, str, list[Lit]]]) -> None:
    for draft, text, _ in told:
        person = hero_of(draft).person
        assert text.count(f"{person.company} ({person.name}, {person.email})") == 1
        assert text.count(person.name) == 1


def test_the_rival_is_never_spoken_of(told: list[tuple[Draft, str, list[Lit]]]) -> None:
    for draft, text, _ in told:
        rival = hero_of(draft).rival
        for key in (rival.name, rival.email, rival.company):
            assert key.casefold() not in text.casefold()


def test_every_key_that_a_call_uses_is_stated(told: list[tuple[Draft, str, list[Lit]]]) -> None:
    used = 0
    for draft, _, stated in told:
        for step in draft.steps:
            for expr in step.expressions():
                if not isinstance(expr, Lit) or expr.kind not in KEY_KINDS:
                    continue
                if expr.literal == draft.signed:
                    continue  # the signature gives it
                used += 1
                assert any(
                    each.kind == expr.kind
                    and facts.equal(each.kind, each.literal, expr.literal)
                    for each in stated
                ), f"{expr.literal!r} is said nowhere"
    assert used > MADE


def test_nothing_that_is_carried_is_said(told: list[tuple[Draft, str, list[Lit]]]) -> None:
    for draft, text, _ in told:
        for fact in draft.carried:
            if fact.source == "field" and fact.kind in ("date", "money", "code"):
                assert not facts.mentions(fact.kind, fact.hero, text), fact.field


# -- the walk --------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "length"), [(2, 3), (3, 5), (4, 6)])
def test_the_walk_is_drawn_with_the_plan(
    drafts: Callable[..., list[Draft]], k: int, length: int
) -> None:
    walks = [draft.walk for draft in drafts(3, k=k, length=length)]
    for walk in walks:
        assert len(walk) == length
        assert len(set(walk)) == k
        assert all(a != b for a, b in pairwise(walk))
    assert len(set(walks)) > 1


def test_each_visit_has_its_pattern_and_the_last_one_writes(made: list[Draft]) -> None:
    for draft in made:
        assert draft.patterns[0] == "start"
        assert len(draft.patterns) == len(draft.walk)
        assert any(goal.step in {s.id for s in draft.steps if s.visit == len(draft.walk) - 1}
                   for goal in draft.goals)  # fmt: skip
        assert len(draft.goals) >= 2
