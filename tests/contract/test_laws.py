"""The laws, as properties over random call sequences on every installed service.

Product, atomic calls, determinism, forks, names; outcome, honest oracle and nothing unproven
on a sample task. A world is seeded once per service; each example plays in forks of it, which
is itself what the fork law allows.
"""

import copy
import itertools
import time
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, cast

import pytest
from attrs import evolve, frozen
from desk import service as desk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ledgerbook import service as ledgerbook
from pydantic_core import to_json
from sample_tasks import Draft, draft, sample_world

from compoworld_core import Service, compose, plugins
from compoworld_core.arguments import draw_arguments
from compoworld_core.composition import load_service
from compoworld_core.environment import Environment
from compoworld_core.errors import DuplicateName, ServiceError
from compoworld_core.meta import MetaTools
from compoworld_core.observation import Observation
from compoworld_core.proof.case import Case, Refuted
from compoworld_core.proof.mutations import extra_reads, skipped_step
from compoworld_core.proof.player import play as play_plan
from compoworld_core.proof.verdict import judge
from compoworld_core.service import Tool
from compoworld_core.testing import hostile_arguments

SAMPLES = {"desk": desk, "ledgerbook": ledgerbook}
NAMES = [*SAMPLES, *plugins.services().names()]
SCALE = 30

Step = tuple[int, int, str]
"""Which tool, the seed of its arguments, how they are drawn."""

kinds = st.sampled_from(["valid", "valid", "valid", "one wrong", "hostile"])
steps = st.lists(
    st.tuples(st.integers(0, 9999), st.integers(0, 2**32), kinds), min_size=1, max_size=12
)
law = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
every_service = pytest.mark.parametrize("name", NAMES)


def service_of(name: str) -> Service[Any]:
    return SAMPLES.get(name) or load_service(name)


@cache
def world(*names: str) -> Environment:
    """A seeded environment that nobody writes to: examples fork it."""
    return compose(*map(service_of, names), seed=11, scale=SCALE)


def tools_of(environment: Environment) -> list[Tool]:
    return [tool for tool in environment.tools().values() if tool.kind == "deterministic"]


def arguments_of(environment: Environment, tool: Tool, step: Step) -> str:
    _, seed, kind = step
    rng, state = Random(seed), environment.state(tool.service)
    if kind == "hostile":
        return rng.choice(list(hostile_arguments(tool, state, rng)))
    arguments = draw_arguments(tool, state, rng)
    texts = [name for name, value in arguments.items() if isinstance(value, str)]
    if kind == "one wrong" and texts:  # often refused late, after a part of the work
        arguments[rng.choice(texts)] = "gone"
    return to_json(arguments).decode()


def told(environment: Environment, tool: Tool, arguments: str) -> str:
    """What a call shows; a broken contract is another law's matter, but must show alike too."""
    try:
        return environment.call(tool.full_name, arguments).text
    except ServiceError as error:
        return f"broke: {type(error).__name__}"


def play(environment: Environment, program: list[Step]) -> list[str]:
    tools = tools_of(environment)
    shown = []
    for step in program:
        tool = tools[step[0] % len(tools)]
        arguments = arguments_of(environment, tool, step)
        shown.append(f"{tool.full_name} {arguments} → {told(environment, tool, arguments)}")
    return shown


def dump(environment: Environment) -> dict[str, str]:
    """Every byte: row order, clock and counters included."""
    return {name: state.model_dump_json() for name, state in environment.states.items()}


# -- 1. product ----------------------------------------------------------------------------


@law
@given(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True).map(sorted), steps)
def test_product_law(names: list[str], program: list[Step]) -> None:
    joint = world(*names).fork()
    alone = {name: world(name).fork() for name in names}
    tools = tools_of(joint)
    for step in program:
        tool = tools[step[0] % len(tools)]
        arguments = arguments_of(joint, tool, step)
        others = {name: s for name, s in joint.states.items() if name != tool.service}
        shown = told(joint, tool, arguments)
        assert all(joint.states[name] is state for name, state in others.items())
        assert shown == told(alone[tool.service], tool, arguments)
    for name in names:
        assert dump(joint)[name] == dump(alone[name])[name]


