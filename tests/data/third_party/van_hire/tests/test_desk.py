"""A van is hired to one customer at a time."""

import pytest
from van_hire.desk import HireState, book_van, service

from compoworld_core import Context, ToolError
from compoworld_core.cast import draw_cast


def test_a_van_is_not_hired_twice() -> None:
    state: HireState = service.new_state(draw_cast(0, 60), 0, 60)
    ctx = Context(state.ledger, service.name)
    taken = state.bookings.where(status="reserved")[0]
    with pytest.raises(ToolError, match="taken"):
        book_van(state, ctx, taken.van_id, "a@b.example", taken.starts, taken.ends)
