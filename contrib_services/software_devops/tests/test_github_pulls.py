"""The code host: pull requests, reviews and search."""

from __future__ import annotations

from typing import Any

import pytest
from compoworld_services_software_devops.github import service
from compoworld_services_software_devops.github.state import GithubState, Issue, Repository

from compoworld_core import Environment, compose


@pytest.fixture
def env() -> Environment:
    return compose(service, seed=4, scale=200)


def call(env: Environment, tool: str, **arguments: Any) -> Any:
    seen = env.call(f"github.{tool}", arguments)
    assert not seen.is_error, seen.text
    return seen.data


def refused(env: Environment, tool: str, code: str, **arguments: Any) -> str:
    before = env.digest()
    seen = env.call(f"github.{tool}", arguments)
    assert seen.code == code, seen.text
    assert env.digest() == before, "a refused call changed the state"
    return seen.text


def held(env: Environment) -> GithubState:
    state = env.state("github")
    assert isinstance(state, GithubState)
    return state


def mine(env: Environment) -> dict[str, str]:
    """A fresh repository of the caller, with a README."""
    made = call(env, "create_repository", name="field notes", autoInit=True)
    return {"owner": made["owner"], "repo": made["name"]}


def own_pull(env: Environment) -> dict[str, Any]:
    """A pull request from branch `work` in a fresh repository."""
    home = mine(env)
    call(env, "create_branch", **home, branch="work")
    call(env, "push_files", **home, branch="work", message="two",
         files=[{"path": "a.txt", "content": "1\n2\n"},
                {"path": "b/c.txt", "content": "3\n"}])  # fmt: skip
    made = call(env, "create_pull_request", **home, title="Two", head="work", base="main")
    return {**home, "pull_number": made["number"]}


def writable(env: Environment) -> Repository:
    """A seeded repository that the caller may write to, with others' issues."""
    state = held(env)
    me = state.users.first(email=state.ledger.actor)
    assert me is not None
    for repository in state.repositories:
        right = state.collaborators.get(f"{repository.owner}/{repository.name}:{me.login}")
        if right and right.permission != "read" and not repository.archived:
            return repository
    raise AssertionError("the seed gives the caller no repository to write to")


def changed(env: Environment, table: str, key: str, **fields: Any) -> Environment:
    """The environment with fields of one record replaced."""
    state = held(env).fork()
    state.table(table).update(key, **fields)
    return Environment.of([(service, state)])


# -- pull requests and reviews -----------------------------------


def test_a_pull_request_shows_its_files_and_merges_once(env: Environment) -> None:
    pull = own_pull(env)
    files = call(env, "get_pull_request_files", **pull)["items"]
    assert [(f["filename"], f["status"], f["additions"]) for f in files] == [
        ("a.txt", "added", 2),
        ("b/c.txt", "added", 1),
    ]
    done = call(env, "merge_pull_request", **pull)
    home = {"owner": pull["owner"], "repo": pull["repo"]}
    assert call(env, "get_file_contents", **home, path="b/c.txt")["content"] == "3\n"
    merged = call(env, "get_pull_request", **pull)
    assert (merged["state"], merged["merged"]) == ("closed", True)
    assert merged["merge_commit_sha"] == done["sha"]
    refused(env, "merge_pull_request", "failed_precondition", **pull)
    assert call(env, "get_pull_request_files", **pull)["total"] == 2


def test_a_branch_without_changes_gives_no_pull_request(env: Environment) -> None:
    home = mine(env)
    call(env, "create_branch", **home, branch="same")
    refused(env, "create_pull_request", "failed_precondition", **home, title="t", head="same",
            base="main")  # fmt: skip
    refused(env, "create_pull_request", "invalid_argument", **home, title="t", head="main",
            base="main")  # fmt: skip


def test_one_open_pull_request_per_branch(env: Environment) -> None:
    pull = own_pull(env)
    refused(env, "create_pull_request", "conflict", owner=pull["owner"], repo=pull["repo"],
            title="again", head="work", base="main")  # fmt: skip


def test_changes_of_one_file_on_both_sides_conflict(env: Environment) -> None:
    pull = own_pull(env)
    home = {"owner": pull["owner"], "repo": pull["repo"]}
    call(env, "create_or_update_file", **home, path="a.txt", content="other", message="m",
         branch="main")  # fmt: skip
    assert "a.txt" in refused(env, "merge_pull_request", "conflict", **pull)


def test_a_branch_is_brought_up_to_date(env: Environment) -> None:
    pull = own_pull(env)
    home = {"owner": pull["owner"], "repo": pull["repo"]}
    refused(env, "update_pull_request_branch", "failed_precondition", **pull)
    call(env, "create_or_update_file", **home, path="z.txt", content="z", message="m",
         branch="main")  # fmt: skip
    refused(env, "update_pull_request_branch", "failed_precondition", **pull,
            expected_head_sha="0" * 40)  # fmt: skip
    call(env, "update_pull_request_branch", **pull)
    found = call(env, "get_file_contents", **home, path="z.txt", branch="work")
    assert found["content"] == "z"
    assert call(env, "get_pull_request_files", **pull)["total"] == 2


