"""Described: what a description says that a record holds, as the names of fields.

`Lists the plans with price, features and availability`: a plan has a price, features and an
availability. Only enumerations behind words that introduce contents are read, and of these
only what is one to three plain words; the rest is left to whoever reads the text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from compoworld_synth import structures
from compoworld_synth.design import FieldDesign, FieldType
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import is_plural, singular, snake, spelling, words
from compoworld_synth.schemas import Param
from compoworld_synth.semantics import semantic_of

_LEAD: Final = re.compile(
    r"(?P<strong>\bincluding\b|\bincludes?\b|\bcontain(?:s|ing)\b|\breturns?:"
    r"|\b(?:with|and) (?:their|its|his)\b|\b(?:details?|fields|properties|attributes|metadata"
    r"|information|info) (?:like|such as)\b|\bresults? includes?:?|\bobjects? with\b)"
    r"|(?P<weak>\breturns?\b|\bwith\b|\bshow(?:s|ing)?\b|\bprovid(?:es|ing)\b|\bsuch as\b"
    r"|\bhas\b|\bhave\b|\bdetails?:|\binformation:|\binfo:)",
    re.IGNORECASE,
)
_SKIPPED: Final = re.compile(
    r"^\W*(use|used|call|when|if|note|do not|don't|never|requires?|required|examples?|tip|only"
    r"|for|see|before|after|optional|args|arguments|parameters|params|errors?|raises|you|to)\b",
    re.IGNORECASE,
)
_END: Final = re.compile(
    r"\b(for|of|on|in|at|from|by|to|that|which|who|when|where|so|if|as|per|within|across|using"
    r"|used|between|about|during|with|without|via|against|under|after|before|since|until|while"
    r"|is|are|was|were|can|will|may|must|not|only|than|like|such|this|these|those|then|but"
    r"|available|associated|assigned|attached|belonging|grouped|sorted|ordered|filtered"
    r"|matching|based|e\.g|i\.e|etc)\b",
    re.IGNORECASE,
)
_FRONT: Final = word_set(
    "the a an its their his her all any each every both also full detailed complete basic"
    " current various several multiple optional key core main related specific plus and or"
    " more other additional important relevant human readable unique computed configured own"
    " default raw total comprehensive extensive"
)
_NONE: Final = word_set(
    "list lists array object objects result results data detail details information info json"
    " string text response success error errors filter filters filtering pagination page pages"
    " paging limit offset cursor sorting search query option options support tool tools api"
    " str dict everything anything more one two three none null true false id ids you your"
    " them it"
    " markdown html csv xml access permission request requests call calls example examples"
    " total count records record items item entries entry set sets field fields metadata"
    " properties property attribute attributes parameter parameters value values way ways"
    " output outputs input inputs user-friendly summary default defaults others etc"
)
_VERBAL: Final = word_set(
    "get list create update delete use return show set add remove find search check call make"
    " see provide allow enable help apply manage view read write retrieve fetch let want need"
    " know no yes must should would could whether which"
)
_ENTRY: Final = re.compile(
    r"[`'\"](\w{3,24})[`'\"] (?:field |value )?of (?:an?|the|each|every) (?:\w+ )?"
    r"(?:entry|item|row|result|record|object)\b",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(
    r"\b(do(es)? not|don't|doesn't|never|not|without|excludes?|omits?) (be )?"
    r"(return|includ|show|contain|necessarily|available)\w*|\bnot (yet|necessarily)\b"
    r"|\b(is|are) not (embedded|included|returned|shown|listed)\b",
    re.IGNORECASE,
)
"""Sentences about what is not shown."""
_APART: Final = re.compile(r"\(([a-z][a-z ]{2,20}(?:, [a-z][a-z ]{2,20}){2,7})\)")
"""An enumeration in parentheses; with capitals these would be values rather than fields."""
_OF_STATES: Final = re.compile(r"\b(status|state|type|kind|role|by|e\.g)(es|s)? ?\([^)]*\)")
_MOST: Final = 14
_READ: Final = 1_500
"""Characters of a description that are read."""


@lru_cache(maxsize=20_000)
def contents(text: str, noun: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Names of the fields that a description says a record has: its own, or in snake_case.

    Args:
        text: the description.
        noun: the record's noun, which is none of its own fields.

    >>> contents("List all currencies with codes and symbols.")
    ('codes', 'symbols')
    >>> contents("Gets a step, including its name, state (e.g. done) and duration.")
    ('name', 'state', 'duration')
    >>> contents("Returns a list of projects.")
    ()
    """
    found: dict[str, None] = {}
    for match in _ENTRY.finditer(text[:_READ]):
        found[match[1]] = None
    for sentence in _sentences(text):
        if _NEGATED.search(sentence):
            continue
        for lead in _LEAD.finditer(sentence):
            found |= dict.fromkeys(_listed(sentence[lead.end() :], noun, bool(lead["strong"])))
        for inner in _APART.findall(_OF_STATES.sub("", sentence)):
            names = [_name(part, noun)[0] for part in inner.split(",")]
            if all(name and is_plural(words(name)[-1]) for name in names):
                continue  # kinds of such records
            found |= dict.fromkeys(names if all(names) else ())
    return tuple(found)[:_MOST]


