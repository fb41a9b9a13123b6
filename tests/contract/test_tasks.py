"""What holds for every task that the default generator has accepted, over all services.

The checks are written against the record and the seeded worlds, not against the generator.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from compoworld_core.cli import run as command
from compoworld_core.environment import Environment
from compoworld_core.patch import apply
from compoworld_core.proof.player import play
from compoworld_core.proof.probes.edges import DECISION
from compoworld_core.proof.verdict import judge
from compoworld_core.records import Task
from compoworld_core.run import Run, open_task
from compoworld_core.schema import meaning_of
from compoworld_core.state import Entity
from compoworld_core.types import KEY_KINDS, Meaning
from compoworld_core.verification import verify_task

# the first test of a changed core learns all tools anew, on however loaded a machine
pytestmark = pytest.mark.timeout(600)

N, K, WALK, DISTRACTORS = 12, 4, (6, 9), 3

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "run"
    asked = ["--n", N, "--k", K, "--walk", "6:9", "--distractors", DISTRACTORS, "--scale", 60]
    words = [str(word) for word in [*asked, "--seed", 7, "--out", path]]
    assert command(["tasks", "generate", *words]) == 0
    return path


@pytest.fixture(scope="module")
def opened(made: Path) -> list[tuple[Task, Environment]]:
    """Each task with its s0; nobody writes to it."""
    run = Run.open(made)
    return [(task, open_task(run, task)) for task in run.tasks()]


# -- proof ---------------------------------------------------------------------------------


def test_tasks_prove_again_from_the_folder_alone(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = Path(shutil.copytree(made, tmp_path / "elsewhere"))
    monkeypatch.setattr("compoworld_core.service.Service.new_state", None)
    run = Run.open(moved)
    listed = list(run.tasks())
    assert len(listed) == N
    assert [verify_task(run, task) for task in listed] == [None] * N


def test_a_changed_fact_in_s0_does_not_prove(opened: list[tuple[Task, Environment]]) -> None:
    """A task is its proof: s0 of the first other world is another task, or none."""
    for task, initial in opened[:4]:
        other = changed(task, initial, 0)
        final = play(task.reference, other.fork()).environment
        assert not judge(task.criteria, task.gates, other, final).success


@pytest.mark.parametrize(("policy", "low", "high"), [("oracle", 1, 1), ("null", 0, 0)])
def test_the_oracle_passes_all_and_doing_nothing_none(
    made: Path, tmp_path: Path, capsys: Capture, policy: str, low: float, high: float
) -> None:
    found = rolled_out(made, tmp_path, capsys, policy)
    assert low <= found["pass_rate"] <= high
    assert low <= found["uniform"] <= high


def test_an_oracle_that_spoils_steps_lies_between(
    made: Path, tmp_path: Path, capsys: Capture
) -> None:
    found = rolled_out(made, tmp_path, capsys, "partial")
    assert 0 < found["uniform"] < 1
    assert found["pass_rate"] < 1


def rolled_out(made: Path, out: Path, capsys: Capture, policy: str) -> dict[str, Any]:
    words = ["--tasks", str(made), "--policy", policy, "--n", "2", "--out", str(out / "r")]
    capsys.readouterr()
    assert command(["rollouts", "run", *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert found["rollouts"] == 2 * N
    assert found["errors"] == 0
    return found


# -- walk and worlds -----------------------------------------------------------------------


def test_walk_and_graph_keep_their_laws(opened: list[tuple[Task, Environment]]) -> None:
    for task, _ in opened:
        pairs = list(pairwise(task.walk))
        assert set(task.walk) == set(task.services)
        assert len(task.services) == K
        assert WALK[0] <= len(task.walk) <= WALK[1]
        assert all(a != b for a, b in pairs)
        assert set(task.graph.edges) == set(pairs)


def test_distractors_are_there_and_not_needed(opened: list[tuple[Task, Environment]]) -> None:
    for task, initial in opened:
        assert len(task.distractors) == DISTRACTORS
        assert not set(task.distractors) & set(task.services)
        assert set(initial.services) == {*task.services, *task.distractors}
        assert {step.service for step in task.reference.steps} <= set(task.services)
        assert not set(task.s0.patches) & set(task.distractors)


def test_each_edge_has_a_world_and_each_world_one_changed_fact(
    opened: list[tuple[Task, Environment]],
) -> None:
    for task, initial in opened:
        worlds = task.certificate.worlds
        assert {world.edge for world in worlds} - {DECISION} == set(range(len(task.walk) - 1))
        for number, world in enumerate(worlds):
            if world.edge == DECISION:
                assert world.service in task.walk
            else:
                assert world.service == task.walk[world.edge]
            changes = initial.diff(changed(task, initial, number))
            if world.patch.ledger is not None:
                assert not changes  # only the id sequence moves
                continue
            assert [change.service for change in changes] == [world.service]


def changed(task: Task, initial: Environment, number: int) -> Environment:
    world = task.certificate.worlds[number]
    other = initial.fork()
    state = other.states[world.service].fork()
    apply(state, world.patch)
    other.put(world.service, state)
    return other


def test_at_most_a_fifth_of_the_edges_carry_an_id(
    opened: list[tuple[Task, Environment]],
) -> None:
    for task, _ in opened:
        carries = task.reference.carries
        assert {carry.edge for carry in carries} == set(range(len(task.walk) - 1))
        ids = {carry.edge for carry in carries if carry.source == "id"}
        assert len(ids) * 5 <= len(task.walk) - 1


# -- the instruction -----------------------------------------------------------------------


def test_the_instruction_speaks_as_people_do(opened: list[tuple[Task, Environment]]) -> None:
    """No tool, table or field goes by its technical name."""
    for task, initial in opened:
        words = set(re.findall(r"[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+", task.instruction))
        for name in task.services:
            tables = initial.services[name].state.tables()
            fields = {f for entity in tables.values() for f in entity.model_fields}
            tools = initial.services[name].tools
            assert not words & {*tools, *tables, *fields, name}


def test_the_instruction_does_not_give_the_carried_keys_away(
    opened: list[tuple[Task, Environment]],
) -> None:
    checked = 0
    for task, initial in opened:
        scope = play(task.reference, initial.fork()).scope
        for carry in task.reference.carries:
            value = carry.expr.value(scope)
            if carry.source == "field" and carry.kind in KEY_KINDS and isinstance(value, str):
                checked += 1
                assert value.casefold() not in task.instruction.casefold()
    assert checked


# -- what is planted -----------------------------------------------------------------------


def planted(task: Task) -> Iterator[tuple[str, str, Any]]:
    """(service, table, id) of each planted row."""
    for service, patch in task.s0.patches.items():
        for operation in patch.operations:
            assert operation.op == "insert"
            yield service, operation.table, operation.row["id"]


def test_planted_rows_stand_anywhere_in_their_tables(
    opened: list[tuple[Task, Environment]],
) -> None:
    places = []
    for task, initial in opened:
        order: dict[tuple[str, str], list[Any]] = {}
        for service, table, key in planted(task):
            if (service, table) not in order:
                rows = initial.states[service].table(table)
                order[service, table] = [row.id for row in rows]
            keys = order[service, table]
            if len(keys) >= 20:
                places.append(keys.index(key) / (len(keys) - 1))
    assert len(places) >= 5 * N
    tenths = [min(9, int(10 * place)) for place in places]
    shares = [tenths.count(n) / len(places) for n in range(10)]
    assert max(shares) < 0.25  # a tenth is expected
    assert min(shares) > 0


def test_planted_ids_look_like_the_others(opened: list[tuple[Task, Environment]]) -> None:
    for task, initial in opened:
        added: dict[tuple[str, str], set[Any]] = {}
        for service, table, key in planted(task):
            added.setdefault((service, table), set()).add(key)
        for (service, table), keys in added.items():
            rows = initial.states[service].table(table)
            others = [row.id for row in rows if row.id not in keys]
            if isinstance(others[0], int):
                assert all(min(others) <= key <= max(others) for key in keys)
            elif re.search("[0-9]", "".join(others)):
                assert {shape(key) for key in keys} <= {shape(key) for key in others}
            else:  # made of words, of other ids or of the row's own name
                known = words_of(others)
                for key in keys:
                    name = getattr(rows.get(key), "name", "")
                    assert words_of([key]) <= known | words_of([name])


def shape(key: str) -> str:
    """An id with an x for each letter and digit after its prefix ("cus_")."""
    prefix = re.match("[a-z]+_|", key)
    assert prefix
    return prefix.group() + re.sub("[A-Za-z0-9]", "x", key[prefix.end() :])


def words_of(texts: list[str]) -> set[str]:
    return set(re.findall("[a-z]+", " ".join(texts).casefold()))


def keys_of(row: Entity) -> Iterator[str]:
    """The values of a row by which a party is known."""
    for name, info in type(row).model_fields.items():
        meaning = meaning_of(info.rebuild_annotation(), Meaning)
        value = getattr(row, name)
        if meaning and meaning.kind in KEY_KINDS - {"id"} and isinstance(value, str) and value:
            yield f"{meaning.kind} {value.casefold()}"
