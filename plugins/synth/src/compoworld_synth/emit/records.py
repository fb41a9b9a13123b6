"""Records: templates of what makes, shows, changes and removes one record."""

from __future__ import annotations

import re
from typing import Final

from compoworld_synth import described, paths
from compoworld_synth.design import EntityDesign, ParamDesign
from compoworld_synth.emit.copies import draft
from compoworld_synth.emit.models import shown_key
from compoworld_synth.emit.values import attribute, identifier, literal
from compoworld_synth.emit.writing import NotEmitted, Writing, noun_of, table_of
from compoworld_synth.naming import spelling


def get(w: Writing) -> None:
    """One record by its key, inside what the required references name."""
    w.result = f"models.{w.record.class_name}"
    w.body.append(f"return {w.row()}")


def permissions(w: Writing) -> None:
    """All the asked permissions, which the owner has; none on a record that is not there."""
    asked = w.value(w.needed("items", "the permissions"))
    key = w.key()
    if described.tolerant(w.tool.spec.description) or _EMPTY.search(w.tool.spec.description):
        w.body.append(f"held = {asked} if {key} in {w.table} else ()")
    else:
        w.body.append(f"kit.require({w.table}, {key}, {w.noun})")
        w.body.append(f"held = {asked}")
    w.body.append('return {"permissions": list(held or ())}')


_EMPTY: Final = re.compile(r"return an empty set", re.IGNORECASE)


def get_by(w: Writing) -> None:
    """The one record that has the given values."""
    w.result = f"models.{w.record.class_name}"
    conditions = []
    for item in w.operation.of("filter", "ref"):
        w.known(item)
        conditions.append(f'({literal(w.attribute(item))}, "eq", {w.value(item)})')
    if not conditions:
        raise NotEmitted("nothing says which record")
    w.body.append(f"rows = kit.filtered({', '.join([w.table, *conditions])})")
    w.body.append(f"return kit.first(rows, {w.noun})")


def create(w: Writing) -> None:
    """A new record with the given fields; its times are now."""
    w.result, w.context = f"models.{w.record.class_name}", True
    fields = w.written()
    w.confirmed()
    token = w.one("token")
    if token is not None:
        fields.append((w.attribute(token), w.value(token)))
        w.body.append(f"made = kit.again({w.table}, {literal(fields[-1][0])}, {fields[-1][1]})")
        w.body.append("if made is not None:")
        w.body.append("    return made")
    w.body.append(f"key = {_chosen_key(w)}")
    w.body.append(f"row = {built(w, fields)}")
    w.body.append(f"return kit.insert({w.table}, row)")


def _chosen_key(w: Writing) -> str:
    """The expression of a new record's key: the caller's, or a fresh one of its form."""
    item = w.one("id")
    form, noun = literal(w.record.id_form), literal(w.record.name)
    fresh = f"kit.key(ctx, {form}, {noun})"
    above, tail = w.one("above"), w.one("tail")
    if w.record.id_form == "path" and item is None:
        return _resource_name(w, above, tail)
    if item is None:
        item = next((p for p in w.operation.of("field") if w.attribute(p) == "id"), None)
    if item is not None and w.record.id_type == "int" and item.param.kind == "str":
        item = None
    if item is None:
        return fresh
    value = w.value(item)
    return value if item.param.required else f"{value} or {fresh}"


def _resource_name(w: Writing, above: ParamDesign | None, tail: ParamDesign | None) -> str:
    """The expression of a new record's resource name, below the one that the call gives."""
    parts = paths.template(w.record.id_patterns[0])
    last = f"kit.key(ctx, 'natural', {literal(w.record.name)})"
    last = last if tail is None else f"{w.value(tail)} or {last}"
    if above is None:
        if len(parts) > 2:
            raise NotEmitted("nothing says below what its resource name lies")
        return f"{literal(parts[0] + '/')} + ({last})"
    value = w.value(above)
    held = paths.holder(paths.template(above.param.pattern), w.design.entities)
    if held is not None:
        w.body.append(f"kit.known({table_of(held)}, {value}, {noun_of(held)})")
    return f"kit.below({value}, {literal(parts[-2])}, {last})"


