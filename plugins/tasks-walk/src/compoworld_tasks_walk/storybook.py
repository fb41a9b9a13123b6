"""The storybook: the stories of `stories.toml`, which says what each of its parts is."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from compoworld_core.types import Kind
from compoworld_tasks_walk.plots import Matter, Story

_LATER: Final = ("Correction: {}", "I have to correct myself: {}", "Small change: {}")
"""How somebody takes back what they have written."""


def _story(row: Mapping[str, Any]) -> Story:
    deeds = {}
    for named, reasons in row["deeds"].items():
        archetype, *words = named.split()
        deeds.update({(archetype, word): tuple(reasons) for word in words})
    return Story(
        row["name"],
        tuple(row["openings"]),
        deeds,
        tuple(_matter(held, place) for place, held in enumerate(row["matters"])),
        tuple(row["asks"]),
    )


def _matter(row: Mapping[str, Any], place: int) -> Matter:
    kind: Kind = "date" if "date" in row else "money"
    first = row["says"]
    again = first if first.startswith("I ") else first[:1].lower() + first[1:]
    later = _LATER[place % len(_LATER)].format(again)
    flags = {name: row.get(name, False) for name in ("early", "forecast", "stake")}
    said: dict[str, Any] = {
        name: _several(row.get(name, "")) for name in ("know", "due", "tell")
    }
    said["memo"] = _several(row.get("memo", "")) + said["know"]
    return Matter(
        row[kind], kind, first, later, **said, **flags, ask=row.get("ask", ""),
        meet=row.get("meet", ""),
    )  # fmt: skip


def _several(text: str) -> tuple[str, ...]:
    """Reasons of which one is given."""
    return tuple(part.strip() for part in text.split("|") if part.strip())


def _read() -> tuple[Story, ...]:
    text = files(__package__).joinpath("stories.toml").read_text(encoding="utf-8")
    return tuple(_story(row) for row in tomllib.loads(text)["story"])


STORIES: Final = _read()
