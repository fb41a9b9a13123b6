"""Examination: which sequences are tried on a service, and what the judges say of them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from attrs import define, evolve, field

from compoworld_core import compose
from compoworld_core.errors import ServiceError
from compoworld_core.service import Service, Tool
from compoworld_validator import judges, lists
from compoworld_validator.harvest import Harvest, required
from compoworld_validator.reading import Played, mappings, rows, scalars
from compoworld_validator.shrink import shrunk
from compoworld_validator.values import NONSENSE, broken, kind, normal, resolved
from compoworld_validator.verdict import Finding, Step, Verdicts

LIMIT = 10_000_000
SCALE = 40
_REMOVING = ("delete", "remove", "archive", "drop", "cancel", "leave")
_QUERIES = ("q", "query", "search")


class Enough(Exception):  # noqa: N818  # no error: one fault was all that was asked for
    """A fault was found in this tool."""


@define
class Examination:
    """One service under examination."""

    harvest: Harvest
    verdicts: Verdicts
    reads: list[Tool] = field(factory=list)
    writes: list[Tool] = field(factory=list)
    prefix: tuple[Step, ...] = ()
    """Calls that led to the world under examination."""
    later: list[Sequence[Step]] = field(factory=list)
    """[write, get] that are judged once the gets were."""
    first: bool = False
    """Stop at the first fault, by raising Enough."""
    pairs: set[tuple[str, str]] = field(factory=set)
    lists: dict[str, dict[str, Any]] = field(factory=dict)
    """List → arguments with which it shows as much as it can."""
    known: frozenset[Any] = frozenset()
    """(get, table): the get showed a written record of the table under its id."""

    @classmethod
    def of(cls, service: Service[Any], cases: int, seed: int) -> Examination:
        """A fresh world of the service, and what its tools accept there."""
        base = compose(service, seed=seed, scale=SCALE, limit=LIMIT)
        tools = [tool for tool in service.tools.values() if tool.kind == "deterministic"]
        harvest = Harvest(base, service, Random(f"{seed}:{service.name}"), seed, SCALE, cases)
        verdicts = Verdicts(service.name, len(tools))
        exam = cls(harvest, verdicts)
        exam.reads = [tool for tool in tools if tool.read_only]
        exam.writes = [tool for tool in tools if not tool.read_only]
        return exam

    def judged(
        self, judge: judges.Judge, steps: Sequence[Step], blamed: str = "", least: int = 1
    ) -> bool:
        """Let a judge look at a sequence; a fault is shrunk and kept, one for each tool."""
        tool = blamed or steps[-1][0]
        if tool in self.verdicts.findings:
            return False
        fault = judge(self.harvest.base, steps)
        if fault is None:
            return False
        needed = {name: required(each) for name, each in self.harvest.service.tools.items()}
        if self.first:
            raise Enough(tool)
        smallest = shrunk(self.harvest.base, judge, steps, fault[0], least, needed)
        reason, why = judge(self.harvest.base, smallest) or fault
        sequence = (*self.prefix, *smallest)
        self.verdicts.findings[tool] = Finding(tool, reason, why, sequence)
        return True

    def run(self) -> Verdicts:
        """Examine a seeded world, then what was out of reach in one that was written to."""
        self.harvest.collect()
        for name, given in self.harvest.crashes.items():
            self.judged(judges.lawful, [(name, given)])
        tools = [*self.reads, *self.writes]
        missing = [tool for tool in tools if not self.harvest.good.get(tool.name)]
        self._examine(tools)
        if missing:
            self._write_first()
            self.harvest.collect()
            self._examine(missing)
        self.verdicts.unreached = [
            tool.name for tool in missing if not self.harvest.good.get(tool.name)
        ]
        return self.verdicts

    def _write_first(self) -> None:
        """Go on in a world in which each tool that keeps things was called."""
        base, steps = self.harvest.base.fork(), []
        for tool in self.writes:
            if tool.destructive or any(word in normal(tool.name) for word in _REMOVING):
                continue
            for given in self.harvest.good.get(tool.name, [])[:2]:
                try:
                    seen = base.call(tool.full_name, given)
                except ServiceError:
                    continue
                if not seen.is_error:
                    steps.append((tool.name, given))
                    for shown in mappings(seen.data):
                        self.harvest.learn(shown)
        self.prefix = tuple(steps)
        known = {n: good for n, good in self.harvest.good.items() if good}
        self.harvest = evolve(self.harvest, base=base, good=known, crashes={})

    def _examine(self, tools: Sequence[Tool]) -> None:
        """All sequences in which one of the tools is the first or the judged one."""
        good = self.harvest.good
        for tool in tools:
            if good.get(tool.name):
                self._laws(tool, good[tool.name])
                self._danglings(tool, good[tool.name])
        self.known = self.harvest.known()
        for tool in self.reads:
            self._learn_list(tool)
        writes = [tool for tool in tools if not tool.read_only]
        for tool in writes:
            for given in good.get(tool.name, []):
                self._pair(tool, given)
        for tool in writes:
            for given in good.get(tool.name, []):
                self._write(tool, given)
        for steps in self.later:
            if steps[-1][0] not in self.verdicts.findings:  # a sound get speaks of the write
                self.judged(judges.result_kept, steps, blamed=steps[0][0], least=2)
        self.later.clear()
        for tool in tools:
            if tool.read_only:
                for given in good.get(tool.name, [])[:2]:
                    self._list(tool, given)

    # -- laws ------------------------------------------------------------------------------

    def _laws(self, tool: Tool, good: list[dict[str, Any]]) -> None:
        cases = list(good)
        more = min(20, self.harvest.cases // 5)
        cases += [self.harvest.arguments(tool, optional=0.5) for _ in range(more)]
        for given in cases:
            self.judged(judges.lawful, [(tool.name, given)])
            if tool.read_only:
                self.judged(judges.undisturbed, [(tool.name, given)] * 2, least=2)
            if tool.idempotent:
                self.judged(judges.idempotent, [(tool.name, given)])
        for given in broken(tool.input_schema, good[0])[: self.harvest.cases // 2]:
            self.judged(judges.refused, [(tool.name, given)])

    def _danglings(self, tool: Tool, good: list[dict[str, Any]]) -> None:
        """A parameter that names an id: its accepted value is one that was seen as an id."""
        ids = {
            row["id"] for kept in self.harvest.objects.values() for row in kept if "id" in row
        }
        parts = tool.input_schema.get("properties", {})
        if any("action" in name for name in parts):
            return  # whether the id must exist depends on the action
        for given in good[:2]:
            for name, value in given.items():
                if not isinstance(value, str):
                    continue
                one = resolved(parts.get(name, {}), tool.input_schema)
                if name not in required(tool) or value not in ids or "enum" in one:
                    continue
                if kind(one) == "string" and normal(name).endswith("id"):
                    self.judged(judges.dangling, [(tool.name, {**given, name: NONSENSE})])

    # -- writes ----------------------------------------------------------------------------

    def _write(self, tool: Tool, given: dict[str, Any]) -> None:
        step = (tool.name, given)
        echoed = judges.echoed(self.known)
        self.judged(echoed, [step])
        variants = self._variants(tool, given)
        for varied in variants:
            self.judged(echoed, [(tool.name, varied)])
        calls = [(tool.name, varied) for varied in [given, *variants]]
        for call in calls:
            self.judged(lists.connected, [call])
        if given is self.harvest.good[tool.name][-1]:
            calls += [(tool.name, known) for known in self.harvest.good[tool.name]]
            self.judged(judges.effective(self.known), calls)
        for varied in [given, *variants]:
            self._after(tool.name, varied)

    def _after(self, name: str, given: dict[str, Any]) -> None:
        """What gets and lists show after a write."""
        step = (name, given)
        try:
            played = Played(self.harvest.base, [step])
        except ServiceError:
            return
        changes = played.changes()
        if played.last.is_error:
            return
        shown = scalars(played.last.data) if isinstance(played.last.data, dict) else {}
        for reader in self.reads if "id" in shown and not changes else ():
            if any(reader.name == get for get, _ in self.pairs):
                read = self.harvest.aimed(reader, {**scalars(given), **shown}, shown["id"])
                if read is not None:
                    steps = [step, (reader.name, read)]
                    self.later.append(steps)
        for change in changes[:3]:
            row = scalars(change.after or change.before or {})
            source = {**scalars(given), **shown, **row}
            for reader in self.reads:
                if (reader.name, change.table) in self.pairs:
                    read = self.harvest.aimed(reader, source, change.id)
                    if read is not None:
                        steps = [step, (reader.name, read)]
                        self.judged(judges.read_back, steps, least=2)
                        self.judged(judges.undisturbed, [steps[1], *steps], least=3)
        for reader in self.reads:
            wide = self.lists.get(reader.name)
            if wide is not None:
                self.judged(lists.shown_after, [step, (reader.name, wide)], least=2)
                look = (reader.name, wide)
                if given in self.harvest.good[name][:2]:
                    self.judged(judges.undisturbed, [look, step, look], least=3)
                asks = any(normal(part) in _QUERIES for part in wide)
                if len(changes) == 1 and changes[0].before is None and not asks:
                    again = [(name, v) for v in self._renamed(name, given)]
                    self.judged(lists.listed, [step, *again, (reader.name, wide)], least=2)

    def _renamed(self, name: str, given: dict[str, Any]) -> list[dict[str, Any]]:
        """The call twice more, its free texts new, so that no name is taken."""
        tool = self.harvest.service.tools[name]
        found = []
        for _ in range(2):
            other = dict(given)
            for key, value in given.items():
                if isinstance(value, str) and value not in self.known and key in required(tool):
                    other[key] = self.harvest.fresh(tool, key)
            found.append(other)
        return found

    def _pair(self, tool: Tool, given: dict[str, Any]) -> None:
        """Which gets show what this call wrote: found by trying."""
        step = (tool.name, given)
        try:
            played = Played(self.harvest.base, [step])
            shown = scalars(played.last.data) if isinstance(played.last.data, dict) else {}
            for change in played.changes():
                if change.after is None:
                    continue
                source = {**scalars(given), **shown, **scalars(change.after)}
                for reader in self.reads:
                    read = self.harvest.aimed(reader, source, change.id)
                    if read is None:
                        continue
                    seen = Played(self.harvest.base, [step, (reader.name, read)]).last
                    if isinstance(seen.data, dict) and seen.data.get("id") == change.id:
                        self.pairs.add((reader.name, change.table))
        except ServiceError:
            return

    def _plain_get(self, reader: Tool) -> bool:
        """Whether a read shows one record under the id it is asked for."""
        for given in self.harvest.good.get(reader.name, [])[:1]:
            seen = Played(self.harvest.base, [(reader.name, given)]).last
            asked = {str(value) for value in given.values() if isinstance(value, str | int)}
            if isinstance(seen.data, dict) and str(seen.data.get("id", "")) in asked:
                return True
        return False

    def _variants(self, tool: Tool, given: dict[str, Any]) -> list[dict[str, Any]]:
        """The call with each optional argument added alone."""
        found = []
        parts = tool.input_schema.get("properties", {})
        for name in parts:
            if name in given:
                continue
            found += [{**given, name: self.harvest.fresh(tool, name)} for _ in range(2)]
            full = self.harvest.arguments(tool, optional=1)
            found.append({**given, name: full[name]})
        return found

    # -- reads -----------------------------------------------------------------------------

    def _learn_list(self, tool: Tool) -> None:
        for given in self.harvest.good.get(tool.name, []):
            plain = {name: v for name, v in given.items() if name in required(tool)}
            for wide in ({**plain, **lists.widest(tool)}, plain):
                try:
                    seen = Played(self.harvest.base, [(tool.name, wide)]).last
                except ServiceError:
                    continue
                if rows(seen.data):
                    self.lists[tool.name] = wide
                    return

    def _list(self, tool: Tool, given: dict[str, Any]) -> None:
        parts = tool.input_schema.get("properties", {})
        needed = required(tool)
        plain = {name: value for name, value in given.items() if name in needed}
        for name in needed:
            if normal(name) in _QUERIES:
                self.judged(lists.searched, [(tool.name, {**plain, name: NONSENSE})])
        wide = {**plain, **lists.widest(tool)}
        if Played(self.harvest.base, [(tool.name, wide)]).last.is_error:
            wide = plain
        listed = rows(Played(self.harvest.base, [(tool.name, wide)]).last.data)
        if not listed:
            return
        self._gets(tool, wide, listed)
        self.judged(lists.counted, [(tool.name, wide)])
        limit = lists.limit_of(tool)
        if limit:
            for size in (1, 2, 3, 5):
                self.judged(lists.paged(tool), [(tool.name, {**plain, limit: size})])
        for name in parts:
            values: list[Any] = []
            for row in listed:
                value = scalars(row).get(normal(name))
                if value is not None and value not in values:
                    values.append(value)
            if name in needed:
                continue
            for value in values[:6]:
                judge = judges.filtered(name, value)
                steps = [(tool.name, wide), (tool.name, {**wide, name: value})]
                self.judged(judge, steps, least=2)

    def _gets(self, tool: Tool, plain: dict[str, Any], listed: Sequence[Any]) -> None:
        for reader in self.reads:
            if reader is tool or not self._plain_get(reader):
                continue
            for row in listed[:3]:
                source = {**scalars(plain), **scalars(row)}
                read = self.harvest.aimed(reader, source, row.get("id"))
                if read is None:
                    continue
                steps = [(tool.name, plain), (reader.name, read)]
                self.judged(judges.agreeing, steps, least=2)


def examined(service: Service[Any], cases: int, seed: int) -> Verdicts:
    """The verdicts on one service."""
    return Examination.of(service, cases, seed).run()


def faulty(service: Service[Any], cases: int, seed: int) -> bool:
    """Whether there is a fault: as `examined`, ended by the first."""
    examination = Examination.of(service, cases, seed)
    examination.first = True
    try:
        examination.run()
    except Enough:
        return True
    return False
