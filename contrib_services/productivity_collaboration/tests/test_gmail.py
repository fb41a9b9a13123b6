"""Gmail: searching, reading, sending, labels, filters, contacts, seeds."""

import base64
from typing import Any

import pytest
from compoworld_services_productivity_collaboration.gmail import GmailState, service

from compoworld_core import compose
from compoworld_core.environment import Environment
from compoworld_core.testing import check_service


@pytest.fixture
def env() -> Environment:
    return compose(service, seed=5, scale=200)


def state_of(env: Environment) -> GmailState:
    state = env.state("gmail")
    assert isinstance(state, GmailState)
    return state


def call(env: Environment, tool: str, **arguments: Any) -> Any:
    """The data of a call that must succeed."""
    me = env.state("gmail").ledger.actor
    seen = env.call(f"gmail.{tool}", {"user_google_email": me, **arguments})
    assert not seen.is_error, seen.text
    return seen.data


def refusal(env: Environment, tool: str, **arguments: Any) -> str:
    """The code of a call that must be refused; nothing may change."""
    before = env.digest()
    me = env.state("gmail").ledger.actor
    seen = env.call(f"gmail.{tool}", {"user_google_email": me, **arguments})
    assert seen.is_error, seen.text
    assert env.digest() == before
    return seen.code


def found(env: Environment, query: str) -> list[str]:
    ids: list[str] = []
    token = None
    while True:
        page = call(env, "search_gmail_messages", query=query, page_size=50, page_token=token)
        ids += [item["id"] for item in page["items"]]
        token = page["next_cursor"]
        if token is None:
            return ids


def test_it_passes_the_conformance_suite() -> None:
    assert check_service(service) == []


@pytest.mark.parametrize("scale", [20, 200, 2000])
def test_a_seed_has_about_the_asked_size_and_whole_references(scale: int) -> None:
    state = state_of(compose(service, seed=1, scale=scale))
    count = sum(len(state.table(name)) for name in state.tables())
    assert 0.8 * scale <= count <= 1.4 * scale
    for row in state.messages:
        assert row.thread_id in state.messages
        assert all(label in state.labels for label in row.label_ids)
        assert all(key in state.attachments for key in row.attachment_ids)
    assert all(file.message_id in state.messages for file in state.attachments)


def test_a_search_by_sender_finds_that_persons_messages_newest_first(env: Environment) -> None:
    row = next(r for r in state_of(env).messages if r.sender.startswith("news@") is False)
    ids = found(env, f"from:{row.sender} in:anywhere")
    rows = [state_of(env).messages[key] for key in ids]
    assert {r.sender for r in rows} == {row.sender}
    assert [r.date for r in rows] == sorted((r.date for r in rows), reverse=True)
    assert len(rows) == len(state_of(env).messages.where(sender=row.sender))


def test_trash_is_left_out_unless_named(env: Environment) -> None:
    trashed = {r.id for r in state_of(env).messages if "TRASH" in r.label_ids}
    assert trashed
    assert trashed.isdisjoint(found(env, ""))
    assert set(found(env, "in:trash")) == trashed
    assert trashed.isdisjoint(found(env, "-in:trash"))


@pytest.mark.parametrize(
    ("query", "keeps"),
    [
        ("is:unread in:inbox", lambda r: {"UNREAD", "INBOX"} <= set(r.label_ids)),
        ("has:attachment", lambda r: bool(r.attachment_ids)),
        ("-is:starred", lambda r: "STARRED" not in r.label_ids),
        (
            "is:starred OR is:important",
            lambda r: bool({"STARRED", "IMPORTANT"} & set(r.label_ids)),
        ),
        (
            "{is:starred is:important}",
            lambda r: bool({"STARRED", "IMPORTANT"} & set(r.label_ids)),
        ),
        ("subject:invoice", lambda r: "invoice" in r.subject.casefold().split()),
        ('"kind regards"', lambda r: "kind regards" in r.body.casefold()),
        ("in:drafts", lambda r: "DRAFT" in r.label_ids),
        ("from:me", lambda r: bool({"SENT", "DRAFT"} & set(r.label_ids))),
    ],
)  # fmt: skip
def test_operators_select_what_they_say(env: Environment, query: str, keeps: Any) -> None:
    visible = [r for r in state_of(env).messages if {"TRASH", "SPAM"}.isdisjoint(r.label_ids)]
    wanted = {r.id for r in visible if keeps(r)}
    assert wanted
    assert set(found(env, query)) == wanted


