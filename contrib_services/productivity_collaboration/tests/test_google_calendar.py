"""Google Calendar: listing, creating, changing, answering, series, free and busy, seeds."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from compoworld_services_productivity_collaboration.google_calendar import (
    CalendarState,
    service,
)
from compoworld_services_productivity_collaboration.google_calendar.recurrence import (
    checked,
    starts,
)
from compoworld_services_productivity_collaboration.google_calendar.state import Event

from compoworld_core import ToolError, compose
from compoworld_core.environment import Environment
from compoworld_core.testing import check_service


@pytest.fixture
def env() -> Environment:
    return compose(service, seed=5, scale=200)


def state_of(env: Environment) -> CalendarState:
    state = env.state("google_calendar")
    assert isinstance(state, CalendarState)
    return state


def me(env: Environment) -> str:
    return state_of(env).ledger.actor


def call(env: Environment, tool: str, **arguments: Any) -> Any:
    """The data of a call that must succeed."""
    seen = env.call(f"google_calendar.{tool}", arguments)
    assert not seen.is_error, seen.text
    return seen.data


def refusal(env: Environment, tool: str, **arguments: Any) -> str:
    """The code of a call that must be refused; nothing may change."""
    before = env.digest()
    seen = env.call(f"google_calendar.{tool}", arguments)
    assert seen.is_error, seen.text
    assert env.digest() == before
    return seen.code


def meeting(env: Environment, **fields: Any) -> Any:
    """A new event of the account's own, far from the seeded ones."""
    given = {"summary": "Talk", "start": "2014-03-03T10:00:00", "end": "2014-03-03T11:00:00"}
    return call(env, "create-event", calendarId="primary", **{**given, **fields})


def weekly(env: Environment, **fields: Any) -> Any:
    return meeting(env, recurrence=["RRULE:FREQ=WEEKLY;COUNT=5"], **fields)


def days(env: Environment, event_id: str) -> list[str]:
    page = call(
        env,
        "list-event-instances",
        calendarId="primary",
        eventId=event_id,
        timeMin="2014-01-01",
        timeMax="2014-12-31",
    )
    return [item["start"][:10] for item in page["items"]]


def invitation(env: Environment) -> Event:
    """An event that somebody else invited the account's owner to."""
    return next(
        row
        for row in state_of(env).events.where(calendarId=me(env))
        if row.organizer != me(env) and row.status == "confirmed"
    )


def test_it_passes_the_conformance_suite() -> None:
    assert check_service(service) == []


@pytest.mark.parametrize("scale", [20, 200, 2000])
def test_a_seed_has_about_the_asked_size_and_whole_references(scale: int) -> None:
    state = state_of(compose(service, seed=1, scale=scale))
    count = sum(len(state.table(name)) for name in state.tables())
    assert 0.9 * scale <= count <= 1.1 * scale
    assert all(row.calendarId in state.calendars for row in state.events)
    assert all(row.start < row.end for row in state.events)
    assert state.calendars.first(primary=True) is not None


def test_a_window_lists_what_touches_it_in_order(env: Environment) -> None:
    now = state_of(env).ledger.now
    low, high = now - timedelta(days=4), now + timedelta(days=3)
    page = call(
        env,
        "list-events",
        calendarId="primary",
        timeMin=low.isoformat(),
        timeMax=high.isoformat(),
    )
    single = {
        row.id
        for row in state_of(env).events.where(calendarId=me(env))
        if row.end > low
        and row.start < high
        and not row.recurrence
        and row.status != "cancelled"
    }
    items = page["items"]
    assert single == {item["id"] for item in items if item["recurringEventId"] is None}
    assert [i["start"] for i in items] == sorted(i["start"] for i in items)


def test_a_long_listing_says_what_it_left_out(env: Environment) -> None:
    seen = env.call("google_calendar.list-events", {"calendarId": "primary"})
    assert seen.data is not None
    assert len(seen.data["items"]) < seen.data["total"]
    assert "raise timeMin" in seen.data["notice"]


