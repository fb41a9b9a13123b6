"""What the emitted tools of each kind do, in one workshop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from compoworld_synth.design import analyse
from emitted_service import Call, caller, emitted
from shop_desk import TOOLS, listing


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with emitted(listing(), tmp_path_factory.mktemp("shop") / "p") as made:
        yield made


@pytest.fixture
def call(service: Any) -> Call:
    return caller(service)


def test_every_tool_has_code(service: Any) -> None:
    assert [t.name for t in service.tools.values() if t.kind != "deterministic"] == []
    assert len(service.tools) == len(TOOLS)


def test_list_refuses_a_parent_that_does_not_exist(call: Call) -> None:
    assert call("list_tasks", project_id="nothing") == "not_found"


def test_get_refuses_a_record_of_another_parent(call: Call) -> None:
    one, other = (call("create_project", name=name)["id"] for name in "ab")
    task = call("create_task", project_id=one, title="Saw")["id"]
    assert call("get_task", project_id=one, task_id=task)["title"] == "Saw"
    assert call("get_task", project_id=other, task_id=task) == "not_found"


def test_update_takes_the_parent_for_scope(call: Call) -> None:
    one, other = (call("create_project", name=name)["id"] for name in "ab")
    task = call("create_task", project_id=one, title="Saw")["id"]
    assert call("update_task", project_id=other, task_id=task, title="Axe") == "not_found"
    done = call("update_task", project_id=one, task_id=task, title="Axe")
    assert (done["title"], done["project_id"]) == ("Axe", one)


def test_list_sorts_by_the_field_that_is_named(call: Call) -> None:
    project = call("create_project", name="a")["id"]
    for title, priority in (("b", 2), ("c", 1), ("a", 3)):
        call("create_task", project_id=project, title=title, priority=priority)
    page = call("list_tasks", project_id=project, sort_by="priority", sort_order="desc")
    assert [row["title"] for row in page["tasks"]] == ["a", "b", "c"]


def test_period_bounds_the_date(call: Call) -> None:
    project = call("create_project", name="a")["id"]
    for day in ("2031-01-05", "2031-02-05", "2031-03-05"):
        call("create_task", project_id=project, title=day, due_date=day)
    page = call("list_tasks", project_id=project, start_date="2031-02-01",
                end_date="2031-02-28")  # fmt: skip
    assert [row["title"] for row in page["tasks"]] == ["2031-02-05"]


def test_delete_waits_for_the_confirmation(call: Call) -> None:
    project = call("create_project", name="a")["id"]
    task = call("create_task", project_id=project, title="Saw")["id"]
    assert call("delete_task", task_id=task)["executed"] is False
    assert call("get_task", project_id=project, task_id=task)["id"] == task
    call("delete_task", task_id=task, confirm=True)
    assert call("get_task", project_id=project, task_id=task) == "not_found"


def test_delete_takes_the_parts_along(call: Call) -> None:
    project = call("create_project", name="a")["id"]
    task = call("create_task", project_id=project, title="Saw")["id"]
    call("delete_project", project_id=project)
    assert call("update_task", project_id=project, task_id=task, title="Axe") == "not_found"


def test_batch_delete_is_all_or_nothing(call: Call) -> None:
    project = call("create_project", name="a")["id"]
    keys = [call("create_task", project_id=project, title=t)["id"] for t in "ab"]
    assert call("delete_tasks", task_ids=[*keys, "nothing"]) == "not_found"
    assert len(call("list_tasks", project_id=project)["tasks"]) == 2
    assert call("delete_tasks", task_ids=keys)["ids"] == keys
    assert call("list_tasks", project_id=project)["tasks"] == []


def test_batch_change_reaches_each(call: Call) -> None:
    project = call("create_project", name="a")["id"]
    keys = [call("create_task", project_id=project, title=t)["id"] for t in "ab"]
    call("archive_tasks", task_ids=keys)
    rows = call("list_tasks", project_id=project)["tasks"]
    assert [row["archived"] for row in rows] == [True, True]


def test_batch_create_makes_a_record_of_each_object(call: Call) -> None:
    project = call("create_project", name="a")["id"]
    wanted = [{"project_id": project, "title": t, "priority": 4} for t in "ab"]
    call("create_tasks", tasks=wanted)
    rows = call("list_tasks", project_id=project)["tasks"]
    assert [(row["title"], row["priority"]) for row in rows] == [("a", 4), ("b", 4)]


def test_batch_create_refuses_a_reference_to_nothing(call: Call) -> None:
    assert call("create_tasks", tasks=[{"project_id": "no", "title": "a"}]) == "not_found"


def test_copy_is_a_record_of_its_own(call: Call) -> None:
    project = call("create_project", name="a")["id"]
    task = call("create_task", project_id=project, title="Saw", priority=2)["id"]
    copy = call("duplicate_task", task_id=task, title="Axe")
    assert (copy["title"], copy["priority"], copy["id"] != task) == ("Axe", 2, True)


def test_membership_is_joined_listed_and_parted(call: Call) -> None:
    project = call("create_project", name="a")["id"]
    task = call("create_task", project_id=project, title="Saw")["id"]
    tag = call("create_tag", label="red")["id"]
    call("add_tag_to_task", tag_id=tag, task_id=task)
    assert [row["id"] for row in call("list_task_tags", task_id=task)["tags"]] == [tag]
    call("remove_tag_from_task", tag_id=tag, task_id=task)
    assert call("list_task_tags", task_id=task)["tags"] == []
    assert call("remove_tag_from_task", tag_id=tag, task_id=task) == "not_found"


def test_parting_keeps_both_records(call: Call) -> None:
    project = call("create_project", name="a")["id"]
    task = call("create_task", project_id=project, title="Saw")["id"]
    tag = call("create_tag", label="red")["id"]
    call("add_tag_to_task", tag_id=tag, task_id=task)
    call("remove_tag_from_task", tag_id=tag, task_id=task)
    assert tag in {row["id"] for row in call("list_tags")["tags"]}


def test_filter_expression_is_refused(call: Call) -> None:
    assert call("list_tags", filter="label = red") == "invalid_argument"
    assert call("list_tags")["tags"]


def test_membership_goes_with_its_end(call: Call) -> None:
    project = call("create_project", name="a")["id"]
    task = call("create_task", project_id=project, title="Saw")["id"]
    tag = call("create_tag", label="red")["id"]
    call("add_tag_to_task", tag_id=tag, task_id=task)
    call("delete_tag", tag_id=tag)
    assert call("list_task_tags", task_id=task)["tags"] == []


def test_part_is_each_owners_own(call: Call) -> None:
    one, other = (call("create_project", name=name)["id"] for name in "ab")
    call("update_project_settings", project_id=one, theme="dark")
    assert call("get_project_settings", project_id=one)["theme"] == "dark"
    assert call("get_project_settings", project_id=other)["theme"] is None
    assert call("get_project_settings", project_id="nothing") == "not_found"


def test_upsert_makes_and_then_changes(call: Call) -> None:
    before = len(call("list_contacts")["contacts"])
    call("upsert_contact", contact_id="c1", email="ada@example.com", name="Ada")
    call("upsert_contact", contact_id="c1", email="ada@example.com", name="Ada L.")
    assert call("get_contact_by_email", email="ada@example.com")["name"] == "Ada L."
    assert len(call("list_contacts")["contacts"]) == before + 1


def test_get_without_its_key_lists(call: Call) -> None:
    site = call("create_site", name="Yard")["id"]
    assert call("get_site", site_id=site)["name"] == "Yard"
    assert site in {row["id"] for row in call("get_site")["sites"]}
    assert call("get_site", site_id="nothing") == "not_found"


def test_current_user_is_one_of_the_users(call: Call) -> None:
    assert call("get_current_user") in call("list_users")["users"]


def test_tool_of_actions_does_each(call: Call) -> None:
    made = call("manage_notes", action="create", text="Oil")
    assert call("manage_notes", action="get", note_id=made["id"])["text"] == "Oil"
    call("manage_notes", action="delete", note_id=made["id"])
    rows = call("manage_notes", action="list")["notes"]
    assert made["id"] not in {row["id"] for row in rows}


def test_action_without_its_key_is_refused(call: Call) -> None:
    assert call("manage_notes", action="get") == "invalid_argument"


def test_kinds_of_the_workshop() -> None:
    kinds = {
        tool.spec.name: [one.kind for one in tool.operations]
        for piece in analyse(listing())
        for tool in piece.tools
    }
    assert kinds["list_task_tags"] == ["link_list"]
    assert kinds["update_project_settings"] == ["part_update"]
    assert kinds["manage_notes"] == ["create", "get", "list", "delete"]
