"""Writing: one operation on its way to source, and what every template asks of it."""

from __future__ import annotations

import re
from typing import Any, Final

from attrs import define, field

from compoworld_synth import defaults
from compoworld_synth.alternatives import fields_of, held
from compoworld_synth.design import (
    Design,
    EntityDesign,
    OperationDesign,
    ParamDesign,
    ToolDesign,
)
from compoworld_synth.emit.values import attribute, identifier, literal
from compoworld_synth.keys import key_stem


class NotEmitted(Exception):  # noqa: N818  # an outcome of a template, not a failure
    """There is no template for this operation; the text says why."""


@define
class Writing:
    """One operation on its way to source: its design, parameters and what they are called."""

    tool: ToolDesign
    operation: OperationDesign
    design: Design
    entity: EntityDesign | None
    context: bool = False
    result: str = "dict[str, Any]"
    body: list[str] = field(factory=list)
    resolved: set[str] = field(factory=set)
    """Parameters that hold a key already, whatever the call named the record by."""

    @property
    def spelled(self) -> dict[str, str]:
        """Argument → Python parameter, each once, in the schema's order."""
        found: dict[str, str] = {}
        for name in self.tool.spec.input_schema.get("properties", {}):
            plain, n = identifier(name), 2
            while plain in found.values():
                plain, n = f"{identifier(name)}_{n}", n + 1
            found[name] = plain
        return found

    @property
    def record(self) -> EntityDesign:
        """The entity; NotEmitted where there is none."""
        if self.entity is None:
            raise NotEmitted("the operation has no entity")
        return self.entity

    @property
    def table(self) -> str:
        """The expression of the entity's table."""
        return table_of(self.record)

    @property
    def noun(self) -> str:
        """The literal of what people call a record."""
        return noun_of(self.record)

    def one(self, *roles: Any) -> ParamDesign | None:
        """The only parameter of these roles; NotEmitted where there are several."""
        found = self.operation.of(*roles)
        if len(found) > 1:
            raise NotEmitted(f"{len(found)} parameters are {roles[0]} at once")
        return found[0] if found else None

    def needed(self, role: Any, what: str) -> ParamDesign:
        """The only parameter of this role; NotEmitted where there is none."""
        item = self.one(role)
        if item is None:
            raise NotEmitted(f"no parameter is {what}")
        return item

    def key(self) -> str:
        """The expression of the key, which a call must give."""
        item = self.needed("id", "the key")
        text = self.value(item)
        if item.param.required:
            return text
        return f"kit.needed({text}, {literal(item.param.name)})"

    def value(self, item: ParamDesign) -> str:
        """The expression of a parameter's value: a key, whatever the call names it by."""
        text = self.given(item)
        name = self.spelled[item.param.path[0]] if len(item.param.path) == 1 else ""
        if not item.also or name in self.resolved:
            return name if item.also else text
        target = self.target(item) or (self.entity if item.role == "id" else None)
        if target is None:
            raise NotEmitted(
                f"{item.param.name[:40]} takes another key of what is not held here"
            )
        names = []
        for other in fields_of(item.also):
            held_field = held(other, target.fields, target.name.split("_")[-1])
            plain = target.key_shown == other or (held_field is None and target.key == other)
            if held_field is None and not plain:
                raise NotEmitted(f"a {target.name} has no {other} to be named by")
            names += [attribute(held_field)] if held_field is not None else []
        if "me" in item.also:
            self.context = True
            text = f"kit.me({table_of(target)}, {text}, ctx.actor, {noun_of(target)})"
        if names or "url" in item.also:
            known = literal(tuple(names))
            text = f"kit.keyed({table_of(target)}, {text}, {known}, {noun_of(target)})"
        if not name:
            return text
        self.body.append(f"{name} = {text}")
        self.resolved.add(name)
        return name

    def given(self, item: ParamDesign) -> str:
        """The expression of what the call gives; numbers that name a text key as text."""
        root, *rest = item.param.path or (item.param.name,)
        text = self.spelled[root]
        if rest:
            text = f"kit.at({text}, {', '.join(literal(part) for part in rest)})"
        target = self.target(item) or (self.entity if item.role == "id" else None)
        alias = next(
            (a for a in self.operation.of("alias") if a.ref == _entity(item, target)), None
        )
        if alias is not None and target is not None and item.role in ("ref", "id"):
            other_field = next((f for f in target.fields if f.name == alias.field), None)
            if other_field is None and alias.field != target.key:
                raise NotEmitted(f"a {target.name} has no {alias.field} to be named by")
            name = literal(attribute(other_field)) if other_field is not None else '"id"'
            other = self.given(alias)
            text = f"kit.either({table_of(target)}, {text}, {name}, {other}, {noun_of(target)})"
        number = item.param.kind in ("int", "num")
        number = number or (
            item.param.items is not None and item.param.items.kind in ("int", "num")
        )
        if target is not None and target.id_type == "str" and number:
            return f"kit.text({text})"
        if target is not None and item.param.kind == "num":
            return f"kit.whole({text})"
        if item.param.numeric:
            whole = target is not None and target.id_type == "int"
            return f"kit.whole({text})" if whole else f"kit.text({text})"
        return text

    def defaulted(self, item: ParamDesign) -> str:
        """The expression of a parameter's value, or its default where it is left out."""
        value, default = self.value(item), defaults.of(item.param)
        if item.param.required or not isinstance(default, str | bool | int | float):
            return value
        if default == "" or item.ref is not None:
            return value
        return f"({literal(default)} if {value} is None else {value})"

    def clears(self, item: ParamDesign) -> bool:
        """Whether null empties the field, so that it is told from an argument left out."""
        param, kind = item.param, self.operation.kind
        if kind not in ("update", "part_update", "current_update") or self.operation.replaces:
            return False
        free = len(param.path) == 1 and param.nullable and not param.required
        if not free or self.operation.action is not None or self.one("mask") is not None:
            return False
        usual = param.has_default and param.default is None
        said = _CLEARS.search(param.description) or _CLEARS.search(self.tool.spec.description)
        return bool(said) or not usual

    def target(self, item: ParamDesign) -> EntityDesign | None:
        """The entity whose key the parameter takes, where the service holds it."""
        return self.design.by_entity.get(item.ref or "")

    def attribute(self, item: ParamDesign) -> str:
        """The attribute that a parameter writes or is compared with."""
        held = self.record.by_name.get(item.field or "")
        key = item.field == self.record.key and item.field not in self.record.by_name
        if item.field == "id" or key:
            return "id"
        if held is None:
            raise NotEmitted(f"{item.param.name[:40]!r} belongs to no field of the record")
        return attribute(held)

    def known(self, *items: ParamDesign) -> None:
        """Refuse keys of other records that nothing has."""
        for item in items:
            target = self.target(item)
            if target is not None:
                value = self.value(item)
                self.body.append(f"kit.known({table_of(target)}, {value}, {noun_of(target)})")

    def written(self) -> list[tuple[str, str]]:
        """(attribute, expression) of what a create or update writes; checks references."""
        pairs = []
        scope = self.scope()
        for item in self.operation.of("field", "ref", "refs"):
            self.known(item)
            given = item not in scope and self.attribute(item) != "id"
            if given:  # the server gives the key
                makes = self.operation.kind in ("create", "upload")
                value = self.defaulted(item) if makes else self.value(item)
                pairs.append((self.attribute(item), value))
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise NotEmitted("two parameters write one field")
        return pairs

    def scope(self) -> tuple[ParamDesign, ...]:
        """Required references beside the key: where the record is, not what is written."""
        kind = self.operation.kind
        if kind not in ("get", "update", "transition", "delete") or not self.operation.of("id"):
            return ()
        needed = [item for item in self.operation.of("ref") if item.param.required]
        if kind == "update" and self.operation.verb in _PUTTING:
            needed = []
        if kind in ("get", "delete"):
            needed = list(self.operation.of("ref", "filter"))
        else:
            fields = self.operation.of("field")
            needed += [item for item in fields if _keyed(item) or item.place]
        written = [
            i for i in self.operation.of("field", "ref", "refs", "bag") if i not in needed
        ]
        return tuple(needed) if written or kind in ("get", "delete", "transition") else ()

    def row(self) -> str:
        """The expression of the record that the key and the required references name."""
        text = f"kit.require({self.table}, {self.key()}, {self.noun})"
        inside = []
        for item in self.scope():
            if self.operation.kind in ("get", "delete") and item.role == "ref":
                self.known(item)
            if item.field in self.record.by_name:
                inside.append(f"{self.attribute(item)}={self.value(item)}")
            elif not item.param.required and self.tool.spec.rest is None:
                raise NotEmitted(f"no {self.record.name} tells its {item.param.name[:40]}")
        return f"kit.within({text}, {self.noun}, {', '.join(inside)})" if inside else text

    def confirmed(self) -> None:
        """Stop before the change unless the call confirms it, or where it only tries."""
        trial = self.one("trial")
        if trial is not None:
            self.either()
            name, verb = literal(trial.param.name), literal(self.operation.verb)
            self.body.append(f"if {self.defaulted(trial)}:")
            self.body.append(f"    return kit.preview({name}, {verb}, go=False)")
        item = self.one("confirm")
        if item is None:
            return
        if item.param.kind != "bool":
            raise NotEmitted("it is confirmed by more than yes or no")
        value = self.value(item)
        self.either()
        test = f"{value} is False" if item.param.default is True else f"not {value}"
        name = literal(item.param.name)
        self.body.append(f"if {test}:")
        self.body.append(f"    return kit.preview({name}, {literal(self.operation.verb)})")

    def either(self) -> None:
        """It returns a record or an answer of another shape."""
        if self.result.startswith("models."):
            self.result += " | dict[str, Any]"

    def stamp(self, *names: str) -> str:
        """`, created_at=ctx.now` for the record's own time fields."""
        written = {item.field for item in self.operation.of("field")}
        parts = []
        for item in self.record.fields:
            told = item.type == "str" and item.semantic in ("date", "datetime")
            if not any(item.name in _STAMPS[name] for name in names) or item.name in written:
                continue
            if item.type == "datetime":
                parts.append(f", {attribute(item)}=ctx.now")
            elif told:
                parts.append(f", {attribute(item)}=kit.iso(ctx.now, {literal(item.semantic)})")
        self.context = self.context or bool(parts)
        return "".join(parts)


