"""Words that the rules read in names: data, not decisions.

The second reading (:mod:`compoworld_synth.second`) has a lexicon of its own and takes nothing
from here.
"""

from __future__ import annotations

from typing import Any, Final


def word_set(text: str) -> frozenset[str]:
    """The words of a text: long lists of words are read best as text."""
    return frozenset(text.split())


def by_word(groups: dict[str, str]) -> dict[str, str]:
    """Word → group, of the words of each group as text."""
    return {word: group for group, text in groups.items() for word in text.split()}


VERBS: Final = by_word(
    {
        "get": "get fetch retrieve read show describe view load lookup",
        "list": "list index enumerate ls browse",
        "search": "search find filter lookup",
        "create": "create add new insert make register draft open schedule invite reserve"
        " place",
        "update": "update edit modify patch change put set rename amend configure replace",
        "delete": "delete remove destroy del erase trash purge discard",
        "upload": "upload attach",
        "send": "send reply post publish",
        "upsert": "upsert",
        "move": "move transfer reassign reparent",
        "assign": "assign link connect associate attach enroll",
        "unassign": "unassign unlink disconnect dissociate detach untag unenroll",
        "count": "count",
        "copy": "copy duplicate clone",
    }
)
"""First words of names by what they ask for."""

COMPUTING: Final = word_set(
    "analyze analyse compare convert estimate calculate compute generate validate verify check"
    " test run execute trigger start stop restart reboot sync import export render preview"
    " simulate diagnose inspect evaluate ask suggest recommend predict translate summarize"
    " summarise transcribe extract transform format merge split scan crawl scrape"
    " navigate click"
    " press type hover take capture wait play pause seek skip call query aggregate diff search"
    " rollback promote deploy build install upgrade rotate refresh retry resend power"
    " reset resize"
    " rebuild undo redo ping download transition evaluate process apply submit perform manage"
    " match resolve detect request wake explain authenticate login logout sign parse"
    " report print reorder sort group batch bulk track"
)
"""Verbs whose effect no table of records shows."""

TRANSITIONS: Final[dict[str, tuple[tuple[str, Any], ...]]] = {
    "archive": (("archived", True),),
    "unarchive": (("archived", False),),
    "enable": (("enabled", True),),
    "disable": (("enabled", False),),
    "activate": (("active", True),),
    "deactivate": (("active", False),),
    "close": (("status", "closed"),),
    "reopen": (("status", "open"),),
    "cancel": (("status", "canceled"),),
    "complete": (("status", "completed"),),
    "uncomplete": (("status", "open"),),
    "approve": (("status", "approved"),),
    "reject": (("status", "rejected"),),
    "pause": (("status", "paused"),),
    "resume": (("status", "active"),),
    "unpause": (("status", "active"),),
    "suspend": (("status", "suspended"),),
    "unsuspend": (("status", "active"),),
    "publish": (("status", "published"),),
    "unpublish": (("status", "unpublished"),),
    "lock": (("locked", True),),
    "unlock": (("locked", False),),
    "pin": (("pinned", True),),
    "unpin": (("pinned", False),),
    "star": (("starred", True),),
    "unstar": (("starred", False),),
    "mute": (("muted", True),),
    "unmute": (("muted", False),),
    "hide": (("hidden", True),),
    "unhide": (("hidden", False),),
    "void": (("status", "void"),),
    "finalize": (("status", "finalized"),),
    "expire": (("status", "expired"),),
    "accept": (("status", "accepted"),),
    "decline": (("status", "declined"),),
    "acknowledge": (("status", "acknowledged"),),
    "resolve": (("status", "resolved"),),
    "unresolve": (("status", "open"),),
    "snooze": (("status", "snoozed"),),
    "revoke": (("status", "revoked"),),
    "restore": (("deleted", False),),
    "mark_as_read": (("read", True),),
    "mark_as_unread": (("read", False),),
    "mark_as_done": (("status", "done"),),
    "mark_as_complete": (("status", "completed"),),
    "mark_as_completed": (("status", "completed"),),
    "trash": (("trashed", True),),
    "untrash": (("trashed", False),),
    "favorite": (("favorite", True),),
    "unfavorite": (("favorite", False),),
}
"""Verbs of state machines and what they write."""

