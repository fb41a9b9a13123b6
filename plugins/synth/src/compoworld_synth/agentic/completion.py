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

from compoworld_core import manifest, sandbox
from compoworld_core.errors import UsageError
from compoworld_core.manifest import Mark
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
    unproven: Mapping[str, str]
    """Tool → why the validator could not try it."""
    spending: Mapping[str, int]
    log: str = field(repr=False)
    """What the agents said they did; written inside, so it proves nothing."""
    author: str
    """Model and harness."""


@frozen
class Judgement:
    """What a sandbox that no agent was in found of a version."""

    problems: tuple[str, ...]
    unproven: Mapping[str, str] = field(factory=dict)


@define
class Work:
    """One package, one agent, one endpoint, one budget."""

    package: Package
    harness: str
    """One of :data:`compoworld_synth.agentic.harness.HARNESSES`."""
    endpoint: Endpoint
    box: Sandbox
    budget: Budget = field(factory=Budget)
    rounds: int = 3
    limits: Limits = field(
        factory=lambda: Limits(
            seconds=1_800, memory_mb=3_072, processes=128, files=1_024, output_kb=128
        )
    )
    """Of the agent in one round."""
    check_limits: Limits = field(factory=lambda: Limits(seconds=300, processes=128))
    _files: dict[str, bytes] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._files = self.package.files()

    def complete(self, tools: Sequence[str] = ()) -> Completion:
        """Have tools written, by default all without code; UsageError where there is none.

        Nothing in the package's folder changes; see :func:`keep`.
        """
        before = self._describe()
        wanted = _wanted(before["tools"], tools)
        settings = self._settings(before, wanted)
        spending = Spending(self.budget)
        current, judgement = dict(self._files), Judgement(())
        log: list[str] = []
        with proxy.serve(self.endpoint, spending) as socket:
            for number in range(1, self.rounds + 1):
                task = self._task(wanted, judgement.problems)
                ended = self._play(current, task, settings, socket)
                log.append(ended.output)
                current = {**self._files, **ended.files}
                judgement = self._judge(current, settings, ended)
                verdict = judgement.problems[0] if judgement.problems else "accepted"
                _log.info("round %d: %s", number, verdict)
                if not judgement.problems or spending.over:
                    break
        accepted = not judgement.problems
        if spending.over and not accepted:
            judgement = evolve(judgement, problems=(*judgement.problems, spending.over))
        changed = {n: text for n, text in current.items() if self._files.get(n) != text}
        return Completion(
            accepted, len(log), wanted, changed if accepted else {}, judgement.problems,
            judgement.unproven, spending.figures(), "\n".join(log),
            f"{self.endpoint.model} by {self.harness}",
        )  # fmt: skip

    def _describe(self) -> dict[str, Any]:
        """The service's tools, with kind and schema, as the package has them now."""
        settings = {"mode": "describe", "target": self.package.target, "reply": _REPLY}
        ended = self._run_checks(self._files, settings)
        found = _reply(ended)
        if not isinstance(found.get("tools"), dict):
            raise UsageError(f"the package does not work as it is: {ended.output[-1500:]}")
        return dict(found)

    def _settings(
        self, before: Mapping[str, Any], wanted: tuple[str, ...]
    ) -> dict[str, object]:
        """Of a judgement; see :mod:`compoworld_synth.agentic.inside.checks`."""
        return {
            "mode": "judge", "target": self.package.target, "service": self.package.service,
            "before": before, "wanted": wanted, "own": self.package.own_tests,
            "validator": harness.validator_command(), "reply": _REPLY,
        }  # fmt: skip

    def _play(
        self,
        current: Mapping[str, bytes],
        task: str,
        settings: Mapping[str, object],
        socket: Path,
    ) -> Ended:
        """Let the agent work on a copy of the package."""
        given = {
            "TASK.md": task.encode(),
            "KIT.md": files(__package__).joinpath("kit.md").read_bytes(),
            _CHECK: json.dumps({**settings, "reply": ""}).encode(),
        }
        check = harness.check_command(_CHECK)
        with tempfile.TemporaryDirectory(prefix="compoworld-") as scratch:
            folder = Path(scratch, "package")
            write_files(folder, {**current, **given})
            job = Job(
                (), folder=folder, socket=socket, keep=self.package.writable, limits=self.limits
            )
            prompt = f"{_PROMPT} Run the checks with: {' '.join(check)}"
            brief = harness.Brief(prompt, self.endpoint.model, check, job)
            return self.box.run(harness.HARNESSES[self.harness](brief))

    def _judge(
        self, current: Mapping[str, bytes], settings: Mapping[str, object], ended: Ended
    ) -> Judgement:
        """What is wrong with the files, found in a sandbox that no agent was in."""
        screened: list[str] = []
        for name, content in current.items():
            before = self._files.get(name, b"")
            if content != before:
                screened += screen.problems(name, content, self.package.top, before)
        if screened:
            return Judgement(tuple(f"not for a service: {each}" for each in screened))
        verdict = self._run_checks(current, settings)
        found = _reply(verdict)
        if not isinstance(found.get("problems"), list):
            why = f"stopped for its {verdict.stopped}" if verdict.stopped else "no verdict"
            return Judgement((f"the checks did not end: {why}\n{verdict.output[-1500:]}",))
        problems = [str(each) for each in found["problems"]]
        if problems and ended.stopped:
            problems.append(f"the agent was stopped for its {ended.stopped}")
        told = found.get("unproven")
        unproven = told.items() if isinstance(told, Mapping) else ()
        return Judgement(tuple(problems), {str(tool): str(why) for tool, why in unproven})

    def _run_checks(
        self, current: Mapping[str, bytes], settings: Mapping[str, object]
    ) -> Ended:
        with tempfile.TemporaryDirectory(prefix="compoworld-") as scratch:
            folder = Path(scratch, "package")
            write_files(folder, {**current, _CHECK: json.dumps(settings).encode()})
            job = Job((), folder=folder, keep=(_REPLY,), limits=self.check_limits)
            return self.box.run(harness.python_job("checks.py", f"@{_CHECK}", job))

    def _task(self, wanted: tuple[str, ...], problems: tuple[str, ...]) -> str:
        package = self.package
        lines = [
            f"# Complete the service {package.service}",
            "",
            f"These tools have no code yet: {', '.join(wanted)}.",
            f"Write each in {package.source} as a tool with faithful code (`@service.tool`):",
            "it does what its entry in schemas.json there says, or its docstring.",
            "Keep every tool's name and arguments as they are, and leave other tools alone.",
            "Add fields or entities to the state where a tool needs them, and seed them.",
            "",
            "Only these files are kept:",
            "",
            *(f"- {each}" for each in package.writable),
            "",
            f"Put tests of your own into {package.own_tests}: for each tool one of its use",
            "and one of each error. The other tests stay as they are; they judge the work too.",
            "No files, network, clock, uuid or global random; see KIT.md.",
        ]
        if problems:
            said = "\n\n".join(problems)[:_LONGEST_REASON]
            lines += ["", "## What was wrong with the last version", "", "```", said, "```"]
        return "\n".join(lines) + "\n"


