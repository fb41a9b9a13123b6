"""Reads: what a text names or states is told by that text alone; an hour of a carried day."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from compoworld_tasks_walk.catalogue import Catalogue
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.hero import anchors, drawn
from compoworld_tasks_walk.known import Counter, Known
from compoworld_tasks_walk.patterns.appointment import Appointment
from compoworld_tasks_walk.patterns.targets import TWINS
from compoworld_tasks_walk.script import Stated, Timed
from compoworld_tasks_walk.times import at, ending

from compoworld_core import facts
from compoworld_core.expressions import Lit, Out, Scope

pytestmark = pytest.mark.timeout(600)  # the first test of a changed core learns all tools

Drafts = Callable[..., list[Draft]]
BUSY = ("zendesk", "linear", "shopify", "stripe", "gmail", "snowflake")
"""Services with texts, and with records that texts name."""


# -- named -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def naming(drafts: Drafts) -> list[tuple[Draft, Known]]:
    """Plans with a fact by which a text names a record of the next visit's service."""
    made = drafts(9, "named", "update", "statement", "copy", k=4, length=5, services=BUSY)
    found = [
        (draft, fact) for draft in made for fact in draft.carried if fact.names is not None
    ]
    assert len(found) >= 5
    return found


def test_a_text_names_one_record_of_several_that_could_be_meant(
    naming: list[tuple[Draft, Known]],
) -> None:
    for draft, fact in naming:
        assert fact.names is not None
        text = str(draft.records[fact.record].hero[fact.field])
        own = [planted for planted in fact.names.rows if planted.role in ("hero", "twin")]
        keys = [planted.row[fact.names.key] for planted in own]
        assert len(set(map(str, keys))) == len(keys) == TWINS + 1
        kind = fact.names.pair.profile.fields[fact.names.key].fact.kind
        told = [key for key in keys if facts.mentions(kind, key, text)]
        assert told == [fact.hero], text


def test_those_that_could_be_meant_are_planted_for_the_next_visit(
    naming: list[tuple[Draft, Known]],
) -> None:
    for draft, fact in naming:
        assert fact.names is not None
        planted = [each.row["id"] for each in draft.planter.rows]
        assert all(row.row["id"] in planted for row in fact.names.rows)
        profile = fact.names.pair.profile
        assert profile.service == draft.walk[fact.visit + 1]


def test_what_the_text_names_is_what_the_next_visit_looks_up(
    naming: list[tuple[Draft, Known]],
) -> None:
    for draft, fact in naming:
        assert fact.names is not None
        (rec,) = [r for r in draft.records.values() if r.pair is fact.names.pair]
        (selection,) = [s for s in draft.selections if s.id == rec.id]
        assert draft.trial.value(selection.key) == fact.names.rows[0].row["id"]
        assert not [e for _, _, e in selection.conditions if e == Lit(
            literal=fact.hero, kind=fact.kind)]  # fmt: skip


def test_in_the_other_world_the_text_names_the_other_record(
    naming: list[tuple[Draft, Known]],
) -> None:
    for _, fact in naming:
        assert fact.names is not None
        (operation,) = fact.counter.operations
        said = str(operation.row[fact.field])
        kind = fact.names.pair.profile.fields[fact.names.key].fact.kind
        assert facts.mentions(kind, fact.names.pair.shadow.row[fact.names.key], said)
        assert not facts.mentions(kind, fact.names.pair.hero.row[fact.names.key], said)


# -- statement -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stating(drafts: Drafts) -> list[tuple[Draft, Known]]:
    """Plans with a fact that a text states."""
    made = drafts(5, "statement", "copy", "create", k=2, length=3)
    found = [(d, f) for d in made for f in d.carried if isinstance(f.value, Stated)]
    assert len(found) >= 5
    return found


def test_a_statement_stands_in_the_text_of_the_heros_record_and_nowhere_else(
    stating: list[tuple[Draft, Known]],
) -> None:
    for draft, fact in stating:
        rec = draft.records[fact.record]
        assert facts.equal(fact.kind, facts.grep(fact.kind, rec.hero[fact.field]), fact.hero)
        for planted in draft.planter.rows:
            if planted.row is not rec.hero:
                held = [v for v in planted.row.values() if isinstance(v, str)]
                assert not any(facts.mentions(fact.kind, fact.hero, value) for value in held)


