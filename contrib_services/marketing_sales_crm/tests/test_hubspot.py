"""HubSpot: what its tools do, refuse and leave alone."""

from __future__ import annotations

from typing import Any, cast

import pytest
from compoworld_services_marketing_sales_crm.hubspot import service
from compoworld_services_marketing_sales_crm.hubspot.state import Contact, HubspotState

from compoworld_core import Environment, compose
from compoworld_core.cast import draw_cast
from compoworld_core.testing import dangling


@pytest.fixture
def env() -> Environment:
    return compose(service, seed=4, scale=300)


def world(env: Environment) -> HubspotState:
    return cast("HubspotState", env.state("hubspot"))


def ok(env: Environment, tool: str, /, **arguments: Any) -> Any:
    observation = env.call(f"hubspot.{tool}", arguments)
    assert not observation.is_error, observation.text
    return observation.data


def refused(env: Environment, code: str, tool: str, /, **arguments: Any) -> str:
    before = env.digest()
    observation = env.call(f"hubspot.{tool}", arguments)
    assert observation.code == code, observation.text
    assert env.digest() == before
    return observation.text


def live_contacts(env: Environment) -> list[Contact]:
    return world(env).contacts.where(archived=False)


def search(env: Environment, kind: str, *filters: dict[str, Any], **more: Any) -> list[Any]:
    groups = [{"filters": list(filters)}] if filters else []
    page = ok(
        env, "hubspot-search-objects", objectType=kind, filterGroups=groups, limit=100, **more
    )
    return cast("list[Any]", page["items"])


def create(env: Environment, kind: str, **properties: str) -> dict[str, Any]:
    batch = ok(
        env,
        "hubspot-batch-create-objects",
        objectType=kind,
        inputs=[{"properties": properties}],
    )
    return cast("dict[str, Any]", batch["results"][0])


def update(env: Environment, kind: str, key: str, **properties: str) -> dict[str, Any]:
    batch = ok(
        env,
        "hubspot-batch-update-objects",
        objectType=kind,
        inputs=[{"id": key, "properties": properties}],
    )
    return cast("dict[str, Any]", batch["results"][0])


def refuse_update(env: Environment, code: str, kind: str, key: str, **properties: str) -> str:
    inputs = [{"id": key, "properties": properties}]
    return refused(env, code, "hubspot-batch-update-objects", objectType=kind, inputs=inputs)


def test_equality_finds_exactly_the_contact(env: Environment) -> None:
    row = live_contacts(env)[3]
    item = {"propertyName": "email", "operator": "EQ", "value": str(row.email).upper()}
    found = search(env, "contacts", item)
    assert [entry["id"] for entry in found] == [row.id]
    assert found[0]["properties"]["lastname"] == row.lastname


@pytest.mark.parametrize(
    ("operator", "keeps"),
    [
        ("GT", lambda amount: amount > 1000),
        ("GTE", lambda amount: amount >= 1000),
        ("LT", lambda amount: amount < 1000),
        ("LTE", lambda amount: amount <= 1000),
    ],
)
def test_amounts_compare_as_numbers(env: Environment, operator: str, keeps: Any) -> None:
    found = search(
        env, "deals", {"propertyName": "amount", "operator": operator, "value": "1000"}
    )
    wanted = [d for d in world(env).deals if d.amount is not None and keeps(d.amount)]
    assert [entry["id"] for entry in found] == [row.id for row in wanted][:25]


def test_between_in_and_missing_values(env: Environment) -> None:
    deals = list(world(env).deals)
    dates = sorted(str(row.closedate) for row in deals)
    low, high = dates[2], dates[8]
    between = {
        "propertyName": "closedate",
        "operator": "BETWEEN",
        "value": low,
        "highValue": high,
    }
    assert {e["id"] for e in search(env, "deals", between)} == {
        row.id for row in deals if low <= str(row.closedate) <= high
    }
    stages = {
        "propertyName": "dealstage",
        "operator": "IN",
        "values": ["closedwon", "closedlost"],
    }
    assert all("closed" in e["properties"]["dealstage"] for e in search(env, "deals", stages))
    empty = {"propertyName": "amount", "operator": "NOT_HAS_PROPERTY"}
    assert all("amount" not in e["properties"] for e in search(env, "deals", empty))


def test_groups_are_alternatives_and_filters_are_conditions(env: Environment) -> None:
    first, second = live_contacts(env)[:2]
    groups = [
        {"filters": [{"propertyName": "email", "operator": "EQ", "value": row.email}]}
        for row in (second, first)
    ]
    page = ok(
        env, "hubspot-search-objects", objectType="contacts", filterGroups=groups, limit=10
    )
    assert [entry["id"] for entry in page["items"]] == [first.id, second.id]
    both = [item for group in groups for item in group["filters"]]
    assert search(env, "contacts", *both) == []


