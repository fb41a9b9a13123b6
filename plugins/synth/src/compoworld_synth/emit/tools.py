"""Tools: one template function a kind; what has none is simulated, with the reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from attrs import evolve

from compoworld_synth.design import Design, OperationDesign, ToolDesign
from compoworld_synth.emit import answers, copies, guards, lists, memberships, records
from compoworld_synth.emit.models import state_name
from compoworld_synth.emit.values import attribute, identifier, literal, parameter_type
from compoworld_synth.emit.writing import NotEmitted, Writing

HEAD = '''"""Tools of {service}, under the names and schemas of their server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from compoworld_core import Context, IntRef, Ref, Service, types
from compoworld_core.service import Simulated
from compoworld_synth import runtime as kit

from . import models{classes}

service = Service({name}, state=models.{state}, domain={domain}, summary={summary})
ORIGINAL = kit.originals(Path(__file__).with_name("schemas.json"))
PARTS: dict[str, tuple[tuple[str, str], ...]] = {parts}
"""Table → the tables of what is part of its records, and the field that says so."""
'''


TEMPLATES: Final[dict[str, Callable[[Writing], None]]] = {
    "get": records.get,
    "get_by": records.get_by,
    "copy": copies.copy,
    "create": records.create,
    "upload": records.create,
    "update": records.update,
    "upsert": records.upsert,
    "transition": records.update,
    "delete": records.delete,
    "batch_get": records.batch_get,
    "batch_create": records.batch_create,
    "batch_update": records.batch_update,
    "batch_delete": records.batch_delete,
    "list": lists.many,
    "search": lists.many,
    "count": lists.many,
    "get_or_list": lists.get_or_list,
    "current_get": memberships.single_get,
    "current_update": memberships.single_update,
    "part_get": memberships.part_get,
    "part_update": memberships.part_update,
    "link_add": memberships.add,
    "link_remove": memberships.remove,
    "link_list": memberships.members,
    "permissions": records.permissions,
}

_READS: Final = frozenset({
    "get", "list", "search", "count", "get_or_list", "current_get", "part_get", "link_list",
    "batch_get", "get_by", "permissions",
})  # fmt: skip


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
    entity = design.by_entity.get(tool.operations[0].entity or "")
    whole = Writing(tool, tool.operations[0], design, entity)
    done = [_one(tool, operation, design) for operation in tool.operations]
    if len(done) == 1:
        whole = done[0]
    else:
        _choice(whole, done)
        every = {param.param.path: param for w in done for param in w.operation.params}
        whole.operation = evolve(whole.operation, params=tuple(every.values()))
    kinds = [operation.kind for operation in tool.operations]
    reads = all(kind in _READS for kind in kinds)
    marks = f", read_only={reads}"
    if any(kind in ("delete", "batch_delete") for kind in kinds):
        marks += ", destructive=True"
    what = "; ".join(_told(operation) for operation in tool.operations)
    return _function(tool, design, "tool", marks, whole, f"{what}.")


def _told(operation: OperationDesign) -> str:
    verb = operation.kind.replace("_", " ").capitalize()
    return f"{verb}: {(operation.entity or '').replace('_', ' ')}"


def _one(tool: ToolDesign, operation: OperationDesign, design: Design) -> Writing:
    """One operation, written."""
    template = TEMPLATES.get(operation.kind)
    if template is None:
        raise NotEmitted(f"the kind {operation.kind}")
    entity = design.by_entity.get(operation.entity or "")
    if entity is not None and entity.hub and operation.kind not in _READS:
        raise NotEmitted("it writes a hub record, which other services share")
    unheld = operation.of("filter", "field")
    if any(each.also for each in unheld):
        raise NotEmitted("a record that is not held here is named by one of two keys")
    if any(each.ref is None for each in operation.of("alias")):
        raise NotEmitted("a record that is not held here has two keys")
    w = Writing(tool, operation, design, entity)
    template(w)
    guards.demand(w)
    answers.fit(w)
    return w


def _choice(whole: Writing, done: Sequence[Writing]) -> None:
    """The bodies of a tool's operations, each behind its action."""
    parts = [part for w in done for part in w.result.split(" | ")]
    whole.result = " | ".join(dict.fromkeys(parts))
    whole.context = any(w.context for w in done)
    name = done[0].operation.action_param or ""
    chooser = whole.spelled[name]
    for w in done:
        whole.body.append(f"if {chooser} == {literal(w.operation.action)}:")
        whole.body += [f"    {line}" for line in w.body]
    whole.body.append(f"raise kit.no_action({literal(name)}, {chooser})")


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
            about = None if item.role in _SWITCHES else held.get(item.field or "")
            kind = parameter_type(item, design, about)
        optional = name not in required
        clears = item is not None and w.operation.kind in _CLEARED and w.clears(item)
        usual = f" | None = {'kit.UNSET' if clears else 'None'}" if optional else ""
        parts.append((optional, f"{plain}: {kind}{usual}"))
    parts.sort(key=lambda part: part[0])
    return "".join(f", {text}" for _, text in parts), names


_SWITCHES: Final = frozenset({"part", "hidden", "fixed"})
"""Roles whose field is not what the parameter holds."""
_CLEARED: Final = frozenset({"update", "part_update", "current_update"})
_REFERRED: Final = re.compile(r'Ref\["(\w+)"\]')


def parts_of(design: Design) -> dict[str, tuple[tuple[str, str], ...]]:
    """Table → the tables whose records are part of its records, and the field that says so."""
    found: dict[str, list[tuple[str, str]]] = {}
    for each in design.entities:
        for item in each.fields:
            target = design.by_entity.get(item.ref or "")
            if target is not None and item.ref in each.parents and item.type != "list":
                pair = (identifier(each.table), attribute(item))
                found.setdefault(identifier(target.table), []).append(pair)
    for link in design.links:
        for side, name in ((link.left, link.left_field), (link.right, link.right_field)):
            pair = (identifier(link.table), identifier(name))
            found.setdefault(identifier(design.by_entity[side].table), []).append(pair)
    return {table: tuple(pairs) for table, pairs in found.items()}


def source(design: Design) -> tuple[str, dict[str, str]]:
    """The text of `tools.py`, and tool → why it is simulated."""
    written_tools = {tool.spec.name: written(tool, design) for tool in design.tools}
    texts = [text for text, _ in written_tools.values()]
    reasons = {name: why for name, (_, why) in written_tools.items() if why}
    named = sorted(set(_REFERRED.findall("\n".join(texts))))
    head = HEAD.format(
        service=design.service,
        name=literal(design.service),
        state=state_name(design),
        domain=literal(design.domain),
        summary=literal(f"Imported: {len(design.tools)} tools"),
        parts=literal(parts_of(design)),
        classes=f"\nfrom .models import {', '.join(named)}" if named else "",
    )
    return "\n\n".join([head, *texts]), reasons