def test_calendars_go_by_id_name_list_and_json(env: Environment) -> None:
    window = {"timeMin": "2020-01-01", "timeMax": "2030-01-01"}
    one = call(env, "list-events", calendarId="Team", **window)["total"]
    both = call(env, "list-events", calendarId=["Team", "primary"], **window)["total"]
    text = call(env, "list-events", calendarId='["Team", "primary"]', **window)["total"]
    assert 0 < one < both == text
    assert refusal(env, "list-events", calendarId="Nope") == "not_found"


def test_a_search_looks_at_guests_too(env: Environment) -> None:
    row = next(r for r in state_of(env).events.where(calendarId=me(env)) if r.attendees)
    page = call(
        env,
        "search-events",
        calendarId="primary",
        query=row.attendees[0].email,
        timeMin=(row.start - timedelta(days=1)).isoformat(),
        timeMax=(row.end + timedelta(days=1)).isoformat(),
    )
    found = {item["recurringEventId"] or item["id"] for item in page["items"]}
    assert row.id in found or row.status == "cancelled"


def test_more_fields_are_shown_when_asked_for(env: Environment) -> None:
    window = {"calendarId": "primary", "timeMin": "2014-03-01", "timeMax": "2014-04-01"}
    meeting(env, description="Bring figures")
    (brief,) = call(env, "list-events", **window)["items"]
    (whole,) = call(env, "list-events", **window, fields=["description"])["items"]
    assert "description" not in brief
    assert whole["description"] == "Bring figures"


def test_properties_select_events(env: Environment) -> None:
    made = meeting(env, extendedProperties={"private": {"case": "7"}})
    window = {"calendarId": "primary", "timeMin": "2014-03-01", "timeMax": "2014-04-01"}
    page = call(env, "list-events", **window, privateExtendedProperty=["case=7"])
    assert [item["id"] for item in page["items"]] == [made["id"]]
    page = call(env, "list-events", **window, sharedExtendedProperty=["case=7"])
    assert page["items"] == []


def test_a_free_busy_reader_sees_no_events(env: Environment) -> None:
    other = state_of(env).calendars.first(accessRole="freeBusyReader")
    assert other is not None
    assert refusal(env, "list-events", calendarId=other.id) == "permission_denied"
    now = state_of(env).ledger.now
    seen = call(
        env,
        "get-freebusy",
        calendars=[{"id": other.id}, {"id": "nope"}],
        timeMin=now.isoformat(),
        timeMax=(now + timedelta(days=60)).isoformat(),
    )
    assert [one["error"] for one in seen["calendars"]] == [None, "notFound"]


def test_busy_times_are_merged_and_free_ones_left_out(env: Environment) -> None:
    meeting(env)
    meeting(env, summary="B", start="2014-03-03T10:30:00", end="2014-03-03T12:00:00")
    meeting(
        env,
        summary="C",
        start="2014-03-03T14:00:00",
        end="2014-03-03T15:00:00",
        transparency="transparent",
    )
    seen = call(
        env,
        "get-freebusy",
        calendars=[{"id": "primary"}],
        timeMin="2014-03-03",
        timeMax="2014-03-04",
    )
    assert seen["calendars"][0]["busy"] == [
        {"start": "2014-03-03T10:00:00Z", "end": "2014-03-03T12:00:00Z"}
    ]


def test_a_readers_view_hides_private_events() -> None:
    env = compose(service, seed=5, scale=1000)
    state = state_of(env)
    row = next(
        r
        for r in state.events.where(visibility="private")
        if state.calendars[str(r.calendarId)].accessRole == "reader"
    )
    seen = call(env, "get-event", calendarId=row.calendarId, eventId=row.id)
    assert (seen["summary"], seen["attendees"]) == ("Busy", [])
    page = call(
        env,
        "search-events",
        calendarId=row.calendarId,
        query=row.summary,
        timeMin=row.start.isoformat(),
        timeMax=row.end.isoformat(),
    )
    assert row.id not in [item["id"] for item in page["items"]]