def answer(text: str) -> str:
    """What the description of a change says of its answer: from `Returns` on."""
    found = re.search(r"\breturns?\b.*", text, re.IGNORECASE | re.DOTALL)
    return found[0] if found else ""


def _sentences(text: str) -> list[str]:
    plain = re.split(r"\b(?:Args|Parameters|Arguments|Examples?|Usage):", text[:_READ])[0]
    behind = re.search(r"\bReturns:(.{0,600})", text[: 4 * _READ], re.DOTALL)
    if behind is not None and behind[0] not in plain:
        plain += f"\n{behind[0]}"
    plain = re.sub(r"\b(e\.g|i\.e|etc|vs)\.", r"\1", plain)
    plain = re.sub(r"[`*_\"]{1,3}([\w. -]+?)[`*\"]{1,3}", r"\1", plain)
    plain = re.sub(r"(?m)^\s*[-•*]?\s*[\"'\u201c].*\?.*$", "", plain)  # what people ask
    parts = re.split(r"(?<=[\w)\]])[.!?](?:\s|$)|\n\s*\n|\n\s*[-•*]\s|;", plain)
    return [" ".join(part.split()) for part in parts if part and not _SKIPPED.match(part)]


def _listed(text: str, noun: tuple[str, ...], strong: bool) -> list[str]:
    """The fields of an enumeration; of a weak lead only where it has two and is mostly such."""
    text = re.sub(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}", " ", text[:400])
    head, colon, rest = text.lstrip(" :-").partition(":")
    if colon and "," in rest.split(".")[0] and not re.search(r"[,/]|\b(and|or)\b", head):
        text = rest  # `Paginated metadata: from, to, subject`
    text = re.split(r"[:(){}\[\]=<>|]| - | – | — |\.\.\.|→", text.lstrip(" :-"))[0]
    parts = [part for part in re.split(r",|\band\b|\bor\b|&|/|\+", text) if part.strip()]
    parts = _distributed(parts)
    names: list[str] = []
    for n, part in enumerate(parts):
        name, ended = _name(part, noun)
        if name:
            names.append(name)
        if ended and n + 1 < len(parts) and not name:
            break
        if len(part.split()) > 7:
            parts = parts[: n + 1]
            break
    states = sum(name in _STATES for name in names)
    if states >= 3 or (states >= 2 and states == len(names)):
        return []  # the states that such a record may be in
    if len(names) >= _MEMBERS and not any({*words(name)} & _OF_FIELDS for name in names):
        return []  # the things themselves: vegetarian, vegan, kosher
    good = len(names) >= (1 if strong else 2) and len(names) >= 0.6 * len(parts)
    return names if good else []


_MEMBERS: Final = 7
_OF_FIELDS: Final = word_set(
    "name title status state type date dates time times id ids description url email owner"
    " count number size version price amount level created updated total value author details"
    " settings text content code key members tags address location permissions roles rate"
)
_SIDES: Final = word_set(
    "start end begin created updated modified billing shipping first last due min max minimum"
    " maximum open closed planned actual source destination creation modification update"
    " expiration delivery"
)


