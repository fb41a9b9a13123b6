"""Google Drive: searching, contents, changes, sharing, comments, seeds."""

from typing import Any

import pytest
from compoworld_services_productivity_collaboration.google_drive import DriveState, service
from compoworld_services_productivity_collaboration.google_drive.state import DOCUMENT, File

from compoworld_core import compose
from compoworld_core.environment import Environment
from compoworld_core.testing import check_service


@pytest.fixture
def env() -> Environment:
    return compose(service, seed=5, scale=200)


def state_of(env: Environment) -> DriveState:
    state = env.state("google_drive")
    assert isinstance(state, DriveState)
    return state


def call(env: Environment, tool: str, **arguments: Any) -> Any:
    """The data of a call that must succeed."""
    me = env.state("google_drive").ledger.actor
    seen = env.call(f"google_drive.{tool}", {"user_google_email": me, **arguments})
    assert not seen.is_error, seen.text
    return seen.data


def refusal(env: Environment, tool: str, **arguments: Any) -> str:
    """The code of a call that must be refused; nothing may change."""
    before = env.digest()
    me = env.state("google_drive").ledger.actor
    seen = env.call(f"google_drive.{tool}", {"user_google_email": me, **arguments})
    assert seen.is_error, seen.text
    assert env.digest() == before
    return seen.code


def found(env: Environment, query: str, **arguments: Any) -> list[str]:
    ids: list[str] = []
    token = None
    while True:
        page = call(
            env, "search_drive_files", query=query, page_size=40, page_token=token, **arguments
        )
        ids += [item["id"] for item in page["items"]]
        token = page["next_cursor"]
        if token is None:
            return ids


def own(env: Environment, **fields: Any) -> File:
    """A file of the account's own, not in the trash."""
    me = state_of(env).ledger.actor
    return state_of(env).files.where(owner=me, trashed=False, **fields)[0]


def foreign(env: Environment, role: str) -> File:
    """Somebody else's file in which the account has just this role."""
    state = state_of(env)
    for row in state.files:
        held = [p.role for p in state.permissions.where(file_id=row.id)]
        theirs = row.owner not in (None, state.ledger.actor) and not row.trashed
        if theirs and set(held) == {role}:
            return row
    raise AssertionError(f"no file with the role {role}")


def test_it_passes_the_conformance_suite() -> None:
    assert check_service(service) == []


@pytest.mark.parametrize("scale", [20, 200, 2000])
def test_a_seed_has_about_the_asked_size_and_whole_references(scale: int) -> None:
    state = state_of(compose(service, seed=1, scale=scale))
    count = sum(len(state.table(name)) for name in state.tables())
    assert 0.8 * scale <= count <= 1.3 * scale
    for row in (*state.files, *state.folders):
        assert row.parent_id is None or row.parent_id in state.folders
        assert row.drive_id is None or row.drive_id in state.drives
        assert (row.owner is None) == (row.drive_id is not None)
    assert all(p.file_id in state.files for p in state.permissions)
    assert all(c.file_id in state.files for c in state.comments)


def test_policies_say_what_to_do_for_which_case(env: Environment) -> None:
    page = call(env, "search_drive_files", query="name = 'Refund policy'")
    (item,) = page["items"]
    text = call(env, "get_drive_file_content", file_id=item["id"])["content"]
    assert "| damaged | replace free of charge |" in text


@pytest.mark.parametrize(
    ("query", "keeps"),
    [
        ("name contains 'policy'", lambda r: "policy" in r.name.casefold()),
        ("mimeType = 'application/pdf'",
         lambda r: getattr(r, "mime_type", "") == "application/pdf"),
        ("starred = true", lambda r: r.starred),
        ("not starred = true and name contains 'manual'",
         lambda r: not r.starred and "manual" in r.name.casefold()),
        ("'root' in parents", lambda r: r.parent_id is None and r.owner == "ME"),
        ("(name contains 'manual' or name contains 'contract') and starred = false",
         lambda r: ("manual" in r.name.casefold() or "contract" in r.name.casefold())
         and not r.starred),
        ("fullText contains '\"replace free of charge\"'",
         lambda r: "replace free of charge" in getattr(r, "content", "")),
    ],
)  # fmt: skip
def test_terms_select_what_they_say(env: Environment, query: str, keeps: Any) -> None:
    state = state_of(env)
    me = state.ledger.actor
    rows = [r.model_copy(update={"owner": "ME"}) if r.owner == me else r
            for r in (*state.files, *state.folders)]  # fmt: skip
    wanted = {r.id for r in rows if keeps(r) and not r.trashed}
    assert wanted
    assert set(found(env, query)) == wanted


