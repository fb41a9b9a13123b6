"""Zendesk: what its tools do, refuse and leave alone."""

from __future__ import annotations

from typing import Any, cast

import pytest
from compoworld_services_communication_support.zendesk import service
from compoworld_services_communication_support.zendesk.state import (
    ORDER_FIELD,
    REFUND_FIELD,
    Ticket,
    User,
    ZendeskState,
)

from compoworld_core import Environment, compose
from compoworld_core.cast import draw_cast
from compoworld_core.testing import dangling


@pytest.fixture
def env() -> Environment:
    return compose(service, seed=5, scale=400)


def world(env: Environment) -> ZendeskState:
    return cast("ZendeskState", env.state("zendesk"))


def ok(env: Environment, tool: str, **arguments: Any) -> Any:
    observation = env.call(f"zendesk.{tool}", arguments)
    assert not observation.is_error, observation.text
    return observation.data


def refused(env: Environment, code: str, tool: str, **arguments: Any) -> str:
    before = env.digest()
    observation = env.call(f"zendesk.{tool}", arguments)
    assert observation.code == code, observation.text
    assert env.digest() == before
    return observation.text


def ticket(env: Environment, **wanted: Any) -> Ticket:
    return world(env).tickets.where(**wanted)[0]


def customer(env: Environment, **wanted: Any) -> User:
    return world(env).users.where(**{"role": "end-user", "suspended": False, **wanted})[0]


def agent(env: Environment) -> User:
    return world(env).users.where(role="agent")[0]


@pytest.mark.parametrize("scale", [20, 200, 2000])
def test_a_seed_has_about_as_many_records_as_asked_for(scale: int) -> None:
    state = service.new_state(draw_cast(1, scale), 1, scale)
    rows = sum(len(state.table(name)) for name in state.tables())
    assert 0.7 * scale <= rows <= 1.4 * scale
    assert not list(dangling(state))


@pytest.mark.parametrize("scale", [200, 2000])
def test_seeded_tickets_keep_the_rules_of_the_tools(scale: int) -> None:
    state = service.new_state(draw_cast(2, scale), 2, scale)
    for row in state.tickets:
        assert row.status not in ("solved", "closed") or row.assignee_id is not None
        assert row.due_at is None or row.type == "task"
        assert row.created_at <= row.updated_at


def test_a_new_ticket_takes_the_requester_s_address_and_organization(env: Environment) -> None:
    user = customer(env)
    new = ok(
        env, "create_ticket", subject="Help", description="Please", requester_id=user.id,
        priority="High", tags=["Two words", "b"],
        custom_fields=[
            {"id": ORDER_FIELD, "value": "#1042"},
            {"id": REFUND_FIELD, "value": 9.5},
        ],
    )  # fmt: skip
    assert new["requester_email"] == user.email
    assert new["organization_id"] == user.organization_id
    assert (new["status"], new["priority"], new["tags"]) == ("new", "high", ["b", "two_words"])
    assert (new["order_number"], new["refund_amount"]) == ("#1042", "9.5")
    assert new["id"] > max(row.id for row in compose(service, seed=5, scale=400)
                           .state("zendesk").table("tickets"))  # fmt: skip


def test_an_assigned_ticket_is_open(env: Environment) -> None:
    new = ok(env, "create_ticket", subject="a", description="b", assignee_id=agent(env).id)
    assert new["status"] == "open"
    fresh = ticket(env, status="new", assignee_id=None)
    assert (
        ok(env, "update_ticket", ticket_id=fresh.id, assignee_id=agent(env).id)["status"]
        == "open"
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [("priority", "huge"), ("type", "bug"), ("subject", ""), ("subject", "x" * 151),
     ("tags", [""]), ("custom_fields", [{"id": REFUND_FIELD, "value": "much"}]),
     ("custom_fields", [{"value": "x"}])],
)  # fmt: skip
def test_a_bad_value_is_refused(env: Environment, field: str, value: Any) -> None:
    row = ticket(env, status="open")
    refused(env, "invalid_argument", "update_ticket", ticket_id=row.id, **{field: value})


def test_an_update_keeps_what_it_does_not_name(env: Environment) -> None:
    row = ticket(env, status="open")
    new = ok(env, "update_ticket", ticket_id=row.id, priority="urgent")
    kept = row.model_dump(mode="json")
    assert new["updated_at"] != kept["updated_at"]
    assert {**new, "updated_at": 0} == {**kept, "priority": "urgent", "updated_at": 0}


def test_a_status_goes_only_where_it_may(env: Environment) -> None:
    row = ticket(env, status="pending")
    refused(env, "failed_precondition", "update_ticket", ticket_id=row.id, status="new")
    assert ok(env, "update_ticket", ticket_id=row.id, status="hold")["status"] == "on-hold"


def test_solving_needs_an_assignee(env: Environment) -> None:
    row = ticket(env, status="new", assignee_id=None)
    refused(env, "failed_precondition", "update_ticket", ticket_id=row.id, status="solved")
    solved = ok(
        env, "update_ticket", ticket_id=row.id, status="solved", assignee_id=agent(env).id
    )
    assert solved["status"] == "solved"


