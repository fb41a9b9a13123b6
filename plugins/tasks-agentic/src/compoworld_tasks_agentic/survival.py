"""Survival: whether a rewording kept every fact of an instruction and added none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations

from attrs import frozen

from compoworld_core.expressions import All, Const, Expr, Item, Lit, Out, Pick, walk
from compoworld_core.proof.case import Candidate
from compoworld_core.proof.probes.discoverable import leaves, states
from compoworld_core.records import Span
from compoworld_tasks_agentic.dialogue import Complaint
from compoworld_tasks_agentic.marks import BadMarks, Marked, Phrase, grouped, read_marks
from compoworld_tasks_agentic.statements import (
    WORD,
    added,
    negations,
    operators,
    same_stem,
    says_word,
    words_of,
)
from compoworld_tasks_agentic.vocabulary import (
    ACTIONS,
    CLOSING,
    GENERIC,
    OPERATORS,
    PRONOUNS,
    SMALL,
)


@frozen
class Original:
    """An instruction with the names of its phrases and the words that it must keep."""

    candidate: Candidate
    groups: Mapping[str, tuple[Span, ...]]
    marked: Marked
    telling: Counter[str]
    """Word that the plan speaks of too → how often it stands outside literals."""

    @classmethod
    def of(cls, candidate: Candidate) -> Original:
        """What must survive of a candidate's text."""
        groups = grouped(candidate.spans)
        text = candidate.instruction
        phrases = tuple(
            Phrase(name, g[0].start, g[0].end, text[g[0].start : g[0].end])
            for name, g in groups.items()
        )
        marked = Marked(text, tuple(sorted(phrases, key=lambda p: (p.end, -p.start))))
        wanted = _plan_words(candidate)
        held = [
            word
            for word in _words_outside(marked, groups)
            if word in ACTIONS or any(same_stem(word, one) for one in wanted)
        ]
        return cls(candidate, groups, marked, Counter(held))


def spans_of(original: Original, marked: str) -> tuple[str, tuple[Span, ...]]:
    """The new text and its spans; Complaint where something was lost, added or moved."""
    longest = 3 * len(original.candidate.instruction) + 2_000
    if len(marked) > longest:
        raise Complaint(
            "facts", f"the text has {len(marked)} characters; {longest} may be used"
        )
    try:
        new = read_marks(marked)
    except BadMarks as error:
        raise Complaint("marks", str(error)) from error
    for problem in _problems(original, new):
        raise Complaint("facts", problem)
    spans = [
        span.model_copy(update={"start": phrase.start, "end": phrase.end})
        for phrase in new.phrases
        for span in original.groups[phrase.name]
    ]
    return new.text, tuple(spans)


def _problems(original: Original, new: Marked) -> Iterator[str]:
    """What a rewording did wrong, the gravest first."""
    old = original.marked
    known, given = set(original.groups), {phrase.name for phrase in new.phrases}
    for name in sorted(known - given, key=lambda n: int(n[1:])):
        yield f"the mark {name} is gone; it held {old.phrase(name).words!r}"
    for name in sorted(given - known):
        yield f"there is no mark {name}; there are s1 to s{len(known)}"
    if given != known:
        return
    for phrase in new.phrases:
        yield from _phrase_problems(original, new, phrase)
    yield from _order_problems(original, new)
    values = [(s.fact.kind, s.fact.value) for s in original.candidate.spans if s.fact]
    for addition in added(new.text, old.text, values):
        yield f"{addition} is not in the original"
    before, after = _without_closing(old), _without_closing(new)
    for name in sorted(operators(before) ^ operators(after)):
        where = "original" if name in operators(before) else "rewording"
        words = ", ".join(sorted(OPERATORS[name]))
        yield f"only the {where} has a word of this kind: {words}"
    if negations(before) != negations(after):
        yield (
            f"the original excludes or denies {negations(before)} times, the rewording"
            f" {negations(after)} times"
        )
    yield from _telling_problems(original, new)


def _without_closing(marked: Marked) -> str:
    """The text without the sentence that everything else stays as it is."""
    blanked = _blanked(marked.text, list(marked.phrases))
    text = marked.text
    for found in reversed(list(CLOSING.finditer(blanked))):
        text = text[: found.start()] + text[found.end() :]
    return text


# -- phrases -------------------------------------------------------------------------------


def _phrase_problems(original: Original, new: Marked, phrase: Phrase) -> Iterator[str]:
    before = original.marked.phrase(phrase.name)
    if phrase.words.casefold() == before.words.casefold():
        return
    for span in original.groups[phrase.name]:
        if span.kind == "literal" and span.fact is not None:
            if not says(span, phrase.words):
                yield f"{phrase.name} must say {span.target!r}; it says {phrase.words!r}"
        elif span.kind == "selection":
            lost = _lost_words(original, before, new, phrase)
            if lost:
                yield f"{phrase.name} no longer says {', '.join(lost)}: {phrase.words!r}"
    references = [s for s in original.groups[phrase.name] if s.kind == "reference"]
    for span in references:
        mentions = _latest(original.groups, new, phrase)
        if not refers(phrase.words, span.noun, mentions == span.target):
            yield f"{phrase.name}: {phrase.words!r} must name the {span.noun}"


def says(span: Span, words: str) -> bool:
    """Do the words state a literal's fact? An enum word must be said, in some form."""
    assert span.fact is not None, "literals hold a fact"
    kind, value = span.fact.kind, span.fact.value
    if kind in ("status", "tag"):
        return says_word(str(value), words)
    return states(kind, value, words)


def refers(words: str, noun: str, latest: bool) -> bool:
    """Do the words refer to a record called so? A pronoun means the one mentioned last."""
    held = words_of(words)
    if any(same_stem(word, one) for word in words_of(noun) for one in held):
        return True
    return latest and bool(PRONOUNS & set(held)) and len(held) <= 2