def test_owner_and_parent_terms_join(env: Environment) -> None:
    row = next(r for r in state_of(env).files if r.owner and r.parent_id and not r.trashed)
    ids = found(env, f"'{row.owner}' in owners and '{row.parent_id}' in parents")
    assert row.id in ids
    rows = [state_of(env).files[key] for key in ids]
    assert {(r.owner, r.parent_id) for r in rows} == {(row.owner, row.parent_id)}


def test_the_trash_is_left_out_unless_named(env: Environment) -> None:
    gone = {r.id for r in state_of(env).files if r.trashed}
    assert gone
    assert gone.isdisjoint(found(env, "name contains ''"))
    assert set(found(env, "trashed = true")) == gone
    assert gone <= set(found(env, "name contains ''", include_trashed=True))


def test_plain_words_look_into_contents(env: Environment) -> None:
    row = next(r for r in state_of(env).files if "Warranty" in r.content and not r.trashed)
    assert row.id in found(env, f"warranty {row.name.split()[0]}")


@pytest.mark.parametrize(
    "query",
    ["name like 'x' and starred = true", "(name = 'x'", "name = 'x' extra", "starred = maybe"],
)
def test_a_bad_query_is_refused(env: Environment, query: str) -> None:
    assert refusal(env, "search_drive_files", query=query) == "invalid_argument"


def test_search_results_come_in_the_asked_order(env: Environment) -> None:
    page = call(
        env, "search_drive_files", query="name contains 'a'", order_by="modifiedTime desc"
    )
    times = [item["modified_time"] for item in page["items"]]
    assert times == sorted(times, reverse=True)
    code = refusal(env, "search_drive_files", query="a", order_by="colour")
    assert code == "invalid_argument"


def test_a_folder_lists_what_is_in_it_page_by_page(env: Environment) -> None:
    state = state_of(env)
    folder = next(f for f in state.folders if f.name == "Contracts")
    inside = {r.id for r in state.files.where(parent_id=folder.id) if not r.trashed}
    first = call(env, "list_drive_items", folder_id=folder.id, page_size=4)
    ids = [item["id"] for item in first["items"]]
    while first["next_cursor"]:
        first = call(
            env,
            "list_drive_items",
            folder_id=folder.id,
            page_size=4,
            page_token=first["next_cursor"],
        )
        ids += [item["id"] for item in first["items"]]
    assert set(ids) == inside
    assert len(ids) == len(inside)


def test_shared_drives_are_listed(env: Environment) -> None:
    page = call(env, "list_drive_items", resource_type="shared_drives")
    assert [item["name"] for item in page["items"]] == [d.name for d in state_of(env).drives]


def test_a_folder_has_no_content(env: Environment) -> None:
    folder = next(iter(state_of(env).folders))
    code = refusal(env, "get_drive_file_content", file_id=folder.id)
    assert code == "failed_precondition"


def test_a_download_takes_a_fitting_format(env: Environment) -> None:
    row = own(env, mime_type=DOCUMENT)
    link = call(env, "get_drive_file_download_url", file_id=row.id, export_format="docx")
    assert link["download_url"].endswith("/docx")
    code = refusal(env, "get_drive_file_download_url", file_id=row.id, export_format="csv")
    assert code == "invalid_argument"


def test_a_new_file_is_one_new_record_of_the_account(env: Environment) -> None:
    before = env.fork()
    made = call(env, "create_drive_file", file_name="a.csv", content="x,y")
    assert [(c.table, c.before) for c in before.diff(env)] == [("files", None)]
    assert made["mime_type"] == "text/csv"
    assert made["owner"] == state_of(env).ledger.actor


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"file_name": " "}, "invalid_argument"),
        ({"file_name": "a"}, "invalid_argument"),
        ({"file_name": "a", "content": "x", "folder_id": "nope"}, "not_found"),
        ({"file_name": "a", "fileUrl": "https://a.example/b"}, "unavailable"),
        ({"file_name": "a", "base64_content": "%"}, "invalid_argument"),
        ({"file_name": "a", "base64_content": "eA==", "base64_sha256": "0"},
         "failed_precondition"),
    ],
)  # fmt: skip
def test_what_cannot_be_stored(env: Environment, arguments: dict[str, Any], code: str) -> None:
    assert refusal(env, "create_drive_file", **arguments) == code


def test_a_reader_of_a_shared_drive_cannot_add_to_it(env: Environment) -> None:
    drive = next(d for d in state_of(env).drives if d.role == "reader")
    code = refusal(env, "create_drive_folder", folder_name="x", parent_folder_id=drive.id)
    assert code == "permission_denied"


def test_an_import_drops_the_ending(env: Environment) -> None:
    made = call(env, "import_to_google_doc", file_name="Plan.md", content="# Plan")
    assert (made["name"], made["mime_type"]) == ("Plan", DOCUMENT)


