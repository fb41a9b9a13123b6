"""Answers: tasks that ask for a fact to be told at the end."""

from __future__ import annotations

from random import Random

from compoworld_core.audit.kinds import equivalent, wrong
from compoworld_core.audit.rivals import rival_of
from compoworld_core.audit.spellings import other_spelling, plain
from compoworld_core.audit.spoiling import mistyped, other_unit, other_zone, part_of, shifted
from compoworld_core.audit.texts import CHOICES, DENIALS, DOUBTS
from compoworld_core.audit.trial import Trial
from compoworld_core.audit.writes import Stated, Unfit
from compoworld_core.environment import Environment
from compoworld_core.expressions import Fn


def _told(trial: Trial) -> tuple[Stated, str]:
    """The first fact of the answer, and the answer with a hole `{}` in its place."""
    expr = trial.plan.answer
    answer = trial.reference.answer
    if expr is None or answer is None:
        raise Unfit("the task asks for no answer")
    if isinstance(expr, Fn) and expr.name == "text" and expr.args:
        slot = trial.slot((), expr, answer)
        if slot.facts:
            rest = [fact.shown for fact in slot.facts[1:]]
            return slot.facts[0], slot.filled("{}", *rest)
    kinds = [
        kind
        for goal in trial.plan.goals
        if goal.kind == "answer"
        for expect in goal.expects
        for kind in (expect.kinds or (expect.kind,))
    ]
    kind = kinds[0] if kinds else trial.kind_of(expr)
    return Stated(kind, expr.value(trial.replay.scope), answer, expr), "{}"


def _answering(trial: Trial, text: str | None) -> Environment:
    """The reference with another final answer."""
    end = trial.end()
    end.answer = None
    if text is not None:
        end.finish(text)
    return end


@wrong
def no_answer(trial: Trial, rng: Random) -> Environment:
    """Did all the work and gave no answer."""
    del rng
    _told(trial)
    return _answering(trial, None)


@wrong
def evasive_answer(trial: Trial, rng: Random) -> Environment:
    """Said that all is done, and not what was asked."""
    _told(trial)
    words = ("Done.", "I have completed all steps.", "You can find the answer in the system.")
    return _answering(trial, rng.choice(words))


@wrong
def wrong_answer(trial: Trial, rng: Random) -> Environment:
    """Told the value of another record."""
    fact, frame = _told(trial)
    rival = rival_of(trial, fact, rng)
    return _answering(trial, frame.replace("{}", plain(fact.kind, rival), 1))


@wrong
def answer_off_by_one(trial: Trial, rng: Random) -> Environment:
    """Told the value next to the right one."""
    fact, frame = _told(trial)
    near = shifted(fact.kind, fact.raw, rng)
    return _answering(trial, frame.replace("{}", plain(fact.kind, near), 1))


@wrong
def answer_mistyped(trial: Trial, rng: Random) -> Environment:
    """Told the value with one wrong character."""
    fact, frame = _told(trial)
    near = mistyped(fact.kind, fact.raw, rng)
    return _answering(trial, frame.replace("{}", plain(fact.kind, near), 1))


@wrong
def answer_in_wrong_unit(trial: Trial, rng: Random) -> Environment:
    """Told the right figure in the wrong unit: cents as whole units, another time zone."""
    del rng
    fact, frame = _told(trial)
    if fact.kind == "datetime":
        said = other_zone(fact.kind, fact.raw)
    else:
        said = plain(fact.kind, other_unit(fact.kind, fact.raw))
    return _answering(trial, frame.replace("{}", said, 1))


@wrong
def partial_answer(trial: Trial, rng: Random) -> Environment:
    """Told a part of the value only."""
    del rng
    fact, frame = _told(trial)
    return _answering(trial, frame.replace("{}", part_of(fact.kind, fact.raw), 1))


@wrong
def several_answers(trial: Trial, rng: Random) -> Environment:
    """Did not decide: told the right value and a wrong one."""
    fact, frame = _told(trial)
    pair = [fact.shown, plain(fact.kind, rival_of(trial, fact, rng))]
    rng.shuffle(pair)
    form = rng.choice(CHOICES)
    return _answering(trial, frame.replace("{}", form.format(*pair), 1))


@wrong
def negated_answer(trial: Trial, rng: Random) -> Environment:
    """Said that it is not the value."""
    fact, frame = _told(trial)
    said = rng.choice(DENIALS).format(fact.shown)
    return _answering(trial, frame.replace("{}", said, 1))


@wrong
def unsure_answer(trial: Trial, rng: Random) -> Environment:
    """Left open whether it is the value."""
    fact, frame = _told(trial)
    said = rng.choice(DOUBTS).format(fact.shown)
    return _answering(trial, frame.replace("{}", said, 1))


@wrong
def answered_without_work(trial: Trial, rng: Random) -> Environment:
    """Told the right answer and changed nothing."""
    del rng
    _told(trial)
    if not trial.writes:
        raise Unfit("nothing is to be written")
    idle = trial.initial.fork()
    idle.finish(str(trial.reference.answer))
    return idle


# -- as good -------------------------------------------------------------------------------


@equivalent
def bare_answer(trial: Trial, rng: Random) -> Environment:
    """Told the value and nothing around it."""
    del rng
    fact, frame = _told(trial)
    if frame.count("{}") != 1 or len(trial.reference.answer or "") == len(fact.shown):
        raise Unfit("the answer is bare already")
    return _answering(trial, fact.shown)


@equivalent
def answer_in_a_sentence(trial: Trial, rng: Random) -> Environment:
    """Told the value in a sentence of its own, with courtesy."""
    _, _ = _told(trial)
    answer = trial.reference.answer
    form = rng.choice(
        (
            "Everything is done. {} Let me know if you need anything else!",
            "Sure! Here is what you asked for:\n\n**{}**",
            "Hi,\n\n{}\n\nBest regards",
            "All the changes are made. For your question: {}",
        )
    )
    return _answering(trial, form.format(answer))


@equivalent
def answer_in_other_format(trial: Trial, rng: Random) -> Environment:
    """Told the value as another person would write it."""
    fact, frame = _told(trial)
    said = other_spelling(fact.kind, fact.raw, fact.shown, rng)
    return _answering(trial, frame.replace("{}", said, 1))


@equivalent
def says_done(trial: Trial, rng: Random) -> Environment:
    """Closed with a message where none was asked for."""
    if trial.plan.answer is not None:
        raise Unfit("the task asks for an answer")
    words = ("Done.", "All done! Let me know if there is anything else.", "I made the changes.")
    return _answering(trial, rng.choice(words))
