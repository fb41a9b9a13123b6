"""Each pattern by itself: its tasks contain it, and what its edge carries decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from compoworld_tasks_walk.patterns import PATTERNS, Pattern

from compoworld_core import facts
from compoworld_core.environment import Environment
from compoworld_core.errors import UnknownName, UsageError
from compoworld_core.expressions import Rule, walk
from compoworld_core.generation import Rejection, Request, attempt, load_generator
from compoworld_core.plan import Selection
from compoworld_core.proof.certificate import PROBES
from compoworld_core.proof.player import play
from compoworld_core.proof.probes.edges import DECISION, changed_start
from compoworld_core.proof.verdict import judge
from compoworld_core.records import Task
from compoworld_core.state import Entity
from compoworld_core.world import World

# the first test of a changed core learns all tools anew, on however loaded a machine
pytestmark = pytest.mark.timeout(600)

Found = Callable[..., Task]
StartOf = Callable[[Task], Environment]

NARROWED = ("join", "correction", "statement", "copy")
"""Patterns that are looked for among few others."""


def passes(task: Task, initial: Environment, final: Environment) -> bool:
    return judge(task.criteria, task.gates, initial, final, answer=final.answer).success


@pytest.mark.parametrize("pattern", NARROWED)
def test_patterns_narrow_what_visits_do(
    found: Found, few: dict[str, tuple[str, ...]], pattern: str
) -> None:
    task = found(pattern)
    first, *others = task.provenance["patterns"]
    assert first == "start"
    assert len(others) >= len(task.walk) - 1
    assert set(others) <= set(few[pattern])


@pytest.mark.parametrize("pattern", [pattern.name for pattern in PATTERNS])
def test_what_the_edges_of_a_task_with_a_pattern_carry_decides_the_outcome(
    start_of: StartOf, found: Found, pattern: str
) -> None:
    task = found(pattern)
    initial = start_of(task)
    here = play(task.reference, initial.fork())
    assert passes(task, initial, here.environment)
    shown = {other.edge for other in task.certificate.worlds}
    assert shown >= set(range(len(task.walk) - 1))
    for other in task.certificate.worlds:
        if other.patch.ledger is not None:
            continue  # a new id: the criteria follow whichever it is
        changed = changed_start(initial, other)
        there = play(task.reference, changed.fork())
        assert not passes(task, changed, there.environment), other.says


def test_a_set_is_changed_as_a_whole_and_its_siblings_stay(found: Found) -> None:
    task = found("each")
    goals = {goal.step: goal.id for goal in task.reference.goals}
    criteria = {criterion.id: criterion for criterion in task.criteria}
    each = [criteria[goals[s.id]] for s in task.reference.steps if s.foreach and s.write]
    assert each
    for criterion in each:
        assert len(criterion.targets) >= 2
        keys = [target.key for target in criterion.targets if target.key is not None]
        assert len(set(map(str, keys))) == len(keys)


def test_an_aggregate_carries_a_figure_that_no_row_need_hold(found: Found) -> None:
    task = found("aggregate")
    assert "aggregate" in {carry.source for carry in task.reference.carries}


def test_an_unknown_pattern_is_wrong_usage(
    world: World, request_of: Callable[..., Request]
) -> None:
    with pytest.raises(UnknownName, match=r"'joyn'.*join"):
        attempt(world, load_generator("walk"), request_of(patterns=("joyn",)), 0)


@pytest.mark.parametrize("options", [{"shadow": False}, {"registers": ["shouting"]}])
def test_an_unknown_option_is_wrong_usage(
    world: World, request_of: Callable[..., Request], options: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match="The walk generator has: plans, registers"):
        attempt(world, load_generator("walk"), request_of(options=options), 0)


def test_the_registers_can_be_chosen(tries: Callable[..., list[Task | Rejection]]) -> None:
    made = tries(12, options={"registers": ["ticket"]})
    registers = {t.provenance["register"] for t in made if isinstance(t, Task)}
    assert registers == {"ticket"}


def test_only_the_named_services_are_walked_over(
    tries: Callable[..., list[Task | Rejection]],
) -> None:
    names = ("gmail", "hubspot", "stripe", "zendesk")
    made = [t for t in tries(12, services=names) if isinstance(t, Task)]
    assert made
    for task in made:
        assert set(task.walk) <= set(names)
        assert task.distractors


def test_a_branch_takes_the_other_way_in_the_other_world(
    start_of: StartOf, found: Found
) -> None:
    task = found("branch")
    initial = start_of(task)
    ways = [step.id for step in task.reference.steps if step.when is not None]
    here = play(task.reference, initial.fork()).scope.outputs
    assert len(ways) == 2
    assert sum(step in here for step in ways) == 1
    taken = {step for step in ways if step in here}
    others = [
        set(play(task.reference, changed_start(initial, world_).fork()).scope.outputs)
        for world_ in task.certificate.worlds
    ]
    assert any(set(ways) & outputs == set(ways) - taken for outputs in others)


def test_a_fallback_is_forced_by_a_refusal(start_of: StartOf, found: Found) -> None:
    task = found("fallback")
    replay = play(task.reference, start_of(task).fork())
    attempt = next(step for step in task.reference.steps if step.may_fail)
    assert not replay.played(attempt.id)
    assert attempt.id in replay.scope.outputs
    decisions = [other for other in task.certificate.worlds if other.edge == DECISION]
    assert decisions
    changed = changed_start(start_of(task), decisions[0])
    assert play(task.reference, changed.fork()).played(attempt.id)


def alike(initial: Environment, selection: Selection, key: Any) -> list[Entity]:
    """The rows that meet what a selection asks for, exceptions and ranks apart, as one does."""
    table = initial.states[selection.service].table(selection.table)
    own = table.get(key)
    shared = [field for field, _, _ in selection.conditions if field not in selection.negated]
    return [row for row in table if all(getattr(row, f) == getattr(own, f) for f in shared)]


def test_those_that_are_left_alone_share_the_key(start_of: StartOf, found: Found) -> None:
    task = found("except")
    initial = start_of(task)
    scope = play(task.reference, initial.fork()).scope
    left = [s for s in task.reference.selections if s.negated]
    assert left
    for selection in left:
        taken = selection.key.value(scope)
        spared = [r for r in alike(initial, selection, taken[0]) if r.id not in taken]
        values = {str(getattr(row, selection.negated[0])) for row in spared}
        assert len(values) == 1, "those that are spared are of one kind"


def test_the_latest_is_not_the_only_one(start_of: StartOf, found: Found) -> None:
    task = found("latest")
    initial = start_of(task)
    scope = play(task.reference, initial.fork()).scope
    ranked = [s for s in task.reference.selections if s.best is not None]
    assert ranked
    for selection in ranked:
        assert selection.best is not None
        key, (field, op) = selection.key.value(scope), selection.best
        values = {row.id: getattr(row, field) for row in alike(initial, selection, key)}
        assert len(values) > 1
        assert values[key] == (max if op == "largest" else min)(values.values())


def test_a_correction_is_read_out_of_a_text_that_earlier_ones_contradict(found: Found) -> None:
    task = found("correction")
    kinds = {e.op for step in task.reference.steps for e in step.expressions()}
    assert "grep" in kinds
    decoys = [d for c in task.criteria for t in c.targets for k in t.checks for d in k.decoys]
    assert len(decoys) >= 2


def test_a_policy_gives_what_its_rule_says_for_the_case(
    start_of: StartOf, found: Found
) -> None:
    task = found("policy")
    assert [other for other in task.certificate.worlds if other.edge == DECISION]
    assert "rule" in {carry.source for carry in task.reference.carries}
    scope = play(task.reference, start_of(task).fork()).scope
    rules = [e for s in task.reference.steps for e in s.expressions() if isinstance(e, Rule)]
    assert rules
    for rule in rules:
        case = str(rule.case.value(scope)).replace("_", " ").casefold()
        lines = str(rule.source.value(scope)).splitlines()
        (line,) = [line for line in lines if line.casefold().startswith(f"{case}:")]
        assert facts.mentions(rule.kind, rule.value(scope), line)


def test_an_answer_is_demanded_and_not_given_away(start_of: StartOf, found: Found) -> None:
    task = found("answer")
    initial = start_of(task)
    final = play(task.reference, initial.fork()).environment
    assert final.answer
    assert passes(task, initial, final)
    final.answer = "Done."
    assert not passes(task, initial, final)


def test_a_new_id_is_written_back_to_a_record_that_was_known(found: Found) -> None:
    task = found("write-back")
    ids = [carry.expr for carry in task.reference.carries if carry.source == "id"]
    assert ids
    wanted = [e for goal in task.reference.goals for x in goal.expects for e in x.exprs]
    assert all(expr in wanted for expr in ids)


def test_duplicates_are_told_apart_by_their_age(found: Found) -> None:
    task = found("dedup")
    ops = [s.best[1] for s in task.reference.selections if s.best is not None]
    assert {"smallest", "largest"} <= set(ops)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_a_pattern_names_probes_that_there_are(pattern: Pattern) -> None:
    assert pattern.probes
    assert set(pattern.probes) <= {probe.NAME for probe in PROBES}


def test_what_a_text_names_chooses_one_of_the_customers_records(
    start_of: StartOf, found: Found
) -> None:
    task = found("named")
    initial = start_of(task)
    scope = play(task.reference, initial.fork()).scope
    told = [c.expr for c in task.reference.carries if "grep" in {e.op for e in walk(c.expr)}]
    assert told
    chosen = [
        (selection, name)
        for selection in task.reference.selections
        for name, _, expr in selection.conditions
        if expr in told
    ]
    assert chosen
    for selection, name in chosen:
        table = initial.states[selection.service].table(selection.table)
        named = getattr(table.get(selection.key.value(scope)), name)
        ids = [op.id for op in task.s0.patches[selection.service].operations
               if op.table == selection.table]  # fmt: skip
        others = {str(getattr(table.get(key), name)) for key in ids} - {str(named)}
        assert len(others) >= 3


def test_what_a_text_states_is_demanded_and_its_rival_refused(found: Found) -> None:
    task = found("statement")
    carried = [c for c in task.reference.carries if c.expr.op == "grep"]
    assert carried
    demanded = [e for goal in task.reference.goals for x in goal.expects for e in x.exprs]
    assert all(carry.expr in demanded for carry in carried)
    checks = [k for c in task.criteria for t in c.targets for k in t.checks]
    assert any(check.decoys for check in checks)


def test_an_appointment_is_at_an_hour_of_a_day_that_was_found(
    start_of: StartOf, found: Found
) -> None:
    task = found("appointment")
    scope = play(task.reference, start_of(task).fork()).scope
    expects = [x for goal in task.reference.goals for x in goal.expects]
    hours = [e for x in expects if x.kind == "datetime" for e in x.exprs if e.op == "fn"]
    assert hours
    for expr in hours:
        assert str(expr.value(scope))[10:].startswith("T")
        assert str(expr.value(scope))[:10] not in task.instruction
