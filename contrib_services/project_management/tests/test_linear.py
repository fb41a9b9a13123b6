"""The issue tracker: issues and their rules, comments, projects, cycles, customers."""

from __future__ import annotations

from typing import Any

import pytest
from compoworld_services_project_management.linear import service
from compoworld_services_project_management.linear.state import Issue, LinearState, Team

from compoworld_core import Environment, compose


@pytest.fixture
def env() -> Environment:
    return compose(service, seed=4, scale=200)


def call(env: Environment, tool: str, **arguments: Any) -> Any:
    seen = env.call(f"linear.linear_{tool}", arguments)
    assert not seen.is_error, seen.text
    return seen.data


def refused(env: Environment, tool: str, code: str, **arguments: Any) -> str:
    before = env.digest()
    seen = env.call(f"linear.linear_{tool}", arguments)
    assert seen.code == code, seen.text
    assert env.digest() == before, "a refused call changed the state"
    return seen.text


def held(env: Environment) -> LinearState:
    state = env.state("linear")
    assert isinstance(state, LinearState)
    return state


def changed(env: Environment, table: str, key: str, **fields: Any) -> Environment:
    """The environment with fields of one record replaced."""
    state = held(env).fork()
    state.table(table).update(key, **fields)
    return Environment.of([(service, state)])


def teams(env: Environment) -> tuple[Team, Team]:
    one, two, *_ = held(env).teams
    return one, two


def an_issue(env: Environment) -> Issue:
    return next(row for row in held(env).issues if not row.archived)


# -- issues ----------------------------------------------------


def test_a_new_issue_gets_the_next_identifier_and_the_first_state(env: Environment) -> None:
    team, _ = teams(env)
    numbers = [
        int(row.identifier.partition("-")[2])
        for row in held(env).issues
        if row.team_id == team.id
    ]
    made = call(env, "createIssue", title="Broken", teamId=team.id)
    assert made["identifier"] == f"{team.key}-{max(numbers) + 1}"
    assert held(env).workflow_states[made["state_id"]].type == "backlog"
    assert call(env, "getIssueById", id=made["identifier"].lower())["id"] == made["id"]


def test_a_partial_update_keeps_what_is_not_given(env: Environment) -> None:
    issue = an_issue(env)
    after = call(env, "updateIssue", id=issue.identifier, title="New title")
    assert after["title"] == "New title"
    assert after["description"] == issue.description
    assert after["priority"] == issue.priority
    refused(env, "updateIssue", "invalid_argument", id=issue.id)
    refused(env, "updateIssue", "invalid_argument", id=issue.id, title=None)


def test_finishing_an_issue_notes_when(env: Environment) -> None:
    issue = next(row for row in held(env).issues if row.completed_at is None)
    states = call(env, "getWorkflowStates", teamId=str(issue.team_id))["items"]
    assert [row["position"] for row in states] == list(range(6))
    done = next(row["id"] for row in states if row["type"] == "completed")
    todo = next(row["id"] for row in states if row["type"] == "unstarted")
    assert call(env, "updateIssue", id=issue.id, stateId=done)["completed_at"]
    assert call(env, "updateIssue", id=issue.id, stateId=todo)["completed_at"] is None


def test_states_cycles_projects_and_labels_belong_to_the_team(env: Environment) -> None:
    one, two = teams(env)
    issue = next(row for row in held(env).issues if row.team_id == one.id and not row.archived)
    state = held(env).workflow_states.where(team_id=two.id)[0]
    cycle = held(env).cycles.where(team_id=two.id, completed=False)[0]
    over = held(env).cycles.where(team_id=one.id, completed=True)[0]
    assert one.key in refused(
        env, "updateIssue", "failed_precondition", id=issue.id, stateId=state.id
    )
    refused(env, "updateIssue", "failed_precondition", id=issue.id, cycleId=cycle.id)
    refused(env, "addIssueToCycle", "failed_precondition", issueId=issue.id, cycleId=over.id)
    project = call(env, "createProject", name="Elsewhere", teamIds=[two.id])
    refused(env, "addIssueToProject", "failed_precondition", issueId=issue.id,
            projectId=project["id"])  # fmt: skip
    label = call(env, "createTeamLabel", teamId=two.key, name="Theirs")
    refused(env, "addIssueLabel", "failed_precondition", issueId=issue.id, labelId=label["id"])


