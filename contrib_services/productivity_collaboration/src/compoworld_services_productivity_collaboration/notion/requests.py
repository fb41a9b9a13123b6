"""Typed shapes of Notion's request objects, for the columns that pages keep in own fields.

Every shape takes further keys, as Notion does; what fits none of them is read as plain JSON.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from compoworld_core import Ref
from compoworld_core.types import (
    Code,
    Company,
    Date,
    Email,
    Money,
    Phone,
    Status,
    Tag,
    Text,
    Title,
    Url,
)
from compoworld_services_productivity_collaboration.notion.state import DataSource, Page, User


class Request(BaseModel):
    """Base of all shapes."""

    model_config = ConfigDict(extra="allow", frozen=True)


class RowParent(Request):
    """The table that a page is a row of."""

    data_source_id: Ref[DataSource]


class PageParent(Request):
    """The page that something hangs on."""

    page_id: Ref[Page]


class PlainText(Request):
    """The text of a run."""

    content: Text


class RichText(Request):
    """A run of text."""

    text: PlainText


class TitleText(Request):
    """The text of a title."""

    content: Title


class TitleRun(Request):
    """A run of a title."""

    text: TitleText


class TitleValue(Request):
    """A title."""

    title: list[TitleRun]


class CompanyText(Request):
    """The name of a company."""

    content: Company


class CompanyRun(Request):
    """A run of a company's name."""

    text: CompanyText


class CompanyValue(Request):
    """A company's name in a text column."""

    rich_text: list[CompanyRun]


class CodeText(Request):
    """A document number."""

    content: Code


class CodeRun(Request):
    """A run of a document number."""

    text: CodeText


class CodeValue(Request):
    """A document number in a text column."""

    rich_text: list[CodeRun]


class EmailValue(Request):
    """An address."""

    email: Email | None


class PhoneValue(Request):
    """A phone number."""

    phone_number: Phone | None


class LinkValue(Request):
    """A link."""

    url: Url | None


class StatusName(Request):
    """An option of a status."""

    name: Status


class StatusValue(Request):
    """A status."""

    status: StatusName | None


class PersonId(Request):
    """A member of the workspace."""

    id: Ref[User]


class PeopleValue(Request):
    """Members of the workspace."""

    people: list[PersonId]


class Day(Request):
    """A day."""

    start: Date


class DateValue(Request):
    """A day, or nothing."""

    date: Day | None


class NumberValue(Request):
    """A number."""

    number: Money | None


class TagName(Request):
    """A tag."""

    name: Tag


class TagsValue(Request):
    """Tags."""

    multi_select: list[TagName]


class PageValues(Request):
    """Values by column name; other columns of the table may be given, too."""

    Name: TitleValue | None = None
    Status: StatusValue | None = None
    Email: EmailValue | None = None
    Phone: PhoneValue | None = None
    Company: CompanyValue | None = None
    Reference: CodeValue | None = None
    Owner: PeopleValue | None = None
    Due: DateValue | None = None
    Amount: NumberValue | None = None
    Tags: TagsValue | None = None
    Link: LinkValue | None = None


class NewPageValues(PageValues):
    """Values of a new page: it needs a title."""

    Name: TitleValue
