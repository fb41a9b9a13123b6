"""Validation passes a healthy service and finds each kind of fault with its smallest calls."""

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from click.testing import CliRunner
from compoworld_validator import detects, place, validate
from compoworld_validator.command import validate as command
from pydantic import Field

from compoworld_core import Context, Entity, Service, State, Table, ToolError, manifest
from compoworld_core.errors import UsageError
from compoworld_core.resources import Page, paginate, require
from compoworld_core.types import Title

DESK = Path(__file__).parents[3] / "tests" / "services" / "desk.py"


class Note(Entity):
    id: str
    title: Title
    color: str = "blue"


class NotesState(State):
    notes: Table[Note] = Table()


def notes(**instead: Callable[..., Any]) -> Service[NotesState]:
    """A small healthy service, some of its tools replaced."""
    service = Service("notes", state=NotesState, domain="productivity_collaboration")
    reading = {"get_note", "list_notes", "search_notes"}

    def get_note(state: NotesState, note_id: str) -> Note:
        return require(state.notes, note_id, "note")

    def list_notes(
        state: NotesState,
        color: str | None = None,
        limit: Annotated[int, Field(ge=1, le=100)] = 100,
        cursor: str | None = None,
    ) -> Page[Note]:
        found = [note for note in state.notes if color in (None, note.color)]
        return paginate(found, limit, cursor)

    def search_notes(state: NotesState, query: str) -> Page[Note]:
        found = [note for note in state.notes if query.casefold() in note.title.casefold()]
        return paginate(found, 100, None)

    def create_note(state: NotesState, ctx: Context, title: Title, color: str = "blue") -> Note:
        return state.notes.insert(Note(id=ctx.new_id("n_"), title=title, color=color))

    def update_note(state: NotesState, note_id: str, title: Title) -> Note:
        require(state.notes, note_id, "note")
        return state.notes.update(note_id, title=title)

    def delete_note(state: NotesState, note_id: str) -> Note:
        note = require(state.notes, note_id, "note")
        state.notes.delete(note_id)
        return note

    for function in (get_note, list_notes, search_notes, create_note, update_note, delete_note):
        name = function.__name__
        service.tool(name=name, read_only=name in reading)(instead.get(name, function))

    @service.seed
    def seed(ctx: Context, scale: int) -> NotesState:
        state = NotesState(ledger=ctx.ledger)
        for number in range(8):
            color = ("blue", "red", "green")[number % 3]
            title = f"Note {number}"
            state.notes.insert(Note(id=ctx.new_id("n_"), title=title, color=color))
        return state

    return service


def lost_filter(state: NotesState, color: str | None = None) -> Page[Note]:
    return paginate(list(state.notes), 100, None)


def short_page(
    state: NotesState,
    limit: Annotated[int, Field(ge=1, le=100)] = 100,
    cursor: str | None = None,
) -> Page[Note]:
    page = paginate(list(state.notes), limit, cursor)
    return page.model_copy(update={"items": page.items[:-1]}) if limit < 8 else page


def dropped_update(state: NotesState, note_id: str, title: Title) -> Note:
    return require(state.notes, note_id, "note")


def other_field(state: NotesState, note_id: str, title: Title) -> Note:
    require(state.notes, note_id, "note")
    return state.notes.update(note_id, color=title)


def kept_delete(state: NotesState, note_id: str) -> Note:
    return require(state.notes, note_id, "note")


def any_get(state: NotesState, note_id: str) -> Note:
    return state.notes.get(note_id) or next(iter(state.notes))


def crossed_get(state: NotesState, note_id: str) -> Note:
    note = require(state.notes, note_id, "note")
    return note.model_copy(update={"title": note.color})


def wrong_code(state: NotesState, note_id: str) -> Note:
    note = state.notes.get(note_id)
    if note is None:
        raise ToolError("conflict", "no such note")
    return note


def crashing(state: NotesState, note_id: str, title: Title) -> Note:
    raise KeyError(note_id)


def spilling_update(state: NotesState, note_id: str, title: Title) -> Note:
    require(state.notes, note_id, "note")
    other = next(note for note in state.notes if note.id != note_id)
    state.notes.update(other.id, color="gray")
    return state.notes.update(note_id, title=title)


def unsaid_rows(state: NotesState) -> Page[Note]:
    page = paginate(list(state.notes), 100, None)
    return page.model_copy(update={"items": page.items[1:]})


def lost_row(state: NotesState) -> list[Note]:
    return list(state.notes)[:-1]


def cut_search(state: NotesState, query: str) -> Page[Note]:
    near = query[:-1].casefold()
    found = [note for note in state.notes if near in note.title.casefold()]
    return paginate(found, 100, None)


def deaf_search(state: NotesState, query: str) -> Page[Note]:
    found = [note for note in state.notes if query.casefold() in note.title.casefold()]
    return paginate(found[:-1], 100, None)


def upper_get(state: NotesState, note_id: str) -> Note:
    return require(state.notes, note_id.upper(), "note")


