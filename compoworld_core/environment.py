"""Environment: composed services behind one call interface and four meta-tools.

A call changes only its own service's state (product law), is undone if it ends in an error
(atomic), and draws time, ids and randomness from the state's ledger (deterministic). A fork
shares all records; a state is copied, overlay only, on the first write after a fork.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, TypeVarTuple

from attrs import define, field
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

from compoworld_core.context import Context, advance
from compoworld_core.dialogue import Dialogue
from compoworld_core.errors import DuplicateName, ServiceError, ToolError, UnknownName
from compoworld_core.meta import MetaTools
from compoworld_core.observation import LIMIT, Observation, brief, closest, refusal, shown
from compoworld_core.patch import Patch, apply
from compoworld_core.schema import problems
from compoworld_core.service import Service, Tool
from compoworld_core.state import Change, Entity, Ledger, State, dump
from compoworld_core.table import Key, WriteRefused

if TYPE_CHECKING:
    from compoworld_core.protocols import Simulator

RowChange = tuple[str, Key, Entity | None, Entity | None]
"""(table, id, before, after) within one service."""

Args = TypeVarTuple("Args")
Written = TypeVar("Written", bound=Observation | None)

_READING = "the tool is marked read_only"
_HELD = "the state belongs to an environment; write through its calls"


class Call(NamedTuple):
    """One call of a transcript, with what it showed."""

    tool: str
    arguments: str
    """JSON text, as it came."""
    observation: Observation
    prediction: Patch | None = None
    """What the simulator changed, where it answered: replays need no model."""


@define(eq=False, repr=False)
class Environment:
    """A composition of services in one joint state."""

    services: dict[str, Service[Any]]
    states: dict[str, State]
    simulator: Simulator | None = None
    limit: int = LIMIT
    """Characters of an observation that are shown."""
    transcript: list[Call] = field(factory=list)
    answer: str | None = None
    """The recorded final answer, once `finish` was called."""
    dialogue: Dialogue | None = None
    """With the user, where somebody answers questions."""
    _tools: dict[str, Tool] = field(factory=dict)
    _owned: set[str] = field(factory=set)

    @classmethod
    def of(
        cls,
        pairs: list[tuple[Service[Any], State]],
        *,
        simulator: Simulator | None = None,
        limit: int = LIMIT,
    ) -> Environment:
        """Compose services with their states; the environment takes the states over."""
        services: dict[str, Service[Any]] = {}
        for service, state in pairs:
            if service.name in services:
                raise DuplicateName("service", service.name, "the first", "the second")
            services[service.name] = service
            state.journal.locked = _HELD
        tools = {
            tool.full_name: tool
            for service in services.values()
            for tool in service.tools.values()
        }
        states = {service.name: state for service, state in pairs}
        return cls(services, states, simulator, limit, tools=tools)

    # -- calls -----------------------------------------------------------------------------

    def call(self, name: str, arguments: str | bytes | Mapping[str, Any] = "{}") -> Observation:
        """Call `service.tool` with arguments as JSON text or a mapping.

        Unknown tools, bad JSON and bad arguments, of any type, are observations. Raises
        ServiceError only where a service's code breaks its contract; the state is then as it
        was.
        """
        if type(arguments) is not str:
            arguments = _text(arguments)
        try:
            tool = self._tools.get(name)
        except TypeError:  # it cannot be hashed, so it is no name
            tool = None
        if tool is None:
            observation = self._unknown(name)
        elif tool.kind != "deterministic":
            return self._simulate(tool, arguments)
        else:
            observation = self._run(tool, arguments)
        self.transcript.append(Call(str(name), arguments, observation))
        return observation

    def _run(self, tool: Tool, text: str) -> Observation:
        try:
            values = tool.validate_json(text).__dict__
        except ValidationError as error:
            return refusal("invalid_argument", _explain(tool, error))
        service = tool.service
        if tool.read_only:
            state = self.states[service]
            journal = state.journal
            journal.locked = _READING
            try:
                return self._perform(tool, state, values)
            finally:
                journal.locked = _HELD
        state = self._own(service)
        return _write(state, self._perform, tool, state, values)

    def _perform(self, tool: Tool, state: State, values: dict[str, Any]) -> Observation:
        parameter = tool.context_parameter
        try:
            if parameter:
                context = Context(state.ledger, tool.service, reading=tool.read_only)
                result = tool.function(state, **{parameter: context}, **values)
            else:
                result = tool.function(state, **values)
            text = tool.to_json(result).decode()
        except ToolError as error:
            return refusal(error.code, error.message)
        except ValidationError as error:
            return refusal("invalid_argument", "; ".join(problems(error)))
        except WriteRefused as error:
            why = f"a write was refused: {error}"
            raise ServiceError(tool.service, tool.name, why) from error
        except PydanticSerializationError as error:
            why = f"result is not JSON: {error}"
            raise ServiceError(tool.service, tool.name, why) from error
        except Exception as error:
            why = f"raised {type(error).__name__} instead of ToolError: {error}"
            raise ServiceError(tool.service, tool.name, why) from error
        if len(text) > self.limit:
            return Observation(shown(text, self.limit), data=None)
        return Observation(text)

    def _simulate(self, tool: Tool, text: str) -> Observation:
        """Answer a call of a tool without faithful code through the simulator."""
        patch = None
        try:
            values = tool.validate_json(text)
        except ValidationError as error:
            observation = refusal("invalid_argument", _explain(tool, error))
        else:
            if self.simulator is None:
                observation = refusal(
                    "unavailable",
                    f"{tool.full_name} is {tool.kind} and no simulator is configured",
                )
            else:
                state = self._own(tool.service)
                arguments = values.model_dump(mode="json", by_alias=True)
                patch, observation = self.simulator.simulate(
                    self.services[tool.service], tool, state, arguments
                )
                if patch.operations and not observation.is_error:
                    self.commit(tool.service, patch)
        self.transcript.append(Call(tool.full_name, text, observation, patch))
        return observation

    def commit(self, service: str, patch: Patch) -> None:
        """Apply a patch as one write: it fits the typed state or changes nothing."""
        state = self._own(service)
        _write(state, apply, state, patch)

    def _own(self, service: str) -> State:
        """The service's state, copied (overlay only) if another environment may hold it too."""
        state = self.states[service]
        if service not in self._owned:
            state = state.fork()
            state.journal.locked = _HELD
            self.states[service] = state
            self._owned.add(service)
        return state

    def _unknown(self, name: object) -> Observation:
        if not isinstance(name, str):
            return refusal("invalid_argument", "the name of a tool must be text: service.tool")
        service, dot, _ = name.partition(".")
        if not dot or service not in self.services:
            names = list(self.services)
            near = closest(service, names)
            return refusal("not_found", f"no service {brief(service)!r}. {near}")
        names = [tool.full_name for tool in self.services[service].tools.values()]
        return refusal("not_found", f"no tool {brief(name)!r}. {closest(name, names)}")

    # -- looking ---------------------------------------------------------------------------

    def fork(self) -> Environment:
        """An environment in the same joint state, its transcript empty; copies no record."""
        self._owned.clear()
        return Environment(
            self.services,
            self.states.copy(),
            self.simulator,
            self.limit,
            answer=self.answer,
            dialogue=self.dialogue,
            tools=self._tools,
        )

    def digest(self) -> str:
        """One digest of the joint state; the same in any process for the same calls."""
        parts = (f"{name}:{self.digest_of(name)}" for name in sorted(self.states))
        return _sha256("\n".join(parts))

    def digest_of(self, service: str) -> str:
        """The digest of one service's state."""
        return self.states[service].digest()

    def diff(self, other: Environment) -> list[Change]:
        """The records that differ; `self` is before, `other` after."""
        return [
            Change(service, table, key, dump(before), dump(after))
            for service, table, key, before, after in self.changes(other)
        ]

    def changes(
        self, other: Environment
    ) -> Iterator[tuple[str, str, Key, Entity | None, Entity | None]]:
        """(service, table, id, before, after) of each record that differs, as typed records."""
        for name in self.states:
            for change in self.changes_of(name, other):
                yield name, *change

    def changes_of(self, service: str, other: Environment) -> Sequence[RowChange]:
        """(table, id, before, after) of each record of one service that differs."""
        before, after = self.states[service], other.states.get(service)
        if after is None:
            raise UnknownName("service", service, tuple(other.states), "Environment.services")
        return () if before is after else self._between(before, after)

    def _between(self, before: State, after: State) -> list[RowChange]:
        return list(before.changes(after))

    def tools(self) -> dict[str, Tool]:
        """`service.tool` → tool, of all services."""
        return dict(self._tools)

    def state(self, service: str) -> State:
        """A service's state as it is now, to look at; writing to its tables is refused."""
        state = self.states[service].fork()  # its ledger can be written to: give none of ours
        state.journal.locked = _HELD
        return state

    def __repr__(self) -> str:
        return f"Environment({', '.join(self.services)}; {len(self._tools)} tools)"

    @property
    def meta(self) -> MetaTools:
        """The four meta-tools that an agent has."""
        return MetaTools(self)

    def put(self, service: str, state: State) -> None:
        """Go on with another state of a service; the environment takes it over."""
        state.journal.locked = _HELD
        self._owned.discard(service)
        self.states[service] = state

    def finish(self, text: str) -> None:
        """Record the final answer: the last assistant message without a tool call."""
        self.answer = text

    def ask(self, text: str) -> str | None:
        """The user's reply; None where nobody answers, or there is no more to say."""
        if self.dialogue is None:
            return None
        reply, self.dialogue = self.dialogue.ask(text, self.limit)
        return reply


