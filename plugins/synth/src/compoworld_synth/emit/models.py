"""Models: the module of entities and the state."""

from __future__ import annotations

from compoworld_synth.design import Design, EntityDesign, LinkDesign
from compoworld_synth.emit.values import attribute, field_type, identifier, literal

HEAD = '''"""Records and state of {service}, made from its tools' parameters and results."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from compoworld_core import Entity, IntRef, Ref, State, Table, types
'''


def shown_key(entity: EntityDesign) -> str:
    """The attribute that repeats the key in the server's spelling; empty where it is `id`."""
    name = identifier(entity.key_shown or entity.key)
    taken = {attribute(item) for item in entity.fields}
    return "" if name == "id" or name in taken else name


def source(design: Design) -> str:
    """The text of `models.py`."""
    parts = [HEAD.format(service=design.service)]
    for entity in design.entities:
        lines = [f"class {entity.class_name}(Entity):"]
        lines.append(f'    """A record: one {entity.name.replace("_", " ")}."""\n')
        lines.append(f"    id: {entity.id_type}")
        if shown_key(entity):
            lines.append(f"    {shown_key(entity)}: {entity.id_type}")
        for item in entity.fields:
            lines.append(f"    {attribute(item)}: {field_type(item, design)} | None = None")
            if item.parts:
                inner = ", ".join(each.shown for each in item.parts)
                what = "A list, each with" if item.several else "It holds"
                lines.append(f"    {literal(f'{what}: {inner}.')}")
            if item.invented:
                lines.append('    """Invented: no tool of the server says that it exists."""')
        parts.append("\n".join(lines))
    for link in design.links:
        lines = [
            f"class {link.class_name}(Entity):",
            '    """A membership."""\n',
            "    id: str",
        ]
        for side, name in ((link.left, link.left_field), (link.right, link.right_field)):
            kind = "IntRef" if design.by_entity[side].id_type == "int" else "Ref"
            target = design.by_entity[side].class_name
            lines.append(f'    {identifier(name)}: {kind}["{target}"]')
        parts.append("\n".join(lines))
    held = holders(design)
    tables = [(each.table, each.class_name) for each in held]
    lines = [
        f"class {state_name(design)}(State):",
        f"    {literal('All that the service owns.')}\n",
    ]
    lines += [
        f"    {identifier(table)}: Table[{name}] = Field(default_factory=Table)"
        for table, name in tables
    ]
    parts.append("\n".join(lines))
    return "\n\n\n".join(parts) + "\n"


def holders(design: Design) -> tuple[EntityDesign | LinkDesign, ...]:
    """Whatever has a table in the state."""
    return *design.entities, *design.links


def state_name(design: Design) -> str:
    """The class of the state."""
    return "".join(part.title() for part in design.service.split("_")) + "State"