def test_nobody_approves_an_own_pull_request(env: Environment) -> None:
    pull = own_pull(env)
    refused(env, "create_pull_request_review", "failed_precondition", **pull, body="ok",
            event="APPROVE")  # fmt: skip
    made = call(env, "create_pull_request_review", **pull, body="a thought", event="COMMENT",
                comments=[{"path": "a.txt", "position": 1, "body": "why"},
                          {"path": "a.txt", "line": 2, "body": "here"}])  # fmt: skip
    assert made["state"] == "COMMENTED"
    assert call(env, "get_pull_request_reviews", **pull)["total"] == 1
    remarks = call(env, "get_pull_request_comments", **pull)["items"]
    assert [(r["position"], r["body"]) for r in remarks] == [(1, "why"), (2, "here")]


def test_a_protected_base_needs_an_approval_and_no_failed_check(env: Environment) -> None:
    state = held(env)
    me = state.users.first(email=state.ledger.actor)
    assert me is not None
    home = writable(env)
    branch = f"{home.owner}/{home.name}:main"
    pull = next(
        p for p in state.pull_requests
        if p.repo == home.name and p.state == "open" and not p.draft and p.user != me.login
    )  # fmt: skip
    env = changed(env, "branches", branch, protected=True)
    env = changed(env, "pull_requests", pull.id, mergeable_state="blocked")
    state = held(env).fork()
    for review in state.reviews.where(pull_number=pull.number):
        state.reviews.delete(review.id)
    for row in list(state.status_checks):
        state.status_checks.delete(row.id)
    env = Environment.of([(service, state)])
    names = {"owner": home.owner, "repo": home.name, "pull_number": pull.number}
    refused(env, "merge_pull_request", "failed_precondition", **names)
    call(env, "create_pull_request_review", **names, body="no", event="REQUEST_CHANGES")
    refused(env, "merge_pull_request", "failed_precondition", **names)
    call(env, "create_pull_request_review", **names, body="fine now", event="APPROVE")
    assert call(env, "get_pull_request", **names)["mergeable_state"] == "clean"
    call(env, "merge_pull_request", **names, merge_method="squash")


def test_checks_are_combined(env: Environment) -> None:
    state = held(env)
    by_sha: dict[str, set[str]] = {}
    for row in state.status_checks:
        by_sha.setdefault(str(row.sha), set()).add(row.state)
    for pull in state.pull_requests:
        names = {"owner": pull.owner, "repo": pull.repo, "pull_number": pull.number}
        seen = call(env, "get_pull_request_status", **names)
        states = by_sha.get(seen["sha"], {"pending"})
        expected = next(s for s in ("failure", "pending", "success") if s in states)
        assert seen["state"] == expected


# -- search ----------------------------------------------------


@pytest.mark.parametrize(
    ("query", "keeps"),
    [
        ("is:issue author:{user}", lambda i, it: i.user == it.user),
        ("is:issue state:closed", lambda i, it: i.state == "closed"),
        (
            'is:issue in:title "{title}"',
            lambda i, it: it.title.casefold() in i.title.casefold(),
        ),
        ("is:issue repo:{owner}/{repo}", lambda i, it: i.repo == it.repo),
        ("is:issue is:open no:assignee", lambda i, it: i.state == "open" and not i.assignees),
        ("is:issue -author:{user}", lambda i, it: i.user != it.user),
    ],
)
def test_issue_search_understands_qualifiers(env: Environment, query: str, keeps: Any) -> None:
    one: Issue = next(iter(held(env).issues))
    expected = {i.number for i in held(env).issues if keeps(i, one)}
    assert expected
    filled = query.format(user=one.user, title=one.title, owner=one.owner, repo=one.repo)
    numbers: set[int] = set()
    for page in range(1, 12):
        found = call(env, "search_issues", q=filled, per_page=20, page=page)
        numbers |= {row["number"] for row in found["items"]}
    assert numbers == expected


def test_people_are_found_by_email_and_name(env: Environment) -> None:
    user = next(u for u in held(env).users if u.email)
    for query in (f"{user.email} in:email", f'fullname:"{user.name}"', f"user:{user.login}"):
        assert [u["login"] for u in call(env, "search_users", q=query)["items"]] == [user.login]


def test_code_search_sees_default_branches_only(env: Environment) -> None:
    home = mine(env)
    call(env, "create_branch", **home, branch="work")
    call(env, "push_files", **home, branch="work", message="m",
         files=[{"path": "q.txt", "content": "unheard phrase"}])  # fmt: skip
    assert call(env, "search_code", q='"unheard phrase" in:file')["total"] == 0
    call(env, "push_files", **home, branch="main", message="m",
         files=[{"path": "q.txt", "content": "unheard phrase"}])  # fmt: skip
    assert call(env, "search_code", q='"unheard phrase" in:file')["total"] == 1


@pytest.mark.parametrize(
    ("tool", "name", "query"),
    [
        ("search_issues", "q", ""),
        ("search_issues", "q", "x" * 300),
        ("search_issues", "q", "language:Go"),
        ("search_issues", "q", "in:nowhere x"),
        ("search_users", "q", "label:bug"),
        ("search_repositories", "query", " "),
    ],
)
def test_bad_queries_say_what_fits(env: Environment, tool: str, name: str, query: str) -> None:
    refused(env, tool, "invalid_argument", **{name: query})