def _text(arguments: object) -> str:
    """JSON text of what was given as arguments; what is no object is refused as JSON is."""
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, bytes):
        return arguments.decode(errors="replace")
    try:
        plain = dict(arguments) if isinstance(arguments, Mapping) else arguments
        return to_json(plain, inf_nan_mode="constants").decode()
    except (PydanticSerializationError, ValueError):
        pass
    try:
        return json.dumps(plain, default=repr)
    except (TypeError, ValueError, RecursionError):
        return json.dumps(f"a {type(arguments).__name__} that is no JSON")


def _explain(tool: Tool, error: ValidationError) -> str:
    lines = problems(error)
    allowed = list(tool.input_schema.get("properties", {}))
    unknown = [line.partition(":")[0] for line in lines if line.endswith("unknown argument")]
    near = [f"{brief(name)}: {closest(name, allowed)}" for name in unknown[:_MOST_LINES]]
    hints = near if allowed else []
    missing = any(line.endswith("missing") for line in lines)
    takes = [f"{tool.name} takes: {', '.join(allowed) or 'no arguments'}"] if (
        missing or (unknown and not allowed)
    ) else []  # fmt: skip
    told = [_cut(line) for line in lines[:_MOST_LINES]]
    return "\n".join([*told, *hints, *takes])