def test_a_new_event_is_one_new_record(env: Environment) -> None:
    before = env.fork()
    made = meeting(env, attendees=[{"email": "A@B.co"}])
    assert [(c.table, c.id, c.before) for c in before.diff(env)] == [
        ("events", made["id"], None)
    ]
    assert made["organizer"] == me(env)
    assert made["attendees"][0]["email"] == "a@b.co"
    assert made["attendees"][0]["responseStatus"] == "needsAction"


def test_local_times_are_read_in_their_zone(env: Environment) -> None:
    made = meeting(env, timeZone="Europe/Berlin")
    assert made["start"] == "2014-03-03T09:00:00Z"
    start = '{"dateTime": "2014-03-03T12:00:00", "timeZone": "Asia/Tokyo"}'
    made = meeting(env, summary="J", start=start, end="2014-03-03T05:00:00Z")
    assert made["start"] == "2014-03-03T03:00:00Z"


@pytest.mark.parametrize(
    "fields",
    [
        {"end": "2014-03-03T09:00:00"},
        {"end": "2014-03-04"},
        {"start": "soon"},
        {"timeZone": "Mars/Base"},
        {"summary": " "},
        {"colorId": "99"},
        {"recurrence": ["RRULE:FREQ=SOMETIMES"]},
        {"eventId": "no"},
        {"attendees": [{"email": "a@b.co"}, {"email": "A@b.co"}]},
        {"eventType": "workingLocation"},
        {"reminders": {"useDefault": True, "overrides": [{"minutes": 5}]}},
    ],
)
def test_what_cannot_be_created(env: Environment, fields: dict[str, Any]) -> None:
    given = {"summary": "T", "start": "2014-03-03T10:00:00", "end": "2014-03-03T11:00:00"}
    code = refusal(env, "create-event", calendarId="primary", **{**given, **fields})
    assert code == "invalid_argument"


def test_the_same_event_twice_is_a_conflict_unless_allowed(env: Environment) -> None:
    meeting(env)
    given = {"summary": "talk", "start": "2014-03-03T10:00:00", "end": "2014-03-03T11:00:00"}
    assert refusal(env, "create-event", calendarId="primary", **given) == "conflict"
    again = meeting(env, allowDuplicates=True)
    assert any("much like" in warning for warning in again["warnings"])


def test_an_overlap_is_a_warning(env: Environment) -> None:
    first = meeting(env)
    second = meeting(
        env, summary="Other", start="2014-03-03T10:30:00", end="2014-03-03T11:30:00"
    )
    assert [first["id"] in warning for warning in second["warnings"]] == [True]


def test_a_reader_cannot_create(env: Environment) -> None:
    other = state_of(env).calendars.first(accessRole="reader")
    assert other is not None
    code = refusal(
        env,
        "create-event",
        calendarId=other.id,
        summary="x",
        start="2014-03-03",
        end="2014-03-04",
    )
    assert code == "permission_denied"


def test_focus_time_stands_in_the_own_calendar_only(env: Environment) -> None:
    made = meeting(env, eventType="focusTime", focusTimeProperties={"chatStatus": "available"})
    assert made["typeProperties"] == {"chatStatus": "available"}
    code = refusal(
        env,
        "create-event",
        calendarId=state_of(env).calendars.first(summary="Team").id,  # type: ignore[union-attr]  # seeded
        summary="x",
        start="2014-03-03T10:00:00",
        end="2014-03-03T11:00:00",
        eventType="focusTime",
    )
    assert code == "failed_precondition"


def test_several_events_report_the_ones_that_failed(env: Environment) -> None:
    good = {"summary": "A", "start": "2014-03-03", "end": "2014-03-04"}
    bad = {"summary": "B", "start": "2014-03-03", "end": "2014-03-02"}
    done = call(env, "create-events", events=[bad, good])
    assert [row["summary"] for row in done["created"]] == ["A"]
    assert [(f["index"], f["summary"]) for f in done["failed"]] == [(0, "B")]


