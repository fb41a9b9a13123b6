"""A plausible workspace, at any size."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from compoworld_core import Context, Table
from compoworld_services_project_management.linear import access, pools
from compoworld_services_project_management.linear.app import service
from compoworld_services_project_management.linear.state import (
    Comment,
    Customer,
    CustomerNeed,
    CustomerStatus,
    CustomerTier,
    Cycle,
    Issue,
    IssueRelation,
    Label,
    LinearState,
    Project,
    Team,
    User,
    WorkflowState,
)


class _Seeder:
    """Draws of one seeding, and what it made so far."""

    def __init__(self, ctx: Context, scale: int) -> None:
        self.ctx, self.rng, self.scale = ctx, ctx.rng, scale
        self.made: dict[str, list[Any]] = {name: [] for name in LinearState.tables()}

    def share(self, percent: int, least: int) -> int:
        return max(least, self.scale * percent // 100)

    def id(self) -> str:
        return access.new_id(self.ctx)

    def instant(self, back: int = 90, after: datetime | None = None) -> datetime:
        today = self.ctx.cast.today
        if after is not None:
            left = max(2, int((today - after).total_seconds()) // 60)
            return after + timedelta(minutes=self.rng.randint(1, left - 1))
        return today - timedelta(minutes=self.rng.randint(60, back * 24 * 60))

    def text(self, forms: tuple[str, ...]) -> str:
        person = self.rng.choice(self.ctx.cast.customers)
        return self.rng.choice(forms).format(
            name=person.name,
            email=person.email,
            company=person.company,
            account=person.account_no,
            day=self.instant().date().isoformat(),
            amount=self.rng.randint(20, 900),
            thing=self.rng.choice(pools.THINGS),
        )

    def user(self) -> User:
        found: User = self.rng.choice([u for u in self.made["users"] if u.active])
        return found


def _pick(rng: Random, shares: dict[Any, int]) -> Any:
    return rng.choices(list(shares), list(shares.values()))[0]


@service.seed
def seed(ctx: Context, scale: int) -> LinearState:
    """Fill the workspace with about `scale` records."""
    draw = _Seeder(ctx, scale)
    _people(draw)
    _teams(draw)
    _projects(draw)
    _customers(draw)
    _issues(draw)
    _comments(draw)
    _needs(draw)
    tables: dict[str, Any] = {name: Table(rows) for name, rows in draw.made.items()}
    return LinearState(**tables)


def _people(draw: _Seeder) -> None:
    staff = draw.ctx.cast.staff
    for n, person in enumerate(staff[: min(len(staff), draw.share(5, 3))]):
        draw.made["users"].append(
            User(
                id=draw.id(),
                name=person.name,
                display_name=person.first.lower(),
                email=person.email,
                active=n < 3 or draw.rng.random() < 0.93,
                admin=n == 1,
            )
        )


def _teams(draw: _Seeder) -> None:
    rng = draw.rng
    many = 1 if draw.scale < 40 else min(len(pools.TEAMS), 2 + draw.scale // 150)
    users = draw.made["users"]
    for n, (key, name) in enumerate(rng.sample(pools.TEAMS, many)):
        private = n >= 3 and rng.random() < 0.3
        members = rng.sample(users, min(len(users), 4))
        if not private:
            members = [users[0], *(u for u in members if u.id != users[0].id)]
        team = Team(
            id=draw.id(),
            key=key,
            name=name,
            description=f"Work of {name}",
            private=private,
            members=tuple(user.id for user in members),
        )
        draw.made["teams"].append(team)
        for position, (state, kind, color) in enumerate(pools.STATES):
            draw.made["workflow_states"].append(
                WorkflowState(
                    id=draw.id(),
                    name=state,
                    type=kind,
                    color=color,
                    position=position,
                    team_id=team.id,
                )
            )
        _cycles(draw, team)
    for name in pools.LABELS[: max(3, min(len(pools.LABELS), draw.scale // 15))]:
        owned = draw.scale >= 100 and rng.random() < 0.25
        team_id = rng.choice(draw.made["teams"]).id if owned else None
        draw.made["labels"].append(Label(id=draw.id(), name=name, team_id=team_id))


def _cycles(draw: _Seeder, team: Team) -> None:
    start = draw.ctx.cast.today - timedelta(days=17)
    first = draw.rng.randint(3, 40)
    for n in range(4 if draw.scale >= 100 else 3):
        begins = start + timedelta(days=14 * n)
        ends = begins + timedelta(days=14)
        draw.made["cycles"].append(
            Cycle(
                id=draw.id(),
                number=first + n,
                name=f"Cycle {first + n}",
                team_id=team.id,
                starts_at=begins,
                ends_at=ends,
                completed=ends < draw.ctx.cast.today,
                completed_at=ends if ends < draw.ctx.cast.today else None,
            )
        )


def _projects(draw: _Seeder) -> None:
    rng, today = draw.rng, draw.ctx.cast.today.date()
    names = [f"{verb} {thing}" for thing in pools.THINGS for verb in pools.PROJECTS]
    for name in rng.sample(names, draw.share(5, 2)):
        teams = rng.sample(
            draw.made["teams"], min(len(draw.made["teams"]), rng.choice((1, 1, 2)))
        )
        start = today + timedelta(days=rng.randint(-80, 20))
        made = draw.instant(150)
        draw.made["projects"].append(
            Project(
                id=draw.id(),
                name=name,
                description=draw.text(pools.GOALS),
                content=draw.text(pools.BODIES),
                state=_pick(rng, {"backlog": 2, "planned": 2, "started": 5, "paused": 1,
                                  "completed": 2}),
                lead_id=draw.user().id,
                member_ids=tuple(dict.fromkeys(draw.user().id for _ in range(2))),
                team_ids=tuple(team.id for team in teams),
                start_date=start,
                target_date=start + timedelta(days=rng.randint(20, 120)),
                created_at=made,
                updated_at=draw.instant(after=made),
            )
        )  # fmt: skip


def _customers(draw: _Seeder) -> None:
    rng, cast = draw.rng, draw.ctx.cast
    for name in pools.STATUSES:
        key = f"customer-status-{name.lower()}"
        draw.made["customer_statuses"].append(CustomerStatus(id=key, name=name))
    for name in pools.TIERS:
        key = f"customer-tier-{name.lower()}"
        draw.made["customer_tiers"].append(CustomerTier(id=key, name=name))
    contacts = {person.company: person for person in cast.customers}
    for company in rng.sample(cast.companies, min(len(cast.companies), draw.share(10, 3))):
        made = draw.instant(400)
        contact = contacts.get(company.name)
        draw.made["customers"].append(
            Customer(
                id=draw.id(),
                name=company.name,
                domains=(company.domain,),
                external_ids=(contact.account_no,) if contact and rng.random() < 0.7 else (),
                owner_id=draw.user().id,
                status_id=rng.choice(draw.made["customer_statuses"]).id,
                tier_id=rng.choice(draw.made["customer_tiers"]).id,
                revenue=Decimal(rng.randint(2, 900) * 1000),
                size=rng.choice((5, 20, 80, 250, 1200)),
                created_at=made,
                updated_at=draw.instant(after=made),
            )
        )


def _issues(draw: _Seeder) -> None:
    rng, today = draw.rng, draw.ctx.cast.today.date()
    for _ in range(draw.share(44, 6)):
        team = rng.choice(draw.made["teams"])
        made = draw.instant()
        states = [row for row in draw.made["workflow_states"] if row.team_id == team.id]
        state = rng.choice(states)
        ended = state.type in ("completed", "canceled")
        projects = [row for row in draw.made["projects"] if team.id in row.team_ids]
        cycles = [
            row for row in draw.made["cycles"] if row.team_id == team.id and not row.completed
        ]
        labels = [row for row in draw.made["labels"] if row.team_id in (None, team.id)]
        updated = draw.instant(after=made)
        archived = ended and rng.random() < 0.15
        draw.ctx.skip_numbers(team.key, rng.randint(0, 3))
        draw.made["issues"].append(
            Issue(
                id=draw.id(),
                identifier=f"{team.key}-{draw.ctx.next_number(team.key)}",
                title=_title(draw),
                description=draw.text(pools.BODIES),
                priority=_pick(rng, {0: 3, 1: 1, 2: 3, 3: 5, 4: 2}),
                estimate=rng.choice((None, 1, 2, 3, 5, 8)),
                state_id=state.id,
                team_id=team.id,
                creator_id=draw.user().id,
                assignee_id=draw.user().id if rng.random() < 0.75 else None,
                project_id=rng.choice(projects).id if projects and rng.random() < 0.6 else None,
                cycle_id=rng.choice(cycles).id if cycles and rng.random() < 0.4 else None,
                label_ids=tuple(
                    row.id for row in rng.sample(labels, min(len(labels), rng.randint(0, 2)))
                ),
                due_date=today + timedelta(days=rng.randint(-20, 60))
                if rng.random() < 0.4
                else None,
                created_at=made,
                updated_at=updated,
                completed_at=updated if ended else None,
                archived=archived,
                archived_at=updated if archived else None,
            )
        )
    _related(draw)


def _title(draw: _Seeder) -> str:
    title = draw.rng.choice(pools.PROBLEMS).format(thing=draw.rng.choice(pools.THINGS))
    return title[:1].upper() + title[1:]


def _related(draw: _Seeder) -> None:
    rng = draw.rng
    known = [row for row in draw.made["issues"] if not row.archived]
    for _ in range(draw.share(2, 1)):
        one, two = rng.sample(known, 2)
        draw.made["issue_relations"].append(
            IssueRelation(
                id=draw.id(),
                type=rng.choice(("blocks", "related", "duplicate")),
                issue_id=one.id,
                related_issue_id=two.id,
            )
        )


def _comments(draw: _Seeder) -> None:
    for _ in range(draw.share(15, 3)):
        issue = draw.rng.choice(draw.made["issues"])
        made = draw.instant(after=issue.created_at)
        draw.made["comments"].append(
            Comment(
                id=draw.id(),
                body=draw.text(pools.REMARKS),
                issue_id=issue.id,
                user_id=draw.user().id,
                created_at=made,
                updated_at=made,
            )
        )


def _needs(draw: _Seeder) -> None:
    rng = draw.rng
    for _ in range(draw.share(8, 2)):
        issue, customer = rng.choice(draw.made["issues"]), rng.choice(draw.made["customers"])
        made = draw.instant(after=issue.created_at)
        draw.made["customer_needs"].append(
            CustomerNeed(
                id=draw.id(),
                body=draw.text(pools.WISHES),
                customer_id=customer.id,
                issue_id=issue.id,
                priority=int(rng.random() < 0.3),
                creator_id=draw.user().id,
                created_at=made,
                updated_at=made,
            )
        )
