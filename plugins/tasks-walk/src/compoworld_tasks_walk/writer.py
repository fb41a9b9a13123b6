"""Writer: text put together word by word, with a span for each phrase that means something."""

from __future__ import annotations

from typing import Literal

from compoworld_core.plan import Fact
from compoworld_core.records import Span

_OPENERS = frozenset(" \n(")


class Writer:
    """The text so far, its spans, and what a reader takes each noun to mean by now."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.length = 0
        self.spans: list[Span] = []
        self.last: dict[str, str] = {}
        """Noun → the record that was mentioned last by it."""
        self.latest = ""
        """The record that was mentioned last of all."""
        self._tail = ""
        self._glue = True
        self._capital = False

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._parts)

    def raw(self, text: str) -> None:
        """Put text as it is."""
        if not text:
            return
        if self._capital and text[0] not in _OPENERS:
            text = text[0].upper() + text[1:]
            self._capital = False
        self._parts.append(text)
        self.length += len(text)
        self._tail = text[-2:] if len(text) > 1 else self._tail[-1:] + text
        self._glue = False

    def space(self) -> None:
        """A space, where one is needed."""
        if not self._glue and self._tail[-1:] not in _OPENERS:
            self.raw(" ")
        self._glue = True

    def glue(self) -> None:
        """The next word clings to what stands before it."""
        self._glue = True

    def word(self, text: str) -> None:
        """Put words, after a space."""
        if not text:
            return
        if self._glue or self._tail[-1:] in _OPENERS:
            self.raw(text)
        elif self._capital:
            self.raw(" ")
            self.raw(text)
        else:
            self.raw(f" {text}")

    def mark(self, text: str) -> None:
        """Put a mark that clings to the word before: a comma, 's."""
        self.raw(text)

    def begin(self) -> None:
        """The next word begins a sentence."""
        self._capital = True

    def stop(self, mark: str = ".") -> None:
        """End the sentence; a text in quotes that ends itself has ended it already."""
        if not self.ended or (self._tail[-1:] == '"' and mark != "."):
            self.raw(mark)

    def ends(self, text: str) -> bool:
        """Is this what was put last?"""
        return "".join(self._parts[-6:]).endswith(text)

    @property
    def ended(self) -> bool:
        """Has the text itself ended the sentence?"""
        end = self._tail
        return end[-1:] in ".?!" or (end[-1:] == '"' and end[0] in ".?!")

    def span(
        self,
        kind: Literal["literal", "selection", "reference"],
        target: str,
        noun: str = "",
        fact: Fact | None = None,
    ) -> _Phrase:
        """Whatever is put inside stands for the target."""
        return _Phrase(self, kind, target, noun, fact)

    def also(self, target: str, noun: str) -> None:
        """Let the phrase by which a record was first mentioned stand for another noun too."""
        first = next(s for s in self.spans if s.kind == "selection" and s.target == target)
        self.spans.append(first.model_copy(update={"noun": noun}))
        self.last.setdefault(noun, target)


class _Phrase:
    """A phrase while it is written."""

    __slots__ = ("fact", "kind", "noun", "start", "target", "writer")

    def __init__(
        self,
        writer: Writer,
        kind: Literal["literal", "selection", "reference"],
        target: str,
        noun: str,
        fact: Fact | None,
    ) -> None:
        self.writer, self.kind, self.target = writer, kind, target
        self.noun, self.fact = noun, fact

    def __enter__(self) -> None:
        self.writer.space()
        self.start = self.writer.length

    def __exit__(self, *error: object) -> None:
        writer = self.writer
        writer.spans.append(
            Span(
                start=self.start,
                end=writer.length,
                kind=self.kind,
                target=self.target,
                noun=self.noun,
                fact=self.fact,
            )
        )
        if self.kind != "literal":
            writer.latest = self.target
        if self.kind == "selection":
            writer.last[self.noun] = self.target
