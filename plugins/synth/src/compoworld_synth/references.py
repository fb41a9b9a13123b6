"""References: one reference that two tools write under two names, `server` and `server_id`."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from compoworld_synth.design import OperationDesign

_KEPT = frozenset({"ref", "field", "filter"})


def unified(judged: Sequence[OperationDesign]) -> list[OperationDesign]:
    """The operations, in which `attach_volume(server_id)` writes the `server` of a create."""
    plain: dict[str, set[tuple[str, str]]] = {}
    for one in judged:
        if one.deterministic and one.link is None and one.entity:
            for each in one.params:
                if each.role == "ref" and each.ref and each.field and each.param.kind != "arr":
                    plain.setdefault(one.entity, set()).add((each.field, each.ref))
    return [_renamed(one, plain.get(one.entity or "", set())) for one in judged]


def _renamed(one: OperationDesign, known: set[tuple[str, str]]) -> OperationDesign:
    """One operation, its `x_id` called `x` where others write the same so."""
    if not one.deterministic or one.link is not None or not known:
        return one
    taken = {each.field for each in one.params}
    params = []
    for each in one.params:
        short = (each.field or "").removesuffix("_id")
        same = each.role in _KEPT and each.ref is not None and short != each.field
        if same and (short, each.ref) in known and short not in taken:
            each = evolve(each, field=short)
        params.append(each)
    return evolve(one, params=tuple(params))