def test_dates_bound_a_search(env: Environment) -> None:
    middle = sorted(r.date for r in state_of(env).messages)[70]
    day = f"{middle:%Y/%m/%d}"
    before, after = set(found(env, f"before:{day}")), set(found(env, f"after:{day}"))
    assert before
    assert after
    assert before.isdisjoint(after)
    assert before | after == set(found(env, ""))


def test_codes_match_as_whole_words(env: Environment) -> None:
    sent = call(env, "send_gmail_message", to="a@b.co", subject="s", body="about INV-20417")
    assert found(env, "INV-20417") == [sent["id"]]
    assert sent["id"] not in found(env, "INV-2041")


@pytest.mark.parametrize("query", ["(a", "in:nowhere", "after:soon", "is:", "newer_than:x"])
def test_a_bad_query_is_refused(env: Environment, query: str) -> None:
    assert refusal(env, "search_gmail_messages", query=query) == "invalid_argument"


def test_another_account_is_refused(env: Environment) -> None:
    seen = env.call(
        "gmail.search_gmail_messages", {"query": "", "user_google_email": "x@y.example"}
    )
    assert seen.code == "permission_denied"
    assert env.state("gmail").ledger.actor in seen.text


def test_a_page_ends_where_the_next_begins(env: Environment) -> None:
    first = call(env, "search_gmail_messages", query="", page_size=7)
    second = call(
        env, "search_gmail_messages", query="", page_size=7, page_token=first["next_cursor"]
    )
    ids = [item["id"] for item in first["items"] + second["items"]]
    assert len(set(ids)) == 14
    assert first["total"] == len(found(env, ""))


def test_a_thread_lists_its_messages_and_says_whose_turn_it_is(env: Environment) -> None:
    state = state_of(env)
    row = next(r for r in state.messages if len(state.messages.where(thread_id=r.id)) > 1)
    thread = call(env, "get_gmail_thread_content", thread_id=row.id, include_analysis=True)
    assert [m["id"] for m in thread["messages"]] == [
        r.id for r in sorted(state.messages.where(thread_id=row.id), key=lambda r: r.date)
    ]
    last = thread["messages"][-1]["sender"]
    mine = last == state.ledger.actor
    assert thread["analysis"]["awaiting_reply_from"] == ("them" if mine else "you")


def test_a_message_inside_a_thread_is_no_thread_id(env: Environment) -> None:
    inner = next(r for r in state_of(env).messages if r.thread_id != r.id)
    assert refusal(env, "get_gmail_thread_content", thread_id=inner.id) == "not_found"


def test_metadata_has_no_body(env: Environment) -> None:
    key = state_of(env).messages.keys()[0]
    full = call(env, "get_gmail_message_content", message_id=key)
    brief = call(env, "get_gmail_message_content", message_id=key, format="metadata")
    assert full["body"]
    assert brief["body"] == ""
    assert brief["subject"] == full["subject"]


def test_a_batch_keeps_its_order_and_its_limit(env: Environment) -> None:
    keys = state_of(env).messages.keys()[:30]
    rows = call(env, "get_gmail_messages_content_batch", message_ids=keys[:3][::-1])
    assert [row["id"] for row in rows] == keys[:3][::-1]
    code = refusal(env, "get_gmail_messages_content_batch", message_ids=keys)
    assert code == "invalid_argument"


def test_an_attachment_is_opened_by_its_message(env: Environment) -> None:
    state = state_of(env)
    file = next(iter(state.attachments))
    seen = call(
        env,
        "get_gmail_attachment_content",
        message_id=file.message_id,
        attachment_id=file.id,
        return_base64=True,
    )
    assert base64.b64decode(seen["content_base64"]).decode() == file.content
    other = next(r.id for r in state.messages if not r.attachment_ids)
    code = refusal(env, "get_gmail_attachment_content", message_id=other, attachment_id=file.id)
    assert code == "not_found"


