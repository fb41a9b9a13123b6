"""Memberships: templates of pairs of records, of parts that each record has one of, of the one
record of a service."""

from __future__ import annotations

import re

from compoworld_synth import described
from compoworld_synth.design import LinkDesign
from compoworld_synth.emit.lists import paged
from compoworld_synth.emit.records import changes
from compoworld_synth.emit.values import identifier, literal
from compoworld_synth.emit.writing import NotEmitted, Writing, noun_of, table_of


def _link(w: Writing) -> LinkDesign:
    link = next((each for each in w.design.links if each.name == w.operation.link), None)
    if link is None:
        raise NotEmitted("the membership is unknown")
    return link


def _ends(w: Writing, link: LinkDesign) -> tuple[str, str]:
    """(left value, right value), both ends checked to exist."""
    found: list[str] = []
    for entity, name in ((link.left, link.left_field), (link.right, link.right_field)):
        item = next((p for p in w.operation.params if p.field == name), None)
        target = w.design.by_entity.get(entity)
        if item is None or target is None or item.role in ("ids", "refs"):
            raise NotEmitted("an end of the membership is not one key")
        value = w.value(item)
        if not item.param.required:
            value = f"kit.needed({value}, {literal(item.param.name)})"
        w.body.append(
            f"{('left', 'right')[len(found)]} = "
            f"kit.require({table_of(target)}, {value}, {noun_of(target)})"
        )
        found.append(value)
    return found[0], found[1]


def add(w: Writing) -> None:
    """Two records joined; once joined they stay so."""
    link = _link(w)
    _ends(w, link)
    names = identifier(link.left_field), identifier(link.right_field)
    w.result = f"models.{link.class_name}"
    given = ", ".join(
        f"{identifier(item.field or '')}={w.value(item)}" for item in w.operation.of("field")
    )
    more = f", **kit.given({given})" if given else ""
    w.body.append(
        f'row = models.{link.class_name}(id=f"{{left.id}}:{{right.id}}",'
        f" {names[0]}=left.id, {names[1]}=right.id{more})"
    )
    w.confirmed()
    joined = f"kit.join(state.{identifier(link.table)}, row)"
    shown = _told(w, link)
    w.body += [f"return {joined}"] if not shown else [joined, f"return {shown}"]


def remove(w: Writing) -> None:
    """Two records no longer joined; not_found where they were not."""
    link = _link(w)
    _ends(w, link)
    table = f"state.{identifier(link.table)}"
    w.confirmed()
    w.body.append('key = f"{left.id}:{right.id}"')
    if described.tolerant(w.tool.spec.description):
        w.body.append(f"if key in {table}:")
        w.body.append(f"    {table}.delete(key)")
    else:
        w.body.append(f'kit.require({table}, key, "membership")')
        w.body.append(f"{table}.delete(key)")
    shown = _told(w, link)
    w.body.append(f"return {shown}" if shown else 'return {"id": key, "deleted": True}')


def _told(w: Writing, link: LinkDesign) -> str:
    """The end of a membership that the description says is returned; empty where neither."""
    text = w.tool.spec.description
    for side, name in ((link.left, "left"), (link.right, "right")):
        spoken = side.replace("_", " ")
        said = rf"\breturns? (the |an? )?(updated |full )?{re.escape(spoken)}\b(?! ?ids?)"
        if re.search(said, text, re.IGNORECASE):
            w.result = f"models.{w.design.by_entity[side].class_name}"
            return name
    return ""


def members(w: Writing) -> None:
    """The records of one end that are joined with the record of the other."""
    link = _link(w)
    owner = w.needed("id", "the owner")
    left = w.record.name != link.left
    mine, theirs = (
        (link.left_field, link.right_field) if left else (link.right_field, link.left_field)
    )
    target = w.design.by_entity[link.left if left else link.right]
    value = w.value(owner)
    w.body.append(f"owner = kit.require({table_of(target)}, {value}, {noun_of(target)})")
    w.body.append(f"pairs = state.{identifier(link.table)}.where({identifier(mine)}=owner.id)")
    w.body.append(f"rows = kit.members(pairs, {literal(identifier(theirs))}, {w.table})")
    w.body.append(f"return {paged(w)}")


def part_get(w: Writing) -> None:
    """The part of one record; a record that was never given one has an empty part."""
    w.result = f"models.{w.record.class_name}"
    w.body.append(f"return {_part(w)}")


def _part(w: Writing) -> str:
    key = w.key()
    owner = w.design.by_entity.get(w.operation.owner or "")
    if owner is None:
        return f"kit.require({w.table}, {key}, {w.noun})"
    w.body.append(f"kit.known({table_of(owner)}, {key}, {noun_of(owner)})")
    return f"{w.table}.get({key}) or models.{w.record.class_name}(id={key})"


def part_update(w: Writing) -> None:
    """The given fields of one record's part changed."""
    w.result = f"models.{w.record.class_name}"
    written = changes(w)
    w.body.append(f"row = {_part(w)}")
    w.body.append(f"return kit.put({w.table}, row, {written})")


def single_get(w: Writing) -> None:
    """The one record that there is, or the caller's own."""
    w.result = f"models.{w.record.class_name}"
    if w.record.singleton:
        w.body.append(f"return kit.only({w.table}, {w.noun})")
    else:
        w.context = True
        w.body.append(f"return kit.own({w.table}, ctx.actor, {w.noun})")


def single_update(w: Writing) -> None:
    """The given fields of the one record changed."""
    w.result = f"models.{w.record.class_name}"
    if not w.record.singleton:
        raise NotEmitted("which record is the one is not known")
    written = changes(w)
    w.body.append(f"row = kit.only({w.table}, {w.noun})")
    w.body.append(f"return {w.table}.update(row.id, **{written})")
