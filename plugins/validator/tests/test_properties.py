"""Faults that show only between calls, in the rows of lists, or in what is given in lists."""

import os
from collections.abc import Callable
from typing import Any, Literal

import pytest
from compoworld_validator import validate
from compoworld_validator.examination import Examination
from compoworld_validator.quotes import misquoted

from compoworld_core import Context, Entity, Service, State, Table, ToolError
from compoworld_core.resources import Page, paginate, require
from compoworld_core.types import Title

_calls = [0]
_last = [""]


class Album(Entity):
    id: str
    title: Title
    tags: tuple[str, ...] = ()
    rating: int
    note: str | None = None
    archived: bool = False
    created_at: str = "2026-01-05T09:00:00Z"


class Share(Entity):
    id: str
    album_id: str
    person: str


class AlbumsState(State):
    albums: Table[Album] = Table()
    shares: Table[Share] = Table()


def listed(state: AlbumsState, archived: bool, order_by: str | None) -> list[Album]:
    found = [album for album in state.albums if album.archived == archived]
    return sorted(found, key=lambda album: getattr(album, order_by)) if order_by else found


def get_album(state: AlbumsState, album_id: str) -> Album:
    return require(state.albums, album_id, "album")


def list_albums(
    state: AlbumsState,
    archived: bool = False,
    order_by: Literal["title", "rating"] | None = None,
) -> Page[Album]:
    return paginate(listed(state, archived, order_by), 100, None)


def find_tagged(state: AlbumsState, tags: list[str]) -> list[Album]:
    return [album for album in state.albums if set(tags) & set(album.tags)]


def list_shares(state: AlbumsState, album_id: str) -> list[dict[str, str]]:
    require(state.albums, album_id, "album")
    found = [share for share in state.shares if share.album_id == album_id]
    return [{"album_id": share.album_id, "person": share.person} for share in found]


def rename_album(
    state: AlbumsState, album_id: str, title: Title, note: str | None = None
) -> Album:
    album = require(state.albums, album_id, "album")
    return state.albums.update(album_id, title=title, note=note or album.note)


def label_album(state: AlbumsState, album_id: str, words: list[str]) -> Album:
    album = require(state.albums, album_id, "album")
    return state.albums.update(album_id, tags=tuple(dict.fromkeys([*album.tags, *words])))


def archive_album(state: AlbumsState, album_id: str) -> Album:
    require(state.albums, album_id, "album")
    return state.albums.update(album_id, archived=True)


def delete_album(state: AlbumsState, album_id: str) -> Album:
    album = require(state.albums, album_id, "album")
    state.albums.delete(album_id)
    return album


def revoke_share(state: AlbumsState, album_id: str, person: str) -> None:
    require(state.albums, album_id, "album")
    for share in list(state.shares):
        if (share.album_id, share.person) == (album_id, person):
            state.shares.delete(share.id)


_READING = (get_album, list_albums, find_tagged, list_shares)
_WRITING = (rename_album, label_album, archive_album, delete_album, revoke_share)


def albums(**instead: Callable[..., Any]) -> Service[AlbumsState]:
    """A healthy service, some of its tools replaced."""
    service = Service("albums", state=AlbumsState, domain="productivity_collaboration")
    for function in (*_READING, *_WRITING):
        name = function.__name__
        tool = instead.get(name, function)
        service.tool(name=name, read_only=function in _READING)(tool)

    @service.seed
    def seed(ctx: Context, scale: int) -> AlbumsState:
        state = AlbumsState(ledger=ctx.ledger)
        for number in range(18):
            tags = (("travel", "summer"), ("family",), ("work", "travel"))[number % 3]
            album = Album(
                id=ctx.new_id("al_"),
                title=f"Album {number}",
                tags=tags,
                rating=number * 7 % 19,
                note=f"Kept on shelf {number}",
            )
            state.albums.insert(album)
        for person in ("Ilse Halvorsen", "Dara Quint", "Milo Brandt"):
            share = Share(id=ctx.new_id("sh_"), album_id=album.id, person=person)
            state.shares.insert(share)
        return state

    return service


