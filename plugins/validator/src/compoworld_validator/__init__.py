"""Independent validation of services, and bugs injected to test it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compoworld_core.service import Service
    from compoworld_validator.verdict import Verdicts


def validate(service: Service[Any], *, cases: int = 100, seed: int = 0) -> Verdicts:
    """Examine every deterministic tool of a service and say which fail, and why.

    Sees the tools' names, schemas and annotations, and the running service; not its code.

    Args:
        service: any service.
        cases: argument sets tried for each tool.
        seed: of the world and of the arguments; the same seed gives the same verdicts.
    """
    from compoworld_validator.examination import examined

    return examined(service, cases, seed)


def detects(service: Service[Any]) -> bool:
    """Whether validation finds anything wrong with the service."""
    from compoworld_validator.examination import faulty

    return faulty(service, 100, 0)
