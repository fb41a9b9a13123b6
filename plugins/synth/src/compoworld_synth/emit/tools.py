"""Tools: one template function a kind; what has none is simulated, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from attrs import define, field

from compoworld_synth.design import (
    Design,
    EntityDesign,
    LinkDesign,
    OperationDesign,
    ParamDesign,
    ToolDesign,
)
from compoworld_synth.emit.models import shown_key, state_name
from compoworld_synth.emit.values import attribute, identifier, literal, parameter_type


class NotEmitted(Exception):  # noqa: N818  # an outcome of a template, not a failure
    """There is no template for this operation; the text says why."""


HEAD = '''"""Tools of {service}, under the names and schemas of their server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from compoworld_core import Context, IntRef, Ref, Service, types
from compoworld_core.service import Simulated
from compoworld_synth import runtime as kit

from . import models

service = Service({name}, state=models.{state}, domain={domain}, summary={summary})
ORIGINAL = kit.originals(Path(__file__).with_name("schemas.json"))
'''


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
        return f"state.{identifier(self.record.table)}"

    @property
    def noun(self) -> str:
        """The literal of what people call a record."""
        return literal(self.record.name.replace("_", " "))

    def one(self, *roles: Any) -> ParamDesign | None:
        """The only parameter of these roles; NotEmitted where there are several."""
        found = self.operation.of(*roles)
        if len(found) > 1:
            raise NotEmitted(f"{len(found)} parameters are {roles[0]} at once")
        return found[0] if found else None

    def key(self) -> str:
        """The expression of the key."""
        item = self.one("id")
        if item is None:
            raise NotEmitted("no parameter is the key")
        if not item.param.required:
            raise NotEmitted("the key may be left out")
        text = self.value(item)
        if self.record.id_type == "str" and item.param.kind in ("int", "num"):
            return f"str({text})"
        return text

    def value(self, item: ParamDesign) -> str:
        """The expression of a parameter's value."""
        root, *rest = item.param.path or (item.param.name,)
        if not rest:
            return self.spelled[root]
        return f"kit.at({self.spelled[root]}, {', '.join(literal(part) for part in rest)})"

    def attribute(self, item: ParamDesign) -> str:
        """The attribute that a parameter writes or is compared with."""
        held = self.record.by_name.get(item.field or "")
        if held is None:
            raise NotEmitted(f"{item.param.name[:40]!r} belongs to no field of the record")
        return attribute(held)

    def written(self) -> list[tuple[str, str]]:
        """(attribute, expression) of what a create or update writes; checks references."""
        pairs = []
        for item in self.operation.of("field", "ref", "refs"):
            target = self.design.by_entity.get(item.ref or "")
            if target is not None:
                noun = literal(target.name.replace("_", " "))
                table = f"state.{identifier(target.table)}"
                self.body.append(f"kit.known({table}, {self.value(item)}, {noun})")
            pairs.append((self.attribute(item), self.value(item)))
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise NotEmitted("two parameters write one field")
        return pairs

    def stamp(self, *names: str) -> str:
        """`, created_at=ctx.now` for the record's own time fields."""
        stamps = [
            attribute(item)
            for item in self.record.fields
            if item.name in names and item.type == "datetime"
        ]
        written = {item.field for item in self.operation.of("field")}
        stamps = [name for name in stamps if name not in written]
        if stamps:
            self.context = True
        return "".join(f", {name}=ctx.now" for name in stamps)


def _get(w: Writing) -> None:
    w.result = f"models.{w.record.class_name}"
    w.body.append(f"return kit.require({w.table}, {w.key()}, {w.noun})")


def _rows(w: Writing) -> str:
    conditions = [
        f"({literal(w.attribute(item))}, {literal(item.comparison)}, {w.value(item)})"
        for item in w.operation.of("filter", "ref", "refs", "field")
    ]
    for name, value in w.operation.fixed:
        held = w.record.by_name.get(name)
        if held is None:
            raise NotEmitted(f"the implied filter {name!r} has no field")
        if value == "@actor":
            w.context = True
        shown = "ctx.actor" if value == "@actor" else literal(value)
        conditions.append(f'({literal(attribute(held))}, "eq", {shown})')
    if not conditions:
        return f"tuple({w.table})"
    return f"kit.filtered({', '.join([w.table, *conditions])})"


def _list(w: Writing) -> None:
    if w.operation.of("sort", "order"):
        raise NotEmitted("there is no template for a sort parameter yet")
    w.body.append(f"rows = {_rows(w)}")
    query = w.one("query")
    if query is not None:
        texts = [attribute(f) for f in w.record.fields if f.type == "str"]
        if not texts:
            raise NotEmitted("the record has no text to search")
        w.body.append(f"rows = kit.found(rows, {w.value(query)}, {literal(texts)})")
    if w.operation.kind == "count":
        w.body.append('return {"count": len(rows)}')
        return
    parts = ["rows", literal(w.record.table)]
    for role, name in (
        ("limit", "limit"), ("cursor", "cursor"), ("offset", "offset"), ("page", "number")
    ):  # fmt: skip
        item = w.one(role)
        if item is not None:
            parts.append(f"{name}={w.value(item)}")
    w.body.append(f"return kit.page({', '.join(parts)})")


def _create(w: Writing) -> None:
    w.result, w.context = f"models.{w.record.class_name}", True
    item = w.one("id")
    form, noun = literal(w.record.id_form), literal(w.record.name)
    key = w.value(item) if item is not None and item.param.required else ""
    fields = w.written()
    w.body.append(f"key = {key or f'kit.key(ctx, {form}, {noun})'}")
    own = shown_key(w.record)
    repeated = f", {own}=key" if own else ""
    inner = ", ".join(f"{name}={value}" for name, value in fields)
    stamps = w.stamp("created_at", "updated_at")
    w.body.append(
        f"row = models.{w.record.class_name}(id=key{repeated}{stamps}, **kit.given({inner}))"
    )
    w.body.append(f"return kit.insert({w.table}, row)")


def _update(w: Writing) -> None:
    w.result = f"models.{w.record.class_name}"
    if w.operation.replaces:
        raise NotEmitted("there is no template for an update that replaces yet")
    key = w.key()
    fields = w.written()
    inner = ", ".join(f"{name}={value}" for name, value in fields)
    for name, value in w.operation.sets:
        held = w.record.by_name.get(name)
        if held is None:
            raise NotEmitted(f"the constant field {name!r} is unknown")
        if attribute(held) in [name for name, _ in fields]:
            raise NotEmitted(f"{name!r} is both given and constant")
        shown = "ctx.now" if value == "@now" else literal(value)
        w.context = w.context or value == "@now"
        inner += f"{', ' if inner else ''}{attribute(held)}={shown}"
    if not inner:
        raise NotEmitted("nothing that it changes is known")
    stamp = w.stamp("updated_at")
    w.body.append(f"changes = kit.given({inner}{stamp})")
    w.body.append(f"return kit.patched({w.table}, {key}, {w.noun}, changes)")


def _delete(w: Writing) -> None:
    w.body.append(f"row = kit.require({w.table}, {w.key()}, {w.noun})")
    w.body.append(f"{w.table}.delete(row.id)")
    w.body.append('return {"id": row.id, "deleted": True}')


def _link(w: Writing) -> tuple[LinkDesign, str, str, str]:
    """(link, its table, left value, right value), both ends checked to exist."""
    link = next((each for each in w.design.links if each.name == w.operation.link), None)
    if link is None:
        raise NotEmitted("the membership is unknown")
    ends = []
    for entity, name in ((link.left, link.left_field), (link.right, link.right_field)):
        item = next((p for p in w.operation.params if p.field == name), None)
        target = w.design.by_entity.get(entity)
        if item is None or target is None or item.role in ("ids", "refs"):
            raise NotEmitted("an end of the membership is not one key")
        value = w.value(item)
        noun = literal(target.name.replace("_", " "))
        w.body.append(f"kit.require(state.{identifier(target.table)}, {value}, {noun})")
        ends.append(value)
    return link, f"state.{identifier(link.table)}", ends[0], ends[1]


def _link_add(w: Writing) -> None:
    link, table, left, right = _link(w)
    names = identifier(link.left_field), identifier(link.right_field)
    fields = f"{names[0]}={left}, {names[1]}={right}"
    w.result = f"models.{link.class_name}"
    w.body.append(f'row = models.{link.class_name}(id=f"{{{left}}}:{{{right}}}", {fields})')
    w.body.append(f"return kit.insert({table}, row)")


def _link_remove(w: Writing) -> None:
    _, table, left, right = _link(w)
    w.body.append(f'row = kit.require({table}, f"{{{left}}}:{{{right}}}", "membership")')
    w.body.append(f"{table}.delete(row.id)")
    w.body.append('return {"id": row.id, "deleted": True}')


TEMPLATES: Final[dict[str, Callable[[Writing], None]]] = {
    "get": _get, "list": _list, "search": _list, "count": _list, "create": _create,
    "upload": _create, "update": _update, "transition": _update, "delete": _delete,
    "link_add": _link_add, "link_remove": _link_remove,
}  # fmt: skip

_READS: Final = frozenset({"get", "list", "search", "count"})


def written(tool: ToolDesign, design: Design) -> tuple[str, str]:
    """(source, why it is simulated or "") of one tool."""
    why = "" if tool.kind == "deterministic" else tool.why or "its effect is not established"
    if not why:
        try:
            return _deterministic(tool, design), ""
        except NotEmitted as reason:
            why = f"no template: {reason}"
    return _simulated(tool, design, why), why


def _deterministic(tool: ToolDesign, design: Design) -> str:
    if len(tool.operations) != 1:
        raise NotEmitted("a tool of several actions")
    operation = tool.operations[0]
    template = TEMPLATES.get(operation.kind)
    if template is None:
        raise NotEmitted(f"the kind {operation.kind}")
    unwritten = operation.of("bag", "items", "confirm", "ids")
    if unwritten:
        raise NotEmitted(f"a parameter that is {unwritten[0].role}")
    entity = design.by_entity.get(operation.entity or "")
    if entity is not None and entity.archetype == "facet":
        raise NotEmitted("a record of its owner")
    if entity is not None and entity.hub and operation.kind not in _READS:
        raise NotEmitted("it writes a hub record, which other services share")
    w = Writing(tool, operation, design, entity)
    template(w)
    reads = operation.kind in _READS
    marks = f", read_only={reads}"
    if operation.kind == "delete":
        marks += ", destructive=True"
    verb = operation.kind.replace("_", " ").capitalize()
    what = f"{verb}: {(operation.entity or '').replace('_', ' ')}."
    return _function(tool, design, "tool", marks, w, what)


def _simulated(tool: ToolDesign, design: Design, why: str) -> str:
    operation = (
        tool.operations[0] if tool.operations else OperationDesign(None, "", "simulated", None)
    )
    w = Writing(tool, operation, design, None, body=["raise Simulated"], result="Any")
    reads = tool.spec.annotations.read_only is True
    return _function(
        tool, design, "simulated", f", read_only={reads}, why={literal(why)}", w, "Simulated."
    )


def _function(
    tool: ToolDesign, design: Design, decorator: str, marks: str, w: Writing, what: str
) -> str:
    name = literal(tool.spec.name)
    parameters, names = _parameters(tool, design, w)
    aliases = f", names={literal(names)}" if names else ""
    context = ", ctx: Context" if w.context else ""
    state = f"state: models.{state_name(design)}"
    head = f"def {identifier(tool.function)}({state}{context}{parameters})"
    body = "\n    ".join(w.body)
    return (
        f"@service.{decorator}(name={name}{marks}, original=ORIGINAL[{name}]{aliases})\n"
        f"{head} -> {w.result}:\n"
        f"    {literal(what)}\n    {body}\n"
    )


def _parameters(tool: ToolDesign, design: Design, w: Writing) -> tuple[str, dict[str, str]]:
    """The signature's parameters, required ones first, and the wire names that differ."""
    schema = tool.spec.input_schema
    required = set(schema.get("required", ()))
    direct = {p.param.path[0]: p for p in w.operation.params if len(p.param.path) == 1}
    held = w.entity.by_name if w.entity is not None else {}
    parts: list[tuple[bool, str]] = []
    names: dict[str, str] = {}
    for name, plain in w.spelled.items():
        if plain != name:
            names[plain] = name
        item = direct.get(name)
        kind = "types.Json"
        if item is not None:
            kind = parameter_type(item, design, held.get(item.field or ""))
        optional = name not in required
        parts.append((optional, f"{plain}: {kind}{' | None = None' if optional else ''}"))
    parts.sort(key=lambda part: part[0])
    return "".join(f", {text}" for _, text in parts), names


def source(design: Design) -> tuple[str, dict[str, str]]:
    """The text of `tools.py`, and tool → why it is simulated."""
    parts = [
        HEAD.format(
            service=design.service,
            name=literal(design.service),
            state=state_name(design),
            domain=literal(design.domain),
            summary=literal(f"Imported: {len(design.tools)} tools"),
        )
    ]
    reasons: dict[str, str] = {}
    for tool in design.tools:
        text, why = written(tool, design)
        parts.append(text)
        if why:
            reasons[tool.spec.name] = why
    return "\n\n".join(parts), reasons
