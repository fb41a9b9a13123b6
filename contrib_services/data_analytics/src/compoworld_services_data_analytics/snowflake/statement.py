"""Reading SQL text: tokens, what kind of statement it is, Snowflake's names and words.

The engine's authorizer is what protects the state and the host; this only translates, and says
early and clearly what the engine would refuse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from compoworld_core import ToolError

MOST_CHARACTERS = 20_000
_TOKEN = re.compile(
    r"""(?P<space>\s+|--[^\n]*|/\*.*?\*/)
      |(?P<string>'(?:[^']|'')*')
      |(?P<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`)
      |(?P<word>[^\W\d][\w$]*)
      |(?P<number>\d[\w.]*(?:(?<=[eE])[+-]\d+)?)
      |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
READS = frozenset({"SELECT", "WITH", "VALUES"})
WRITES = frozenset({"INSERT", "UPDATE", "DELETE", "REPLACE"})
_UNITS = frozenset(
    {"dateadd", "datediff", "timestampadd", "timestampdiff", "date_trunc", "trunc"}
)
_SET_WORDS = frozenset({"UNION", "EXCEPT", "INTERSECT", "GROUP", "ORDER", "DISTINCT", "VALUES"})
_JOIN_WORDS = frozenset(
    {"JOIN", "LEFT", "RIGHT", "FULL", "INNER", "OUTER", "CROSS", "NATURAL", "ON", "USING", "AS"}
)
_AFTER_FROM = frozenset({"WHERE", "LIMIT", "HAVING", "WINDOW"})


@dataclass
class Token:
    """A piece of SQL text; `depth` counts the parentheses around it."""

    kind: str
    text: str
    depth: int = 0
    spaced: bool = True
    """Whether space or a comment stands before it."""

    @property
    def upper(self) -> str:
        """The text in capitals, for words; empty for everything else."""
        return self.text.upper() if self.kind == "word" else ""

    @property
    def name(self) -> str:
        """What it names, in lower case; empty where it is no name."""
        if self.kind == "word":
            return self.text.lower()
        if self.kind == "quoted":
            mark = self.text[0]
            return self.text[1:-1].replace(mark * 2, mark).lower()
        return ""


@dataclass
class Statement:
    """One statement, as tokens without space and comments."""

    tokens: list[Token] = field(default_factory=list)

    @property
    def verb(self) -> str:
        """The first word, in capitals; for WITH the verb after the common tables."""
        first = self.tokens[0].upper if self.tokens else ""
        if first != "WITH":
            return first
        for token in self.tokens[1:]:
            if token.depth == 0 and token.upper in READS | WRITES:
                return token.upper
        return first

    @property
    def text(self) -> str:
        """The SQL text again."""
        return "".join(" " * token.spaced + token.text for token in self.tokens).strip()

    def names(self) -> set[str]:
        """Everything in it that could name something, in lower case."""
        return {token.name for token in self.tokens if token.name}


@lru_cache(maxsize=512)
def parse(sql: str) -> Statement:
    """The tokens of one statement; ToolError where it is empty, too long or several."""
    if len(sql) > MOST_CHARACTERS:
        raise ToolError("invalid_argument", f"the statement is longer than {MOST_CHARACTERS}")
    if "\0" in sql:
        raise ToolError("invalid_argument", "the statement contains a null character")
    tokens: list[Token] = []
    depth, spaced = 0, False
    for found in _TOKEN.finditer(sql):
        kind, text = str(found.lastgroup), found[0]
        if kind == "space":
            spaced = True
            continue
        if text == ")":
            depth -= 1
        tokens.append(Token(kind, text, depth, spaced))
        spaced = False
        if text == "(":
            depth += 1
    while tokens and tokens[-1].text == ";":
        tokens.pop()
    if not tokens:
        raise ToolError("invalid_argument", "the statement is empty")
    if any(token.text == ";" for token in tokens):
        raise ToolError("invalid_argument", "one statement at a time; the text holds several")
    return Statement(_joined(tokens))


def _joined(tokens: list[Token]) -> list[Token]:
    """Glue what must stay together: blob literals and two-character operators."""
    out: list[Token] = []
    for token in tokens:
        last = out[-1] if out else None
        if last and last.text + token.text in _PAIRS and token.kind == "other":
            last.text += token.text
        elif last and last.upper == "X" and token.kind == "string":
            last.kind, last.text = "blob", last.text + token.text
        elif last and last.text == "." and token.kind == "number" and last.kind == "other":
            last.kind, last.text = "number", "." + token.text
        else:
            out.append(token)
    return out


_PAIRS = frozenset({"<=", ">=", "<>", "!=", "==", "||", "<<", ">>", "->", "::"})


def translate(
    statement: Statement, homes: dict[str, tuple[str, str]], known: Iterable[str]
) -> Statement:
    """Rewrite Snowflake's spelling into the engine's.

    Args:
        statement: what to rewrite; left as it is.
        homes: relation name → (database, schema), all lower case.
        known: column names.
    """
    tokens = _unqualified(statement.tokens, homes)
    known_names = {*known, *homes}
    out: list[Token] = []
    for at, token in enumerate(tokens):
        new = Token(token.kind, token.text, token.depth, token.spaced)
        if token.text == "::":
            raise ToolError(
                "invalid_argument", "write CAST(value AS type) instead of value::type"
            )
        if token.upper == "ILIKE":
            new.text = "MATCH"
        elif token.kind == "word" and at >= 2 and tokens[at - 2].name in _UNITS:
            if tokens[at - 1].text == "(" and not _is(tokens, at + 1, "("):
                new.kind, new.text = "string", f"'{token.text}'"
        elif token.kind == "quoted" and token.text[0] == '"':
            _check_identifier(tokens, at, known_names)
        out.append(new)
    return Statement(out)


def check_common_tables(statement: Statement, views: Iterable[str]) -> None:
    """Refuse a common table with a view's name: the engine tells rights of views by name."""
    names, tokens = set(views), statement.tokens
    for at, token in enumerate(tokens):
        if token.name in names and at + 1 < len(tokens):
            after = tokens[at + 1]
            defines = after.upper == "AS" and (
                _is(tokens, at + 2, "(")
                or any(t.upper in ("MATERIALIZED", "NOT") for t in tokens[at + 2 : at + 3])
            )
            if after.text == "(" or defines:
                raise ToolError("invalid_argument", f"{token.text} is a view; use another name")


def _is(tokens: list[Token], at: int, text: str) -> bool:
    return at < len(tokens) and tokens[at].text == text


def _unqualified(tokens: list[Token], homes: dict[str, tuple[str, str]]) -> list[Token]:
    """`analytics.sales.orders` and `sales.orders` become `orders`."""
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        for length in (5, 3):
            part = tokens[at : at + length]
            if len(part) == length and all(t.text == "." for t in part[1::2]):
                path = tuple(t.name for t in part[::2])
                home = homes.get(path[-1])
                if home and path[:-1] == home[-(len(path) - 1) :]:
                    last = part[-1]
                    out.append(Token(last.kind, last.text, last.depth, part[0].spaced))
                    at += length
                    break
        else:
            out.append(tokens[at])
            at += 1
    return out


def _check_identifier(tokens: list[Token], at: int, known: set[str]) -> None:
    """Refuse "text" in double quotes: the engine would silently take it for a string."""
    token = tokens[at]
    name = token.name
    is_alias = at > 0 and (tokens[at - 1].upper == "AS" or tokens[at - 1].text == ")")
    named = any(
        tokens[n].name == name and n > 0 and tokens[n - 1].upper in ("AS", "WITH", ",")
        for n in range(len(tokens))
        if n != at
    )
    if not (is_alias or named or name in known):
        raise ToolError(
            "invalid_argument",
            f"invalid identifier {token.text[:60]}; text literals take single quotes",
        )


def ordered(statement: Statement, keys: Callable[[str], tuple[str, ...] | None]) -> Statement:
    """Add ORDER BY over the primary keys to a plain SELECT without an order of its own.

    Args:
        statement: a translated statement.
        keys: table name → primary-key columns; None for what is no table.
    """
    tokens = statement.tokens
    top = [n for n, token in enumerate(tokens) if token.depth == 0 and token.upper]
    words = [tokens[n].upper for n in top]
    if (
        not words
        or words[0] != "SELECT"
        or _SET_WORDS.intersection(words)
        or "FROM" not in words
    ):
        return statement
    start = top[words.index("FROM")] + 1
    stops = [n for n in top if n > start and tokens[n].upper in _AFTER_FROM]
    end = stops[0] if stops else len(tokens)
    terms = _sources(tokens[start:end], keys)
    if not terms:
        return statement
    limits = [n for n in top if n > start and tokens[n].upper == "LIMIT"]
    at = limits[0] if limits else len(tokens)
    addition = parse(f" ORDER BY {', '.join(terms)}").tokens
    if limits:
        tokens[at].spaced = True
    return Statement([*tokens[:at], *addition, *tokens[at:]])


def _sources(
    tokens: list[Token], keys: Callable[[str], tuple[str, ...] | None]
) -> list[str] | None:
    """`alias.key` for each table of a FROM clause; None where one of them is no table."""
    terms: list[str] = []
    expects = True
    for at, token in enumerate(tokens):
        if token.depth != 0:
            continue
        if token.text == "," or token.upper == "JOIN":
            expects = True
            continue
        if not expects:
            continue
        if token.upper in _JOIN_WORDS:
            continue
        found = keys(token.name) if token.name else None
        if not found or (at + 1 < len(tokens) and tokens[at + 1].text == "("):
            return None
        alias = token.text
        if at + 1 < len(tokens):
            after = tokens[at + 1]
            if after.upper == "AS" and at + 2 < len(tokens):
                alias = tokens[at + 2].text
            elif after.name and after.upper not in _JOIN_WORDS:
                alias = after.text
        terms += [f"{alias}.{key}" for key in found]
        expects = False
    return terms