def test_tokens_match_whole_words_unless_there_is_a_star(env: Environment) -> None:
    row = create(env, "companies", name="Zyxel Harbour Works")
    token = {"propertyName": "name", "operator": "CONTAINS_TOKEN"}
    found = search(env, "companies", {**token, "value": "harbour"})
    assert row["id"] in [entry["id"] for entry in found]
    assert search(env, "companies", {**token, "value": "harb"}) == []
    assert [e["id"] for e in search(env, "companies", {**token, "value": "zyx*"})] == [
        row["id"]
    ]


def test_the_query_finds_words_in_any_case_and_archived_records_never(env: Environment) -> None:
    row = live_contacts(env)[0]
    found = search(env, "contacts", query=f"{row.lastname} {row.firstname}".upper())
    assert row.id in [entry["id"] for entry in found]
    gone = world(env).companies.where(archived=True)
    assert gone
    assert search(env, "companies", query=str(gone[0].domain)) == []


def test_results_are_sorted_with_empty_values_last(env: Environment) -> None:
    sorts = [{"propertyName": "amount", "direction": "DESCENDING"}]
    page = ok(env, "hubspot-search-objects", objectType="deals", sorts=sorts, limit=25)
    amounts = [float(e["properties"].get("amount", -1)) for e in page["items"]]
    assert amounts == sorted(amounts, reverse=True)


def test_pages_follow_each_other(env: Environment) -> None:
    seen: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = ok(env, "hubspot-list-objects", objectType="contacts", limit=20, **after)
        seen += [entry["id"] for entry in page["items"]]
        if page["next_cursor"] is None:
            break
        after = {"after": page["next_cursor"]}
    assert seen == [row.id for row in live_contacts(env)]


def test_a_partial_update_keeps_the_other_properties(env: Environment) -> None:
    row = live_contacts(env)[0]
    changed = update(env, "contacts", row.id, jobtitle="Head of stock")
    assert changed["properties"]["jobtitle"] == "Head of stock"
    assert changed["properties"]["email"] == row.email
    assert changed["updatedAt"] > changed["createdAt"]


def test_an_empty_text_clears_a_property(env: Environment) -> None:
    row = live_contacts(env)[0]
    assert "company" not in update(env, "contacts", row.id, company="")["properties"]


def test_an_update_can_name_the_contact_by_email(env: Environment) -> None:
    row = live_contacts(env)[0]
    batch = ok(
        env,
        "hubspot-batch-update-objects",
        objectType="contacts",
        inputs=[
            {"id": row.email, "idProperty": "email", "properties": {"phone": "+1 555 0100"}}
        ],
    )
    assert batch["results"][0]["id"] == row.id


def test_an_email_address_belongs_to_one_contact(env: Environment) -> None:
    first, second = live_contacts(env)[:2]
    text = refuse_update(env, "conflict", "contacts", first.id, email=str(second.email))
    assert second.id in text
    inputs = [{"properties": {"email": first.email}}]
    refused(
        env, "conflict", "hubspot-batch-create-objects", objectType="contacts", inputs=inputs
    )


def test_the_lifecycle_stage_moves_forward_only(env: Environment) -> None:
    row = create(env, "contacts", email="new@new.example", lifecyclestage="customer")
    refuse_update(env, "failed_precondition", "contacts", row["id"], lifecyclestage="lead")
    update(env, "contacts", row["id"], lifecyclestage="")
    changed = update(env, "contacts", row["id"], lifecyclestage="lead")
    assert changed["properties"]["lifecyclestage"] == "lead"


def test_unknown_and_read_only_properties_are_refused(env: Environment) -> None:
    row = live_contacts(env)[0]
    text = refuse_update(env, "invalid_argument", "contacts", row.id, jobtitel="x")
    assert "jobtitle" in text
    refuse_update(env, "invalid_argument", "contacts", row.id, createdate="2026-01-01")
    deal = next(iter(world(env).deals))
    refuse_update(env, "invalid_argument", "deals", deal.id, amount="a lot")
    refuse_update(env, "invalid_argument", "deals", deal.id, dealstage="lost")


def test_records_go_to_active_owners_only(env: Environment) -> None:
    row = live_contacts(env)[0]
    gone = world(env).owners.where(active=False)[0]
    refuse_update(env, "failed_precondition", "contacts", row.id, hubspot_owner_id=gone.id)
    refuse_update(env, "not_found", "contacts", row.id, hubspot_owner_id="1")


def test_a_batch_is_carried_out_as_a_whole(env: Environment) -> None:
    inputs = [{"properties": {"dealname": "One"}}, {"properties": {"amount": "5"}}]
    text = refused(
        env,
        "invalid_argument",
        "hubspot-batch-create-objects",
        objectType="deals",
        inputs=inputs,
    )
    assert "dealname" in text


