"""Notion: blocks, comments, and pages that cannot be edited."""

from __future__ import annotations

from typing import Any, cast

import pytest
from compoworld_services_productivity_collaboration.notion import service
from compoworld_services_productivity_collaboration.notion.state import (
    NotionState,
    Page,
)

from compoworld_core import Environment, compose


@pytest.fixture
def env() -> Environment:
    return compose(service, seed=5, scale=400)


def world(env: Environment) -> NotionState:
    return cast("NotionState", env.state("notion"))


def ok(env: Environment, tool: str, **arguments: Any) -> Any:
    observation = env.call(f"notion.API-{tool}", arguments)
    assert not observation.is_error, observation.text
    return observation.data


def refused(env: Environment, code: str, tool: str, **arguments: Any) -> str:
    before = env.digest()
    observation = env.call(f"notion.API-{tool}", arguments)
    assert observation.code == code, observation.text
    assert env.digest() == before
    return observation.text


def document(env: Environment) -> Page:
    return world(env).pages.where(is_locked=False, title="Refund policy")[0]


def text(content: str) -> list[dict[str, Any]]:
    return [{"text": {"content": content}}]


def paragraph(content: str) -> dict[str, Any]:
    return {"type": "paragraph", "paragraph": {"rich_text": text(content)}}


def test_a_locked_page_can_only_be_commented_on(env: Environment) -> None:
    page = world(env).pages.where(is_locked=True, in_trash=False)[0]
    refused(env, "permission_denied", "patch-page", page_id=page.id, icon={"emoji": "🔑"})
    refused(
        env, "permission_denied", "patch-block-children", block_id=page.id,
        children=[paragraph("x")],
    )  # fmt: skip
    ok(env, "create-a-comment", parent={"page_id": page.id}, rich_text=text("still works"))


def test_a_page_in_the_trash_cannot_be_edited(env: Environment) -> None:
    page = document(env)
    ok(env, "patch-page", page_id=page.id, archived=True)
    refused(env, "failed_precondition", "patch-page", page_id=page.id, icon={"emoji": "x"})
    comment = {"parent": {"page_id": page.id}, "rich_text": text("x")}
    refused(env, "failed_precondition", "create-a-comment", **comment)


def test_blocks_are_appended_or_put_behind_another(env: Environment) -> None:
    page = document(env).id
    before = [b["id"] for b in ok(env, "get-block-children", block_id=page)["items"]]
    assert len(before) > 1
    first = ok(env, "patch-block-children", block_id=page, children=[paragraph("end")])
    middle = ok(
        env, "patch-block-children", block_id=page, after=before[0],
        children=[paragraph("a"), {"to_do": {"rich_text": text("b"), "checked": True}}],
    )  # fmt: skip
    added = [block["id"] for block in middle["items"]]
    after = [b["id"] for b in ok(env, "get-block-children", block_id=page)["items"]]
    assert after == [before[0], *added, *before[1:], first["items"][0]["id"]]
    refused(
        env, "not_found", "patch-block-children", block_id=page, children=[paragraph("x")],
        after=page,
    )  # fmt: skip


def test_blocks_can_stand_inside_blocks(env: Environment) -> None:
    page = document(env).id
    outer = ok(env, "get-block-children", block_id=page)["items"][0]
    ok(env, "patch-block-children", block_id=outer["id"], children=[paragraph("inner")])
    inner = ok(env, "get-block-children", block_id=outer["id"])["items"]
    assert [block["text"] for block in inner] == ["inner"]
    written = ok(env, "retrieve-page-markdown", page_id=page)["markdown"].splitlines()
    assert written[:2] == [outer["text"], "  inner"]


@pytest.mark.parametrize(
    "child",
    [{"type": "poem", "poem": {}}, {"paragraph": {}}, {"type": "to_do"}, "nonsense",
     {"paragraph": {"rich_text": text("x"), "checked": True}}],
)  # fmt: skip
def test_a_malformed_block_is_refused(env: Environment, child: Any) -> None:
    refused(
        env, "invalid_argument", "patch-block-children", block_id=document(env).id,
        children=[paragraph("good"), child],
    )  # fmt: skip


def test_a_block_is_changed_under_its_own_type(env: Environment) -> None:
    block = ok(env, "get-block-children", block_id=document(env).id)["items"][0]
    new = {"paragraph": {"rich_text": text("rewritten")}}
    assert ok(env, "update-a-block", block_id=block["id"], type=new)["text"] == "rewritten"
    wrong = {"quote": {"rich_text": text("x")}}
    refused(env, "invalid_argument", "update-a-block", block_id=block["id"], type=wrong)
    refused(env, "invalid_argument", "update-a-block", block_id=block["id"])


def test_a_deleted_block_disappears_until_it_is_restored(env: Environment) -> None:
    page = document(env).id
    block = ok(env, "get-block-children", block_id=page)["items"][0]["id"]
    ok(env, "delete-a-block", block_id=block)
    listed = ok(env, "get-block-children", block_id=page)["items"]
    assert block not in [row["id"] for row in listed]
    ok(env, "update-a-block", block_id=block, archived=False)
    assert ok(env, "get-block-children", block_id=page)["items"][0]["id"] == block


def test_comments_on_a_page_include_those_on_its_blocks(env: Environment) -> None:
    page = document(env).id
    block = ok(env, "get-block-children", block_id=page)["items"][0]["id"]
    ok(env, "create-a-comment", parent={"page_id": page}, rich_text=text("on the page"))
    on_block = ok(env, "create-a-comment", parent={"block_id": block}, rich_text=text("there"))
    every = ok(env, "retrieve-a-comment", block_id=page)["items"]
    assert [row["text"] for row in every[-2:]] == ["on the page", "there"]
    only = ok(env, "retrieve-a-comment", block_id=block)["items"]
    assert [row["id"] for row in only] == [on_block["id"]]
    empty = {"parent": {"page_id": page}, "rich_text": text("  ")}
    refused(env, "invalid_argument", "create-a-comment", **empty)
