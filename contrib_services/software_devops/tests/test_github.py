"""The code host: files and branches, issues, access, seeds."""

from __future__ import annotations

from typing import Any

import pytest
from compoworld_services_software_devops.github import service
from compoworld_services_software_devops.github.git import blob_sha
from compoworld_services_software_devops.github.state import GithubState, Repository

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


# -- repositories, branches, files ------------------------------


def test_a_repository_has_one_name_per_owner(env: Environment) -> None:
    home = mine(env)
    assert home["repo"] == "field-notes"
    refused(env, "create_repository", "conflict", name="field notes")
    refused(env, "create_repository", "invalid_argument", name="???")
    text = call(env, "get_file_contents", **home, path="README.md")["content"]
    assert text.startswith("# field-notes")


def test_a_branch_keeps_its_files_while_the_base_moves_on(env: Environment) -> None:
    home = mine(env)
    readme = call(env, "get_file_contents", **home, path="README.md")
    call(env, "create_branch", **home, branch="old")
    call(env, "create_or_update_file", **home, path="README.md", content="new",
         message="rewrite", branch="main", sha=readme["sha"])  # fmt: skip
    old = call(env, "get_file_contents", **home, path="README.md", branch="old")
    assert old["content"] == readme["content"]
    assert call(env, "get_file_contents", **home, path="README.md")["content"] == "new"


def test_replacing_a_file_needs_the_sha_of_its_version(env: Environment) -> None:
    home = {**mine(env), "message": "m", "branch": "main"}
    refused(
        env, "create_or_update_file", "invalid_argument", **home, path="README.md", content="x"
    )
    refused(env, "create_or_update_file", "conflict", **home, path="README.md", content="x",
            sha=blob_sha("other"))  # fmt: skip
    made = call(env, "create_or_update_file", **home, path="docs/a.md", content="x")
    assert made["sha"] == blob_sha("x")
    refused(
        env, "create_or_update_file", "not_found", **home, path="b.md", content="x", sha="1"
    )
    entries = call(env, "get_file_contents", **{k: home[k] for k in ("owner", "repo")}, path="")
    assert [(e["name"], e["type"]) for e in entries["entries"]] == [
        ("README.md", "file"),
        ("docs", "dir"),
    ]


@pytest.mark.parametrize("path", ["", "/a", "a//b", "../a", "a/../b", "a/", "."])
def test_paths_stay_inside_the_repository(env: Environment, path: str) -> None:
    refused(env, "push_files", "invalid_argument", **mine(env), branch="main", message="m",
            files=[{"path": path, "content": "x"}])  # fmt: skip


def test_commits_are_listed_newest_first_and_paged(env: Environment) -> None:
    home = mine(env)
    for n in range(3):
        call(env, "push_files", **home, branch="main", message=f"change {n}",
             files=[{"path": "n.txt", "content": str(n)}])  # fmt: skip
    page = call(env, "list_commits", **home, perPage=2)
    assert [row["message"] for row in page["items"]] == ["change 2", "change 1"]
    assert page["total"] == 4
    assert page["next_cursor"] == "2"
    last = call(env, "list_commits", **home, perPage=2, page=2)
    assert last["items"][-1]["message"] == "Initial commit"


def test_a_fork_has_the_files_and_goes_its_own_way(env: Environment) -> None:
    source = writable(env)
    fork = call(env, "fork_repository", owner=source.owner, repo=source.name)
    assert fork["parent"] == source.id
    home = {"owner": fork["owner"], "repo": fork["name"]}
    readme = call(env, "get_file_contents", **home, path="README.md")
    call(env, "create_or_update_file", **home, path="README.md", content="mine", message="m",
         branch="main", sha=readme["sha"])  # fmt: skip
    kept = call(
        env, "get_file_contents", owner=source.owner, repo=source.name, path="README.md"
    )
    assert kept["content"] == readme["content"]
    refused(env, "fork_repository", "conflict", owner=source.owner, repo=source.name)
    login = fork["owner"]
    made = call(env, "create_pull_request", owner=source.owner, repo=source.name, title="Mine",
                head=f"{login}:main", base="main")  # fmt: skip
    assert made["head"] == f"{login}:main"


@pytest.mark.parametrize("name", ["", "a b", "a..b", "-a", "a/", "a.lock", "x" * 300])
def test_bad_branch_names_are_refused(env: Environment, name: str) -> None:
    refused(env, "create_branch", "invalid_argument", **mine(env), branch=name)


# -- issues ----------------------------------------------------


def test_issues_are_filtered_sorted_and_paged(env: Environment) -> None:
    state = held(env)
    home = writable(env)
    names = {"owner": home.owner, "repo": home.name}
    every = [i for i in state.issues if (i.owner, i.repo) == (home.owner, home.name)]
    found = call(env, "list_issues", **names, state="all", per_page=100)["items"]
    assert {row["number"] for row in found} == {i.number for i in every}
    assert [row["created_at"] for row in found] == sorted(
        (row["created_at"] for row in found), reverse=True
    )
    opened = call(env, "list_issues", **names)
    assert opened["total"] == sum(i.state == "open" for i in every)
    label = next(i.labels[0] for i in every if i.labels)
    labeled = call(env, "list_issues", **names, state="all", labels=[label])
    assert labeled["total"] == sum(label in i.labels for i in every)
    times = sorted(i.updated_at for i in every)
    since = call(env, "list_issues", **names, state="all", since=times[2].isoformat())
    assert since["total"] == len(times) - 2


