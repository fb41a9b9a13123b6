"""The memory of a proof: what it spares is exactly what would have happened again."""

import pytest
from sample_tasks import Draft, draft, sample_world

from compoworld_core.environment import Environment
from compoworld_core.proof.memory import Remembering, remembering
from compoworld_core.proof.player import play
from compoworld_core.proof.probes.edges import changed_start


@pytest.fixture(scope="module")
def made() -> Draft:
    return draft(sample_world(scale=40))


@pytest.fixture
def played(made: Draft) -> Remembering:
    """s0 with a memory of the reference's calls."""
    initial = remembering(made.initial())
    play(made.plan, initial.fork())
    return initial


def runs(environment: Remembering) -> int:
    return len(environment.memory.calls)


@pytest.mark.parametrize("edge", range(6))
def test_another_world_ends_where_running_everything_ends(
    made: Draft, played: Remembering, edge: int
) -> None:
    """The same calls, observations, states and changes, with fewer calls run."""
    world = made.worlds[edge]
    plain = changed_start(made.initial(), world)
    start = changed_start(played, world)
    known = runs(played)
    full, short = play(made.plan, plain.fork()), play(made.plan, start.fork())
    assert short.calls == full.calls
    assert short.environment.digest() == full.environment.digest()
    assert start.diff(short.environment) == plain.diff(full.environment)
    assert runs(played) - known < len(full.calls)


def test_a_second_replay_runs_nothing_and_ends_in_the_same_states(
    made: Draft, played: Remembering
) -> None:
    known = runs(played)
    first, second = play(made.plan, played.fork()), play(made.plan, played.fork())
    assert runs(played) == known
    assert all(
        second.environment.states[name] is state
        for name, state in first.environment.states.items()
    )


def test_a_step_that_is_left_out_changes_what_comes_later(
    made: Draft, played: Remembering
) -> None:
    """Later ids of the service differ, so what it does later is run."""
    full = play(made.plan, made.initial(), skip=("s5",), lenient=True)
    short = play(made.plan, played.fork(), skip=("s5",), lenient=True)
    assert short.environment.digest() == full.environment.digest()
    assert short.calls == full.calls


def test_a_write_leaves_the_remembered_states_as_they_were(
    made: Draft, played: Remembering
) -> None:
    digest = played.digest()
    end = play(made.plan, played.fork()).environment
    before = end.digest()
    for call in [call for call in end.transcript if "create" in call.tool]:
        end.call(call.tool, call.arguments)
    assert end.digest() != before
    assert play(made.plan, played.fork()).environment.digest() == before
    assert played.digest() == digest


def test_a_forgetful_fork_runs_every_call(made: Draft, played: Remembering) -> None:
    forgetful = played.forgetful()
    assert type(forgetful) is Environment
    known = runs(played)
    assert (
        play(made.plan, forgetful).environment.digest()
        == play(made.plan, played.fork()).environment.digest()
    )
    assert runs(played) == known
