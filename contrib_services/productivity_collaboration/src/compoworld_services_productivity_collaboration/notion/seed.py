"""The seeded workspace: documents, tables with rows, content and comments."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from compoworld_core import Context, Table
from compoworld_core.cast import Person
from compoworld_services_productivity_collaboration.notion import columns, pools
from compoworld_services_productivity_collaboration.notion.state import (
    Block,
    BlockType,
    Comment,
    Database,
    DataSource,
    NotionState,
    Page,
    Property,
    User,
    new_id,
    service,
)

_KINDS: tuple[BlockType, ...] = (
    "paragraph",
    "paragraph",
    "paragraph",
    "bulleted_list_item",
    "to_do",
    "heading_2",
)


@service.seed
def seed(ctx: Context, scale: int) -> NotionState:
    """A workspace of about `scale` records."""
    users = _users(ctx, max(3, min(len(ctx.cast.staff), scale // 10)))
    sheets = (*pools.SHEETS[: 2 if scale < 60 else len(pools.SHEETS)], pools.WIKI)
    databases, sources = _tables(ctx, sheets)
    n_documents = max(2, min(len(pools.DOCUMENTS), scale // 12))
    rest = scale - len(users) - n_documents - 2 * len(sheets)
    rows = _rows(ctx, users, sheets[:-1], sources[:-1], max(5, rest * 55 // 100))
    documents = _documents(ctx, users, sources[-1], n_documents)
    pages = rows + documents
    n_comments = max(1, rest * 12 // 100)
    blocks = _blocks(ctx, users, documents, rows, max(2, rest - len(rows) - n_comments))
    return NotionState(
        users=Table(users),
        databases=Table(databases),
        data_sources=Table(sources),
        pages=Table(pages),
        blocks=Table(blocks),
        comments=Table(_comments(ctx, users, pages, n_comments)),
    )


def _users(ctx: Context, count: int) -> list[User]:
    people = [
        User(id=new_id(ctx), name=person.name, email=person.email)
        for person in ctx.cast.staff[:count]
    ]
    return [*people, User(id=new_id(ctx), name="Workspace automation", type="bot")]


def _documents(ctx: Context, users: Sequence[User], wiki: DataSource, count: int) -> list[Page]:
    rng = ctx.rng
    rows = []
    for title, _ in pools.DOCUMENTS[:count]:
        made, edited = _times(rng, ctx.cast.today)
        author = rng.choice(users[:-1]).id
        rows.append(
            Page(
                id=new_id(ctx),
                title=title,
                data_source_id=wiki.id,
                owner_id=author,
                tags=(rng.choice(pools.TAGS),),
                icon=rng.choice((None, "📄", "📌", "🧭")),
                is_locked=rng.random() < 0.1,
                created_by=author,
                created_time=made,
                last_edited_time=edited,
            )
        )
    return rows


def _tables(
    ctx: Context, sheets: Sequence[pools.Sheet]
) -> tuple[list[Database], list[DataSource]]:
    databases, sources = [], []
    for sheet in sheets:
        made = ctx.cast.today - timedelta(days=ctx.rng.randint(200, 700))
        database = Database(id=new_id(ctx), title=sheet.title, created_time=made)
        databases.append(database)
        schema = (*pools.SHARED, *sheet.columns)
        sources.append(
            DataSource(
                id=new_id(ctx),
                database_id=database.id,
                title=sheet.title,
                description=sheet.description,
                properties=tuple(_column(name, kind) for name, kind in schema),
                created_time=made,
            )
        )
    return databases, sources


def _column(name: str, kind: str) -> Property:
    options: dict[str, Sequence[str]] = {
        "status": columns.STATUSES,
        "multi_select": pools.TAGS,
        "select": ("S", "M", "L"),
    }
    raw = {kind: {"options": [{"name": option} for option in options.get(kind, ())]}}
    return columns.new_column(name, raw)


def _rows(
    ctx: Context,
    users: Sequence[User],
    sheets: Sequence[pools.Sheet],
    sources: Sequence[DataSource],
    count: int,
) -> list[Page]:
    rng = ctx.rng
    pairs = rng.choices(
        list(zip(sheets, sources, strict=True)), [sheet.share for sheet in sheets], k=count
    )
    people = rng.sample(ctx.cast.customers, len(ctx.cast.customers))
    rows = []
    for sheet, source in pairs:
        # Each person stands once in the directory, as long as there are enough.
        listed = sheet is pools.SHEETS[0]
        person = people.pop() if listed and people else rng.choice(ctx.cast.customers)
        facts = _facts(ctx, person)
        made, edited = _times(rng, ctx.cast.today)
        values = _values(ctx, users, sheet, person)
        rows.append(
            Page(
                id=new_id(ctx),
                title=_sentence(rng.choice(sheet.titles), facts),
                data_source_id=source.id,
                is_locked=rng.random() < 0.03,
                in_trash=rng.random() < 0.03,
                created_by=rng.choice(users).id,
                created_time=made,
                last_edited_time=edited,
                **values,
            )
        )
    rows.sort(key=lambda row: (row.created_time, row.id))
    return rows


def _values(
    ctx: Context, users: Sequence[User], sheet: pools.Sheet, person: Person
) -> dict[str, Any]:
    """The values of a row, for the columns that its table uses."""
    rng, today = ctx.rng, ctx.cast.today
    due = today.date() + timedelta(days=rng.randint(-60, 60))
    number = rng.randint(100, 100 + max(200, len(ctx.cast.customers) * 4))
    options: dict[str, Any] = {
        "Email": person.email,
        "Phone": person.phone if rng.random() < 0.7 else None,
        "Company": person.company,
        "Status": rng.choice(columns.STATUSES),
        "Owner": rng.choice(users[:-1]).id if rng.random() < 0.85 else None,
        "Due": due if rng.random() < 0.85 else None,
        "Amount": Decimal(rng.randrange(4, 400) * 250) / rng.choice((1, 1, 10)),
        "Tags": tuple(rng.sample(pools.TAGS, rng.choice((0, 1, 1, 2)))),
        "Reference": _reference(rng, sheet, number),
        "Link": f"https://meet.example/{rng.randrange(10**8, 10**9)}",
    }
    other: dict[str, Any] = {
        "Billable": rng.random() < 0.7,
        "Effort": rng.choice(("S", "M", "L")),
        "Held on": (today.date() - timedelta(days=rng.randint(1, 80))).isoformat(),
    }
    kinds = dict(pools.SHARED)
    values = {columns.FIELDS[name, kinds[name]]: options[name] for name in sheet.filled}
    values["properties"] = {name: other[name] for name, _ in sheet.columns}
    return values


def _reference(rng: Random, sheet: pools.Sheet, number: int) -> str | None:
    if sheet.title == "Contracts":
        return f"CT-{number}"
    return f"ENG-{number}" if rng.random() < 0.3 else None


def _blocks(
    ctx: Context,
    users: Sequence[User],
    documents: Sequence[Page],
    rows: Sequence[Page],
    count: int,
) -> list[Block]:
    rng = ctx.rng
    blocks: list[Block] = []
    last: dict[str, int] = {}

    def add(page: Page, kind: BlockType, text: str) -> None:
        last[page.id] = last.get(page.id, 0) + 1
        blocks.append(
            Block(
                id=new_id(ctx),
                page_id=page.id,
                type=kind,
                text=text,
                checked=rng.random() < 0.5 if kind == "to_do" else None,
                position=Decimal(last[page.id]),
                created_by=rng.choice(users).id,
                last_edited_time=page.last_edited_time,
            )
        )

    for page, (_, texts) in zip(documents, pools.DOCUMENTS, strict=False):
        for text in texts[: max(1, count // 8)]:
            add(page, "paragraph", text)
    while len(blocks) < count:
        page = rng.choice(rows)
        person = rng.choice(ctx.cast.customers)
        add(page, rng.choice(_KINDS), _sentence(rng.choice(pools.LINES), _facts(ctx, person)))
    return blocks


def _comments(
    ctx: Context, users: Sequence[User], pages: Sequence[Page], count: int
) -> list[Comment]:
    rng, today = ctx.rng, ctx.cast.today
    rows = [
        Comment(
            id=new_id(ctx),
            page_id=rng.choice(pages).id,
            text=_sentence(
                rng.choice(pools.REMARKS), _facts(ctx, rng.choice(ctx.cast.customers))
            ),
            created_by=rng.choice(users[:-1]).id,
            created_time=_moment(rng, today - timedelta(days=rng.randint(1, 60))),
        )
        for _ in range(count)
    ]
    rows.sort(key=lambda row: (row.created_time, row.id))
    return rows


def _facts(ctx: Context, person: Person) -> dict[str, Any]:
    rng, cast = ctx.rng, ctx.cast
    day = cast.today + timedelta(days=rng.randint(-20, 30))
    return {
        "person": person.name,
        "company": person.company,
        "email": person.email,
        "area": rng.choice(pools.AREAS),
        "product": rng.choice(cast.products).name,
        "quantity": rng.randint(2, 60),
        "amount": f"{rng.randrange(100, 9000)}.{rng.choice(('00', '50'))}",
        "code": f"{rng.choice(('INV', 'ENG', 'CT'))}-{rng.randint(100, 2999)}",
        "day": f"{day:%B} {day.day}",
    }


def _sentence(template: str, facts: dict[str, Any]) -> str:
    text = template.format(**facts)
    return text[0].upper() + text[1:]


def _times(rng: Random, today: datetime) -> tuple[datetime, datetime]:
    """When a page was made and last edited: both before today."""
    age = rng.randint(2, 90)
    made = _moment(rng, today - timedelta(days=age))
    edited = _moment(rng, today - timedelta(days=rng.randint(1, age)))
    return made, max(made, edited)


def _moment(rng: Random, day: datetime) -> datetime:
    return day.replace(hour=rng.randint(7, 18), minute=rng.randrange(60))
