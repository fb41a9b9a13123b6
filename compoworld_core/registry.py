"""Names to things: what CompoWorld knows by name, imported only when it is used."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import Parameter, signature
from typing import Any

from attrs import field, frozen

from compoworld_core.errors import DuplicateName, PluginError, UnknownName, UsageError


@frozen
class Entry:
    """A name and where its object is: enough to list it, and to import it on use."""

    name: str
    target: object = field(repr=False)
    """The object itself, or ``"module:attribute"`` for one that is imported on use."""
    summary: str = ""
    distribution: str = ""
    """The installed distribution it comes from; empty where it was registered by hand."""

    @property
    def where(self) -> str:
        """The target as a person reads it, with its distribution."""
        target = self.target
        if not isinstance(target, str):
            module = getattr(target, "__module__", type(target).__module__)
            name = getattr(target, "__qualname__", type(target).__qualname__)
            target = f"{module}:{name}"
        return f"{target} ({self.distribution})" if self.distribution else target


class Registry:
    """All entries of one kind, by name."""

    def __init__(self, kind: str, listing: str | None = None) -> None:
        """Make an empty registry.

        Args:
            kind: the singular noun for messages, such as ``task generator``.
            listing: the command that prints all names.
        """
        self.kind = kind
        self.listing = listing or "compoworld plugins list"
        self.broken: list[PluginError] = []
        """Why plugins failed to load; a missing name may be one of theirs."""
        self.clashes: dict[str, DuplicateName] = {}
        """Names that two plugins claim: raised when the name is used."""
        self._entries: dict[str, Entry] = {}
        self._loaded: dict[str, object] = {}

    def register(
        self, name: str, target: object, *, summary: str = "", distribution: str = ""
    ) -> None:
        """Add a name; a second, different target under it is an error."""
        entry = Entry(name, target, summary, distribution)
        first = self._entries.get(name)
        if first is not None:
            if first.target == target:
                return
            raise DuplicateName(self.kind, name, first.where, entry.where)
        self._entries[name] = entry

    def get(self, name: str) -> Entry:
        """Return the entry of a name without importing its target."""
        if name in self.clashes:
            raise self.clashes[name]
        entry = self._entries.get(name)
        if entry is None:
            raise self._unknown(name)
        return entry

    def load(self, name: str) -> object:
        """Return the object of a name, importing it the first time."""
        if name not in self._loaded:
            entry = self.get(name)
            target = entry.target
            self._loaded[name] = (
                resolve(target, f"{self.kind} {name!r}", entry.distribution)
                if isinstance(target, str)
                else target
            )
        return self._loaded[name]

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._entries)

    def entries(self) -> list[Entry]:
        """All entries, sorted by name."""
        return [self._entries[name] for name in self.names()]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self._entries)

    def _unknown(self, name: str) -> UnknownName:
        error = UnknownName(self.kind, name, closest(name, self._entries), self.listing)
        if self.broken:
            reasons = "; ".join(str(each) for each in self.broken)
            error.args = (f"{error}. Perhaps it is of a plugin that did not load: {reasons}",)
        return error


def closest(name: str, known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """The known names most like a mistyped one, best first."""
    return tuple(difflib.get_close_matches(name, sorted(known), n=limit, cutoff=0.5))


def resolve(target: str, what: str, distribution: str = "") -> object:
    """Import ``"module:attribute"``; a failure names what was wanted and who ships it."""
    source = f" of {distribution}" if distribution else ""
    module_name, _, attribute = target.partition(":")
    if not module_name or not attribute:
        raise PluginError(f"{what}{source} has the target {target!r}; write 'module:attribute'")
    try:
        value: object = importlib.import_module(module_name)
    except Exception as error:  # a stranger's module may raise anything when it is imported
        raise PluginError(
            f"{what}{source} does not load: importing {module_name} raised "
            f"{type(error).__name__}: {error}"
        ) from error
    for part in attribute.split("."):
        if not hasattr(value, part):
            raise PluginError(
                f"{what}{source} does not load: {module_name} has no {attribute!r}"
            )
        value = getattr(value, part)
    return value


def check_options(
    what: str, made: Callable[..., Any], options: Mapping[str, Any], *args: Any, **given: Any
) -> None:
    """UsageError that names the options there are, where some do not fit.

    Args:
        what: for the message: `simulator 'llm'`.
        made: will be called with all that follows.
        options: a person's; those of `made` are its keyword-only parameters.
        args: what the caller passes by place.
        given: what the caller passes by name.
    """
    found = signature(made)
    try:
        found.bind(*args, **given, **options)
    except TypeError as error:
        names = [
            parameter.name
            for parameter in found.parameters.values()
            if parameter.kind is Parameter.KEYWORD_ONLY and parameter.name not in given
        ]
        near = [
            f"{name}: closest {', '.join(alike)}"
            for name in options
            if name not in names and (alike := closest(name, names))
        ]
        raise UsageError(
            f"{what} does not take these options: {error}."
            f" {'; '.join(near) + '. ' if near else ''}It takes: {', '.join(names) or 'none'}"
        ) from error
