"""Tools for the help centre: find, read, write and update articles."""

from __future__ import annotations

from compoworld_core import UNSET, Context, IntRef
from compoworld_core.resources import Page, check, given, numbered, require, search
from compoworld_core.types import Tag, Text, Title
from compoworld_services_communication_support.zendesk import access
from compoworld_services_communication_support.zendesk.state import (
    Article,
    ZendeskState,
    new_id,
    service,
)

PAGE = 20
"""Most articles of one page."""


@service.tool(read_only=True)
def search_articles(
    state: ZendeskState,
    query: str,
    section: str | None = None,
    page: int = 1,
    per_page: int = 10,
) -> Page[Article]:
    """Find help articles whose title or body has all words.

    Args:
        query: words to look for.
        section: only articles of this section.
        page: number of the page, from 1.
        per_page: articles a page, at most 20.
    """
    check(bool(query.strip()), "invalid_argument", "the query is empty")
    rows = state.articles.where(**({"section": section} if section else {}))
    return numbered(search(rows, query, ("title", "body")), page, min(per_page, PAGE))


@service.tool(read_only=True)
def get_article(state: ZendeskState, article_id: IntRef[Article]) -> Article:
    """Show one help article.

    Args:
        article_id: id of the article.
    """
    return require(state.articles, article_id, "article")


@service.tool
def create_article(
    state: ZendeskState,
    ctx: Context,
    title: Title,
    body: Text,
    section: str,
    label_names: list[Tag] = UNSET,
    draft: bool = False,
) -> Article:
    """Write a help article.

    Args:
        title: what it is about, at most 255 characters.
        body: its text.
        section: name of the section it belongs to; it must exist.
        label_names: labels.
        draft: whether it stays invisible to customers.
    """
    own = access.me(state, ctx)
    article = Article(
        id=new_id(ctx),
        title=access.text(title, "title", 255),
        body=access.text(body, "body"),
        section=_section(state, section),
        label_names=tuple([] if label_names is UNSET else access.clean_tags(label_names)),
        draft=draft,
        author_id=own.id,
        created_at=ctx.now,
        updated_at=ctx.now,
    )
    return state.articles.insert(article)


@service.tool
def update_article(
    state: ZendeskState,
    ctx: Context,
    article_id: IntRef[Article],
    title: Title = UNSET,
    body: Text = UNSET,
    section: str = UNSET,
    label_names: list[Tag] = UNSET,
    draft: bool = UNSET,
) -> Article:
    """Change a help article; what is not given stays.

    Args:
        article_id: id of the article.
        title: what it is about.
        body: its text.
        section: name of the section it belongs to; it must exist.
        label_names: all labels, instead of those it has.
        draft: whether it is invisible to customers.
    """
    access.me(state, ctx)
    article = require(state.articles, article_id, "article")
    changes = given(draft=draft)
    if title is not UNSET:
        changes["title"] = access.text(title, "title", 255)
    if body is not UNSET:
        changes["body"] = access.text(body, "body")
    if section is not UNSET:
        changes["section"] = _section(state, section)
    if label_names is not UNSET:
        changes["label_names"] = tuple(access.clean_tags(label_names))
    check(bool(changes), "invalid_argument", "name at least one field to change")
    return state.articles.update(article.id, **changes, updated_at=ctx.now)


def _section(state: ZendeskState, section: str) -> str:
    known = list(dict.fromkeys(article.section for article in state.articles))
    check(
        section in known or not known,
        "not_found",
        f"no section {section[:40]!r}; there are: {', '.join(known)}",
    )
    return section