def _distributed(parts: list[str]) -> list[str]:
    """`start and end dates` are a start and an end date; `billing/shipping addresses` too."""
    made = list(parts)
    for n in reversed(range(len(parts) - 1)):
        part = parts[n]
        spoken, after = part.split(), made[n + 1].split()
        known = spoken and spoken[-1].lower() in _SIDES
        known = known and all(word.lower() in _FRONT for word in spoken[:-1])
        if known and len(after) >= 2 and after[0].lower() in _SIDES:
            last = singular(after[1].lower())
            made[n] = f"{part.strip()} {last}"
            made[n + 1] = " ".join((after[0], last, *after[2:]))
    return made


def _name(part: str, noun: tuple[str, ...]) -> tuple[str, bool]:
    """(the name of a field or nothing, whether the phrase goes on behind it)."""
    if part.strip().lower() in ("from", "to"):
        return part.strip().lower(), False
    front = re.match(r"\W*(attached|assigned|associated|available|based)\s+(?=\w)", part)
    ended = _END.search(part, front.end() if front is not None else 0)
    head = part[: ended.start()] if ended else part
    spoken = re.findall(r"[A-Za-z][\w'-]*", head)
    summed = spoken[:1] in (["total"], ["Total"]) and len(spoken) == 2
    while spoken and spoken[0].lower() in _FRONT and not summed:
        spoken = spoken[1:]
    while len(spoken) > 1 and spoken[-1].lower() in _BEHIND:
        spoken = spoken[:-1]
    spoken = [re.sub(r"^([A-Z]{2,})s$", r"\1", word) for word in spoken]  # `URLs`
    plain = [each for word in spoken for each in words(word)]
    if not plain or len(plain) > 3 or any("'" in word for word in spoken):
        return "", ended is not None
    if (len(plain) == 1 and plain[0] in _NONE) or plain[0] in _VERBAL:
        return "", ended is not None
    if {*plain} & _REFUSED:
        return "", ended is not None
    own = plain[-1] in ("id", "ids") and (
        len(plain) == 1 or tuple(plain[:-1]) in (noun, noun[-1:])
    )
    if own or any(len(word) > 24 for word in plain) or tuple(plain) == noun:
        return "", ended is not None
    short = len(spoken) > 1 and plain[-1] in _OWN
    if noun and short and tuple(plain[:-1]) == noun[-len(plain) + 1 :]:
        return plain[-1], ended is not None  # the template name of a template
    if len(plain) == 1 and noun and plain[0].rstrip("s") == noun[-1].rstrip("s"):
        return "", ended is not None
    named = len(spoken) == 1 and re.fullmatch(r"[a-z]\w*[_A-Z]\w*", spoken[0]) is not None
    return spoken[0] if named else snake("_".join(plain)), ended is not None


_STATES: Final = word_set(
    "queued enqueued running completed failed cancelled canceled cancelling pending active"
    " inactive open closed draft published scheduled sent paused succeeded success archived"
    " approved rejected delivered bounced clicked opened paid unpaid"
)
_OWN: Final = word_set("name names title titles type types status description email code")
_ONE_EACH: Final = word_set(
    "names titles types statuses positions prices dates urls descriptions sizes colors emails"
    " states counts levels keys codes slugs summaries statistics durations timestamps"
)
"""Plurals in the description of a list of which each record has one."""
_BEHIND: Final = word_set(
    "needed returned returns included shown info information details etc each"
)
_TIMES: Final = word_set(
    "date dates time times timestamp timestamps deadline deadlines created updated expiry"
    " expiration"
)
_WHOLE: Final = word_set(
    "count counts number numbers size sizes quantity quantities duration progress votes views"
    " likes points rank"
)
_BROKEN: Final = word_set(
    "price prices amount amounts score scores total totals percentage"
    " balance balances rate rates cost costs rating ratings"
)
_SUMS: Final = word_set("due paid refunded remaining discounted charged owed")
"""Last words of sums of money: the amount due."""
_YES: Final = word_set(
    "flag flags enabled disabled archived active boolean unsubscribed automated verified"
    " visible"
)
_REFUSED: Final = word_set(
    "filter filters tool tools parameter parameters option pagination get list set update"
    " create delete add remove search faster accurate confirmation returned containing"
)
"""Words of what is no field: options of the call, other tools."""


