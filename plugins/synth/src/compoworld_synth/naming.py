"""Names: into words, singular and plural, and back into identifiers from an allow-list."""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from compoworld_synth.lexicon import ABBREVIATIONS, RESERVED_CLASSES, VERBS, word_set

_WORD: Final = re.compile(r"IDs|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SAME: Final = word_set(
    "status series settings analytics sms data media news species sms address business process"
    " access class canvas dns aws https kubernetes basis analysis gps ios css bus campus lens"
    " alias progress success preferences express redis atlas cors sns sqs iis"
)
_IRREGULAR: Final = {
    "people": "person",
    "statuses": "status",
    "addresses": "address",
    "processes": "process",
    "businesses": "business",
    "classes": "class",
    "aliases": "alias",
    "children": "child",
    "indices": "index",
    "indexes": "index",
    "boxes": "box",
    "taxes": "tax",
    "branches": "branch",
    "batches": "batch",
    "matches": "match",
    "searches": "search",
    "patches": "patch",
    "caches": "cache",
    "databases": "database",
    "licenses": "license",
    "movies": "movie",
    "cookies": "cookie",
    "expenses": "expense",
    "leaves": "leave",
    "series": "series",
    "criteria": "criterion",
    "analyses": "analysis",
    "setting": "settings",
    "medias": "media",
    "buses": "bus",
    "statistic": "statistics",
    "watches": "watch",
    "approaches": "approach",
    "launches": "launch",
    "switches": "switch",
    "dishes": "dish",
    "fixes": "fix",
    "prefixes": "prefix",
    "suffixes": "suffix",
    "mailboxes": "mailbox",
    "inboxes": "inbox",
    "sandboxes": "sandbox",
    "bonuses": "bonus",
    "canvases": "canvas",
    "accesses": "access",
    "successes": "success",
    "viruses": "virus",
    "wishes": "wish",
    "crises": "crisis",
}


@lru_cache(maxsize=20_000)
def words(name: str) -> tuple[str, ...]:
    """The lower-case words of a name: `getPullRequest`, `get-pull-request` alike."""
    return tuple(word.lower() for word in _WORD.findall(name))


@lru_cache(maxsize=20_000)
def singular(word: str) -> str:
    """`companies` → `company`; words that only look plural stay."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word in _SAME or len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "zzes")):
        return word[:-2]
    return word if word.endswith(("us", "is")) else word[:-1]


@lru_cache(maxsize=20_000)
def is_plural(word: str) -> bool:
    """Whether the word names several."""
    one = singular(word)
    return word in ("data", "people", "series", "media") or (
        one != word and not one.startswith(word)
    )


@lru_cache(maxsize=20_000)
def plural(word: str) -> str:
    """`company` → `companies`."""
    if word in _SAME and not word.endswith("ss") and word != "address":
        return word if word.endswith("s") or word in ("data", "media", "sms") else word + "s"
    if word == "person":
        return "people"
    if word == "child":
        return "children"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    return word + "s"


def snake(name: str) -> str:
    """An identifier in snake_case: only a-z, 0-9 and `_`, never a keyword, never empty."""
    made = "_".join(words(name))[:60].strip("_") or "value"
    if made[0].isdigit():
        made = "n" + made
    return made + "_" if keyword.iskeyword(made) or keyword.issoftkeyword(made) else made


def camel(noun: Sequence[str]) -> str:
    """A class name: `("pull", "request")` → `PullRequest`; reserved names get a suffix."""
    made = "".join(word.capitalize() for word in noun) or "Record"
    if made[0].isdigit():
        made = "N" + made
    return made + "Record" if made in RESERVED_CLASSES else made


def expanded(word: str) -> str:
    """The long form of a short word: `repo` → `repository`."""
    return ABBREVIATIONS.get(word, word)


def joined(noun: Iterable[str]) -> str:
    """A spelling by which nouns are compared: `ClusterID`, `cluster-id`, `cluster_ids`."""
    return "".join(singular(expanded(word)).replace("_", "") for word in noun)


def spelling(name: str) -> str:
    """A spelling without signs by which fields are compared: `createdAt`, `created_at`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def common_prefix(names: Sequence[str]) -> int:
    """How many leading words most names share (a product's name): 0 to 2.

    A word that is a verb needs nearly all names.
    """
    dropped = 0
    split = [words(name) for name in names]
    while dropped < 2 and len(names) >= 4:
        counted = Counter(item[dropped] for item in split if len(item) > dropped + 1)
        if not counted:
            break
        word, found = counted.most_common(1)[0]
        if found / len(names) < (0.92 if word in VERBS else 0.7):
            break
        behind = sum(item[dropped + 1] in VERBS for item in split if len(item) > dropped + 1)
        if word in VERBS and behind < 0.3 * len(names):
            break  # a server that only reads: `get_orders`, `get_order`
        dropped += 1
    return dropped


def strip_prefix(name: str, prefix: Sequence[str]) -> tuple[str, ...]:
    """The words of a name without the server's prefix, `API-`, version, trailing `tool`."""
    name = name.rsplit("--", 1)[-1]
    name = re.sub(r"^[a-z]+_v[0-9]+_", "", name)
    found = list(words(name))
    if found[: len(prefix)] == list(prefix) and len(found) > len(prefix):
        found = found[len(prefix) :]
    if len(found) > 1 and found[0] == "api":
        found = found[1:]
    if len(found) > 1 and found[-1] == "tool":
        found = found[:-1]
    return tuple(found)