def test_moving_to_another_team_gives_a_new_identifier(env: Environment) -> None:
    one, two = teams(env)
    issue = next(row for row in held(env).issues if row.team_id == one.id and not row.archived)
    after = call(env, "updateIssue", id=issue.id, teamId=two.id)
    assert after["identifier"].startswith(two.key)
    assert after["label_ids"] == []
    assert held(env).workflow_states[after["state_id"]].team_id == two.id


def test_labels_are_added_and_removed(env: Environment) -> None:
    team, _ = teams(env)
    label = call(env, "createTeamLabel", teamId=team.id, name="Ours")
    refused(env, "createTeamLabel", "conflict", teamId=team.id, name="OURS")
    issue = call(env, "createIssue", title="x", teamId=team.id)
    names = {"issueId": issue["id"], "labelId": label["id"]}
    assert call(env, "addIssueLabel", **names)["label_ids"] == [label["id"]]
    refused(env, "addIssueLabel", "conflict", **names)
    assert call(env, "removeIssueLabel", **names)["label_ids"] == []
    refused(env, "removeIssueLabel", "failed_precondition", **names)
    both = call(env, "updateIssue", id=issue["id"], addedLabelIds=[label["id"]])
    assert both["label_ids"] == [label["id"]]
    none = call(env, "updateIssue", id=issue["id"], removedLabelIds=[label["id"]])
    assert none["label_ids"] == []


def test_an_issue_is_not_its_own_ancestor(env: Environment) -> None:
    team, _ = teams(env)
    top = call(env, "createIssue", title="top", teamId=team.id)["id"]
    low = call(env, "createIssue", title="low", teamId=team.id, parentId=top)["id"]
    refused(env, "updateIssue", "failed_precondition", id=top, parentId=low)
    refused(env, "updateIssue", "failed_precondition", id=top, parentId=top)


def test_an_archived_issue_is_left_alone(env: Environment) -> None:
    issue = an_issue(env)
    call(env, "archiveIssue", issueId=issue.identifier)
    for tool, more in (
        ("updateIssue", {"id": issue.id, "title": "x"}),
        ("setIssuePriority", {"issueId": issue.id, "priority": 1}),
        ("createComment", {"issueId": issue.id, "body": "x"}),
        ("archiveIssue", {"issueId": issue.id}),
    ):
        refused(env, tool, "failed_precondition", **more)
    found = call(env, "searchIssues", query=issue.identifier)
    assert found["total"] == 0


def test_work_goes_to_active_users(env: Environment) -> None:
    issue = an_issue(env)
    user = list(held(env).users)[2]
    given = call(env, "assignIssue", issueId=issue.id, assigneeId=user.id)
    assert given["assignee_id"] == user.id
    env = changed(env, "users", user.id, active=False)
    refused(env, "assignIssue", "failed_precondition", issueId=issue.id, assigneeId=user.id)
    refused(env, "assignIssue", "not_found", issueId=issue.id, assigneeId="nobody")


@pytest.mark.parametrize(
    "wrong",
    [
        {"priority": 5},
        {"priority": -1},
        {"estimate": 65},
        {"title": "  "},
        {"title": "x" * 600},
        {"dueDate": "soon"},
        {"sortOrder": 10**12},
    ],
)
def test_values_out_of_range_are_refused(env: Environment, wrong: dict[str, Any]) -> None:
    refused(env, "updateIssue", "invalid_argument", id=an_issue(env).id, **wrong)


def test_relations_are_made_once(env: Environment) -> None:
    one, two, *_ = [row for row in held(env).issues if not row.archived]
    names = {"issueId": one.id, "relatedIssueId": two.id, "type": "blocked_by"}
    call(env, "createIssueRelation", **names)
    refused(env, "createIssueRelation", "conflict", **names)
    names["relatedIssueId"] = one.id
    refused(env, "createIssueRelation", "invalid_argument", **names)


def test_a_private_team_is_hidden_from_others(env: Environment) -> None:
    team, _ = teams(env)
    issue = next(row for row in held(env).issues if row.team_id == team.id and not row.archived)
    env = changed(env, "teams", team.id, private=True, members=())
    refused(env, "getIssueById", "not_found", id=issue.id)
    refused(env, "createIssue", "permission_denied", title="x", teamId=team.id)
    assert team.id not in [row["id"] for row in call(env, "getTeams")["items"]]
    assert call(env, "searchIssues", teamId=teams(env)[1].id)["total"]
    seen = [row["team_id"] for row in call(env, "searchIssues", limit=20)["items"]]
    assert team.id not in seen