def built(w: Writing, fields: list[tuple[str, str]]) -> str:
    """The expression of a new record under the key `key`."""
    own = shown_key(w.record)
    repeated = f", {own}=key" if own else ""
    inner = ", ".join(f"{name}={value}" for name, value in fields)
    stamps = w.stamp("created_at", "updated_at")
    bag = _bag(w)
    more = f", **{bag}" if bag else ""
    taken = {name for name, _ in fields}
    for name, value in _promised(w, taken) if w.operation.kind == "create" else ():
        stamps += f", {name}={value}"
    constants = {name for name, _ in _constants(w)}
    for name, value in draft(w, taken | constants) if w.operation.kind == "create" else ():
        if f" {name}=" not in stamps:
            stamps += f", {name}={value}"
    for name, value in _constants(w) if w.operation.kind == "create" else ():
        if name not in taken:
            more += f", {name}={value}"
    return f"models.{w.record.class_name}(id=key{repeated}{stamps}, **kit.given({inner}){more})"


_NOW: Final = re.compile(r"(last_)?(created?|updated?|modified)(_\w+)?|timestamp|date_created")


def _promised(w: Writing, taken: set[str]) -> list[tuple[str, str]]:
    """What the server gives a new record: its keys for people, times, an address."""
    own, found = shown_key(w.record), []
    opened = w.one("bag") is not None
    stamped = w.stamp("created_at", "updated_at")
    for item in w.record.fields:
        name = attribute(item)
        if name in taken or name == own or item.ref is not None or f" {name}=" in stamped:
            continue
        if item.unique and item.type == "str" and not opened and item.semantic == "code":
            form = "code" if item.name in ("identifier", "key", "number", "code") else "natural"
            found.append((name, f"kit.key(ctx, {literal(form)}, {literal(w.record.name)})"))
        elif item.source not in ("described", "output") or opened:
            continue
        elif item.type == "datetime" and _NOW.fullmatch(item.name):
            found.append((name, "ctx.now"))
        elif item.type == "str" and item.semantic == "datetime" and _NOW.fullmatch(item.name):
            found.append((name, "kit.iso(ctx.now)"))
        elif item.type == "str" and item.semantic == "url" and not item.pattern:
            found.append((name, f"kit.address({literal(w.record.table)}, key)"))
        elif item.type == "bool" and item.name in _OFF:
            found.append((name, "False"))
    return found


_OFF: Final = frozenset({"archived", "deleted", "completed", "disabled", "hidden", "trashed"})


def _bag(w: Writing) -> str:
    """The expression of the fields that an object argument holds; empty without one."""
    item = w.one("bag")
    if item is None:
        return ""
    taken = {each.field for each in w.operation.of("field", "ref", "refs")}
    known = {
        field.shown: attribute(field)
        for field in w.record.fields
        if field.name not in taken and field.name != item.field
    }
    held = w.record.by_name.get(item.field or "")
    rest = literal(attribute(held)) if held is not None and not item.param.closed else "None"
    if not known and rest == "None":
        raise NotEmitted("nothing says what may be in its object of fields")
    name = literal(item.param.name)
    return f"kit.opened({w.value(item)}, {literal(known)}, {name}, {rest})"