def keep(package: Package, completion: Completion) -> list[str]:
    """Write accepted files into the package's folder, and into its manifest what the tools are
    now, where it has one; the paths of the files."""
    for name in completion.written:
        if not sandbox.matches(name, package.writable):
            raise UsageError(f"{name} is none of the files that a model may write")
    write_files(package.folder, completion.written)
    path = package.folder / package.source / manifest.FILE
    if path.exists():
        tools = manifest.read(path)
        for name in completion.tools:
            evidence = [f"written by {completion.author}; the checks pass"]
            tools[name] |= {"kind": "deterministic", "why": "", "evidence": evidence}
        manifest.write(path, tools.values())
        unproven = completion.unproven
        marks = {n: Mark(unproven[n]) if n in unproven else None for n in completion.tools}
        manifest.mark(path, marks)
    return list(completion.written)


def _wanted(before: Mapping[str, Any], tools: Sequence[str]) -> tuple[str, ...]:
    missing = [name for name, tool in sorted(before.items()) if not tool.get("has_code")]
    if not missing:
        raise UsageError("every tool of this service has code; there is nothing to complete")
    for name in tools:
        if name not in missing:
            near = ", ".join(closest(name, missing)) or ", ".join(missing[:10])
            raise UsageError(f"{name} is no tool without code here; there are: {near}")
    return tuple(tools or missing)


def _reply(ended: Ended) -> Mapping[str, Any]:
    try:
        found: Any = json.loads(ended.files.get(_REPLY, b"null"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, Mapping) else {}