def double_create(state: NotesState, ctx: Context, title: Title, color: str = "blue") -> Note:
    state.notes.insert(Note(id=ctx.new_id("n_"), title=title, color=color))
    return state.notes.insert(Note(id=ctx.new_id("n_"), title=title, color=color))


def clearing_update(state: NotesState, note_id: str, title: Title) -> Note:
    require(state.notes, note_id, "note")
    return state.notes.update(note_id, title=title, color="blue")


def stale_update(state: NotesState, note_id: str, title: Title) -> Note:
    before = require(state.notes, note_id, "note")
    state.notes.update(note_id, title=title)
    return before


def near_delete(state: NotesState, note_id: str) -> Note:
    note = require(state.notes, note_id, "note")
    other = next(each for each in state.notes if each.id != note_id)
    state.notes.delete(other.id)
    return note


def test_a_healthy_service_passes_and_every_tool_was_reached() -> None:
    verdicts = validate(notes())
    assert verdicts.findings == {}
    assert verdicts.unreached == []
    assert not detects(notes())


@pytest.mark.parametrize(
    ("tool", "sick", "reason"),
    [
        ("list_notes", lost_filter, "filter_wrong"),
        ("list_notes", short_page, "paging_wrong"),
        ("update_note", dropped_update, "no_effect"),
        ("update_note", other_field, "argument_lost"),
        ("delete_note", kept_delete, "no_effect"),
        ("update_note", spilling_update, "collateral"),
        ("list_notes", unsaid_rows, "paging_wrong"),
        ("get_note", any_get, "dangling_accepted"),
        ("get_note", crossed_get, "reads_disagree"),
        ("get_note", wrong_code, "wrong_error"),
        ("update_note", crashing, "crashed"),
        ("list_notes", lost_row, "not_listed"),
        ("search_notes", cut_search, "search_wrong"),
        ("search_notes", deaf_search, "search_wrong"),
        ("get_note", upper_get, "refused_pair"),
        ("create_note", double_create, "collateral"),
        ("update_note", clearing_update, "wrong_field"),
        ("update_note", stale_update, "result_differs"),
        ("delete_note", near_delete, "no_effect"),
    ],
)
def test_a_fault_is_found_in_its_tool(tool: str, sick: Callable[..., Any], reason: str) -> None:
    found = validate(notes(**{tool: sick})).findings
    assert {name: finding.reason.value for name, finding in found.items()} == {tool: reason}


def test_the_sequence_is_the_smallest() -> None:
    (finding,) = validate(notes(list_notes=lost_filter)).findings.values()
    first, second = finding.sequence
    assert (first, second[0]) == (("list_notes", {}), "list_notes")
    assert list(second[1]) == ["color"]


def test_a_seed_gives_the_same_verdicts() -> None:
    one, two = (validate(notes(get_note=crossed_get), seed=3).as_json() for _ in range(2))
    assert one == two


def test_the_desk_of_the_core_tests_passes(desk: Service[Any]) -> None:
    assert validate(desk).findings == {}


@pytest.fixture(scope="module")
def desk() -> Service[Any]:
    spec = importlib.util.spec_from_file_location("validated_desk", DESK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["validated_desk"] = module
    spec.loader.exec_module(module)
    found: Service[Any] = module.service
    return found


# -- the command ---------------------------------------------------------------------------


def package(folder: Path) -> Path:
    """A package whose only tool accepts any id, with a manifest."""
    inside = folder / "src" / "sicknotes"
    inside.mkdir(parents=True)
    (inside / "__init__.py").write_text(
        "from compoworld_core import Service, State\n"
        "class NoState(State):\n    pass\n"
        'service = Service("sicknotes", state=NoState, domain="x")\n'
        "@service.tool(read_only=True)\n"
        "def count(state: NoState) -> int:\n    raise KeyError(1)\n"
    )
    manifest.write(inside / manifest.FILE, [{"name": "count", "kind": "deterministic"}])
    return inside / manifest.FILE


@pytest.fixture
def clean_imports() -> Iterator[None]:
    before = list(sys.path)
    yield
    sys.path[:] = before
    sys.modules.pop("sicknotes", None)


def test_the_command_writes_the_quarantine(tmp_path: Path, clean_imports: None) -> None:
    file = package(tmp_path)
    done = CliRunner().invoke(command, [str(tmp_path), "--write", "--json"])
    assert done.exit_code == 1
    assert json.loads(done.stdout)["quarantined"][0]["sequence"] == [
        {"tool": "count", "arguments": {}}
    ]
    assert manifest.read(file)["count"]["quarantined"] == "crashed"


def test_without_write_the_manifest_stays(tmp_path: Path, clean_imports: None) -> None:
    file = package(tmp_path)
    before = file.read_text()
    done = CliRunner().invoke(command, [str(tmp_path)])
    assert "count: crashed" in done.output
    assert file.read_text() == before


def test_a_folder_without_a_service_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no service"):
        list(place.opened(str(tmp_path)))
