"""Slack: what its tools do, refuse and leave alone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, cast

import pytest
from compoworld_services_communication_support.slack import service
from compoworld_services_communication_support.slack.state import (
    Channel,
    Message,
    SlackState,
    User,
)

from compoworld_core import Environment, compose
from compoworld_core.cast import draw_cast
from compoworld_core.testing import dangling


@pytest.fixture
def env() -> Environment:
    return compose(service, seed=5, scale=300)


def world(env: Environment) -> SlackState:
    return cast("SlackState", env.state("slack"))


def ok(env: Environment, tool: str, **arguments: Any) -> Any:
    observation = env.call(f"slack.{tool}", arguments)
    assert not observation.is_error, observation.text
    return observation.data


def refused(env: Environment, code: str, tool: str, **arguments: Any) -> str:
    before = env.digest()
    observation = env.call(f"slack.{tool}", arguments)
    assert observation.code == code, observation.text
    assert env.digest() == before
    return observation.text


def channel(env: Environment, **wanted: Any) -> Channel:
    fields = {"is_archived": False, "is_im": False, "is_general": False, **wanted}
    return world(env).channels.where(**fields)[0]


def me(env: Environment) -> User:
    state = world(env)
    return state.users.where(email=state.ledger.actor)[0]


def colleague(env: Environment, **wanted: Any) -> User:
    fields = {"deleted": False, "is_guest": False, **wanted}
    return next(u for u in world(env).users.where(**fields) if u != me(env))


def foreign_message(env: Environment) -> Message:
    live = {c.id for c in world(env).channels if c.is_member and not c.is_archived}
    own = me(env).id
    return next(m for m in world(env).messages if m.user != own and m.channel in live)


@pytest.mark.parametrize("scale", [20, 200, 2000])
def test_a_seed_has_about_as_many_records_as_asked_for(scale: int) -> None:
    state = service.new_state(draw_cast(1, scale), 1, scale)
    rows = sum(len(state.table(name)) for name in state.tables())
    assert 0.7 * scale <= rows <= 1.4 * scale
    assert not list(dangling(state))


def test_a_posted_message_is_the_newest_of_its_channel(env: Environment) -> None:
    place = channel(env, is_private=False).id
    new = ok(env, "slack_post_message", channel_id=place, text="Hello ✨")
    top = ok(env, "slack_get_channel_history", channel_id=place, limit=1)["items"][0]
    assert (top["id"], top["text"], top["user"]) == (new["id"], "Hello ✨", me(env).id)


def test_a_public_channel_takes_messages_of_those_outside_it(env: Environment) -> None:
    place = channel(env, is_private=False, is_member=False)
    ok(env, "slack_post_message", channel_id=place.id, text="hi")
    text = refused(
        env, "failed_precondition", "slack_set_channel_topic", channel_id=place.id, topic="x"
    )
    assert "slack_join_channel" in text
    ok(env, "slack_join_channel", channel_id=place.id)
    assert ok(env, "slack_set_channel_topic", channel_id=place.id, topic="x")["topic"] == "x"


def test_a_private_channel_is_hidden_from_those_outside_it(env: Environment) -> None:
    place = channel(env, is_private=True, is_member=True)
    ok(env, "slack_post_message", channel_id=place.id, text="secretword")
    assert ok(env, "slack_search_messages", query="secretword")["total"] == 1
    ok(env, "slack_leave_channel", channel_id=place.id)
    refused(env, "not_found", "slack_get_channel_history", channel_id=place.id)
    assert ok(env, "slack_search_messages", query="secretword")["total"] == 0
    listed = ok(env, "slack_search_channels", query=place.name)["items"]
    assert place.id not in [row["id"] for row in listed]


def test_an_archived_channel_is_read_only(env: Environment) -> None:
    place = channel(env, is_private=False, is_member=True).id
    ok(env, "slack_archive_channel", channel_id=place)
    refused(env, "failed_precondition", "slack_post_message", channel_id=place, text="x")
    ok(env, "slack_get_channel_history", channel_id=place)
    names = {c["id"] for c in pages(env, "slack_list_channels", exclude_archived=True)}
    assert place not in names
    ok(env, "slack_unarchive_channel", channel_id=place)
    ok(env, "slack_post_message", channel_id=place, text="x")


def pages(env: Environment, tool: str, **arguments: Any) -> list[Any]:
    found: list[Any] = []
    cursor = None
    while True:
        page = ok(env, tool, cursor=cursor, **arguments)
        found += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            assert len(found) == page["total"]
            return found


def test_paging_shows_each_user_once(env: Environment) -> None:
    listed = [user["id"] for user in pages(env, "slack_get_users", limit=7)]
    assert listed == world(env).users.keys()


def test_the_general_channel_cannot_be_left_or_archived(env: Environment) -> None:
    general = world(env).channels.where(is_general=True)[0].id
    for tool in ("slack_archive_channel", "slack_leave_channel"):
        refused(env, "failed_precondition", tool, channel_id=general)


@pytest.mark.parametrize("name", ["", "Has Space", "ALLCAPS", "x" * 81, "büro"])
def test_a_malformed_channel_name_is_refused(env: Environment, name: str) -> None:
    refused(env, "invalid_argument", "slack_create_channel", name=name)


def test_a_channel_name_is_given_once(env: Environment) -> None:
    new = ok(env, "slack_create_channel", name="proj-new", is_private=True)
    assert new["is_private"]
    assert new["is_member"]
    refused(env, "conflict", "slack_create_channel", name="#proj-new")
    other = ok(env, "slack_create_channel", name="other")["id"]
    refused(env, "conflict", "slack_rename_channel", channel_id=other, name="proj-new")


def test_replies_stay_out_of_the_history_and_stand_in_the_thread(env: Environment) -> None:
    parent = foreign_message(env)
    first = parent.thread_ts or parent.id
    place = parent.channel
    reply = ok(
        env, "slack_reply_to_thread", channel_id=place, thread_ts=parent.id, text="reply"
    )
    assert reply["thread_ts"] == first
    thread = ok(env, "slack_get_thread_replies", channel_id=place, thread_ts=first)["items"]
    assert thread[0]["id"] == first
    assert thread[-1]["id"] == reply["id"]
    newest = ok(env, "slack_get_channel_history", channel_id=place, limit=1)["items"]
    assert newest[0]["id"] != reply["id"]


def test_a_message_is_found_only_in_its_own_channel(env: Environment) -> None:
    message = foreign_message(env)
    other = next(c for c in world(env).channels if c.id != message.channel and c.is_member)
    refused(
        env, "not_found", "slack_get_thread_replies", channel_id=other.id, thread_ts=message.id
    )


def test_only_the_author_changes_or_deletes_a_message(env: Environment) -> None:
    message = foreign_message(env)
    where = {"channel_id": message.channel, "ts": message.id}
    refused(env, "permission_denied", "slack_update_message", **where, text="x")
    refused(env, "permission_denied", "slack_delete_message", **where)
    own = ok(env, "slack_post_message", channel_id=message.channel, text="mine")
    mine = {"channel_id": message.channel, "ts": own["id"]}
    assert ok(env, "slack_update_message", **mine, text="new")["edited_at"] is not None
    ok(env, "slack_delete_message", **mine)
    assert own["id"] not in world(env).messages


def test_deleting_the_first_message_of_a_thread_keeps_its_replies(env: Environment) -> None:
    place = channel(env, is_member=True, is_private=False).id
    own = ok(env, "slack_post_message", channel_id=place, text="start")["id"]
    ok(env, "slack_reply_to_thread", channel_id=place, thread_ts=own, text="reply")
    left = ok(env, "slack_delete_message", channel_id=place, ts=own)
    assert left["text"] == "This message was deleted."
    thread = ok(env, "slack_get_thread_replies", channel_id=place, thread_ts=own)
    assert thread["total"] == 2


def test_a_reaction_is_given_and_taken_once(env: Environment) -> None:
    message = foreign_message(env)
    where = {"channel_id": message.channel, "timestamp": message.id, "reaction": ":fire:"}
    shown = ok(env, "slack_add_reaction", **where)["reactions"][-1]
    assert shown == {"name": "fire", "users": [me(env).id]}
    refused(env, "conflict", "slack_add_reaction", **where)
    ok(env, "slack_remove_reaction", **where)
    assert world(env).messages[message.id].reactions == message.reactions
    refused(env, "failed_precondition", "slack_remove_reaction", **where)


def test_pins_are_listed_until_they_are_taken_off(env: Environment) -> None:
    message = next(
        m for m in world(env).messages if not m.is_pinned and m.channel == _general(env)
    )
    where = {"channel_id": message.channel, "timestamp": message.id}
    ok(env, "slack_pin_message", **where)
    refused(env, "conflict", "slack_pin_message", **where)
    pins = ok(env, "slack_list_pins", channel_id=message.channel)["items"]
    assert message.id in [row["id"] for row in pins]
    ok(env, "slack_unpin_message", **where)
    refused(env, "failed_precondition", "slack_unpin_message", **where)


def _general(env: Environment) -> str:
    return str(world(env).channels.where(is_general=True)[0].id)


def test_operators_narrow_a_search(env: Environment) -> None:
    user = colleague(env)
    every = ok(env, "slack_search_messages", query=f"from:<@{user.id}>", count=50)
    visible = {c.id for c in world(env).channels if c.is_member or not c.is_private}
    written = [m for m in world(env).messages.where(user=user.id) if m.channel in visible]
    assert every["total"] == len(written) > 0
    day = written[0].posted_at.date()
    dated = ok(env, "slack_search_messages", query=f"from:@{user.name} on:{day}", count=50)
    assert dated["total"] == sum(m.posted_at.date() == day for m in written)
    rest = ok(env, "slack_search_messages", query=f"from:@{user.name} -on:{day}", count=50)
    assert rest["total"] == len(written) - dated["total"]


def test_quoted_words_must_stand_together(env: Environment) -> None:
    place = _general(env)
    ok(env, "slack_post_message", channel_id=place, text="green lorry, then red bus")
    assert ok(env, "slack_search_messages", query='"green lorry"')["total"] == 1
    assert ok(env, "slack_search_messages", query="lorry bus")["total"] == 1
    assert ok(env, "slack_search_messages", query='"lorry bus"')["total"] == 0
    refused(env, "invalid_argument", "slack_search_messages", query="before:soon")


def test_people_are_invited_once_and_can_be_removed(env: Environment) -> None:
    place = channel(env, is_member=True)
    user = next(u for u in world(env).users if u.id not in place.other_members
                and not u.deleted and u != me(env))  # fmt: skip
    invite = {"channel_id": place.id, "users": [user.id]}
    assert user.id in ok(env, "slack_invite_to_channel", **invite)["other_members"]
    refused(env, "conflict", "slack_invite_to_channel", **invite)
    members = pages(env, "slack_get_channel_members", channel_id=place.id)
    assert [me(env).id, user.id] == [members[0]["id"], members[-1]["id"]]
    ok(env, "slack_remove_from_channel", channel_id=place.id, user_id=user.id)
    assert world(env).channels[place.id].other_members == place.other_members


def test_a_guest_cannot_be_in_general(env: Environment) -> None:
    guest = next(u for u in world(env).users if u.is_guest and not u.deleted)
    refused(
        env, "permission_denied", "slack_invite_to_channel", channel_id=_general(env),
        users=[guest.id],
    )  # fmt: skip


def test_a_deactivated_person_cannot_be_written_to() -> None:
    env = compose(service, seed=5, scale=2000)
    gone = next(u for u in world(env).users if u.deleted)
    refused(env, "failed_precondition", "slack_open_dm", user_id=gone.id)


def test_a_direct_conversation_is_opened_once(env: Environment) -> None:
    user = colleague(env)
    first = ok(env, "slack_open_dm", user_id=user.id)
    digest = env.digest()
    assert ok(env, "slack_open_dm", user_id=user.id)["id"] == first["id"]
    assert env.digest() == digest
    ok(env, "slack_post_message", channel_id=first["id"], text="psst")
    refused(
        env, "failed_precondition", "slack_rename_channel", channel_id=first["id"], name="x"
    )


def test_a_person_is_found_by_address_in_any_case(env: Environment) -> None:
    user = colleague(env)
    found = ok(env, "slack_lookup_user_by_email", email=user.email.upper())
    assert found["id"] == user.id
    refused(env, "not_found", "slack_lookup_user_by_email", email="nobody@nowhere.example")


def test_a_message_is_scheduled_for_the_near_future_only(env: Environment) -> None:
    place = channel(env, is_member=True).id
    now = world(env).ledger.now
    when = {"early": now - timedelta(hours=1), "late": now + timedelta(days=121)}
    for moment in when.values():
        refused(
            env, "invalid_argument", "slack_schedule_message", channel_id=place, text="x",
            post_at=moment.isoformat(),
        )  # fmt: skip
    soon = (now + timedelta(days=2)).isoformat()
    row = ok(env, "slack_schedule_message", channel_id=place, text="x", post_at=soon)
    listed = ok(env, "slack_list_scheduled_messages", channel_id=place)["items"]
    assert row["id"] in [item["id"] for item in listed]
    cancel = {"channel_id": place, "scheduled_message_id": row["id"]}
    ok(env, "slack_delete_scheduled_message", **cancel)
    refused(env, "not_found", "slack_delete_scheduled_message", **cancel)


def test_a_reminder_is_completed_once_and_only_by_its_people(env: Environment) -> None:
    later = (world(env).ledger.now + timedelta(days=1)).isoformat()
    row = ok(env, "slack_add_reminder", text="call", time=later, user=colleague(env).id)
    assert row["creator"] == me(env).id
    ok(env, "slack_complete_reminder", reminder=row["id"])
    refused(env, "failed_precondition", "slack_complete_reminder", reminder=row["id"])
    refused(
        env, "invalid_argument", "slack_add_reminder", text="x", time="2001-01-01T00:00:00Z"
    )


def test_the_own_status_is_set_and_cleared(env: Environment) -> None:
    ok(env, "slack_set_status", status_text="Away", status_emoji=":bus:")
    assert me(env).status_text == "Away"
    ok(env, "slack_set_status", status_text="")
    assert (me(env).status_text, me(env).status_emoji) == ("", "")
    refused(env, "invalid_argument", "slack_set_status", status_text="x" * 101)


@pytest.mark.parametrize("text", ["", "   ", "x" * 40_001])
def test_an_empty_or_huge_message_is_refused(env: Environment, text: str) -> None:
    refused(env, "invalid_argument", "slack_post_message", channel_id=_general(env), text=text)