def _latest(groups: Mapping[str, tuple[Span, ...]], new: Marked, phrase: Phrase) -> str:
    """The record that was mentioned last before a phrase, by its selection's id."""
    ends = [
        (other.end, span.target)
        for other in new.phrases
        if other.end <= phrase.start
        for span in groups[other.name]
        if span.kind != "literal"
    ]
    return max(ends, key=lambda pair: pair[0])[1] if ends else ""


def _lost_words(original: Original, before: Phrase, new: Marked, phrase: Phrase) -> list[str]:
    """Words of a description, without those of the phrases in it, that are said no more."""
    old_words = words_of(_own_words(original.marked, before))
    held = words_of(_own_words(new, phrase))
    return [
        word
        for word in dict.fromkeys(old_words)
        if word not in SMALL and not any(same_stem(word, one) for one in held)
    ]


def _own_words(marked: Marked, phrase: Phrase) -> str:
    """The words of a phrase outside the marks in it."""
    inside = [
        p for p in marked.phrases
        if p is not phrase and phrase.start <= p.start and p.end <= phrase.end
    ]  # fmt: skip
    return _blanked(marked.text, inside)[phrase.start : phrase.end]


def _blanked(text: str, phrases: list[Phrase]) -> str:
    for phrase in phrases:
        text = text[: phrase.start] + "\0" * (phrase.end - phrase.start) + text[phrase.end :]
    return text


# -- order ---------------------------------------------------------------------------------


def _order_problems(original: Original, new: Marked) -> Iterator[str]:
    """Phrases stay in order and inside one another; two facts of one call may swap."""
    old = original.marked
    names = list(original.groups)
    for one, other in combinations(names, 2):
        a, b = old.phrase(one), old.phrase(other)
        c, d = new.phrase(one), new.phrase(other)
        if a.start <= b.start and b.end <= a.end:
            if not (c.start <= d.start and d.end <= c.end):
                yield f"{other} must stay inside {one}"
        elif c.start > d.start and not _may_swap(original, one, other):
            yield f"{other} came after {one} and must stay there"


def _may_swap(original: Original, one: str, other: str) -> bool:
    a, b = original.groups[one][0], original.groups[other][0]
    if a.fact is None or b.fact is None or a.fact.kind == b.fact.kind:
        return False
    return bool(_steps_of(original, a) & _steps_of(original, b))


def _steps_of(original: Original, span: Span) -> set[str]:
    assert span.fact is not None, "only literals may swap"
    return {
        step.id
        for step in original.candidate.plan.steps
        for expr in step.expressions()
        if isinstance(expr, Lit) and str(expr.literal) == str(span.fact.value)
    }


# -- words that the plan speaks of ---------------------------------------------------------


def _plan_words(candidate: Candidate) -> set[str]:
    """Words of fields, paths, tables and enum values: what the task is about."""
    plan = candidate.plan
    names: list[str] = []
    expressions: list[Expr] = [e for step in plan.steps for e in step.expressions()]
    for goal in plan.goals:
        names += [goal.table, *(expect.field for expect in goal.expects)]
        expressions += [e for x in goal.expects for root in x.exprs for e in walk(root)]
    for selection in plan.selections:
        names += [selection.table, *(field for field, _, _ in selection.conditions)]
    for expr in expressions:
        if isinstance(expr, Out | Pick | All | Item):
            names += [part for part in expr.path if isinstance(part, str)]
        elif isinstance(expr, Const):
            names += [word for word in leaves(expr.literal) if len(word) <= 40]
    names += [step.tool for step in plan.steps if step.write]
    words = {word.casefold() for name in names for word in re.split(r"[\W_]+", name)}
    return {word for word in words if len(word) > 2} - GENERIC


def _without_literals(marked: Marked, groups: Mapping[str, tuple[Span, ...]]) -> str:
    literals = [p for p in marked.phrases if groups[p.name][0].kind == "literal"]
    return _blanked(marked.text, literals).replace("-", " ")


def _words_outside(marked: Marked, groups: Mapping[str, tuple[Span, ...]]) -> list[str]:
    return words_of(_without_literals(marked, groups))


def _telling_problems(original: Original, new: Marked) -> Iterator[str]:
    """Words that the plan speaks of too come as often as before, and between the same facts."""
    held = _words_outside(new, original.groups)
    for word in original.telling:
        now = sum(same_stem(word, one) for one in held)
        before = sum(n for one, n in original.telling.items() if same_stem(word, one))
        if now != before:
            yield f"the word {word!r} stands {now} times and stood {before} times"
    for word in held:
        if word in ACTIONS and word not in original.telling:
            yield f"the original asks nobody to {word}"
    old_places = _places(original.marked, original.groups)
    new_places = _places(new, original.groups)
    moves = [
        (word, before, after)
        for word in original.telling
        if len(old_places[word]) == len(new_places.get(word, ()))
        for before, after in zip(old_places[word], new_places[word], strict=True)
    ]
    for (one, before, after), (other, was, now) in combinations(moves, 2):
        if one != other and (before - was) * (after - now) < 0:
            yield f"the words {one!r} and {other!r} have changed places"


def _places(marked: Marked, groups: Mapping[str, tuple[Span, ...]]) -> dict[str, list[int]]:
    """Word outside literals → for each time that it stands, how many literals begin before."""
    text = _without_literals(marked, groups)
    starts = [p.start for p in marked.phrases if groups[p.name][0].kind == "literal"]
    found: dict[str, list[int]] = {}
    for match in WORD.finditer(text):
        for word in words_of(match[0]):
            found.setdefault(word, []).append(sum(s <= match.start() for s in starts))
    return found