def test_an_update_keeps_what_is_left_out(env: Environment) -> None:
    made = meeting(env, location="Room 1", attendees=[{"email": "a@b.co"}])
    changed = call(env, "update-event", calendarId="primary", eventId=made["id"], summary="New")
    kept = {k: v for k, v in made.items() if k not in ("summary", "updated", "sequence")}
    assert changed["summary"] == "New"
    assert {k: changed[k] for k in kept} == kept
    assert changed["sequence"] == 1


def test_guests_that_stay_keep_their_answer(env: Environment) -> None:
    made = meeting(env, attendees=[{"email": "a@b.co", "responseStatus": "accepted"}])
    changed = call(
        env,
        "update-event",
        calendarId="primary",
        eventId=made["id"],
        attendees=[{"email": "a@b.co"}, {"email": "c@d.co"}],
    )
    answers = [(p["email"], p["responseStatus"]) for p in changed["attendees"]]
    assert answers == [("a@b.co", "accepted"), ("c@d.co", "needsAction")]


def test_moving_the_start_past_the_end_is_refused(env: Environment) -> None:
    made = meeting(env)
    code = refusal(
        env,
        "update-event",
        calendarId="primary",
        eventId=made["id"],
        start="2014-03-03T12:00:00",
    )
    assert code == "invalid_argument"


def test_a_guest_cannot_change_but_can_answer(env: Environment) -> None:
    row = invitation(env)
    on = {"calendarId": "primary", "eventId": row.id}
    assert refusal(env, "update-event", summary="x", **on) == "permission_denied"
    seen = call(env, "respond-to-event", response="declined", comment="Ill", **on)
    mine = next(p for p in seen["attendees"] if p["email"] == me(env))
    assert (mine["responseStatus"], mine["comment"]) == ("declined", "Ill")


def test_only_the_invited_can_answer(env: Environment) -> None:
    made = meeting(env)
    code = refusal(
        env,
        "respond-to-event",
        calendarId="primary",
        eventId=made["id"],
        response="accepted",
    )
    assert code == "failed_precondition"


def test_a_cancelled_event_leaves_the_list_and_stays_cancelled(env: Environment) -> None:
    made = meeting(env)
    on = {"calendarId": "primary", "eventId": made["id"]}
    assert call(env, "delete-event", **on)["status"] == "cancelled"
    window = {"calendarId": "primary", "timeMin": "2014-03-01", "timeMax": "2014-04-01"}
    assert call(env, "list-events", **window)["items"] == []
    assert call(env, "get-event", **on)["status"] == "cancelled"
    assert refusal(env, "delete-event", **on) == "failed_precondition"
    assert refusal(env, "update-event", summary="x", **on) == "failed_precondition"


def test_a_series_is_listed_by_its_instances(env: Environment) -> None:
    made = weekly(env)
    listed = days(env, made["id"])
    assert listed == ["2014-03-03", "2014-03-10", "2014-03-17", "2014-03-24", "2014-03-31"]


def test_one_instance_changes_alone(env: Environment) -> None:
    made = weekly(env)
    call(
        env,
        "update-event",
        calendarId="primary",
        eventId=made["id"],
        modificationScope="thisEventOnly",
        originalStartTime="2014-03-10T10:00:00",
        start="2014-03-11T10:00:00",
        end="2014-03-11T11:00:00",
    )
    assert days(env, made["id"])[:3] == ["2014-03-03", "2014-03-11", "2014-03-17"]


def test_one_instance_is_cancelled_by_its_own_id(env: Environment) -> None:
    made = weekly(env)
    key = f"{made['id']}_20140317T100000Z"
    call(env, "delete-event", calendarId="primary", eventId=key)
    assert "2014-03-17" not in days(env, made["id"])
    assert len(days(env, made["id"])) == 4


def test_a_series_is_split_where_the_following_change(env: Environment) -> None:
    made = weekly(env)
    new = call(
        env,
        "update-event",
        calendarId="primary",
        eventId=made["id"],
        modificationScope="thisAndFollowing",
        futureStartDate="2014-03-17T10:00:00",
        location="Room 9",
    )
    assert days(env, made["id"]) == ["2014-03-03", "2014-03-10"]
    assert days(env, new["id"]) == ["2014-03-17", "2014-03-24", "2014-03-31"]
    assert new["location"] == "Room 9"


