"""Completion: an agent completes a package in the sandbox, until a fresh one finds it right.

The host never runs what the model wrote. It gives the agent a copy, takes back the files of a
list, screens them, and has them judged in another sandbox, with the tests as they were before.
"""

from __future__ import annotations

import json
import logging
import tempfile
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from attrs import define, evolve, field, frozen
from compoworld_policy_openai.endpoint import Endpoint

from compoworld_core import sandbox
from compoworld_core.errors import UsageError
from compoworld_core.protocols import Sandbox
from compoworld_core.registry import closest
from compoworld_core.sandbox import Ended, Job, Limits
from compoworld_synth.agentic import harness, proxy, screen
from compoworld_synth.agentic.budget import Budget, Spending
from compoworld_synth.agentic.package import Package, write_files

_REPLY: Final = "verdict.json"
_CHECK: Final = ".checks.json"
_LONGEST_REASON: Final = 8_000
_PROMPT: Final = (
    "Read TASK.md in this folder and do what it says. KIT.md says how services are written."
)

_log = logging.getLogger("compoworld.synth.agentic")


@frozen
class Completion:
    """What came of the work on one package."""

    accepted: bool
    rounds: int
    """How often an agent was started; each start but the first knows what was wrong."""
    tools: tuple[str, ...]
    """The tools that were to be written."""
    written: Mapping[str, bytes] = field(repr=False)
    """Files that differ from the package's own; empty where nothing was accepted."""
    problems: tuple[str, ...]
    """What the last judgement found."""
    spending: Mapping[str, int]
    log: str = field(repr=False)
    """What the agents said they did; written inside, so it proves nothing."""