# -- search and lists ----------------------------------------------


def test_search_combines_its_conditions(env: Environment) -> None:
    state = held(env)
    names = {row.id: row.name for row in state.workflow_states}
    live = [row for row in state.issues if not row.archived]
    one = next(row for row in live if row.assignee_id and row.project_id)
    every = {
        "assigneeId": (one.assignee_id, lambda row: row.assignee_id == one.assignee_id),
        "projectId": (one.project_id, lambda row: row.project_id == one.project_id),
        "teamId": (one.team_id, lambda row: row.team_id == one.team_id),
        "states": (["done"], lambda row: names[row.state_id] == "Done"),
    }
    for name, (value, keeps) in every.items():
        found = call(env, "searchIssues", limit=20, **{name: value})
        assert found["total"] == sum(map(keeps, live)) > 0, name
    both = {name: value for name, (value, _) in list(every.items())[:3]}
    found = call(env, "searchIssues", limit=20, **both)
    assert found["total"] == sum(
        all(keeps(row) for _, keeps in list(every.values())[:3]) for row in live
    )


def test_a_query_is_an_identifier_or_words(env: Environment) -> None:
    issue = an_issue(env)
    (found,) = call(env, "searchIssues", query=issue.identifier)["items"]
    assert found["id"] == issue.id
    word = issue.title.split()[-1]
    texts = [
        (row["title"] + row["description"]).casefold()
        for row in call(env, "searchIssues", query=word, limit=15)["items"]
    ]
    assert texts
    assert all(word.casefold() in text for text in texts)
    refused(env, "searchIssues", "invalid_argument", limit=0)


def test_the_issues_of_a_project_can_leave_out_finished_ones(env: Environment) -> None:
    state = held(env)
    kinds = {row.id: row.type for row in state.workflow_states}
    project = next(
        row.project_id for row in state.issues
        if row.project_id and not row.archived and kinds[row.state_id] == "completed"
    )  # fmt: skip
    every = call(env, "getProjectIssues", projectId=project)
    ongoing = call(env, "getProjectIssues", projectId=project, includeCompleted=False)
    assert every["total"] - ongoing["total"] > 0
    assert all(
        kinds[row["state_id"]] not in ("completed", "canceled") for row in ongoing["items"]
    )


# -- comments ----------------------------------------------------


def test_comments_are_paged_newest_first(env: Environment) -> None:
    issue = an_issue(env)
    for n in range(3):
        call(env, "createComment", issueId=issue.identifier, body=f"note {n}")
    page = call(env, "getComments", issueId=issue.id, limit=2)
    assert [row["body"] for row in page["items"]] == ["note 2", "note 1"]
    more = call(env, "getComments", issueId=issue.id, limit=2, cursor=page["next_cursor"])
    assert more["items"][0]["body"] == "note 0"


def test_a_comment_has_one_place(env: Environment) -> None:
    issue = an_issue(env)
    project = next(iter(held(env).projects))
    refused(env, "createComment", "invalid_argument", body="x")
    refused(env, "createComment", "invalid_argument", body="x", issueId=issue.id,
            projectId=project.id)  # fmt: skip
    refused(env, "createComment", "not_found", body="x", documentContentId="d")
    first = call(env, "createComment", body="x", projectId=project.id)
    answer = call(env, "createComment", body="y", parentId=first["id"])
    assert answer["project_id"] == project.id
    refused(env, "deleteComment", "failed_precondition", id=first["id"])
    call(env, "deleteComment", id=answer["id"])
    call(env, "deleteComment", id=first["id"])


def test_only_the_author_changes_a_comment(env: Environment) -> None:
    state = held(env)
    me = state.users.first(email=state.ledger.actor)
    assert me is not None
    other = next(row for row in state.comments if row.user_id != me.id)
    refused(env, "updateComment", "permission_denied", id=other.id, body="x")
    refused(env, "deleteComment", "permission_denied", id=other.id)
    done = call(env, "updateComment", id=other.id, resolvingUserId=me.id)
    assert (done["resolved_by_id"], done["body"]) == (me.id, other.body)
    own = call(env, "createComment", issueId=an_issue(env).id, body="x")
    assert call(env, "updateComment", id=own["id"], body="y")["body"] == "y"


# -- projects and cycles -------------------------------------------


