"""The message search and its query language."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Annotated, Literal

from compoworld_core import Context, Forms, ToolError
from compoworld_core.resources import Page, check, folded, numbered
from compoworld_services_communication_support.slack.access import me
from compoworld_services_communication_support.slack.state import (
    Message,
    SlackState,
    service,
)

Test = Callable[[Message], bool]
Query = Annotated[str, Forms(text="{}", user="from:<@{}>", channel="in:<#{}>")]

_TOKEN = re.compile(r'(-?)((?:\w+:)?"[^"]*"|\S+)')
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@service.tool(read_only=True)
def slack_search_messages(
    state: SlackState,
    ctx: Context,
    query: Query,
    count: int = 20,
    page: int = 1,
    sort: Literal["score", "timestamp"] = "score",
    sort_dir: Literal["asc", "desc"] = "desc",
) -> Page[Message]:
    """Search messages in the channels that this account can see.

    Words must all occur; "quoted words" must occur together; a leading minus excludes.
    Operators: from:@handle, from:me, in:#channel, has:reaction, has:pin, is:thread,
    before:, after: and on: with a date such as 2026-03-01.

    Args:
        query: words and operators.
        count: how many results a page has, at most 50.
        page: number of the page, from 1.
        sort: by how often the words occur, or by time.
        sort_dir: direction of the order.
    """
    tests, words = _parse(state, ctx, query)
    found = [m for m in _candidates(state, tests) if all(test(m) for test in tests.values())]
    hidden = {c.id for c in state.channels if c.is_private and not c.is_member}
    found = [m for m in found if m.channel not in hidden]

    def score(message: Message) -> tuple[int, object, str]:
        text = folded(message, ("text",))
        hits = sum(text.count(word) for word in words) if sort == "score" else 0
        return hits, message.posted_at, message.id

    found.sort(key=score, reverse=sort_dir == "desc")
    return numbered(found, page, min(count, 50))


def _parse(state: SlackState, ctx: Context, query: str) -> tuple[dict[str, Test], list[str]]:
    """Tests of a query, and its words; equality filters are under "user=…" and "channel=…"."""
    check(bool(query.strip()), "invalid_argument", "the query is empty")
    tests: dict[str, Test] = {}
    words: list[str] = []
    for minus, token in _TOKEN.findall(query):
        name, colon, value = token.partition(":")
        value = value.strip('"')
        operator = name.casefold()
        test, key = None, token
        if colon and value and operator in ("from", "in"):
            key, test = _place(state, ctx, operator, value)
        elif colon and value and operator in ("before", "after", "on"):
            test = _time(operator, value)
        elif colon and operator in ("has", "is"):
            test = _mark(operator, value.casefold().strip(":"))
        if test is None:
            word = token.strip('"').casefold()
            test = _contains(word)
            if not minus:
                words.append(word)
        tests[f"-{key}" if minus else key] = _negated(test) if minus else test
    return tests, words


def _candidates(state: SlackState, tests: dict[str, Test]) -> list[Message]:
    """The rows to test: by the index where the query names a person or channel."""
    for key in tests:
        field, equals, value = key.partition("=")
        if equals and field in ("user", "channel"):
            return state.messages.where(**{field: value})
    return list(state.messages)


def _place(state: SlackState, ctx: Context, operator: str, value: str) -> tuple[str, Test]:
    """The test for `from:` or `in:`, which take an id in <@…> or <#…>, or a name."""
    plain = value.strip("<>@#").partition("|")[0]
    if operator == "from":
        if plain == "me":
            plain = me(state, ctx).id
        user = state.users.get(plain) or state.users.first(name=plain)
        wanted = user.id if user else ""
        return f"user={wanted}", lambda m: m.user == wanted
    channel = state.channels.get(plain) or state.channels.first(name=plain)
    where = channel.id if channel else ""
    return f"channel={where}", lambda m: m.channel == where


def _time(operator: str, value: str) -> Test:
    found = _DAY.match(value)
    try:
        day = date.fromisoformat(found[0] if found else value)
    except ValueError as error:
        raise ToolError(
            "invalid_argument", f"{operator}:{value[:40]} needs a date such as 2026-03-01"
        ) from error
    if operator == "before":
        return lambda m: m.posted_at.date() < day
    if operator == "after":
        return lambda m: m.posted_at.date() > day
    return lambda m: m.posted_at.date() == day


def _mark(operator: str, value: str) -> Test | None:
    if operator == "is":
        return (lambda m: m.thread_ts is not None) if value == "thread" else None
    if value == "pin":
        return lambda m: m.is_pinned
    if value == "reaction":
        return lambda m: bool(m.reactions)
    return lambda m: any(reaction.name == value for reaction in m.reactions)


def _contains(word: str) -> Test:
    return lambda m: word in folded(m, ("text",))


def _negated(test: Test) -> Test:
    return lambda m: not test(m)