@define
class Work:
    """One package, one agent, one endpoint, one budget."""

    package: Package
    agent: harness.Name
    endpoint: Endpoint
    box: Sandbox
    budget: Budget = field(factory=Budget)
    rounds: int = 3
    seconds: float = 1_800.0
    """Wall time of one round."""
    check_limits: Limits = field(factory=lambda: Limits(seconds=300, processes=128))
    _files: dict[str, bytes] = field(init=False)
    _log: list[str] = field(init=False, factory=list)

    def __attrs_post_init__(self) -> None:
        self._files = self.package.files()

    def complete(self, tools: Sequence[str] = ()) -> Completion:
        """Have tools written, by default all that are simulated; UsageError where none is.

        Nothing in the package's folder changes; see :func:`keep`.
        """
        before = self._describe()
        wanted = _wanted(before, tools)
        spending = Spending(self.budget)
        current = dict(self._files)
        problems: tuple[str, ...] = ()
        done = 0
        with proxy.serve(self.endpoint, spending) as socket:
            for _ in range(self.rounds):
                done += 1
                ended = self._play(current, wanted, before, problems, socket)
                self._log.append(ended.output)
                current = {**self._files, **ended.files}
                problems = self._judge(current, before, wanted, ended)
                _log.info("round %d: %s", done, problems[0] if problems else "accepted")
                if not problems or spending.refused:
                    break
        written = {
            name: text for name, text in current.items() if self._files.get(name) != text
        }
        return Completion(
            not problems, done, wanted, {} if problems else written, problems,
            spending.figures(), "\n".join(self._log),
        )  # fmt: skip

    def _describe(self) -> dict[str, Any]:
        """The service's tools, with kind and schema, as the package has them now."""
        settings = {"mode": "describe", "target": self.package.target, "reply": _REPLY}
        ended = self._run_checks(self._files, settings)
        found = _reply(ended).get("described")
        if not isinstance(found, dict) or not isinstance(found.get("tools"), dict):
            raise UsageError(f"the package does not work as it is: {ended.output[-1500:]}")
        return dict(found["tools"])

    def _play(
        self,
        current: Mapping[str, bytes],
        wanted: tuple[str, ...],
        before: Mapping[str, Any],
        problems: tuple[str, ...],
        socket: Path,
    ) -> Ended:
        """Let the agent work on a copy of the package."""
        settings = self._judgement(before, wanted)
        given = {
            "TASK.md": self._task(wanted, problems).encode(),
            "KIT.md": files(__package__).joinpath("kit.md").read_bytes(),
            _CHECK: json.dumps({**settings, "reply": ""}).encode(),
        }
        check = harness.check_command(_CHECK)
        with tempfile.TemporaryDirectory(prefix="compoworld-") as scratch:
            folder = Path(scratch, "package")
            write_files(folder, {**current, **given})
            job = Job(
                (), folder=folder, socket=socket, keep=self.package.writable,
                limits=harness.agent_limits(self.seconds),
            )  # fmt: skip
            prompt = f"{_PROMPT} Run the checks with: {' '.join(check)}"
            model = self.endpoint.model
            return self.box.run(
                harness.agent_job(self.agent, prompt, model, job.keep, check, job)
            )  # fmt: skip

    def _judge(
        self,
        current: Mapping[str, bytes],
        before: Mapping[str, Any],
        wanted: tuple[str, ...],
        ended: Ended,
    ) -> tuple[str, ...]:
        """What is wrong with the files, found in a sandbox that no agent was in."""
        screened: list[str] = []
        for name, content in current.items():
            if content != self._files.get(name):
                screened += screen.problems(name, content, self.package.module)
        if screened:
            return tuple(f"not for a service: {each}" for each in screened)
        verdict = self._run_checks(current, self._judgement(before, wanted))
        found = _reply(verdict).get("problems")
        if not isinstance(found, list):
            why = f"stopped for its {verdict.stopped}" if verdict.stopped else "no verdict"
            return (f"the checks did not end: {why}\n{verdict.output[-1500:]}",)
        problems = [str(each) for each in found]
        if problems and ended.stopped:
            problems.append(f"the agent was stopped for its {ended.stopped}")
        return tuple(problems)

    def _judgement(
        self, before: Mapping[str, Any], wanted: tuple[str, ...]
    ) -> dict[str, object]:  # fmt: skip
        return {
            "mode": "judge", "target": self.package.target, "reply": _REPLY,
            "before": before, "wanted": wanted, "validator": harness.validator_command(),
        }  # fmt: skip

    def _run_checks(
        self, current: Mapping[str, bytes], settings: Mapping[str, object]
    ) -> Ended:
        with tempfile.TemporaryDirectory(prefix="compoworld-") as scratch:
            folder = Path(scratch, "package")
            given = {_CHECK: json.dumps(settings).encode()}
            write_files(folder, {**current, **given})
            job = Job((), folder=folder, keep=(_REPLY,), limits=self.check_limits)
            made = harness.python_job("checks.py", {}, job)
            return self.box.run(_with_argument(made, f"@{_CHECK}"))

    def _task(self, wanted: tuple[str, ...], problems: tuple[str, ...]) -> str:
        lines = [
            f"# Complete the service {self.package.service}",
            "",
            f"These tools are still simulated: {', '.join(wanted)}.",
            "Write each as a tool with faithful code (`@service.tool`), so that it does what",
            "its entry in the listing says: see schemas.json, or its docstring and parameters.",
            "Keep every tool's name and arguments as they are, and leave other tools alone.",
            "Add fields or entities to the state where a tool needs them, and seed them.",
            "",
            "Only these files are kept:",
            "",
            *(f"- {each}" for each in self.package.writable),
            "",
            "Put tests of your own into tests/test_written.py: for each tool one of its use",
            "and one of each error. The other tests stay as they are; they judge the work too.",
            "No files, network, clock, uuid or global random; see KIT.md.",
        ]
        if problems:
            said = "\n\n".join(problems)[:_LONGEST_REASON]
            lines += ["", "## What was wrong with the last version", "", "```", said, "```"]
        return "\n".join(lines) + "\n"


def keep(package: Package, completion: Completion) -> list[str]:
    """Write accepted files into the package's folder; their paths."""
    for name in completion.written:
        if not sandbox.matches(name, package.writable):
            raise UsageError(f"{name} is none of the files that a model may write")
    write_files(package.folder, completion.written)
    return list(completion.written)


def _wanted(before: Mapping[str, Any], tools: Sequence[str]) -> tuple[str, ...]:
    simulated = [
        name for name, tool in sorted(before.items()) if tool.get("kind") == "simulated"
    ]
    for name in tools:
        if name not in simulated:
            near = ", ".join(closest(name, simulated)) or ", ".join(simulated[:10]) or "none"
            raise UsageError(f"{name} is no simulated tool of this service; there are: {near}")
    if not simulated:
        raise UsageError("no tool of this service is simulated; there is nothing to complete")
    return tuple(tools or simulated)


def _with_argument(job: Job, argument: str) -> Job:
    return evolve(job, argv=(*job.argv[:2], argument))


def _reply(ended: Ended) -> Mapping[str, Any]:
    try:
        found: Any = json.loads(ended.files.get(_REPLY, b"null"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, Mapping) else {}
