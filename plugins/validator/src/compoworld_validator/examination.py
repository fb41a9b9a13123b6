"""Examination: which sequences are tried on a service, and what the judges say of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from attrs import define, field

from compoworld_core import compose
from compoworld_core.errors import ServiceError
from compoworld_core.service import Service, Tool
from compoworld_validator import (
    choices,
    deeds,
    laws,
    leaks,
    naming,
    positions,
    quotes,
    reads,
    removal,
    traces,
    writes,
)
from compoworld_validator.arguments import required
from compoworld_validator.casebook import Casebook
from compoworld_validator.derivation import Ask, concrete, derived
from compoworld_validator.harvest import Harvest
from compoworld_validator.isolation import Spring
from compoworld_validator.reading import mappings
from compoworld_validator.references import look_up
from compoworld_validator.shrink import shrunk
from compoworld_validator.values import NONSENSE, broken
from compoworld_validator.verdict import Finding, Reason, Step, Verdicts
from compoworld_validator.world import World

LIMIT = 10_000_000
SCALE = 40
_REFUSALS = 4
_TRIALS = 400
"""Sequences that are played again in other orders."""


class Enough(Exception):  # noqa: N818  # no error: one fault was all that was asked for
    """A fault was found in this tool."""


@define
class Examination:
    """One service under examination."""

    harvest: Harvest
    world: World
    verdicts: Verdicts
    spring: Spring | None = None
    """Where the service was never called."""
    book: Casebook = field(init=False)
    ask: Ask | None = None
    """Asks a model for further cases."""
    first: bool = False
    """Stop at the first fault, by raising Enough."""

    @classmethod
    def of(cls, service: Service[Any], cases: int, seed: int) -> Examination:
        """A fresh world of the service."""
        base = compose(service, seed=seed, scale=SCALE, limit=LIMIT)
        spring = Spring.of(base)
        tools = {n: tool for n, tool in service.tools.items() if tool.kind == "deterministic"}
        harvest = Harvest(base, service, Random(f"{seed}:{service.name}"), seed, SCALE, cases)
        return cls(harvest, World.of(base, tools), Verdicts(service.name, len(tools)), spring)

    @property
    def reads(self) -> list[Tool]:
        """The tools that only read."""
        return [tool for tool in self.world.tools.values() if tool.read_only]

    @property
    def writes(self) -> list[Tool]:
        """The tools that may write."""
        return [tool for tool in self.world.tools.values() if not tool.read_only]

    def judged(
        self, judge: laws.Judge, steps: Sequence[Step], blamed: str = "", least: int = 1
    ) -> bool:
        """Let a judge look at a sequence; a fault is shrunk and kept, one for each tool."""
        tool = blamed or steps[-1][0]
        if tool in self.verdicts.findings:
            return False
        fault = judge(self.world, steps)
        if fault is None:
            return False
        if self.first:
            raise Enough(tool)
        needed = {name: required(each) for name, each in self.world.tools.items()}
        smallest = shrunk(self.world, judge, steps, fault[0], least, needed)
        reason, why = judge(self.world, smallest) or fault
        self.found(tool, reason, why, smallest)
        return True

    def found(self, tool: str, reason: Reason, why: str, steps: Sequence[Step]) -> None:
        """Keep a fault, the first of its tool."""
        if self.first:
            raise Enough(tool)
        if tool not in self.verdicts.findings:
            self.verdicts.findings[tool] = Finding(tool, reason, why, tuple(steps))

    def run(self) -> Verdicts:
        """Examine the service in its seeded world and after writes."""
        try:
            self._run()
        finally:
            if self.spring is not None:
                self.spring.close()
        return self.verdicts

    def _run(self) -> None:
        self.harvest.collect()
        for name, given in self.harvest.crashes.items():
            self.judged(laws.lawful, [(name, given)])
        self.book = Casebook.of(self.harvest, self.world)
        self._derive()
        for name in self.world.tools:
            for steps in self.book.accepted(name):
                played = self.world.tried(steps)
                if played is not None:
                    self.world.view(name, played, mappings(played.last.data))
        for tool in self.world.tools.values():
            self._laws(tool)
        for tool in self.world.tools.values():
            quotes.quoted(self, tool)
            leaks.tried(self, tool)
            positions.tried(self, tool)
            choices.counts(self, tool)
            naming.tried(self, tool)
        look_up(self)
        for tool in self.writes:
            writes.tried(self, tool)
            removal.tried(self, tool)
            traces.tried(self, tool)
            choices.tried(self, tool)
        for tool in self.reads:
            reads.tried(self, tool)
        for tool in self.writes:
            writes.followed(self, tool)
        self._orders()
        self.verdicts.unreached = [
            name
            for name in self.world.tools
            if not self.book.samples[name] and name not in self.verdicts.findings
        ]

    def _derive(self) -> None:
        """Add a model's cases to the samples; what it expected wrongly is a doubt."""
        if self.ask is None:
            return
        for case in derived(list(self.world.tools.values()), self.ask):
            steps = concrete(self.world, case.calls)
            if steps is None:
                continue
            seen = self.world.play(steps).last
            if seen.is_error == case.accepted:
                calls = [{"tool": name, "arguments": dict(given)} for name, given in steps]
                shown = {"calls": calls, "why": case.why, "seen": seen.text[:300]}
                self.verdicts.doubts.append({"tool": steps[-1][0], **shown})
            elif not seen.is_error:
                self.book.samples[steps[-1][0]].append(steps)
            else:
                self.judged(laws.lawful, steps)

    def _laws(self, tool: Tool) -> None:
        """What holds for each call of each tool."""
        samples = self.book.samples[tool.name]
        for steps in samples + [steps for _, steps in self.book.variants[tool.name]][:40]:
            self.judged(laws.lawful, steps)
            if not tool.read_only:
                self.judged(laws.lawful, [*steps, steps[-1]], least=2)
            if tool.idempotent:
                self.judged(laws.idempotent, steps)
        for given in self.harvest.refusals.get(tool.name, [])[:_REFUSALS]:
            self.judged(laws.lawful, [(tool.name, given)])
        for steps in samples[:1]:
            bad = broken(tool.input_schema, steps[-1][1])
            for wrong in bad[: self.harvest.cases // 2]:
                self.judged(laws.refused, [(tool.name, wrong)])
        alone = [steps[0] for steps in self.book.accepted(tool.name) if len(steps) == 1][:30]
        single = all(len(steps) == 1 for steps in samples)
        if alone and not tool.read_only and (single or not self.book.writes(tool.name)):
            self.judged(deeds.removed, alone, tool.name)
            self.judged(deeds.effective, alone, tool.name, least=3)

    def _orders(self) -> None:
        """All sequences again, each order in a process of its own: outcomes must agree."""
        if self.spring is None:
            self.verdicts.orders = False
            return
        corpus = self._corpus()
        places = list(range(len(corpus)))
        backwards = places[::-1]
        mixed = list(places)
        self.harvest.rng.shuffle(mixed)
        found = []
        for order in (places + places[:1], backwards, mixed):
            outcomes = self.spring.outcomes([corpus[place] for place in order])
            found.append(dict(zip(order, outcomes, strict=True)))
        for place in places:
            if len({each[place] for each in found}) > 1:
                steps = corpus[place]
                why = "the answer depends on the calls of other worlds before it"
                self.found(steps[-1][0], Reason.OUTSIDE_STATE, why, steps)

    def _corpus(self) -> list[list[Step]]:
        """Reads alone and after writes, writes, and calls that are refused."""
        corpus: list[list[Step]] = []
        looks: list[list[Step]] = []
        for tool in self.world.tools.values():
            samples = self.book.samples[tool.name][:4]
            corpus += samples
            varied = [steps for _, steps in self.book.variants[tool.name]]
            corpus += varied[:: max(1, len(varied) // 12)][:12]
            corpus += [[(tool.name, g)] for g in self.harvest.refusals.get(tool.name, [])[:3]]
            corpus += list(_strange(tool, samples))
            if tool.read_only:
                looks += [steps for steps in samples[:3] if len(steps) == 1]
        for tool in self.writes:
            for steps in self.book.writes(tool.name)[:1]:
                corpus += [[*steps, *look] for look in looks]
        return corpus


def _strange(tool: Tool, samples: Sequence[Sequence[Step]]) -> Iterator[list[Step]]:
    """The first sample with each text put to one that nothing has."""
    for steps in samples[:1]:
        for name, value in steps[-1][1].items():
            if isinstance(value, str):
                yield [*steps[:-1], (tool.name, {**steps[-1][1], name: NONSENSE})]


def examined(service: Service[Any], cases: int, seed: int, ask: Ask | None = None) -> Verdicts:
    """The verdicts on a service."""
    examination = Examination.of(service, cases, seed)
    examination.ask = ask
    return examination.run()


def faulty(service: Service[Any], cases: int, seed: int) -> bool:
    """Whether there is a fault: as `examined`, ended by the first."""
    examination = Examination.of(service, cases, seed)
    examination.first = True
    try:
        examination.run()
    except Enough:
        return True
    except ServiceError:  # a judge met a crash outside its sequence
        return True
    return False
