"""Each pattern by itself: its tasks contain it, and what its edge carries decides."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from compoworld_tasks_walk.patterns import PATTERNS, Pattern

from compoworld_core import facts
from compoworld_core.environment import Environment
from compoworld_core.errors import UnknownName, UsageError
from compoworld_core.expressions import Rule
from compoworld_core.generation import Rejection, Request, attempt, load_generator
from compoworld_core.plan import Selection
from compoworld_core.proof.case import start_environment
from compoworld_core.proof.certificate import PROBES
from compoworld_core.proof.player import play
from compoworld_core.proof.probes.edges import DECISION, changed_start
from compoworld_core.proof.verdict import judge
from compoworld_core.records import Task
from compoworld_core.state import Entity
from compoworld_core.world import World

# the first test of a changed core learns all tools anew, on however loaded a machine
pytestmark = pytest.mark.timeout(600)

ALONE = {
    "join": ("join", "update", "create"),
    "named": ("named", "update"),
    "latest": ("latest", "copy", "create"),
    "correction": ("correction", "copy", "create"),
    "statement": ("statement", "copy", "create"),
    "aggregate": ("aggregate", "create", "copy"),
    "update": ("named", "update"),
    "each": ("each", "named", "statement"),
    "except": ("except", "named", "statement"),
    "branch": ("branch", "named", "update"),
    "fallback": ("fallback", "named", "update"),
    "dedup": ("dedup", "statement", "copy"),
    "copy": ("statement", "copy"),
    "deadline": ("deadline", "statement", "copy"),
    "appointment": ("appointment", "statement", "copy"),
    "convert": ("convert", "join", "named", "aggregate", "copy", "create"),
    "policy": ("policy", "named", "update", "statement", "copy"),
    "create": ("statement", "create"),
    "write-back": ("write-back", "create", "statement", "copy"),
    "answer": ("answer", "statement", "copy", "create"),
}
"""Pattern → few patterns with which it makes tasks: what is written must be read before."""

WALKS = {"write-back": (6, 7)}
"""Pattern → the walks that have room for it; at most a fifth of the edges carry an id."""

AT_HOME = ("gmail", "hubspot", "linear", "shopify", "stripe", "zendesk")
"""Services in which most patterns are at home, to find a task sooner."""
PLACES = {}
"""Pattern → services in which it is at home, where these are others."""

MOST_TRIES = 150

Found = Callable[[str], Task]


def start_of(world: World, task: Task) -> Environment:
    names = tuple(sorted((*task.services, *task.distractors)))
    return start_environment(world.services, world.states, task.s0.patches, names)


@pytest.fixture(scope="module")
def found(world: World, request_of: Callable[..., Request]) -> Found:
    """`found(pattern)`: the first accepted task that contains it, made with little else."""
    generator = load_generator("walk")

    @cache
    def search(pattern: str) -> Task:
        walk = WALKS.get(pattern, (3, 4))
        asked = request_of(
            patterns=ALONE[pattern],
            k=2,
            walk=walk,
            distractors=1,
            services=PLACES.get(pattern, AT_HOME),
        )
        for index in range(MOST_TRIES):
            outcome = attempt(world, generator, asked, index)
            if isinstance(outcome, Task) and pattern in outcome.provenance["patterns"]:
                return outcome
        pytest.fail(f"no task with {pattern} in {MOST_TRIES} tries")

    return search


def passes(task: Task, initial: Environment, final: Environment) -> bool:
    return judge(task.criteria, task.gates, initial, final, answer=final.answer).success


def test_every_pattern_is_tried_here() -> None:
    assert sorted(ALONE) == sorted(pattern.name for pattern in PATTERNS)


@pytest.mark.parametrize("pattern", ALONE)
def test_patterns_narrow_what_visits_do(found: Found, pattern: str) -> None:
    task = found(pattern)
    first, *others = task.provenance["patterns"]
    assert first == "start"
    assert len(others) == len(task.walk) - 1
    assert set(others) <= set(ALONE[pattern])


@pytest.mark.parametrize("pattern", sorted(ALONE.keys() - {"write-back"}))
def test_what_the_edge_into_a_pattern_carries_decides_the_outcome(
    world: World, found: Found, pattern: str
) -> None:
    task = found(pattern)
    visits = [n for n, name in enumerate(task.provenance["patterns"]) if name == pattern]
    initial = start_of(world, task)
    for visit in visits:
        others = [w for w in task.certificate.worlds if w.edge == visit - 1]
        assert others
        for other in others:
            changed = changed_start(initial, other)
            here = play(task.reference, initial.fork())
            there = play(task.reference, changed.fork())
            assert passes(task, initial, here.environment)
            assert not passes(task, changed, there.environment)


def test_a_set_is_changed_as_a_whole_and_its_siblings_stay(found: Found) -> None:
    task = found("each")
    goals = {goal.step: goal.id for goal in task.reference.goals}
    criteria = {criterion.id: criterion for criterion in task.criteria}
    each = [criteria[goals[s.id]] for s in task.reference.steps if s.foreach and s.write]
    assert each
    for criterion in each:
        assert len({target.key for target in criterion.targets}) >= 2


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


def test_a_branch_takes_the_other_way_in_the_other_world(world: World, found: Found) -> None:
    task = found("branch")
    initial = start_of(world, task)
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


def test_a_fallback_is_forced_by_a_refusal(world: World, found: Found) -> None:
    task = found("fallback")
    replay = play(task.reference, start_of(world, task).fork())
    attempt = next(step for step in task.reference.steps if step.may_fail)
    assert not replay.played(attempt.id)
    assert attempt.id in replay.scope.outputs
    decisions = [other for other in task.certificate.worlds if other.edge == DECISION]
    assert decisions
    changed = changed_start(start_of(world, task), decisions[0])
    assert play(task.reference, changed.fork()).played(attempt.id)


def alike(initial: Environment, selection: Selection, key: Any) -> list[Entity]:
    """The rows that meet what a selection asks for, exceptions and ranks apart, as one does."""
    table = initial.states[selection.service].table(selection.table)
    own = table.get(key)
    shared = [field for field, _, _ in selection.conditions if field not in selection.negated]
    return [row for row in table if all(getattr(row, f) == getattr(own, f) for f in shared)]


def test_those_that_are_left_alone_share_the_key(world: World, found: Found) -> None:
    task = found("except")
    initial = start_of(world, task)
    scope = play(task.reference, initial.fork()).scope
    left = [s for s in task.reference.selections if s.negated]
    assert left
    for selection in left:
        taken = selection.key.value(scope)
        spared = [r for r in alike(initial, selection, taken[0]) if r.id not in taken]
        values = {str(getattr(row, selection.negated[0])) for row in spared}
        assert len(values) == 1, "those that are spared are of one kind"


def test_the_latest_is_not_the_only_one(world: World, found: Found) -> None:
    task = found("latest")
    initial = start_of(world, task)
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


@pytest.mark.parametrize(
    ("pattern", "name"), [("deadline", ("days", "business_days")), ("convert", ("convert",))]
)
def test_what_is_reckoned_is_a_stated_transformation(
    found: Found, pattern: str, name: tuple[str, ...]
) -> None:
    task = found(pattern)
    used = {e.name for s in task.reference.steps for e in s.expressions() if e.op == "fn"}
    assert used & set(name)


def test_a_policy_gives_what_its_rule_says_for_the_case(world: World, found: Found) -> None:
    task = found("policy")
    assert [other for other in task.certificate.worlds if other.edge == DECISION]
    assert "rule" in {carry.source for carry in task.reference.carries}
    scope = play(task.reference, start_of(world, task).fork()).scope
    rules = [e for s in task.reference.steps for e in s.expressions() if isinstance(e, Rule)]
    assert rules
    for rule in rules:
        case = str(rule.case.value(scope)).replace("_", " ").casefold()
        lines = str(rule.source.value(scope)).splitlines()
        (line,) = [line for line in lines if line.casefold().startswith(f"{case}:")]
        assert facts.mentions(rule.kind, rule.value(scope), line)


def test_an_answer_is_demanded_and_not_given_away(world: World, found: Found) -> None:
    task = found("answer")
    initial = start_of(world, task)
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
