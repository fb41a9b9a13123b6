"""Record: medians over seeds, gains seed by seed, and claims with their numbers."""

from typing import Any

from compoworld_trainer_grpo.experiments.pools import divide, hold_out
from compoworld_trainer_grpo.experiments.record import Record, Row, table


def row(arm: str, seed: int, success: float) -> Row:
    figures = {"mean": success, "low": success, "high": success}
    return Row(arm, "new", seed, 10, 40, figures, figures)


def record() -> Record:
    found = Record("demo", "title", "question")
    for seed, (before, after) in enumerate(((0.2, 0.5), (0.4, 0.5), (0.0, 0.6))):
        found.rows += [row("SFT", seed, before), row("RL", seed, after)]
    return found


def test_a_gain_is_the_median_of_the_differences_not_the_difference_of_medians() -> None:
    assert round(record().gain("RL", "SFT", "new"), 6) == 0.3
    uneven = record()
    uneven.rows[0] = row("SFT", 0, 0.45)  # seed 0: +0.05; medians: 0.5 - 0.4
    assert round(uneven.gain("RL", "SFT", "new"), 6) == 0.1


def test_a_seed_without_a_pair_is_no_part_of_a_gain() -> None:
    found = record()
    found.rows.append(row("RL", 9, 0.0))
    assert round(found.gain("RL", "SFT", "new"), 6) == 0.3


def test_the_summary_has_median_least_and_most() -> None:
    lines = {line["arm"]: line for line in record().summary()}
    assert lines["SFT"]["success"] == {"median": 0.2, "least": 0.0, "most": 0.4}
    assert lines["RL"]["seeds"] == 3
    assert table(record())[1][0][3] == "20.0% (0.0%, 40.0%)"


class Stub:
    def __init__(self, name: str, *services: str) -> None:
        self.id, self.services = name, services


def test_held_compositions_are_in_no_other_part() -> None:
    tasks: Any = [Stub(f"t{n}", *pair) for n, pair in enumerate([("a", "b"), ("b", "c")] * 5)]
    held = frozenset({"c", "b"})
    train, records, others = divide(iter(tasks), [held], 2)
    assert [task.id for task in train] == ["t0", "t2", "t4"]
    assert [task.id for task in records] == ["t6", "t8"]
    assert {frozenset(task.services) for task in others} == {held}


def test_what_is_held_out_has_only_services_that_training_has_with_others() -> None:
    pairs = [("a", "b")] * 4 + [("b", "c")] * 3 + [("a", "c")] * 2 + [("a", "z")] * 2
    tasks: Any = [Stub(f"t{n}", *pair) for n, pair in enumerate(pairs)]
    assert hold_out(tasks, 2) == frozenset({"a", "c"})  # z is in no other
    assert hold_out(tasks, 3) == frozenset({"b", "c"})
    assert hold_out(tasks[:4], 1) is None
