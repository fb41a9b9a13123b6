"""GitHub: repositories, files, issues, pull requests and reviews."""

from compoworld_services_software_devops.github import (
    seed,
    tools_issues,
    tools_pulls,
    tools_repositories,
    tools_reviews,
    tools_search,
)
from compoworld_services_software_devops.github.app import service

__all__ = [
    "seed",
    "service",
    "tools_issues",
    "tools_pulls",
    "tools_repositories",
    "tools_reviews",
    "tools_search",
]
