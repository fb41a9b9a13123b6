"""The certificate accepts a sound task; each way of breaking one meets its probe."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from sample_services import Contact, Invoice, Issue, Mail
from sample_tasks import Draft, arg, draft, sample_world

from compoworld_core.expressions import Condition, Const, Lit, Out, Path, Pick
from compoworld_core.plan import Fact
from compoworld_core.proof.case import Refuted
from compoworld_core.proof.certificate import prove, reprove
from compoworld_core.proof.probes.discoverable import leaves, states
from compoworld_core.records import Span, Task
from compoworld_core.world import World


@pytest.fixture(scope="module")
def world() -> World:
    return sample_world()


@pytest.fixture
def sound(world: World) -> Draft:
    return draft(world)


def proven(made: Draft) -> Task:
    return prove(made.candidate(), made.initial(), made.bases())


def refuted(made: Draft) -> Refuted:
    with pytest.raises(Refuted) as caught:
        proven(made)
    return caught.value


def test_a_sound_candidate_becomes_a_task_with_every_probe_on_record(sound: Draft) -> None:
    task = proven(sound)
    assert [probe.name for probe in task.certificate.probes] == [
        "not-vacuous", "unambiguous", "discoverable", "no-shortcut", "no-detour", "reachable",
        "criteria-needed", "edges-carry", "tolerant-and-strict",
    ]  # fmt: skip
    assert all(probe.ok for probe in task.certificate.probes)


def test_every_mutation_found_a_place_in_the_sample(sound: Draft) -> None:
    mutants = proven(sound).certificate.probes[-1].detail["mutants"]
    assert {kind for kind, what in mutants.items() if what == "accepted"} == {
        "other order", "extra reads", "retry after errors", "other wording",
    }  # fmt: skip
    assert {kind for kind, what in mutants.items() if what == "rejected"} == {
        "wrong record", "wrong value", "skipped item", "skipped step", "duplicate",
        "collateral change",
    }  # fmt: skip


def test_the_same_candidate_gives_the_same_bytes(world: World) -> None:
    first, second = (proven(draft(world)).model_dump_json() for _ in range(2))
    assert first == second


def test_a_task_read_back_from_json_proves_again(sound: Draft) -> None:
    task = proven(sound)
    stored = task.model_dump(mode="json", by_alias=True)
    read = Task.model_validate(json.loads(json.dumps(stored, sort_keys=True)))
    reprove(read, sound.initial())
    assert read.id == task.id


# -- each breakage has its probe -----------------------------------------------------------


def no_shadow(made: Draft) -> None:
    made.without("crm", "co_shadow")
    made.without("billing", "in_s1", "in_s2", "in_s3")


def no_sibling(made: Draft) -> None:
    made.without("billing", "in_h3")


def second_mail(made: Draft) -> None:
    twin = made.row("mailbox", "ml_hero").model_copy(update={"id": "ml_twin"})
    made.rows["mailbox"].append(("mails", twin))


def second_mail_that_only_the_plan_tells_apart(made: Draft) -> None:
    hero: Mail = made.row("mailbox", "ml_hero")
    twin = hero.model_copy(update={"id": "ml_twin", "label": "archive"})
    made.rows["mailbox"].append(("mails", twin))
    sender: Pick = made.plan.step("s2").arguments[0].expr
    inbox = Condition(path=("label",), kind="status", equals=Const(literal="inbox"))
    made.step("s2", arguments=(arg("email", sender.model_copy(update={"where": (inbox,)})),))


def true_already(made: Draft) -> None:
    for key in ("in_h1", "in_h2"):
        row: Invoice = made.row("billing", key)
        made.without("billing", key)
        made.rows["billing"].insert(
            0, ("invoices", Invoice(**{**dict(row), "due": "2026-06-19"}))
        )


def key_known_elsewhere(made: Draft) -> None:
    """The described invoice ties the hero's account to a number that the instruction gives."""
    row: Invoice = made.row("billing", "in_o")
    made.without("billing", "in_o")
    tied = row.model_copy(update={"account_no": "AC-880011", "status": "draft"})
    made.rows["billing"].append(("invoices", tied))


def unneeded_condition(made: Draft) -> None:
    who = made.plan.selections[1]
    wider = who.model_copy(
        update={"conditions": (*who.conditions, ("stage", "status", Const(literal="lead")))}
    )
    made.plan = made.plan.model_copy(
        update={"selections": (made.plan.selections[0], wider, *made.plan.selections[2:])}
    )


def wrong_noun(made: Draft) -> None:
    """`the contact` after a second contact was described: a reader takes the later one."""
    at = next(s for s in made.wording.spans if s.kind == "reference").start - 9
    second = Span(start=at, end=at + 1, kind="selection", target="other", noun="contact")
    made.wording.spans.append(second)


