"""The generator knows no service: what it knows of one it learns, or reads in its words."""

from __future__ import annotations

import re
from pathlib import Path

import compoworld_tasks_walk
import pytest

from compoworld_core import plugins
from compoworld_core.composition import load_service

SOURCES = sorted(Path(compoworld_tasks_walk.__file__).parent.rglob("*.py"))
WORDS_TOO = frozenset({"box", "close", "front", "later", "monday", "square"})
"""Names of products that are words of the language: these say nothing of a product."""


def mentions(text: str, service: str, title: str) -> list[str]:
    """Lines in which the service's name or title stands, also as a part of an identifier."""
    either = "|".join(re.escape(name) for name in {service: 0, title: 0})
    found = re.compile(rf"(?<![a-z0-9])(?:{either})(?![a-z0-9])", re.IGNORECASE)
    return [line.strip() for line in text.splitlines() if found.search(line)]


def test_a_name_is_seen_in_an_identifier_and_in_a_sentence() -> None:
    text = "notebook\nowner hubspot_owner_id = owned by {}\nas HubSpot has it\nnote\n"
    assert mentions(text, "hubspot", "HubSpot") == text.splitlines()[1:3]
    assert not mentions(text, "note_book", "Notebooks")


@pytest.mark.parametrize(
    "service", [name for name in plugins.services().names() if name not in WORDS_TOO]
)
def test_no_source_of_the_generator_names_a_service(service: str) -> None:
    title = load_service(service).title
    said = {
        path.name: lines
        for path in SOURCES
        if (lines := mentions(path.read_text(encoding="utf-8"), service, title))
    }
    assert not said
