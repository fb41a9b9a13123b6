"""Table: order, look-ups, copy-on-write, undo, against a naive model."""

from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compoworld_core.state import Entity
from compoworld_core.table import INDEX_FROM, Journal, Table, WriteRefused


class Item(Entity):
    id: str
    color: str = "red"
    size: int | None = 0
    tags: tuple[str, ...] = ()


class Model:
    """A table as a plain mapping: key → (place, is added, key), row. Copies everything."""

    def __init__(self, rows: list[Item]) -> None:
        self.base = {row.id: n for n, row in enumerate(rows)}
        self.rows = {row.id: ((float(n), ""), row) for n, row in enumerate(rows)}
        self.end = float(len(rows))

    def insert(self, row: Item, before: float | None) -> None:
        if row.id in self.base:
            place = (float(self.base[row.id]), "")
        elif before is None:
            place, self.end = (self.end, row.id), self.end + 1
        else:
            place, self.end = (before, row.id), max(self.end, before // 1 + 1)
        self.rows[row.id] = (place, row)

    def change(self, row: Item) -> None:
        self.rows[row.id] = (self.rows[row.id][0], row)

    def listed(self) -> list[Item]:
        return [row for _, row in sorted(self.rows.values(), key=lambda pair: pair[0])]


keys = st.sampled_from([f"k{n}" for n in range(40)])
colors = st.sampled_from(["red", "blue", "green"])
sizes = st.sampled_from([None, 0, 1, 2])
steps = st.lists(
    st.tuples(
        st.sampled_from(["insert", "plant", "update", "replace", "delete"]),
        keys,
        colors,
        sizes,
        st.sampled_from([-0.5, 2.5, 2.5, 7.0, 30.25]),
    ),
    max_size=30,
)
bases = st.sampled_from([0, 5, INDEX_FROM + 6])


def base_rows(size: int) -> list[Item]:
    return [Item(id=f"k{n}", color=["red", "blue"][n % 2], size=n % 3) for n in range(size)]


def write(table: Table[Item], step: tuple[str, str, str, Any, float]) -> None:
    kind, key, color, size, place = step
    if kind in ("insert", "plant") and key not in table:
        row = Item(id=key, color=color, size=size)
        table.insert(row, before=place if kind == "plant" else None)
    elif kind == "update" and key in table:
        table.update(key, color=color, size=size)
    elif kind == "replace" and key in table:
        table.replace(Item(id=key, color=color, size=size))
    elif kind == "delete" and key in table:
        table.delete(key)


def mirror(model: Model, step: tuple[str, str, str, Any, float]) -> None:
    kind, key, color, size, place = step
    row = Item(id=key, color=color, size=size)
    if kind in ("insert", "plant") and key not in model.rows:
        model.insert(row, place if kind == "plant" else None)
    elif kind in ("update", "replace") and key in model.rows:
        model.change(row)
    elif kind == "delete":
        model.rows.pop(key, None)


@given(bases, steps)
def test_agrees_with_a_naive_model(size: int, program: list[Any]) -> None:
    table, model = Table(base_rows(size)), Model(base_rows(size))
    for step in program:
        write(table, step)
        mirror(model, step)
    assert list(table) == model.listed()
    assert len(table) == len(model.rows)
    assert bool(table) == bool(model.rows)
    assert {key: table.get(key) for key in model.rows} == {r.id: r for r in model.listed()}


@given(bases, steps, colors, sizes)
def test_where_equals_a_scan(size: int, program: list[Any], color: str, wanted: Any) -> None:
    table = Table(base_rows(size))
    table.where(color="red", size=1)  # indexes exist before the writes
    for step in program:
        write(table, step)
        for fields in ({"color": color}, {"size": wanted}, {"color": color, "size": wanted}):
            scan = [r for r in table if all(getattr(r, k) == v for k, v in fields.items())]
            assert table.where(**fields) == scan
            assert table.first(**fields) == (scan[0] if scan else None)


@given(bases, steps, steps)
def test_undo_restores_rows_and_order(size: int, before: list[Any], undone: list[Any]) -> None:
    table = Table(base_rows(size))
    for step in before:
        write(table, step)
    rows, places = list(table), [table.place(key) for key in list(table.keys())]
    found, twin = table.where(color="red"), table.fork(Journal())
    table.journal.undo = []
    for step in undone:
        write(table, step)
    for step in reversed(table.journal.undo):
        step()
    table.journal.undo = None
    assert list(table) == rows
    assert [table.place(key) for key in list(table.keys())] == places
    assert table.where(color="red") == found
    assert table.insert(Item(id="last")) == list(table)[-1]
    twin.insert(Item(id="last"))
    assert table.place("last") == twin.place("last")


@given(bases, steps, steps, steps)
def test_forks_do_not_see_each_other(
    size: int, shared: list[Any], left: list[Any], right: list[Any]
) -> None:
    table = Table(base_rows(size))
    for step in shared:
        write(table, step)
    rows = list(table)
    one, other = table.fork(Journal()), table.fork(Journal())
    for step in left:
        write(one, step)
    mine = list(one)
    for step in right:
        write(other, step)
    assert list(table) == rows
    assert list(one) == mine


@given(bases, steps, st.booleans(), steps)
def test_changes_equal_a_naive_diff(
    size: int, left: list[Any], frozen: bool, right: list[Any]
) -> None:
    table = Table(base_rows(size))
    other = table.fork(Journal())
    for step in left:
        write(table, step)
    for step in right:
        write(other, step)
    if frozen:
        other.freeze()
    old, new = {r.id: r for r in table}, {r.id: r for r in other}
    naive = {
        key: (old.get(key), new.get(key))
        for key in {**old, **new}
        if old.get(key) != new.get(key)
    }
    found = list(table.changes(other))
    assert {key: (before, after) for key, before, after in found} == naive
    assert len(found) == len(naive)


@given(bases, steps)
def test_freezing_changes_nothing_that_can_be_seen(size: int, program: list[Any]) -> None:
    table = Table(base_rows(size))
    for step in program:
        write(table, step)
    rows, found = list(table), table.where(color="blue")
    table.freeze()
    assert list(table) == rows
    assert table.where(color="blue") == found
    assert not table.overlay


def test_rows_planted_at_one_place_stand_in_the_order_of_their_keys() -> None:
    table = Table(base_rows(3))
    for key in ("x", "b", "m"):
        table.insert(Item(id=key), before=1.0)
    assert table.keys() == ["k0", "k1", "b", "m", "x", "k2"]
    assert [row.id for row in table.where(color="red")] == ["k0", "b", "m", "x", "k2"]


def test_a_fork_shares_every_record() -> None:
    table = Table(base_rows(5))
    fork = table.fork(Journal())
    assert fork.base is table.base
    assert all(a is b for a, b in zip(table, fork, strict=True))


def test_forks_share_notes_until_a_write_and_an_undone_write_begins_new_ones() -> None:
    table = Table([Item(id="a"), Item(id="b")])
    table.journal.undo = []
    fork = table.fork(Journal())
    fork.notes["seen"] = 1
    assert table.notes["seen"] == 1
    table.update("a", color="blue")
    assert "seen" in fork.notes
    assert not table.notes
    written = table.notes
    table.journal.undo.pop()()
    assert table.notes is not written
    assert not table.is_twin(Table([Item(id="a"), Item(id="b")]))
    assert table.is_twin(fork)


def test_a_fork_keeps_the_indexes() -> None:
    table = Table(base_rows(INDEX_FROM))
    table.where(color="red")
    assert table.fork(Journal()).base._indexes["color"] is table.base._indexes["color"]


def test_an_unhashable_value_in_a_field_is_found_by_scan() -> None:
    rows = [Item(id=str(n), tags=("a",)) for n in range(INDEX_FROM)]
    table = Table(rows)
    assert table.where(tags=("a",)) == rows
    assert table.where(tags=["a"]) == []


def test_an_update_is_validated_like_a_construction() -> None:
    table = Table(base_rows(2))
    with pytest.raises(ValueError, match="valid integer"):
        table.update("k0", size="large")
    assert table.update("k0", size="7").size == 7


def test_an_update_refuses_unknown_fields_and_another_id() -> None:
    table = Table(base_rows(2))
    with pytest.raises(ValueError, match="Extra inputs"):
        table.update("k0", weight=3)
    with pytest.raises(ValueError, match="cannot change"):
        table.update("k0", id="k9")


@pytest.mark.parametrize("act", ["update", "delete", "replace", "get"])
def test_a_missing_key_is_a_key_error(act: str) -> None:
    table = Table(base_rows(1))
    with pytest.raises(KeyError, match="nope"):
        {
            "update": lambda: table.update("nope", size=1),
            "delete": lambda: table.delete("nope"),
            "replace": lambda: table.replace(Item(id="nope")),
            "get": lambda: table["nope"],
        }[act]()


def test_two_rows_cannot_have_one_id() -> None:
    with pytest.raises(ValueError, match="two rows"):
        Table([Item(id="a"), Item(id="a")])
    with pytest.raises(ValueError, match="is there already"):
        Table([Item(id="a")]).insert(Item(id="a"))


def test_a_locked_journal_refuses_every_write_and_says_why() -> None:
    table = Table(base_rows(2))
    table.journal.locked = "because"
    attempts = (
        lambda: table.insert(Item(id="x")),
        lambda: table.update("k0", size=1),
        lambda: table.delete("k0"),
        lambda: table.replace(Item(id="k0")),
    )
    for attempt in attempts:
        with pytest.raises(WriteRefused, match="because"):
            attempt()
    assert list(table) == base_rows(2)


@settings(max_examples=20)
@given(st.integers(1, 400))
def test_a_fork_and_its_first_write_copy_the_overlay_only(size: int) -> None:
    numbers = count()
    table = Table(Item(id=f"r{next(numbers)}") for _ in range(size))
    fork = table.fork(Journal())
    fork.update("r0", size=9)
    assert len(fork.overlay) == 1
    assert not table.overlay