NOT_FIRST: Final = word_set(
    "post link tag test report query call share mark start read write schedule draft register"
    " open new index put view show check change set publish load copy draft make count pin star"
    " filter attach connect play lock process request order sort format build group"
)
"""Verbs that are nouns as often: behind the first word they are never verbs."""

QUALIFIERS: Final = word_set(
    "my all current own upcoming available active recent latest public open pending existing"
    " single one multiple the a an new assigned archived deleted inactive default top unread"
    " draft scheduled full trending popular featured next past authenticated"
)

SELF: Final = word_set("viewer me myself self whoami")
"""Nouns that name the user who asks."""

IMPLIED: Final = word_set(
    "my own upcoming available active recent latest public open pending assigned archived"
    " deleted inactive default top unread draft scheduled current trending popular featured"
    " next past"
)
"""Qualifiers that filter: a list that carries one is not the whole table."""

TRAILING: Final = word_set("details detail info information record records data object")
"""Words behind a noun that name nothing of their own."""

DERIVED: Final = word_set("similar related suggested recommended nearby compared duplicate")
"""Words in a noun that say that it is chosen by working something out."""

PREPOSITIONS: Final = word_set(
    "by for from to in of on with within into at under and or without via as per"
)

REPORT: Final = word_set(
    "stats stat statistics statistic summary summaries usage timeline health quote quotes price"
    " prices metrics metric analytics report reports history overview insights insight trend"
    " trends score scores forecast weather diff log logs balance availability count"
    " counts total"
    " totals breakdown performance ranking rankings distribution suggestion suggestions"
    " recommendation recommendations preview source sources schema changes diagnostics"
    " trace traces"
    " screenshot snapshot estimate capabilities status state progress conversion duplicates"
    " similar bars latest candles quality matrix image images thumbnail content contents text"
    " url urls link code download tree context guide help version versions info instructions"
    " graph map path lyrics stream password token ancestors anything instant"
    " next random result results nearby neighbors neighbours timeseries series"
    " lifecycle rate rates"
    " audit freebusy calendar_view dump file backup activity activities feed errors"
    " error date dates"
)
"""Last words of nouns that a get computes or derives, unless something creates or"
" lists them."""

KEPT_IN_LISTS: Final = word_set(
    "file backup version image link source sources schema activity activities quality status"
    " error errors guide code media images recording series details info information feed"
)
"""Words of REPORT that a list may well keep."""

CONTROL: Final = word_set(
    "dry_run dryrun async wait timeout timeout_ms retry verbose debug pretty"
    " force_refresh fresh"
    " no_cache use_cache idempotency_key user_agent api_key access_token auth profile"
    " if_match if_none_match request_sync_token sync_token start_page_token"
    " notify notify_users send_notification"
    " send_notifications"
    " suppress_notification suppress_notifications send_updates send_email silent"
    " suppress_activity request_id max_retries retries retry_count api_version auth_method"
    " enforce_purge tenant retry_delay retry_max_delay retry_max_retries retry_mode"
    " retry_network_timeout x_request_id validate_only response_format output_format verbosity"
    " justification reason_for_change user_id_type department_id_type output_file"
    " format max_body_chars max_chars max_length truncate detail_level response_mode"
    " use_session"
    " base_url detailed compact raw quiet"
    " ignore_missing concise"
)

PROJECTION: Final = word_set(
    "fields field expand include includes select opt_fields opt_pretty _fields projection"
    " expansions properties with_details embed columns return_fields sub_fields field_mask"
    " fields_set enable_images enable_user_data enable_image_types image_type_limit"
    " enable_total_record_count depth exclude include_fields exclude_fields"
    " read_mask person_fields group_fields hl text_format part"
    " additional_fields extra_fields custom_field_ids response_fields attributes_to_get"
)

