"""Generation: tries in order, each proposed by a generator and proven by the core.

A try is a pure function of world, request and index. Results are taken in the order of the
indexes, so the same request gives the same bytes with any number of workers, and a run that was
killed goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import define, field, frozen

from compoworld_core import cards, difficulty, plugins
from compoworld_core.composition import load_service
from compoworld_core.errors import (
    CompoWorldError,
    PlanError,
    PluginError,
    ServiceError,
    SimulationError,
    UnknownName,
    UsageError,
)
from compoworld_core.garbage import uncollected
from compoworld_core.likeness import Likeness, Mark, mark_of
from compoworld_core.lines import to_line
from compoworld_core.proof.case import Candidate, Refuted, start_environment
from compoworld_core.proof.certificate import prove
from compoworld_core.records import Task
from compoworld_core.registry import closest
from compoworld_core.request import Request as Request
from compoworld_core.run import METRIC_SCHEMA, Run, installed_versions
from compoworld_core.shares import Shares, enough_sets, spare
from compoworld_core.world import World, draw_world

if TYPE_CHECKING:
    from compoworld_core.protocols import Executor, TaskGenerator

_MOST_SPARE: Final = 24
"""Services beyond the named ones that a world holds at most, for distractors."""


@frozen
class Rejection:
    """A try that came to nothing, which is normal."""

    probe: str
    """What refused it: a probe of the certificate, or a stage of the generator."""
    why: str
    services: tuple[str, ...] = ()


@define
class Tally:
    """Where a generation stands."""

    accepted: int = 0
    tried: int = 0
    rejected: dict[str, int] = field(factory=dict)
    """Probe → tries that it refused."""
    reasons: dict[str, dict[str, int]] = field(factory=dict)
    """Probe → reason, without names and numbers → tries."""
    services: dict[str, list[int]] = field(factory=dict)
    """Service → [accepted, tried] of the walks that a generator told."""

    def add(self, metric: dict[str, Any]) -> None:
        """Count one try."""
        self.tried += 1
        ok = "task" in metric
        if ok:
            self.accepted += 1
        else:
            probe, why = metric["probe"], _kind_of(metric["why"])
            self.rejected[probe] = self.rejected.get(probe, 0) + 1
            reasons = self.reasons.setdefault(probe, {})
            reasons[why] = reasons.get(why, 0) + 1
        for name in metric["services"]:
            counts = self.services.setdefault(name, [0, 0])
            counts[0] += ok
            counts[1] += 1


def _kind_of(why: str) -> str:
    """A reason without what differs from try to try: quoted values and numbers."""
    words = [
        "…" if any(c.isdigit() for c in w) or w[:1] in "'\"" else w for w in why.split()[:14]
    ]
    return " ".join(words)


@uncollected()
def attempt(
    world: World, generator: TaskGenerator, request: Request, index: int
) -> Task | Rejection:
    """One try: propose, start s0, prove."""
    services: tuple[str, ...] = ()
    try:
        candidate: Candidate = generator.propose(world, request.of_try(index), index)
        services = candidate.services
        candidate.difficulty = difficulty.rate(candidate)
        _refuse_other_difficulty(request, candidate.difficulty["score"])
        names = tuple(sorted((*candidate.services, *candidate.distractors)))
        initial = start_environment(world.services, world.states, candidate.patches, names)
        bases = {name: world.bases[name].digest for name in names}
        task = prove(candidate, initial, bases)
    except Refuted as refuted:
        return Rejection(refuted.probe, refuted.why, refuted.services or services)
    except ServiceError as error:
        return Rejection("service-error", str(error), services or (error.service,))
    except (PlanError, SimulationError) as error:
        return Rejection("generator", str(error), services)
    except CompoWorldError:
        raise
    except Exception as error:  # a generator is a plugin: say which try to repeat
        raise PluginError(
            f"task generator {request.generator!r} failed in try {index} of seed"
            f" {request.seed}: {type(error).__name__}: {error}"
        ) from error
    provenance = {
        **task.provenance,
        "generator": request.generator,
        "seed": request.seed,
        "scale": request.scale,
        "try": index,
        "versions": installed_versions(names, _generator_source(request.generator)),
    }
    return task.model_copy(update={"provenance": provenance})


def _refuse_other_difficulty(request: Request, score: float) -> None:
    """Before the proof, which is the expensive part."""
    if request.difficulty is not None:
        low, high = request.difficulty
        if not low <= score <= high:
            raise Refuted("difficulty", f"{score:.2f} is {'below' if score < low else 'above'}")


@lru_cache
def _generator_source(name: str) -> str:
    return plugins.task_generators().get(name).distribution


def load_generator(name: str) -> TaskGenerator:
    """The installed generator of this name."""
    made: TaskGenerator = plugins.make(plugins.task_generators(), name)
    return made


# -- a whole run ---------------------------------------------------------------------------


def generate(
    request: Request,
    path: Path | str,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    max_tries: int | None = None,
    progress: Callable[[Tally], None] = lambda tally: None,
) -> Tally:
    """Generate tasks into a run folder until `n` are accepted or the tries are used up.

    Args:
        request: what to generate.
        path: the run folder; a half-written run of the same request is gone on with.
        workers: how many tries at a time; the result does not depend on it.
        executor: spreads the tries; None makes them here, one by one.
        max_tries: at most this many, counting those of earlier runs into the folder.
        progress: called after each try.
    """
    if max_tries is None:
        max_tries = max(50, 20 * request.n)
    _check(request)
    walkable = chosen_services(request)
    enough_sets(request, walkable)
    pool = world_services(request, walkable)
    for name in pool:
        load_service(name)  # what does not load is said before anything is written
    source = _generator_source(request.generator)
    configuration = {"command": "generate", **request.model_dump(mode="json")}
    run = Run.start(path, configuration, installed_versions(pool, source))
    request = request.model_copy(update={"services": walkable})
    tally = Tally()
    with run.writing():
        if not run.has_world():
            run.save_world(draw_world(pool, request.seed, request.scale))
        _recount(run, tally)
        progress(tally)
        if tally.accepted < request.n and tally.tried < max_tries:
            if executor is not None and workers > 1:
                _prepare_all(request, workers, executor)
            _go_on(run, request, tally, max_tries, workers, executor, progress)
    return tally


def _check(request: Request) -> None:
    """Let the generator refuse what it does not know before anything is written."""
    check = getattr(load_generator(request.generator), "check", None)
    if check is not None:
        check(request)


def _prepare_all(request: Request, workers: int, executor: Executor) -> None:
    """Let the generator study the services side by side; each worker finds what was learnt."""
    if hasattr(load_generator(request.generator), "prepare"):
        for _ in executor.map(
            partial(_prepare, request.generator), request.services, workers=workers
        ):
            pass


def _prepare(generator: str, service: str) -> None:
    made: Any = load_generator(generator)
    made.prepare(load_service(service))


def chosen_services(request: Request) -> tuple[str, ...]:
    """The services to walk over: as named, of the domains; sorted, at least k."""
    registry = plugins.services()
    names = sorted(set(request.services)) or registry.names()
    for name in names:
        registry.get(name)
    if request.domains:
        domains = {each.card.name: each.card.domain for each in cards.all_cards(registry)[0]}
        known = sorted(set(domains.values()))
        for domain in request.domains:
            if domain not in known:
                near = closest(domain, known)
                raise UnknownName("domain", domain, near, "compoworld services list")
        names = [name for name in names if domains.get(name) in request.domains]
    if len(names) < request.ks[1]:
        listed = ", ".join(names) or "none"
        raise UsageError(
            f"{request.ks[1]} services are wanted for each task and there are {len(names)}:"
            f" {listed}; give --k {max(len(names), 2)} or name more services"
        )
    return tuple(names)


def world_services(request: Request, walkable: tuple[str, ...]) -> tuple[str, ...]:
    """The services of the run's world: those to walk over, and others as distractors."""
    if not request.spare[1]:
        return walkable
    others = [name for name in plugins.services().names() if name not in walkable]
    return tuple(sorted({*walkable, *others[:_MOST_SPARE]}))


