"""Entities, state and the service object of Notion."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import Context, Entity, Ref, Service, State, Table
from compoworld_core.context import HEX
from compoworld_core.types import (
    Code,
    Company,
    Date,
    DateTime,
    Email,
    Frozen,
    Json,
    Meaning,
    Money,
    Number,
    PersonName,
    Phone,
    StaffEmail,
    StrSet,
    Text,
    Title,
    Url,
)

PageKey = Ref["Page"]
PropertyType = Literal[
    "title",
    "rich_text",
    "number",
    "select",
    "status",
    "multi_select",
    "date",
    "people",
    "email",
    "phone_number",
    "url",
    "checkbox",
]
RowStatus = Literal["New", "Active", "On hold", "Done"]
"""Options of the status column that all seeded tables share."""
BlockType = Literal[
    "paragraph",
    "heading_1",
    "heading_2",
    "heading_3",
    "bulleted_list_item",
    "numbered_list_item",
    "to_do",
    "toggle",
    "quote",
    "callout",
    "code",
    "divider",
]


class User(Entity):
    """A member of the workspace."""

    id: str
    type: Literal["person", "bot"] = "person"
    name: PersonName
    email: StaffEmail | None = None


class Database(Entity):
    """A container of data sources on a page."""

    id: str
    title: Title
    parent_page_id: PageKey | None = None
    created_time: DateTime


class Property(BaseModel):
    """A column of a data source."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    """Where pages keep its value: one of their own fields, or a key of their `properties`."""
    name: str
    type: PropertyType
    options: tuple[str, ...] = ()
    """Values of a select, status or multi-select."""


class DataSource(Entity):
    """A table: its columns; its rows are pages."""

    id: str
    database_id: Ref[Database]
    title: Title
    description: Text = ""
    properties: tuple[Property, ...]
    created_time: DateTime


class Page(Entity):
    """A document, or a row of a data source; it shows the values of the row's columns."""

    id: str
    title: Title
    data_source_id: Ref[DataSource] | None = None
    """Set for a row of a data source."""
    parent_page_id: PageKey | None = None
    """Set for a page inside another page; both empty: top of the workspace."""
    status: RowStatus | None = None
    email: Email | None = None
    phone: Phone | None = None
    company: Company | None = None
    reference: Code | None = None
    owner_id: Ref[User] | None = None
    due: Date | None = None
    amount: Money | None = None
    tags: Annotated[StrSet, Meaning("tag")] = ()
    link: Url | None = None
    properties: Json = Field(default_factory=Frozen)
    """Values of all other columns, by the column's id."""
    icon: str | None = None
    cover: Url | None = None
    is_locked: bool = False
    """Content and values cannot be edited; comments can be made."""
    in_trash: bool = False
    created_by: Ref[User]
    created_time: DateTime
    last_edited_time: DateTime


class Block(Entity):
    """A piece of a page's content."""

    id: str
    page_id: Ref[Page]
    parent_block_id: Ref[Block] | None = None
    type: BlockType
    text: Text = ""
    checked: bool | None = None
    """Only of a to-do."""
    position: Number
    """Order among the blocks of one parent."""
    archived: bool = False
    created_by: Ref[User]
    last_edited_time: DateTime


class Comment(Entity):
    """A remark in the discussion of a page or block."""

    id: str
    page_id: Ref[Page]
    block_id: Ref[Block] | None = None
    text: Text
    created_by: Ref[User]
    created_time: DateTime


class NotionState(State):
    """One workspace."""

    users: Table[User] = Table()
    databases: Table[Database] = Table()
    data_sources: Table[DataSource] = Table()
    pages: Table[Page] = Table()
    blocks: Table[Block] = Table()
    comments: Table[Comment] = Table()


service = Service(
    "notion",
    state=NotionState,
    domain="productivity_collaboration",
    title="Notion",
    summary="Pages, blocks, data sources with typed columns, and comments of a workspace.",
)

service.words.update(
    {
        "users": "Notion member",
        "users.name": "named {}",
        "users.email": "with the email address {}",
        "databases": "Notion database",
        "databases.title": "called {}",
        "data_sources": "Notion data source",
        "data_sources.title": "called {}",
        "data_sources.description": "described as {}",
        "pages": "Notion page",
        "pages.title": "titled {}",
        "pages.status": "with the status {}",
        "pages.email": "for the contact {}",
        "pages.phone": "with the phone number {}",
        "pages.company": "about {}",
        "pages.reference": "with the reference {}",
        "pages.owner_id": "owned by {}",
        "pages.due": "due on {}",
        "pages.amount": "over {}",
        "pages.tags": "tagged {}",
        "pages.link": "linking to {}",
        "blocks": "Notion block",
        "blocks.text": "saying {}",
        "comments": "Notion comment",
        "comments.text": "saying {}",
    }
)


def new_id(ctx: Context) -> str:
    """A UUID-shaped opaque id."""
    digits = ctx.new_id("", length=32, alphabet=HEX)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
