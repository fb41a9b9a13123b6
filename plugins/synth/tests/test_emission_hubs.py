"""Hub records: two pieces of one server hold the same users without seeing each other."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from compoworld_synth import cut as cutting
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
from compoworld_synth.pipeline import import_listing
from compoworld_synth.schemas import Param
from shop_desk import TEXT, tool

from compoworld_core import compose

NOUNS = ("board", "card", "bill", "trip", "paper", "crate")


def about(noun: str) -> tuple[ToolSpec, ...]:
    """Eight tools over one kind of record, each of which belongs to a user."""
    key, user = {f"{noun}_id": TEXT}, {"user_id": TEXT}
    one = f"{noun}_id"
    return (
        tool(f"create_{noun}", f"Create a {noun}.", "title user_id", title=TEXT, **user),
        tool(f"get_{noun}", f"Get a {noun}.", one, **key),
        tool(f"list_{noun}s", f"List {noun}s.", "", **user),
        tool(f"update_{noun}", f"Update a {noun}.", one, title=TEXT, **key, **user),
        tool(f"delete_{noun}", f"Delete a {noun}.", one, **key),
        tool(f"archive_{noun}", f"Archive a {noun}.", one, **key),
        tool(f"complete_{noun}", f"Complete a {noun}.", one, **key),
        tool(f"search_{noun}s", f"Search {noun}s.", "query", query=TEXT, **user),
    )


SERVER = Listing(
    "office",
    (
        *(each for noun in NOUNS for each in about(noun)),
        tool("list_users", "List users."),
        tool("get_user", "Get a user.", "user_id", user_id=TEXT),
        tool("create_user", "Create a user.", "email", email=TEXT, name=TEXT),
    ),
)


@pytest.fixture
def cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The services that a server is cut into, by name; of ten tools, to have enough."""
    monkeypatch.setattr(cutting, "MOST", 10)
    made = import_listing(SERVER, tmp_path / "p", formatted=False, checked=False)
    monkeypatch.syspath_prepend(str(tmp_path / "p" / "src"))
    names = [each.name for each in made.services]
    return {n: importlib.import_module(f"{made.package}.{n}").service for n in names}


def test_a_user_that_one_piece_lists_is_known_in_every_other(cut: dict[str, Any]) -> None:
    env = compose(*cut.values(), seed=3)
    owner = next(name for name, each in cut.items() if "list_users" in each.tools)
    listed = env.call(f"{owner}.list_users", {}).data["users"]
    makes = [f"{n}.{t}" for n, each in cut.items() for t in each.tools if t[:7] == "create_"]
    assert len(cut) > 1
    assert len(listed) > 3
    for name in makes:
        if "user" in name:  # a new one would be unknown in the others
            assert env.call(name, {"email": "a@b.example"}).code == "unavailable"
        else:
            made = env.call(name, {"title": "T", "user_id": listed[2]["id"]})
            assert made.data["user_id"] == listed[2]["id"]


def test_all_pieces_hold_the_same_people(cut: dict[str, Any]) -> None:
    env = compose(*cut.values(), seed=3)
    held = [
        [(row.id, row.name, row.email) for row in env.states[name].table("users")]
        for name in cut
        if "users" in type(env.states[name]).model_fields
    ]
    assert len(held) > 1
    assert all(each == held[0] for each in held)


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
