"""What the reward promises."""

from compoworld_core import plugins
from compoworld_core.records import Verdict
from {{ cookiecutter.package }}.plugin import reward


def verdict(*criteria: bool, gate: bool = True) -> Verdict:
    return Verdict(criteria={f"c{n}": ok for n, ok in enumerate(criteria)}, gates={"g": gate})


def test_one_miss_is_forgiven_and_two_are_not() -> None:
    assert reward([verdict(True, False), verdict(False, False)]) == [1.0, 0.0]


def test_a_broken_gate_is_not_forgiven() -> None:
    assert reward([verdict(True, True, gate=False)]) == [0.0]


def test_it_is_found_by_name() -> None:
    assert plugins.rewards().load("{{ cookiecutter.reward }}") is reward