def test_a_closed_ticket_takes_nothing_more(env: Environment) -> None:
    row = ticket(env, status="closed")
    refused(env, "failed_precondition", "update_ticket", ticket_id=row.id, priority="low")
    refused(env, "failed_precondition", "create_ticket_comment", ticket_id=row.id, comment="x")
    refused(env, "failed_precondition", "add_ticket_tags", ticket_id=row.id, tags=["x"])
    refused(env, "failed_precondition", "delete_ticket", ticket_id=row.id)


def test_only_a_task_is_due(env: Environment) -> None:
    row = next(t for t in world(env).tickets if t.type != "task" and t.status == "open")
    due = {"ticket_id": row.id, "due_at": "2026-12-24T10:00:00Z"}
    refused(env, "failed_precondition", "update_ticket", **due)
    assert ok(env, "update_ticket", **due, type="task")["due_at"] == "2026-12-24T10:00:00Z"


def test_tickets_are_assigned_to_agents_only(env: Environment) -> None:
    row = ticket(env, status="open")
    refused(
        env, "failed_precondition", "update_ticket", ticket_id=row.id,
        assignee_id=customer(env).id,
    )  # fmt: skip


def test_a_suspended_person_opens_no_ticket(env: Environment) -> None:
    user = customer(env)
    ok(env, "update_user", user_id=user.id, suspended=True)
    refused(
        env, "permission_denied", "create_ticket", subject="a", description="b",
        requester_id=user.id,
    )  # fmt: skip


def test_comments_come_oldest_first_with_the_new_one_last(env: Environment) -> None:
    row = world(env).tickets[next(c.ticket_id for c in world(env).comments)]
    if row.status == "closed":
        row = ticket(env, status="open")
    new = ok(env, "create_ticket_comment", ticket_id=row.id, comment="note", public=False)
    listed = ok(env, "get_ticket_comments", ticket_id=row.id)["items"]
    assert listed[-1]["id"] == new["id"]
    assert not listed[-1]["public"]
    times = [comment["created_at"] for comment in listed]
    assert times == sorted(times)


def test_tags_are_added_and_removed_without_touching_the_others(env: Environment) -> None:
    row = next(t for t in world(env).tickets if len(t.tags) > 1 and t.status == "open")
    grown = ok(env, "add_ticket_tags", ticket_id=row.id, tags=["zz_new"])
    assert grown["tags"] == [*row.tags, "zz_new"]
    left = ok(env, "remove_ticket_tags", ticket_id=row.id, tags=["zz_new", "absent"])
    assert left["tags"] == list(row.tags)


def test_merging_closes_the_sources_and_notes_it_on_the_target(env: Environment) -> None:
    first, second = world(env).tickets.where(status="open")[:2]
    ok(env, "merge_tickets", ticket_id=first.id, source_ticket_ids=[second.id])
    closed = world(env).tickets[second.id]
    assert closed.status == "closed"
    assert "closed_by_merge" in closed.tags
    notes = ok(env, "get_ticket_comments", ticket_id=first.id)["items"]
    assert f"#{second.id}" in notes[-1]["body"]
    refused(
        env, "invalid_argument", "merge_tickets", ticket_id=first.id,
        source_ticket_ids=[first.id],
    )  # fmt: skip


def test_a_deleted_ticket_takes_its_comments_along(env: Environment) -> None:
    row = next(
        t for t in world(env).tickets
        if t.status == "open" and world(env).comments.where(ticket_id=t.id)
    )  # fmt: skip
    ok(env, "delete_ticket", ticket_id=row.id)
    refused(env, "not_found", "get_ticket", ticket_id=row.id)
    assert not world(env).comments.where(ticket_id=row.id)


def test_pages_of_tickets_are_in_order_and_complete(env: Environment) -> None:
    seen: list[Any] = []
    page = 1
    while True:
        part = ok(env, "get_tickets", page=page, per_page=30, sort_order="asc")
        seen += part["items"]
        if part["next_cursor"] is None:
            break
        page = int(part["next_cursor"])
    times = [row["created_at"] for row in seen]
    assert times == sorted(times)
    assert {row["id"] for row in seen} == set(world(env).tickets.keys())


def test_priorities_sort_by_weight_not_by_spelling(env: Environment) -> None:
    rows = ok(env, "get_tickets", sort_by="priority", per_page=40)["items"]
    order = ["urgent", "high", "normal", "low", None]
    places = [order.index(row["priority"]) for row in rows]
    assert places == sorted(places)
    assert places[0] == 0
    refused(env, "invalid_argument", "get_tickets", sort_by="mood")