# -- 2. atomic calls -----------------------------------------------------------------------


@every_service
@settings(law, max_examples=6)
@given(program=steps, seed=st.integers(0, 2**32))
def test_atomic_calls(name: str, program: list[Step], seed: int) -> None:
    environment = world(name).fork()
    play(environment, program)
    rng = Random(seed)
    for tool in tools_of(environment):
        for arguments in nearly_right(environment, tool, rng):
            fork = environment.fork()
            before = dump(fork)
            try:
                failed = fork.call(tool.full_name, arguments).is_error
            except ServiceError:
                failed = True
            if failed or tool.read_only:
                assert dump(fork) == before, (tool.name, arguments)


def nearly_right(environment: Environment, tool: Tool, rng: Random) -> Iterator[str]:
    """Valid arguments, and the same with one wrong: refused late, after a part of the work."""
    arguments = draw_arguments(tool, environment.state(tool.service), rng, optional=0.7)
    yield to_json(arguments).decode()
    for name, value in arguments.items():
        if isinstance(value, str | int):
            wrong = "gone" if isinstance(value, str) else 10**9
            yield to_json({**arguments, name: wrong}).decode()


# -- 3. determinism ------------------------------------------------------------------------


@every_service
@law
@given(program=steps)
def test_same_calls_give_the_same_bytes(name: str, program: list[Step]) -> None:
    one, other = world(name).fork(), world(name).fork()
    assert play(one, program) == play(other, program)
    assert dump(one) == dump(other)
    assert one.digest() == other.digest()


@every_service
@settings(law, max_examples=3)
@given(programs=st.lists(steps, min_size=3, max_size=3))
def test_a_rollout_does_not_depend_on_those_before_it(
    name: str, programs: list[list[Step]]
) -> None:
    ends: dict[int, set[str]] = {0: set(), 1: set(), 2: set()}
    for order in itertools.permutations(range(3)):
        for number in order:
            environment = world(name).fork()
            play(environment, programs[number])
            ends[number].add(environment.digest())
    assert [len(digests) for digests in ends.values()] == [1, 1, 1]


@every_service
def test_the_day_outside_does_not_matter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = [(n, n * 7919, "valid") for n in range(40)]

    def everything() -> tuple[Any, ...]:
        environment = compose(service_of(name), seed=5, scale=SCALE)
        seeded = dump(environment)
        return seeded, play(environment, program), dump(environment)

    today = everything()
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 400 * 86_400)
    monkeypatch.setenv("TZ", "Etc/GMT-14")
    time.tzset()
    try:
        assert everything() == today
    finally:
        monkeypatch.undo()
        time.tzset()


@every_service
def test_another_seed_gives_another_world_and_other_ids(name: str) -> None:
    one, other = (compose(service_of(name), seed=seed, scale=SCALE) for seed in (1, 2))
    assert dump(one) != dump(other)
    assert one.digest() != other.digest()


@every_service
@law
@given(program=steps)
def test_a_state_read_back_from_json_goes_on_alike(name: str, program: list[Step]) -> None:
    service, environment = service_of(name), world(name).fork()
    play(environment, program)
    text = environment.state(name).model_dump_json()
    read = Environment.of([(service, service.state.model_validate_json(text))])
    assert read.digest() == environment.digest()
    assert play(read, program) == play(environment, program)
    assert dump(read) == dump(environment)


# -- 4. forks ------------------------------------------------------------------------------


@every_service
@law
@given(shared=steps, left=steps, right=steps)
def test_fork_law(name: str, shared: list[Step], left: list[Step], right: list[Step]) -> None:
    origin = world(name).fork()
    play(origin, shared)
    before = dump(origin)
    one, other, witness = origin.fork(), origin.fork(), origin.fork()
    shown = play(one, left)
    after = dump(one)
    play(other, right)
    assert dump(origin) == before
    play(origin, right)
    assert dump(one) == after
    assert dump(witness) == before
    replayed = world(name).fork()
    play(replayed, shared)
    assert play(replayed, left) == shown
    assert dump(replayed) == after


