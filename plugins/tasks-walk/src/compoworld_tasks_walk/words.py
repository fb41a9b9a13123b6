"""Words of a script: nouns, labels, describing phrases and verbs, the services' own first."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

from compoworld_core import facts
from compoworld_tasks_walk import lexicon
from compoworld_tasks_walk.script import Mentioned, Said, Script

_PREFIXES = ("hs_", "api_", "is_", "has_", "custom_", "display_")
_STRAIGHT = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'"})
QUOTED_KINDS: Final = frozenset({"title", "text", "tag", "file_name"})
_SILENT = ("hour", "honest", "heir")
_SOUNDS_U = ("uni", "use", "usa", "eu", "one", "sku")
_WITH = re.compile(r"with (?:the )?([A-Za-z ]+) \{\}$")
_LINKS = frozenset(("to", "by", "of", "from", "for", "in", "on", "at"))
_THE_NOUN = re.compile(r"the (\w+) \{\}$")
_ABBREVIATIONS = {
    word: word.upper() for word in ("id", "url", "sku", "po", "vat", "ip", "pdf", "iban", "mrr")
}
_NUMBERED = frozenset(("order", "checkout", "invoice"))
"""Last words of nouns whose name is a number."""
PLAIN_STATUS = ("that is {}", "with the status {}", "with status {}", "with the state {}")
_ADDRESS = {"address": "email address", "email": "email address"}
ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth")


class Words:
    """What the records and fields of one script are called."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.nouns = _nouns(script)
        self._own: dict[tuple[str, str, str], str] = {}

    def noun(self, record: str) -> str:
        """The noun of a record; in the plural for a set."""
        noun = self.nouns[record]
        return plural(noun) if self.script.records[record].many else noun

    def title(self, service: str) -> str:
        """What people call a service."""
        return self.script.titles.get(service) or split(service).title()

    def own(self, record: Mentioned, field: str) -> str:
        """The phrase that the service's author wrote for a field; empty where there is none."""
        key = (record.service, record.table, field)
        if key not in self._own:
            self._own[key] = self._find(*key)
        return self._own[key]

    def _find(self, service: str, table: str, field: str) -> str:
        phrase = self.script.words.get(service, {}).get(f"{table}.{field}", "")
        if phrase.count("{}") != 1:
            return ""
        # A date and time brings its own "at": "due on 3 March 2026 at 09:00 UTC".
        timed = field.endswith(("_at", "_time", "time"))
        return (phrase.replace(" at {}", " on {}") if timed else phrase).translate(_STRAIGHT)

    def phrase(self, record: Mentioned, field: str) -> str:
        """How a description says a field; `{}` is the value."""
        return (
            self.own(record, field)
            or known(lexicon.PHRASES, field)
            or f"whose {label(field)} is {{}}"
        )

    def label(self, record: Mentioned, field: str) -> str:
        """What people call a field of this record, as its own phrase has it if there is one."""
        usual = label(field)
        if usual == "name" and last_word(record.noun) in _NUMBERED:
            return "number"
        found = _WITH.match(self.own(record, field))
        if found and found[1].split()[-1] not in _LINKS and found[1] not in usual:
            return _ADDRESS.get(found[1], found[1])
        return usual

    def relation(self, record: Mentioned, field: str, other: str) -> str:
        """How a description says a field that names another record, whose noun comes next."""
        said = self.own(record, field) or known(lexicon.REFS, field)
        found = _THE_NOUN.search(said)
        if found and found[1] == last_word(self.nouns[other]):
            return said.replace(found[0], "{}")
        return said or f"whose {label(field)} is {{}}"

    def short(self, key: str) -> str:
        """What to call a record once it is known: "customer" for a customer record."""
        noun = self.noun(key)
        brief = self.nouns[key].removesuffix(" record")
        if self.title(self.script.records[key].service).lower() in brief.lower():
            return plural(brief) if self.script.records[key].many else brief
        alike = {last_word(other) for other in self.nouns.values()}
        if brief == self.nouns[key] or last_word(brief) in alike:
            return noun
        return plural(brief) if self.script.records[key].many else brief


