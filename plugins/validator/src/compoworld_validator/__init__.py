"""Independent validation of services, and bugs injected to test it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compoworld_core.service import Service
    from compoworld_validator.derivation import Ask
    from compoworld_validator.verdict import Verdicts


def validate(
    service: Service[Any], *, cases: int = 100, seed: int = 0, ask: Ask | None = None
) -> Verdicts:
    """Examine every tool that has code, marked or not, and say which fail, and why.

    Sees the tools' names, schemas and annotations, and the running service; not its code.

    Args:
        service: any service.
        cases: argument sets tried for each tool.
        seed: of the world and of the arguments; the same seed gives the same verdicts.
        ask: asks a language model, which derives further cases from the specification.
    """
    from compoworld_validator.examination import examined

    return examined(service.unmarked(), cases, seed, ask)


def detects(service: Service[Any]) -> bool:
    """Whether validation finds anything wrong with the service."""
    from compoworld_validator.examination import faulty

    return faulty(service.unmarked(), 100, 0)
