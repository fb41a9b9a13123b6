"""Writing: the model proposes a whole task; what the proof says goes back to it."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any, Final

from attrs import define
from pydantic import ValidationError

from compoworld_core.errors import CompoWorldError
from compoworld_core.generation import Request
from compoworld_core.graph import random_walk
from compoworld_core.proof.case import Candidate, Refuted, start_environment
from compoworld_core.proof.certificate import prove
from compoworld_core.schema import problems as field_problems
from compoworld_core.world import World
from compoworld_tasks_agentic import planted, precision, soundness, wording
from compoworld_tasks_agentic.band import outside
from compoworld_tasks_agentic.dialogue import Complaint, Dialogue, Outcome
from compoworld_tasks_agentic.marks import BadMarks, read_marks
from compoworld_tasks_agentic.options import AgenticOptions
from compoworld_tasks_agentic.prompts import write_brief
from compoworld_tasks_agentic.proposal import (
    Draw,
    Proposal,
    candidate_of,
    patches_of,
    worlds_of,
)
from compoworld_tasks_agentic.views import view_of

_MOST_TOLD: Final = 8
"""Problems of one reply that the model is told at once."""
_TOPICS: Final = (
    "a customer's complaint", "the quarterly audit", "an office move", "a product launch",
    "a contract renewal", "a delayed delivery", "onboarding a colleague", "a security review",
    "a trade fair", "closing the month's books", "a data clean-up", "handing work over",
)  # fmt: skip


def draw_try(world: World, request: Request, rng: Random) -> Draw:
    """Services, distractors and walk of a try."""
    names = sorted(request.services or world.services)
    if len(names) < request.k:
        raise Refuted("services", f"there are {len(names)} services, {request.k} are needed")
    chosen = rng.sample(names, request.k)
    others = [name for name in sorted(world.services) if name not in chosen]
    distractors = rng.sample(others, min(request.distractors, len(others)))
    low, high = request.walk
    walk = random_walk(chosen, rng.randint(low, high), rng)
    if walk is None:
        raise Refuted("walk", "no walk visits these services")
    return Draw(tuple(dict.fromkeys(walk)), tuple(sorted(distractors)), walk)


def brief(world: World, draw: Draw, options: AgenticOptions, rng: Random) -> str:
    """What the model is told of a try."""
    views = {
        name: view_of(
            world.services[name], world.states[name], rows=options.rows,
            tools=options.tools, affordances=options.affordances,
        )
        for name in draw.services
    }  # fmt: skip
    today = world.cast.today.date().isoformat()
    return write_brief(draw, views, today, rng.choice(_TOPICS))


@define
class Writing:
    """One try in which the model writes a task."""

    world: World
    request: Request
    draw: Draw
    dialogue: Dialogue
    budget: int
    places: str
    """Seeds the places of planted rows."""

    def run(self) -> Outcome:
        """The first candidate that the proof accepts, within the budget."""
        refused = Complaint("reply", "nothing was asked")
        for _ in range(self.budget + 1):
            try:
                return Outcome(self._candidate(self.dialogue.ask()))
            except Complaint as complaint:
                refused = complaint
                self.dialogue.complain(complaint)
        return Outcome(None, refused.stage, refused.why)

    def _candidate(self, reply: dict[str, Any]) -> Candidate:
        """The candidate of a reply, once it was proven; Complaint where it is none."""
        try:
            return self._proven(reply)
        except Complaint:
            raise
        except ValidationError as error:
            raise Complaint("schema", _listed(field_problems(error))) from error
        except BadMarks as error:
            raise Complaint("marks", str(error)) from error
        except Refuted as refuted:
            raise Complaint(refuted.probe, refuted.why) from refuted
        except CompoWorldError as error:
            raise Complaint("proof", str(error)) from error
        except Exception as error:
            # The proof reads what programs propose; a model may break what they never would.
            raise Complaint("proof", f"it broke: {type(error).__name__}: {error}") from error

    def _proven(self, reply: dict[str, Any]) -> Candidate:
        world, names = self.world, self.draw.names
        proposal = Proposal.model_validate(reply)
        marked = read_marks(proposal.instruction)
        _none("plan", soundness.problems(proposal, self.draw, world))
        _none("text", wording.problems(proposal, marked, self.draw, world))
        patches = patches_of(proposal, world, Random(self.places))
        candidate = candidate_of(proposal, marked, self.draw, patches)
        _none("difficulty", filter(None, [outside(candidate, self.request)]))
        initial = start_environment(world.services, world.states, patches, names)
        _none("planting", planted.problems(world, initial, patches))
        candidate.worlds = worlds_of(proposal, candidate, initial)
        bases = {name: world.bases[name].digest for name in names}
        _none("precision", precision.problems(prove(candidate, initial, bases), initial))
        return candidate


def _none(stage: str, problems: Iterable[str]) -> None:
    """Complaint where there is a problem."""
    found = list(problems)
    if found:
        raise Complaint(stage, _listed(found))


def _listed(lines: list[str]) -> str:
    told = [line[:300] for line in lines[:_MOST_TOLD]]
    more = len(lines) - len(told)
    return "; ".join([*told, f"and {more} more"] if more > 0 else told)
