"""Services with one fault each: the conformance suite must find it, under the right check."""

import os
import random
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import WithJsonSchema

from compoworld_core import Context, Entity, Ref, Service, State, Table, ToolError
from compoworld_core.types import Text, Title


class Folder(Entity):
    id: str
    name: Title


class Note(Entity):
    id: str
    title: Title
    text: Text = ""
    folder: Ref["Folder"]


class NoteState(State):
    folders: Table[Folder] = Table()
    notes: Table[Note] = Table()


def plain_seed(ctx: Context, scale: int) -> NoteState:
    folders = Table(Folder(id=ctx.new_id("fo_"), name=f"Folder {n}") for n in range(3))
    notes = Table(
        Note(
            id=ctx.new_id("no_"),
            title=f"Note {n}",
            text=ctx.rng.choice(ctx.cast.companies).name,
            folder=ctx.rng.choice(folders.keys()),
        )
        for n in range(scale)
    )
    return NoteState(folders=folders, notes=notes)


def started(
    name: str, seed: Callable[[Context, int], NoteState] = plain_seed
) -> Service[NoteState]:
    """A service with a seed and one sound tool, to add a fault to."""
    service = Service(name, state=NoteState, domain="project_management", summary="Notes.")
    service.seed(seed)

    @service.tool(read_only=True)
    def get_note(state: NoteState, note_id: Ref["Note"]) -> Note:
        """Show a note."""
        note = state.notes.get(note_id)
        if note is None:
            raise ToolError("not_found", "no such note")
        return note

    return service


sound = started("sound")

# -- what is declared ----------------------------------------------------------------------

silent = started("silent")


@silent.tool
def silent_tool(state: NoteState) -> int:
    return len(state.notes)


misdescribed = started("misdescribed")


@misdescribed.tool
def misdescribed_tool(state: NoteState, title: Title) -> int:
    """Count notes.

    Args:
        titel: a slip.
    """
    return len(state.notes.where(title=title))


untyped = started("untyped")


@untyped.tool
def untyped_tool(state: NoteState, thing: Any) -> int:
    """Take anything."""
    return 1


resultless = started("resultless")


@resultless.tool
def resultless_tool(state: NoteState):  # type: ignore[no-untyped-def]  # the fault
    """Return who knows what."""
    return len(state.notes)


both_marks = started("both_marks")


@both_marks.tool(read_only=True, destructive=True)
def both_marks_tool(state: NoteState) -> int:
    """Count notes."""
    return len(state.notes)


badly_schemed = started("badly_schemed")


@badly_schemed.tool
def badly_schemed_tool(
    state: NoteState, size: Annotated[int, WithJsonSchema({"type": "int"})] = 1
) -> int:
    """Take a size."""
    return size


# -- seeds ---------------------------------------------------------------------------------


def deaf_seed(ctx: Context, scale: int) -> NoteState:
    ctx.ledger.key = 7
    folders = Table([Folder(id="fo_1", name="Only")])
    notes = Table(Note(id=f"no_{n}", title=f"Note {n}", folder="fo_1") for n in range(scale))
    ctx.ledger.actor, ctx.ledger.now = "me@example.com", datetime(2026, 3, 2, tzinfo=UTC)
    return NoteState(folders=folders, notes=notes)


deaf = started("deaf", deaf_seed)


def dangling_seed(ctx: Context, scale: int) -> NoteState:
    state = plain_seed(ctx, scale)
    state.notes.update(state.notes.keys()[0], folder="fo_gone")
    return state


dangling = started("dangling", dangling_seed)

_seedings: list[int] = []


def counting_seed(ctx: Context, scale: int) -> NoteState:
    _seedings.append(1)
    state = plain_seed(ctx, scale)
    state.notes.update(state.notes.keys()[0], text=f"seeding {len(_seedings)}")
    return state


counting = started("counting", counting_seed)


def small_seed(ctx: Context, scale: int) -> NoteState:
    return plain_seed(ctx, 20)


small = started("small", small_seed)

