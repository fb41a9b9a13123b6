"""Guards: what an emitted tool demands of a call because its description says so."""

from __future__ import annotations

from compoworld_synth import stated_rules
from compoworld_synth.design import ParamDesign
from compoworld_synth.emit.values import attribute, literal
from compoworld_synth.emit.writing import Writing
from compoworld_synth.kinds.plan import WRITING


def demand(w: Writing) -> None:
    """Refuse a call that lacks what the words about the tool and its parameters ask for."""
    kind = w.operation.kind
    if kind not in WRITING - {"batch_create", "batch_update"}:
        return
    params = {item.param.name: item for item in w.operation.params}
    written = w.operation.of("field", "ref", "refs", "bag")
    told = (
        ()
        if w.operation.action is not None
        else stated_rules.listed(w.tool.spec.description, [item.param for item in written])
    )
    lines = [
        f"kit.needed({w.given(item)}, {literal(item.param.name)})"
        for item in written
        if len(item.param.path) == 1
        and not item.param.required
        and (item.param.name in told or stated_rules.needed(item.param, w.operation.action))
    ]
    text = w.tool.spec.description if w.operation.action is None else ""
    for choice in stated_rules.choices(text, [item.param for item in written]):
        given = ", ".join(f"{literal(n)}: {w.given(params[n])}" for n in choice.names)
        exact = ", exact=True" if choice.how == "one" else ""
        lines.append(f"kit.some_of({{{given}}}{exact})")
    if kind in ("update", "part_update", "current_update") and stated_rules.some(text):
        free = [item for item in written if not item.param.required]
        given = ", ".join(f"{literal(i.param.name)}: {_sent(w, i)}" for i in free)
        if free and not lines:
            lines.append(f"kit.some_of({{{given}}})")
    w.body[:0] = lines
    _unique(w)


def _sent(w: Writing, item: ParamDesign) -> str:
    """The expression of what counts as given: null too, where it empties the field."""
    value = w.given(item)
    return f"kit.sent({value})" if w.clears(item) else value


def _unique(w: Writing) -> None:
    """A value that no two records may share, checked before the record is made."""
    if w.operation.kind not in ("create", "upload") or w.entity is None:
        return
    for item in w.operation.of("field"):
        held = w.entity.by_name.get(item.field or "")
        if held is not None and stated_rules.unique(item.param) and len(item.param.path) == 1:
            name, value = literal(attribute(held)), w.defaulted(item)
            w.body.insert(-1, f"kit.unique({w.table}, {name}, {value}, {w.noun})")
