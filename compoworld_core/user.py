"""The user of a task: what a message asks of them, and what they answer.

They hold facts back (`Task.user`) and tell each when they are asked for it. `PlainUser` is the
one that proofs are made with; a plugin may put another in its place for rollouts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from attrs import frozen

from compoworld_core import plugins
from compoworld_core.records import Task, UserFact
from compoworld_core.registry import check_options

if TYPE_CHECKING:
    from compoworld_core.protocols import User, UserFactory

USER: Final = "@user"
"""The service of a plan's step that asks the user. No service can have this name."""
ASK: Final = "ask"
"""The tool of such a step; its argument is `question`, its result `{"reply": …}`."""

VAGUE: Final = "What exactly do you need to know?"
NOTHING: Final = "I have nothing on that beyond what I wrote."

PATIENCE: Final = 20
"""Replies that a user gives at most, where nothing else is said."""

_READ: Final = 20_000
"""Characters of a message that are read, from its end: that is where questions stand."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n\s*\n")
_REQUEST: Final = re.compile(
    r"\b(?:tell me|give me|send me|remind me|let me know (?:the|what|which|when|how|who|your)"
    r"|(?:please|kindly) (?:tell|give|send|provide|confirm|specify|share|state|clarify)"
    r"|could you|can you|would you|do you (?:have|know)|i(?: would|'d)? (?:still )?need (?:the"
    r"|to know|your|more|some|a |an )|(?:is|are) missing)",
    re.IGNORECASE,
)
_COURTESY: Final = re.compile(
    r"\b(?:(?:any|some)thing else|else (?:i|you|we)|let me know if|further (?:help|questions"
    r"|changes|assistance)|other (?:questions|changes)|happy to help)",
    re.IGNORECASE,
)
"""What is said out of politeness at the end asks nothing."""
_WORD: Final = re.compile(r"[^\W_]+")
_IDLE: Final = frozenset((
    "a", "about", "all", "also", "am", "and", "any", "anybody", "anything", "are", "as",
    "at", "be", "before", "by", "can", "clarify", "could", "detail", "details", "did",
    "do", "does", "everything", "exactly", "fact", "facts", "for", "from", "further",
    "get", "give", "have", "help", "here", "hold", "how", "i", "if", "in", "info",
    "information", "is", "it", "just", "know", "known", "left", "let", "me", "missing",
    "more", "must", "my", "need", "needed", "next", "of", "on", "or", "please", "proceed",
    "provide", "question", "require", "required", "s", "send", "share", "should", "so",
    "some", "something", "start", "still", "tell", "than", "that", "the", "then", "there",
    "these", "thing", "this", "to", "us", "want", "we", "well", "what", "whatever",
    "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
))  # fmt: skip
"""Words of a question that names nothing."""


def questions(text: str) -> str:
    """The sentences of a message that ask something, courtesies apart; empty for none."""
    sentences = _SENTENCE.split(text[-_READ:].strip())
    asking = (s for s in sentences if "?" in s or _REQUEST.search(s))
    return "\n".join(sentence for sentence in asking if not _COURTESY.search(sentence))


def asked(facts: Sequence[UserFact], asking: str) -> list[UserFact]:
    """The facts that questions are about: each group of its words is in them."""
    words = _words(asking)
    return [fact for fact in facts if all(words & _folded(group) for group in fact.about)]


def touched(facts: Sequence[UserFact], text: str) -> list[UserFact]:
    """The facts that a text comes near: some of their words are in it."""
    words = _words(text)
    return [fact for fact in facts if any(words & _folded(group) for group in fact.about)]


def _words(text: str) -> set[str]:
    return _folded(_WORD.findall(text))


def _folded(words: Sequence[str]) -> set[str]:
    """Case and a plural do not matter."""
    low = [word.casefold() for word in words]
    return {w[:-1] if len(w) > 3 and w.endswith("s") and w[-2] != "s" else w for w in low}


@frozen
class PlainUser:
    """Answers what is asked, in the words of the facts, and nothing else.

    A pure function of the facts and of what was said, so forks and replays hear the same.
    """

    facts: tuple[UserFact, ...]
    patience: int = PATIENCE
    """Replies at most."""

    def reply(self, before: Sequence[tuple[str, str]], text: str) -> str | None:
        """The answer; None where nothing is asked or enough was answered.

        Whoever repeats a message to which there was nothing to say is not answered again.
        """
        asking = questions(text)
        if not asking or len(before) >= self.patience:
            return None
        told = asked(self.facts, asking)
        if told:
            return " ".join(fact.sentence for fact in told)
        if any(said == text for said, _ in before):
            return None
        named = any(word not in _IDLE for word in _words(asking))
        return NOTHING if named and not touched(self.facts, asking) else VAGUE


def make_user(
    task: Task, *, seed: int, name: str = "", options: Mapping[str, Any] | None = None
) -> User | None:
    """The user of one rollout; None for a task that has none.

    Raises UsageError where an option is not one of the simulator's.

    Args:
        task: whose user.
        seed: of the rollout, for simulators that draw.
        name: the simulator; by default the one that the task names.
        options: of the simulator named here; a task's default brings its own.
    """
    if task.user is None:
        return None
    given = dict(options or {}) if name else task.user.options | dict(options or {})
    name = name or task.user.simulator
    factory = cast("UserFactory", plugins.users().load(name))
    check_options(f"user {name!r}", factory, given, task, seed=seed)
    return factory(task, seed=seed, **given)