_MOST_LINES: Final = 12
"""Wrong arguments that an error names."""


def _cut(line: str) -> str:
    """A line that names an argument, which may be as long as the caller likes."""
    name, colon, why = line.partition(": ")
    return f"{brief(name)}{colon}{why[:400]}"


def _write(state: State, work: Callable[[*Args], Written], *args: *Args) -> Written:
    """Do a piece of work on an open state as one write.

    It is undone where it raises or shows an error. A call that changed no record leaves the
    ledger as it was; a patch, which shows nothing, always counts as a write.
    """
    journal, ledger = state.journal, state.ledger
    saved = (ledger.now, ledger.writes, ledger.counters.copy())
    journal.locked, journal.undo = "", []
    done = False
    try:
        result = work(*args)
        done = result is None or not result.is_error
    finally:
        undo = journal.undo
        journal.locked, journal.undo = _HELD, None
        if done and (undo or result is None):
            advance(ledger)
        else:
            if not done:
                for step in reversed(undo):
                    step()
            _reset(ledger, saved)
    return result


def _reset(ledger: Ledger, saved: tuple[Any, int, dict[str, int]]) -> None:
    values = ledger.__dict__  # past pydantic's __setattr__, which costs a microsecond each
    values["now"], values["writes"], values["counters"] = saved


def _sha256(text: str) -> str:
    return sha256(text.encode()).hexdigest()
