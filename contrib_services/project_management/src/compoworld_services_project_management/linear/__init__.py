"""Linear: issues, projects, cycles and customer requests."""

from compoworld_services_project_management.linear import (
    seed,
    tools_comments,
    tools_customers,
    tools_issue_actions,
    tools_issues,
    tools_projects,
    tools_workspace,
)
from compoworld_services_project_management.linear.app import service

__all__ = [
    "seed",
    "service",
    "tools_comments",
    "tools_customers",
    "tools_issue_actions",
    "tools_issues",
    "tools_projects",
    "tools_workspace",
]
