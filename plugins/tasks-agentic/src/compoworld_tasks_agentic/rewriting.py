"""Rewriting: the model rewords another generator's instruction; a checker looks for losses."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from attrs import define, evolve

from compoworld_core.environment import Environment
from compoworld_core.proof.case import Candidate, Refuted, start_environment
from compoworld_core.proof.certificate import prove
from compoworld_core.world import World
from compoworld_tasks_agentic.dialogue import Complaint, Dialogue, Outcome
from compoworld_tasks_agentic.marks import BadMarks, write_marks
from compoworld_tasks_agentic.prompts import rewrite_brief
from compoworld_tasks_agentic.screen import of_tools, to_the_reader
from compoworld_tasks_agentic.survival import Original, spans_of

REGISTERS: Final = (
    "like a short mail to a colleague", "chatty, as said across the desk", "terse, like a note",
    "like a ticket", "polite and plain",
)  # fmt: skip


def marked_text(original: Original) -> str:
    """The instruction with its marks; Refuted where it cannot be marked."""
    try:
        return write_marks(original.candidate.instruction, original.groups)
    except BadMarks as error:
        raise Refuted("rewrite", str(error), original.candidate.services) from error


def brief(original: Original, rng: Random) -> str:
    """What the model is told of a try."""
    words = sorted(original.telling)
    return rewrite_brief(marked_text(original), rng.choice(REGISTERS), words)


@define
class Rewriting:
    """One try in which the model rewords an instruction."""

    world: World
    original: Original
    dialogue: Dialogue
    budget: int

    def run(self) -> Outcome:
        """The first rewording that keeps everything and is proven, within the budget."""
        refused = Complaint("reply", "nothing was asked")
        for _ in range(self.budget + 1):
            try:
                return Outcome(self._candidate(self.dialogue.ask()))
            except Complaint as complaint:
                refused = complaint
                self.dialogue.complain(complaint)
        return Outcome(None, refused.stage, refused.why)

    def _candidate(self, reply: dict[str, Any]) -> Candidate:
        marked = reply.get("instruction")
        if not isinstance(marked, str) or set(reply) != {"instruction"}:
            raise Complaint("schema", 'the object must be {"instruction": "..."}, a text')
        before = self.original.candidate
        text, spans = spans_of(self.original, marked)
        if text == before.instruction:
            raise Complaint("facts", "the text is the same; say it in other words")
        said = to_the_reader(text) or of_tools(
            text, (self.world.services[name] for name in before.services)
        )
        if said and said.casefold() not in before.instruction.casefold():
            raise Complaint("facts", f"{said!r} is not in the original")
        candidate = evolve(before, instruction=text, spans=spans)
        try:
            proven(self.world, candidate)
        except Refuted as refuted:
            raise Complaint(refuted.probe, refuted.why) from refuted
        return candidate


def proven(world: World, candidate: Candidate) -> Environment:
    """Its s0, once the proof accepted it; Refuted where it does not."""
    names = tuple(sorted((*candidate.services, *candidate.distractors)))
    initial = start_environment(world.services, world.states, candidate.patches, names)
    prove(candidate, initial, {name: world.bases[name].digest for name in names})
    return initial