def test_the_rivals_text_states_another_value_which_would_be_wrong(
    stating: list[tuple[Draft, Known]],
) -> None:
    for draft, fact in stating:
        rec = draft.records[fact.record]
        other = facts.grep(fact.kind, rec.shadow[fact.field])
        assert facts.equal(fact.kind, other, fact.shadow)
        assert not facts.equal(fact.kind, fact.hero, fact.shadow)
        assert fact.shadow in [wrong.value for wrong in fact.wrong()]


def test_what_a_text_states_is_written_by_a_goal(stating: list[tuple[Draft, Known]]) -> None:
    for draft, fact in stating:
        demanded = [e for goal in draft.goals for x in goal.expects for e in x.exprs]
        assert fact.expr in demanded


# -- appointment -----------------------------------------------------------------------------


SIGNING = Stated("r1", "body", "date", "signing date")


def day(**changes: Any) -> Known:
    """A day that a text states."""
    expr = Out(step="s1", path=("day",))
    told = Known(
        "zendesk", "tickets", "body", "date", expr, "2026-11-05", "2026-11-09", 0, SIGNING,
        Counter("zendesk", (), ""), record="r1", decoys=("2026-11-01",),
    )  # fmt: skip
    for name, held in changes.items():
        setattr(told, name, held)
    return told


def scope() -> Scope:
    return Scope(outputs={"s1": {"day": "2026-11-05"}})


def test_an_hour_of_a_day_is_the_plans_own_reading_of_it() -> None:
    start = at(day(), 9)
    assert (start.kind, start.hero, start.shadow) == (
        "datetime", "2026-11-05T09:00:00Z", "2026-11-09T09:00:00Z",
    )  # fmt: skip
    assert start.value == Timed(SIGNING, "09:00")
    assert start.expr is not None
    assert start.expr.value(scope()) == start.hero


def test_the_same_hour_of_a_wrong_day_is_wrong() -> None:
    wrong = [fact.value for fact in at(day(), 14).wrong()]
    assert wrong == ["2026-11-09T14:00:00Z", "2026-11-01T14:00:00Z"]


def test_an_hour_can_be_told_before_the_day_was_read() -> None:
    start = at(day(expr=None), 9)
    assert start.expr is None
    assert start.made is not None
    assert start.made(Out(step="s1", path=("day",))).value(scope()) == start.hero


def test_it_ends_an_hour_later_on_the_same_day() -> None:
    end = ending(at(day(), 9))
    assert (end.hero, end.shadow) == ("2026-11-05T10:00:00Z", "2026-11-09T10:00:00Z")
    assert end.expr is not None
    assert end.expr.value(scope()) == end.hero
    assert end.value == Timed(SIGNING, "10:00", ends=True)


def bare(catalogue: Catalogue, service: str) -> Draft:
    """A draft that has come from a help desk to a service, and knows whom it is about."""
    rng = Random(1)
    hero = drawn(catalogue, rng)
    topic = f"{hero.person.company} renewal"
    draft = Draft(catalogue, ("zendesk", service), rng, topic, hero)
    draft.known += anchors(hero)
    return draft


@pytest.mark.parametrize("service", ["google_calendar", "slack"])
def test_what_begins_at_some_time_is_put_at_an_hour_of_the_day(
    catalogue: Catalogue, service: str
) -> None:
    assert [
        o for o in Appointment().options(bare(catalogue, service), 1, day()) if o.weight > 1
    ]


@pytest.mark.parametrize("service", ["stripe", "hubspot"])
def test_what_has_no_hour_takes_none(catalogue: Catalogue, service: str) -> None:
    assert not list(Appointment().options(bare(catalogue, service), 1, day()))


@pytest.mark.parametrize("changed", [{"kind": "money"}, {"kind": "code"}])
def test_only_a_day_has_hours(catalogue: Catalogue, changed: dict[str, Any]) -> None:
    draft = bare(catalogue, "google_calendar")
    assert not list(Appointment().options(draft, 1, day(**changed)))
