"""Draft: a plan under construction, with its planted rows, its script and its other worlds.

Patterns add to it: look-ups that select records, writes that use facts. It can go back to a
mark, since most options do not work out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, Final, TypeVar

from attrs import define, field, frozen

from compoworld_core.expressions import (
    Condition,
    Const,
    Expr,
    Lit,
    Out,
    Path,
)
from compoworld_core.patch import Patch
from compoworld_core.plan import Argument, Carry, Goal, Plan, Selection, Step
from compoworld_core.records import World as OtherWorld
from compoworld_core.types import Kind
from compoworld_tasks_walk.affordances import Lookup, Write, thaw
from compoworld_tasks_walk.arguments import distinct, fill
from compoworld_tasks_walk.catalogue import Barren, Catalogue, TableProfile, usable
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.planting import Planter, PlanterMark
from compoworld_tasks_walk.script import Action, Make, Mentioned, Said, Trait, Value
from compoworld_tasks_walk.topics import SENTENCES, TITLE_WORDS

T = TypeVar("T")

_LISTS: Final = (
    "steps", "goals", "selections", "carries", "worlds", "actions", "known", "patterns",
)  # fmt: skip
"""What only grows while a draft is made."""


@frozen
class Mark:
    """Where a draft stands, for going back: everything that a pattern may change."""

    lengths: tuple[int, ...]
    """Of the lists of `_LISTS`, in their order."""
    records: dict[str, Rec]
    mentioned: dict[str, Mentioned]
    got: dict[str, dict[str, tuple[str, Lookup]]]
    """Record → the look-ups that show its further fields."""
    exprs: tuple[Expr | None, ...]
    """Where each known fact is read."""
    planter: PlanterMark
    score: float
    signed: str


@frozen
class Plants:
    """Which competitors are planted; all, but for ablations that show what each is for."""

    shadows: bool = True
    siblings: bool = True
    near_duplicates: bool = True


@define(eq=False)
class Draft:
    """One plan under construction."""

    catalogue: Catalogue
    walk: tuple[str, ...]
    rng: Random
    topic: str
    plants: Plants = field(factory=Plants)
    planter: Planter = field(init=False)
    steps: list[Step] = field(factory=list)
    goals: list[Goal] = field(factory=list)
    selections: list[Selection] = field(factory=list)
    carries: list[Carry] = field(factory=list)
    worlds: list[OtherWorld] = field(factory=list)
    records: dict[str, Rec] = field(factory=dict)
    mentioned: dict[str, Mentioned] = field(factory=dict)
    actions: list[Action] = field(factory=list)
    known: list[Known] = field(factory=list)
    patterns: list[str] = field(factory=list)
    """Name of the pattern of each visit."""
    score: float = 0.0
    visit_rows: int = 0
    """How many rows were planted before the current visit."""
    signed: str = ""
    """The account that some call names: the instruction is signed with it."""

    def __attrs_post_init__(self) -> None:
        self.planter = Planter(self.catalogue, self.rng)

    # -- going back ------------------------------------------------------------------------

    def mark(self) -> Mark:
        """Where the draft stands, for `back`."""
        return Mark(
            lengths=tuple(len(getattr(self, name)) for name in _LISTS),
            records=dict(self.records),
            mentioned=dict(self.mentioned),
            got={rec.id: dict(rec.got) for rec in self.records.values()},
            exprs=tuple(fact.expr for fact in self.known),
            planter=self.planter.mark(),
            score=self.score,
            signed=self.signed,
        )

    def back(self, mark: Mark) -> None:
        """Undo everything since a mark."""
        for name, length in zip(_LISTS, mark.lengths, strict=True):
            del getattr(self, name)[length:]
        self.records, self.mentioned = dict(mark.records), dict(mark.mentioned)
        for rec in self.records.values():
            rec.got = dict(mark.got[rec.id])
        for fact, expr in zip(self.known, mark.exprs, strict=True):
            fact.expr = expr
        self.planter.back(mark.planter)
        self.score, self.signed = mark.score, mark.signed

    # -- words of the topic ----------------------------------------------------------------

    def title(self) -> str:
        """A title from the topic that no other record of the task has."""
        taken = {s.value for a in self.actions if isinstance(a, Make) for _, s in a.said}
        names = [f"{self.topic} {word}" for word in TITLE_WORDS]
        free = [name for name in names if name not in taken]
        name = self.rng.choice(free or names)
        return name[:1].upper() + name[1:]

    def sentence(self) -> str:
        """A short text that the instruction gives word for word."""
        return self.rng.choice(SENTENCES).format(topic=self.topic)

    # -- steps -----------------------------------------------------------------------------

    def call(
        self,
        visit: int,
        service: str,
        tool: str,
        arguments: Sequence[tuple[Path, Expr]],
        *,
        foreach: Expr | None = None,
        write: bool = False,
    ) -> str:
        """Add a step; returns its id."""
        step = f"s{len(self.steps) + 1}"
        self.steps.append(
            Step(
                id=step,
                visit=visit,
                service=service,
                tool=tool,
                arguments=tuple(Argument(path=p, expr=e) for p, e in arguments),
                foreach=foreach,
                write=write,
            )
        )
        return step

    def constants(self, known: Lookup | Write) -> list[tuple[Path, Expr]]:
        """What a call needs besides its values: constants, and whose account it uses."""
        pairs: list[tuple[Path, Expr]] = [
            (tuple(path), Const(literal=thaw(value))) for path, value in known.fixed
        ]
        for slot in known.actor:
            self.signed = self.catalogue.world.cast.staff[0].email
            pairs += fill(slot, Lit(literal=self.signed, kind="email"))
        return pairs

    def profile(self, service: str, table: str) -> TableProfile:
        """A seeded table."""
        return self.catalogue.tables[service, table]

    def noun(self, service: str, table: str) -> str:
        """What people call a row of a table."""
        words = self.catalogue.world.services[service].words
        return words.get(table) or table.rstrip("s").replace("_", " ")

    # -- selecting -------------------------------------------------------------------------

    def select(
        self,
        visit: int,
        service: str,
        table: str,
        conditions: Sequence[tuple[str, Expr, Value, str]],
        *,
        many: bool = False,
    ) -> Rec:
        """Add the look-up that selects the rows meeting all conditions.

        Args:
            visit: which visit of the walk.
            service: whose.
            table: which.
            conditions: (field, expression, how the instruction says it, via another record).
            many: a set, not one record.

        Raises Barren where no learnt look-up can do it.
        """
        profile = self.profile(service, table)
        fields = [name for name, *_ in conditions]
        lookup = self.catalogue.way(profile, fields, many)
        if lookup is None:
            raise Barren(f"no look-up of {service}.{table} by {', '.join(fields)}")
        exprs = {name: expr for name, expr, *_ in conditions}
        by = [name for name in fields if name in lookup.by]
        arguments = [pair for n in by for pair in fill(lookup.by[n].slot, exprs[n])]
        arguments += self.constants(lookup)
        step = self.call(visit, service, lookup.tool, distinct(arguments))
        where = tuple(
            Condition(
                path=tuple(lookup.reveals[name]),
                kind=profile.fields[name].fact.kind,
                equals=exprs[name],
            )
            for name in fields
            if lookup.shape == "many" and name in lookup.reveals
        )
        rec = Rec(
            f"r{len(self.records) + 1}", service, table, visit, step, lookup, where, many,
            used=set(fields),
        )  # fmt: skip
        self.records[rec.id] = rec
        ids = tuple(lookup.reveals["id"])
        self.selections.append(
            Selection(
                id=rec.id,
                step=step,
                service=service,
                table=table,
                many=many,
                conditions=tuple((n, profile.fields[n].fact.kind, exprs[n]) for n in fields),
                key=rec.items(ids) if many else rec.item(ids),
            )
        )
        traits = tuple(
            Trait(name, profile.fields[name].fact.kind, value, via)
            for name, _, value, via in conditions
        )
        self.mentioned[rec.id] = Mentioned(
            rec.id, service, table, self.noun(service, table), traits, many
        )
        return rec

    def path_of(self, rec: Rec, name: str) -> tuple[str, Lookup] | None:
        """The step and look-up that show a field of a record, adding a `get` where needed."""
        if name in rec.lookup.reveals:
            return rec.step, rec.lookup
        if name in rec.got:
            return rec.got[name]
        if rec.many:
            return None
        for lookup in self.catalogue.lookups(rec.service, rec.table):
            if lookup.shape != "one" or name not in lookup.reveals:
                continue
            keys = [n for n in lookup.by if n in rec.lookup.reveals and usable(lookup.by[n])]
            if "id" not in keys or not set(lookup.required) <= set(keys):
                continue
            needed = lookup.required or ("id",)
            arguments = [
                pair
                for key in needed
                for pair in fill(lookup.by[key].slot, rec.item(tuple(rec.lookup.reveals[key])))
            ]
            arguments += self.constants(lookup)
            step = self.call(rec.visit, rec.service, lookup.tool, distinct(arguments))
            for shown in lookup.reveals:
                rec.got.setdefault(shown, (step, lookup))
            return rec.got[name]
        return None

    def expr(self, rec: Rec, name: str) -> Expr:
        """Where the plan reads a field of a record; Barren where no tool shows it."""
        found = self.path_of(rec, name)
        if found is None:
            raise Barren(f"no tool shows {rec.service}.{rec.table}.{name}")
        step, lookup = found
        if step == rec.step:
            return rec.item(tuple(lookup.reveals[name]))
        return Out(step=step, path=(*lookup.items, *lookup.reveals[name]))

    def use(self, fact: Known) -> Expr:
        """The expression of a fact, adding the call that shows it where needed."""
        if fact.expr is None:
            fact.expr = self.expr(self.records[fact.record], fact.field)
        return fact.expr

    def shows(self, rec: Rec, name: str) -> bool:
        """Is there a tool that shows this field of the record?"""
        if name in rec.lookup.reveals or name in rec.got:
            return True
        return not rec.many and any(
            lookup.shape == "one"
            and name in lookup.reveals
            and "id" in lookup.by
            and "id" in rec.lookup.reveals
            and set(lookup.required) <= set(rec.lookup.reveals)
            for lookup in self.catalogue.lookups(rec.service, rec.table)
        )

    def can_select(self, profile: TableProfile, fields: Sequence[str]) -> bool:
        """Is there a look-up that selects by these fields?"""
        return self.catalogue.way(profile, fields) is not None

    # -- edges -----------------------------------------------------------------------------

    def carry(self, fact: Known, visit: int) -> None:
        """Note that the edge into this visit carries a fact, with the world that shows it."""
        edge = visit - 1
        if fact.visit != edge:
            raise Barren("only a fact of the visit before is carried by the edge")
        ids = sum(carry.source == "id" for carry in self.carries)
        if fact.source == "id" and (ids + 1) * 5 > len(self.walk) - 1:
            raise Barren("enough edges carry a new id already")
        expr = self.use(fact)
        self.carries.append(Carry(edge=edge, kind=fact.kind, expr=expr, source=fact.source))
        ledger = None
        if fact.counter.ids:
            ledger = self.catalogue.world.bases[fact.service].state.ledger.copy_out()
            ledger.counters = {name: n + 1 for name, n in ledger.counters.items()}
            ledger.key ^= 1
        self.worlds.append(
            OtherWorld(
                edge=edge,
                service=fact.counter.service,
                patch=Patch(operations=list(fact.counter.operations), ledger=ledger),
                says=fact.counter.says,
            )
        )

    def plan(self) -> Plan:
        """The finished plan."""
        return Plan(
            steps=tuple(self.steps),
            goals=tuple(self.goals),
            selections=tuple(self.selections),
            carries=tuple(self.carries),
        )

    def can_select_many(self, profile: TableProfile, fields: Sequence[str]) -> bool:
        """Is there a look-up that lists the rows with these fields' values?"""
        return self.catalogue.way(profile, fields, True) is not None

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """The items in a drawn order."""
        listed = list(items)
        self.rng.shuffle(listed)
        return listed

    def next_goal(self) -> str:
        """The id of the next goal."""
        return f"c{len(self.goals) + 1}"

    def mention_new(self, goal: str, service: str, table: str) -> None:
        """Let the script speak of a record that an action creates."""
        self.mentioned[goal] = Mentioned(goal, service, table, self.noun(service, table))

    def say(self, value: Any, kind: Kind) -> tuple[Expr, Said]:
        """A literal of the instruction, for the plan and for the script."""
        return Lit(literal=value, kind=kind), Said(value, kind)
