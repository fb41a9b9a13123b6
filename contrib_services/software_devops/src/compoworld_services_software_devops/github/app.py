"""The service object that the tool modules register with."""

from __future__ import annotations

from compoworld_core import Service
from compoworld_services_software_devops.github.state import GithubState

service = Service(
    "github",
    state=GithubState,
    domain="software_devops",
    title="GitHub",
    summary="Repositories, files, issues, pull requests and reviews",
)
service.words.update(
    {
        "users": "GitHub user",
        "users.login": "with the username {}",
        "users.email": "with the email address {}",
        "users.name": "called {}",
        "users.company": "at {}",
        "users.type": "with the account type {}",
        "repositories": "repository",
        "repositories.id": "{}",
        "repositories.name": "called {}",
        "repositories.owner": "of {}",
        "repositories.language": "written in {}",
        "files": "file",
        "files.path": "at {}",
        "files.repo": "in the repository {}",
        "commits": "commit",
        "commits.author_email": "by {}",
        "branches": "branch",
        "branches.name": "called {}",
        "milestones": "milestone",
        "issues": "GitHub issue",
        "issues.number": "#{}",
        "issues.repo": "in the repository {}",
        "issues.title": "titled “{}”",
        "issues.user": "opened by {}",
        "issues.state": "that is {}",
        "issues.labels": "labeled {}",
        "issues.assignees": "assigned to {}",
        "issue_comments": "comment",
        "issue_comments.body": "that reads “{}”",
        "pull_requests": "pull request",
        "pull_requests.number": "#{}",
        "pull_requests.repo": "in the repository {}",
        "pull_requests.title": "titled “{}”",
        "pull_requests.user": "opened by {}",
        "pull_requests.head": "from the branch {}",
        "pull_requests.mergeable_state": "with the merge status {}",
        "reviews": "review",
        "reviews.user": "by {}",
        "reviews.state": "that is {}",
        "review_comments": "review comment",
        "status_checks": "status check",
        "status_checks.context": "called {}",
    }
)