def test_a_project_has_an_own_name_and_dates_in_order(env: Environment) -> None:
    team, _ = teams(env)
    made = call(env, "createProject", name="Launch it", teamIds=[team.key], state="planned",
                startDate="2026-05-01", targetDate="2026-06-01")  # fmt: skip
    refused(env, "createProject", "conflict", name="Launch it", teamIds=[team.id])
    refused(env, "createProject", "invalid_argument", name="None", teamIds=[])
    refused(env, "updateProject", "invalid_argument", id=made["id"], targetDate="2026-04-01")
    refused(env, "updateProject", "invalid_argument", id=made["id"], state="paussed")
    after = call(env, "updateProject", id=made["id"], state="started")
    assert (after["start_date"], after["name"]) == ("2026-05-01", "Launch it")
    assert call(env, "getProjectById", id=made["id"]) == after


def test_open_issues_of_a_completed_cycle_move_to_the_next(env: Environment) -> None:
    team, _ = teams(env)
    now, after, *_ = held(env).cycles.where(team_id=team.id, completed=False)
    first = call(env, "createIssue", title="x", teamId=team.id, cycleId=now.id)
    call(env, "completeCycle", id=now.id)
    assert call(env, "getIssueById", id=first["id"])["cycle_id"] == after.id
    refused(env, "completeCycle", "failed_precondition", id=now.id)
    refused(env, "addIssueToCycle", "failed_precondition", issueId=first["id"], cycleId=now.id)
    listed = call(env, "getCycles", teamId=team.key)["items"]
    assert [row["completed"] for row in listed][:2] == [True, True]


# -- customers ----------------------------------------------------


def test_customers_are_found_by_name_domain_and_owner(env: Environment) -> None:
    customer = next(iter(held(env).customers))
    for names in ({"name": customer.name.upper()}, {"domain": customer.domains[0]}):
        assert [row["id"] for row in call(env, "getCustomers", **names)["items"]] == [
            customer.id
        ]
    found = call(env, "getCustomers", ownerId=str(customer.owner_id), limit=250)
    expected = held(env).customers.where(owner_id=customer.owner_id)
    assert {row["id"] for row in found["items"]} == {row.id for row in expected}


def test_names_domains_and_account_numbers_belong_to_one_customer(env: Environment) -> None:
    one = next(row for row in held(env).customers if row.external_ids)
    refused(env, "createCustomer", "conflict", name=one.name)
    refused(env, "createCustomer", "conflict", name="New", domains=[one.domains[0]])
    refused(env, "createCustomer", "conflict", name="New", externalIds=[one.external_ids[0]])
    refused(env, "createCustomer", "invalid_argument", name="New", domains=["no domain"])
    made = call(env, "createCustomer", name="New", domains=["New.example"], revenue=1200.5)
    assert (made["domains"], made["revenue"]) == (["new.example"], "1200.5")
    after = call(env, "updateCustomer", id=made["id"], size=7)
    assert (after["size"], after["domains"]) == (7, ["new.example"])
    assert call(env, "getCustomerById", id=made["id"]) == after


def test_a_request_is_tied_to_one_issue_or_project(env: Environment) -> None:
    customer = next(row for row in held(env).customers if row.external_ids)
    issue = an_issue(env)
    refused(env, "createCustomerNeed", "invalid_argument", body="x", customerId=customer.id)
    refused(env, "createCustomerNeed", "invalid_argument", issueId=issue.id)
    refused(env, "createCustomerNeed", "not_found", body="x", issueId=issue.id,
            customerExternalId="AC-0")  # fmt: skip
    made = call(env, "createCustomerNeed", body="more", issueId=issue.identifier, priority=1,
                customerExternalId=customer.external_ids[0])  # fmt: skip
    assert (made["customer_id"], made["issue_id"]) == (customer.id, issue.id)
    found = call(env, "getCustomerNeeds", customerId=customer.id, priority=1)
    assert made["id"] in [row["id"] for row in found["items"]]


# -- seeds ----------------------------------------------------


@pytest.mark.parametrize("scale", [20, 200, 2000])
def test_seeds_are_of_the_asked_size_and_keep_the_rules(scale: int) -> None:
    state = held(compose(service, seed=3, scale=scale))
    total = sum(len(state.table(name)) for name in service.state.tables())
    assert scale * 0.9 <= total <= scale * 1.2 + 40
    for issue in state.issues:
        assert state.workflow_states[issue.state_id].team_id == issue.team_id
        assert issue.cycle_id is None or state.cycles[issue.cycle_id].team_id == issue.team_id
        if issue.project_id:
            assert issue.team_id in state.projects[issue.project_id].team_ids