def _nouns(script: Script) -> dict[str, str]:
    """A noun per record; one that two services share gets its service's name."""
    plain = {}
    for record in script.records.values():
        noun = re.sub(r"[_\s]+", " ", record.noun).strip() or "record"
        title = script.titles.get(record.service, "")
        noun = noun.removeprefix(f"{title} ") if title else noun
        plain[record.id] = lexicon.NOUNS.get(noun.replace(" ", "_"), noun)
    owners: dict[str, set[str]] = {}
    for record in script.records.values():
        owners.setdefault(head(plain[record.id]), set()).add(record.service)
    titles = script.titles
    return {
        record.id: f"{titles.get(record.service) or split(record.service).title()} {noun}"
        if len(owners[head(noun)]) > 1
        else noun
        for record in script.records.values()
        for noun in (plain[record.id],)
    }


@cache
def split(name: str) -> str:
    """A field or tool name as words: "dueDate", "due_date" → "due date"."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.sub(r"[^A-Za-z0-9]+", " ", apart).strip().lower()


@cache
def bare(field: str) -> str:
    """A field's name without prefixes that say nothing: "displayStatus" → "status"."""
    folded = split(field).replace(" ", "_")
    for prefix in _PREFIXES:
        folded = folded.removeprefix(prefix)
    return folded


@cache
def _spellings(field: str) -> tuple[str, ...]:
    return field.lower(), split(field).replace(" ", "_"), bare(field)


def known(table: dict[str, str], field: str) -> str:
    """What a table says of a field, however its name is written; empty where it does not."""
    for name in _spellings(field):
        if name in table:
            return table[name]
    return ""


@cache
def label(field: str) -> str:
    """What people call a field: "leadStatus" → "lead status"."""
    last = field.rpartition(".")[2]
    said = known(lexicon.LABELS, last)
    if said:
        return said
    words = bare(last).replace("_", " ")
    for ending in (" id", " ids", " no", " at"):
        if words.endswith(ending) and words != ending.strip():
            shorter = words[: -len(ending)]
            return {" ids": plural(shorter), " no": f"{shorter} number"}.get(ending, shorter)
    if words.endswith(" on"):
        return f"{words.removesuffix(' on')} date"
    if words.split()[-1:] and words.split()[-1] in _LINKS:
        return f'"{words}" entry'
    return " ".join(_ABBREVIATIONS.get(word, word) for word in words.split()) or "value"


def dated(named: str, kind: str) -> str:
    """A label as a fact is called by it: a date and time says so."""
    if kind == "datetime":
        bare = named.removesuffix("time").removesuffix("date").rstrip()
        return named.replace("time of", "date and time of") if "time of" in named else (
            f"{bare} date and time".strip()
        )  # fmt: skip
    if kind == "date" and named.endswith(" time"):
        return f"{named.removesuffix(' time')} date"
    if kind == "date" and not {"date", "deadline", "day"} & set(named.split()):
        return f"{named} date"
    return named


def role(field: str) -> str:
    """The part that the person in this field has in the record; empty where it is none."""
    return known(lexicon.ROLES, field)


def is_party(noun: str) -> bool:
    """Is a record of this noun somebody?"""
    return head(noun) in lexicon.PARTIES


def is_person(noun: str) -> bool:
    """Is a record of this noun one person?"""
    return head(noun) in lexicon.PARTIES - lexicon.FIRMS


def is_firm(noun: str) -> bool:
    """Is a record of this noun a company?"""
    return head(noun) in lexicon.FIRMS


@cache
def last_word(noun: str) -> str:
    """The head of a noun phrase."""
    return noun.lower().split()[-1]


@cache
def head(noun: str) -> str:
    """What a record is of: the customer of a "customer record"."""
    return last_word(noun.removesuffix(" record"))


