"""ModelSimulator: a model predicts what tools without code do; nothing unfit is kept."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

from compoworld_policy_openai.connection import Connection
from compoworld_policy_openai.endpoint import read_endpoint
from pydantic import ValidationError

from compoworld_core.errors import ERROR_CODES, ModelError, SimulationError, UsageError
from compoworld_core.observation import Observation, refusal, shown
from compoworld_core.patch import Patch, apply
from compoworld_core.schema import adapter, problems
from compoworld_core.service import Service, Tool
from compoworld_core.state import State
from compoworld_simulator_llm.account import Account
from compoworld_simulator_llm.document import Bounds, FreshIds, fresh_ids, plain, to_patch
from compoworld_simulator_llm.prompt import again, messages
from compoworld_simulator_llm.recordings import Recordings

_LONGEST_ANSWER: Final = 100_000
"""Characters of a prediction that are read; a longer one is refused."""
_DEEPEST: Final = 64
"""Levels of lists and objects in a prediction: what reads it later does so by recursion."""


class ModelSimulator:
    """Asks a model for a JSON Patch and an observation, tries them on a fork, hands them on."""

    def __init__(
        self,
        *,
        base_url: str | None = None,
        model: str | None = None,
        timeout: float = 120.0,
        tries: int = 3,
        pause: float = 1.0,
        attempts: int = 3,
        seed: int = 0,
        temperature: float = 0.0,
        recordings: str | None = None,
        replay: bool = False,
        rows: int = 12,
        max_rows: int = 20,
        max_deleted: int = 3,
        budget_requests: int = 0,
        budget_tokens: int = 0,
    ) -> None:
        """Make a simulator; UsageError where an option is wrong or missing.

        Args:
            base_url: the address up to /v1; by default of the environment.
            model: the model's name; by default of the environment.
            timeout: seconds for one request.
            tries: requests for one answer, where one fails in a way that may pass.
            pause: seconds before the second try.
            attempts: predictions for one call, each told what was wrong with the last.
            seed: sent with each request.
            temperature: sent with each request.
            recordings: a folder of answers by the hash of what was asked.
            replay: ask nobody; what is not recorded is unavailable.
            rows: of each table that the model sees at most.
            max_rows: that one call may change.
            max_deleted: rows that one call may delete.
            budget_requests: of this simulator at most; 0 is no limit.
            budget_tokens: of this simulator at most; 0 is no limit.
        """
        for name, value, least in (
            ("attempts", attempts, 1), ("rows", rows, 0), ("max_rows", max_rows, 0),
            ("max_deleted", max_deleted, 0), ("budget_requests", budget_requests, 0),
            ("budget_tokens", budget_tokens, 0),
        ):  # fmt: skip
            if type(value) is not int or value < least:
                raise UsageError(f"{name} is {value!r}; give a whole number from {least} up")
        if replay and recordings is None:
            raise UsageError("replay needs recordings; give --simulator-option recordings=DIR")
        if replay and recordings is not None and not Path(recordings).is_dir():
            raise UsageError(f"there is no folder {recordings}, so nothing can be replayed")
        self.account = Account(budget_requests, budget_tokens)
        self._recordings = None if recordings is None else Recordings(Path(recordings))
        self._connection: Connection | None = None
        if not replay:
            who = "the simulator 'llm'"
            endpoint = read_endpoint(base_url, model, timeout, tries, pause, who=who)
            self._connection = Connection(endpoint, Random(seed))
        self._attempts, self._rows = attempts, rows
        self._bounds = Bounds(max_rows, max_deleted)
        self._sampling = {"seed": seed, "temperature": temperature}

    def simulate(
        self, service: Service[Any], tool: Tool, state: State, arguments: Mapping[str, Any]
    ) -> tuple[Patch, Observation]:
        """A patch that fits the state, and what the agent sees; the state is not changed.

        Raises UsageError where address, key or model are wrong: no other call fares better.
        """
        self.account.calls += 1
        fresh = fresh_ids(state, service.name)
        asked = messages(service, tool, state, arguments, fresh, rows=self._rows)
        why = ""
        for _ in range(self._attempts):
            try:
                answer = self._answer({"messages": asked, **self._sampling})
            except ModelError as error:
                return Patch(), refusal("unavailable", f"the simulator has no answer: {error}")
            try:
                found = self._read(tool, state, answer, fresh)
            except (SimulationError, ValueError, TypeError) as error:
                # The last two: what validators of the service's own models may raise.
                why = _explain(error)
                self.account.refused += 1
                asked = [*asked, *again(answer, why)]
                continue
            self.account.accepted += 1
            return found
        message = f"the simulator's {self._attempts} predictions did not fit; the last: {why}"
        return Patch(), refusal("unavailable", message)

    def _answer(self, request: dict[str, Any]) -> str:
        """The model's text; ModelError where there is none to be had."""
        if self._recordings is not None:
            known = self._recordings.find(request)
            if known is not None:
                self.account.replayed += 1
                return known
        if self._connection is None:
            raise ModelError("this call is not among the recordings")
        if self.account.exhausted:
            raise ModelError(f"its budget is used up: {self.account.exhausted}")
        start = time.monotonic()
        answer = self._connection.ask({"model": self._connection.endpoint.model, **request})
        self.account.pay(answer["usage"], time.monotonic() - start)
        content = answer["message"].get("content")
        text = content if isinstance(content, str) else ""
        text = text.encode(errors="replace").decode()[: _LONGEST_ANSWER + 1]
        if self._recordings is not None:
            self._recordings.keep(request, text)
        return text

    def _read(
        self, tool: Tool, state: State, text: str, fresh: FreshIds
    ) -> tuple[Patch, Observation]:
        """The prediction that a text holds; it raises, for the model to read, where unfit."""
        if len(text) > _LONGEST_ANSWER:
            raise SimulationError(f"an answer has {_LONGEST_ANSWER} characters at most")
        said = _object(text)
        if "error" in said:
            return Patch(), _refused(said["error"])
        if "observation" not in said:
            raise SimulationError("the answer needs patch and observation, or error")
        patch = to_patch(
            state, said.get("patch", []), self._bounds, fresh, read_only=tool.read_only
        )
        trial = state.fork()
        apply(trial, patch)
        result = plain(said["observation"])
        try:
            adapter(tool.result_type).validate_json(json.dumps(result))
        except ValidationError as error:
            why = _explain(error, "the value")
            raise SimulationError(f"observation does not fit: {why}") from error
        return patch, Observation(shown(json.dumps(result, ensure_ascii=False)))


