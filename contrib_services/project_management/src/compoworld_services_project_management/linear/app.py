"""The service object that the tool modules register with."""

from __future__ import annotations

from compoworld_core import Service
from compoworld_services_project_management.linear.state import LinearState

service = Service(
    "linear",
    state=LinearState,
    domain="project_management",
    title="Linear",
    summary="Issues, projects, cycles and customer requests",
)
service.words.update(
    {
        "users": "Linear user",
        "users.email": "with the email address {}",
        "users.name": "called {}",
        "teams": "team",
        "teams.key": "with the key {}",
        "teams.name": "called {}",
        "workflow_states": "workflow state",
        "workflow_states.name": "called {}",
        "labels": "label",
        "labels.name": "called {}",
        "projects": "project",
        "projects.name": "called {}",
        "projects.state": "that is {}",
        "projects.lead_id": "led by {}",
        "projects.team_ids": "of the team {}",
        "cycles": "cycle",
        "cycles.name": "called {}",
        "issues": "Linear issue",
        "issues.identifier": "{}",
        "issues.title": "titled “{}”",
        "issues.state_id": "in the state {}",
        "issues.assignee_id": "assigned to {}",
        "issues.project_id": "in the project {}",
        "issues.team_id": "of the team {}",
        "issues.due_date": "due on {}",
        "issue_relations": "issue relation",
        "comments": "comment",
        "comments.body": "that reads “{}”",
        "customers": "Linear customer",
        "customers.name": "called {}",
        "customers.domains": "with the domain {}",
        "customers.external_ids": "with the account number {}",
        "customer_needs": "customer request",
        "customer_needs.body": "that reads “{}”",
        "customer_needs.customer_id": "of the customer {}",
        "customer_statuses": "customer status",
        "customer_tiers": "customer tier",
    }
)
