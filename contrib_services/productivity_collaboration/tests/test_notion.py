"""Notion: what its tools do, refuse and leave alone."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from compoworld_services_productivity_collaboration.notion import service
from compoworld_services_productivity_collaboration.notion.state import (
    DataSource,
    NotionState,
    Page,
)

from compoworld_core import Environment, compose
from compoworld_core.cast import draw_cast
from compoworld_core.testing import dangling


@pytest.fixture
def env() -> Environment:
    return compose(service, seed=5, scale=400)


def world(env: Environment) -> NotionState:
    return cast("NotionState", env.state("notion"))


def ok(env: Environment, tool: str, **arguments: Any) -> Any:
    observation = env.call(f"notion.API-{tool}", arguments)
    assert not observation.is_error, observation.text
    return observation.data


def refused(env: Environment, code: str, tool: str, **arguments: Any) -> str:
    before = env.digest()
    observation = env.call(f"notion.API-{tool}", arguments)
    assert observation.code == code, observation.text
    assert env.digest() == before
    return observation.text


def source(env: Environment, title: str) -> DataSource:
    return world(env).data_sources.where(title=title)[0]


def rows(env: Environment, title: str) -> list[Page]:
    """The rows of a table that can be edited."""
    return world(env).pages.where(
        data_source_id=source(env, title).id, is_locked=False, in_trash=False
    )


def document(env: Environment) -> Page:
    return world(env).pages.where(is_locked=False, title="Refund policy")[0]


def text(content: str) -> list[dict[str, Any]]:
    return [{"text": {"content": content}}]


def paragraph(content: str) -> dict[str, Any]:
    return {"type": "paragraph", "paragraph": {"rich_text": text(content)}}


def found(env: Environment, title: str, **arguments: Any) -> list[str]:
    """Ids of all rows that a query gives, page by page."""
    ids: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        part = ok(
            env,
            "query-data-source",
            data_source_id=source(env, title).id,
            **cursor,
            **arguments,
        )
        ids += [row["id"] for row in part["items"]]
        if part["next_cursor"] is None:
            assert len(ids) == part["total"]
            return ids
        cursor = {"start_cursor": part["next_cursor"]}


@pytest.mark.parametrize("scale", [20, 200, 2000])
def test_a_seed_has_about_as_many_records_as_asked_for(scale: int) -> None:
    state = service.new_state(draw_cast(1, scale), 1, scale)
    count = sum(len(state.table(name)) for name in state.tables())
    assert 0.7 * scale <= count <= 1.4 * scale
    assert not list(dangling(state))


@pytest.mark.parametrize("scale", [200, 2000])
def test_seeded_rows_fit_the_columns_of_their_table(scale: int) -> None:
    state = service.new_state(draw_cast(2, scale), 2, scale)
    options = {
        held.id: {column.id: column.options for column in held.properties}
        for held in state.data_sources
    }
    for page in state.pages:
        columns = options.get(page.data_source_id or "", {})
        assert page.status is None or page.status in columns["status"]
        assert page.email is None or "email" in columns
        assert set(page.properties) <= set(columns)


def test_a_search_finds_pages_and_tables_by_words_of_the_title(env: Environment) -> None:
    both = ok(env, "post-search", query="contract")
    assert both["total"] > 1
    assert all("contract" in row["title"].lower() for row in both["items"])
    assert [row["title"] for row in both["data_sources"]] == ["Contracts"]
    only = {"property": "object", "value": "data_source"}
    tables = ok(env, "post-search", query="CONTRACT", filter=json.dumps(only))
    assert (tables["items"], len(tables["data_sources"])) == ([], 1)
    wrong = {"property": "object", "value": "block"}
    refused(env, "invalid_argument", "post-search", filter=wrong)


def test_a_search_leaves_the_trash_out(env: Environment) -> None:
    page = document(env)
    ok(env, "patch-page", page_id=page.id, in_trash=True)
    assert ok(env, "post-search", query=page.title)["total"] == 0
    ok(env, "patch-page", page_id=page.id, in_trash=False)
    assert ok(env, "post-search", query=page.title)["total"] == 1


@pytest.mark.parametrize(
    ("title", "condition", "test"),
    [
        ("Projects", {"property": "Status", "status": {"equals": "Done"}},
         lambda p: p.status == "Done"),
        ("Projects", {"property": "Status", "status": {"does_not_equal": "Done"}},
         lambda p: p.status != "Done"),
        ("Projects", {"property": "Amount", "number": {"greater_than": 50000}},
         lambda p: p.amount > 50000),
        ("Tasks", {"property": "Tags", "multi_select": {"contains": "legal"}},
         lambda p: "legal" in p.tags),
        ("Tasks", {"property": "Due", "date": {"is_empty": True}}, lambda p: p.due is None),
        ("Contracts", {"property": "Company", "rich_text": {"contains": "AR"}},
         lambda p: "ar" in p.company.lower()),
        ("Projects", {"property": "Billable", "checkbox": {"equals": False}},
         lambda p: not p.properties["Billable"]),
        ("Tasks", {"or": [{"property": "Status", "status": {"equals": "Done"}},
                          {"and": [{"property": "Effort", "select": {"equals": "S"}},
                                   {"property": "Owner", "people": {"is_not_empty": True}}]}]},
         lambda p: p.status == "Done" or (p.properties["Effort"] == "S" and p.owner_id)),
    ],
)  # fmt: skip
def test_a_filter_gives_exactly_the_rows_that_pass_it(
    env: Environment, title: str, condition: dict[str, Any], test: Any
) -> None:
    held = world(env).pages.where(data_source_id=source(env, title).id, in_trash=False)
    wanted = [page.id for page in held if test(page)]
    assert 0 < len(wanted) < len(held)
    assert found(env, title, filter=condition) == wanted


def test_a_row_is_found_by_address_whatever_its_case(env: Environment) -> None:
    page = rows(env, "Customer directory")[0]
    assert page.email
    for address in (page.email, page.email.upper()):
        condition = {"property": "Email", "email": {"equals": address}}
        assert page.id in found(env, "Customer directory", filter=condition)


@pytest.mark.parametrize(
    "condition",
    [
        {"property": "Nothing", "number": {"equals": 1}},
        {"property": "Status", "select": {"equals": "Done"}},
        {"property": "Status", "status": {"contains": "Done"}},
        {"property": "Due", "date": {"before": "soon"}},
        {"property": "Amount", "number": {"equals": "many"}},
        {"and": []},
        {"timestamp": "birthday", "birthday": {"after": "2026-01-01"}},
        "not json",
        {},
    ],
)
def test_a_wrong_filter_says_what_is_wrong(env: Environment, condition: Any) -> None:
    table = source(env, "Projects").id
    refused(
        env, "invalid_argument", "query-data-source", data_source_id=table, filter=condition
    )


def test_rows_are_sorted_with_empty_values_last(env: Environment) -> None:
    order = [{"property": "Due", "direction": "descending"}]
    pages = [world(env).pages[key] for key in found(env, "Tasks", sorts=order)]
    dates = [page.due for page in pages if page.due]
    assert dates == sorted(dates, reverse=True)
    assert all(page.due is None for page in pages[len(dates) :])
    refused(
        env, "invalid_argument", "query-data-source", data_source_id=source(env, "Tasks").id,
        sorts=[{"property": "Due", "direction": "sideways"}],
    )  # fmt: skip


def test_a_status_sorts_in_the_order_of_its_options(env: Environment) -> None:
    ids = found(env, "Projects", sorts=[{"property": "Status", "direction": "ascending"}])
    options = ["New", "Active", "On hold", "Done"]
    places = [options.index(world(env).pages[key].status or "") for key in ids]
    assert places == sorted(places)


def test_columns_that_are_not_asked_for_come_back_empty(env: Environment) -> None:
    page = rows(env, "Customer directory")[0]
    shown = ok(env, "retrieve-a-page", page_id=page.id, filter_properties="Email")
    assert (shown["email"], shown["company"]) == (page.email, None)
    assert shown["title"] == page.title


def test_a_row_gets_the_values_that_are_given(env: Environment) -> None:
    owner = next(iter(world(env).users)).id
    new = ok(
        env, "post-page", parent={"data_source_id": source(env, "Projects").id},
        properties={
            "Name": {"title": text("Harbour")},
            "Status": {"status": {"name": "On hold"}},
            "Company": {"rich_text": text("Acme")},
            "Owner": {"people": [{"id": owner.replace("-", "")}]},
            "Due": {"date": {"start": "2026-11-30"}},
            "Amount": {"number": 1200.50},
            "Tags": {"multi_select": [{"name": "legal"}, {"name": "brand new"}]},
            "Billable": {"checkbox": True},
        },
        children=[paragraph("first"), json.dumps(paragraph("second"))],
    )  # fmt: skip
    assert (new["title"], new["status"], new["company"]) == ("Harbour", "On hold", "Acme")
    assert (new["owner_id"], new["due"], new["amount"]) == (owner, "2026-11-30", "1200.5")
    assert (new["tags"], new["properties"]) == (["brand new", "legal"], {"Billable": True})
    blocks = ok(env, "get-block-children", block_id=new["id"])["items"]
    assert [block["text"] for block in blocks] == ["first", "second"]


@pytest.mark.parametrize(
    "properties",
    [
        {"Status": {"status": {"name": "Done"}}},
        {"Name": {"title": []}},
        {"Name": {"title": text("x")}, "Status": {"status": {"name": "Nearly"}}},
        {"Name": {"title": text("x")}, "Amount": {"number": "much"}},
        {"Name": {"title": text("x")}, "Due": {"date": {"start": "31.12.2026"}}},
        {"Name": {"title": text("x")}, "Colour": {"rich_text": text("red")}},
        {"Name": {"title": text("x")}, "Amount": {"rich_text": text("5")}},
        {"Name": {"title": text("x" * 2001)}},
        "[]",
    ],
)
def test_a_row_with_wrong_values_is_refused(env: Environment, properties: Any) -> None:
    table = {"data_source_id": source(env, "Projects").id}
    refused(env, "invalid_argument", "post-page", parent=table, properties=properties)


def test_an_address_must_look_like_one(env: Environment) -> None:
    page = rows(env, "Customer directory")[0]
    wrong = {"Email": {"email": "nowhere"}}
    refused(env, "invalid_argument", "patch-page", page_id=page.id, properties=wrong)


def test_a_page_that_is_no_row_has_only_its_title(env: Environment) -> None:
    parent = {"page_id": document(env).id}
    values = {"title": {"title": text("Child")}}
    child = ok(env, "post-page", parent=parent, properties=values)
    assert child["parent_page_id"] == document(env).id
    wrong = {**values, "Email": {"email": "a@b.example"}}
    refused(env, "invalid_argument", "post-page", parent=parent, properties=wrong)


def test_a_change_keeps_the_values_it_does_not_name(env: Environment) -> None:
    page = rows(env, "Tasks")[0]
    values = {"Status": {"status": {"name": "Done"}}, "Effort": {"select": {"name": "XL"}}}
    new = ok(env, "patch-page", page_id=page.id, properties=values)
    assert new["properties"]["Effort"] == "XL"
    stamp = {"status": "Done", "last_edited_time": 0, "properties": 0}
    assert {**new, **stamp} == {**page.model_dump(mode="json"), **stamp}
    emptied = ok(env, "patch-page", page_id=page.id, properties={"Due": {"date": None}})
    assert emptied["due"] is None


def test_moving_a_row_out_of_its_table_empties_its_columns(env: Environment) -> None:
    page = rows(env, "Customer directory")[0]
    moved = ok(env, "move-page", page_id=page.id, parent={"page_id": document(env).id})
    assert (moved["data_source_id"], moved["email"], moved["title"]) == (None, None, page.title)
    contracts = source(env, "Contracts").id
    other = rows(env, "Tasks")[0]
    kept = ok(env, "move-page", page_id=other.id, parent={"data_source_id": contracts})
    assert (kept["status"], kept["properties"]) == (other.status, {})


def test_a_page_cannot_be_moved_into_itself(env: Environment) -> None:
    page = document(env)
    values = {"title": {"title": text("Child")}}
    child = ok(env, "post-page", parent={"page_id": page.id}, properties=values)["id"]
    refused(env, "failed_precondition", "move-page", page_id=page.id, parent={"page_id": child})


def test_a_new_table_takes_rows_of_its_own_columns(env: Environment) -> None:
    columns = {"Item": {"title": {}}, "Stage": {"select": {"options": [{"name": "A"}]}},
               "Seen": {"date": {}}}  # fmt: skip
    table = ok(
        env, "create-a-data-source", parent={"page_id": document(env).id}, properties=columns,
        title=text("Stock"),
    )  # fmt: skip
    database = ok(env, "retrieve-a-database", database_id=table["database_id"])
    assert [row["name"] for row in database["data_sources"]] == ["Stock"]
    row = {"Item": {"title": text("Box")}, "Stage": {"select": {"name": "B"}},
           "Seen": {"date": {"start": "2026-01-02", "end": "2026-01-05"}}}  # fmt: skip
    parent = {"database_id": table["database_id"]}
    new = ok(env, "post-page", parent=parent, properties=row)
    assert new["properties"] == {"Stage": "B", "Seen": "2026-01-02/2026-01-05"}
    late = {"property": "Seen", "date": {"after": "2026-01-01"}}
    assert found(env, "Stock", filter=late) == [new["id"]]


def test_a_table_needs_exactly_one_title(env: Environment) -> None:
    parent = {"page_id": document(env).id}
    for columns in ({"A": {"number": {}}}, {"A": {"title": {}}, "B": {"title": {}}}, {"A": {}}):
        refused(
            env, "invalid_argument", "create-a-data-source", parent=parent, properties=columns
        )


def test_a_column_is_renamed_with_its_values_and_removed_with_them(env: Environment) -> None:
    table = source(env, "Tasks").id
    page = rows(env, "Tasks")[0]
    ok(
        env,
        "update-a-data-source",
        data_source_id=table,
        properties={"Effort": {"name": "Size"}},
    )
    value = ok(env, "retrieve-a-page-property", page_id=page.id, property_id="Size")
    assert value["value"] == page.properties["Effort"]
    ok(env, "update-a-data-source", data_source_id=table, properties={"Size": None})
    assert world(env).pages[page.id].properties == {}
    refused(env, "invalid_argument", "retrieve-a-page-property", page_id=page.id,
            property_id="Size")  # fmt: skip
    no_title = {"Name": None}
    refused(env, "failed_precondition", "update-a-data-source", data_source_id=table,
            properties=no_title)  # fmt: skip


def test_the_caller_is_a_member_of_the_workspace(env: Environment) -> None:
    own = ok(env, "get-self")
    assert own["email"] == world(env).ledger.actor
    assert ok(env, "get-user", user_id=own["id"]) == own
    listed = ok(env, "get-users", page_size=5)
    assert (len(listed["items"]), listed["total"]) == (5, len(world(env).users))
