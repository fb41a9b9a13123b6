"""The generator: a model writes or rewords; what is not proven within the budget is refused."""

from __future__ import annotations

import logging
from collections.abc import Callable
from random import Random
from typing import Any

from attrs import evolve

from compoworld_core import plugins
from compoworld_core.errors import ModelError
from compoworld_core.generation import Request, load_generator
from compoworld_core.proof.case import Candidate, Refuted
from compoworld_core.world import World
from compoworld_tasks_agentic import rewriting, writing
from compoworld_tasks_agentic.band import outside
from compoworld_tasks_agentic.dialogue import Dialogue, Outcome
from compoworld_tasks_agentic.options import AgenticOptions, options_of
from compoworld_tasks_agentic.prompts import rewrite_rules, write_rules
from compoworld_tasks_agentic.spending import Rejected, TryWritten
from compoworld_tasks_agentic.survival import Original

_log = logging.getLogger("compoworld.tasks.agentic")


class AgenticGenerator:
    """Proposes the candidate of each try; what is drawn is a pure function of seed and try.

    The text is as repeatable as the endpoint is: the same seeds are sent, and a temperature of
    0 helps.
    """

    def check(self, request: Request) -> None:
        """UsageError where options are unknown or the endpoint is not named."""
        options = options_of(request)
        options.endpoint()
        if options.mode == "rewrite":
            check = getattr(load_generator(options.source), "check", None)
            if check is not None:
                check(_of_source(request, options))

    def propose(self, world: World, request: Request, index: int) -> Candidate:
        """The candidate of one try; Refuted with the last reason, and with what it cost."""
        options = options_of(request)
        rng = Random(f"agentic:{options.seed}:{request.seed}:{index}")
        if options.mode == "rewrite":
            return self._rewrite(world, request, options, index, rng)
        return self._write(world, request, options, index, rng)

    def _write(
        self, world: World, request: Request, options: AgenticOptions, index: int, rng: Random
    ) -> Candidate:
        draw = writing.draw_try(world, request, rng)
        brief = writing.brief(world, draw, options, rng)
        dialogue = Dialogue(options, write_rules(), brief, rng)
        work = writing.Writing(
            world, request, draw, dialogue, options.budget, f"places:{request.seed}:{index}"
        )
        outcome = _worked(work.run)
        return _settled(outcome, dialogue, options, index, draw.services, None)

    def _rewrite(
        self, world: World, request: Request, options: AgenticOptions, index: int, rng: Random
    ) -> Candidate:
        source = load_generator(options.source)
        candidate = source.propose(world, _of_source(request, options), index)
        # Nothing is paid for what is no task, or not one that was asked for.
        missed = outside(candidate, request)
        if missed:
            raise Refuted("difficulty", missed, candidate.services)
        rewriting.proven(world, candidate)
        original = Original.of(candidate)
        dialogue = Dialogue(options, rewrite_rules(), rewriting.brief(original, rng), rng)
        work = rewriting.Rewriting(world, original, dialogue, options.budget)
        outcome = _worked(work.run)
        kept = candidate if options.keep_original else None
        return _settled(outcome, dialogue, options, index, candidate.services, kept)


def _of_source(request: Request, options: AgenticOptions) -> Request:
    """The request as the generator that is reworded gets it."""
    changes: dict[str, Any] = {
        "generator": options.source, "options": options.source_options
    }  # fmt: skip
    return request.model_copy(update=changes)


def _worked(run: Callable[[], Outcome]) -> Outcome:
    """What came of a try; an endpoint that fails for good ends it, and not the whole run."""
    try:
        return run()
    except ModelError as error:
        return Outcome(None, "endpoint", str(error))


def _settled(
    outcome: Outcome,
    dialogue: Dialogue,
    options: AgenticOptions,
    index: int,
    services: tuple[str, ...],
    kept: Candidate | None,
) -> Candidate:
    """The candidate with what it cost in its provenance; Rejected where there is none."""
    spending = dialogue.spending
    candidate = outcome.candidate or kept
    said = "accepted" if outcome.candidate else "kept" if kept else "rejected"
    event = TryWritten(index, options.mode, said, outcome.probe, spending.figures())
    _log.info(
        "try %d, %s: %s after %d replies, %d + %d tokens%s",
        index, options.mode, said, spending.replies, spending.prompt_tokens,
        spending.completion_tokens, f"; {outcome.probe}: {outcome.why}" * bool(outcome.probe),
    )  # fmt: skip
    plugins.emit(event)
    if candidate is None:
        raise Rejected(outcome.probe, outcome.why, services, spending)
    writer: dict[str, Any] = {
        "mode": options.mode,
        "model": dialogue.endpoint.model,
        "outcome": said,
        **spending.figures(),
    }
    if options.mode == "rewrite":
        writer["source"] = options.source
    if outcome.probe:
        writer["refused_by"] = outcome.probe
    return evolve(candidate, provenance={**candidate.provenance, "writer": writer})
