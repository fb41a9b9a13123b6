"""Entities of the issue tracker."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from compoworld_core import Entity, Ref, State, Table
from compoworld_core.types import (
    Code,
    Company,
    Date,
    DateTime,
    Meaning,
    Money,
    PersonName,
    Quantity,
    StaffEmail,
    Tag,
    Text,
    Title,
    Url,
)

StateType = Literal["backlog", "unstarted", "started", "completed", "canceled"]
ProjectState = Literal["backlog", "planned", "started", "paused", "completed", "canceled"]
RelationType = Literal["blocks", "blocked_by", "related", "duplicate", "duplicate_of"]
Domains = Annotated[tuple[Url, ...], AfterValidator(lambda items: tuple(sorted(set(items))))]
Codes = Annotated[tuple[Code, ...], AfterValidator(lambda items: tuple(sorted(set(items))))]
Whole = Annotated[int, WithJsonSchema({"type": "number"})]
"""A whole number where the product's schema says number."""
Count = Annotated[int, Field(ge=1)]


class User(Entity):
    """A member of the workspace."""

    id: str
    name: PersonName
    display_name: Title
    email: StaffEmail
    active: bool = True
    admin: bool = False


class Team(Entity):
    """A team; issues belong to one."""

    id: str
    key: Code
    name: Title
    description: Text = ""
    private: bool = False
    members: tuple[Ref[User], ...] = ()


class WorkflowState(Entity):
    """A state that a team's issues can have."""

    id: str
    name: Title
    type: StateType
    color: str
    position: int
    team_id: Ref[Team]


class Label(Entity):
    """A label of a team, or of the whole workspace."""

    id: str
    name: Tag
    color: str = "#bec2c8"
    description: Text = ""
    team_id: Ref[Team] | None = None


class Project(Entity):
    """A project of one or more teams."""

    id: str
    name: Title
    description: Text = ""
    content: Text = ""
    state: ProjectState = "backlog"
    lead_id: Ref[User] | None = None
    member_ids: tuple[Ref[User], ...] = ()
    team_ids: tuple[Ref[Team], ...]
    start_date: Date | None = None
    target_date: Date | None = None
    color: str = ""
    icon: str = ""
    sort_order: int = 0
    created_at: DateTime
    updated_at: DateTime


class Cycle(Entity):
    """A time box of a team."""

    id: str
    number: int
    name: Title
    description: Text = ""
    team_id: Ref[Team]
    starts_at: DateTime
    ends_at: DateTime
    completed: bool = False
    completed_at: DateTime | None = None


class Issue(Entity):
    """An issue."""

    id: str
    identifier: Code
    """Team key and number: ENG-123."""
    title: Title
    description: Text = ""
    priority: int = 0
    """0 none, 1 urgent, 2 high, 3 normal, 4 low."""
    estimate: int | None = None
    state_id: Ref[WorkflowState]
    team_id: Ref[Team]
    creator_id: Ref[User]
    assignee_id: Ref[User] | None = None
    project_id: Ref[Project] | None = None
    cycle_id: Ref[Cycle] | None = None
    parent_id: Ref[Issue] | None = None
    label_ids: tuple[Ref[Label], ...] = ()
    subscriber_ids: tuple[Ref[User], ...] = ()
    due_date: Date | None = None
    sort_order: int = 0
    created_at: DateTime
    updated_at: DateTime
    completed_at: DateTime | None = None
    archived: bool = False
    archived_at: DateTime | None = None


class IssueRelation(Entity):
    """How two issues relate."""

    id: str
    type: RelationType
    issue_id: Ref[Issue]
    related_issue_id: Ref[Issue]


class Comment(Entity):
    """A comment on an issue or a project."""

    id: str
    body: Text
    issue_id: Ref[Issue] | None = None
    project_id: Ref[Project] | None = None
    parent_id: Ref[Comment] | None = None
    user_id: Ref[User]
    quoted_text: Text = ""
    created_at: DateTime
    updated_at: DateTime
    resolved_by_id: Ref[User] | None = None


class CustomerStatus(Entity):
    """Where a customer stands."""

    id: str
    name: Title


class CustomerTier(Entity):
    """How important a customer is."""

    id: str
    name: Title


class Customer(Entity):
    """A company whose requests are collected."""

    id: str
    name: Company
    domains: Domains = ()
    external_ids: Codes = ()
    """Account numbers in other systems."""
    owner_id: Ref[User] | None = None
    status_id: Ref[CustomerStatus] | None = None
    tier_id: Ref[CustomerTier] | None = None
    revenue: Annotated[Money, Field(ge=0, le=10**12)] | None = None
    size: Annotated[Quantity, Field(ge=0, le=10**9)] | None = None
    logo_url: str = ""
    main_source_id: str = ""
    slack_channel_id: str = ""
    created_at: DateTime
    updated_at: DateTime


class CustomerNeed(Entity):
    """What a customer asked for, tied to an issue or project."""

    id: str
    body: Text
    customer_id: Ref[Customer] | None = None
    issue_id: Ref[Issue] | None = None
    project_id: Ref[Project] | None = None
    comment_id: Ref[Comment] | None = None
    attachment_id: Annotated[str, Meaning("id")] | None = None
    attachment_url: str = ""
    priority: Annotated[int, Field(ge=0, le=1)] = 0
    """1 where it is important."""
    creator_id: Ref[User]
    created_at: DateTime
    updated_at: DateTime


class LinearState(State):
    """A workspace."""

    users: Table[User] = Table()
    teams: Table[Team] = Table()
    workflow_states: Table[WorkflowState] = Table()
    labels: Table[Label] = Table()
    projects: Table[Project] = Table()
    cycles: Table[Cycle] = Table()
    issues: Table[Issue] = Table()
    issue_relations: Table[IssueRelation] = Table()
    comments: Table[Comment] = Table()
    customer_statuses: Table[CustomerStatus] = Table()
    customer_tiers: Table[CustomerTier] = Table()
    customers: Table[Customer] = Table()
    customer_needs: Table[CustomerNeed] = Table()
