"""The kit of business tools: pages, filters, search, updates, transitions."""

from typing import Any

import pytest
from desk import Agent
from hypothesis import given as examples
from hypothesis import strategies as st
from ledgerbook import service as ledgerbook

from compoworld_core import UNSET, Table, ToolError, compose
from compoworld_core.environment import Environment
from compoworld_core.resources import (
    check,
    given,
    numbered,
    paginate,
    require,
    search,
    transition,
)


@pytest.fixture
def env() -> Environment:
    return compose(ledgerbook, seed=5, scale=60)


def rows(env: Environment) -> list[Any]:
    return list(env.state("ledgerbook").table("invoices"))


@examples(st.integers(0, 60), st.integers(1, 25))
def test_pages_cover_a_list_exactly_once(size: int, limit: int) -> None:
    items, cursor = [], None
    for _ in range(size // limit + 2):
        page = paginate(range(size), limit, cursor)
        items += page.items
        assert page.total == size
        assert len(page.items) <= limit
        cursor = page.next_cursor
        if cursor is None:
            break
    assert items == list(range(size))
    assert cursor is None


@examples(st.integers(0, 60), st.integers(1, 25))
def test_numbered_pages_cover_a_list_exactly_once(size: int, per_page: int) -> None:
    items, number = [], "1"
    for _ in range(size // per_page + 2):
        page = numbered(range(size), int(number), per_page)
        items += page.items
        if page.next_cursor is None:
            break
        number = page.next_cursor
    assert items == list(range(size))


@pytest.mark.parametrize("cursor", ["x", "c", "c-1", "c1x", "c" + "9" * 30, "5"])
def test_a_cursor_that_no_page_gave_is_refused(cursor: str) -> None:
    with pytest.raises(ToolError, match="is not one from a page"):
        paginate([1], 1, cursor)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_page_holds_at_least_one(limit: int) -> None:
    with pytest.raises(ToolError, match="at least 1"):
        paginate([1], limit)
    with pytest.raises(ToolError, match="count from 1"):
        numbered([1], limit, 5)


def test_pages_far_beyond_the_end_are_empty() -> None:
    assert paginate([1], 5, "c99").items == []
    assert numbered([1], 10**40, 5).items == []


def test_require_names_close_keys() -> None:
    table = Table([Agent(id="ag_77", name="Ann", email="ann@example.com")])
    assert require(table, "ag_77", "agent").name == "Ann"
    with pytest.raises(ToolError, match="no agent 'ag_78'"):
        require(table, "ag_78", "agent")


def test_given_drops_what_was_not_said() -> None:
    assert given(a=1, b=UNSET, c=None) == {"a": 1, "c": None}


def test_check_raises_unless_true() -> None:
    check(True, "conflict", "no")
    with pytest.raises(ToolError, match="conflict: no"):
        check(False, "conflict", "no")


def test_search_finds_rows_with_every_word_in_any_case() -> None:
    people = [
        Agent(id="1", name="Ann Lee", email="al@example.com"),
        Agent(id="2", name="ANNA Roe", email="ar@example.com"),
    ]
    assert [p.id for p in search(people, "ann", ("name",))] == ["1", "2"]
    assert [p.id for p in search(people, "roe ann", ("name",))] == ["2"]
    assert [p.id for p in search(people, "al@", ("name", "email"))] == ["1"]


def test_a_changed_row_is_searched_by_its_new_text() -> None:
    table = Table([Agent(id="1", name="Ann", email="a@example.com")])
    assert search(table, "ann", ("name",))
    table.update("1", name="Bo")
    assert search(table, "bo", ("name",))
    assert not search(table, "ann", ("name",))


def test_a_searched_row_dumps_and_compares_as_before() -> None:
    row = Agent(id="1", name="Ann", email="a@example.com")
    fresh = row.model_copy()
    text = row.model_dump_json()
    search([row], "ann", ("name",))
    assert row.model_dump_json() == text
    assert row == fresh


def test_a_transition_names_what_is_possible() -> None:
    steps = {"open": ("closed",)}
    transition("open", "closed", steps, "it")
    with pytest.raises(ToolError, match="it is open; it can become: closed"):
        transition("open", "open", steps, "it")
    with pytest.raises(ToolError, match="it cannot change"):
        transition("closed", "open", steps, "it")


def test_a_getter_shows_or_says_not_found(env: Environment) -> None:
    number = rows(env)[0].id
    assert env.call("ledgerbook.get-invoice", {"number": number}).data["id"] == number
    assert env.call("ledgerbook.get-invoice", {"number": -5}).code == "not_found"


def test_a_lister_applies_all_filters(env: Environment) -> None:
    wanted = rows(env)[3]
    due = wanted.due.isoformat()
    arguments = {"email": wanted.email, "due_from": due, "paid": wanted.paid, "limit": 100}
    listed = env.call("ledgerbook.list-invoices", arguments).data
    expected = [
        row.id
        for row in rows(env)
        if row.email == wanted.email and row.due >= wanted.due and row.paid == wanted.paid
    ]
    assert [item["id"] for item in listed["items"]] == expected
    assert wanted.id in expected


def test_a_lister_without_filters_pages_through_everything(env: Environment) -> None:
    seen: list[int] = []
    cursor = None
    while True:
        page = env.call("ledgerbook.list-invoices", {"limit": 25, "cursor": cursor}).data
        seen += [item["id"] for item in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [row.id for row in rows(env)]


def test_a_lister_holds_back_at_its_maximum() -> None:
    env = compose(ledgerbook, seed=5, scale=300)
    assert len(env.call("ledgerbook.list-invoices", {"limit": 10**9}).data["items"]) == 100


def test_a_searcher_finds_by_word(env: Environment) -> None:
    company = rows(env)[0].company
    found = env.call("ledgerbook.search-invoices", {"query": company.lower()}).data["items"]
    assert rows(env)[0].id in [item["id"] for item in found]


def test_an_updater_keeps_what_was_omitted(env: Environment) -> None:
    before = rows(env)[0]
    env.call("ledgerbook.update-invoice", {"number": before.id, "total": 5})
    after = rows(env)[0]
    assert (after.total, after.due, after.email) == (5, before.due, before.email)


def test_an_updater_needs_a_change_and_refuses_null(env: Environment) -> None:
    number = rows(env)[0].id
    nothing = env.call("ledgerbook.update-invoice", {"number": number})
    assert "name a field" in nothing.text
    null = env.call("ledgerbook.update-invoice", {"number": number, "total": None})
    assert null.code == "invalid_argument"


def test_a_deleter_returns_what_went(env: Environment) -> None:
    number = rows(env)[0].id
    assert env.call("ledgerbook.delete-invoice", {"number": number}).data["id"] == number
    assert env.call("ledgerbook.delete-invoice", {"number": number}).code == "not_found"
