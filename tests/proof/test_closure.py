"""Closure: which keys follow from those that are known, over rows and descriptions."""

from __future__ import annotations

import pytest

from compoworld_core.proof.probes.shortcuts import Choice, Keys, closure

ANA, BO, NUMBER, OTHER = "ana@acme.example", "bo@beta.example", "so-1093", "so-2001"


def row(key: str, *tokens: str, service: str = "shop", table: str = "orders") -> Keys:
    return Keys(service, table, key, frozenset(tokens))


def choice(by: set[str], *keys: str) -> Choice:
    return frozenset(by), frozenset(keys)


def test_a_row_that_is_alone_with_a_key_tells_its_other_keys() -> None:
    assert closure({ANA}, [row("o1", ANA, NUMBER)], []) == {ANA, NUMBER}


def test_a_row_without_a_known_key_tells_nothing() -> None:
    assert closure({ANA}, [row("o1", BO, NUMBER)], []) == {ANA}


@pytest.mark.parametrize("count", [2, 4])
def test_a_key_that_several_rows_of_a_table_share_chooses_none_of_them(count: int) -> None:
    rows = [row(f"o{n}", ANA, f"so-{n}000") for n in range(count)]
    assert closure({ANA}, rows, []) == {ANA}


def test_what_all_rows_that_share_a_key_tell_is_known() -> None:
    rows = [row("o1", ANA, NUMBER, "acme"), row("o2", ANA, OTHER, "acme")]
    assert closure({ANA}, rows, []) == {ANA, "acme"}


def test_rows_of_other_tables_and_services_do_not_count_among_them() -> None:
    rows = [
        row("o1", ANA, NUMBER),
        row("d1", ANA, OTHER, table="drafts"),
        row("o1", ANA, "desk-1", service="desk"),
    ]
    assert closure({ANA}, rows, []) == {ANA, NUMBER, OTHER, "desk-1"}


def test_a_second_key_can_choose_what_the_first_does_not() -> None:
    rows = [row("o1", ANA, NUMBER, "t-77"), row("o2", ANA, OTHER)]
    assert NUMBER not in closure({ANA}, rows, [])
    assert closure({ANA, "t-77"}, rows, []) == {ANA, "t-77", NUMBER}


def test_a_description_chooses_a_row_among_several() -> None:
    rows = [row("o1", ANA, NUMBER), row("o2", ANA, OTHER)]
    found = closure({ANA}, rows, [choice({ANA}, ANA, NUMBER)])
    assert found == {ANA, NUMBER}


def test_a_description_by_an_unknown_key_chooses_nothing() -> None:
    rows = [row("o1", ANA, NUMBER), row("o2", ANA, OTHER)]
    assert closure({ANA}, rows, [choice({ANA, "t-77"}, ANA, NUMBER)]) == {ANA}


def test_a_description_without_keys_chooses_always() -> None:
    assert closure(set(), [], [choice(set(), NUMBER)]) == {NUMBER}


def test_what_was_reached_leads_on() -> None:
    rows = [row("o1", ANA, NUMBER), row("t1", NUMBER, BO, table="tickets")]
    assert closure({ANA}, rows, [choice({BO}, OTHER)]) == {ANA, NUMBER, BO, OTHER}


def test_the_known_keys_are_left_as_they_were() -> None:
    known = {ANA}
    closure(known, [row("o1", ANA, NUMBER)], [])
    assert known == {ANA}
