"""Tools for people who write services: the conformance suite and hostile arguments."""

from compoworld_core.references import dangling
from compoworld_core.testing.hostile import hostile_arguments
from compoworld_core.testing.suite import CHECKS, Check, check_service, run_check
from compoworld_core.testing.trial import Failure, Trial

__all__ = [
    "CHECKS",
    "Check",
    "Failure",
    "Trial",
    "check_service",
    "dangling",
    "hostile_arguments",
    "run_check",
]
