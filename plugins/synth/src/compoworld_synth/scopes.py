"""Scopes: parameters of most tools, which say where records lie or how any call works."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from compoworld_synth import lexicon
from compoworld_synth.naming import words
from compoworld_synth.operations import Operation


def scope_names(operations: Sequence[Operation]) -> frozenset[str]:
    """Names of parameters that at least two fifths of the tools take.

    A server whose only resource is addressed by `id` everywhere has no scope, so key words
    alone never are one.
    """
    counted: Counter[str] = Counter()
    for item in operations:
        inner = item.spec.rest is not None  # what a body holds is written, it scopes nothing
        counted.update({p.name for p in item.params if not (inner and len(p.path) > 1)})
    floor = max(4, 0.4 * len(operations))
    return frozenset(
        name
        for name, times in counted.items()
        if times >= floor
        and words(name)
        and words(name)[-1:] != ("query",)
        and not (len(words(name)) == 1 and words(name)[0] in lexicon.KEYS)
    )


def option_names(operations: Sequence[Operation]) -> frozenset[str]:
    """The optional query parameters of DELETE: no filter and no value, since it has neither."""
    return frozenset(
        param.name
        for item in operations
        if item.spec.rest is not None and item.spec.rest.method == "DELETE"
        for param in item.params
        if not param.required and param.name in item.spec.rest.query_parameters
    )