def fields(text: str, noun: tuple[str, ...], *, many: bool) -> list[FieldDesign]:
    """The fields of a record that a description of what shows it names.

    Args:
        many: it is the description of a list, in which plurals may be one for each record.
    """
    names = contents(text, noun)
    each = many and len(names) > 1 and all(is_plural(words(name)[-1]) for name in names)
    found = []
    for name in names:
        shown = name
        *front, last = name.split("_")
        if many and name == snake(name) and (each or last in _ONE_EACH):
            shown = "_".join((*front, singular(last)))
        found.append(_field(shown))
    return found


def _field(shown: str) -> FieldDesign:
    name, last = snake(shown), words(shown)[-1]
    kind: FieldType = "str"
    if last in _TIMES or name.endswith("_at"):
        kind = "datetime"
    elif last in _WHOLE or name.endswith(("_order", "_bytes", "_index", "_position")):
        kind = "int"
    elif (
        name.startswith("total_")
        or last in _BROKEN
        or (last in _SUMS and {*words(shown)} & _BROKEN)
    ):
        kind = "float"
    elif last in _YES or name.startswith(("is_", "has_")):
        kind = "bool"
    elif is_plural(last):
        kind = "list"
    said = Param(name, (name,), "str")
    semantic = semantic_of(name, said) if kind == "str" else None
    if kind == "float":
        semantic = semantic_of(name, Param(name, (name,), "num"))
    made = FieldDesign(name, shown, kind, semantic=semantic, source="described")
    return structures.opened(made)


def same(name: str, known: set[str], noun: tuple[str, ...] = ()) -> bool:
    """Whether a field of this name is among the known ones, in any spelling.

    The `domain_name` of a domain is its name, and a `timestamp` is one of the times it has.
    """
    plain = {spelling(each) for each in known}
    *front, last = name.split("_")
    if front and noun and front[-1] == noun[-1] and spelling(last) in plain:
        return True
    if name in ("timestamp", "date", "time") and any(
        each.endswith(("_at", "At")) for each in known
    ):
        return True
    if name == "recipient" and "to" in plain:
        return True
    return bool({spelling(name), spelling(singular(name)), spelling(f"{name}s")} & plain)


_SORTED: Final = re.compile(
    r"\b(?:sorted|ordered|listed) by (?:the |its |their )?(?P<by>[a-z][\w -]{1,40}?)"
    r"(?= in\b|[ ,(]+(?:asc|desc|newest|most recent|oldest|latest|high|low)|[.,;:()]|$)"
    r"|\b(?:sorted|ordered|listed) (?:in )?(?:reverse chronological|newest|most recent)"
    r"|\b(?:newest|most recent|latest)(?:[ -]\w+)? first\b",
    re.IGNORECASE,
)
_FALLS: Final = re.compile(
    r"[ ,(]*(in )?(desc|newest|most recent|latest|highest|reverse)", re.IGNORECASE
)


def order(text: str) -> tuple[str, bool] | None:
    """(what a list is sorted by, whether it falls) as its description says; None if unsaid.

    Empty: by when records were made.

    >>> order("Lists the notes, sorted by date, newest first.")
    ('date', True)
    >>> order("Returns recent builds, newest first.")
    ('', True)
    """
    plain = " ".join(text.split())[:_READ]
    found = _SORTED.search(plain)
    if found is None:
        return None
    if not found["by"]:
        return "", True
    return snake(found["by"]), _FALLS.match(plain[found.end() :]) is not None


_NOT: Final = r"(already|not (exist|in|a member|found|present|there)|absent|gone)"
_FINE: Final = r"(success\w*|no.?op|nothing|(no|without) error|not an error|ignored|silently)"
_TOLERANT: Final = re.compile(
    rf"\b{_NOT}\b[^.]{{0,60}}\b{_FINE}\b|\b{_FINE}\b[^.]{{0,60}}\b{_NOT}\b|\bidempotent\b",
    re.IGNORECASE,
)


def tolerant(text: str) -> bool:
    """Whether removing what is not there is a success, as a description says.

    >>> tolerant("Removes a tag. If it is not in the list already, returns success.")
    True
    """
    return _TOLERANT.search(" ".join(text.split())[:_READ]) is not None
