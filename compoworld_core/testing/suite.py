"""The conformance suite: what every service must pass to compose with all others."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

from compoworld_core.service import Service
from compoworld_core.testing import behaviour, declared, processes, worlds
from compoworld_core.testing.trial import Failure, Trial, brief

Check = Callable[[Trial], Iterator[str]]

CHECKS: Final[dict[str, Check]] = {
    "names": declared.names,
    "documented": declared.documented,
    "schemas": declared.schemas,
    "seeds": worlds.seeds,
    "round trip": worlds.round_trips,
    "answers": behaviour.answers,
    "read only": behaviour.read_only,
    "failed calls": behaviour.failed_calls,
    "hostile arguments": behaviour.hostile,
    "results": behaviour.results,
    "idempotent": behaviour.idempotent,
    "forks": behaviour.forks,
    "references": worlds.references,
    "surroundings": processes.surroundings,
    "processes": processes.processes,
}
"""Name → check: a generator of sentences, each a reason why the service does not pass."""

_MOST = 20
"""Reasons kept per check: a broken kind shows itself many times."""


def check_service(service: Service[Any], *, seed: int = 0, calls: int = 0) -> list[Failure]:
    """Run the conformance suite; an empty list means that the service passes.

    Args:
        seed: draws the worlds and the calls; the same seed gives the same findings.
        calls: random calls per sequence; 0 takes a number by how many tools there are.
    """
    trial = Trial(service, seed, calls)
    failures = []
    for name in CHECKS:
        failures += run_check(name, trial)
    return failures


def run_check(name: str, trial: Trial) -> list[Failure]:
    """One check by its name; what stops it is a failure too."""
    failures: list[Failure] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # pydantic: a result of another type
            for why in CHECKS[name](trial):
                failures.append(Failure(name, why))
                if len(failures) == _MOST:
                    break
    except Exception as error:  # a service may break anywhere; that is the finding
        what = f"{type(error).__name__}: {brief(str(error), 300)}"
        failures.append(Failure(name, f"the check could not go on: {what}"))
    return failures
