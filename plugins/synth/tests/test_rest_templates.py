"""REST: what method and path of a document decide, played in an emitted service."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from compoworld_synth import sources
from compoworld_synth.sources.mcp import compile_schema
from emitted_service import Call, caller, emitted

from compoworld_core import compose

TEXT: dict[str, Any] = {"type": "string"}
TOPIC = "^projects/[^/]+/topics/[^/]+$"
PROJECT = "^projects/[^/]+$"


def _method(verb: str, path: str, text: str, **more: Any) -> dict[str, Any]:
    return {"httpMethod": verb, "path": path, "description": text, **more}


def _in(place: str, pattern: str = "", *, required: bool = False) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "string", "location": place, "required": required}
    return made | ({"pattern": pattern} if pattern else {})


NAME = {"name": _in("path", TOPIC, required=True)}
ANSWER = {"response": {"$ref": "Topic"}}
TOPICS = {
    "create": _method("POST", "v1/{+parent}/topics", "Creates a topic.",
                      request={"$ref": "Topic"},
                      parameters={"parent": _in("path", PROJECT, required=True),
                                  "topicId": _in("query")}, **ANSWER),
    "get": _method("GET", "v1/{+name}", "Gets a topic.", parameters=NAME,
                   flatPath="v1/projects/{projectsId}/topics/{topicsId}", **ANSWER),
    "list": _method("GET", "v1/{+parent}/topics", "Lists topics.",
                    parameters={"parent": _in("path", PROJECT, required=True),
                                "levels": {**_in("query"), "repeated": True,
                                           "enum": ["LOW", "HIGH"]}},
                    response={"$ref": "Topics"}),
    "patch": _method("PATCH", "v1/{+name}", "Updates a topic.",
                     parameters={**NAME, "updateMask": _in("query")},
                     flatPath="v1/projects/{projectsId}/topics/{topicsId}",
                     request={"$ref": "Topic"}, **ANSWER),
    "update": _method("PUT", "v1/{+name}", "Updates a topic.", parameters=NAME,
                      flatPath="v1/projects/{projectsId}/topics/{topicsId}",
                      request={"$ref": "Topic"}, **ANSWER),
    "testIamPermissions": _method(
        "POST", "v1/{+name}:testIamPermissions",
        "Returns permissions that a caller has on the topic. If it does not exist, this will"
        " return an empty set of permissions.",
        flatPath="v1/projects/{projectsId}/topics/{topicsId}:testIamPermissions",
        parameters=NAME, request={"$ref": "Asked"}, response={"$ref": "Asked"}),
}  # fmt: skip
NOTES = {
    "insert": _method("POST", "notes", "Creates a note.", request={"$ref": "Note"},
                      response={"$ref": "Note"}),
    "list": _method("GET", "notes", "Lists notes.", response={"$ref": "Notes"}),
    "delete": _method("DELETE", "notes", "Deletes a note.",
                      parameters={"id": _in("query", required=True)}),
}  # fmt: skip
DOCUMENT = {
    "kind": "discovery#restDescription",
    "name": "board",
    "schemas": {
        "Topic": {
            "type": "object",
            "properties": {
                "name": TEXT,
                "label": TEXT,
                "color": TEXT,
                "level": {**TEXT, "enum": ["LOW", "HIGH"]},
            },
        },
        "Topics": {
            "type": "object",
            "properties": {"topics": {"type": "array", "items": {"$ref": "Topic"}}},
        },
        "Asked": {
            "type": "object",
            "properties": {"permissions": {"type": "array", "items": TEXT}},
        },
        "Note": {"type": "object", "properties": {"id": TEXT, "text": TEXT, "author": TEXT}},
        "Notes": {
            "type": "object",
            "properties": {"items": {"type": "array", "items": {"$ref": "Note"}}},
        },
    },
    "resources": {
        "projects": {"resources": {"topics": {"methods": TOPICS}}},
        "notes": {"methods": NOTES},
    },
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with emitted(
        sources.listing(DOCUMENT, "here"), tmp_path_factory.mktemp("board") / "p"
    ) as made:
        yield made


@pytest.fixture
def call(service: Any) -> Call:
    return caller(service)


@pytest.fixture
def topic(call: Call) -> str:
    made = call("projects.topics.create", parent="projects/p", topicId="t",
                body={"label": "Old", "color": "red", "level": "LOW"})  # fmt: skip
    return str(made["name"])


def test_every_method_has_code(service: Any) -> None:
    found = {tool.name: tool.kind for tool in service.tools.values()}
    assert set(found.values()) == {"deterministic"}, found


def test_a_resource_name_lies_below_the_one_that_is_given(call: Call, topic: str) -> None:
    assert topic == "projects/p/topics/t"
    assert call("projects.topics.get", name=topic)["label"] == "Old"
    assert [
        row["name"] for row in call("projects.topics.list", parent="projects/p")["topics"]
    ] == [topic]
    assert call("projects.topics.list", parent="projects/q").get("topics", []) == []


def test_seeded_resource_names_have_the_pattern_of_their_key(service: Any) -> None:
    judge = compile_schema({"pattern": TOPIC})
    state: Any = compose(service, seed=3).states["board"]
    rows = list(state.topics)
    assert rows
    assert all(judge.is_valid(row.id) and row.name == row.id for row in rows)


def test_a_filter_of_a_fields_values_is_compared_with_it(call: Call, topic: str) -> None:
    ask = {"parent": "projects/p"}
    low = call("projects.topics.list", **ask, levels=["LOW"]).get("topics", [])
    high = call("projects.topics.list", **ask, levels=["HIGH"]).get("topics", [])
    assert ([row["name"] for row in low], high) == ([topic], [])


def test_a_mask_names_what_is_written(call: Call, topic: str) -> None:
    body = {"label": "New", "color": "blue"}
    done = call("projects.topics.patch", name=topic, updateMask="label", body=body)
    assert (done["label"], done["color"]) == ("New", "red")
    done = call("projects.topics.patch", name=topic, updateMask="color", body={})
    assert "color" not in done
    ask = {"name": topic, "updateMask": "nothing", "body": body}
    assert call("projects.topics.patch", **ask) == "invalid_argument"


def test_put_empties_what_is_left_out(call: Call, topic: str) -> None:
    done = call("projects.topics.update", name=topic, body={"label": "New"})
    assert done["label"] == "New"
    assert "color" not in done


def test_the_owner_has_the_permissions_that_it_asks_about(call: Call, topic: str) -> None:
    asked = {"permissions": ["topics.get", "topics.delete"]}
    assert call("projects.topics.testIamPermissions", name=topic, body=asked) == asked
    none = call("projects.topics.testIamPermissions", name=f"{topic}x", body=asked)
    assert none == {"permissions": []}


def test_a_key_in_the_query_deletes_what_it_names(call: Call) -> None:
    made = call("notes.insert", body={"text": "Hello"})
    assert call("notes.delete", id=made["id"])["deleted"] is True
    assert call("notes.delete", id=made["id"]) == "not_found"
