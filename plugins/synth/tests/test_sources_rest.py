"""REST documents: what they say of paths, bodies and answers reaches the listing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from compoworld_synth import sources
from compoworld_synth.listing import Listing
from compoworld_synth.sources import SourceError
from compoworld_synth.sources.botocore import plain
from compoworld_synth.sources.mcp import compile_schema

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def pets() -> Listing:
    return sources.read(HERE / "listings" / "pets.yaml")


def test_an_operation_becomes_a_tool(pets: Listing) -> None:
    assert [each.name for each in pets.tools] == ["listPets", "createPet", "getPet"]
    assert (pets.version, pets.license) == ("2", "MIT")


def test_the_list_of_an_answer_is_found(pets: Listing) -> None:
    rest = pets.tool("listPets").rest
    assert rest is not None
    assert rest.response_lists == (("pets", "Pet"),)


def test_body_and_answer_are_told(pets: Listing) -> None:
    rest = pets.tool("createPet").rest
    assert rest is not None
    assert (rest.method, rest.body_parameter, rest.answers) == ("POST", "body", True)
    assert rest.read_only_fields == ("id",)
    assert rest.path_parameters == ("ownerId",)


@pytest.mark.parametrize(
    ("pet", "valid"),
    [
        ({"name": "Rex", "tag": None}, True),
        ({"name": "Rex", "age": 0}, False),
        ({"tag": "x"}, False),
        ({"name": "Rex", "mother": {"name": 1}}, False),
    ],
)
def test_schemas_of_3_0_judge_as_they_meant(pets: Listing, pet: Any, valid: bool) -> None:
    judge = compile_schema(pets.tool("createPet").input_schema)
    assert judge.is_valid({"ownerId": "1", "body": pet}) is valid


def test_another_form_of_the_body_is_reported(pets: Listing) -> None:
    assert "createPet/requestBody/application/xml" in [each.path for each in pets.problems]


def test_dates_of_yaml_stay_text(pets: Listing) -> None:
    schema = pets.tool("listPets").input_schema["properties"]["since"]
    assert schema["example"] == "2026-01-02"


def test_a_reference_out_of_the_document_is_refused() -> None:
    document = {
        "openapi": "3.1.0",
        "paths": {"/a": {"get": {"parameters": [{"$ref": "other.yaml#/a"}]}}},
    }
    with pytest.raises(SourceError, match="outside the document"):
        sources.listing(document, "here")


def test_references_in_a_circle_are_refused() -> None:
    document = {"openapi": "3.1.0", "paths": {"/a": {"$ref": "#/paths/~1a"}}}
    with pytest.raises(SourceError, match="circle"):
        sources.listing(document, "here")


def test_one_name_in_two_places_keeps_both() -> None:
    parameters = [{"name": "id", "in": place, "schema": {}} for place in ("path", "query")]
    document = {"openapi": "3.1.0", "paths": {"/a/{id}": {"get": {"parameters": parameters}}}}
    found = sources.listing(document, "here")
    assert list(found.tools[0].input_schema["properties"]) == ["id", "query_id"]
    assert found.problems[0].path.endswith("parameters/id")


def test_discovery_methods_keep_their_resource() -> None:
    size = {"type": "string", "format": "int64"}
    user = {"type": "string", "location": "path", "required": True}
    most = {"type": "integer", "default": "10", "location": "query"}
    document = {
        "kind": "discovery#restDescription",
        "name": "mail",
        "schemas": {
            "Draft": {"type": "object", "properties": {"size": size}},
            "Drafts": {
                "type": "object",
                "properties": {
                    "drafts": {"type": "array", "items": {"$ref": "Draft"}},
                    "nextPageToken": {"type": "string"},
                },
            },
        },
        "resources": {
            "users": {
                "resources": {
                    "drafts": {
                        "methods": {
                            "list": {
                                "id": "mail.users.drafts.list",
                                "path": "users/{userId}/drafts",
                                "httpMethod": "GET",
                                "parameters": {
                                    "userId": user,
                                    "pageToken": {"type": "string", "location": "query"},
                                    "max": most,
                                },
                                "response": {"$ref": "Drafts"},
                            },
                            "create": {
                                "id": "mail.users.drafts.create",
                                "path": "users/{userId}/drafts",
                                "httpMethod": "POST",
                                "request": {"$ref": "Draft"},
                                "supportsMediaUpload": True,
                            },
                        }
                    }
                }
            }
        },
    }  # fmt: skip
    found = sources.listing(document, "here")
    rest = found.tool("mail.users.drafts.list").rest
    assert rest is not None
    assert rest.resource == ("users", "drafts")
    assert rest.response_lists == (("drafts", "Draft"),)
    listed = found.tool("mail.users.drafts.list").input_schema
    assert listed["properties"]["max"]["default"] == 10
    judge = compile_schema(found.tool("mail.users.drafts.create").input_schema)
    assert judge.is_valid({"body": {"size": "12"}})
    assert not judge.is_valid({"body": {"size": "many"}})
    assert found.problems[0].path == "mail.users.drafts.create/supportsMediaUpload"


def test_botocore_operations_say_what_they_answer() -> None:
    document = {
        "metadata": {"endpointPrefix": "queues"},
        "operations": {
            "GetQueue": {
                "http": {"method": "GET", "requestUri": "/queues/{name}?full"},
                "input": {"shape": "Ask"},
                "output": {"shape": "Queue"},
                "errors": [{"shape": "NoSuchQueue"}],
                "documentation": "<p>Gets a <b>queue</b>.</p>",
            }
        },
        "shapes": {
            "Ask": {
                "type": "structure",
                "required": ["QueueName"],
                "members": {
                    "QueueName": {"shape": "Name", "location": "uri", "locationName": "name"}
                },
            },
            "Name": {"type": "string", "min": 1},
            "Queue": {"type": "structure", "members": {"Next": {"shape": "Queue"}}},
        },
    }
    found = sources.listing(document, "here").tool("GetQueue")
    assert found.description == "Gets a queue."
    assert found.rest is not None
    assert found.rest.path_parameters == ("QueueName",)
    assert found.rest.answers
    assert not compile_schema(found.input_schema).is_valid({"QueueName": ""})


def test_a_property_called_examples_keeps_its_reference() -> None:
    schemas = {
        "Tool": {
            "type": "object",
            "properties": {"examples": {"$ref": "#/components/schemas/E"}},
        },
        "E": {"type": "array", "items": {"type": "integer"}},
    }
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tool"}}}}
    document = {
        "openapi": "3.1.0",
        "paths": {"/a": {"post": {"requestBody": body}}},
        "components": {"schemas": schemas},
    }
    judge = compile_schema(sources.listing(document, "here").tools[0].input_schema)
    assert judge.is_valid({"body": {"examples": [1]}})
    assert not judge.is_valid({"body": {"examples": ["x"]}})


def test_a_parameter_with_no_schema_of_json_is_refused_by_name() -> None:
    parameters = [{"name": "a", "in": "query", "schema": {"type": "strong"}}]
    get = {"operationId": "getA", "parameters": parameters}
    document = {"openapi": "3.1.0", "paths": {"/a": {"get": get}}}
    with pytest.raises(SourceError, match="getA/inputSchema"):
        sources.listing(document, "here")


def test_documentation_loses_its_tags() -> None:
    assert plain("<p>A &lt;b&gt; <i>c</i> .</p>") == "A <b> c."


def test_a_bundled_discovery_document_is_read() -> None:
    client = pytest.importorskip(
        "googleapiclient", reason="google-api-python-client is not here"
    )
    folder = Path(client.__file__).parent / "discovery_cache" / "documents"
    found = sources.read(folder / "tasks.v1.json")
    assert len(found.tools) == 14
    rest = found.tool("tasks.tasks.list").rest
    assert rest is not None
    assert rest.response_lists == (("items", "Task"),)


def test_a_bundled_service_model_is_read() -> None:
    botocore = pytest.importorskip("botocore", reason="botocore is not installed")
    folder = Path(botocore.__file__).parent / "data" / "sqs"
    found = sources.read(next(folder.rglob("service-2.json*")))
    assert "CreateQueue" in [each.name for each in found.tools]
