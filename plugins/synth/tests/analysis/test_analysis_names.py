"""Names into phrases and back into identifiers; the second reading; paths."""

from __future__ import annotations

import pytest
from compoworld_synth.listing import Rest
from compoworld_synth.naming import camel, common_prefix, plural, singular, snake, strip_prefix
from compoworld_synth.operations import read_name
from compoworld_synth.rest import key_of, phrase_of
from compoworld_synth.second import opinion


@pytest.mark.parametrize(
    ("name", "verb", "noun", "is_plural"),
    [
        ("create_pull_request", "create", ("pull", "request"), False),
        ("listOpenTickets", "list", ("ticket",), True),
        ("epics-create", "create", ("epic",), False),
        ("get_project_details", "get", ("project",), False),
        ("droplet-get-backups", "get", ("droplet", "backup"), True),
    ],
)
def test_a_name_is_read_into_verb_and_noun(
    name: str, verb: str, noun: tuple[str, ...], is_plural: bool
) -> None:
    phrase = read_name(strip_prefix(name, ()))
    assert (phrase.verb, phrase.noun, phrase.plural) == (verb, noun, is_plural)


def test_words_behind_a_preposition_are_no_part_of_the_noun() -> None:
    phrase = read_name(("list", "tasks", "for", "project"))
    assert phrase.noun == ("task",)
    assert phrase.modifiers == (("for", ("project",)),)


def test_a_qualifier_that_filters_is_remembered() -> None:
    assert read_name(("list", "my", "tasks")).qualifiers == ("my",)


def test_a_name_without_a_verb_has_no_group() -> None:
    assert read_name(("board", "insights")).group == ""


@pytest.mark.parametrize(
    ("several", "one"),
    [("companies", "company"), ("boxes", "box"), ("people", "person"), ("tasks", "task")],
)
def test_singular_and_plural_are_inverse(several: str, one: str) -> None:
    assert singular(several) == one
    assert plural(one) == several


@pytest.mark.parametrize("word", ["status", "address", "analysis", "series"])
def test_words_that_only_look_plural_stay(word: str) -> None:
    assert singular(word) == word


@pytest.mark.parametrize("name", ["class", "../x", '"""', "1st", "\ud800", "match", "a" * 300])
def test_any_name_becomes_an_identifier(name: str) -> None:
    made = snake(name)
    assert made.isidentifier()
    assert made.isascii()
    assert len(made) < 64


def test_a_reserved_class_name_gets_a_suffix() -> None:
    assert camel(("state",)) == "StateRecord"


def test_the_prefix_of_most_names_is_found() -> None:
    assert common_prefix(["acme_get_a", "acme_list_b", "acme_x", "acme_delete_b"]) == 1


def test_a_verb_is_no_prefix() -> None:
    assert common_prefix(["get_a", "get_b", "get_c", "get_d", "list_a"]) == 0


def test_the_second_reading_agrees_with_a_plain_description() -> None:
    assert opinion("Creates a ticket in the queue.", "create", ("ticket",)).agrees


def test_the_second_reading_contradicts_a_computing_description() -> None:
    assert opinion("Trigger a search for missing movies.", "search", ("movie",)).contradicts


def test_the_second_reading_wants_the_noun() -> None:
    said = opinion("Creates a label.", "create", ("ticket",))
    assert not said.agrees
    assert not said.contradicts


@pytest.mark.parametrize(("kind", "contradicts"), [("get", False), ("delete", True)])
def test_an_http_method_can_contradict_and_never_agrees(kind: str, contradicts: bool) -> None:
    said = opinion("Make a GET request to /v1/Tickets/{Sid}", kind, ("ticket",))
    assert (said.agrees, said.contradicts) == (False, contradicts)


def test_the_second_reading_abstains_in_other_languages() -> None:
    said = opinion("チケットを作成します。", "create", ("ticket",))
    assert (said.act, said.agrees, said.contradicts) == ("", False, False)


@pytest.mark.parametrize(
    ("method", "path", "group"),
    [
        ("GET", "/v1/users/{userId}/drafts/{id}", "get"),
        ("GET", "/v1/users/{userId}/drafts", "list"),
        ("POST", "/v1/users/{userId}/drafts", "create"),
        ("PUT", "/v1/users/{userId}/drafts/{id}", "update"),
        ("DELETE", "/v1/users/{userId}/drafts/{id}", "delete"),
    ],
)
def test_method_and_path_decide(method: str, path: str, group: str) -> None:
    phrase = phrase_of(Rest(method, path, ("userId", "id")))
    assert phrase is not None
    assert (phrase.group, phrase.noun) == (group, ("draft",))


def test_an_action_on_a_path_has_no_verb_whatever_the_name_says() -> None:
    phrase = phrase_of(Rest("POST", "/v1/drafts/{id}/send", ("id",), resource=("drafts",)))
    assert phrase is not None
    assert phrase.group == ""


def test_an_action_of_a_state_machine_on_a_path_is_a_transition() -> None:
    rest = Rest("POST", "/v1/files/{f}/approvals/{id}:approve", ("f", "id"), resource=("x",))
    phrase = phrase_of(rest)
    assert phrase is not None
    assert (phrase.group, phrase.noun, key_of(rest)) == ("transition", ("approval",), "id")


def test_a_source_without_paths_leaves_the_names_to_decide() -> None:
    assert phrase_of(Rest("POST", "/")) is None
