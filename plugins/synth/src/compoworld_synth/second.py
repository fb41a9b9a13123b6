"""The second reading: what the description alone says a tool does.

Shares neither rule nor word list with the reading of names, so that the two can disagree.
It abstains where there is nothing to read or the language is not English.
"""

from __future__ import annotations

import re
from typing import Final

from attrs import frozen

_SAYS: Final[dict[str, str]] = {
    word: act
    for act, text in {
        "one_or_many": "get gets retrieve retrieves fetch fetches show shows view read"
        " reads return"
        " returns load loads look display displays access obtain obtains provides see describe"
        " describes",
        "count": "count counts",
        "copy": "copy copies clone clones duplicate duplicates",
        "many": "list lists browse enumerate enumerates search searches find finds"
        " filter filters"
        " lookup query queries discover",
        "make": "create creates add adds insert inserts upload uploads post posts send"
        " sends save"
        " reply write writes register registers invite invites make makes log schedule submit"
        " submits open define new reserve",
        "change": "update updates modify modifies edit edits change changes set sets"
        " rename renames"
        " replace replaces move moves assign assigns archive archives unarchive enable enables"
        " disable disables close closes reopen reopens cancel cancels complete"
        " completes mark marks"
        " approve approves reject rejects pause pauses resume resumes suspend publish publishes"
        " unpublish lock locks unlock pin pins unpin star unstar mute unmute hide"
        " restore restores"
        " activate deactivate revoke accept decline acknowledge resolve resolves snooze"
        " finalize"
        " finalizes void expire expires unpause put adjust overwrite overwrites"
        " configure favorite"
        " unhide unresolve unsnooze partially",
        "drop": "delete deletes remove removes destroy destroys permanently revoke"
        " trash discard"
        " soft erase",
        "work": "trigger triggers compare compares estimate estimates convert converts analyze"
        " analyzes calculate calculates compute computes generate generates validate validates"
        " verify verifies check checks run runs execute executes test tests start starts stop"
        " stops restart reboot sync import imports export exports render renders"
        " preview previews"
        " simulate diagnose inspect evaluate ask suggest recommend predict translate summarize"
        " extract transform merge merges split scan navigate click press capture wait aggregate"
        " aggregates rollback deploy build install upgrade rotate refresh retry resend perform"
        " performs apply applies download downloads request"
        " requests connect subscribe unsubscribe convert format reset resets resize initiate"
        " initiates determine determines identify identifies track measure explain",
    }.items()
    for word in text.split()
}
_FITS: Final[dict[str, frozenset[str]]] = {
    "get": frozenset({"one_or_many", "many"}),
    "get_or_list": frozenset({"one_or_many", "many"}),
    "part_get": frozenset({"one_or_many", "many"}),
    "get_by": frozenset({"one_or_many", "many"}),
    "copy": frozenset({"make", "copy"}),
    "batch_get": frozenset({"one_or_many", "many"}),
    "link_list": frozenset({"one_or_many", "many"}),
    "count": frozenset({"one_or_many", "many", "count"}),
    "permissions": frozenset({"one_or_many", "many", "work"}),
    "upload": frozenset({"make"}),
    "batch_create": frozenset({"make"}),
    "upsert": frozenset({"make", "change"}),
    "batch_update": frozenset({"change", "drop"}),
    "part_update": frozenset({"change"}),
    "current_update": frozenset({"change"}),
    "batch_delete": frozenset({"drop"}),
    "link_add": frozenset({"make", "change"}),
    "link_remove": frozenset({"drop", "change"}),
    "current_get": frozenset({"one_or_many", "many"}),
    "list": frozenset({"one_or_many", "many"}),
    "search": frozenset({"one_or_many", "many"}),
    "create": frozenset({"make"}),
    "update": frozenset({"change"}),
    "transition": frozenset({"change", "drop"}),
    "delete": frozenset({"drop"}),
}
_WRITES: Final = frozenset({
    "create", "update", "transition", "upsert", "upload", "part_update", "current_update",
    "batch_create", "batch_update", "link_add", "link_remove", "copy",
})  # fmt: skip
_READS: Final = frozenset({"one_or_many", "many"})
_SKIP: Final = re.compile(
    r"^(\[[^\]]*\]|\*\*[^*]*\*\*:?|this (tool|endpoint|operation|api)( will| can| is used to)?|"
    r"(use|used|allows?|lets) (this|you|to)?( tool)?( to)?|purpose:|[a-z0-9 ]{1,20}: |\W+)\s*"
    r"(this is the public [a-z ]+api\.)?",
    re.IGNORECASE,
)


