"""A plausible organization on the code host, at any size."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from compoworld_core import Context, Table
from compoworld_core.cast import Person
from compoworld_services_software_devops.github import pools
from compoworld_services_software_devops.github.app import service
from compoworld_services_software_devops.github.discussions import comments, issues, pulls
from compoworld_services_software_devops.github.drawing import Seeder, slug
from compoworld_services_software_devops.github.history import code
from compoworld_services_software_devops.github.state import (
    Collaborator,
    GithubState,
    Milestone,
    Permission,
    Repository,
    User,
)


@service.seed
def seed(ctx: Context, scale: int) -> GithubState:
    """Fill the organization with about `scale` records."""
    draw = Seeder(ctx, scale)
    _people(draw)
    _repositories(draw)
    issues(draw)
    pulls(draw)
    comments(draw)
    tables: dict[str, Any] = {name: Table(rows) for name, rows in draw.made.items()}
    return GithubState(**tables)


# -- people and repositories ---------------------------------


def _people(draw: Seeder) -> None:
    cast, rng = draw.ctx.cast, draw.rng
    staff = list(cast.staff[: max(3, min(len(cast.staff), draw.share(5, 3)))])
    outside = rng.sample(cast.customers, min(len(cast.customers), draw.share(4, 2)))
    draw.staff = [_user(draw, person) for person in staff]
    draw.outside = [_user(draw, person) for person in outside]
    organization = User(
        id=slug(cast.company.name),
        login=slug(cast.company.name),
        name=cast.company.name,
        company=cast.company.name,
        type="Organization",
        bio=f"Code of {cast.company.name}",
        created_at=draw.instant(2000),
    )
    draw.made["users"] += [organization, *draw.staff, *draw.outside]


def _user(draw: Seeder, person: Person) -> User:
    login = slug(person.name)
    return User(
        id=login,
        login=login,
        name=person.name,
        email=person.email,
        company=person.company,
        bio=person.title if draw.rng.random() < 0.5 else "",
        followers=draw.rng.randint(0, 200),
        created_at=draw.instant(1500),
    )


def _repositories(draw: Seeder) -> None:
    rng = draw.rng
    many = min(len(pools.REPOSITORIES), draw.share(3, 2))
    home = draw.made["users"][0].login
    me = draw.staff[0].login
    for n, (name, about, language) in enumerate(rng.sample(pools.REPOSITORIES, many)):
        started = draw.instant(900)
        owner = rng.choice(draw.staff).login if n % 3 == 1 else home
        full = f"{owner}/{name}"
        draw.made["repositories"].append(
            Repository(
                id=name,
                owner=owner,
                name=name,
                description=about,
                private=rng.random() < 0.4,
                language=language,
                topics=tuple(sorted(rng.sample(pools.TOPICS, 2))),
                stars=rng.randint(0, 300),
                archived=n >= 4 and rng.random() < 0.1,
                created_at=started,
                updated_at=draw.instant(30),
            )
        )
        permission: Permission = "admin" if n == 0 else "read" if n % 5 == 4 else "write"
        logins: list[tuple[str, Permission]] = [(me, permission)]
        if draw.scale >= 100:
            logins += [(user.login, "write") for user in rng.sample(draw.staff[1:], 2)]
        draw.made["collaborators"] += [
            Collaborator(id=f"{full}:{login}", repository=name, login=login, permission=granted)
            for login, granted in logins
        ]
        code(draw, draw.made["repositories"][-1])
        _milestones(draw, draw.made["repositories"][-1])


def _milestones(draw: Seeder, repository: Repository) -> None:
    for number in range(1, draw.rng.randint(1, 3) if draw.scale >= 60 else 1):
        draw.made["milestones"].append(
            Milestone(
                id=draw.ctx.new_id("MI_kwDO", length=10),
                owner=repository.owner,
                repo=repository.name,
                number=number,
                title=f"Release {number}.{draw.rng.randint(0, 9)}",
                due_on=(draw.ctx.cast.today + timedelta(days=draw.rng.randint(5, 60))).date(),
            )
        )
