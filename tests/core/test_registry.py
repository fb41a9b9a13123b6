"""The registry: one class, one error message, one did-you-mean."""

import sys

import pytest

from compoworld_core.errors import DuplicateName, PluginError, UnknownName
from compoworld_core.registry import Registry, closest, resolve


def test_an_object_is_returned_as_it_was_registered() -> None:
    registry = Registry("reward")
    registry.register("plain", sorted)
    assert registry.load("plain") is sorted


def test_a_string_target_is_imported_only_when_it_is_loaded() -> None:
    registry = Registry("reward")
    registry.register("codec", "encodings.punycode:getregentry", summary="a codec")
    sys.modules.pop("encodings.punycode", None)
    assert registry.get("codec").summary == "a codec"
    assert "encodings.punycode" not in sys.modules
    assert callable(registry.load("codec"))
    assert "encodings.punycode" in sys.modules


def test_a_wrong_name_says_what_is_close_and_how_to_list_all() -> None:
    registry = Registry("service", "compoworld services list")
    registry.register("gmail", object())
    with pytest.raises(UnknownName) as caught:
        registry.load("gmial")
    text = str(caught.value)
    assert "no service is called 'gmial'" in text
    assert "Closest: gmail" in text
    assert "compoworld services list" in text


def test_a_wrong_name_mentions_plugins_that_did_not_load() -> None:
    registry = Registry("reward")
    registry.broken.append(PluginError("plugin 'x' of some-dist did not load"))
    with pytest.raises(UnknownName, match="some-dist"):
        registry.get("completion")


def test_a_second_target_under_a_name_names_both() -> None:
    registry = Registry("reward")
    registry.register("mean", "one:mean", distribution="first-dist")
    with pytest.raises(DuplicateName) as caught:
        registry.register("mean", "two:mean", distribution="second-dist")
    assert "one:mean (first-dist)" in str(caught.value)
    assert "two:mean (second-dist)" in str(caught.value)


def test_the_same_target_twice_is_no_clash() -> None:
    registry = Registry("reward")
    registry.register("mean", "one:mean")
    registry.register("mean", "one:mean")
    assert registry.names() == ["mean"]


def test_names_are_sorted_and_counted() -> None:
    registry = Registry("reward")
    for name in ("b", "c", "a"):
        registry.register(name, name)
    assert (list(registry), len(registry), "b" in registry) == (["a", "b", "c"], 3, True)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("no_such_module_at_all:thing", "No module named 'no_such_module_at_all'"),
        ("json:no_such_attribute", "json has no 'no_such_attribute'"),
        ("json", "module:attribute"),
    ],
)
def test_a_target_that_does_not_load_names_the_distribution(target: str, words: str) -> None:
    with pytest.raises(PluginError) as caught:
        resolve(target, "reward 'x'", "some-dist")
    assert "reward 'x' of some-dist" in str(caught.value)
    assert words in str(caught.value)


def test_a_dotted_attribute_is_followed() -> None:
    import json

    assert resolve("json:JSONDecoder.decode", "it") is json.JSONDecoder.decode


def test_closest_gives_nothing_for_a_name_unlike_all() -> None:
    assert closest("zzzzzz", ["gmail", "slack"]) == ()
