"""Markup: elements whose text is always escaped, since instructions and results are data."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TypeAlias


class Markup(str):
    """HTML that is safe as it stands; made by `element` only."""

    __slots__ = ()


Node: TypeAlias = "str | int | Iterable[Node] | None"
"""A child: markup, text, a number, several of these, or nothing."""

_EMPTY = frozenset({"meta", "br", "line", "path", "circle", "rect", "polygon"})


def element(tag: str, *children: Node, **attributes: str | int | float | bool | None) -> Markup:
    """An element; `class_` becomes `class`, other underscores become hyphens."""
    parts = [tag]
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        name = name.rstrip("_").replace("_", "-")
        parts.append(name if value is True else f'{name}="{_safe(str(value))}"')
    opened = f"<{' '.join(parts)}>"
    if tag in _EMPTY and not children:
        return Markup(opened.replace(">", "/>") if tag not in ("meta", "br") else opened)
    return Markup(f"{opened}{text_of(children)}</{tag}>")


def text_of(node: Node) -> Markup:
    """A node as HTML."""
    if node is None:
        return Markup("")
    if isinstance(node, Markup):
        return node
    if isinstance(node, str | int):
        return Markup(_safe(str(node)))
    return Markup("".join(text_of(child) for child in node))


def _safe(text: str) -> str:
    """Escaped, and without what a file cannot hold: lone surrogates and control characters."""
    kept = "".join(c if c >= " " or c in "\n\t" else "\ufffd" for c in text)
    return escape(kept.encode("utf-8", "replace").decode())
