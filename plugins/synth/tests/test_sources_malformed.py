"""Malformed documents: whatever stands anywhere in one, it is imported or refused in words."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from compoworld_synth import sources
from compoworld_synth.design import analyse
from compoworld_synth.emit import tools
from compoworld_synth.sources.reading import SourceError, document

HERE: Final = Path(__file__).parent / "listings"
SOURCE: Final = "here.json"
KINDS: Final[tuple[Any, ...]] = (None, True, 5, "x", [], {}, ["x"], {"x": 1})


def _document(name: str) -> Any:
    path = HERE / name
    return document(path.read_bytes(), path.name)


def _places(node: Any, where: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield where
    if isinstance(node, dict):
        for name, below in node.items():
            yield from _places(below, (*where, name))
    elif isinstance(node, list):
        for index, below in enumerate(node):
            yield from _places(below, (*where, index))


def _changed(data: Any, where: tuple[Any, ...], value: Any) -> Any:
    if not where:
        return value
    made = copy.copy(data)
    made[where[0]] = _changed(data[where[0]], where[1:], value)
    return made


@pytest.mark.parametrize("name", ["pets.yaml", "tasks.json", "mail.json", "queues.json"])
def test_any_node_of_any_kind_is_read_or_refused_by_name(name: str) -> None:
    data = _document(name)
    read, refused, odd = 0, 0, []
    for where in _places(data):
        for value in KINDS:
            try:
                found = sources.listing(_changed(data, where, value), SOURCE).callable()
            except SourceError as error:
                refused += 1
                odd += [] if str(error).startswith(SOURCE) else [(where, value)]
                continue
            read += 1
            if read % 4 == 0 and found.tools:  # judging and writing is what takes the time
                for design in analyse(found):
                    tools.source(design)
    assert odd == []
    assert read > refused / 4
    assert refused > 20


@pytest.mark.parametrize(
    ("name", "where", "value", "said"),
    [
        ("pets.yaml", ("info",), "x", "info must be an object, not text ('x')"),
        ("pets.yaml", ("info", "license"), "MIT", "info/license must be an object, not text"),
        ("pets.yaml", ("paths",), [], "paths must be an object, not a list"),
        ("mail.json", ("resources",), 5, "resources must be an object, not a number (5)"),
        ("queues.json", ("shapes", "Queue"), [], "shapes/Queue must be an object, not a list"),
        ("tasks.json", ("tools", 0), "x", "tools/0 is no object"),
    ],
)
def test_the_place_is_named(name: str, where: tuple[Any, ...], value: Any, said: str) -> None:
    with pytest.raises(SourceError) as caught:
        sources.listing(_changed(_document(name), where, value), SOURCE)
    assert f"{SOURCE}: {said}" in str(caught.value)


def test_what_a_reference_leads_to_has_the_shape_that_is_asked_there() -> None:
    data = _document("pets.yaml")
    data["paths"] = {"/a": {"get": {"parameters": [{"$ref": "#/info"}]}}}
    with pytest.raises(SourceError, match="parameters/0 needs 'name'"):
        sources.listing(data, SOURCE)


def test_extensions_are_of_any_shape() -> None:
    data = _document("pets.yaml")
    data["paths"]["x-note"] = "of any shape"
    assert len(sources.listing(data, SOURCE).tools) == 3


@pytest.mark.parametrize("levels", [300, 100_000])
def test_deep_yaml_is_refused_before_it_is_built(levels: int) -> None:
    with pytest.raises(SourceError, match="nest"):
        document(b"a: " + b"[" * levels, "deep.yaml")


@pytest.mark.parametrize("tag", ["!!int x", "!!bool x", "!!timestamp x", "!!binary eA=="])
def test_tags_of_yaml_are_refused(tag: str) -> None:
    with pytest.raises(SourceError, match="uses the YAML tag"):
        document(f"a: {tag}".encode(), "tags.yaml")


def test_a_number_of_five_thousand_digits_is_refused() -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        document(b"a: " + b"7" * 5_000, "long.yaml")


def test_a_yaml_that_would_take_minutes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compoworld_synth.sources.reading.LARGEST_YAML", 10)
    with pytest.raises(SourceError, match="convert it to JSON"):
        document(json.dumps({"a": "long enough"}).encode(), "large.yaml")
