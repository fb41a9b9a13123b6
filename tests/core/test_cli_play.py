"""`compoworld play`: what a person types, and what is shown."""

import io
import json

import pytest

from compoworld_core import (
    Context,
    Entity,
    Environment,
    Service,
    State,
    Table,
    ToolError,
    plugins,
)
from compoworld_core.cli import output, run
from compoworld_core.cli import play as prompt
from compoworld_core.composition import compose
from compoworld_core.errors import UsageError
from compoworld_core.hookspecs import Register, hookimpl


class Item(Entity):
    id: str
    title: str
    price: float = 0.0


class ListState(State):
    items: Table[Item] = Table()


service = Service("list", state=ListState, domain="hobby", summary="A list")


@service.tool
def add_item(state: ListState, ctx: Context, title: str, price: float = 0.0) -> Item:
    """Add an item."""
    return state.items.insert(Item(id=ctx.new_id("item"), title=title, price=price))


@service.tool(read_only=True)
def get_item(state: ListState, item_id: str) -> Item:
    """Get an item."""
    item = state.items.get(item_id)
    if item is None:
        raise ToolError("not_found", f"no item {item_id!r}")
    return item


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Installed:
        @hookimpl
        def register_services(self, register: Register) -> None:
            register("list", service)

    monkeypatch.setenv("COMPOWORLD_DISABLE_PLUGINS", "services")
    found = plugins.load(installed=False)
    found.add(Installed(), "installed")
    monkeypatch.setattr(plugins, "current", lambda: found)


@pytest.fixture
def environment() -> Environment:
    return compose(service)


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


@pytest.mark.usefixtures("installed")
def test_a_call_shows_its_result_and_what_changed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, 'list.add_item title="a red lamp" price=3\n')
    assert run(["play", "list"]) == 0
    told = capsys.readouterr().out
    assert '"title": "a red lamp"' in told
    assert "~ list: items" in told
    assert "is new" in told


@pytest.mark.usefixtures("installed")
def test_with_json_each_call_is_one_document(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(
        monkeypatch,
        '# a comment\n\nlist.add_item {"title": "x"}\nlist.get_item item_id=9\nquit\nx\n',
    )
    assert run(["play", "list", "--json"]) == 0
    added, missing = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (added["tool"], added["is_error"], len(added["changes"])) == (
        "list.add_item",
        False,
        1,
    )
    assert added["changes"][0]["before"] is None
    assert (missing["is_error"], missing["arguments"]) == (True, {"item_id": "9"})
    assert missing["changes"] == []


@pytest.mark.usefixtures("installed")
def test_a_mistake_is_told_and_the_prompt_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "list.ad_item title=x\nlist.add_item x\ntools\ndiff\nhelp\n")
    assert run(["play", "list"]) == 0
    told = capsys.readouterr()
    assert "no tool is called 'list.ad_item'. Closest: list.add_item" in told.err
    assert "'x' is not key=value; list.add_item takes: title, price" in told.err
    assert "list.get_item  Get an item." in told.out
    assert "nothing changed" in told.out


@pytest.mark.usefixtures("installed")
def test_an_unknown_service_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["play", "lisst"]) == 2
    assert "Closest: list" in capsys.readouterr().err


def test_describe_and_diff(
    environment: Environment, capsys: pytest.CaptureFixture[str]
) -> None:
    start = environment.fork()
    prompt.answer(environment, start, "describe list.add_item", as_json=False)
    prompt.answer(environment, start, "list.add_item title=x", as_json=False)
    capsys.readouterr()
    prompt.answer(environment, start, "diff", as_json=False)
    assert capsys.readouterr().out.count("~ list: items") == 1


def test_text_stays_text_and_numbers_become_numbers(environment: Environment) -> None:
    tool = environment.tools()["list.add_item"]
    assert prompt.arguments_of(tool, "title=12 price=3.5") == {"title": "12", "price": 3.5}
    assert prompt.arguments_of(tool, '{"title": "a=b"}') == {"title": "a=b"}


@pytest.mark.parametrize("text", ['{"title": }', 'title="open'])
def test_unreadable_arguments_are_told(environment: Environment, text: str) -> None:
    with pytest.raises(UsageError, match=r"JSON|close the quotes"):
        prompt.arguments_of(environment.tools()["list.add_item"], text)


@pytest.mark.parametrize(
    ("before", "word", "expected"),
    [
        ("", "list.g", ["list.get_item"]),
        ("", "di", ["diff"]),
        ("describe ", "list.a", ["list.add_item"]),
        ("tools ", "l", ["list"]),
        ("list.add_item ", "", ["price=", "title="]),
        ("list.add_item title=x ", "", ["price="]),
        ("nothing ", "", []),
    ],
)
def test_completion(
    environment: Environment, before: str, word: str, expected: list[str]
) -> None:
    assert prompt.candidates(environment, before, word) == expected


@pytest.mark.parametrize("mark", ["\x1b", "\x9b", "\u202e", "\r", "\x07", "\ud800"])
def test_what_a_terminal_would_obey_is_shown_escaped(
    capsys: pytest.CaptureFixture[str], mark: str
) -> None:
    output.line(f"a{mark}[2Jb\n\tc")
    output.table(("X",), [[f"d{mark}"]])
    shown = capsys.readouterr().out
    assert mark not in shown
    assert f"a\\u{ord(mark):04x}[2Jb\n\tc\n" in shown


def test_a_json_document_stays_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    data = {"text": "\\\x1b\x9b\u202e\r\n\\u001b"}
    output.json_document(data)
    written = capsys.readouterr().out
    assert json.loads(written) == data
    assert "\u202e" not in written
