"""Expressions read observations; what they cannot read is a plan error, not a crash."""

import pytest

from compoworld_core.errors import PlanError
from compoworld_core.expressions import Fn, Out, Scope


def test_a_text_about_a_missing_value_is_a_plan_error() -> None:
    text = Fn(
        name="text", args=(Out(step="s1", path=("due",)),), kinds=("date",), template="{}"
    )
    with pytest.raises(PlanError, match="None is not a date"):
        text.value(Scope({"s1": {"due": None}}))