def cut_id(state: AlbumsState, album_id: str) -> Album:
    return require(state.albums, album_id[:-1], "album")


def opposite(
    state: AlbumsState,
    archived: bool = False,
    order_by: Literal["title", "rating"] | None = None,
) -> Page[Album]:
    return paginate(listed(state, not archived, order_by), 100, None)


def unsorted(
    state: AlbumsState,
    archived: bool = False,
    order_by: Literal["title", "rating"] | None = None,
) -> Page[Album]:
    return paginate(listed(state, archived, None), 100, None)


def fewer_tags(state: AlbumsState, tags: list[str]) -> list[Album]:
    return find_tagged(state, tags[:-1])


def fewer_labels(state: AlbumsState, album_id: str, words: list[str]) -> Album:
    return label_album(state, album_id, words[:-1])


def repeated_share(state: AlbumsState, album_id: str) -> list[dict[str, str]]:
    found = list_shares(state, album_id)
    return [*found, *found[-1:]]


def turned_shares(state: AlbumsState, album_id: str) -> list[dict[str, str]]:
    _calls[0] += 1
    return list_shares(state, album_id)[:: 1 if _calls[0] % 2 else -1]


def reborn(state: AlbumsState, album_id: str, title: Title, note: str | None = None) -> Album:
    rename_album(state, album_id, title, note)
    return state.albums.update(album_id, created_at="2026-02-16T09:00:00Z")


def remembered_note(
    state: AlbumsState, album_id: str, title: Title, note: str | None = None
) -> Album:
    _last[0] = note or _last[0]
    return rename_album(state, album_id, title, _last[0] or None)


def emptied_note(state: AlbumsState, album_id: str) -> Album:
    return delete_album(state, album_id).model_copy(update={"note": None})


def kept_share(state: AlbumsState, album_id: str, person: str) -> None:
    require(state.albums, album_id, "album")


def test_the_healthy_service_passes() -> None:
    assert validate(albums()).findings == {}


@pytest.mark.parametrize(
    ("tool", "sick", "reason"),
    [
        ("get_album", cut_id, "argument_lost"),
        ("list_albums", opposite, "filter_wrong"),
        ("list_albums", unsorted, "filter_wrong"),
        ("find_tagged", fewer_tags, "argument_lost"),
        ("label_album", fewer_labels, "argument_lost"),
        ("list_shares", repeated_share, "paging_wrong"),
        ("list_shares", turned_shares, "not_repeatable"),
        ("rename_album", reborn, "wrong_field"),
        ("delete_album", emptied_note, "result_differs"),
        ("revoke_share", kept_share, "no_effect"),
    ],
)
def test_a_fault_is_found_in_its_tool(tool: str, sick: Callable[..., Any], reason: str) -> None:
    found = validate(albums(**{tool: sick})).findings
    assert {name: finding.reason.value for name, finding in found.items()} == {tool: reason}


def relates(
    state: AlbumsState, album_id: str, other_id: str, kind: Literal["related"]
) -> Album:
    """A refusal that has a word of what was given in it, one letter less."""
    album = require(state.albums, album_id, "album")
    require(state.albums, other_id, "album")
    if album_id == other_id:
        raise ToolError("invalid_argument", "an album cannot relate to itself")
    return album


def test_a_refusal_in_words_of_its_own_quotes_nothing() -> None:
    service = albums()
    service.tool(name="relate_albums", read_only=True)(relates)
    world = Examination.of(service, 10, 0).world
    album = next(key for key, table in world.ids.items() if table == "albums")
    given = {"album_id": album, "other_id": album, "kind": "related"}
    assert world.play([("relate_albums", given)]).last.is_error
    assert misquoted(world, [("relate_albums", given)]) is None


def test_a_leak_is_found_where_no_process_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    verdicts = validate(albums(rename_album=remembered_note))
    assert not verdicts.orders
    assert {n: f.reason.value for n, f in verdicts.findings.items()} == {
        "rename_album": "outside_state"
    }