def _recount(run: Run, tally: Tally) -> None:
    """Count what an earlier process did; a task whose figure a kill cost gets it back."""
    for metric in run.metrics():
        if metric.get("kind") == "try":
            tally.add(metric)
    for number, task in enumerate(run.tasks(), 1):
        if number > tally.accepted:
            _record(run, tally, task.provenance["try"], _accepted(task))


def _accepted(task: Task) -> dict[str, Any]:
    return {"task": task.id, "services": task.services}


def _record(run: Run, tally: Tally, index: int, outcome: dict[str, Any]) -> None:
    metric = {"schema": METRIC_SCHEMA, "kind": "try", "index": index, **outcome}
    run.append("metrics", metric)
    tally.add(metric)


@frozen
class _Outcome:
    """A try's result as it travels between processes: a task as its line, or a rejection."""

    index: int
    metric: dict[str, Any]
    line: str = ""
    mark: Mark | None = None
    """Of a task: what it is compared by."""


def _go_on(
    run: Run,
    request: Request,
    tally: Tally,
    max_tries: int,
    workers: int,
    executor: Executor | None,
    progress: Callable[[Tally], None],
) -> None:
    known, shares = Likeness(), Shares(request)
    for task in run.tasks():
        known.add(mark_of(task))
        shares.add(task.services)
    world = sha256((run.path / "world.json").read_bytes()).hexdigest()
    function = partial(_try, str(run.path.resolve()), world, request.model_dump_json())
    # a set that is full stays full: what its turn comes to is known, tried or not
    turns = ((index, shares.turn(index)) for index in range(tally.tried, max_tries))
    worth = (index for index, services in turns if not shares.full(services))
    results: Iterator[_Outcome]
    if executor is None:
        results = map(function, worth)
    else:
        results = executor.map(function, worth, workers=workers)
    try:
        for outcome in results:
            _pass_over(run, tally, shares, outcome.index)
            metric = outcome.metric
            if shares.full(shares.turn(outcome.index)) or shares.full(metric["services"]):
                metric = spare(shares.turn(outcome.index))
            elif outcome.mark is not None:
                refusal = known.refusal(outcome.mark)
                if refusal is None:
                    known.add(outcome.mark)
                    shares.add(metric["services"])
                    run.append("tasks", outcome.line)  # before its figure: see _recount
                else:
                    probe, why = refusal
                    metric = {"probe": probe, "why": why, "services": metric["services"]}
            _record(run, tally, outcome.index, metric)
            progress(tally)
            if tally.accepted >= request.n:
                return
        _pass_over(run, tally, shares, max_tries)
    finally:
        close = getattr(results, "close", None)
        if close is not None:
            close()


def _pass_over(run: Run, tally: Tally, shares: Shares, index: int) -> None:
    """Record the turns before this one that were not worth a try."""
    while tally.tried < index:
        _record(run, tally, tally.tried, spare(shares.turn(tally.tried)))


def _try(path: str, world: str, request: str, index: int) -> _Outcome:
    """One try in whatever process: the world comes from the run folder, once per process."""
    wanted = Request.model_validate_json(request)
    result = attempt(_world(path, world), _generator(wanted.generator), wanted, index)
    if isinstance(result, Rejection):
        why = {"probe": result.probe, "why": result.why, "services": result.services}
        return _Outcome(index, why)
    return _Outcome(index, _accepted(result), to_line(result), mark_of(result))


@lru_cache(maxsize=2)
def _world(path: str, digest: str) -> World:
    """The world of a run folder; the digest tells it from an earlier one at the same path."""
    return Run.open(path).world()


@lru_cache(maxsize=2)
def _generator(name: str) -> TaskGenerator:
    return load_generator(name)