def changes(w: Writing) -> str:
    """The expression of the fields that an update writes."""
    fields = w.written()
    taken = [name for name, _ in fields]
    emptied = {w.attribute(i) for i in w.operation.of("field", "ref", "refs") if w.clears(i)}
    parts = [f"{name}={value}" for name, value in fields if name not in emptied]
    null = [f"{name}={value}" for name, value in fields if name in emptied]
    constants = []
    for name, shown in _constants(w):
        if name in taken:
            raise NotEmitted(f"{name!r} is both given and constant")
        constants.append(f"{literal(name)}: {shown}")
    bag = _bag(w)
    if not parts and not null and not bag and not constants:
        raise NotEmitted("nothing that it changes is known")
    if null:
        emptying = f"kit.cleared({', '.join(null)})"
        bag = f"{emptying}, **{bag}" if bag else emptying
    maker = "replaced" if w.operation.replaces else "given"
    stamp = w.stamp("updated_at").removeprefix(", ")
    mask = w.one("mask")
    text = f"kit.{maker}({', '.join([*parts, *([stamp] if stamp and mask is None else [])])})"
    more = [*constants, *([f"**{bag}"] if bag else [])]
    text = f"{{**{text}, {', '.join(more)}}}" if more else text
    if mask is None:
        return text
    names = {spelling(p.param.name): n for p, n in _named(w)}
    text = f"kit.masked({text}, {w.value(mask)}, {literal(names)})"
    return f"{{**{text}, **dict({stamp})}}" if stamp else text


def _named(w: Writing) -> list[tuple[ParamDesign, str]]:
    """(parameter, attribute) of what an update writes."""
    scope = w.scope()
    items = [i for i in w.operation.of("field", "ref", "refs") if i not in scope]
    return [(item, w.attribute(item)) for item in items if item.field != "id"]


def _constants(w: Writing) -> list[tuple[str, str]]:
    """(attribute, expression) of what the operation writes whatever the call gives."""
    found = []
    for name, value in w.operation.sets:
        held = w.record.by_name.get(name)
        if held is None:
            raise NotEmitted(f"the constant field {name!r} is unknown")
        w.context = w.context or value == "@now"
        found.append((attribute(held), "ctx.now" if value == "@now" else literal(value)))
    return found


def update(w: Writing) -> None:
    """The given fields of one record changed; the absent ones too where it replaces."""
    w.result = f"models.{w.record.class_name}"
    written = changes(w)
    w.body.append(f"row = {w.row()}")
    w.confirmed()
    w.body.append(f"return {w.table}.update(row.id, **{written})")


def upsert(w: Writing) -> None:
    """The record of this key changed; made where there is none."""
    w.result, w.context = f"models.{w.record.class_name}", True
    key = w.key()
    written = changes(w)
    w.body.append(f"key = {key}")
    w.body.append(f"if key in {w.table}:")
    w.body.append(f"    return {w.table}.update(key, **{written})")
    w.body.append(f"return kit.insert({w.table}, {built(w, _pairs(w))})")


def _pairs(w: Writing) -> list[tuple[str, str]]:
    """The fields of `written`, whose references are checked already."""
    items = w.operation.of("field", "ref", "refs")
    return [(w.attribute(item), w.value(item)) for item in items]


def delete(w: Writing) -> None:
    """One record removed, and what is part of it."""
    w.body.append(f"row = {w.row()}")
    w.confirmed()
    w.body.append(f"{w.table}.delete(row.id)")
    if children(w):
        w.body.append(
            f"kit.cascade(state, {literal(identifier(w.record.table))}, row.id, PARTS)"
        )
    if _GONE.search(w.tool.spec.description):
        w.body.append('return {**kit.shown(row), "deleted": True}')
    else:
        w.body.append('return {"id": row.id, "deleted": True}')


_GONE: Final = re.compile(
    r"\b(?:returns?|response (?:includes|contains)) (?:the |all )?"
    r"(?:(?:full )?(?:details|data|copy) of )?(?:the )?(?:deleted|removed)"
    r" (?!(?:\w+ )?ids?\b|count|number)\w+",
    re.IGNORECASE,
)


def children(w: Writing) -> bool:
    """Whether records of another kind are part of this one."""
    return any(w.record.name in each.parents for each in w.design.entities) or any(
        w.record.name in (link.left, link.right) for link in w.design.links
    )


