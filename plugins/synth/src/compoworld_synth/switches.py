"""Switches: parameters that say how a call answers, not which record it is about.

Those that the state can obey get a role of their own; those that change nothing that anybody
here could see are silent. All others are left as projections, which no operation is believed
with: an ignored switch would teach a falsehood.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from compoworld_synth import defaults
from compoworld_synth.design import ParamDesign
from compoworld_synth.kinds.plan import LISTING, READING, WRITING
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import snake

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

SHOWN: Final = frozenset({
    "get", "get_by", "list", "search", "get_or_list", "create", "update", "upsert", "upload",
    "transition", "copy", "current_get", "part_get", "part_update",
})  # fmt: skip
"""Kinds whose templates can show a part of a record."""
_SILENT: Final = word_set(
    "async wait timeout timeout_ms retry debug pretty opt_pretty force_refresh fresh refresh"
    " no_cache use_cache idempotency_key user_agent api_key access_token auth profile"
    " if_match if_none_match notify notify_users send_notification send_notifications"
    " suppress_notification suppress_notifications send_updates send_email silent"
    " suppress_activity request_id max_retries retries retry_count api_version auth_method"
    " tenant retry_delay retry_max_delay retry_max_retries retry_mode retry_network_timeout"
    " x_request_id justification reason_for_change use_session base_url quiet use_uat"
    " include_count include_total_count include_total show_total_count with_count reason"
    " update_history need_notification access_key enable_total_record_count"
    " audit_log_reason"
)
"""Transport, account, notices to people outside, totals that every page has."""
KEPT: Final = word_set("timeout retry auth profile api_version reason silent wait refresh")
"""Silent names that a write may well mean as a value of the record."""
_OF_THE_CALL: Final = re.compile(
    r"\bthis (request|call|operation)\b|\bwait\b|\brequest timeout\b|\bprofile to use\b"
    r"|\baudit\b|\bcache",
    re.IGNORECASE,
)
_SELECT: Final = word_set(
    "fields opt_fields _fields select return_fields response_fields include_fields sub_fields"
    " fields_set field_mask attributes_to_get properties projection"
)
_ANSWERED: Final = word_set("opt_fields return_fields response_fields _fields select")
"""Those of a write, of which others are values or masks."""
_SLIM: Final = word_set(
    "full verbose detailed details return_details show_details full_details with_details"
    " include_details show_all_fields all_fields"
)
_STATES: Final = (
    "archived", "deleted", "completed", "disabled", "inactive", "hidden", "trashed",
    "deactivated", "suspended", "closed", "cancelled", "canceled", "concluded", "resolved",
    "soft_deleted", "expired", "pending", "dismissed",
)  # fmt: skip
_STATE: Final = re.compile(
    rf"(include|with|show|exclude|hide|skip)_(all_)?(?P<state>{'|'.join(_STATES)})(_\w+)?"
)
_PART: Final = re.compile(r"(include|with|show|return|need|fetch|expand)_(the_)?(?P<part>\w+)")
_OPTIONS: Final = re.compile(r"\boptions?: ?(\w+)\(", re.IGNORECASE)
_JSON: Final = frozenset({"json", "object", "raw_json"})
_FORMS: Final = word_set("format response_format output_format out output text_format")
_ID_TYPES: Final = re.compile(
    r"(user|department|member|employee_type|job_\w+|open|people)_id_type"
)
"""Which of its ids stands for a person; not `receive_id_type`, which says what is meant."""


def silent(param: Param, kind: str) -> bool:
    """Whether nothing that anybody here could see depends on it."""
    name = snake(param.name)
    if name.startswith("retry_") or name.endswith("_base_url"):
        return True
    if name not in _SILENT:
        return False
    means = kind in WRITING and name in KEPT and not _OF_THE_CALL.search(param.description)
    return not means or param.kind == "bool"


_TRIAL: Final = re.compile(
    r"\b(validate|preview|simulate|test|check)\b[^.]{0,60}\b(without|before|instead of)\b"
    r"[^.]{0,20}\b(creat|sav|post|execut|apply|updat|chang|writ|delet|send)\w*"
    r"|\bdry.?run\b",
    re.IGNORECASE,
)


def trial(param: Param, kind: str) -> bool:
    """Whether a write with it set only says what it would do."""
    name = snake(param.name)
    if kind in READING or param.kind != "bool" or "confirm" in name:
        return False
    return name in ("dry_run", "dryrun", "validate_only") or bool(
        _TRIAL.search(param.description)
    )


def role(param: Param, kind: str) -> ParamDesign | None:
    """The role of a switch that the state can obey; None where it is none or it cannot."""
    name = snake(param.name)
    if _ID_TYPES.fullmatch(name) or name in _FORMS:
        return _fixed(param, name)
    if kind in LISTING - {"count"} and _unpaged(param, name):
        return ParamDesign(param, "unpaged", why="whether all pages are shown at once")
    flag = param.kind == "bool"
    if flag and kind == "copy" and _COPIED.match(name):
        return ParamDesign(param, "projection", why="what is copied with it")
    selects = flag and kind in LISTING - {"count", "link_list"}
    state = _STATE.fullmatch(name) if selects else None
    if state is not None and not (kind == "get_or_list" and param.required):
        field = state["state"].removeprefix("soft_")
        sign = "ne" if name.startswith(("exclude", "hide", "skip")) else "eq"
        return ParamDesign(param, "hidden", field, None, "ne" if sign == "ne" else "eq")
    if kind not in SHOWN or param.required:
        return None
    chosen = name in (_ANSWERED if kind in WRITING else _SELECT)
    if chosen and _names_fields(param, name):
        return ParamDesign(param, "select", why="the fields to be shown")
    if flag and name in _SLIM and kind in READING:
        return ParamDesign(param, "slim", why="whether all fields are shown")
    part = _PART.fullmatch(name) if flag and kind in READING else None
    if part is not None and not _more(part["part"]):
        return ParamDesign(param, "part", part["part"], why="shown where it is asked for")
    return None


_COPIED: Final = re.compile(r"(include|with|copy|clone|keep|share|without|exclude|skip)_")
_ALL_PAGES: Final = re.compile(
    r"\b(every|all|next|following|remaining)\b[^.]{0,40}\b(pages?|links?|items|results)\b"
    r"|\bauto-?(matic\w*)?[- ]?(fetch|paginat|follow)\w*",
    re.IGNORECASE,
)
_UNPAGED: Final = word_set(
    "paginate all fetch_all all_pages auto_paginate get_all autopaginate follow_pages"
)


def _unpaged(param: Param, name: str) -> bool:
    """`paginate`, "'all' fetches every page": a flag, or a text that may be `all`."""
    if name not in _UNPAGED or not _ALL_PAGES.search(param.description):
        return False
    said = "all" in param.enum or re.search(r"['\"`]all['\"`]", param.description) is not None
    return param.kind == "bool" or (param.kind == "str" and said)


def _fixed(param: Param, name: str) -> ParamDesign | None:
    """A form of the answer of which only the usual one is given: others are refused."""
    usual = defaults.of(param)
    if usual is None and _ID_TYPES.fullmatch(name):
        listed = _OPTIONS.search(param.description)
        usual = str(param.enum[0]) if param.enum else listed[1] if listed else None
    if usual is None and param.enum:
        usual = next((each for each in param.enum if str(each).lower() in _JSON), None)
        return None if usual is None else ParamDesign(param, "fixed", str(usual))
    if usual is None or (name in _FORMS and str(usual).lower() not in _JSON):
        return None
    return ParamDesign(param, "fixed", str(usual), why="only the usual form is given")


def _names_fields(param: Param, name: str) -> bool:
    """Whether it is a list of names of fields, as a list or as a text with commas."""
    inner = param.items
    listed = param.kind == "arr" and (inner is None or inner.kind in ("str", "any"))
    if param.kind != "str" and not listed:
        return False
    if name in ("properties", "projection", "include_fields", "fields"):
        said = re.search(
            r"\b(return|includ|select|show|respon|output|projection|retriev|result|afficher)",
            param.description,
            re.IGNORECASE,
        )
        return said is not None
    return True


def _more(part: str) -> bool:
    """Whether a switch adds records or values that are worked out, not a part of each."""
    return bool({*part.split("_")} & _WORKED_OUT) or part.startswith("all")


_WORKED_OUT: Final = word_set(
    "children descendants sub nested facets counts count stats statistics history system"
    " defaults announcements parents agents all default managed private public names"
    " anchor styles geometry permissions sprints related path git ids total score rank"
)
TEXTS: Final = word_set(
    "body content text html description transcript notes note comment summary message markdown"
    " instructions abstract bio signature source code"
)
"""Parts that are a text of the record's own, also where no other tool speaks of them."""