# -- calls ---------------------------------------------------------------------------------

crashing = started("crashing")


@crashing.tool(read_only=True)
def crashing_tool(state: NoteState, note_id: Ref["Note"]) -> Note:
    """Show a note; breaks on unknown ids."""
    return state.notes[note_id]


brittle = started("brittle")


@brittle.tool(read_only=True)
def brittle_tool(state: NoteState, days: int = 3) -> str:
    """Say a day; breaks on huge numbers only."""
    return str(datetime(2026, 3, 2, tzinfo=UTC) + timedelta(days=days))


writing_reader = started("writing_reader")


@writing_reader.tool(read_only=True)
def writing_reader_tool(state: NoteState, note_id: Ref["Note"]) -> Note:
    """Show a note and count the look."""
    return state.notes.update(note_id, text="seen")


counting_reader = started("counting_reader")


@counting_reader.tool(read_only=True)
def counting_reader_tool(state: NoteState, ctx: Context) -> str:
    """Take an id for nothing."""
    return ctx.new_id("x_")


twice = started("twice")


@twice.tool(idempotent=True)
def twice_tool(state: NoteState, note_id: Ref["Note"]) -> Note:
    """Append to a note."""
    note = state.notes.get(note_id)
    if note is None:
        raise ToolError("not_found", "no such note")
    return state.notes.update(note_id, text=note.text + "!")


in_place = started("in_place")


@in_place.tool
def in_place_tool(state: NoteState, note_id: Ref["Note"], fail: bool = True) -> Note:
    """Change a frozen record behind everybody's back, then fail."""
    note = state.notes.get(note_id)
    if note is None:
        raise ToolError("not_found", "no such note")
    note.__dict__["text"] += "!"
    if fail:
        raise ToolError("conflict", "changed my mind")
    return note


lying = started("lying")


@lying.tool(read_only=True)
def lying_tool(state: NoteState) -> list[Note]:
    """Return something else than promised."""
    return [{"id": 1}]  # type: ignore[list-item]  # the fault


mislabelled = started("mislabelled")


@mislabelled.tool(read_only=True)
def mislabelled_tool(state: NoteState) -> Annotated[int, WithJsonSchema({"type": "string"})]:
    """Return a number under the label of a text."""
    return 1


orphaning = started("orphaning")


@orphaning.tool(destructive=True)
def orphaning_tool(state: NoteState, folder_id: Ref["Folder"]) -> Folder:
    """Take a folder out and forget its notes."""
    if folder_id not in state.folders:
        raise ToolError("not_found", "no such folder")
    return state.folders.delete(folder_id)


# -- determinism ---------------------------------------------------------------------------

clocked = started("clocked")


@clocked.tool(read_only=True)
def clocked_tool(state: NoteState) -> str:
    """Say the day."""
    return str(datetime.fromtimestamp(time.time(), tz=UTC).date())


local_day = started("local_day")


@local_day.tool(read_only=True)
def local_day_tool(state: NoteState) -> str:
    """Say the local day."""
    return str(datetime.now().date())  # noqa: TID251  # the fault


dicey = started("dicey")


@dicey.tool(read_only=True)
def dicey_tool(state: NoteState) -> int:
    """Throw a die."""
    return random.randint(1, 6)


chancy = started("chancy")


@chancy.tool(read_only=True)
def chancy_tool(state: NoteState) -> str:
    """Ask the machine for bytes."""
    return os.urandom(4).hex()


hashing = started("hashing")


@hashing.tool(read_only=True)
def hashing_tool(state: NoteState, title: Title) -> int:
    """Give a number for a title."""
    return hash(title)


set_order = started("set_order")


@set_order.tool(read_only=True)
def set_order_tool(state: NoteState) -> list[str]:
    """List titles in no order."""
    return list({note.title for note in state.notes})


remembering = started("remembering")
_seen: list[str] = []


@remembering.tool(read_only=True)
def remembering_tool(state: NoteState) -> int:
    """Count the calls of this process."""
    _seen.append("once more")
    return len(_seen)