def _object(text: str) -> dict[str, Any]:
    """The JSON object of an answer, which may stand in a fence."""
    start, end = text.find("{"), text.rfind("}")
    try:
        said = json.loads(text[start : end + 1], parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        raise SimulationError(f"the answer is no JSON object: {error}") from error
    if not isinstance(said, dict):
        raise SimulationError("the answer is no JSON object")
    if _deeper(said, _DEEPEST):
        raise SimulationError(f"an answer is nested {_DEEPEST} levels deep at most")
    return said


def _deeper(value: Any, levels: int) -> bool:
    """Whether lists and objects are nested deeper; walked level by level, not by recursion."""
    level = [value]
    for _ in range(levels):
        level = [
            below
            for each in level
            for below in (each.values() if isinstance(each, dict) else each)
            if isinstance(below, dict | list)
        ]
    return bool(level)


def _constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _refused(error: object) -> Observation:
    if not isinstance(error, dict) or error.get("code") not in ERROR_CODES:
        raise SimulationError(f"error needs a code, one of: {', '.join(ERROR_CODES)}")
    return refusal(error["code"], plain(str(error.get("message", ""))))


def _explain(error: Exception, root: str = "the row") -> str:
    if isinstance(error, ValidationError):
        return "; ".join(problems(error, root)[:8])[:1500]
    return str(error)[:1500]
