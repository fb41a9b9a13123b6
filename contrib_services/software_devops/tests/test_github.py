"""The code host: files and branches, issues, pull requests, reviews, search, access."""

from __future__ import annotations

from typing import Any

import pytest
from compoworld_services_software_devops.github import service
from compoworld_services_software_devops.github.git import blob_sha
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