def test_a_new_deal_can_be_associated_at_once(env: Environment) -> None:
    contact = live_contacts(env)[0]
    kind = {"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": 3}
    batch = ok(
        env,
        "hubspot-batch-create-objects",
        objectType="deals",
        inputs=[
            {
                "properties": {"dealname": "Lamps", "amount": "1200.50"},
                "associations": [{"to": {"id": contact.id}, "types": [kind]}],
            }
        ],
    )
    deal = batch["results"][0]
    found = ok(env, "get_contact_deals", contact_id=contact.id)
    assert deal["id"] in [entry["id"] for entry in found["items"]]
    back = ok(env, "get_deal_contacts", deal_id=deal["id"])
    assert [entry["id"] for entry in back["items"]] == [contact.id]


def associate(
    env: Environment, type_id: int, kinds: tuple[str, str], start: str, end: str
) -> Any:
    return ok(
        env,
        "hubspot-batch-create-associations",
        fromObjectType=kinds[0],
        toObjectType=kinds[1],
        types=[{"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": type_id}],
        inputs=[{"from": {"id": start}, "to": {"id": end}}],
    )


def test_the_first_company_becomes_the_primary_one(env: Environment) -> None:
    contact = create(env, "contacts", email="p@p.example")
    first, second = (row.id for row in world(env).companies.where(archived=False)[:2])
    kinds = ("contacts", "companies")
    associate(env, 279, kinds, contact["id"], first)
    associate(env, 279, kinds, contact["id"], second)
    assert world(env).contacts[contact["id"]].associatedcompanyid == first
    page = ok(
        env,
        "hubspot-list-associations",
        objectType="contacts",
        objectId=contact["id"],
        toObjectType="companies",
    )
    assert [entry["toObjectId"] for entry in page["items"]] == [first, second]


def test_associations_are_seen_from_both_ends_and_made_once(env: Environment) -> None:
    deal = next(iter(world(env).deals))
    ticket = next(iter(world(env).tickets))
    associate(env, 28, ("tickets", "deals"), ticket.id, deal.id)
    before = env.digest()
    associate(env, 27, ("deals", "tickets"), deal.id, ticket.id)
    assert env.digest() == before
    page = ok(
        env,
        "hubspot-list-associations",
        objectType="deals",
        objectId=deal.id,
        toObjectType="tickets",
    )
    assert ticket.id in [entry["toObjectId"] for entry in page["items"]]


def test_an_association_type_must_fit_both_kinds(env: Environment) -> None:
    deal, contact = next(iter(world(env).deals)), live_contacts(env)[0]
    text = refused(
        env,
        "invalid_argument",
        "hubspot-batch-create-associations",
        fromObjectType="contacts",
        toObjectType="deals",
        types=[{"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": 3}],
        inputs=[{"from": {"id": contact.id}, "to": {"id": deal.id}}],
    )
    assert "4" in text


def test_definitions_name_the_types_between_two_kinds(env: Environment) -> None:
    found = ok(
        env,
        "hubspot-get-association-definitions",
        fromObjectType="contacts",
        toObjectType="companies",
    )
    assert {entry["typeId"]: entry["label"] for entry in found["results"]} == {
        1: "Primary",
        279: None,
    }


def test_a_note_is_made_found_and_changed(env: Environment) -> None:
    me = ok(env, "hubspot-get-user-details")
    contact = live_contacts(env)[0]
    made = ok(
        env,
        "hubspot-create-engagement",
        type="NOTE",
        ownerId=int(me["ownerId"]),
        associations={"contactIds": [int(contact.id)]},
        metadata={"body": "Called about the offer."},
        timestamp=1_780_000_000_000,
    )
    number = made["engagement"]["id"]
    assert made["engagement"]["timestamp"].startswith("2026-05-28")
    page = ok(
        env,
        "hubspot-list-associations",
        objectType="contacts",
        objectId=contact.id,
        toObjectType="notes",
    )
    assert str(number) in [entry["toObjectId"] for entry in page["items"]]
    ok(
        env,
        "hubspot-update-engagement",
        engagementId=number,
        metadata={"body": "Called twice."},
        associations={},
    )
    shown = ok(env, "hubspot-get-engagement", engagementId=number)
    assert shown["metadata"] == {"body": "Called twice."}
    assert shown["associations"]["contactIds"] == [int(contact.id)]


def test_a_task_has_a_status_and_a_note_has_none(env: Environment) -> None:
    owner = int(ok(env, "hubspot-get-user-details")["ownerId"])
    common = {"ownerId": owner, "associations": {}}
    task = ok(
        env,
        "hubspot-create-engagement",
        type="TASK",
        metadata={"subject": "Call back"},
        **common,
    )
    assert task["metadata"]["status"] == "NOT_STARTED"
    bad = {"body": "x", "status": "COMPLETED"}
    refused(
        env,
        "invalid_argument",
        "hubspot-create-engagement",
        type="NOTE",
        metadata=bad,
        **common,
    )
    refused(
        env,
        "invalid_argument",
        "hubspot-update-engagement",
        engagementId=task["engagement"]["id"],
        metadata={"status": "FINISHED"},
        associations={},
    )


