"""The walk generator: services, a walk over them, a plan, planted facts, an instruction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from random import Random
from typing import Any, Final

from attrs import define, field
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from compoworld_core.difficulty import rate
from compoworld_core.errors import UnknownName, UsageError
from compoworld_core.generation import Request
from compoworld_core.plan import Fact
from compoworld_core.proof.case import Candidate, Refuted
from compoworld_core.records import Span
from compoworld_core.schema import problems
from compoworld_core.service import Service
from compoworld_core.world import World
from compoworld_tasks_walk.catalogue import Catalogue
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.learning import affordances
from compoworld_tasks_walk.marks import Plants
from compoworld_tasks_walk.parties import Circle
from compoworld_tasks_walk.patterns import PATTERNS
from compoworld_tasks_walk.render import Unsayable, render
from compoworld_tasks_walk.script import Script
from compoworld_tasks_walk.search import plans
from compoworld_tasks_walk.surveying import catalogue_of
from compoworld_tasks_walk.tones import REGISTERS, Register
from compoworld_tasks_walk.withholding import with_request, withhold
from compoworld_tasks_walk.words import last_word

CATALOGUES: Final = 32
"""Catalogues that are kept at most: with turns, every set of services has one."""
SMALLEST: Final = 4
"""Names of the smallest closed pool."""


class WalkOptions(BaseModel):
    """What may be chosen about the walk generator."""

    model_config = ConfigDict(extra="forbid")

    plans: int = 1
    """Plans that are built per walk; the best is proposed."""
    registers: tuple[Register, ...] = REGISTERS
    shadows: bool = True
    """Off only in ablations, as the next two."""
    siblings: bool = True
    """Without them acceptance must collapse."""
    near_duplicates: bool = True
    user: float = Field(default=0.0, ge=0.0, le=1.0)
    """The share of tasks whose user holds something back, where a plan has what can be held
    back; 1 proposes no others."""
    least_writes: int = Field(default=2, ge=1)
    """Writes of a task at least. With 1, a walk of two visits is a task: one record is looked
    up and one thing is done about it."""
    pools: int = Field(default=0, ge=0)
    """Customers have one of so many first names, last names and companies, each a short word:
    for models from scratch. 0 leaves them open."""

    @field_validator("pools")
    @classmethod
    def _some(cls, size: int) -> int:
        if 0 < size < SMALLEST:
            raise ValueError(f"two parties of a task need pools of at least {SMALLEST}")
        return size


@define
class WalkGenerator:
    """Proposes the candidate of each try; a pure function of world, request and try."""

    _catalogues: dict[tuple[int, int, tuple[str, ...], int], Catalogue] = field(factory=dict)

    def prepare(self, service: Service[Any]) -> None:
        """Learn a service's affordances into the user's cache, before workers need them."""
        affordances(service)

    def check(self, request: Request) -> None:
        """UsageError where the request has an unknown option, UnknownName where a pattern."""
        _options(request)

    def propose(self, world: World, request: Request, index: int) -> Candidate:
        """The candidate of one try; Refuted with the reason where the try comes to nothing."""
        options = _options(request)
        over = tuple(request.services or world.services)
        catalogue = self._catalogue(world, over, options.pools)
        rng = Random(f"walk:{request.seed}:{index}")
        names = [name for name in catalogue.affordances if _useful(catalogue, name)]
        if len(names) < request.k:
            why = f"{len(names)} services have learnt tools, {request.k} are needed"
            raise Refuted("services", why)
        length = rng.randint(*request.walk)
        plants = Plants(options.shadows, options.siblings, options.near_duplicates)
        drafts, reasons = plans(
            catalogue,
            names,
            request.k,
            length,
            rng,
            shortest=request.walk[0],
            patterns=request.patterns,
            least_writes=options.least_writes,
            count=options.plans,
            plants=plants,
        )
        if not drafts:
            why = reasons.most_common(1)[0][0] if reasons else "nothing was tried"
            raise Refuted("plan", why)
        said: list[Candidate] = []
        unsaid = ""
        for draft in drafts:
            try:
                candidate = _candidate(draft, request, rng, options)
            except Unsayable as error:
                unsaid = str(error)
                continue
            if request.difficulty is None or within(candidate, request.difficulty):
                return candidate
            said.append(candidate)
        if said:
            return said[0]
        raise Refuted("text", unsaid)

    def _catalogue(self, world: World, names: tuple[str, ...], pools: int) -> Catalogue:
        key = (world.seed, world.scale, names, pools)
        if key not in self._catalogues:
            if len(self._catalogues) >= CATALOGUES:
                self._catalogues.pop(next(iter(self._catalogues)))
            known = {name: affordances(world.services[name]) for name in names}
            made = catalogue_of(world, known)
            if pools:
                made.circle = Circle.drawn(pools, world.seed, made.tokens)
            self._catalogues[key] = made
        return self._catalogues[key]


def within(candidate: Candidate, difficulty: tuple[float, float]) -> bool:
    """Does the candidate's score lie in a range?"""
    easiest, hardest = difficulty
    return easiest <= rate(candidate)["score"] <= hardest