def test_a_sent_message_is_one_new_record(env: Environment) -> None:
    before = env.fork()
    sent = call(
        env, "send_gmail_message", to="Bo <Bo@X.example>, c@y.example", subject="Hi", body="Yo"
    )
    changes = before.diff(env)
    assert [(c.table, c.id, c.before) for c in changes] == [("messages", sent["id"], None)]
    assert sent["to"] == ["bo@x.example", "c@y.example"]
    assert sent["label_ids"] == ["SENT"]
    assert sent["thread_id"] == sent["id"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"subject": "s", "body": "b"}, "invalid_argument"),
        ({"subject": "s", "body": "b", "to": "nobody"}, "invalid_argument"),
        ({"to": "a@b.co", "body": "b"}, "invalid_argument"),
        ({"to": "a@b.co", "subject": "s"}, "invalid_argument"),
        ({"to": "a@b.co", "body": "b", "thread_id": "x"}, "not_found"),
        ({"to": "a@b.co", "subject": "s", "body": "b", "from_email": "z@z.example"},
         "permission_denied"),
        ({"body": "b", "reply_all": True}, "invalid_argument"),
        ({"to": "a@b.co", "subject": "s", "body": "b",
          "attachments": [{"filename": "f", "content": "%"}]}, "invalid_argument"),
    ],
)  # fmt: skip
def test_what_cannot_be_sent(env: Environment, arguments: dict[str, Any], code: str) -> None:
    assert refusal(env, "send_gmail_message", **arguments) == code


def test_a_reply_goes_into_the_thread_with_its_subject(env: Environment) -> None:
    state = state_of(env)
    row = next(
        r
        for r in state.messages
        if "INBOX" in r.label_ids and len(state.messages.where(thread_id=r.thread_id)) == 1
    )
    sent = call(
        env,
        "send_gmail_message",
        thread_id=row.thread_id,
        reply_all=True,
        body="ok",
        quote_original=True,
    )
    assert sent["thread_id"] == row.thread_id
    assert sent["to"] == [row.sender]
    assert sent["subject"].startswith("Re: ")
    assert sent["in_reply_to"] == row.rfc822_message_id
    assert "\n> " in sent["body"]


def test_a_forward_carries_text_and_attachments(env: Environment) -> None:
    state = state_of(env)
    row = next(r for r in state.messages if r.attachment_ids)
    sent = call(
        env, "send_gmail_message", to="a@b.co", forward_message_id=row.id, body="see below"
    )
    assert sent["subject"] == f"Fwd: {row.subject}"
    assert row.body in sent["body"]
    assert sent["body"].startswith("see below")
    assert sent["attachment_names"] == list(row.attachment_names)
    assert set(sent["attachment_ids"]).isdisjoint(row.attachment_ids)


def test_an_alias_sends_with_its_signature(env: Environment) -> None:
    box = next(iter(state_of(env).mailboxes))
    alias = box.aliases[0]
    sent = call(env, "send_gmail_message", to="a@b.co", subject="s", body="b", from_email=alias)
    assert sent["sender"] == alias
    assert sent["body"] == f"b\n\n-- \n{box.alias_signature}"


def test_a_draft_may_lack_everything(env: Environment) -> None:
    draft = call(env, "draft_gmail_message")
    assert draft["label_ids"] == ["DRAFT"]
    assert draft["draft_id"].startswith("r-")
    assert draft["id"] in found(env, "in:drafts")


def test_archiving_takes_the_inbox_label_off(env: Environment) -> None:
    row = next(r for r in state_of(env).messages if "INBOX" in r.label_ids)
    changed = call(
        env, "modify_gmail_message_labels", message_id=row.id, remove_label_ids=["INBOX"]
    )
    assert set(changed["label_ids"]) == set(row.label_ids) - {"INBOX"}


def test_trashing_leaves_the_inbox(env: Environment) -> None:
    row = next(r for r in state_of(env).messages if "INBOX" in r.label_ids)
    changed = call(
        env, "modify_gmail_message_labels", message_id=row.id, add_label_ids=["TRASH"]
    )
    assert "INBOX" not in changed["label_ids"]
    assert "TRASH" in changed["label_ids"]


def test_labels_that_say_what_a_message_is_stay(env: Environment) -> None:
    key = state_of(env).messages.keys()[0]
    code = refusal(env, "modify_gmail_message_labels", message_id=key, add_label_ids=["SENT"])
    assert code == "invalid_argument"


def test_a_batch_reports_unknown_ids(env: Environment) -> None:
    keys = [r.id for r in state_of(env).messages if "STARRED" not in r.label_ids][:2]
    done = call(
        env,
        "batch_modify_gmail_message_labels",
        message_ids=[*keys, "nope"],
        add_label_ids=["STARRED"],
    )
    assert done == {"changed": keys, "unchanged": [], "unknown": ["nope"]}


