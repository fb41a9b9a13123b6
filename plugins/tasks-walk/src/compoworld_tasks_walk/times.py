"""Times: an hour of a day that was found elsewhere, as a fact of its own."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from compoworld_core.expressions import Expr, Fn
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.script import FactOf, Figure, Shifted, Stated, Timed


def at(day: Known, hour: int) -> Known:
    """An hour (UTC) of a carried day."""
    assert isinstance(day.value, FactOf | Figure | Stated | Shifted), "no other has hours"
    clock = f"{hour:02d}:00"
    form = f"{{}}T{clock}:00Z"

    def made(read: Expr) -> Expr:
        base = read if day.made is None else day.made(read)
        return Fn(name="form", args=(base,), template=form)

    def value(of: Any) -> str:
        return form.format(str(of)[:10])

    return evolve(
        day,
        kind="datetime",
        expr=None if day.expr is None else Fn(name="form", args=(day.expr,), template=form),
        made=made,
        hero=value(day.hero),
        shadow=value(day.shadow),
        value=Timed(day.value, clock),
        decoys=tuple(value(decoy) for decoy in day.decoys),
    )


def ending(start: Known) -> Known:
    """An hour after what begins at an hour of a carried day, which the plan has used by now."""
    assert isinstance(start.value, Timed), "only such facts have an hour"
    assert isinstance(start.expr, Fn), "its time is put together"
    form = f"{{}}T{int(start.value.clock[:2]) + 1:02d}:00:00Z"

    def value(text: Any) -> str:
        return form.format(str(text)[:10])

    return evolve(
        start,
        expr=start.expr.model_copy(update={"template": form}),
        made=None,
        hero=value(start.hero),
        shadow=value(start.shadow),
        value=Timed(start.value.of, form[3:8], ends=True),
        decoys=tuple(value(decoy) for decoy in start.decoys),
    )