@every_service
def test_a_fork_copies_no_record(name: str) -> None:
    environment = world(name).fork()
    fork = environment.fork()
    play(fork, [(n, n, "valid") for n in range(30)])
    state, forked = environment.state(name), fork.state(name)
    for table in state.tables():
        assert forked.table(table).base is state.table(table).base


@every_service
@law
@given(program=steps)
def test_a_diff_is_what_differs(name: str, program: list[Step]) -> None:
    before = world(name).fork()
    after = before.fork()
    play(after, program)
    naive = set()
    for table in before.state(name).tables():
        old = {row.id: row for row in before.state(name).table(table)}
        new = {row.id: row for row in after.state(name).table(table)}
        naive |= {
            (table, key) for key in old.keys() | new.keys() if old.get(key) != new.get(key)
        }
    changes = before.diff(after)
    assert {(change.table, change.id) for change in changes} == naive
    assert len(changes) == len(naive)
    assert all(str(change).startswith(f"{name}: ") for change in changes)


# -- 5. outcome ----------------------------------------------------------------------------


@cache
def sample_task() -> tuple[Draft, Case]:
    made = draft(sample_world(scale=SCALE))
    case = Case(made.candidate(), made.initial())
    case.prepare()
    return made, case


@pytest.mark.parametrize("done", ["all", "a part"])
def test_a_verdict_follows_from_the_end_alone(done: str) -> None:
    """Another way to the same state, and no way at all that is known, are judged alike."""
    _, case = sample_task()
    end = case.replay.environment if done == "all" else skipped_step(case, Random(3))
    detour = extra_reads(case, Random(3)) if done == "all" else end.fork()
    ended_with_reads(detour)
    assert detour.digest() == end.digest()
    assert [c.tool for c in detour.transcript] != [c.tool for c in end.transcript]
    assert case.gate is not None
    verdicts = [
        judge(case.criteria, (case.gate,), case.initial, final, findings=True)
        for final in (end, detour, end.fork())
    ]
    assert verdicts[0].success is (done == "all")
    assert verdicts == [verdicts[0]] * 3


def ended_with_reads(environment: Environment) -> None:
    for tool in tools_of(environment):
        if tool.read_only:
            environment.call(tool.full_name, "{}")


# -- 6. honest oracle ----------------------------------------------------------------------


@frozen
class OnlyCalls:
    """What the player is given: a way to call tools, and nothing to look at."""

    meta: "CallTool"


@frozen
class CallTool:
    _meta: MetaTools

    def call_tool(self, service: str, tool: str, arguments: str) -> Observation:
        return self._meta.call_tool(service, tool, arguments)


def test_a_reference_needs_nothing_but_calls() -> None:
    made, case = sample_task()
    hidden = made.initial()
    blind = cast("Environment", OnlyCalls(CallTool(hidden.meta)))
    replay = play_plan(made.plan, blind)
    assert replay.calls == case.replay.calls
    assert hidden.digest() == case.replay.environment.digest()


# -- 7. nothing unproven -------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["simulated", "quarantined"])
def test_a_reference_stands_on_deterministic_tools_only(kind: Any) -> None:
    made, _ = sample_task()
    initial = made.initial()
    mailbox = copy.copy(initial.services["mailbox"])
    weak = evolve(mailbox.tools["search_mails"], kind=kind)
    mailbox.tools = {**mailbox.tools, "search_mails": weak}
    initial.services = {**initial.services, "mailbox": mailbox}
    with pytest.raises(Refuted, match=rf"mailbox\.search_mails, which is {kind}"):
        Case(made.candidate(), initial).prepare()


# -- 8. names ------------------------------------------------------------------------------


def test_names_are_unique_and_the_first_dot_ends_the_service() -> None:
    environment = world(*NAMES)
    count = sum(len(service.tools) for service in environment.services.values())
    assert len(environment.tools()) == count
    for full_name, tool in environment.tools().items():
        assert full_name.partition(".")[::2] == (tool.service, tool.name)


@every_service
def test_two_services_under_one_name_do_not_compose(name: str) -> None:
    with pytest.raises(DuplicateName, match=name):
        compose(service_of(name), service_of(name), scale=20)