def unsaid_literal(made: Draft) -> None:
    step = made.plan.step("s6")
    title = arg("title", Lit(literal="Something else", kind="title"))
    made.step("s6", arguments=(title, *step.arguments[1:]))
    goals = []
    for goal in made.plan.goals:
        if goal.id == "note":
            expect = goal.expects[0].model_copy(
                update={"exprs": (Lit(literal="Something else", kind="title"),)}
            )
            goal = goal.model_copy(update={"expects": (expect, *goal.expects[1:])})
        goals.append(goal)
    made.plan = made.plan.model_copy(update={"goals": tuple(goals)})


def undescribed_selection(made: Draft) -> None:
    made.wording.spans = [s for s in made.wording.spans if s.target != "other"]


def word_not_in_the_schema(made: Draft) -> None:
    made.step("s7", arguments=(made.plan.step("s7").arguments[0],
                               arg("text", Const(literal="Handled on Tuesday"))))  # fmt: skip


def edge_without_world(made: Draft) -> None:
    made.worlds = [world for world in made.worlds if world.edge != 2]


def world_that_changes_nothing_downstream(made: Draft) -> None:
    made.worlds[2] = made.worlds[2].model_copy(
        update={"patch": made.worlds[2].patch.model_copy(update={"operations": []})}
    )


def world_in_another_service(made: Draft) -> None:
    made.worlds[0] = made.worlds[0].model_copy(update={"service": "crm"})


def world_that_does_not_fit(made: Draft) -> None:
    operation = made.worlds[0].patch.operations[0].model_copy(update={"id": "ml_nobody"})
    made.worlds[0] = made.worlds[0].model_copy(
        update={"patch": made.worlds[0].patch.model_copy(update={"operations": [operation]})}
    )


def edge_that_carries_nothing(made: Draft) -> None:
    carries = tuple(c for c in made.plan.carries if c.edge != 1)
    made.plan = made.plan.model_copy(update={"carries": carries})


def carried_fact_that_is_the_same_in_both_worlds(made: Draft) -> None:
    """The name of the contact, which the other world of this edge leaves as it is."""
    name = Out(step="s2b", path=("name",))
    carries = tuple(
        c.model_copy(update={"kind": "person", "expr": name}) if c.edge == 1 else c
        for c in made.plan.carries
    )
    made.plan = made.plan.model_copy(update={"carries": carries})


def total_that_the_target_shows(made: Draft) -> None:
    """The amount that the issue must state stands in an issue of the tracker already."""
    row = Issue(id="is_told", title="Old dispute", description="200.5")
    made.rows["tracker"] = [("issues", row)]


def text_said_another_way(made: Draft) -> None:
    """The span of the note's title is a phrase that does not state it."""
    made.wording.spans = [
        span.model_copy(update={"start": 0, "end": 7})
        if span.kind == "literal" and span.target.endswith("minutes")
        else span
        for span in made.wording.spans
    ]


def word_that_the_schema_has_elsewhere(made: Draft) -> None:
    """The name of a type stands in the schema, but no argument is offered it."""
    made.step("s7", arguments=(made.plan.step("s7").arguments[0],
                               arg("text", Const(literal="string"))))  # fmt: skip


def failing_step(made: Draft) -> None:
    made.step("s7", arguments=(arg("contact_id", Const(literal="co_nobody")),
                               made.plan.step("s7").arguments[1]))  # fmt: skip


def criterion_without_its_step(made: Draft) -> None:
    """A goal that another step reaches: its own step may be left out."""
    again = made.plan.step("s9").model_copy(update={"id": "s10"})
    goal = made.plan.goals[-1].model_copy(update={"id": "collector2", "step": "s10"})
    made.plan = made.plan.model_copy(
        update={"steps": (*made.plan.steps, again), "goals": (*made.plan.goals, goal)}
    )


def planted_row_that_does_not_fit(made: Draft) -> None:
    bad = Contact.model_construct(**{**dict(made.row("crm", "co_shadow")), "stage": "asleep"})
    made.without("crm", "co_shadow")
    made.rows["crm"].append(("contacts", bad))


def overwriting_where_the_text_must_stay(made: Draft) -> None:
    made.step("s7", tool="replace_notes")


def text_that_states_a_decoy(made: Draft) -> None:
    """A fact that differs from the decoy only in the words around it would be no use."""
    goals = [
        goal.model_copy(
            update={
                "expects": tuple(
                    e.model_copy(update={"decoys": (Fact(kind="money", value="5"),)})
                    if e.mode == "contains" and e.decoys
                    else e
                    for e in goal.expects
                )
            }
        )
        for goal in made.plan.goals
    ]
    made.plan = made.plan.model_copy(update={"goals": tuple(goals)})
    fn: Any = made.plan.step("s5").arguments[1].expr
    said = fn.model_copy(update={"template": "They owe {} in all, 5 of it late."})
    arguments = made.plan.step("s5").arguments
    made.step("s5", arguments=(arguments[0], arg("description", said), arguments[2]))


