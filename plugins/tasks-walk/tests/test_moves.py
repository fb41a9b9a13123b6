"""Moves: which ways are natural, which are absurd, and that the tables hold together."""

from __future__ import annotations

import pytest
from compoworld_tasks_walk import moves
from compoworld_tasks_walk.archetypes import ARCHETYPES
from compoworld_tasks_walk.patterns import PATTERNS

ABSURD = 0.55
"""What lies below is not to be planned."""


@pytest.mark.parametrize(
    ("source", "target", "pattern", "kind"),
    [
        ("customer", "bill", "join", "email"),
        ("customer", "order", "each", "email"),
        ("message", "customer", "join", "email"),
        ("work", "customer", "join", "email"),
        ("bill", "comment", "copy", "code"),
        ("firm", "deal", "aggregate", "company"),
        ("order", "message", "create", "money"),
    ],
)
def test_what_people_do_every_day_is_worth_much(
    source: str, target: str, pattern: str, kind: str
) -> None:
    assert moves.worth(source, target, pattern, kind) >= 2


@pytest.mark.parametrize(
    ("source", "target", "pattern", "kind"),
    [
        ("customer", "colleague", "join", "person"),
        ("deal", "colleague", "create", "email"),
        ("order", "product", "copy", "money"),
        ("message", "message", "create", "id"),
        ("meeting", "document", "create", "id"),
        ("work", "customer", "create", "title"),
        ("customer", "place", "update", "person"),
    ],
)
def test_what_nobody_does_is_absurd(source: str, target: str, pattern: str, kind: str) -> None:
    assert moves.worth(source, target, pattern, kind) < ABSURD


@pytest.mark.parametrize("source", ["customer", "message", "work"])
@pytest.mark.parametrize("pattern", ["create", "copy", "update", "each"])
def test_a_help_article_is_read_and_never_written(source: str, pattern: str) -> None:
    assert moves.worth(source, "article", pattern) == 0
    assert moves.worth(source, "article", "join") > 0


def test_an_appointment_is_made_as_other_records_are() -> None:
    assert moves.worth("deal", "meeting", "appointment") == moves.worth(
        "deal", "meeting", "create"
    )
    assert moves.worth("deal", "meeting", "appointment") > 2


def test_the_number_of_a_new_ticket_may_be_passed_on() -> None:
    assert moves.worth("work", "comment", "copy", "id") >= 1


def test_people_are_looked_up_by_address_rather_than_by_phone() -> None:
    by_email = moves.worth("customer", "customer", "join", "email")
    assert by_email > moves.worth("customer", "customer", "join", "phone")


def test_the_row_that_names_more_counts() -> None:
    assert moves.worth("meeting", "document", "create") > moves.worth(
        "order", "document", "create"
    )


@pytest.mark.parametrize("pattern", [pattern.name for pattern in PATTERNS])
def test_every_pattern_has_a_worth_for_all_archetypes(pattern: str) -> None:
    for source in ARCHETYPES:
        for target in ARCHETYPES:
            assert 0 <= moves.worth(source, target, pattern, "email") <= 3


@pytest.mark.parametrize("pattern", [pattern.name for pattern in PATTERNS])
def test_every_pattern_is_of_a_family(pattern: str) -> None:
    assert pattern in moves.FAMILIES


@pytest.mark.parametrize("move", moves.MOVES, ids=str)
def test_rows_name_archetypes_and_families(move: moves.Move) -> None:
    assert {move.source, move.target} <= {*ARCHETYPES, "*"}
    assert move.family in {*moves.FAMILIES.values(), "*"}


def test_a_natural_move_says_what_it_is_for() -> None:
    for move in moves.MOVES:
        assert move.purpose or move.worth < 1.5, move


def test_an_address_is_no_matter_for_a_memo() -> None:
    assert moves.sink_worth("bill", "text", "email", field="memo") == 0


def test_a_due_date_goes_into_a_task_or_a_meeting() -> None:
    assert moves.sink_worth("work", "date", "date") > 2
    assert moves.sink_worth("meeting", "date", "date") > 2


def test_a_number_of_a_document_goes_into_a_memo() -> None:
    assert moves.sink_worth("bill", "text", "code") > 2


@pytest.mark.parametrize("kind", ["code", "date", "money", "cents", "title", "url"])
def test_a_message_takes_what_is_to_be_told(kind: str) -> None:
    assert moves.sink_worth("message", "text", kind) > 1


@pytest.mark.parametrize("kind", ["email", "phone"])
def test_nobody_is_written_their_own_address(kind: str) -> None:
    assert moves.sink_worth("message", "text", kind) == 0


def test_a_new_customer_is_not_told_a_story() -> None:
    assert moves.sink_worth("customer", "text", "code", "create") == 0


def test_a_whole_description_is_not_given_up_for_one_fact() -> None:
    kept = moves.sink_worth("work", "text", "code", field="description", mode="append")
    assert moves.sink_worth("work", "text", "code", field="description", mode="set") < ABSURD
    assert kept > 1


def test_a_new_record_has_nothing_to_lose() -> None:
    assert moves.sink_worth("work", "text", "code", "create", "description", mode="set") > 1
    assert moves.sink_worth("comment", "text", "date", field="content", mode="set") > 1


def test_an_amount_is_of_something_that_has_a_price() -> None:
    fields = ("work", "money", "money", "copy", "refund_amount")
    assert moves.sink_worth(*fields, source="customer") < ABSURD
    assert moves.sink_worth(*fields, source="order") > 1


def test_only_what_is_made_for_a_facts_sake_is_made_for_one() -> None:
    assert moves.sink_worth("work", "date", "date", "create") > 1
    for archetype in ("deal", "customer", "order", "bill", "document"):
        assert moves.sink_worth(archetype, "date", "date", "create") == 0


def test_the_name_of_a_branch_is_nothing_to_tell() -> None:
    assert moves.tale_worth("default_branch") == 0
    assert moves.tale_worth("sum.amount_due") > moves.tale_worth("createdAt")


def test_nobody_is_called_by_a_title_or_a_phone_number() -> None:
    assert moves.handle_worth("colleague", "title") == 0
    assert moves.handle_worth("customer", "phone") < ABSURD
    assert moves.handle_worth("customer", "person") == 3
    assert moves.handle_worth("order", "code") == 3


def test_a_link_is_no_name() -> None:
    assert moves.handle_worth("order", "url", "abandonedCheckoutUrl") < ABSURD


def test_deeds_of_an_errand_and_others() -> None:
    assert moves.deed_worth("order", "cancel_order", ("status",)) > 2
    assert moves.deed_worth("work", "setPriority", ("priority",)) > 2
    assert moves.deed_worth("channel", "leave_channel", ("is_member",)) < ABSURD
    assert moves.deed_worth("place", "alter_place", ("state",)) < 1


def test_one_word_of_what_nobody_does_counts_more_than_the_others() -> None:
    assert moves.deed_worth("message", "set_status_hidden", ("hidden",)) < ABSURD


def test_nobody_narrows_people_by_their_type() -> None:
    assert moves.filter_worth("customer", "type") < ABSURD
    assert moves.filter_worth("work", "status") == 2
