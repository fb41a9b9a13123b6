"""Changes of an item: its properties, its content, its place."""

from __future__ import annotations

from typing import Any

from compoworld_core import Context, ToolError
from compoworld_core.resources import check
from compoworld_services_productivity_collaboration.google_drive.access import (
    Item,
    folder,
    needs_place,
    place,
)
from compoworld_services_productivity_collaboration.google_drive.content import (
    LONGEST,
    body_of,
    document_title,
    mime_type_of,
)
from compoworld_services_productivity_collaboration.google_drive.state import (
    NATIVE,
    DriveState,
    Folder,
    Profile,
)

_MOST_PROPERTIES = 30


def merged_properties(row: Item, properties: dict[str, Any]) -> dict[str, Any]:
    merged = {**row.properties, **properties}
    for key, value in properties.items():
        if value is None:
            merged.pop(key)
        else:
            check(
                isinstance(value, str | int | float | bool)
                and len(key) + len(str(value)) <= 124
                and bool(key),
                "invalid_argument",
                f"properties.{key[:40]}: key and value are short texts, 124 characters in all",
            )
    check(
        len(merged) <= _MOST_PROPERTIES,
        "invalid_argument",
        f"a file has at most {_MOST_PROPERTIES} properties",
    )
    return {key: str(value) for key, value in merged.items()}


def write_content(
    row: Item,
    fields: dict[str, Any],
    content: str | None,
    mode: str,
    mime_type: str | None,
    source_format: str | None,
    file_path: str | None,
    file_url: str | None,
) -> None:
    """The new text and kind of a file, into the fields to change."""
    check(
        mode in ("replace", "append", "prepend"),
        "invalid_argument",
        f"mode {mode[:20]!r}; use replace, append or prepend",
    )
    body = body_of(content, None, None, {"file_path": file_path, "file_url": file_url})
    document_title("", source_format)
    check(body is not None or mode == "replace", "invalid_argument", f"{mode} needs content")
    if isinstance(row, Folder):
        check(
            body is None and mime_type is None, "failed_precondition", "a folder has no content"
        )
        return
    if mime_type is not None:
        check(
            row.mime_type not in NATIVE,
            "failed_precondition",
            "the kind of a Google document cannot change; copy or import it instead",
        )
        fields["mime_type"] = mime_type_of(row.name, mime_type)
    if body is None:
        return
    text, size = body.text, body.size
    if mode != "replace":
        check(
            row.mime_type not in NATIVE,
            "failed_precondition",
            f"{mode} works on plain files; use find_and_replace_doc for a Google document",
        )
        first, second = (row.content, text) if mode == "append" else (text, row.content)
        seam = "" if not first or first.endswith("\n") or second.startswith("\n") else "\n"
        text = f"{first}{seam}{second}"
        size = len(text.encode(errors="replace"))
        check(len(text) <= LONGEST, "invalid_argument", "the file would be too long")
    fields.update(content=text, size=size)


def moved(
    state: DriveState,
    ctx: Context,
    who: Profile,
    row: Item,
    add: str | None,
    remove: str | None,
) -> dict[str, Any]:
    """The new place of an item; it is in exactly one folder."""
    current = row.parent_id or row.drive_id or "root"
    check(
        remove is None or remove == current,
        "failed_precondition",
        f"{row.name!r} is not in {(remove or '')[:60]!r}; it is in {current}",
    )
    if add is None:
        raise ToolError("failed_precondition", "an item needs a folder: give add_parents")
    at = folder(state, add)
    needs_place(state, at, who, ctx.now)
    parent, drive = place(at)
    if isinstance(row, Folder):
        above: str | None = parent
        for _ in range(100):
            check(above != row.id, "invalid_argument", "a folder cannot be put into itself")
            held = state.folders.get(above) if above else None
            above = held.parent_id if held else None
        check(
            drive == row.drive_id,
            "failed_precondition",
            "a folder cannot move between My Drive and a shared drive here",
        )
    owner = None if drive is not None else row.owner or who.id
    return {"parent_id": parent, "drive_id": drive, "owner": owner}
