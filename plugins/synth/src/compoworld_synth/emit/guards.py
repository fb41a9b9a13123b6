"""Guards: what an emitted tool demands of a call because its description says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compoworld_synth import stated_rules
from compoworld_synth.design import ParamDesign
from compoworld_synth.emit.values import attribute, literal
from compoworld_synth.emit.writing import Writing
from compoworld_synth.kinds.plan import WRITING


def demand(w: Writing) -> None:
    """Refuse a call that lacks what the words about the tool and its parameters ask for."""
    kind = w.operation.kind
    _apart(w)
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
    own = [item for item in written if len(item.param.path) == 1]
    for choice in stated_rules.instead([item.param for item in own]):
        given = ", ".join(f"{literal(n)}: {w.given(params[n])}" for n in choice.names)
        exact = ", exact=True" if choice.how == "one" else ""
        lines.append(f"kit.some_of({{{given}}}{exact})")
    lines += _conditions(w, params, own)
    for item in written:
        most = stated_rules.longest(item.param)
        if most is not None:
            lines.append(f"kit.at_most({w.given(item)}, {most}, {literal(item.param.name)})")
    w.body[:0] = list(dict.fromkeys(lines))
    _unique(w)


def _conditions(
    w: Writing, params: Mapping[str, ParamDesign], own: Sequence[ParamDesign]
) -> list[str]:
    """`Required when send_email is true`: the parameters that others make needed."""
    lines = []
    every = [each.param for each in w.operation.params if len(each.param.path) == 1]
    names = {item.param.name for item in own}
    for rule in stated_rules.conditions(every):
        if rule.name not in names:
            continue
        asked = w.given(params[rule.other])
        test = f"{asked} is not None"
        if rule.value is not None:
            test = asked if rule.value is True else f"{asked} == {literal(rule.value)}"
        needed = f"kit.needed({w.given(params[rule.name])}, {literal(rule.name)})"
        lines.append(f"if {test}:\n        {needed}")
    return lines


def _apart(w: Writing) -> None:
    """Refuse a call that gives two parameters of which only one may be given."""
    params = {item.param.name: item for item in w.operation.params if len(item.param.path) == 1}
    for one, other in stated_rules.apart([item.param for item in params.values()]):
        if {params[one].role, params[other].role} & {"control", "refused", "fixed"}:
            continue
        given = ", ".join(f"{literal(n)}: {w.given(params[n])}" for n in (one, other))
        w.body.insert(0, f"kit.not_both({{{given}}})")


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
