"""Vocabulary: English words that change what a request asks for, and words that do not."""

from __future__ import annotations

import re
from typing import Final


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


NUMBERS: Final = _set("""
    zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
    hundred thousand million dozen half twice thrice double triple quarter couple
""")
"""Not "one", which is a pronoun too."""

TIMES: Final = _set("""
    january february march april june july august september october november december jan feb
    mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday
    sunday today tomorrow tonight yesterday noon midnight morning afternoon evening week weeks
    weekend month months year years day days hour hours minute minutes asap immediately urgent
    urgently daily weekly monthly quarterly eod eow
""")
"""Not "may", which is a verb too, and "second", which is a place in a row."""

OPERATORS: Final = {
    "exception": _set("except unless excluding besides without"),
    "every": _set("all every each any everything anything entire both"),
    "only": _set("only solely exclusively"),
    "or": _set("or either otherwise alternatively"),
    "if": _set("if whenever provided"),
    "largest": _set("largest highest biggest greatest maximum max"),
    "smallest": _set("smallest lowest least minimum min cheapest fewest"),
    "latest": _set("latest newest recent recently last"),
    "earliest": _set("earliest oldest first"),
    "before": _set("before until till earlier prior"),
    "after": _set("after since later"),
    "more": _set("above over exceeding exceeds larger higher greater"),
    "less": _set("below under fewer smaller lower"),
    "sum": _set("total sum altogether combined overall"),
    "count": _set("count many"),
}
"""Groups of words that decide which records are meant: a rewording uses the same groups."""

SEQUENCE: Final = re.compile(
    r"\b(?:first off|first of all|first thing|firstly|after that|after this|before that"
    r"|at first|at least|last but not least|lastly|at last|last of all)\b"
    r"|\bfirst(?=,)|\blast(?=,)",
    re.IGNORECASE,
)
"""What tells the order of the sentences, and nothing about the records."""

CLOSING: Final = re.compile(
    r"[^.!?\n\0]{0,60}\b(?:else|other changes?|the rest|otherwise)\b(?! of)[^.!?\n\0]{0,50}"
    r"(?:[.!?]|$|(?=\n))",
    re.IGNORECASE,
)
"""A sentence without marks that keeps everything else as it is; the gate says it anyway."""

NEGATIONS: Final = re.compile(
    r"\b(?:not|no|never|none|nothing|neither|nor|cannot|don['’]t|doesn['’]t|didn['’]t|won['’]t"
    r"|can['’]t|isn['’]t|aren['’]t|shouldn['’]t|mustn['’]t|avoid|skip|ignore|leave|except"
    r"|unless|without|nobody|else)\b",
    re.IGNORECASE,
)

ACTIONS: Final = _set("""
    cancel delete remove void archive close approve reject refund pay send publish merge revoke
    disable enable restore reopen resolve assign unassign move rename replace forward reply
    invite share unsubscribe deactivate activate terminate complete
""")
"""What somebody may be asked to do to a record: none comes or goes with the wording."""

DRASTIC: Final = _set("""
    cancel delete remove void archive close approve reject refund pay publish merge revoke
    disable unsubscribe deactivate terminate
""")
"""Those of them that no request may ask for without a step that does it."""

NO_NAMES: Final = _set("""
    i i'm i'd i've i'll ok fyi ps pm am hi hello hey dear thanks thank cheers best kind regards
    please greetings sincerely
""")
"""Words that have a capital and name nobody."""

PRONOUNS: Final = _set("it its they them their he him his she her hers")

SMALL: Final = _set("""
    a an the this that these those of in on at to for from with by and as is are was be been
    which who whose whom where what its their his her it they has have had given called named
    titled says stated listed shown there here belonging belongs one ones same
""")
"""Words of a description that say nothing of which record is meant."""

GENERIC: Final = _set("""
    create add new make write draft get list search find read update set query id name item
    items value text body content data
""")
"""Words of tools and fields that are no words of a task."""