BREAKAGES: list[tuple[Callable[[Draft], None], str]] = [
    (no_shadow, "edges-carry"),
    (no_sibling, "unambiguous"),
    (second_mail, "reachable"),
    (second_mail_that_only_the_plan_tells_apart, "unambiguous"),
    (true_already, "not-vacuous"),
    (key_known_elsewhere, "no-shortcut"),
    (unneeded_condition, "unambiguous"),
    (wrong_noun, "unambiguous"),
    (undescribed_selection, "unambiguous"),
    (unsaid_literal, "discoverable"),
    (word_not_in_the_schema, "discoverable"),
    (text_said_another_way, "discoverable"),
    (word_that_the_schema_has_elsewhere, "discoverable"),
    (total_that_the_target_shows, "no-shortcut"),
    (edge_without_world, "edges-carry"),
    (edge_that_carries_nothing, "edges-carry"),
    (carried_fact_that_is_the_same_in_both_worlds, "edges-carry"),
    (world_that_changes_nothing_downstream, "edges-carry"),
    (world_in_another_service, "edges-carry"),
    (world_that_does_not_fit, "edges-carry"),
    (failing_step, "reachable"),
    (overwriting_where_the_text_must_stay, "reachable"),
    (text_that_states_a_decoy, "reachable"),
    (criterion_without_its_step, "criteria-needed"),
    (planted_row_that_does_not_fit, "s0"),
]


@pytest.mark.parametrize(
    ("broken", "probe"), BREAKAGES, ids=lambda v: getattr(v, "__name__", v)
)
def test_a_breakage_is_refuted_by_its_probe(
    sound: Draft, broken: Callable[[Draft], None], probe: str
) -> None:
    broken(sound)
    assert refuted(sound).probe == probe


def test_only_what_was_composed_is_left_out_of_the_belt() -> None:
    call = {"id": "a", "text": "b", "to": ["c", "d"], "filter": {"field": "e", "n": 3}}
    composed: frozenset[Path] = frozenset({("text",), ("to", 1)})
    assert list(leaves(call, composed)) == ["a", "c", "e"]


@pytest.mark.parametrize(
    ("kind", "said", "right"),
    [
        ("title", '"launch PLAN minutes."', True),
        ("title", "the launch notes", False),
        ("text", "the plan", False),
        ("status", "high-priority", True),
        ("tag", " ", False),
    ],
)
def test_a_phrase_states_a_literal(kind: str, said: str, right: bool) -> None:
    assert states(kind, "Launch plan minutes.", said) is right


def test_a_walk_must_visit_what_the_task_names(sound: Draft) -> None:
    candidate = sound.candidate()
    candidate.walk = candidate.walk[:2]
    with pytest.raises(Refuted) as caught:
        prove(candidate, sound.initial(), sound.bases())
    assert caught.value.probe == "graph"


def test_a_rubric_without_criteria_is_refuted(sound: Draft) -> None:
    sound.plan = sound.plan.model_copy(update={"goals": ()})
    assert refuted(sound).probe == "not-vacuous"


# -- a stored task -------------------------------------------------------------------------


def edited(task: Task, **changes: Any) -> Task:
    return task.model_copy(update=changes)


def test_an_edited_record_does_not_prove_again(sound: Draft) -> None:
    task = proven(sound)
    softer = edited(task.criteria[0], text="Anything goes.")
    weaker = edited(task.criteria[0], targets=task.criteria[0].targets[:1])
    for changes, probe in (
        ({"criteria": (softer, *task.criteria[1:])}, "rubric"),
        ({"criteria": (weaker, *task.criteria[1:])}, "rubric"),
        ({"gates": ()}, "rubric"),
        ({"goal_digest": "0" * 64}, "reachable"),
        ({"difficulty": {"calls": 1.0}}, "record"),
        ({"instruction": task.instruction.replace("19 June", "18 June")}, "discoverable"),
        ({"instruction": task.instruction + " Thanks!"}, "record"),
    ):
        with pytest.raises(Refuted) as caught:
            reprove(edited(task, **changes), sound.initial())
        assert caught.value.probe == probe, changes


def test_a_replay_only_task_is_not_proven(sound: Draft) -> None:
    task = proven(sound)
    foreign = edited(
        task, certificate=task.certificate.model_copy(update={"kind": "replay-only"})
    )
    with pytest.raises(Refuted, match="replay-only"):
        reprove(foreign, sound.initial())


def test_the_do_nothing_score_is_recorded(sound: Draft) -> None:
    assert proven(sound).certificate.probes[0].detail == {"null_uniform": 0.0}


def test_an_instruction_that_gives_a_carried_fact_away_is_refuted(sound: Draft) -> None:
    task = proven(sound)
    fact = next(
        fact
        for criterion in task.criteria
        for target in criterion.targets
        for check in target.checks
        if check.mode == "contains" and check.decoys
        for fact in check.values
    )
    sound.wording.text += f" By the way, it is {fact.value}."
    assert "away" in refuted(sound).why
