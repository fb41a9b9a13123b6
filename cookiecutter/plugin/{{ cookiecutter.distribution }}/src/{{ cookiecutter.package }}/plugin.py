"""The reward {{ cookiecutter.reward }}: nothing for one miss too many."""

from collections.abc import Sequence

from compoworld_core import Register, hookimpl
from compoworld_core.records import Verdict


def reward(verdicts: Sequence[Verdict], *, misses: int = 1) -> list[float]:
    """1 where at most `misses` criteria do not hold and no gate is broken, else 0."""
    return [
        float(sum(not ok for ok in v.criteria.values()) <= misses and all(v.gates.values()))
        for v in verdicts
    ]


@hookimpl
def register_rewards(register: Register) -> None:
    """Add `{{ cookiecutter.reward }}`."""
    register("{{ cookiecutter.reward }}", reward, summary="1 where at most one criterion fails")