def test_a_deleted_label_leaves_messages_and_filters(env: Environment) -> None:
    state = state_of(env)
    label = next(
        r for r in state.labels
        if r.type == "user" and any(r.id in f.add_label_ids for f in state.filters)
    )  # fmt: skip
    call(env, "manage_gmail_label", action="delete", label_id=label.id)
    state = state_of(env)
    assert label.id not in state.labels
    assert not [r for r in state.messages if label.id in r.label_ids]
    assert not [r for r in state.filters if label.id in r.add_label_ids]


def test_label_names_are_unique_and_system_labels_fixed(env: Environment) -> None:
    own = next(r for r in state_of(env).labels if r.type == "user")
    code = refusal(env, "manage_gmail_label", action="create", name=own.name.upper())
    assert code == "conflict"
    code = refusal(env, "manage_gmail_label", action="delete", label_id="INBOX")
    assert code == "failed_precondition"


def test_updating_a_label_keeps_what_is_left_out(env: Environment) -> None:
    own = next(r for r in state_of(env).labels if r.type == "user")
    changed = call(
        env,
        "manage_gmail_label",
        action="update",
        label_id=own.id,
        background_color="#16a766",
        text_color="#ffffff",
    )
    assert changed["name"] == own.name
    assert changed["background_color"] == "#16a766"


def test_a_filter_is_made_updated_and_deleted(env: Environment) -> None:
    made = call(
        env,
        "manage_gmail_filter",
        action="create",
        criteria={"from": "a@b.co"},
        filter_action={"addLabelIds": ["STARRED"]},
    )
    new = call(
        env,
        "manage_gmail_filter",
        action="update",
        filter_id=made["id"],
        criteria={"subject": "bill"},
    )
    assert (new["subject"], new["sender"]) == ("bill", None)
    assert new["add_label_ids"] == ["STARRED"]
    assert new["id"] != made["id"]
    call(env, "manage_gmail_filter", action="delete", filter_id=new["id"])
    assert new["id"] not in [row["id"] for row in call(env, "list_gmail_filters")]


def test_the_same_filter_twice_is_a_conflict(env: Environment) -> None:
    arguments = {
        "action": "create",
        "criteria": {"from": "a@b.co"},
        "filter_action": {"addLabelIds": ["STARRED"]},
    }
    call(env, "manage_gmail_filter", **arguments)
    assert refusal(env, "manage_gmail_filter", **arguments) == "conflict"


def test_forwarding_needs_a_verified_address(env: Environment) -> None:
    code = refusal(
        env,
        "manage_gmail_filter",
        action="create",
        criteria={"from": "a@b.co"},
        filter_action={"forward": "spy@z.example"},
    )
    assert code == "failed_precondition"


def test_applying_a_filter_labels_what_matches(env: Environment) -> None:
    row = next(r for r in state_of(env).messages if "INBOX" in r.label_ids)
    arguments = {
        "action": "apply",
        "criteria": {"from": row.sender},
        "filter_action": {"addLabelIds": ["IMPORTANT"]},
    }
    dry = call(env, "manage_gmail_filter", **arguments, dry_run=True)
    assert dry["changed"] == []
    assert dry["matched"] == len(found(env, f"from:{row.sender}"))
    call(env, "manage_gmail_filter", **arguments)
    assert "IMPORTANT" in state_of(env).messages[row.id].label_ids


def test_contacts_are_found_by_each_of_their_fields(env: Environment) -> None:
    row = next(r for r in state_of(env).contacts if r.phone)
    for query in (row.email, row.name, row.phone, row.organization):
        page = call(env, "search_contacts", query=query)
        assert row.id in [item["id"] for item in page["items"]]
    assert call(env, "get_contact", contact_id=f"people/{row.id}")["email"] == row.email


def test_contacts_are_listed_in_the_asked_order(env: Environment) -> None:
    page = call(env, "list_contacts", sort_order="LAST_NAME_ASCENDING")
    names = [item["family_name"] for item in page["items"]]
    assert names == sorted(names)
    assert refusal(env, "list_contacts", sort_order="BY_AGE") == "invalid_argument"


def test_a_sync_token_shows_later_changes_only(env: Environment) -> None:
    page = call(env, "list_contacts", request_sync_token=True)
    token = page["next_sync_token"]
    assert token
    assert call(env, "list_contacts", sync_token=token)["items"] == []
    assert refusal(env, "list_contacts", sync_token="x") == "failed_precondition"
