"""The analysis of a small help desk, tool by tool and entity by entity."""

from __future__ import annotations

import pytest
from analysis_desk import STR, listing, tool
from compoworld_synth.design import Design, OperationDesign, analyse
from compoworld_synth.listing import Listing, ToolSpec

NUMBER = {"type": "number"}


def design(*more: ToolSpec) -> Design:
    (found,) = analyse(listing(*more))
    return found


def operation(name: str, *more: ToolSpec) -> OperationDesign:
    found = {each.spec.name: each for each in design(*more).tools}
    return found[name].operations[0]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("create_ticket", "create"),
        ("get_ticket", "get"),
        ("list_tickets", "list"),
        ("update_ticket", "update"),
        ("delete_ticket", "delete"),
        ("archive_ticket", "transition"),
        ("update_ticket_status", "update"),
        ("search_tickets", "search"),
    ],
)
def test_plain_tools_are_deterministic_with_grade_a(name: str, kind: str) -> None:
    found = operation(name)
    assert (found.kind, found.entity, found.grade) == (kind, "ticket", "A"), found.vetoes


def test_every_operation_states_evidence_or_a_veto() -> None:
    for each in design(tool("board_insights", "Insights.")).tools:
        assert all(one.evidence or one.vetoes for one in each.operations)
        assert each.why


def test_the_key_the_filter_and_the_limit_get_their_roles() -> None:
    roles = {each.param.name: each.role for each in operation("list_tickets").params}
    assert roles == {"status": "filter", "created_after": "filter", "limit": "limit"}
    assert [each.param.name for each in operation("get_ticket").of("id")] == ["ticket_id"]


def test_a_filter_of_time_compares_with_its_field() -> None:
    (after,) = [p for p in operation("list_tickets").params if p.param.name == "created_after"]
    assert (after.field, after.comparison) == ("created_at", "ge")


def test_a_reference_points_to_its_entity_under_a_canonical_field() -> None:
    (user,) = operation("create_ticket").of("ref")
    assert (user.param.name, user.field, user.ref) == ("userId", "user_id", "user")


def test_fields_come_from_writes_filters_and_transitions() -> None:
    fields = design().by_entity["ticket"].by_name
    assert set(fields) == {"subject", "status", "user_id", "created_at", "archived"}
    assert fields["subject"].required
    assert fields["user_id"].shown == "userId"
    assert not any(each.invented for each in fields.values())


def test_a_move_writes_the_reference_to_where_it_goes() -> None:
    found = operation(
        "move_ticket", tool("move_ticket", "Move it.", {"ticket_id": STR, "user_id": STR})
    )
    assert (found.kind, [each.field for each in found.of("ref")]) == ("update", ["user_id"])


def test_semantic_types_come_from_names() -> None:
    fields = design().by_entity["user"].by_name
    assert fields["email"].semantic == "email"


def test_fields_of_an_entity_nobody_describes_are_marked_invented() -> None:
    entity = design(tool("list_invoices", "List invoices.")).by_entity["invoice"]
    assert [(each.name, each.invented) for each in entity.fields][:1] == [("amount", True)]


def test_the_server_name_changes_nothing_but_the_name() -> None:
    one, other = analyse(listing())[0], analyse(Listing("other", listing().tools))[0]
    assert one.tools == other.tools
    assert one.entities == other.entities


def test_a_large_server_is_cut_at_entities() -> None:
    nouns = [f"{a}{b}" for a in ("red", "blue", "green", "gold") for b in ("cat", "dog", "fox")]
    tools = [
        tool(f"{verb}_{noun}", f"{verb} a {noun}", {f"{noun}_id": STR})
        for noun in nouns
        for verb in ("get", "delete", "archive", "close")
    ]
    found = analyse(Listing("zoo", tuple(tools)))
    sizes = [len(piece.tools) for piece in found]
    assert sum(sizes) == len(tools)
    assert all(10 <= size <= 40 for size in sizes)
    homes = [{one.name for one in piece.entities} for piece in found]
    assert not set.intersection(*homes)


def test_function_names_are_unique_identifiers() -> None:
    found = design(tool("createTicket", "Create a ticket.", {"subject": STR}))
    names = [each.function for each in found.tools]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)


def test_stated_amounts_of_a_bill_are_money() -> None:
    more = (
        tool("list_invoices", "List invoices with their total, amount due and due date."),
        tool("create_invoice", "Create an invoice.", {"ticket_id": STR, "tax": NUMBER}),
        tool("get_invoice", "Get an invoice.", {"invoice_id": STR}),
    )
    invoice = design(*more).by_entity["invoice"].by_name
    assert {invoice[name].semantic for name in ("amount_due", "tax")} == {"money"}
    assert not invoice["amount_due"].invented
