"""`compoworld bench`: the keys are a contract, and the clock tells slow from quick."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from compoworld_core import compose, plugins
from compoworld_core.bench.calls import read_time, write_time
from compoworld_core.bench.clock import median_us, medians_us
from compoworld_core.bench.figures import TARGETS, Effort, targets
from compoworld_core.bench.worlds import digest_us_per_change, fork_cost
from compoworld_core.cli import run

SERVICES = Path(__file__).parents[1] / "services"
TINY = Effort(loop=0.004, tasks=0.05, starts=1)
KEYS = {
    "read_us", "write_us", "fork_us", "fork_bytes", "digest_us_per_change", "reference",
    "tasks_per_second", "tasks_per_second_1000", "certificate_ms", "verdict_us",
    "calibration_us",
}  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The sample services and their generator are installed, and no other service."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SERVICES / "installed"))
        patch.setenv("PYTHONPATH", f"{SERVICES}{os.pathsep}{SERVICES / 'installed'}")
        patch.setenv("COMPOWORLD_DISABLE_PLUGINS", "services")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        plugins.current.cache_clear()
        yield
    plugins.current.cache_clear()


def test_the_document_has_the_keys_that_others_rely_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("compoworld_core.cli.bench.QUICK", TINY)
    assert run(["bench", "--quick", "--generator", "sample", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found.keys() >= KEYS
    wanted = {"validate_us", "record_json_us", "dict_get_us", "deepcopy_1000_us"}
    assert found["reference"].keys() >= wanted
    assert all(value > 0 for value in found["reference"].values())
    assert found["tasks_per_second"] > 0
    assert found["certificate_ms"] > 0
    assert found["read_us"] > found["reference"]["validate_us"]
    assert set(found["targets"]) == {target.name for target in TARGETS}


def test_without_a_generator_the_rest_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("compoworld_core.cli.bench.QUICK", TINY)
    assert run(["bench", "--quick", "--generator", "absent"]) == 0
    told = capsys.readouterr().out
    assert [line.split()[1] for line in told.splitlines() if line.startswith("tasks_")] == [
        "not",
        "not",
    ]
    assert "fork_bytes" in told


def test_a_wrong_service_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "--services", "crn"]) == 2
    assert "Closest: crm" in capsys.readouterr().err


def test_the_clock_tells_slow_from_quick() -> None:
    assert 900 < median_us(lambda: time.sleep(0.001), 0.02) < 100_000
    slow, quick = medians_us([lambda: sum(range(3000)), lambda: sum(range(3))], 0.01)
    assert slow > 5 * quick


def test_a_ratio_up_to_one_is_good_for_rates_and_times() -> None:
    found = targets({"read_us": 2.5, "tasks_per_second": 40.0, "help_ms": 450.0})
    assert {name: (row["ratio"], row["ok"]) for name, row in found.items()} == {
        "read_us": (0.5, True),
        "tasks_per_second": (0.5, True),
        "help_ms": (1.5, False),
    }


def test_calls_of_one_record_are_found_and_leave_the_world_alone() -> None:
    world = compose("crm", "billing", scale=60)
    before = world.digest()
    for name in ("crm", "billing"):
        read, write = read_time(world, name, 0.002), write_time(world, name, 0.002)
        assert read is not None or write is not None
        for found in (read, write):
            assert found is None or found.us > 0
    assert world.digest() == before
    assert world.transcript == []


def test_a_fork_is_small_and_a_change_costs_something() -> None:
    world = compose("crm", "billing", scale=200)
    assert 0 < fork_cost(world, 0.002).bytes < 20_000
    assert digest_us_per_change(world, 0.02) > 0
