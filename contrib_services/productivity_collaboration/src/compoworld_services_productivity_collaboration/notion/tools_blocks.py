"""Tools for a page's content: read, append, change, delete blocks."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, get_args

from compoworld_core import UNSET, Context, Forms, Ref, ToolError
from compoworld_core.resources import Page as Listed
from compoworld_core.resources import check, paginate, require
from compoworld_services_productivity_collaboration.notion import access
from compoworld_services_productivity_collaboration.notion.state import (
    Block,
    BlockType,
    NotionState,
    Page,
    new_id,
    service,
)

TYPES: tuple[str, ...] = get_args(BlockType)
MOST = 100
"""Blocks that one call may append."""

Children = Annotated[
    list[dict[str, Any] | str],
    Forms(
        **{
            "blocks.text": [
                {"type": "paragraph", "paragraph": {"rich_text": [{"text": {"content": "{}"}}]}}
            ]
        }
    ),
]
Content = Annotated[
    dict[str, Any] | str,
    Forms(text={"paragraph": {"rich_text": [{"text": {"content": "{}"}}]}}),
]


@service.tool(name="API-get-block-children", read_only=True)
def get_block_children(
    state: NotionState,
    block_id: Ref[Page],
    start_cursor: str = UNSET,
    page_size: int = 100,
) -> Listed[Block]:
    """List the blocks directly inside a page or block, in order.

    Args:
        block_id: id of a page or block.
        start_cursor: next_cursor of the answer before.
        page_size: how many to return, at most 100; an answer may hold fewer.
    """
    page, block = access.place(state, block_id)
    rows = children(state, page.id, None if block is None else block.id)
    return paginate(rows, min(page_size, access.PAGE), start_cursor or None)


@service.tool(name="API-retrieve-a-block", read_only=True)
def retrieve_block(state: NotionState, block_id: Ref[Block]) -> Block:
    """Show one block.

    Args:
        block_id: id of the block.
    """
    return require(state.blocks, access.key(block_id), "block")


@service.tool(name="API-patch-block-children")
def patch_block_children(
    state: NotionState,
    ctx: Context,
    block_id: Ref[Page],
    children: Children,
    after: Ref[Block] = UNSET,
) -> Listed[Block]:
    """Append blocks to a page or block; returns the new ones.

    Args:
        block_id: id of a page or block.
        children: blocks such as {"type": "paragraph", "paragraph": {"rich_text": […]}}.
        after: id of the block to insert them behind; the end by default.
    """
    page, block = access.place(state, block_id)
    access.editable(state, page.id)
    if block is not None:
        check(not block.archived, "failed_precondition", f"block {block.id} is deleted")
    rows = append(
        state, ctx, page.id, None if block is None else block.id, children, after or None
    )
    return Listed[Block](items=rows, total=len(rows), next_cursor=None)


@service.tool(name="API-update-a-block")
def update_block(
    state: NotionState,
    ctx: Context,
    block_id: Ref[Block],
    type: Content = UNSET,
    archived: bool = UNSET,
) -> Block:
    """Change the content of a block, or delete or restore it.

    Args:
        block_id: id of the block.
        type: new content under the block's own type, as {"paragraph": {"rich_text": […]}}.
        archived: true deletes the block, false restores it.
    """
    block = require(state.blocks, access.key(block_id), "block")
    access.editable(state, block.page_id)
    changes: dict[str, Any] = {}
    if archived is not UNSET:
        changes["archived"] = archived
    if type is not UNSET:
        check(
            not block.archived or archived is False,
            "failed_precondition",
            f"block {block.id} is deleted; restore it with archived false",
        )
        content = access.mapping(type, "type")
        check(
            block.type in content,
            "invalid_argument",
            f'block {block.id} is a {block.type}; give {{"{block.type}": …}}',
        )
        text, checked = _content(block.type, content[block.type])
        if text is not None:
            changes["text"] = text
        if checked is not None:
            changes["checked"] = checked
    check(bool(changes), "invalid_argument", "give new content as type, or archived")
    return state.blocks.update(block.id, **changes, last_edited_time=ctx.now)


@service.tool(name="API-delete-a-block", destructive=True, idempotent=True)
def delete_block(state: NotionState, ctx: Context, block_id: Ref[Block]) -> Block:
    """Delete a block with what is inside it; API-update-a-block can restore it.

    Args:
        block_id: id of the block.
    """
    block = require(state.blocks, access.key(block_id), "block")
    access.editable(state, block.page_id)
    if block.archived:
        return block
    return state.blocks.update(block.id, archived=True, last_edited_time=ctx.now)


def children(state: NotionState, page_id: str, parent_block_id: str | None) -> list[Block]:
    """The blocks directly inside a page or block, in order."""
    found = state.blocks.where(page_id=page_id, parent_block_id=parent_block_id)
    return sorted((b for b in found if not b.archived), key=lambda b: (b.position, b.id))


def append(
    state: NotionState,
    ctx: Context,
    page_id: str,
    parent_block_id: str | None,
    raw: list[Any],
    after: str | None = None,
) -> list[Block]:
    """Insert blocks from Notion's JSON at the end, or behind one block."""
    check(bool(raw), "invalid_argument", "children is empty")
    check(len(raw) <= MOST, "invalid_argument", f"at most {MOST} blocks can be added at once")
    places = _places(children(state, page_id, parent_block_id), after, len(raw))
    author = access.me(state, ctx).id
    rows = []
    for item, position in zip(raw, places, strict=True):
        kind, text, checked = _parsed(item)
        row = Block(
            id=new_id(ctx),
            page_id=page_id,
            parent_block_id=parent_block_id,
            type=kind,
            text=text,
            checked=checked,
            position=position,
            created_by=author,
            last_edited_time=ctx.now,
        )
        rows.append(state.blocks.insert(row))
    return rows