def test_an_update_keeps_what_is_left_out(env: Environment) -> None:
    row = own(env)
    changed = call(env, "update_drive_file", file_id=row.id, name="New name")
    assert changed["name"] == "New name"
    assert changed["content"] == row.content
    assert changed["owner"] == row.owner
    assert changed["modified_time"] > row.modified_time.isoformat()


def test_a_star_is_no_change_of_the_file(env: Environment) -> None:
    row = foreign(env, "reader")
    changed = call(env, "update_drive_file", file_id=row.id, starred=not row.starred)
    assert changed["modified_by"] == row.modified_by


def test_a_reader_cannot_change_a_file(env: Environment) -> None:
    row = foreign(env, "reader")
    assert refusal(env, "update_drive_file", file_id=row.id, name="x") == "permission_denied"


def test_an_editor_can_change_but_not_trash_a_file(env: Environment) -> None:
    row = foreign(env, "writer")
    assert call(env, "update_drive_file", file_id=row.id, name="x")["name"] == "x"
    assert (
        refusal(env, "update_drive_file", file_id=row.id, trashed=True) == "permission_denied"
    )


def test_a_trashed_file_must_be_restored_first(env: Environment) -> None:
    row = own(env)
    call(env, "update_drive_file", file_id=row.id, trashed=True)
    assert refusal(env, "update_drive_file", file_id=row.id, name="x") == "failed_precondition"
    restored = call(env, "update_drive_file", file_id=row.id, trashed=False, name="x")
    assert (restored["trashed"], restored["name"]) == (False, "x")


def test_what_is_in_a_trashed_folder_is_hidden(env: Environment) -> None:
    folder = call(env, "create_drive_folder", folder_name="Old")
    made = call(env, "create_doc", title="Zebra", content="x", folder_id=folder["id"])
    assert found(env, "name = 'Zebra'") == [made["id"]]
    call(env, "update_drive_file", file_id=folder["id"], trashed=True)
    assert found(env, "name = 'Zebra'") == []


def test_moving_changes_the_one_folder(env: Environment) -> None:
    folder = call(env, "create_drive_folder", folder_name="Here")
    row = own(env)
    moved = call(env, "update_drive_file", file_id=row.id, add_parents=folder["id"])
    assert moved["parent_id"] == folder["id"]
    code = refusal(
        env, "update_drive_file", file_id=row.id, add_parents="root", remove_parents="nope"
    )
    assert code == "failed_precondition"


def test_a_folder_cannot_go_into_itself(env: Environment) -> None:
    outer = call(env, "create_drive_folder", folder_name="Outer")
    inner = call(env, "create_drive_folder", folder_name="In", parent_folder_id=outer["id"])
    code = refusal(env, "update_drive_file", file_id=outer["id"], add_parents=inner["id"])
    assert code == "invalid_argument"


def test_appending_is_for_plain_files(env: Environment) -> None:
    text = call(env, "create_drive_file", file_name="a.txt", content="one")
    longer = call(env, "update_drive_file", file_id=text["id"], content="two", mode="append")
    assert longer["content"] == "one\ntwo"
    document = call(env, "create_doc", title="d", content="one")
    code = refusal(
        env, "update_drive_file", file_id=document["id"], content="two", mode="append"
    )
    assert code == "failed_precondition"


def test_properties_are_merged(env: Environment) -> None:
    row = own(env)
    call(env, "update_drive_file", file_id=row.id, properties={"case": "7", "kind": "x"})
    changed = call(env, "update_drive_file", file_id=row.id, properties={"kind": None})
    assert changed["properties"] == {"case": "7"}
    assert found(env, "properties has { key='case' and value='7' }") == [row.id]


def test_a_copy_belongs_to_the_account_and_is_unshared(env: Environment) -> None:
    row = foreign(env, "writer")
    copy = call(env, "copy_drive_file", file_id=row.id)
    assert copy["name"] == f"Copy of {row.name}"
    assert copy["content"] == row.content
    assert copy["owner"] == state_of(env).ledger.actor
    assert call(env, "get_drive_file_permissions", file_id=copy["id"])["permissions"] == []


def test_sharing_again_changes_the_role(env: Environment) -> None:
    row = own(env)
    share = {"file_id": row.id, "action": "grant", "share_with": "New@X.example"}
    first = call(env, "manage_drive_access", **share)
    again = call(env, "manage_drive_access", **share, role="writer")
    assert (first["role"], again["role"]) == ("reader", "writer")
    assert again["id"] == first["id"]
    gone = call(
        env, "manage_drive_access", file_id=row.id, action="revoke", permission_id=first["id"]
    )
    assert gone["email"] == "new@x.example"
    held = call(env, "get_drive_file_permissions", file_id=row.id)["permissions"]
    assert first["id"] not in [p["id"] for p in held]


