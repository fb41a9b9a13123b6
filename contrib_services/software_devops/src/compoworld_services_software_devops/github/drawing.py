"""What the seeds of this service draw with."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from random import Random
from typing import Any

from compoworld_core import Context
from compoworld_services_software_devops.github import pools
from compoworld_services_software_devops.github.state import (
    GithubState,
    User,
)


class Seeder:
    """Draws of one seeding, and what it made so far."""

    def __init__(self, ctx: Context, scale: int) -> None:
        self.ctx, self.rng, self.scale = ctx, ctx.rng, scale
        self.made: dict[str, list[Any]] = {name: [] for name in GithubState.tables()}
        self.staff: list[User] = []
        self.outside: list[User] = []

    def share(self, percent: int, least: int) -> int:
        """A part of the scale."""
        return max(least, self.scale * percent // 100)

    def instant(self, back: int = 90, after: datetime | None = None) -> datetime:
        """A time of the last days, or between a time and now."""
        today = self.ctx.cast.today
        if after is not None:
            left = max(2, int((today - after).total_seconds()) // 60)
            return after + timedelta(minutes=self.rng.randint(1, left - 1))
        return today - timedelta(minutes=self.rng.randint(60, back * 24 * 60))

    def text(self, forms: tuple[str, ...]) -> str:
        """A sentence that may name a customer, a day or an amount."""
        person = self.rng.choice(self.ctx.cast.customers)
        day = self.instant().date().isoformat()
        return self.rng.choice(forms).format(
            name=person.name,
            email=person.email,
            company=person.company,
            day=day,
            amount=self.rng.randint(20, 900),
            thing=self.rng.choice(pools.THINGS),
        )

    def title(self) -> str:
        """What an issue is about."""
        title = self.rng.choice(pools.PROBLEMS).format(thing=self.rng.choice(pools.THINGS))
        return title[:1].upper() + title[1:]


def slug(name: str) -> str:
    """A name for addresses."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def pick(rng: Random, shares: dict[Any, int]) -> Any:
    """One of several values, by shares."""
    return rng.choices(list(shares), list(shares.values()))[0]
