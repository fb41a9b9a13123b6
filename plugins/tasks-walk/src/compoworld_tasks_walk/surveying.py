"""Surveying: a world's tables profiled, its joins found: the catalogue of a world."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from attrs import evolve

from compoworld_core.proof.probes.shortcuts import base_tokens
from compoworld_core.state import Entity
from compoworld_core.table import Table
from compoworld_core.types import KEY_KINDS, Kind
from compoworld_core.world import World
from compoworld_tasks_walk.affordances import Affordances, Fact, Lookup, Write
from compoworld_tasks_walk.catalogue import Catalogue, FieldProfile, Place, TableProfile

JOIN_FROM = 0.3
"""Share of common values from which two key fields name the same things."""


def catalogue_of(world: World, affordances: Mapping[str, Affordances]) -> Catalogue:
    """Profile the world's tables and find its joins."""
    staff = {p.email.casefold() for p in world.cast.staff} | {
        p.name.casefold() for p in world.cast.staff
    }
    tables: dict[tuple[str, str], TableProfile] = {}
    tokens: set[str] = set()
    for service, known in affordances.items():
        state = world.bases[service].state
        today = world.cast.today
        for name, entity in state.tables().items():
            rows: Table[Any] = state.table(name)
            profile = _profile(
                service, name, entity, tuple(rows), known.facts.get(name, {}), staff, today
            )
            tables[service, name] = profile
            for column in profile.fields.values():
                tokens.update(_fold(v) for v in column.values if isinstance(v, str))
    honest = {name: _honest(world, name, known) for name, known in affordances.items()}
    catalogue = Catalogue(world, honest, tables)
    for base in world.bases.values():  # distractors too: a fresh value is fresh everywhere
        tokens |= base_tokens(base.state)
    catalogue.tokens = frozenset(tokens)
    catalogue.joins = _joins(catalogue)
    return catalogue


def _honest(world: World, service: str, known: Affordances) -> Affordances:
    """Without tools that need a word which neither their schema nor the instruction gives."""
    tools = world.services[service].tools

    def offered(entry: Lookup | Write) -> bool:
        schema = json.dumps(tools[entry.tool].input_schema, ensure_ascii=False)
        words = [value for _, value in entry.fixed if isinstance(value, str)]
        return all(json.dumps(word, ensure_ascii=False)[1:-1] in schema for word in words)

    return evolve(
        known,
        lookups=tuple(entry for entry in known.lookups if offered(entry)),
        writes=tuple(entry for entry in known.writes if offered(entry)),
    )


def _profile(
    service: str,
    name: str,
    entity: type[Entity],
    rows: tuple[Entity, ...],
    facts: Mapping[str, Fact],
    staff: set[str],
    today: datetime,
) -> TableProfile:
    fields = {}
    for column, fact in facts.items():
        if column not in entity.model_fields:
            continue
        held = [getattr(row, column) for row in rows]
        values = tuple(value for value in held if value not in (None, "", ()))
        texts = [_fold(value) for value in values if isinstance(value, str)]
        ours = sum(text in staff for text in texts)
        fields[column] = FieldProfile(
            column, fact, values, len(values) / max(1, len(rows)),
            # where its role is stated, what a few rows happen to hold decides nothing
            bool(texts) and (fact.role == "staff" or (not fact.role and ours * 2 > len(texts))),
            all(isinstance(v, datetime) and v <= today for v in values),
        )  # fmt: skip
    ids: dict[int, list[str]] = {}
    for row in rows:
        ids.setdefault(len(str(row.id)), []).append(str(row.id))
    return TableProfile(
        service, name, entity, rows, fields, {size: tuple(known) for size, known in ids.items()}
    )


def _fold(text: str) -> str:
    return text.strip().casefold()


def _joins(catalogue: Catalogue) -> dict[Place, tuple[Place, ...]]:
    columns: dict[Place, tuple[Kind, frozenset[str]]] = {}
    for (service, table), profile in catalogue.tables.items():
        for column in profile.fields.values():
            kind = column.fact.kind
            if kind in KEY_KINDS and kind != "id" and not column.fact.many:
                values = frozenset(_fold(v) for v in column.values if isinstance(v, str))
                if len(values) >= 3:
                    columns[service, table, column.name] = (kind, values)
    found: dict[Place, tuple[Place, ...]] = {}
    for place, (kind, values) in columns.items():
        others = []
        for other, (other_kind, other_values) in columns.items():
            if other[0] == place[0] or other_kind != kind:
                continue
            if not _is_key(catalogue, other):
                continue
            common = len(values & other_values) / min(len(values), len(other_values))
            if common >= JOIN_FROM:
                others.append(other)
        if others:
            found[place] = tuple(others)
    return found


def _is_key(catalogue: Catalogue, place: Place) -> bool:
    service, table, column = place
    return any(column in lookup.by for lookup in catalogue.lookups(service, table))
