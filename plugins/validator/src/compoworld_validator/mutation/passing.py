"""Bugs in how arguments are passed on."""

from __future__ import annotations

from typing import Any, Final

from compoworld_core.state import State
from compoworld_validator.mutation.mutant import Bug, Operator, alike, of_type, optional


def _ignored(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """An optional argument is taken as if it were not given: a filter, a field."""
    default = bug.tool.parameters[bug.parameter][1]
    return bug.run(state, {**arguments, bug.parameter: default})


def _leaked(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """An argument that is not given has the value of the last call that gave it."""
    default = bug.tool.parameters[bug.parameter][1]
    given = arguments[bug.parameter]
    if given is default or given == default:
        return bug.run(state, {**arguments, bug.parameter: bug.memory.get("last", given)})
    bug.memory["last"] = given
    return bug.run(state, arguments)


def _swapped(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """Two arguments change places."""
    one, two = arguments[bug.parameter], arguments[bug.other]
    return bug.run(state, {**arguments, bug.parameter: two, bug.other: one})


def _folded(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """A text loses its case."""
    return _with_text(bug, state, arguments, str.lower)


def _cut(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """A text loses its last character."""
    return _with_text(bug, state, arguments, lambda text: text[:-1])


def _with_text(bug: Bug, state: State, arguments: dict[str, Any], change: Any) -> Any:
    value = arguments[bug.parameter]
    if not isinstance(value, str):
        return bug.run(state, arguments)
    return bug.run(state, {**arguments, bug.parameter: change(value)})


def _shifted(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """A number is one too large."""
    value = arguments[bug.parameter]
    if type(value) is not int:
        return bug.run(state, arguments)
    return bug.run(state, {**arguments, bug.parameter: value + 1})


def _negated(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """A flag means its opposite."""
    value = arguments[bug.parameter]
    if type(value) is not bool:
        return bug.run(state, arguments)
    return bug.run(state, {**arguments, bug.parameter: not value})


def _shortened(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """A list loses its last item."""
    value = arguments[bug.parameter]
    if not isinstance(value, list | tuple):
        return bug.run(state, arguments)
    return bug.run(state, {**arguments, bug.parameter: value[:-1]})


PASSING: Final = (
    Operator("ignored_argument", optional, _ignored),
    Operator("leaked_argument", optional, _leaked),
    Operator("swapped_arguments", alike, _swapped),
    Operator("folded_text", of_type(str), _folded),
    Operator("cut_text", of_type(str), _cut),
    Operator("shifted_number", of_type(int), _shifted),
    Operator("negated_flag", of_type(bool), _negated),
    Operator("shortened_list", of_type(list, tuple), _shortened),
)