def _options(request: Request) -> WalkOptions:
    """The options of a request, once it was seen to name only what there is."""
    try:
        options = WalkOptions.model_validate(request.options)
    except ValidationError as error:
        known = ", ".join(WalkOptions.model_fields)
        raise UsageError(
            f"{'; '.join(problems(error))}. The walk generator has: {known}"
        ) from error
    names = [pattern.name for pattern in PATTERNS]
    for name in request.patterns:
        if name not in names:
            near = tuple(get_close_matches(name, names, 3))
            raise UnknownName("pattern", name, near, ", ".join(names))
    return options


def _useful(catalogue: Catalogue, name: str) -> bool:
    known = catalogue.affordances[name]
    return bool(known.lookups or known.writes)


def _candidate(
    draft: Draft,
    request: Request,
    rng: Random,
    options: WalkOptions,
) -> Candidate:
    others = sorted(name for name in draft.catalogue.world.services if name not in draft.walk)
    distractors = sorted(rng.sample(others, min(request.distractors, len(others))))
    register = rng.choice(options.registers)
    script, plan = script_of(draft, distractors), draft.plan()
    withheld = None
    if options.user and rng.random() < options.user:
        staff = [person.email for person in draft.catalogue.world.cast.staff]
        withheld = withhold(plan, script, staff, rng)
        if withheld is None and options.user == 1:
            raise Unsayable("the user has nothing to hold back")
    if withheld is not None:
        script, plan = withheld.script, withheld.plan
    instruction, spans = render(script, register, rng)
    if withheld is not None:
        instruction, spans = with_request(instruction, spans, withheld, script, rng)
    if draft.signed:
        instruction, spans = _signed(draft, instruction, spans)
    return Candidate(
        instruction=instruction,
        services=tuple(dict.fromkeys(draft.walk)),
        distractors=tuple(distractors),
        walk=draft.walk,
        plan=plan,
        patches=draft.planter.patches(),
        worlds=tuple(draft.worlds),
        spans=spans,
        difficulty={
            "steps": len(plan.steps),
            "writes": len(plan.goals),
            "planted": len(draft.planter.rows),
        },
        provenance={
            "register": register,
            "topic": draft.topic,
            "patterns": [*draft.patterns, *draft.reads],
            **({"held_back": len(withheld.records)} if withheld is not None else {}),
        },
        user=None if withheld is None else withheld.user,
    )


def _signed(
    draft: Draft, instruction: str, spans: tuple[Span, ...]
) -> tuple[str, tuple[Span, ...]]:
    """The instruction with its sender's signature, which names the account that calls use."""
    sender = next(p for p in draft.catalogue.world.cast.staff if p.email == draft.signed)
    head = f"{instruction}\n\n{sender.name}\n"
    fact = Fact(kind="email", value=sender.email)
    span = Span(
        start=len(head), end=len(head) + len(sender.email), kind="literal",
        target=sender.email, fact=fact,
    )  # fmt: skip
    return head + sender.email, (*spans, span)


def script_of(draft: Draft, distractors: Sequence[str] = ()) -> Script:
    """What the instruction must say, where these services are about as well."""
    services: Mapping[str, Any] = draft.catalogue.world.services
    names = dict.fromkeys(draft.walk)
    return Script(
        records=dict(draft.mentioned),
        actions=tuple(draft.actions),
        topic=draft.topic,
        hero=None if draft.hero is None else draft.hero.person,
        titles={name: services[name].title for name in names},
        words={name: dict(services[name].words) for name in names},
        alone=_alone(draft.catalogue, (*names, *distractors)),
        staff=_staff(draft),
    )


def _staff(draft: Draft) -> dict[str, str]:
    """First names of our own people, but for one that the customer has too."""
    customer = "" if draft.hero is None else draft.hero.person.first
    staff = draft.catalogue.world.cast.staff
    return {one.email: one.first for one in staff if one.first != customer}


def _alone(catalogue: Catalogue, services: Sequence[str]) -> frozenset[str]:
    """Last words of the nouns of records that only one of these services has."""
    held = {
        (service, last_word(catalogue.noun(service, table)))
        for service, table in catalogue.tables
        if service in services
    }
    counted = Counter(noun for _, noun in held)
    return frozenset(noun for noun, times in counted.items() if times == 1)
