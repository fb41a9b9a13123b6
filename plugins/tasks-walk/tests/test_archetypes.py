"""Archetypes: what a table is about, by its noun and, where that says nothing, its fields."""

from __future__ import annotations

import pytest
from compoworld_tasks_walk.affordances import Fact
from compoworld_tasks_walk.archetypes import ARCHETYPES, archetype, named
from compoworld_tasks_walk.catalogue import FieldProfile, TableProfile

from compoworld_core.state import Entity
from compoworld_core.types import Kind

Column = tuple[str, Kind] | tuple[str, Kind, str]
"""(name, kind, what else: enum, ref, staff)."""


def table(name: str, *columns: Column) -> TableProfile:
    """A table without rows; only names and types of its fields count."""
    fields = {}
    for column, kind, *more in columns:
        fact = Fact(kind=kind, enum=("a", "b") if "enum" in more else ())
        fields[column] = FieldProfile(column, fact, (), 1.0, "staff" in more)
    return TableProfile("any", name, Entity, (), fields, {})


PERSON: tuple[Column, ...] = (("name", "person"), ("email", "email"))
STAFF: tuple[Column, ...] = (("name", "person", "staff"), ("email", "email", "staff"))


@pytest.mark.parametrize(
    ("noun", "held"),
    [
        ("email", "message"),
        ("support ticket", "work"),
        ("customer request", "work"),
        ("pull request", "repository"),
        ("abandoned checkout", "record"),
        ("checkout", "order"),
        ("task", "work"),
        ("pipeline task", "place"),
        ("order record", "order"),
        ("order position", "record"),
        ("account record", "firm"),
        ("help article", "article"),
        ("documentation page", "article"),
        ("page", "document"),
        ("exchange rate", "record"),
        ("shared drive", "place"),
        ("reminder", "reminder"),
    ],
)
def test_a_noun_tells_the_archetype(noun: str, held: str) -> None:
    assert named(noun) == held


def test_a_noun_that_nobody_knows_tells_none() -> None:
    assert named("zorb") is None


def test_a_table_has_a_name_in_the_plural() -> None:
    assert archetype(table("companies")) == "firm"
    assert archetype(table("tickets")) == "work"


def test_a_noun_counts_more_than_the_name_of_the_table() -> None:
    assert archetype(table("records"), "invoice") == "bill"


def test_people_of_our_own_are_colleagues() -> None:
    assert archetype(table("users", *STAFF)) == "colleague"
    assert archetype(table("users", *PERSON)) == "customer"


def test_a_contact_of_our_own_is_a_colleague_too() -> None:
    assert archetype(table("contacts", *STAFF)) == "colleague"


def test_a_customer_named_by_a_company_is_a_firm() -> None:
    assert archetype(table("customers", ("name", "company"))) == "firm"


@pytest.mark.parametrize(
    ("columns", "held"),
    [
        ((("amount", "money"), ("due_date", "date")), "bill"),
        ((("sender", "email"), ("body", "text")), "message"),
        ((("title", "title"), ("starts_at", "datetime"), ("ends_at", "datetime")), "meeting"),
        ((("title", "title"), ("state", "status", "enum"), ("who", "email")), "work"),
        ((("title", "title"), ("amount", "money"), ("stage", "status", "enum")), "deal"),
        ((("path", "file_name"), ("content", "text")), "document"),
        ((("title", "title"), ("price", "money")), "product"),
        (PERSON, "customer"),
        (STAFF, "colleague"),
        ((("flag", "boolean"),), "record"),
    ],
)
def test_fields_tell_where_the_noun_does_not(columns: tuple[Column, ...], held: str) -> None:
    assert archetype(table("zorbs", *columns)) == held


def test_every_noun_of_the_tables_is_of_an_archetype() -> None:
    for noun in ("letter", "room", "review", "quote", "payout", "booking", "plan", "epic"):
        assert named(noun) in ARCHETYPES
