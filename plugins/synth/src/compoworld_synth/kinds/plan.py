"""Plan: what a rule thinks an operation is, with its evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from attrs import frozen

from compoworld_synth.design import Kind
from compoworld_synth.operations import Operation
from compoworld_synth.resources import Catalogue, Resource

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

READING: Final = frozenset({
    "get", "current_get", "list", "search", "count", "get_or_list", "part_get", "link_list",
    "batch_get", "get_by", "permissions",
})  # fmt: skip
"""Kinds that change nothing."""
WRITING: Final = frozenset({
    "create", "update", "transition", "upsert", "upload", "batch_create", "batch_update",
    "part_update", "current_update", "copy",
})  # fmt: skip
"""Kinds that write values of records."""
LISTING: Final = frozenset({"list", "search", "count", "get_or_list", "link_list"})
"""Kinds that select among all records."""


@frozen
class Pair:
    """Two entities that an operation joins or parts, and the parameters of their keys."""

    left: str
    right: str
    left_param: str
    right_param: str
    name: str
    """Singular, snake_case: what the membership is called."""


@frozen
class Plan:
    """A kind with its evidence in short sentences."""

    kind: Kind
    evidence: tuple[str, ...]
    sets: tuple[tuple[str, object], ...] = ()
    replaces: bool = False
    key: Param | None = None
    """The parameter that takes the key, where it is not the operation's own."""
    many: Param | None = None
    """The list of keys or of records of a batch."""
    owner: str | None = None
    """The entity whose records have this one as a part each."""
    pair: Pair | None = None
    doubt: str = ""
    """Why it is only grade B."""


Rule = Callable[[Operation, Resource, Catalogue], Plan | None]
