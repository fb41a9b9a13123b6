"""The conformance suite passes clean services and finds each fault under the right check."""

import json
from random import Random
from typing import Any

import faulty
import jsonschema
import pytest
from desk import service as desk
from hypothesis import given
from hypothesis import strategies as st
from ledgerbook import service as ledgerbook

from compoworld_core import Service, State, compose
from compoworld_core.testing import (
    CHECKS,
    Trial,
    check_service,
    dangling,
    hostile_arguments,
    run_check,
)
from compoworld_core.testing.conformity import faults, misfits


@pytest.mark.parametrize("service", [desk, ledgerbook, faulty.sound], ids=lambda s: s.name)
def test_a_clean_service_passes(service: Service[Any]) -> None:
    assert check_service(service) == []


FAULTS = [
    ("silent", "documented", "has no docstring"),
    ("misdescribed", "documented", "'titel'"),
    ("untyped", "documented", "parameter thing"),
    ("resultless", "documented", "return annotation"),
    ("both_marks", "names", "read_only and destructive"),
    ("badly_schemed", "schemas", "unknown type 'int'"),
    ("deaf", "seeds", "ctx.rng"),
    ("dangling", "seeds", "folder names no row: 'fo_gone'"),
    ("counting", "seeds", "keep no state in the module"),
    ("small", "seeds", "more scale must make more"),
    ("crashing", "hostile arguments", "KeyError"),
    ("brittle", "hostile arguments", "OverflowError"),
    ("writing_reader", "read only", "drop the read_only mark"),
    ("counting_reader", "read only", "takes a new id"),
    ("twice", "idempotent", "drop the mark"),
    ("in_place", "failed calls", "in place"),
    ("in_place", "forks", "in place"),
    ("lying", "answers", "Expected `Note`"),
    ("lying", "read only", "Expected `Note`"),
    ("lying", "hostile arguments", "Expected `Note`"),
    ("mislabelled", "results", "is integer, not string"),
    ("orphaning", "references", "orphaning_tool"),
    ("clocked", "surroundings", "the machine's clock (time)"),
    ("local_day", "surroundings", "the machine's clock (now)"),
    ("local_day", "processes", "local_day_tool"),
    ("dicey", "surroundings", "global random"),
    ("chancy", "surroundings", "chance"),
    ("hashing", "surroundings", "hash()"),
    ("hashing", "processes", "hashing_tool"),
    ("set_order", "processes", "set's order"),
    ("remembering", "processes", "module state"),
]


@pytest.mark.parametrize(("name", "check", "says"), FAULTS)
def test_a_fault_is_found_under_its_check(name: str, check: str, says: str) -> None:
    found = run_check(check, Trial(getattr(faulty, name)))
    assert [failure for failure in found if says in failure.why], [str(f) for f in found]


@pytest.mark.parametrize(
    "name",
    ["silent", "both_marks", "twice", "lying", "mislabelled", "orphaning", "deaf", "small"],
)
def test_a_fault_shows_under_no_other_check(name: str) -> None:
    expected = {check for fault, check, _ in FAULTS if fault == name}
    quick = [check for check in CHECKS if check != "processes"]
    trial = Trial(getattr(faulty, name))
    assert {c for c in quick if run_check(c, trial)} == expected


def test_a_seed_that_breaks_is_reported_by_each_check_it_stops() -> None:
    class Nothing(State):
        pass

    service = Service("broken", state=Nothing, domain="data_analytics")

    @service.seed
    def seed(ctx: Any, scale: int) -> Nothing:
        raise RuntimeError("no world today")

    @service.tool
    def tool(state: Nothing) -> int:
        """Do nothing."""
        return 1

    (failure,) = run_check("seeds", Trial(service))
    assert "no world today" in failure.why


def test_a_service_that_no_other_process_can_import_is_told_so() -> None:
    class Nothing(State):
        pass

    service = Service("local", state=Nothing, domain="data_analytics")
    (failure,) = run_check("processes", Trial(service))
    assert "__main__" in failure.why


def test_the_same_seed_finds_the_same() -> None:
    one = run_check("references", Trial(faulty.orphaning, seed=4))
    assert one == run_check("references", Trial(faulty.orphaning, seed=4))
    assert one


def test_hostile_arguments_cover_what_breaks_tools() -> None:
    env = compose(desk, seed=1, scale=20)
    texts = list(hostile_arguments(desk.tools["update_ticket"], env.state("desk"), Random(1)))
    for part in ("NaN", "1e308", "0001-01-01", "9999-12-31", "\\ud800", "DROP TABLE", "[[[["):
        assert any(part in text for text in texts), part
    agent = env.state("desk").table("agents").keys()
    assert any(f'"ticket_id": "{key}"' in text for text in texts for key in agent)
    assert any(text.count('"ticket_id"') == 2 for text in texts)
    assert any(len(text) > 9_000 for text in texts)
    for text in texts:
        env.call("desk.update_ticket", text)


def test_dangling_looks_through_optional_repeated_and_nested_fields() -> None:
    state = desk.state.model_validate(
        {
            "agents": [{"id": "a", "name": "Ann", "email": "a@b.co"}],
            "tickets": [
                {
                    "id": "t",
                    "subject": "s",
                    "requester": "a@b.co",
                    "created_at": "2026-01-01T00:00:00Z",
                    "assignee": "gone",
                    "comments": [
                        {"author": "a", "text": "fine"},
                        {"author": "left", "text": "dangling"},
                    ],
                }
            ],
        }
    )
    assert sorted(dangling(state)) == [
        "tickets t: assignee names no row: 'gone'",
        "tickets t: comments.author names no row: 'left'",
    ]


SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "pattern": "^a"},
        "size": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "stage": {"enum": ["x", "y"]},
        "kind": {"const": "k"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/child"}},
        "pair": {"type": "array", "prefixItems": [{"type": "integer"}], "items": False},
        "extra": {"type": "object", "additionalProperties": {"type": "number"}},
        "flag": {"type": ["boolean", "null"]},
    },
    "required": ["id"],
    "additionalProperties": False,
    "$defs": {"child": {"type": "object", "required": ["id"]}},
}

values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["a", "b", "x", "k", 1.5]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["id", "n"]), inner, max_size=2)
    ),
    max_leaves=4,
)
documents = st.dictionaries(st.sampled_from([*SCHEMA["properties"], "other"]), values)


@given(documents)
def test_misfits_agree_with_a_full_validator(document: dict[str, Any]) -> None:
    fits = jsonschema.Draft202012Validator(SCHEMA).is_valid(document)
    assert (not list(misfits(document, SCHEMA, SCHEMA))) == fits


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "int"}, "unknown type"),
        ({"$ref": "#/$defs/no"}, "not there"),
        ({"type": "object", "required": ["a"]}, "does not describe"),
        ({"pattern": "("}, "does not compile"),
        ({"anyOf": [{"anyOf": []}]}, "anyOf inside"),
        ({"properties": {"a": {"items": 3}}}, "is not a schema"),
    ],
)
def test_a_bad_schema_is_named(schema: dict[str, Any], says: str) -> None:
    assert says in " ".join(faults(schema, schema))


def test_schemas_of_the_samples_are_sound_for_a_full_validator() -> None:
    for tool in (*desk.tools.values(), *ledgerbook.tools.values()):
        for schema in (tool.input_schema, tool.output_schema):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert list(faults(schema, schema)) == []
            json.dumps(schema)