def batch_delete(w: Writing) -> None:
    """Several records removed: all of them, or none where one does not exist."""
    item = w.needed("ids", "the keys")
    w.known(*(each for each in w.operation.of("ref") if each.param.required))
    take = "present" if described.tolerant(w.tool.spec.description) else "every"
    w.body.append(f"rows = kit.{take}({w.table}, {_keys(w, item)}, {w.noun})")
    _inside(w)
    w.confirmed()
    w.body.append("for row in rows:")
    w.body.append(f"    {w.table}.delete(row.id)")
    if children(w):
        w.body.append(
            f"    kit.cascade(state, {literal(identifier(w.record.table))}, row.id, PARTS)"
        )
    w.body.append('return {"ids": [row.id for row in rows], "deleted": True}')


def batch_get(w: Writing) -> None:
    """Several records by their keys."""
    item = w.needed("ids", "the keys")
    w.known(*(each for each in w.operation.of("ref") if each.param.required))
    w.body.append(f"rows = kit.every({w.table}, {_keys(w, item)}, {w.noun})")
    w.body.append(f"return kit.page(rows, {literal(w.record.table)}, limit=len(rows) or 1)")


def batch_update(w: Writing) -> None:
    """The same fields of several records changed."""
    item = w.needed("ids", "the keys")
    written = changes(w)
    w.known(*(each for each in w.operation.of("ref") if each.param.required))
    w.body.append(f"rows = kit.every({w.table}, {_keys(w, item)}, {w.noun})")
    w.confirmed()
    w.body.append(f"rows = [{w.table}.update(row.id, **{written}) for row in rows]")
    w.body.append(f"return kit.page(rows, {literal(w.record.table)}, limit=len(rows) or 1)")


def _inside(w: Writing) -> None:
    """Refuse rows of a batch that are not where the required references say."""
    for each in w.operation.of("ref"):
        if each.param.required and each.field in w.record.by_name:
            inside = f"{w.attribute(each)}={w.value(each)}"
            w.body.append(f"rows = [kit.within(row, {w.noun}, {inside}) for row in rows]")


def _keys(w: Writing, item: ParamDesign) -> str:
    value = w.value(item)
    if w.record.id_type == "str" and item.param.items and item.param.items.kind == "int":
        value = f"kit.text({value})"
    if item.param.required:
        return value
    return f"kit.needed({value}, {literal(item.param.name)})"


def batch_create(w: Writing) -> None:
    """A new record for each of the given objects."""
    w.context = True
    item = w.needed("items", "the records")
    inner = [each for each in w.operation.params if each is not item and _within(each, item)]
    pairs = []
    w.body.append("rows = []")
    w.body.append(f"for item in {w.value(item)}:")
    for each in inner:
        if each.role not in ("field", "ref", "refs") or each.field == "id":
            continue
        value = f"kit.at(item, {literal(each.param.path[-1])})"
        target = w.target(each)
        if target is not None:
            value = f"kit.text({value})" if _numbered(each, target) else value
            w.body.append(f"    kit.known({table_of(target)}, {value}, {noun_of(target)})")
        pairs.append((w.attribute(each), value))
    outer = [each for each in w.operation.of("field", "ref") if not _within(each, item)]
    for each in outer:
        w.known(each)
        w.body.insert(0, w.body.pop()) if w.target(each) is not None else None
        pairs.append((w.attribute(each), w.value(each)))
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names) or not pairs:
        raise NotEmitted("what the records hold is not known")
    form, noun = literal(w.record.id_form), literal(w.record.name)
    w.body.append(f"    key = kit.key(ctx, {form}, {noun})")
    w.body.append(f"    rows.append(kit.insert({w.table}, {built(w, pairs)}))")
    w.body.append(f"return kit.page(rows, {literal(w.record.table)}, limit=len(rows) or 1)")


def _within(each: ParamDesign, items: ParamDesign) -> bool:
    depth = len(items.param.path)
    return each.param.path[:depth] == items.param.path and len(each.param.path) == depth + 1


def _numbered(each: ParamDesign, target: EntityDesign) -> bool:
    return target.id_type == "str" and each.param.kind in ("int", "num")