def test_a_batch_shares_with_each(env: Environment) -> None:
    row = own(env)
    made = call(
        env,
        "manage_drive_access",
        file_id=row.id,
        action="grant_batch",
        recipients=[{"email": "a@b.co"}, {"email": "c@d.co", "role": "writer"}],
    )
    assert [(p["email"], p["role"]) for p in made] == [
        ("a@b.co", "reader"),
        ("c@d.co", "writer"),
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"action": "grant", "share_with": "nobody"}, "invalid_argument"),
        ({"action": "grant", "share_with": "a@b.co", "role": "boss"}, "invalid_argument"),
        ({"action": "grant", "share_with": "a@b.co", "expiration_time": "2001-01-01"},
         "invalid_argument"),
        ({"action": "lend"}, "invalid_argument"),
        ({"action": "revoke", "permission_id": "nope"}, "not_found"),
        ({"action": "transfer_owner", "new_owner_email": "a@b.co"}, "failed_precondition"),
    ],
)  # fmt: skip
def test_what_sharing_refuses(env: Environment, arguments: dict[str, Any], code: str) -> None:
    assert refusal(env, "manage_drive_access", file_id=own(env).id, **arguments) == code


def test_a_reader_cannot_share(env: Environment) -> None:
    row = foreign(env, "reader")
    code = refusal(
        env, "manage_drive_access", file_id=row.id, action="grant", share_with="a@b.co"
    )
    assert code == "permission_denied"


def test_a_new_owner_leaves_the_old_one_an_editor(env: Environment) -> None:
    state = state_of(env)
    row, me = own(env), state.ledger.actor
    mate = next(p.email for p in state.permissions if p.email and p.email != me
                and p.email.endswith(me.partition("@")[2]))  # fmt: skip
    changed = call(
        env,
        "manage_drive_access",
        file_id=row.id,
        action="transfer_owner",
        new_owner_email=mate,
    )
    assert changed["owner"] == mate
    held = call(env, "get_drive_file_permissions", file_id=row.id)["permissions"]
    assert ("writer", me) in [(p["role"], p["email"]) for p in held]


def test_link_sharing_is_switched_on_and_off(env: Environment) -> None:
    row = call(env, "create_doc", title="Open", content="x")
    call(env, "set_drive_file_permissions", file_id=row["id"], link_sharing="commenter")
    assert (
        call(env, "get_drive_shareable_link", file_id=row["id"])["link_sharing"] == "commenter"
    )
    (seen,) = call(env, "check_drive_file_public_access", file_name="Open")
    assert (seen["public"], seen["role"]) == (True, "commenter")
    call(env, "set_drive_file_permissions", file_id=row["id"], link_sharing="off")
    (seen,) = call(env, "check_drive_file_public_access", file_name="Open")
    assert seen["public"] is False


def test_replacing_counts_what_it_replaced(env: Environment) -> None:
    row = call(env, "create_doc", title="d", content="Red, red, RED")
    done = call(
        env, "find_and_replace_doc", document_id=row["id"], find_text="red", replace_text=r"\1"
    )
    assert (done["content"], done["occurrences_changed"]) == (r"\1, \1, \1", 3)
    none = call(
        env, "find_and_replace_doc", document_id=row["id"], find_text="blue", replace_text="x"
    )
    assert none["occurrences_changed"] == 0


def test_comments_are_written_answered_resolved_and_deleted(env: Environment) -> None:
    row = own(env, mime_type=DOCUMENT)
    note = call(
        env,
        "manage_document_comment",
        document_id=row.id,
        action="create",
        comment_content="Why?",
    )
    on = {"document_id": row.id, "comment_id": note["id"]}
    answered = call(env, "manage_document_comment", action="reply", comment_content="So.", **on)
    assert [reply["content"] for reply in answered["replies"]] == ["So."]
    assert call(env, "manage_document_comment", action="resolve", **on)["resolved"]
    code = refusal(env, "manage_document_comment", action="resolve", **on)
    assert code == "failed_precondition"
    call(env, "manage_document_comment", action="delete", **on)
    listed = call(env, "list_document_comments", document_id=row.id)
    assert note["id"] not in [c["id"] for c in listed]


def test_only_its_author_edits_a_comment(env: Environment) -> None:
    state = state_of(env)
    note = next(c for c in state.comments if c.author != state.ledger.actor
                and state.files[c.file_id].drive_id)  # fmt: skip
    code = refusal(
        env,
        "manage_document_comment",
        document_id=note.file_id,
        action="update",
        comment_id=note.id,
        comment_content="x",
    )
    assert code == "permission_denied"