def markdown(state: NotionState, page: Page) -> str:
    """A page's content as Markdown."""
    lines: list[str] = []
    _render(state, page.id, None, 0, lines)
    return "\n".join(lines)


_MARKS = {
    "heading_1": "# ",
    "heading_2": "## ",
    "heading_3": "### ",
    "bulleted_list_item": "- ",
    "numbered_list_item": "1. ",
    "toggle": "- ",
    "quote": "> ",
    "callout": "> ",
}


def _render(
    state: NotionState, page_id: str, parent: str | None, depth: int, lines: list[str]
) -> None:
    for block in children(state, page_id, parent):
        mark = _MARKS.get(block.type, "")
        if block.type == "to_do":
            mark = "- [x] " if block.checked else "- [ ] "
        text = f"```\n{block.text}\n```" if block.type == "code" else block.text
        lines.append("  " * depth + ("---" if block.type == "divider" else mark + text))
        _render(state, page_id, block.id, depth + 1, lines)


def _places(held: list[Block], after: str | None, count: int) -> list[Decimal]:
    """Positions for new blocks: behind the last one, or evenly between two."""
    if after is None:
        last = held[-1].position if held else Decimal(0)
        return [last + n + 1 for n in range(count)]
    ids = [block.id for block in held]
    wanted = access.key(after)
    if wanted not in ids:
        raise ToolError("not_found", f"no block {after[:40]!r} directly inside this one")
    at = ids.index(wanted)
    start = held[at].position
    end = held[at + 1].position if at + 1 < len(held) else start + count + 1
    # Powers of two divide exactly, so positions stay short decimals.
    parts = 1 << count.bit_length()
    return [start + (end - start) * (n + 1) / parts for n in range(count)]


def _parsed(item: Any) -> tuple[Any, str, bool | None]:
    """Type, text and tick of a block in Notion's JSON."""
    block = access.mapping(item, "children")
    kinds = [kind for kind in TYPES if kind in block]
    kind = block.get("type", kinds[0] if kinds else None)
    if kind not in TYPES or kind not in block:
        raise ToolError(
            "invalid_argument",
            'a block is {"type": "paragraph", "paragraph": {"rich_text": […]}}; '
            f"types: {', '.join(TYPES)}",
        )
    text, checked = _content(kind, block[kind])
    if kind == "to_do" and checked is None:
        checked = False
    return kind, text or "", checked


def _content(kind: str, raw: Any) -> tuple[str | None, bool | None]:
    content = access.mapping(raw, kind)
    check(
        "children" not in content,
        "invalid_argument",
        "append nested blocks in a second call, with the id of the outer one",
    )
    text = access.rich_text(content["rich_text"], kind) if "rich_text" in content else None
    checked = content.get("checked")
    check(
        checked is None or (isinstance(checked, bool) and kind == "to_do"),
        "invalid_argument",
        "checked is true or false, and only of a to_do",
    )
    check(
        text is not None or checked is not None or kind == "divider",
        "invalid_argument",
        f"{kind} needs rich_text",
    )
    return text, checked