def test_a_partial_update_keeps_what_is_not_given(env: Environment) -> None:
    home = writable(env)
    names = {"owner": home.owner, "repo": home.name}
    made = call(env, "create_issue", **names, title="Broken", body="why", labels=["bug"])
    closed = call(env, "update_issue", **names, issue_number=made["number"], state="closed")
    assert (closed["title"], closed["body"], closed["labels"]) == ("Broken", "why", ["bug"])
    assert closed["closed_at"]
    again = call(env, "update_issue", **names, issue_number=made["number"], state="open")
    assert again["closed_at"] is None
    refused(env, "update_issue", "invalid_argument", **names, issue_number=made["number"])
    refused(
        env, "update_issue", "not_found", **names, issue_number=made["number"], milestone=99
    )


def test_assignees_and_numbers_must_exist(env: Environment) -> None:
    home = writable(env)
    names = {"owner": home.owner, "repo": home.name}
    refused(env, "create_issue", "not_found", **names, title="x", assignees=["nobody"])
    refused(env, "get_issue", "not_found", **names, issue_number=10**6)
    refused(env, "create_issue", "invalid_argument", **names, title="  ")
    text = refused(env, "get_issue", "not_found", owner=home.owner, repo="x", issue_number=1)
    assert home.owner in text


def test_a_comment_counts(env: Environment) -> None:
    issue = next(i for i in held(env).issues if i.repo == writable(env).name)
    names = {"owner": issue.owner, "repo": issue.repo, "issue_number": issue.number}
    call(env, "add_issue_comment", **names, body="Seen")
    assert call(env, "get_issue", **names)["comments"] == issue.comments + 1
    refused(env, "add_issue_comment", "invalid_argument", **names, body=" ")


def test_readers_may_open_issues_and_change_their_own_only() -> None:
    env = compose(service, seed=4, scale=2000)
    state = held(env)
    me = state.users.first(email=state.ledger.actor)
    assert me is not None
    right = next(
        r for r in state.collaborators.where(login=me.login, permission="read")
        if not state.repositories[r.repository].archived
    )  # fmt: skip
    home = state.repositories[right.repository]
    names = {"owner": home.owner, "repo": home.name}
    other = next(i for i in state.issues if i.repo == home.name and i.user != me.login)
    refused(
        env, "update_issue", "permission_denied", **names, issue_number=other.number, title="x"
    )
    refused(env, "create_branch", "permission_denied", **names, branch="mine")
    made = call(env, "create_issue", **names, title="Question")
    call(env, "update_issue", **names, issue_number=made["number"], title="A question")
    refused(env, "update_issue", "permission_denied", **names, issue_number=made["number"],
            labels=["bug"])  # fmt: skip


def changed(env: Environment, table: str, key: str, **fields: Any) -> Environment:
    """The environment with fields of one record replaced."""
    state = held(env).fork()
    state.table(table).update(key, **fields)
    return Environment.of([(service, state)])


def test_an_archived_repository_is_read_only(env: Environment) -> None:
    home = writable(env)
    env = changed(env, "repositories", home.id, archived=True)
    names = {"owner": home.owner, "repo": home.name}
    refused(env, "create_issue", "failed_precondition", **names, title="x")
    refused(env, "create_branch", "failed_precondition", **names, branch="x")
    call(env, "list_issues", **names)


def test_a_private_repository_is_hidden_from_strangers(env: Environment) -> None:
    home = writable(env)
    env = changed(env, "repositories", home.id, private=True)
    state = held(env).fork()
    for row in list(state.collaborators):
        state.collaborators.delete(row.id)
    env = Environment.of([(service, state)])
    if home.owner == state.users.where(email=state.ledger.actor)[0].login:
        pytest.skip("the caller owns it")
    refused(env, "list_issues", "not_found", owner=home.owner, repo=home.name)
    hits = call(env, "search_repositories", query=f"{home.name} in:name")["items"]
    assert home.id not in [row["id"] for row in hits]


# -- seeds ----------------------------------------------------


@pytest.mark.parametrize("scale", [20, 200, 2000])
def test_seeds_are_of_the_asked_size_and_refer_to_what_exists(scale: int) -> None:
    state = held(compose(service, seed=3, scale=scale))
    total = sum(len(state.table(name)) for name in service.state.tables())
    assert scale <= total <= scale * 1.4 + 40
    for branch in state.branches:
        for key in state.commits[branch.sha].tree:
            assert key in state.files
    numbers = [i.number for i in state.issues] + [p.number for p in state.pull_requests]
    assert len(set(numbers)) == len(numbers)
    for comment in state.issue_comments:
        assert comment.issue_number in state.issues
