"""The audit's trial and tally: outcomes branch off the reference and are counted by kind."""

from random import Random

import pytest
from sample_tasks import Draft, draft, sample_world

from compoworld_core.audit import tally
from compoworld_core.audit.effects import contents, subject
from compoworld_core.audit.kinds import Kind, all_kinds
from compoworld_core.audit.tally import SAME, Audit, outcomes
from compoworld_core.audit.trial import Trial
from compoworld_core.audit.writes import Unfit
from compoworld_core.environment import Environment
from compoworld_core.proof.certificate import prove
from compoworld_core.proof.player import play
from compoworld_core.records import Task

KINDS = {kind.name: kind for kind in all_kinds()}


@pytest.fixture(scope="module")
def made() -> Draft:
    return draft(sample_world(scale=40))


@pytest.fixture(scope="module")
def task(made: Draft) -> Task:
    return prove(made.candidate(), made.initial(), made.bases())


@pytest.fixture(scope="module")
def trial(made: Draft, task: Task) -> Trial:
    return Trial(task, made.initial())


# -- the trial -----------------------------------------------------------------------------


def test_a_trial_splits_a_for_each_into_its_calls(trial: Trial) -> None:
    dues = [w for w in trial.writes if w.step.id == "s4"]
    assert [w.arguments["invoice_id"] for w in dues] == ["in_h1", "in_h2"]
    assert [w.index for w in dues] == [0, 1]


def test_a_text_is_taken_apart_into_words_and_facts(trial: Trial) -> None:
    issue = next(w for w in trial.writes if w.step.id == "s5")
    (slot,) = issue.texts
    assert slot.template == "They owe {} in all."
    assert [(f.kind, f.raw) for f in slot.facts] == [("money", "200.5")]
    assert slot.filled("nothing") == "They owe nothing in all."


def test_the_record_that_an_update_changes_is_no_content(trial: Trial) -> None:
    collector = next(w for w in trial.writes if w.step.id == "s9")
    slot = subject(collector)
    assert slot is not None
    assert slot.path == ("invoice_id",)
    assert [s.path for s in contents(trial, collector)] == [("collector",)]


def test_playing_only_what_a_change_reaches_ends_as_playing_all_does(trial: Trial) -> None:
    for step in trial.plan.steps:
        short = trial.without(step.id)
        whole = play(
            trial.plan, trial.reference, replay=trial.snapshot(step.id).resume(),
            start=trial.position(step.id), skip=[step.id], lenient=True,
        ).environment  # fmt: skip
        assert list(short.changes(whole)) == []


def test_a_mutation_leaves_the_reference_as_it_is(trial: Trial) -> None:
    before = trial.reference.digest()
    write = trial.writes[0]
    trial.with_write(write, write.edited(("due",), "2027-01-01"))
    assert trial.reference.digest() == before


def test_a_refused_call_is_no_outcome(trial: Trial) -> None:
    write = trial.writes[0]
    with pytest.raises(Unfit, match="refused"):
        trial.with_write(write, write.edited(("due",), "never"))


# -- the tally -----------------------------------------------------------------------------


def test_there_are_kinds_enough() -> None:
    sides = [kind.side for kind in all_kinds()]
    assert sides.count("wrong") >= 15
    assert sides.count("equivalent") >= 10


def test_each_kind_says_what_a_policy_did() -> None:
    assert [kind.name for kind in all_kinds() if not kind.says.endswith(".")] == []


OPEN: dict[str, str] = {}
"""Kinds that the verifier misjudges, and how; a repair takes its line out."""

JUDGED = [
    pytest.param(name, marks=pytest.mark.xfail(reason=OPEN[name])) if name in OPEN else name
    for name in KINDS
]


@pytest.mark.parametrize("kind", JUDGED)
def test_an_outcome_of_the_sample_is_judged_as_a_person_would(
    made: Draft, task: Task, kind: str
) -> None:
    audit = Audit()
    audit.add(task.id, outcomes(task, made.initial(), draws=16, seed=1, only=[kind]))
    assert audit.misjudged == []


def test_the_sample_gives_outcomes_enough(made: Draft, task: Task) -> None:
    audit = Audit()
    audit.add(task.id, outcomes(task, made.initial(), draws=1, seed=1))
    assert audit.thin == []


def test_the_same_seed_gives_the_same_outcomes(made: Draft, task: Task) -> None:
    first = outcomes(task, made.initial(), draws=1, seed=3)
    assert outcomes(task, made.initial(), draws=1, seed=3) == first


def test_a_kind_without_a_place_is_skipped_with_its_reason(made: Draft, task: Task) -> None:
    (row,) = outcomes(task, made.initial(), draws=1, seed=0, only=["no_answer"])
    assert row["skipped"] == "the task asks for no answer"


@pytest.fixture
def lazy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong kind that does nothing, and one that breaks nothing but is called wrong."""

    def nothing(trial: Trial, rng: Random) -> Environment:
        """Did nothing else."""
        del rng
        return trial.end()

    kinds = (Kind("nothing", "wrong", nothing), Kind("nothing_too", "equivalent", nothing))
    monkeypatch.setattr(tally, "all_kinds", lambda: kinds)


@pytest.mark.usefixtures("lazy")
def test_a_wrong_outcome_without_effect_is_skipped(made: Draft, task: Task) -> None:
    wrong, same = outcomes(task, made.initial(), draws=1, seed=0)
    assert wrong["skipped"] == SAME
    assert same["accepted"]


def test_a_tally_counts_by_kind_and_by_reason() -> None:
    audit = Audit()
    audit.add(
        "task-1",
        [
            {"kind": "wrong_record", "side": "wrong", "accepted": False},
            {"kind": "wrong_record", "side": "wrong", "accepted": True},
            {"kind": "reworded", "side": "equivalent", "accepted": True},
            {"kind": "extra_item", "side": "wrong", "skipped": "no list"},
        ],
    )
    found = audit.document(1.0)
    assert found["wrong"]["wrong_record"] == {"n": 2, "rejected": 1}
    assert found["equivalent"]["reworded"] == {"n": 1, "accepted": 1}
    assert found["skipped"] == {"extra_item": {"no list": 1}}
    assert found["misjudged"] == [{"task": "task-1", "kind": "wrong_record", "side": "wrong"}]
    assert found["thin"] == ["task-1"]
    assert found["rejected"] == 0.5
    assert "wrong_record" not in audit.short()
    assert "extra_item" in audit.short()
