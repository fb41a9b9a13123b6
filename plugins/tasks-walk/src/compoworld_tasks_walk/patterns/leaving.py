"""Except: all records of a set, but for those of one kind."""

from __future__ import annotations

from compoworld_tasks_walk.patterns.each import Each


class Except(Each):
    """A negative instruction: "cancel their orders, but leave the ones on hold alone".

    That those are left alone holds in s0 already: it is the gate that demands it, and the
    mutant "condition ignored" that must break it.
    """

    name = "except"
    weight = 5.0
    probes = ("edges-carry", "unambiguous", "tolerant-and-strict")
    negated = True