@pytest.mark.parametrize(
    ("query", "test"),
    [
        ("status:open", lambda t: t.status == "open"),
        ("status<solved priority:high", lambda t: t.status not in ("solved", "closed")
         and t.priority == "high"),
        ("-status:closed tags:billing", lambda t: t.status != "closed" and "billing" in t.tags),
        ('subject:"charged twice"', lambda t: "charged twice" in t.subject.lower()),
        ("assignee:none", lambda t: t.assignee_id is None),
        ("ticket_type:task", lambda t: t.type == "task"),
    ],
)  # fmt: skip
def test_a_search_finds_exactly_what_its_terms_say(
    env: Environment, query: str, test: Any
) -> None:
    wanted = [row for row in world(env).tickets if test(row)]
    assert wanted
    assert ok(env, "search_tickets", query=query)["total"] == len(wanted)


def test_a_search_finds_tickets_by_people_and_numbers(env: Environment) -> None:
    row = next(t for t in world(env).tickets if t.order_number)
    by_number = ok(env, "search_tickets", query=f"fieldvalue:{row.order_number}")["items"]
    assert all(item["order_number"] == row.order_number for item in by_number)
    assert by_number
    by_person = ok(env, "search_tickets", query=f"requester:{row.requester_email}")
    same = ok(env, "get_user_tickets", user_id=row.requester_id)
    assert by_person["total"] == same["total"] > 0
    day = row.created_at.date()
    dated = ok(env, "search_tickets", query=f"created>={day} created<={day}", per_page=40)
    assert row.id in [item["id"] for item in dated["items"]]


@pytest.mark.parametrize("query", ["", "mood:bad", "status:broken", "created>soon", "tags>1"])
def test_a_wrong_search_says_what_is_wrong(env: Environment, query: str) -> None:
    refused(env, "invalid_argument", "search_tickets", query=query)


def test_people_are_found_by_address_and_account_number(env: Environment) -> None:
    user = next(u for u in world(env).users if u.external_id)
    for found in (
        ok(env, "search_users", query=f"email:{user.email}"),
        ok(env, "search_users", external_id=user.external_id),
        ok(env, "search_users", query=f'name:"{user.name}"'),
    ):
        assert [row["id"] for row in found["items"]] == [user.id]
    refused(env, "invalid_argument", "search_users")


def test_a_new_person_joins_the_organization_of_the_domain(env: Environment) -> None:
    company = next(iter(world(env).organizations))
    email = f"New.Person@{company.domain_names[0]}"
    new = ok(env, "create_user", name="New Person", email=email)
    assert new["organization_id"] == company.id
    refused(env, "conflict", "create_user", name="Other", email=email.lower())


def test_agents_neither_make_agents_nor_change_admins(env: Environment) -> None:
    refused(
        env, "permission_denied", "create_user", name="A", email="a@b.example", role="agent"
    )
    user = customer(env)
    refused(env, "permission_denied", "update_user", user_id=user.id, role="admin")
    admin = world(env).users.where(role="admin")[0]
    refused(env, "permission_denied", "update_user", user_id=admin.id, notes="x")


def test_an_account_number_belongs_to_one_person(env: Environment) -> None:
    first, second = [u for u in world(env).users if u.external_id][:2]
    refused(env, "conflict", "update_user", user_id=second.id, external_id=first.external_id)
    cleared = ok(env, "update_user", user_id=second.id, external_id=None)
    assert cleared["external_id"] is None
    assert cleared["email"] == second.email


def test_organizations_are_found_by_how_they_start_and_named_once(env: Environment) -> None:
    company = next(iter(world(env).organizations))
    found = ok(env, "search_organizations", name=company.name[:5].upper())["items"]
    assert company.id in [row["id"] for row in found]
    refused(env, "conflict", "create_organization", name=company.name.lower())
    new = ok(env, "create_organization", name="Brand New", domain_names=["new.example"])
    refused(
        env, "invalid_argument", "update_organization", organization_id=new["id"],
        domain_names=["not a domain"],
    )  # fmt: skip
    changed = ok(env, "update_organization", organization_id=new["id"], notes="n")
    assert (changed["name"], changed["notes"]) == ("Brand New", "n")


def test_an_organization_lists_its_tickets(env: Environment) -> None:
    row = next(t for t in world(env).tickets if t.organization_id)
    listed = ok(env, "get_organization_tickets", organization_id=row.organization_id)
    assert listed["total"] == len(world(env).tickets.where(organization_id=row.organization_id))


def test_ratings_are_filtered_by_score(env: Environment) -> None:
    every = ok(env, "get_satisfaction_ratings")["total"]
    good = ok(env, "get_satisfaction_ratings", score="good")
    assert {row["score"] for row in good["items"]} == {"good"}
    assert 0 < good["total"] < every


def test_an_article_is_written_into_a_section_that_exists(env: Environment) -> None:
    known = next(iter(world(env).articles)).section
    text = refused(env, "not_found", "create_article", title="t", body="b", section="Nowhere")
    assert known in text
    new = ok(env, "create_article", title="Zebra rules", body="b", section=known, draft=True)
    found = ok(env, "search_articles", query="zebra")["items"]
    assert [row["id"] for row in found] == [new["id"]]
    changed = ok(env, "update_article", article_id=new["id"], draft=False)
    assert (changed["draft"], changed["title"]) == (False, "Zebra rules")
