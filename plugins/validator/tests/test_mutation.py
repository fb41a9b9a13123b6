"""Bugs are injected where they apply, change something, and are counted fairly."""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from compoworld_validator.mutation import command as command_module
from compoworld_validator.mutation.command import mutate
from compoworld_validator.mutation.effect import effect_of
from compoworld_validator.mutation.mutant import Mutant, mutated
from compoworld_validator.mutation.survey import OPERATORS, all_mutants, drawn, survey_of

from compoworld_core import Environment, Service, compose

DESK = Path(__file__).parents[3] / "tests" / "services" / "desk.py"


@pytest.fixture(scope="module")
def desk() -> Service[Any]:
    spec = importlib.util.spec_from_file_location("mutated_desk", DESK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutated_desk"] = module
    spec.loader.exec_module(module)
    found: Service[Any] = module.service
    return found


def mutants(service: Service[Any], operator: str, tool: str = "") -> list[Mutant]:
    return [
        mutant
        for mutant in all_mutants(service)
        if mutant.operator.name == operator and tool in ("", mutant.tool)
    ]


def opened(service: Service[Any], operator: str, tool: str) -> Environment:
    (mutant, *_) = mutants(service, operator, tool)
    return compose(mutated(service, mutant), seed=1, scale=40)


# -- operators -----------------------------------------------------------------------------


def test_there_are_many_operators_and_each_applies_somewhere(desk: Service[Any]) -> None:
    assert len(OPERATORS) >= 25
    for operator in OPERATORS:
        if operator.name not in ("negated_flag", "shortened_list"):  # the desk has no such
            assert mutants(desk, operator.name), operator.name


def test_a_mutant_is_described_as_the_healthy_tool(desk: Service[Any]) -> None:
    (mutant, *_) = mutants(desk, "ignored_argument", "list_tickets")
    sick, well = mutated(desk, mutant).tools["list_tickets"], desk.tools["list_tickets"]
    assert (sick.input_schema, sick.description, sick.annotations) == (
        well.input_schema,
        well.description,
        well.annotations,
    )
    assert sick.function is not well.function


def test_a_dropped_write_answers_well_and_keeps_nothing(desk: Service[Any]) -> None:
    env = opened(desk, "dropped_write", "set_motto")
    before = env.digest()
    assert env.call("desk.set_motto", {"motto": "New"}).data == "New"
    assert env.digest() == before


def test_a_read_that_writes_gets_past_the_lock(desk: Service[Any]) -> None:
    env = opened(desk, "mutated_read", "list_tickets")
    before = env.digest()
    assert not env.call("desk.list_tickets", {}).is_error
    assert env.digest() != before


def test_an_ignored_filter_finds_what_it_should_not(desk: Service[Any]) -> None:
    mutant = next(
        each
        for each in mutants(desk, "ignored_argument", "list_tickets")
        if each.parameter == "status"
    )
    env = compose(mutated(desk, mutant), seed=1, scale=40)
    found = env.call("desk.list_tickets", {"status": "open"}).data["items"]
    assert {row["status"] for row in found} > {"open"}


def test_a_stale_cache_does_not_see_a_write(desk: Service[Any]) -> None:
    env = opened(desk, "stale_cache", "list_tickets")
    first = env.call("desk.list_tickets", {})
    key = first.data["items"][0]["id"]
    write = next(t for t in desk.tools if "delete" in t)
    env.call(f"desk.{write}", {"ticket_id": key})
    assert env.call("desk.list_tickets", {}).text == first.text


def test_an_error_has_another_code(desk: Service[Any]) -> None:
    env = opened(desk, "wrong_error_code", "get_ticket")
    assert env.call("desk.get_ticket", {"ticket_id": "tk_none"}).code == "conflict"


# -- effect --------------------------------------------------------------------------------


def test_a_bug_that_never_shows_has_no_effect(desk: Service[Any]) -> None:
    (mutant,) = mutants(desk, "duplicate_create", "set_motto")
    assert effect_of(desk, mutant, calls=60) == "none"


@pytest.mark.parametrize("operator", ["dropped_write", "lost_field", "duplicate_create"])
def test_a_bug_that_shows_has_an_effect(desk: Service[Any], operator: str) -> None:
    effects = [effect_of(desk, mutant) for mutant in mutants(desk, operator)]
    assert "differs" in effects


def test_mutants_are_drawn_alike_for_one_seed_and_over_operators(desk: Service[Any]) -> None:
    names = [mutant.name for _, mutant in drawn([desk], 4)]
    assert names == [mutant.name for _, mutant in drawn([desk], 4)]
    assert len(set(names)) == len(names)
    first = [mutant.operator.name for _, mutant in drawn([desk], 4)][:20]
    assert len(set(first)) == 20


# -- counting ------------------------------------------------------------------------------


def test_a_validator_that_sees_nothing_misses_all(desk: Service[Any]) -> None:
    survey = survey_of([desk], lambda service: False, wanted=8, seed=0)
    figures = survey.figures()
    assert (figures["mutants"], figures["found"], len(figures["missed"])) == (8, 0, 8)
    assert figures["share"] == 0.0


def run(monkeypatch: pytest.MonkeyPatch, desk: Service[Any], detects: Any) -> Any:
    monkeypatch.setattr(command_module, "_validation", lambda: detects)
    monkeypatch.setattr("compoworld_core.composition.load_service", lambda name: desk)
    return CliRunner().invoke(mutate, ["desk", "--n", "5", "--json"])


def test_the_command_passes_where_all_are_found(
    desk: Service[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run(monkeypatch, desk, lambda service: service is not desk)
    figures = json.loads(done.stdout)
    assert (done.exit_code, figures["mutants"], figures["found"]) == (0, 5, 5)


def test_the_command_fails_where_too_few_are_found(
    desk: Service[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(monkeypatch, desk, lambda service: False).exit_code == 1


def test_a_validator_that_refuses_everything_wins_nothing(
    desk: Service[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run(monkeypatch, desk, lambda service: True)
    figures = json.loads(done.stdout)
    assert (done.exit_code, figures["flagged_healthy"], figures["mutants"]) == (1, ["desk"], 0)
