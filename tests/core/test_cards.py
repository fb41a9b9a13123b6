"""Cards: shipped, generated, or described once in a child process."""

import json
import os
import sys
from pathlib import Path

import pytest

from compoworld_core import Entity, Service, State, Table, cards
from compoworld_core.errors import PluginError, RecordError
from compoworld_core.registry import Registry

MODULE = '''
"""A stranger's service."""
import os
from pathlib import Path

from compoworld_core import Service, State

print("a service that prints when it is imported")
with (Path(os.environ["STRANGER_LOG"])).open("a") as log:
    log.write("imported\\n")


class ShelfState(State):
    """Nothing yet."""


service = Service("shelf", state=ShelfState, domain="hobby", summary="Shelves")


@service.tool(read_only=True)
def count_shelves(state: ShelfState) -> int:
    """Count the shelves."""
    return 0
'''


class Book(Entity):
    id: str
    title: str


class Library(State):
    books: Table[Book] = Table()


def library() -> Service[Library]:
    service = Service("library", state=Library, domain="hobby", summary="Books to lend")

    @service.tool(read_only=True)
    def get_book(state: Library, book_id: str) -> str:
        """Get one book.

        More about it.
        """
        return book_id

    @service.simulated(why="no code")
    def recommend_book(state: Library, taste: str) -> str:
        """Recommend a book."""
        return taste

    return service


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package without a card, importable here and in child processes."""
    place = tmp_path / "place"
    (place / "stranger_pack").mkdir(parents=True)
    (place / "stranger_pack" / "__init__.py").write_text("")
    (place / "stranger_pack" / "shelf.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(place))
    monkeypatch.setenv("PYTHONPATH", str(place), prepend=os.pathsep)
    monkeypatch.setenv("STRANGER_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return place / "stranger_pack"


def shelf_registry(target: str = "stranger_pack.shelf:service") -> Registry:
    registry = Registry("service")
    registry.register("shelf", target, distribution="stranger-dist")
    return registry


def test_a_card_says_what_a_service_is() -> None:
    card = cards.card_of(library())
    assert (card.name, card.domain, card.summary) == ("library", "hobby", "Books to lend")
    assert [(tool.name, tool.kind, tool.summary, tool.read_only) for tool in card.tools] == [
        ("get_book", "deterministic", "Get one book.", True),
        ("recommend_book", "simulated", "Recommend a book.", False),
    ]
    assert (card.count("deterministic"), card.count("quarantined")) == (1, 0)


def test_a_changed_tool_changes_the_digest() -> None:
    before, service = cards.card_of(library()), library()
    service.quarantine("get_book", "it fails")
    assert cards.card_of(library()).digest == before.digest
    assert cards.card_of(service).digest != before.digest


def test_cards_survive_their_file(tmp_path: Path) -> None:
    card = cards.card_of(library())
    path = tmp_path / "cards.json"
    path.write_text(cards.text_of([card]), encoding="utf-8")
    assert cards.read(path) == {"library": card}
    assert json.loads(path.read_text())["schema"] == "compoworld/cards@1"


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"schema": "compoworld/cards@9", "cards": []}', '{"cards": [{}]}']
)
def test_an_unreadable_file_names_itself_and_the_remedy(tmp_path: Path, text: str) -> None:
    path = tmp_path / "cards.json"
    path.write_text(text)
    with pytest.raises(RecordError, match=r"cards\.json"):
        cards.read(path)


def test_a_shipped_card_is_read_without_importing(stranger: Path, tmp_path: Path) -> None:
    card = cards.Card("shelf", "hobby", "From the file", (), "0")
    (stranger / "cards.json").write_text(cards.text_of([card]))
    listed, problems = cards.all_cards(shelf_registry())
    assert (listed, problems) == ([cards.Listed(card, "stranger-dist")], [])
    assert not (tmp_path / "log").exists()
    assert "stranger_pack" not in sys.modules


def test_a_service_without_card_is_described_once_in_a_child(
    stranger: Path, tmp_path: Path
) -> None:
    first, problems = cards.all_cards(shelf_registry())
    second, _ = cards.all_cards(shelf_registry())
    assert first == second
    assert problems == []
    assert [tool.name for tool in first[0].card.tools] == ["count_shelves"]
    assert (tmp_path / "log").read_text() == "imported\n"
    assert "stranger_pack.shelf" not in sys.modules


def test_a_changed_source_is_described_anew(stranger: Path) -> None:
    cards.all_cards(shelf_registry())
    (stranger / "shelf.py").write_text(MODULE.replace("Shelves", "Boards"))
    os.utime(stranger / "shelf.py", ns=(2**62, 2**62))
    listed, _ = cards.all_cards(shelf_registry())
    assert listed[0].card.summary == "Boards"


def test_a_service_that_does_not_load_is_a_problem_and_not_a_crash(stranger: Path) -> None:
    listed, problems = cards.all_cards(shelf_registry("stranger_pack.absent:service"))
    assert listed == []
    assert [each.service for each in problems] == ["shelf"]
    assert "stranger-dist" in problems[0].why
    assert "stranger_pack.absent" in problems[0].why


def test_a_child_that_dies_is_a_problem_and_not_a_crash(stranger: Path) -> None:
    (stranger / "shelf.py").write_text("import os\nos._exit(7)\n")
    _, problems = cards.all_cards(shelf_registry())
    assert "exit 7" in problems[0].why


def test_a_torn_cache_entry_is_written_anew(stranger: Path, tmp_path: Path) -> None:
    cards.all_cards(shelf_registry())
    (entry,) = (tmp_path / "cache" / "compoworld" / "cards").iterdir()
    entry.write_text("{")
    listed, problems = cards.all_cards(shelf_registry())
    assert ([each.card.name for each in listed], problems) == (["shelf"], [])
    assert json.loads(entry.read_text())["cards"]


def test_a_cache_that_cannot_be_written_only_costs_time(
    stranger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    listed, problems = cards.all_cards(shelf_registry())
    assert ([each.card.name for each in listed], problems) == (["shelf"], [])


def test_a_registered_object_needs_no_child() -> None:
    registry = Registry("service")
    registry.register("library", library())
    listed, problems = cards.all_cards(registry)
    assert (listed[0].card, problems) == (cards.card_of(library()), [])


def test_a_service_under_a_name_that_is_not_its_own_is_refused() -> None:
    registry = Registry("service")
    registry.register("books", library())
    with pytest.raises(PluginError, match="'library' is registered as 'books'"):
        cards.all_cards(registry)