def test_a_portals_own_property_takes_values_of_its_type(env: Environment) -> None:
    made = ok(
        env,
        "hubspot-create-property",
        objectType="contacts",
        name="tier",
        label="Tier",
        groupName="contactinformation",
        type="enumeration",
        fieldType="select",
        options=[{"label": "Gold", "value": "gold"}, {"label": "Silver", "value": "silver"}],
    )
    assert made["hubspot_defined"] is False
    row = live_contacts(env)[0]
    assert update(env, "contacts", row.id, tier="gold")["properties"]["tier"] == "gold"
    text = refuse_update(env, "invalid_argument", "contacts", row.id, tier="bronze")
    assert "silver" in text
    item = {"propertyName": "tier", "operator": "EQ", "value": "gold"}
    assert [entry["id"] for entry in search(env, "contacts", item)] == [row.id]


def test_standard_properties_cannot_be_changed(env: Environment) -> None:
    change = {"objectType": "contacts", "label": "Mail"}
    refused(env, "permission_denied", "hubspot-update-property", propertyName="email", **change)
    own = ok(env, "hubspot-update-property", propertyName="sales_region", **change)
    assert own["label"] == "Mail"
    assert len(own["options"]) == 4


def test_property_definitions_tell_types_and_choices(env: Environment) -> None:
    stage = ok(env, "hubspot-get-property", objectType="deals", propertyName="dealstage")
    assert stage["type"] == "enumeration"
    assert "closedwon" in [option["value"] for option in stage["options"]]
    page = ok(env, "hubspot-list-properties", objectType="deals")
    types = {entry["name"]: entry["type"] for entry in page["items"]}
    assert (types["amount"], types["closedate"], types["createdate"]) == (
        "number",
        "date",
        "datetime",
    )


def test_links_lead_into_ones_own_portal_only(env: Environment) -> None:
    me, row = ok(env, "hubspot-get-user-details"), live_contacts(env)[0]
    asked = [{"pagetype": "record", "objectTypeId": "0-1", "objectId": row.id}]
    link = ok(
        env,
        "hubspot-get-link",
        portalId=str(me["hubId"]),
        uiDomain=me["uiDomain"],
        pageRequests=asked,
    )["links"][0]
    assert link.endswith(f"/record/0-1/{row.id}")
    refused(
        env,
        "permission_denied",
        "hubspot-get-link",
        portalId="1",
        uiDomain="app.hubspot.com",
        pageRequests=asked,
    )


def test_a_contact_is_looked_up_by_id_and_by_email(env: Environment) -> None:
    row = live_contacts(env)[0]
    by_id = ok(env, "get_contact_by_id", contact_id=row.id)
    assert ok(env, "get_contact_by_email", email=row.email) == by_id
    refused(env, "not_found", "get_contact_by_email", email="nobody@nowhere.example")
    refused(env, "invalid_argument", "get_contact_by_id")


def test_contacts_are_searched_by_one_property(env: Environment) -> None:
    row = live_contacts(env)[0]
    found = ok(
        env,
        "search_contacts",
        property_name="lastname",
        operator="EQ",
        value=row.lastname,
        limit=5,
    )
    assert row.id in [entry["id"] for entry in found["items"]]
    text = refused(
        env,
        "invalid_argument",
        "search_contacts",
        property_name="lastname",
        operator="LIKE",
        value="x",
    )
    assert "CONTAINS" in text


def test_workflows_are_listed_and_shown(env: Environment) -> None:
    first = ok(env, "hubspot-list-workflows", limit=1)["items"][0]
    assert ok(env, "hubspot-get-workflow", flowId=first["id"]) == first


@pytest.mark.parametrize("scale", [20, 200, 2000])
def test_seeds_refer_to_what_exists(scale: int) -> None:
    state = service.new_state(draw_cast(7, scale), 7, scale)
    assert list(dangling(state)) == []
    for link in state.associations:
        assert link.from_id in state.table(link.from_type)
        assert link.to_id in state.table(link.to_type)
    records = sum(len(state.table(name)) for name in state.tables())
    assert 0.7 * scale <= records <= 1.8 * scale


def test_seeded_contacts_are_the_casts() -> None:
    people = {person.email: person for person in draw_cast(3, 200).customers}
    state = service.new_state(draw_cast(3, 200), 3, 200)
    for row in state.contacts:
        assert people[str(row.email)].account_no == row.account_no
        assert people[str(row.email)].company == row.company