@frozen
class Opinion:
    """What the description says: an act, and whether it contradicts the kind."""

    act: str
    """Empty: it abstains."""
    agrees: bool
    contradicts: bool
    """Another act altogether: reading instead of writing, working something out."""
    why: str


_TREE: Final = re.compile(r"\[[^\]]{1,40}\]-\w")


def _gist(description: str) -> str:
    text = re.sub(r"\s+", " ", description).strip()
    text = re.sub(r"^.{0,40}?This is the public [\w -]+ API\. ?", "", text)
    if _TREE.match(text):  # `[Product]-Tasks-Task-Create a task`: a path, then the deed
        text = re.split(r"-(?=(?:This|Use|Call) )", text)[0].rsplit("-", 1)[-1]
    for _ in range(3):
        shorter = _SKIP.sub("", text, count=1)
        if shorter == text:
            break
        text = shorter
    return re.split(r"(?<=[a-z0-9)])[.!\n] |\. ?$", text, maxsplit=1)[0][:220]


def _of_method(method: str, kind: str) -> Opinion:
    """A description that only gives an HTTP method: it can contradict, never agree."""
    acts = {"GET": _READS, "DELETE": {"drop"}}.get(method, {"make", "change"})
    fits = bool(_FITS.get(kind, frozenset()) & acts)
    return Opinion(min(acts), False, not fits, f"the description only says {method}")


def opinion(description: str, kind: str, noun: tuple[str, ...], verb: str = "") -> Opinion:
    """Whether the first sentence says the same as the kind, about the same thing.

    Args:
        verb: of a state machine: `cancel` is what "Starts the cancellation of a job" says too.
    """
    if not description.strip() or sum(ord(c) > 127 for c in description) > 0.03 * len(
        description
    ):
        return Opinion("", False, False, "no English description")
    gist = _gist(description)
    if re.match(r"Execute the .{3,30} `\w+` operation", gist):
        return Opinion("", False, False, "the description only repeats the name")
    request = re.match(r"Make an? (GET|POST|PUT|PATCH|DELETE) request to", gist)
    if request:
        return _of_method(request[1], kind)
    found = re.findall(r"[A-Za-z]+", gist.lower())
    act = next((_SAYS[word] for word in found[:3] if word in _SAYS), "")
    if not act:
        return Opinion("", False, False, "the description starts with no known verb")
    fits = _FITS.get(kind, frozenset())
    stem = (
        noun[-1].rstrip("s")[:-1].rstrip("i")
        if noun and len(noun[-1]) > 4
        else "".join(noun[-1:])
    )
    spoken = re.sub(r"[^a-z]", "", gist.lower())
    same = stem in spoken
    if act in fits and same:
        return Opinion(act, True, False, "the description says the same")
    if act in fits:
        return Opinion(act, False, False, f"the description does not speak of a {noun[-1]}")
    if kind == "transition" and len(verb) > 4 and verb[:5] in spoken and same:
        return Opinion("change", True, False, "the description says the same")
    mild = act in ("make", "change", "drop") and kind in _WRITES
    contradicts = not mild or (act == "work")
    return Opinion(act, False, contradicts, f"the description begins otherwise: {gist[:60]!r}")
