"""Hub records: two pieces of one server hold the same users without seeing each other."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from compoworld_synth.design import (
    Design,
    EntityDesign,
    FieldDesign,
    OperationDesign,
    ParamDesign,
    ToolDesign,
)
from compoworld_synth.emit import package
from compoworld_synth.listing import Listing, ToolSpec
from compoworld_synth.schemas import Param

from compoworld_core import compose

SCHEMA = {
    "type": "object",
    "properties": {"user_id": {"type": "string"}},
    "required": ["user_id"],
}
USER = EntityDesign(
    "user", "User", "users", "id", "id", hub=True,
    fields=(FieldDesign("name", "name", "str", semantic="person"),),
)  # fmt: skip


def piece(name: str, kind: str = "get") -> Design:
    """One piece with a single tool over the hub."""
    key = ParamDesign(Param("user_id", ("user_id",), "str", True), "id")
    patch = (
        ()
        if kind == "get"
        else (ParamDesign(Param("name", ("name",), "str"), "field", "name"),)
    )
    operation = OperationDesign(None, kind, kind, "user", (key, *patch), grade="A")  # type: ignore[arg-type]  # a kind
    spec = ToolSpec(f"{kind}_user", "", "", SCHEMA)
    tool = ToolDesign(spec, f"{kind}_user", (operation,), "deterministic", "by name", "A")
    return Design(name, "project_management", (tool,), (USER,), hubs=("user",))


@pytest.fixture
def pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The services of two pieces that read the hub and one that writes it."""
    made = (piece("boards"), piece("cards"), piece("admin", "update"))
    package.write(Listing("hubs", ()), made, tmp_path, "compoworld_imported_hubs")
    monkeypatch.syspath_prepend(str(tmp_path / "src"))
    names = [f"compoworld_imported_hubs.{each.service}" for each in made]
    return [importlib.import_module(name).service for name in names]


def test_pieces_agree_on_keys_and_values_of_a_hub(pieces: list[Any]) -> None:
    env = compose(*pieces, seed=4)
    boards, cards = (
        [row.model_dump() for row in env.states[name].table("users")]
        for name in ("boards", "cards")
    )
    assert boards == cards


def test_another_world_has_other_hub_keys(pieces: list[Any]) -> None:
    one, two = (
        compose(pieces[0], seed=seed).states["boards"].table("users").keys() for seed in (4, 5)
    )
    assert not set(one) & set(two)


def test_hub_key_of_one_piece_is_known_in_the_other(pieces: list[Any]) -> None:
    env = compose(*pieces, seed=4)
    key = env.states["boards"].table("users").keys()[3]
    assert not env.call("cards.get_user", {"user_id": key}).is_error


def test_writing_a_hub_is_simulated(pieces: list[Any]) -> None:
    tool = pieces[2].tools["update_user"]
    assert (tool.kind, "hub" in tool.why) == ("simulated", True)
