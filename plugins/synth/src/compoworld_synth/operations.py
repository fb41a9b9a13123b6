"""Operations: what a tool's name says that it does, and to what.

A name is read once into verb, noun, qualifiers and modifiers; everything later works on that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

from compoworld_synth import lexicon
from compoworld_synth.naming import is_plural, singular

if TYPE_CHECKING:
    from compoworld_synth.listing import ToolSpec
    from compoworld_synth.schemas import Param

_STRONG = frozenset(lexicon.VERBS) - lexicon.NOT_FIRST
_ALONE = _STRONG | frozenset(lexicon.TRANSITIONS) - lexicon.NOT_FIRST


@define
class Phrase:
    """A name, read: `list_my_tasks_for_project` → list, task, plural, my, for project."""

    verb: str = ""
    group: str = ""
    """Class of the verb: get, list, search, create, …, transition, compute, or nothing."""
    noun: tuple[str, ...] = ()
    """Singular words, without qualifiers in front and `details` behind."""
    plural: bool = False
    qualifiers: tuple[str, ...] = ()
    modifiers: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Preposition and its words: `by id`, `for project`."""
    batch: bool = False
    trailing: str = ""
    position: str = "first"
    """Where the verb stands: first, last, middle or nowhere."""


@define
class Operation:
    """A tool under analysis."""

    spec: ToolSpec
    params: tuple[Param, ...]
    phrase: Phrase
    resource: str | None = None
    own: Param | None = None
    """The parameter that takes the key of the record."""
    action: Any = None
    """The value of the tool's action parameter that asks for it; None for a tool of one."""
    action_param: str | None = None
    container: str | None = None
    """The entity whose key a bare `id` is, where it is not the noun's own."""
    notes: list[str] = field(factory=list)

    @property
    def text(self) -> str:
        """The description, in one line."""
        return " ".join((self.spec.description or "").split())


def group_of(verb: str) -> str:
    """Class of a verb: computing ones and those of state machines are classes too."""
    if verb in lexicon.VERBS:
        return lexicon.VERBS[verb]
    if verb in lexicon.TRANSITIONS:
        return "transition"
    return "compute" if verb in lexicon.COMPUTING else ""


def read_name(found: Sequence[str]) -> Phrase:
    """The phrase of a name's words (without the server's prefix).

    >>> read_name(("get", "pull", "requests", "by", "author")).noun
    ('pull', 'request')
    """
    rest = list(found)
    batch = bool(rest) and rest[0] in ("bulk", "batch", "multi")
    if batch and len(rest) > 1:
        rest = rest[1:]
    marked = _marked(rest)
    if marked is not None:
        return marked
    place, position = _verb_place(rest)
    if place is None:
        return Phrase(noun=tuple(singular(word) for word in rest), position="nowhere")
    verb = rest[place]
    others = rest[:place] + rest[place + 1 :]
    if others and others[0] in ("bulk", "batch", "multiple", "many"):
        batch, others = True, others[1:]
    if len(others) > 1 and others[-1] in ("bulk", "batch"):
        batch, others = True, others[:-1]
    listed = others[1:] if verb == "get" and others[:1] == ["list"] else []
    several = bool(listed) and listed[-1] not in lexicon.TRAILING and is_plural(listed[-1])
    if several or listed[:1] == ["of"]:
        verb, others = "list", listed
    if verb == "list" and others[:1] == ["of"] and len(others) > 1:
        others = others[1:]
    phrase = Phrase(verb=verb, group=group_of(verb), batch=batch, position=position)
    _read_noun(phrase, others)
    if position == "last" and phrase.group not in ("get", "list", "search"):
        phrase.plural = False  # `epics-create`: the plural names the family of tools
    return phrase


def _marked(rest: Sequence[str]) -> Phrase | None:
    """`mark_notification_as_read`: a state that the last word names."""
    if rest[:1] != ["mark"] or len(rest) < 3 or rest[-2] != "as":
        return None
    verb = f"mark_as_{rest[-1]}"
    if verb not in lexicon.TRANSITIONS:
        return None
    phrase = Phrase(verb=verb, group="transition")
    _read_noun(phrase, list(rest[1:-2]))
    return phrase


def _verb_place(rest: Sequence[str]) -> tuple[int | None, str]:
    """Index of the verb and where it stands."""
    if not rest:
        return None, "nowhere"
    first, last = rest[0], rest[-1]
    known = first in lexicon.VERBS or first in lexicon.TRANSITIONS or first in lexicon.COMPUTING
    if known and first not in lexicon.NOT_FIRST:
        return 0, "first"
    if len(rest) > 1 and last in _ALONE:
        return len(rest) - 1, "last"
    for index, word in enumerate(rest[1:-1], 1):
        if word in _STRONG and word not in ("view", "new", "open", "draft", "index"):
            return index, "middle"
    return (0, "first") if known else (None, "nowhere")


def _read_noun(phrase: Phrase, others: Sequence[str]) -> None:
    """Fill noun, qualifiers and modifiers from the words beside the verb."""
    head: list[str] = []
    modifiers: list[tuple[str, tuple[str, ...]]] = []
    current: list[str] = head
    preposition = ""
    for word in others:
        if word in lexicon.PREPOSITIONS and (head or preposition or word in ("by", "for")):
            if preposition:
                modifiers.append((preposition, tuple(current)))
            preposition, current = word, []
        else:
            current.append(word)
    if preposition:
        modifiers.append((preposition, tuple(current)))
    while len(head) > 1 and head[0] in lexicon.PREPOSITIONS:
        modifiers.append((head[0], tuple(head[1:])))
        head = ["reply"] if phrase.verb == "reply" else head[1:]
    qualifiers = []
    while len(head) > 1 and head[0] in lexicon.QUALIFIERS:
        qualifiers.append(head.pop(0))
    trailing = ""
    while len(head) > 1 and head[-1] in lexicon.TRAILING:
        trailing = head.pop()
    if trailing in ("records", "objects"):
        phrase.plural = True
    phrase.trailing = trailing
    phrase.qualifiers = tuple(qualifiers)
    phrase.modifiers = tuple(modifiers)
    phrase.plural = phrase.plural or (bool(head) and is_plural(head[-1]))
    phrase.plural = phrase.plural or "all" in qualifiers
    phrase.noun = tuple(singular(word) for word in head)
    if phrase.noun and (phrase.noun[-1] in lexicon.SELF or phrase.noun == ("auth", "user")):
        phrase.noun, phrase.plural = ("user",), False
        phrase.qualifiers = (*phrase.qualifiers, "current")