_CLEARS: Final = re.compile(
    r"\bnull\b[^.]{0,40}\b(clear|unset|remov|unassign|empt|delet|detach)"
    r"|\b(clear|unset|remov|unassign|empt|delet|detach)\w*[^.]{0,40}\bnull\b",
    re.IGNORECASE,
)
_PUTTING: Final = frozenset({
    "assign", "associate", "attach", "link", "connect", "add", "move", "transfer", "set",
    "enroll", "reassign",
})  # fmt: skip
"""Verbs of changes whose required reference is where the record goes."""
_STAMPS: Final = {
    "created_at": ("created_at", "created", "create_time", "creation_time", "date_created"),
    "updated_at": ("updated_at", "updated", "update_time", "modified_time", "date_updated"),
}
"""What servers call the times that they set themselves."""


def _entity(item: ParamDesign, target: EntityDesign | None) -> str | None:
    return item.ref or (target.name if target is not None else None)


def _keyed(item: ParamDesign) -> bool:
    """Whether a required value is the key of something that the service does not hold."""
    return item.param.required and bool(key_stem(item.param))


def table_of(entity: EntityDesign) -> str:
    """The expression of an entity's table."""
    return f"state.{identifier(entity.table)}"


def noun_of(entity: EntityDesign) -> str:
    """The literal of what people call a record of it."""
    return literal(entity.name.replace("_", " "))