def test_a_scope_needs_its_time_and_a_series(env: Environment) -> None:
    series, single = weekly(env), meeting(env, summary="Single")
    for event_id, code in (
        (series["id"], "invalid_argument"),
        (single["id"], "failed_precondition"),
    ):
        seen = refusal(
            env,
            "update-event",
            calendarId="primary",
            eventId=event_id,
            modificationScope="thisEventOnly",
            summary="x",
        )
        assert seen == code


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("FREQ=DAILY;INTERVAL=2;COUNT=3", ["03-03", "03-05", "03-07"]),
        ("FREQ=WEEKLY;BYDAY=MO,TH;COUNT=4", ["03-03", "03-06", "03-10", "03-13"]),
        ("FREQ=MONTHLY;COUNT=2", ["03-03", "04-03"]),
        ("FREQ=MONTHLY;BYDAY=-1FR;COUNT=2", ["03-28", "04-25"]),
        ("FREQ=MONTHLY;BYMONTHDAY=31;COUNT=2", ["03-31", "05-31"]),
        ("FREQ=WEEKLY;UNTIL=20140312", ["03-03", "03-10"]),
    ],
)
def test_rules_give_their_days(env: Environment, rule: str, expected: list[str]) -> None:
    made = meeting(env, recurrence=[f"RRULE:{rule}"])
    row = state_of(env).events[made["id"]]
    found = starts(row, row.start, datetime.fromisoformat("2014-08-01T00:00:00+00:00"))
    assert [f"{start:%m-%d}" for start in found] == expected


def test_left_out_dates_are_left_out(env: Environment) -> None:
    lines = ["RRULE:FREQ=WEEKLY;COUNT=3", "EXDATE:20140310T100000Z"]
    made = meeting(env, recurrence=lines)
    assert days(env, made["id"]) == ["2014-03-03", "2014-03-17"]


@pytest.mark.parametrize(
    "line", ["RRULE:FREQ=DAILY;COUNT=0", "RRULE:COUNT=3", "RDATE:x", "EXDATE:tomorrow"]
)
def test_a_bad_rule_says_so(line: str) -> None:
    with pytest.raises(ToolError, match="recurrence"):
        checked([line])


def test_an_event_moves_to_a_calendar_that_may_be_changed(env: Environment) -> None:
    made = meeting(env)
    team = state_of(env).calendars.first(summary="Team")
    holidays = state_of(env).calendars.first(summary="Public holidays")
    assert team is not None
    assert holidays is not None
    on = {"calendarId": "primary", "eventId": made["id"]}
    assert refusal(env, "move-event", destination=holidays.id, **on) == "permission_denied"
    assert call(env, "move-event", destination=team.id, **on)["calendarId"] == team.id
    assert refusal(env, "get-event", **on) == "not_found"


def test_a_calendar_is_created_once(env: Environment) -> None:
    made = call(env, "create-calendar", summary="Trade fairs")
    assert made["accessRole"] == "owner"
    assert refusal(env, "create-calendar", summary="trade fairs") == "conflict"


def test_the_time_is_told_in_a_zone(env: Environment) -> None:
    seen = call(env, "get-current-time", timeZone="Asia/Tokyo")
    assert datetime.fromisoformat(seen["currentTime"]) == state_of(env).ledger.now
    assert seen["localTime"].endswith("18:00")


def test_the_last_account_stays_and_a_new_one_must_sign_in(env: Environment) -> None:
    code = refusal(env, "manage-accounts", action="remove", account_id="work")
    assert code == "failed_precondition"
    seen = call(env, "manage-accounts", action="add", account_id="home")
    assert seen["sign_in_url"]
    assert refusal(env, "list-calendars", account="home") == "failed_precondition"
    assert refusal(env, "list-calendars", account="nobody") == "not_found"


def test_colours_are_those_that_events_take(env: Environment) -> None:
    colors = call(env, "list-colors")
    made = meeting(env, colorId=colors[-1]["colorId"])
    assert made["colorId"] == colors[-1]["colorId"]