LIMITS: Final = word_set(
    "pagelen limit page_size per_page pagesize perpage count first max_results maxresults top"
    " size"
    " max_items num_results results_per_page num take page_limit max_records batch_size"
    " results_wanted max_count rows last max_keys number_of_results n_results maximum"
    " limit_count"
    " items_per_page max page_count fetch_limit"
)

CURSORS: Final = word_set(
    "cursor after page_token next_token nexttoken pagetoken starting_after next_page_token"
    " next_cursor start_cursor starting_token continuation_token marker page_cursor before"
    " ending_before next_page continuation bookmark scroll_id last_id exclusive_start_key"
    " pagination_token lastid startcursor nextcursor"
)

OFFSETS: Final = word_set("offset skip start start_index start_at from_index")

PAGES: Final = word_set("page page_number page_num pagenumber page_no current_page")

SORTS: Final = word_set(
    "sort sort_by order_by orderby sortby sort_field sorting ordering sort_key sortings sorts"
    " sort_column"
)

ORDERS: Final = word_set(
    "order direction sort_order sort_direction order_direction descending ascending desc asc"
    " reverse order_type sort_dir"
)

QUERIES: Final = word_set(
    "query q search search_term search_query term keyword keywords text search_text"
    " search_string name_filter contains query_string searchterm search_terms searchquery"
    " name_contains phrase search_pattern search_phrase name_pattern name_filter"
)

EXPRESSIONS: Final = word_set(
    "filter filters where predicate expression condition conditions filter_expression filter_by"
    " search_filter"
)
"""Filters in a language of their own."""

MASKS: Final = word_set("update_fields update_mask field_mask fields mask fields_to_update")
"""Parameters of updates that name the fields to be written."""

TOKENS: Final = word_set("client_token client_request_token idempotency_key creation_token")
"""Parameters of creates by which a second call is told from a repeated one."""

CONFIRM: Final = word_set("confirm confirmed confirmation confirmation_token")

TECHNICAL: Final = word_set(
    "filter filters days operation mode depth radius level scope strategy lookback"
    " window interval period"
    " granularity hours minutes timezone tz locale language lang country_code recursive"
    " similarity threshold dimensions metrics group_by aggregation format precision latitude"
    " longitude lat lng lon distance zoom bbox resolution adjustment feed seed"
    " temperature width"
    " height within duration range nearby origin destination compare unit units"
)
"""Parameters of a read that no stored field answers."""

ABBREVIATIONS: Final[dict[str, str]] = {
    "org": "organization",
    "orgs": "organization",
    "repo": "repository",
    "repos": "repository",
    "db": "database",
    "env": "environment",
    "doc": "document",
    "docs": "document",
    "dept": "department",
    "attr": "attribute",
    "config": "configuration",
    "pr": "pull_request",
    "msg": "message",
    "acct": "account",
    "app": "application",
    "apps": "application",
    "folders": "folder",
    "sub": "subscription",
    "pkg": "package",
    "lb": "load_balancer",
}
"""Short forms: two words mean the same where one abbreviates the other."""

KEYS: Final = word_set("id gid sid key uuid uid number ids guid identifier iid slug arn")
"""Words that end the name of a parameter which takes a key."""

RESERVED_CLASSES: Final = word_set(
    "State Table Entity Any ToolError Service Context Ref Page Annotated Literal Json Number"
    " Email Phone Company Money Currency Date DateTime Url Text Title Quantity Percent"
    " Status Tag"
    " Country Code Resource Forms Meaning Field Model None True False Type Cast Person Product"
    " List Dict Set Tuple Str Int Float Bool Object Exception BaseModel PersonName Cents"
    " FileName StrSet Frozen Key"
)

RESERVED_FUNCTIONS: Final = word_set("service state seed ctx kit models schemas")
"""Names that an emitted module needs itself."""
