"""Band: whether a candidate is as hard as was asked for."""

from __future__ import annotations

from compoworld_core import difficulty
from compoworld_core.generation import Request
from compoworld_core.proof.case import Candidate


def outside(candidate: Candidate, request: Request) -> str:
    """How a candidate misses the wanted difficulty; empty where it does not."""
    if request.difficulty is None:
        return ""
    low, high = request.difficulty
    score = difficulty.rate(candidate)["score"]
    if low <= score <= high:
        return ""
    way = "more" if score < low else "fewer"
    return (
        f"the difficulty is {score:.2f}, {low:g} to {high:g} is wanted; it takes {way} writes,"
        " transformations, conditions and near-duplicates"
    )
