"""Told: answers that descriptions lay out, and what emitted tools make of them and of rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from compoworld_synth import described, stated_rules, structures, told
from compoworld_synth.design import FieldDesign, analyse
from compoworld_synth.listing import Listing, ToolSpec
from compoworld_synth.schemas import Param
from emitted_service import Call, caller, emitted

STR = {"type": "string"}


def tool(
    name: str,
    text: str,
    needed: dict[str, Any] | None = None,
    more: dict[str, Any] | None = None,
) -> ToolSpec:
    properties = {**(needed or {}), **(more or {})}
    schema = {"type": "object", "properties": properties, "required": list(needed or {})}
    return ToolSpec(name, text, "", schema)


def said(text: str, **schema: Any) -> dict[str, Any]:
    return {**STR, **schema, "description": text}


LINES = """Get detailed information about a specific run.

Use this tool when the user asks about:
- "What is the state of run X?"

Returns information about the run including:
- run_id: Unique identifier of the run
- state: Current state (queued, running, done)
- started_at: When it started
- retries: Number of retries
- manual: Whether a person started it
- hosts: List of hosts"""

LAB = Listing(
    "lab",
    (
        tool("list_runs", "List runs. Response: rows[] (run_id, state, retries), total."),
        tool("get_run", LINES, {"run_id": STR}),
        tool("get_job", "Get a job. Response: job (id, title), stages[] (id, name, order).",
             {"job_id": STR}),
        tool("create_job", "Create a draft job.", {"title": said("Title, max 8 characters")},
             {"mail": {"type": "boolean"},
              "form": said("Required when mail is true."),
              "email": said("Provide an email or a phone (but not both)."), "phone": STR}),
        tool("update_job", "Update a job.", {"job_id": STR}, {"status": STR}),
        tool("list_jobs", "List jobs.", None,
             {"after": said("Job after which to go on"),
              "before": said('Job before which to end. Cannot be used with "after".')}),
        tool("delete_job", "Delete a job. Returns the deleted job.", {"job_id": STR}),
        tool("create_contact", "Create a contact.", {"email": STR, "name": STR}),
        tool("list_contacts", "List contacts."),
        tool("create_subscription", "Create a subscription of a contact.",
             {"contact_id": STR, "topic": STR}),
        tool("list_subscriptions", "List the subscriptions of a contact.", None,
             {"id": said("Contact ID"), "email": said("Contact email")}),
        tool("create_email", "Create an email.", {"subject": STR}),
        tool("list_emails", "List emails."),
        tool("create_received_email", "Create a received email.", {"sender": STR}),
        tool("list_received_emails", "List received emails with their sender and subject."),
        tool("list_received_email_attachments",
             "List the attachments of a received email with file name and size.",
             {"email_id": STR}),
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with emitted(LAB, tmp_path_factory.mktemp("lab") / "p") as made:
        yield made


@pytest.fixture
def call(lab: Any) -> Call:
    return caller(lab)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Get a note. Returns {id, name, done}.", ["id", "name", "done"]),
        ("List. Returns ``items`` of ``{id, reason, read}``.", ["items"]),
        ("List. Returns edges as {start, end}.", ["edges"]),
        ('Returns {"records": [{id, value}]}.', ["records"]),
        ("Get it.\n\nResponse: total, failed, has_more.", ["total", "failed", "has_more"]),
        ("Get it. Response: all that there is (or nothing).", []),
        ("Create it from a list, each containing:\n- name: its name\n- size: its size", []),
        ("Returns:\n    str: A text\n    dict: An object", []),
        ("Use this when:\n- notes: are asked for\n- tags: are asked for", []),
    ],
)
def test_parts_are_what_a_shape_names(text: str, names: list[str]) -> None:
    assert [each.name for each in told.parts(text)] == names


def test_lines_tell_the_kinds_of_properties() -> None:
    found = {each.name: each for each in told.parts(LINES)}
    assert [found[name].kind for name in ("retries", "manual", "hosts")] == [
        "int",
        "bool",
        "arr",
    ]
    assert found["started_at"].format == "date-time"
    assert found["state"].enum == ("queued", "running", "done")


def test_a_list_has_the_rows_and_fields_that_its_description_lays_out(call: Call) -> None:
    page = call("list_runs")
    assert {"run_id", "state", "retries"} <= set(page["rows"][0])


def test_a_record_shows_the_lines_of_its_description(call: Call) -> None:
    key = call("list_runs")["rows"][0]["run_id"]
    run = call("get_run", run_id=key)
    assert run["run_id"] == key
    assert {"state", "started_at", "retries", "manual", "hosts"} <= set(run)


def test_a_record_stands_under_its_name_beside_what_goes_with_it(call: Call) -> None:
    key = call("list_jobs")["jobs"][0]["id"]
    answer = call("get_job", job_id=key)
    assert set(answer) == {"job", "stages"}
    assert answer["job"]["id"] == key
    assert set(answer["stages"][0]) == {"id", "name", "order"}


def test_a_draft_is_made_as_one(call: Call) -> None:
    assert call("create_job", title="a", email="x@y.z")["status"] == "draft"


@pytest.mark.parametrize(
    "arguments",
    [
        {"title": "much too long", "phone": "1"},
        {"title": "a"},
        {"title": "a", "email": "x@y.z", "phone": "1"},
        {"title": "a", "phone": "1", "mail": True},
    ],
    ids=("longer", "neither", "both", "without what another asks for"),
)
def test_a_call_that_breaks_a_stated_rule_is_refused(call: Call, arguments: Any) -> None:
    assert call("create_job", **arguments) == "invalid_argument"


def test_two_parameters_that_exclude_each_other_are_refused_together(call: Call) -> None:
    key = call("list_jobs")["jobs"][0]["id"]
    assert call("list_jobs", after=key, before=key) == "invalid_argument"


def test_a_deleted_record_is_returned_where_that_is_said(call: Call) -> None:
    made = call("create_job", title="a", phone="1")
    gone = call("delete_job", job_id=made["id"])
    assert (gone["title"], gone["deleted"]) == ("a", True)


def test_a_bare_id_is_that_of_what_its_words_name(call: Call) -> None:
    one, other = (call("create_contact", email=f"{n}@y.z", name=n)["id"] for n in "ab")
    call("create_subscription", contact_id=one, topic="news")
    assert len(call("list_subscriptions", id=one)["subscriptions"]) == 1
    assert len(call("list_subscriptions", email="a@y.z")["subscriptions"]) == 1
    assert call("list_subscriptions", id=other)["subscriptions"] == []


def test_a_key_is_of_the_thing_that_the_noun_begins_with(call: Call) -> None:
    key = call("list_received_emails")["received_emails"][0]["id"]
    assert "received_email_attachments" in call("list_received_email_attachments", email_id=key)
    sent = call("list_emails")["emails"][0]["id"]
    assert call("list_received_email_attachments", email_id=sent) == "not_found"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Returns start and end dates, and total hours.",
         ("start_date", "end_date", "total_hours")),
        ("Shows billing/shipping addresses and notes.",
         ("billing_address", "shipping_address", "notes")),
        ("**Returns:** Paginated metadata: from, to, subject.", ("from", "to", "subject")),
        ("Includes plan name, attached policies and owners.",
         ("name", "attached_policies", "owners")),
        ('- "What is the price and the owner of it?"', ()),
        ("Returns whether it is queued, running, failed.", ()),
    ],
)  # fmt: skip
def test_contents_in_prose_are_read_word_by_word(text: str, names: tuple[str, ...]) -> None:
    assert described.contents(text, ("plan",)) == names


def test_a_part_of_which_everybody_knows_the_build_is_no_text() -> None:
    made = structures.opened(FieldDesign("shipping_address", "shipping_address", "str"))
    assert made.type == "json"
    assert "city" in [each.name for each in made.parts]


def test_a_condition_in_prose_is_no_rule() -> None:
    kind, unit = (Param(name, (name,), "str") for name in ("kind", "unit"))
    form = Param("form", ("form",), "str", description="Required if kind is something else")
    assert stated_rules.conditions([kind, unit, form]) == ()


@pytest.mark.parametrize(
    ("spec", "veto"),
    [
        (tool("get_email", "Get an email. Response: emails[] (id, text).", {"email_id": STR}),
         "lists_instead"),
        (tool("list_phases", "List. Response: plans[] (id, phases[] (id, name))."), "grouped"),
        (tool("add_lead", "Add a lead. Returns {lead_id, application_id}.", {"name": STR}),
         "makes_more"),
    ],
    ids=("lists_instead", "grouped", "makes_more"),
)  # fmt: skip
def test_answers_of_another_build_are_vetoed(spec: ToolSpec, veto: str) -> None:
    designs = analyse(Listing("lab", (*LAB.tools, spec)))
    found = {each.spec.name: each for piece in designs for each in piece.tools}[spec.name]
    assert veto in [each.name for each in found.operations[0].vetoes if each.hard]
