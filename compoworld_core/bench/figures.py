"""Figures: one run of all benchmarks, with targets and ratios."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any, Final

from attrs import asdict, frozen

from compoworld_core.bench.calls import ReadTime, WriteTime, read_time, write_time
from compoworld_core.bench.clock import calibration_us
from compoworld_core.bench.proofs import certificate_ms, generation_rate, verdict_us
from compoworld_core.bench.start import command_ms, listing_ms
from compoworld_core.bench.worlds import (
    deepcopy_1000_us,
    dict_get_us,
    digest_us_per_change,
    fork_cost,
)
from compoworld_core.composition import compose
from compoworld_core.plugins import task_generators

RECORDS: Final = 1000
LISTED: Final = 448
"""Services of the listing that is timed; those that are not installed are made up."""
_FORKED: Final = 10


@frozen
class Effort:
    """How long to measure."""

    loop: float
    """Seconds for one small loop."""
    tasks: float
    """Seconds of generating tasks, for each scale."""
    starts: int


FULL: Final = Effort(loop=0.12, tasks=10.0, starts=5)
QUICK: Final = Effort(loop=0.03, tasks=2.5, starts=3)


@frozen
class Target:
    """What a figure should reach."""

    name: str
    unit: str
    says: str
    bound: float
    at_least: bool = False

    def ratio(self, value: float) -> float:
        """The figure's share of its bound; up to 1 is good, for a rate as for a time."""
        if self.at_least:
            return self.bound / value if value > 0 else float("inf")
        return value / self.bound


TARGETS: Final = (
    Target("read_us", "µs", "read one of 1,000 records through call, JSON in and out", 5),
    Target("read_to_physical", "×", "the same, against validation + record to JSON alone", 4),
    Target("write_us", "µs", "update one of 1,000 records through call", 10),
    Target("fork_us", "µs", "fork of 10 services with 1,000 records each", 50),
    Target("fork_bytes", "B", "memory of such a fork until its first write", 20 * 1024),
    Target("certificate_ms", "ms", "certificate of one K=5 task", 40),
    Target("certificate_ms_1000", "ms", "the same, 1,000 records", 60),
    Target("tasks_per_second", "/s", "tasks generated and proven, 200 records", 20, True),
    Target("tasks_per_second_1000", "/s", "the same, 1,000 records", 12, True),
    Target("verdict_us", "µs", "longest rubric's verdict, per criterion, times ten", 1000),
    Target("help_ms", "ms", "compoworld --help", 300),
    Target("services_list_ms", "ms", "compoworld services list, 448 services", 300),
)
"""The figures of DESIGN, section 9."""


def measure(
    services: Sequence[str],
    effort: Effort = FULL,
    *,
    generator: str = "walk",
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """All figures of this machine, in one run.

    Args:
        services: installed services by name.
        effort: how long to measure.
        generator: whose tasks are counted; figures of tasks are None where it is missing.
        say: told what is being measured.
    """
    say("seeding 1,000 records a service")
    environment = compose(*services, scale=RECORDS)
    say("calls")
    reads = {name: read_time(environment, name, effort.loop) for name in services}
    writes = {name: write_time(environment, name, effort.loop) for name in services}
    say("forks and digests")
    ten = compose(*list(services)[:_FORKED], scale=RECORDS)
    fork = fork_cost(ten, effort.loop)
    found: dict[str, Any] = {
        "read_us": _median([each.us for each in reads.values() if each]),
        "write_us": _median([each.us for each in writes.values() if each]),
        "fork_us": fork.us,
        "fork_bytes": fork.bytes,
        "fork_services": fork.services,
        "digest_us_per_change": digest_us_per_change(environment, effort.loop),
        "reference": {
            "validate_us": _median([each.validate_us for each in reads.values() if each]),
            "record_json_us": _median([r.record_json_us for r in reads.values() if r]),
            "dict_get_us": dict_get_us(environment, effort.loop),
            "deepcopy_1000_us": deepcopy_1000_us(effort.loop),
        },
        "calibration_us": calibration_us(effort.loop),
    }
    found["read_to_physical"] = _to_physical(found)
    say("starts of the command line")
    found["help_ms"] = command_ms("--help", times=effort.starts)
    found["services_list_ms"] = listing_ms(LISTED, times=effort.starts)
    found |= _proofs(services, effort, generator, say)
    found["services"] = _by_service(reads, writes)
    found["targets"] = targets(found)
    return found


def _median(values: list[float]) -> float | None:
    return median(values) if values else None


def _to_physical(found: dict[str, Any]) -> float | None:
    reference = found["reference"]
    if found["read_us"] is None:
        return None
    ratio: float = found["read_us"] / (reference["validate_us"] + reference["record_json_us"])
    return ratio


def _proofs(
    services: Sequence[str], effort: Effort, generator: str, say: Callable[[str], None]
) -> dict[str, Any]:
    names = (
        "tasks_per_second",
        "tasks_per_second_1000",
        "certificate_ms",
        "certificate_ms_1000",
        "verdict_us",
    )
    if generator not in task_generators() or len(services) < 2:
        return dict.fromkeys(names)
    say("generating tasks, 200 records a service")
    small = generation_rate(tuple(services), 200, effort.tasks, generator)
    say("generating tasks, 1,000 records a service")
    large = generation_rate(tuple(services), RECORDS, effort.tasks, generator)
    say("certificates and verdicts")
    return {
        "tasks_per_second": small.per_second,
        "tasks_per_second_1000": large.per_second,
        "acceptance": small.accepted / small.tried,
        "acceptance_1000": large.accepted / large.tried,
        "certificate_ms": certificate_ms(small),
        "certificate_ms_1000": certificate_ms(large),
        "verdict_us": verdict_us(small, effort.loop),
    }


def _by_service(
    reads: dict[str, ReadTime | None], writes: dict[str, WriteTime | None]
) -> dict[str, Any]:
    found = {}
    for name, read in reads.items():
        write = writes[name]
        found[name] = {
            "read": asdict(read) if read else None,
            "write": asdict(write) if write else None,
        }
    return found


def targets(found: dict[str, Any]) -> dict[str, Any]:
    """For each figure with a target: its value, the bound, and the value's share of it."""
    rows = {}
    for target in TARGETS:
        value = found.get(target.name)
        if value is None:
            continue
        ratio = target.ratio(value)
        rows[target.name] = {
            "value": value,
            "bound": target.bound,
            "at_least": target.at_least,
            "ratio": ratio,
            "ok": ratio <= 1,
        }
    return rows
