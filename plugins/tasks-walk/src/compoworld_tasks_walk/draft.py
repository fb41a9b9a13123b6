"""Draft: a plan under construction, with its planted rows, its script and its other worlds.

Patterns add to it: look-ups that select records, writes that use facts. It can go back to a
mark, since most options do not work out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, Final, TypeVar

from attrs import define, field

from compoworld_core import facts
from compoworld_core.expressions import Const, Expr, Lit, Out, Path
from compoworld_core.patch import Patch
from compoworld_core.plan import Argument, Carry, Goal, Plan, Selection, Step, When
from compoworld_core.records import World as OtherWorld
from compoworld_core.types import Kind
from compoworld_tasks_walk import topics
from compoworld_tasks_walk.affordances import Lookup, Write, thaw
from compoworld_tasks_walk.arguments import distinct, fill
from compoworld_tasks_walk.catalogue import Barren, Catalogue, TableProfile, usable
from compoworld_tasks_walk.known import NEVER, Known, Rec
from compoworld_tasks_walk.marks import Mark, Plants
from compoworld_tasks_walk.motives import matter_of
from compoworld_tasks_walk.parties import Hero
from compoworld_tasks_walk.planting import Planter
from compoworld_tasks_walk.script import Action, Make, Mentioned, Said, simple
from compoworld_tasks_walk.trial import Trial

T = TypeVar("T")

_LISTS: Final = (
    "steps", "goals", "selections", "carries", "carried", "worlds", "actions", "patterns",
    "reads", "told", "besides",
)  # fmt: skip
"""What only grows up to a mark: whatever comes after it is cut off by going back."""


@define(eq=False)
class Draft:
    """One plan under construction."""

    catalogue: Catalogue
    walk: tuple[str, ...]
    """The services of the visits; those to come are not settled yet."""
    rng: Random
    topic: str
    hero: Hero | None = None
    """The customer whom the task is about."""
    plants: Plants = field(factory=Plants)
    planter: Planter = field(init=False)
    trial: Trial = field(init=False)
    """The plan so far, as it was played."""
    steps: list[Step] = field(factory=list)
    goals: list[Goal] = field(factory=list)
    selections: list[Selection] = field(factory=list)
    carries: list[Carry] = field(factory=list)
    carried: list[Known] = field(factory=list)
    """The fact of each of the carries."""
    worlds: list[OtherWorld] = field(factory=list)
    records: dict[str, Rec] = field(factory=dict)
    mentioned: dict[str, Mentioned] = field(factory=dict)
    actions: list[Action] = field(factory=list)
    known: list[Known] = field(factory=list)
    patterns: list[str] = field(factory=list)
    """Name of the pattern of each visit."""
    reads: list[str] = field(factory=list)
    """Names of the patterns by which visits tell what no edge has led to."""
    told: list[tuple[str, str]] = field(factory=list)
    """(record that a fact is of, record that it was put into): nothing goes back that way."""
    besides: list[Known] = field(factory=list)
    """Facts that remarks tell besides the carried ones."""
    answer: Expr | None = None
    """The text of the last message, where something is to be told."""
    score: float = 0.0
    story: str = field(init=False)
    """The name of the story."""
    tied: dict[tuple[str, str], list[Any]] = field(factory=dict)
    """Service and kind of the hero's key → the ways it opens; kept by `finding`."""
    signed: str = ""
    """The account that some call names: the instruction is signed with it."""
    lenient: bool = False
    """May facts be passed on without a motive? Where few services are at hand, nothing else
    makes a task."""
    strict: bool = True
    """Is no record remarked on twice? Given up where no plan comes of it."""
    loose: bool = False
    """May a text speak of an order and a draft order? Where no plan comes of anything else."""
    pool: tuple[str, ...] = ()
    """The services that the cast is drawn from."""
    services: tuple[str, ...] = ()
    """The cast: those that the walk visits, its start first."""
    spared: frozenset[str] = frozenset()
    """Names of the patterns that this plan does without."""
    favoured: str = ""
    """Name of the pattern that this plan is to have, if it can: so that none is rare."""
    ending: str = ""
    """The service that the walk is to end in, where that was drawn; it tells nothing."""
    kept: str = ""
    """The matter that no text states before the walk turns to its ending, which takes it."""
    asked: tuple[str, ...] = ()
    """Forms of titles for the new record that is being filled; the story's where empty."""
    inward: bool = False
    """Is the new message that is being filled for a colleague? What customers have written
    themselves is no news to them."""
    readable: dict[tuple[Any, ...], Any] = field(factory=dict)
    """A question about a visit (or NEVER) → its answer, until the plan grows; kept by whoever
    asks the same often: `outlook`, `ties`, `targets`, `overruling`."""
    dead: frozenset[tuple[str, ...]] = frozenset()
    """Ways that came to nothing since the plan last grew: they are not tried again."""

    def __attrs_post_init__(self) -> None:
        self.planter = Planter(self.catalogue, self.rng, self.topic, self.hero)
        self.trial = Trial(self.catalogue)
        self.story = topics.parts(self.topic)[1]

    def scratch(self, service: str, seed: str) -> Draft:
        """An empty draft over one service, to try something out with draws of its own."""
        return Draft(self.catalogue, (service,) * 2, Random(seed), self.topic)

    # -- going back ------------------------------------------------------------------------

    def mark(self) -> Mark:
        """Where the draft stands, for `back`."""
        return Mark(
            lengths=tuple(len(getattr(self, name)) for name in _LISTS),
            records=dict(self.records),
            mentioned=dict(self.mentioned),
            got={rec.id: dict(rec.got) for rec in self.records.values()},
            known=tuple((fact, fact.expr) for fact in self.known),
            planter=self.planter.mark(),
            trial=self.trial.mark(),
            answer=self.answer,
            score=self.score,
            signed=self.signed,
            walk=self.walk,
            services=self.services,
            readable=self.readable,
        )

    def back(self, mark: Mark) -> None:
        """Undo everything since a mark."""
        for name, length in zip(_LISTS, mark.lengths, strict=True):
            del getattr(self, name)[length:]
        self.records, self.mentioned = dict(mark.records), dict(mark.mentioned)
        for rec in self.records.values():
            rec.got = dict(mark.got[rec.id])
        self.known = [fact for fact, _ in mark.known]
        for fact, expr in mark.known:
            fact.expr = expr
        self.planter.back(mark.planter)
        self.trial.back(mark.trial)
        self.answer, self.score, self.signed = mark.answer, mark.score, mark.signed
        self.walk, self.readable = mark.walk, mark.readable
        self.services = mark.services

    @property
    def year(self) -> int:
        """The year of the world's today."""
        return self.catalogue.world.cast.today.year

    # -- words of the topic ----------------------------------------------------------------

    def title(self, archetype: str = "") -> str:
        """A title from the topic that no other record of the task has."""
        parts = [part for action in self.actions for part in simple(action)]
        taken = {s.value for part in parts if isinstance(part, Make) for _, s in part.said}
        about = "memo" if archetype == "message" and self.inward else archetype
        return topics.title(self.topic, self.rng, taken, about, self.asked)

    def sentence(self, archetype: str = "") -> str:
        """A short text that the instruction gives word for word."""
        return topics.sentence(self.topic, self.rng, archetype, self.asked)

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
        when: When | None = None,
        may_fail: bool = False,
    ) -> str:
        """Add a step and play it; returns its id. Barren where it does not play."""
        step = Step(
            id=f"s{len(self.steps) + 1}",
            visit=visit,
            service=service,
            tool=tool,
            arguments=tuple(Argument(path=p, expr=e) for p, e in arguments),
            foreach=foreach,
            write=write,
            when=when,
            may_fail=may_fail,
        )
        self.trial.play(step, self.planter.rows)
        self.steps.append(step)
        self.readable = {}
        return step.id

    def bare(self) -> Draft:
        """A draft of the same walk that knows no more than whom it is about."""
        found = Draft(self.catalogue, self.walk, Random(0), self.topic, self.hero)
        found.known = [fact for fact in self.known if fact.visit == NEVER]
        found.lenient, found.strict = self.lenient, False
        return found

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
        return self.catalogue.noun(service, table)

    # -- reading ---------------------------------------------------------------------------

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
            read = self.expr(self.records[fact.record], fact.field)
            fact.expr = read if fact.made is None else fact.made(read)
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

    # -- edges -----------------------------------------------------------------------------

    def may_carry(self, fact: Known) -> bool:
        """May an edge carry this fact? At most a fifth of them carry no more than a new id."""
        if fact.source != "id":
            return True
        ids = sum(carry.source == "id" for carry in self.carries)
        return (ids + 1) * 5 <= len(self.walk) - 1

    def spent(self, fact: Known) -> bool:
        """Was the field, or the matter, carried or told before? Once is enough."""
        same = fact.record, matter_of(fact.value) or (fact.field, fact.kind)
        return fact.source == "field" and any(
            (told.record, matter_of(told.value) or (told.field, told.kind)) == same
            for told in (*self.carried, *self.besides)
        )

    def carry(self, fact: Known, visit: int) -> None:
        """Note that the edge into this visit carries a fact, with the world that shows it."""
        edge = visit - 1
        if fact.visit == NEVER:
            return  # the instruction gives it
        if fact.visit != edge:
            raise Barren("only a fact of the visit before is carried by the edge")
        if not self.may_carry(fact):
            raise Barren("enough edges carry a new id already")
        if self.spent(fact):
            raise Barren(f"{fact.field} was used already")
        expr = self.use(fact)
        if fact.hero is not None and not facts.equal(
            fact.kind, self.trial.value(expr), fact.hero
        ):
            raise Barren(f"{fact.field} is shown as another value than was planted")
        if not self.tells_apart(fact):
            raise Barren(f"a competitor has the same {fact.field}")
        self.carried.append(fact)
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

    def tells_apart(self, fact: Known) -> bool:
        """Do the competitors of the fact's record tell something else?"""
        rec = self.records.get(fact.record)
        if rec is None or rec.many or fact.source != "field":
            return True
        return not any(
            planted.row.get(fact.field) == fact.hero
            and (planted.service, planted.table) == (rec.service, rec.table)
            and planted.row is not rec.hero
            and any(planted.row.get(name) == rec.hero.get(name) for name in rec.used)
            for planted in self.planter.rows
        )

    def plan(self) -> Plan:
        """The finished plan."""
        return Plan(
            steps=tuple(self.steps),
            goals=tuple(self.goals),
            selections=tuple(self.selections),
            carries=tuple(self.carries),
            answer=self.answer,
        )

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
        self.mentioned[goal] = Mentioned(
            goal, service, table, self.noun(service, table),
            archetype=self.catalogue.archetype(service, table),
        )  # fmt: skip

    def known_to_all(self, value: Any) -> bool:
        """Does the instruction give a value away, by its signature or by naming the hero?"""
        if self.hero is not None and self.hero.owns(value):
            return True
        person = self.catalogue.world.cast.staff[0]
        text = str(value).casefold()
        return person.email.casefold() in text or all(
            part.casefold() in text for part in (person.first, person.last)
        )

    def say(self, value: Any, kind: Kind) -> tuple[Expr, Said]:
        """A literal of the instruction, for the plan and for the script."""
        return Lit(literal=value, kind=kind), Said(value, kind)
