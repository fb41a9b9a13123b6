"""Answers: what of a record a call shows: chosen fields, parts asked for, its children."""

from __future__ import annotations

from typing import Final

from compoworld_synth.design import EntityDesign, FieldDesign, ParamDesign
from compoworld_synth.emit.values import attribute, identifier, literal
from compoworld_synth.emit.writing import NotEmitted, Writing, table_of
from compoworld_synth.entities import child_of
from compoworld_synth.entity_fields import flag_of, part_of
from compoworld_synth.kinds.plan import READING
from compoworld_synth.lexicon import word_set
from compoworld_synth.results import stated, wrapped

_SLIM: Final = frozenset({
    "name", "title", "subject", "status", "state", "type", "email", "label", "summary",
})  # fmt: skip
"""What a short answer holds beside the key."""


def options(w: Writing) -> list[str]:
    """The keyword arguments of `kit.page` and `kit.shown` that the call's switches ask for."""
    found = []
    select, slim = w.one("select"), w.one("slim")
    if select is not None:
        found.append(f"only=kit.several({w.value(select)})")
    elif slim is not None:
        short = [attribute(item) for item in w.record.fields if item.name in _SLIM]
        if not short or len(short) == len(w.record.fields):
            raise NotEmitted(f"{slim.param.name[:40]} has nothing to leave out")
        found.append(f"only=None if {w.defaulted(slim)} else {literal(tuple(short))}")
    off, kids = [], []
    for item in w.operation.of("part"):
        field = part_of(item.field or "", w.record.fields)
        if field is not None:
            off.append(f"{attribute(field)}={w.defaulted(item)}")
        else:
            kids.append(_asked(w, item))
    kids += _always(w)
    if off:
        found.append(f"hide=kit.off({', '.join(off)})")
    if kids:
        found.append(f"each=lambda row: {{{', '.join(kids)}}}")
    return found


def _asked(w: Writing, item: ParamDesign) -> str:
    """The children that a switch shows, as a part of a dictionary's display."""
    child = child_of(item.field or "", w.record, w.design.entities)
    if child is None:
        raise NotEmitted(f"no {w.record.name} has what {item.param.name[:40]} asks for")
    name = (item.field or "").split("_")[-1]
    return f"**({{{literal(name)}: {_kids(w, *child)}}} if {w.defaulted(item)} else {{}})"


def _always(w: Writing) -> list[str]:
    """The children that a reader of the record shows whatever it is asked."""
    if w.operation.kind not in READING:
        return []
    return [f"{literal(shown)}: {_kids(w, *rest)}" for shown, *rest in w.record.children]


def _kids(w: Writing, entity: str, field: str) -> str:
    other: EntityDesign = w.design.by_entity[entity]
    held: FieldDesign = other.by_name[field]
    return f"kit.kids({table_of(other)}, {identifier(attribute(held))}=row.id)"


def visible(w: Writing) -> None:
    """Leave out the rows in a state that the call does not ask for."""
    for item in w.operation.of("hidden"):
        flag = flag_of(item.field or "", w.record.fields)
        if flag is None:
            raise NotEmitted(f"no {w.record.name} tells whether it is {item.field}")
        field, value = flag
        asked = w.defaulted(item)
        shown = f"not {asked}" if item.comparison == "ne" else asked
        more = "" if value is None else f", {literal(value)}"
        w.body.append(f"rows = kit.unless(rows, {literal(attribute(field))}, {shown}{more})")


_PEOPLE: Final = word_set(
    "user users owner creator member members assignee operator employee author sender editor"
    " person people leader interviewer recruiter handler modifier updater id"
)


def _spoken_of(item: ParamDesign, w: Writing) -> bool:
    """Whether record or call have ids of the kind that the parameter chooses a form of."""
    name = item.param.name.lower()
    if not name.endswith("_id_type") or w.entity is None:
        return True
    what = name.removesuffix("_id_type")
    people = what in ("user", "open", "people", "member", "employee_type")
    spoken = {part for field in w.record.fields for part in field.name.split("_")}
    spoken |= {part for each in w.operation.params if each is not item and each.role != "fixed"
               for part in (each.field or each.param.name).lower().split("_")}  # fmt: skip
    nested = any(field.type in ("json", "object", "list") for field in w.record.fields)
    kinds = (_PEOPLE - {"id"}) if people else {what.split("_")[0]}
    return nested or bool(spoken & kinds)


def fit(w: Writing) -> None:
    """Show of a single record what the call asks for, empty fields only where unstated."""
    for item in w.operation.of("fixed"):
        if not _spoken_of(item, w):
            continue  # it says how ids are written, of which the record has none
        value, name = w.value(item), literal(item.param.name)
        w.body.insert(0, f"kit.fixed({value}, {literal(item.field)}, {name})")
    told = bool(stated(w.tool.spec))
    around, beside = wrapped(w.tool.spec, w.record.name.split("_")) if told else ("", ())
    more = options(w) if w.result.startswith("models.") else []
    if not w.result.startswith("models.") or not (told or more):
        return
    w.result = "dict[str, Any]"
    keywords = "".join(f", {each}" for each in ([] if told else ["stated=False"]) + more)
    for n, line in enumerate(w.body):
        head, found, value = line.partition("return ")
        plain = value.startswith(("kit.preview(", "kit.page("))
        if found and not head.strip() and not plain:
            shown = f"kit.shown({value}{keywords})"
            if around:
                shown = f"kit.laid({shown}, {literal(around)}, {literal(beside)})"
            w.body[n] = f"{head}return {shown}"
