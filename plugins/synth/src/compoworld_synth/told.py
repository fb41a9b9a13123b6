"""Told: the answer that a description lays out, as a shape or line by line.

`Response: notes[] (id, content, author)`, `Returns {id, name}`, or lines `- name: what it is`
behind words that introduce an answer. Read as parameters are, so that such an answer counts
like one that a schema states.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from attrs import evolve

from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import is_plural, snake, words
from compoworld_synth.schemas import Param

_READ: Final = 4_000
_CLOSERS: Final = {"(": ")", "{": "}", "[": "]"}
_SHAPE: Final = re.compile(
    r"\b(?P<lead>Response|Returns?|Returning|Output|Result)\b(?P<gap>[^\n{}\[\]()]{0,90}?)"
    r"(?P<open>\{)",
    re.IGNORECASE,
)
_LISTED: Final = re.compile(
    r"(?:^|\n|[.!?]\s+)\W{0,3}(?:Response|Returns|Output)\s?:\s{0,3}(?=[a-zA-Z_])"
)
_MANY: Final = re.compile(
    r"\b(lists?|envelope|arrays?|rows|each|entries|items|records)\b", re.IGNORECASE
)
_CALLED: Final = re.compile(r"(\w+) (?:of|as)\W*$")
_PIECE: Final = re.compile(
    r"^\W*(?P<name>[A-Za-z_]\w*)[\"']?\??\s*(?P<many>\[\s*\])?\??\s*(?P<colon>:)?\s*(?P<rest>.*)$",
    re.DOTALL,
)
_LEAD: Final = re.compile(
    r"^.*\b(returns?|including|includes?|contains?|containing|response|output fields|each \w+"
    r" (has|includes|contains))\b[^\n]{0,120}:\s*$",
    re.IGNORECASE,
)
_NO_LEAD: Final = re.compile(
    r"\b(use (this|it|when)|args|arguments?|parameters?|params|inputs?|filters?|optional"
    r"|features?|supports?|modes?|required|requires|examples?|errors?|notes?|asks?|please|update|create"
    r"|if|when you|types of|workflow|steps?|query)\b",
    re.IGNORECASE,
)
_LINE: Final = re.compile(
    r"^\s*(?:[-*•]\s+|(?=[a-z_]\w*\s*(?:\([^)]*\))?:))[\"']?(?P<name>[A-Za-z_]\w*)[\"']?\s*"
    r"(?:\((?P<type>[^)]{1,60})\))?\s*(?::|-|–|—|$)\s*(?P<said>.*)$"
)
_MAKES: Final = re.compile(
    r"\W*(create|add|update|set|make|insert|upload|generate|manage|delete|remove|run|start|put"
    r"|modif|edit|replace|define|configure)",
    re.IGNORECASE,
)
_TYPES: Final = word_set("str dict list json int bool string any none object tuple text")
"""What Python says a function returns: the name of no field."""
_FEWEST: Final = 2


@lru_cache(maxsize=20_000)
def parts(text: str) -> tuple[Param, ...]:
    """The properties of an answer, as its description lays them out; empty where it does not.

    >>> [each.name for each in parts("List notes. Response: notes[] (id, content, author).")]
    ['notes']
    >>> [each.name for each in parts("Get it. Returns {id, name, done}.")]
    ['id', 'name', 'done']
    """
    plain = re.sub(r"[`*]+", "", text[:_READ])
    return _shaped(plain) or _lines(plain)


def flat(found: Sequence[Param]) -> bool:
    """Whether the properties are those of one record, not what is around some."""
    return not any(_holds_rows(each) for each in found) and len(found) > 1


def _holds_rows(each: Param) -> bool:
    return each.kind == "arr" and each.items is not None and bool(each.items.properties)


def _shaped(text: str) -> tuple[Param, ...]:
    """The answer as a shape: in braces, or a list behind `Response:`."""
    one = " ".join(text.split())
    for match in _SHAPE.finditer(one):
        inner = _within(one, match.start("open"))
        found = _items(inner) if inner is not None else ()
        if len(found) < _FEWEST and not any(map(_holds_rows, found)):
            continue
        called = _CALLED.search(match["gap"])
        if called is not None and _MANY.search(match["gap"]):
            rows = called[1] if called[1] not in _AROUND else ""
            if rows:
                return (_array(rows, found),)
        if called is not None and is_plural(called[1]) and called[1] not in _AROUND:
            return (_array(called[1], found),)
        return found
    listed = _LISTED.search(text)
    if listed is None:
        return ()
    rest = " ".join(re.split(r"\n\s*\n", text[listed.end() :])[0].split())
    found = _items(_sentence(rest))
    told = all("_" in each.name or each.name.islower() for each in found)
    plain = told and len(found) >= 3 and "(" not in rest.split(",")[0]
    return found if any(each.properties or _holds_rows(each) for each in found) or plain else ()


_AROUND: Final = word_set("list lists array envelope object dict json rows one")


def _sentence(text: str) -> str:
    """The text up to the point that ends its sentence, brackets left alone."""
    depth = 0
    for n, sign in enumerate(text):
        depth += (sign in "({[") - (sign in ")}]")
        if sign == "." and depth == 0 and text[n + 1 : n + 2] in ("", " "):
            return text[:n]
    return text


def _within(text: str, start: int) -> str | None:
    """What the bracket that opens at `start` holds; None where it does not close."""
    depth = 0
    for n in range(start, min(len(text), start + 1_500)):
        depth += (text[n] in "({[") - (text[n] in ")}]")
        if depth == 0:
            return text[start + 1 : n] if text[n] == _CLOSERS[text[start]] else None
    return None


def _pieces(text: str) -> list[str]:
    """What stands between the commas outside of brackets."""
    made, depth = [""], 0
    for sign in text:
        depth += (sign in "({[") - (sign in ")}]")
        if sign == "," and depth == 0:
            made.append("")
        else:
            made[-1] += sign
    return [each.strip() for each in made if each.strip()]


def _items(text: str) -> tuple[Param, ...]:
    """The properties that a list names; empty where some of it is prose."""
    found: dict[str, Param] = {}
    for piece in _pieces(text):
        if re.match(r"(and )?(any|other|more|all)\b|\.\.\.|…", piece):
            continue
        item = _item(piece)
        if item is None:
            return ()
        found[item.name] = item
    return tuple(found.values())


def _item(piece: str) -> Param | None:
    match = _PIECE.match(re.sub(r"^(and|or) ", "", piece))
    if match is None:
        return None
    name, rest, many = match["name"], match["rest"].strip(), match["many"] is not None
    if rest[:1] in ("[", "{", "("):
        opened = rest[0]
        inner = _within(rest, 0)
        if inner is None:
            return None
        if opened == "[":
            many = True
            nested = _within(inner.strip(), 0) if inner.strip()[:1] == "{" else ""
            inner = nested or ""
        below = _items(inner) if opened != "(" or "," in inner else ()
        if below:
            return _array(name, below) if many else _object(name, below)
        said = "" if opened == "{" else inner
        return _typed(name, said, many=many or opened == "[", nested=opened == "{")
    if rest and match["colon"] is None:
        spoken = [name, *rest.split()]
        if len(spoken) > 3 or not all(re.fullmatch(r"[A-Za-z]+", word) for word in spoken):
            return None
        name, rest = snake("_".join(spoken)), ""
    return _typed(name, rest, many=many)


def _array(name: str, below: Sequence[Param]) -> Param:
    inner = Param("", (name,), "obj", properties=tuple(below))
    return Param(name, (name,), "arr", items=inner)


def _object(name: str, below: Sequence[Param]) -> Param:
    return Param(name, (name,), "obj", properties=tuple(below))


_SAYS: Final[tuple[tuple[str, str], ...]] = (
    (r"^\W*(whether|true if|true when|indicates (if|whether)|flag|bool)", "bool"),
    (r"^\W*(true|false)\b", "bool"),
    (r"^\W*(an? )?(list|array|tuple) of|\b(list|array)\b\W*$", "arr"),
    (r"^\W*(the )?(total )?((maximum |minimum )?number of|count of|how many|int(eger)?\b)",
     "int"),
    (r"\bin (milli)?seconds\b", "int"),
    (r"^\W*(num|number|float)\b(?! of)", "num"),
    (r"^\W*(when|timestamp|the time|time when|date|datetime|iso)\b|\btimestamp\b|\bISO.?8601\b",
     "time"),
    (r"^\W*(dict|object|map|mapping|dictionary|json)\b|\b(parameters passed|key.value)\b",
     "obj"),
)  # fmt: skip
_TIMES: Final = word_set(
    "date time timestamp at created updated modified deadline expiry expiration"
)
_WHOLE: Final = word_set(
    "count number size quantity duration progress votes views likes points rank order position"
    " total index retries attempts runs minutes seconds hours days"
)
_BROKEN: Final = word_set(
    "price amount score percentage balance rate cost rating lat lng lon latitude longitude"
    " subtotal fee tax taxes discount"
)
_YES: Final = word_set("enabled disabled archived active public private deleted finished read")
_SUMS: Final = frozenset({"total", "num", "max", "min", "count"})
_FRONTS: Final = ("is_", "has_", "can_", "should_", "allow_")


def _typed(name: str, said: str, *, many: bool = False, nested: bool = False) -> Param:
    """A property of the kind that its words, else its name, speak of."""
    plain, last = snake(name), words(name)[-1]
    kind = "arr" if many else "obj" if nested else ""
    for pattern, each in _SAYS if not kind else ():
        if re.search(pattern, said[:100], re.IGNORECASE):
            kind = each
            break
    if not kind:
        if plain.startswith(_FRONTS) or last in _YES:
            kind = "bool"
        elif words(name)[0] in _SUMS:
            kind = "int"
        elif last in _TIMES:
            kind = "time"
        elif last in _WHOLE:
            kind = "int"
        elif last in _BROKEN:
            kind = "num"
        elif is_plural(last) and last not in (
            "notes",
            "status",
            "address",
            "series",
            "details",
        ):
            kind = "arr"
        else:
            kind = "str"
    path = (name,)
    if kind == "arr":
        return Param(name, path, "arr", items=Param("", path, "str"), description=said)
    if kind == "time":
        return Param(name, path, "str", format="date-time", description=said)
    return evolve(Param(name, path, kind, description=said), enum=_choices(said, kind))


_CHOICES: Final = re.compile(r"\(((?:[a-z_]{3,20}, ){1,6}(?:or )?[a-z_]{3,20})(, etc\.?)?\)")


def _choices(said: str, kind: str) -> tuple[str, ...]:
    """`Type of run (manual, scheduled)`: the values that a text may have."""
    found = _CHOICES.search(said) if kind == "str" else None
    if found is None:
        return ()
    listed = [re.sub(r"^or ", "", each.strip()) for each in found[1].split(",")]
    return tuple(each for each in listed if each != "etc")


def _lines(text: str) -> tuple[Param, ...]:
    """The answer line by line, behind words that introduce it."""
    lines = text.split("\n")
    makes = _MAKES.match(text) is not None
    for n, line in enumerate(lines):
        head = line.strip()
        if not (_LEAD.match(head) and not _NO_LEAD.search(head)):
            continue
        if makes and not re.search(r"\b(returns?|response|output)\b", head, re.IGNORECASE):
            continue  # what it is given
        found: dict[str, Param] = {}
        for each in lines[n + 1 :]:
            if not each.strip():
                break
            match = _LINE.match(each)
            if match is None:
                if len(each) - len(each.lstrip()) > len(line) - len(line.lstrip()) and found:
                    continue  # the text of the property above goes on
                break
            name = match["name"]
            if name.lower() in _TYPES or (name[0].isupper() and "_" not in name):
                found.clear()
                break
            said = f"{match['type'] or ''} {match['said']}".strip()
            found[name] = _typed(name, said)
        if len(found) >= _FEWEST:
            return tuple(found.values())
    return ()