@cache
def plural(noun: str) -> str:
    """The plural of a noun."""
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    if re.search(r"(s|x|z|ch|sh)$", noun):
        return noun if noun.endswith("ss") is False and noun.endswith("s") else f"{noun}es"
    if noun.endswith("person"):
        return f"{noun[:-6]}people"
    return f"{noun}s"


@cache
def article(words: str) -> str:
    """The article of a phrase: a or an."""
    first = words.lstrip("\"'#").lower()
    if first.startswith(_SILENT):
        return "an"
    if first.startswith(_SOUNDS_U):
        return "a"
    return "an" if first[:1] in set("aeiou") else "a"


def enum(value: Any) -> str:
    """An enum value as words: IN_PROGRESS → in progress."""
    return _in_words(str(value))


@cache
def _in_words(value: str) -> str:
    folded = value.strip().lower()
    told = lexicon.VALUES.get(folded)
    if told:
        return told
    return re.sub(r"[_\s-]+", " ", folded) if re.fullmatch(r"[\w\s-]+", folded) else value


def adjective(field: str, said: Said, phrase: str) -> str:
    """The word before the noun that says this condition; empty where it goes after it."""
    value = enum(said.value)
    if said.kind in ("status", "tag") and phrase in PLAIN_STATUS:
        if value in lexicon.ADJECTIVES:
            return value
        return lexicon.JOINED.get(str(said.value).lower(), "")
    if bare(field) in ("priority", "ticket_priority") and value in (
        "high",
        "low",
        "normal",
        "medium",
        "urgent",
    ):
        return "urgent" if value == "urgent" else f"{value}-priority"
    return ""


def clause(said: Said, phrase: str) -> str:
    """The clause that says a status; empty where the usual phrase has to do."""
    if said.kind != "status" or phrase not in PLAIN_STATUS:
        return ""
    return lexicon.CLAUSES.get(str(said.value).lower(), "")


def flag(field: str) -> str:
    """What a flag is called, as a word or as a setting."""
    return bare(field).replace("_", " ")


def boolean(field: str, value: object) -> str:
    """A flag as words: "private", "internal"; on or off where no such word is known."""
    held = value in (True, "true", "True")
    yes, no = lexicon.FLAGS.get(flag(field), ("on", "off"))
    return yes if held else no


def literal(said: Said, field: str, style: int, currency: str | None = None) -> str:
    """A value as people write it."""
    value, kind = said.value, said.kind
    if kind == "boolean":
        return boolean(field, value)
    if kind == "status":
        return enum(value)
    if kind in ("money", "cents"):
        return _amount(kind, value, currency)
    if kind in ("date", "datetime"):
        return facts.render(kind, value, style if kind == "date" else 0)
    if kind in ("quantity", "percent", "country"):
        return facts.render(kind, value)
    return str(value)


def _amount(kind: str, value: Any, currency: str | None) -> str:
    number = float(value) / (100 if kind == "cents" else 1)
    if currency:
        return (
            f"{number:,.0f} {currency}"
            if number == int(number)
            else facts.render(kind, value, currency=currency)
        )
    # Whose currency it is, only the record knows: none is said.
    return f"{number:,.0f}" if number == int(number) else f"{number:,.2f}"


def verb_of(tool: str, table: dict[str, str]) -> str:
    """The first word of a tool's name that a table knows, as the table has it."""
    for word in split(tool).split():
        if word in table:
            return table[word]
    return ""


_FIRM_NAMES: Final = frozenset(("name", "display_name", "full_name"))


def possessive(many: bool) -> str:
    """The ending of a noun that owns something."""
    return "'" if many else "'s"


def own_fields(noun: str, kind: str) -> frozenset[str]:
    """Fields by which a record of this noun is itself meant."""
    if not is_party(noun):
        return frozenset()
    firm = is_firm(noun)
    if kind == "company" and not firm:
        return _FIRM_NAMES  # a customer that is a company
    if kind != "company" and firm:
        return frozenset()
    return lexicon.OWN_KEYS
