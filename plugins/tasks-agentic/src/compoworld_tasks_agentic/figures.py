"""Figures: what the model's work for a run came to, read from the run folder alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from compoworld_core.run import Run

_COUNTS: Final = ("replies", "requests", "prompt_tokens", "completion_tokens")
_TOLD: Final = re.compile(r"\[((?:[a-z_]+ \d+(?:, )?)+)\]$")
"""The counts at the end of a refused try's reason."""


def figures(run: Run) -> dict[str, Any]:
    """Tries by their end, what refused them, and replies and tokens of accepted and refused."""
    ends: Counter[str] = Counter(accepted=0, repaired=0, kept=0, rejected=0)
    refused_by: Counter[str] = Counter()
    accepted: Counter[str] = Counter(dict.fromkeys(_COUNTS, 0))
    rejected: Counter[str] = Counter(dict.fromkeys(_COUNTS, 0))
    for task in run.tasks():
        writer = task.provenance.get("writer")
        if isinstance(writer, Mapping):
            ends[writer["outcome"]] += 1
            ends["repaired"] += writer["outcome"] == "accepted" and writer["repairs"] > 0
            accepted.update({name: writer[name] for name in _COUNTS})
    for probe, counts in _refused(run):
        ends["rejected"] += 1
        refused_by[probe] += 1
        rejected.update({name: counts.get(name, 0) for name in _COUNTS})
    return {
        **ends,
        "refused_by": dict(sorted(refused_by.items())),
        "spent_on_accepted": dict(accepted),
        "spent_on_rejected": dict(rejected),
    }


def _refused(run: Run) -> Iterator[tuple[str, dict[str, int]]]:
    """Probe and counts of each refused try for which the model was asked."""
    for metric in run.metrics():
        told = _TOLD.search(str(metric.get("why", "")))
        if metric.get("kind") == "try" and told:
            pairs = (part.split() for part in told[1].split(", "))
            yield metric["probe"], {name: int(count) for name, count in pairs}
