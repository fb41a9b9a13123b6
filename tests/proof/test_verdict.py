"""The verdict: outcomes count, however they were reached; nothing else may have changed."""

import pytest
from sample_tasks import sample_world

from compoworld_core.environment import Environment
from compoworld_core.errors import UnknownName
from compoworld_core.plan import Fact
from compoworld_core.proof.rubric import UNCHANGED
from compoworld_core.proof.verdict import judge
from compoworld_core.records import Allowed, Check, Criterion, Gate, NewRows, Target, Verdict


@pytest.fixture(scope="module")
def start() -> Environment:
    world = sample_world(scale=30)
    return Environment.of([(world.services[n], s.fork()) for n, s in world.states.items()])


@pytest.fixture
def final(start: Environment) -> Environment:
    return start.fork()


def gate(*allowed: Allowed, new: tuple[NewRows, ...] = ()) -> Gate:
    return Gate(id=UNCHANGED, text="Nothing else changes.", allowed=allowed, new=new)


def issue(name: str, *checks: Check) -> Criterion:
    return Criterion(id=name, text=name, kind="create", service="tracker", table="issues",
                     targets=(Target(checks=checks),))  # fmt: skip


def on(key: str, *checks: Check) -> tuple[Target]:
    return (Target(key=key, checks=checks),)


def is_(field: str, kind: str, value: object) -> Check:
    return Check(field=field, mode="equals", kind=kind, values=(Fact(kind=kind, value=value),))


def states(field: str, *values: tuple[str, object], decoys: tuple[tuple[str, object], ...] = (),
           variables: tuple[str, ...] = (), keeps: str = "") -> Check:  # fmt: skip
    return Check(
        field=field, mode="contains", kind="text", variables=variables, keeps=keeps,
        values=tuple(Fact(kind=k, value=v) for k, v in values),
        decoys=tuple(Fact(kind=k, value=v) for k, v in decoys),
    )  # fmt: skip


def contact_of(env: Environment) -> str:
    return str(env.state("crm").table("contacts").keys()[0])


def create(
    env: Environment, title: str, description: str = "", priority: str = "medium"
) -> str:
    made = env.call(
        "tracker.create_issue",
        {"title": title, "description": description, "priority": priority},
    )
    return str(made.data["id"])


def criteria(start: Environment, final: Environment, *rubric: Criterion) -> dict[str, bool]:
    return judge(rubric, (), start, final).criteria


def held(start: Environment, final: Environment, *gates: Gate) -> bool:
    return judge((), gates, start, final).gates[UNCHANGED]


# -- variables -----------------------------------------------------------------------------

LOOSE = issue("loose", is_("title", "title", "Dispute"))
STRICT = issue("strict", is_("title", "title", "Dispute"), is_("priority", "status", "high"))


@pytest.mark.parametrize("rubric", [(LOOSE, STRICT), (STRICT, LOOSE)])
@pytest.mark.parametrize("priorities", [("high", "low"), ("low", "high")])
def test_a_create_whose_checks_are_part_of_anothers_takes_the_row_that_is_left(
    start: Environment,
    final: Environment,
    rubric: tuple[Criterion, ...],
    priorities: tuple[str, str],
) -> None:
    for priority in priorities:
        create(final, "Dispute", priority=priority)
    assert criteria(start, final, *rubric) == {"loose": True, "strict": True}


def test_one_row_does_not_stand_for_two_creates(start: Environment, final: Environment) -> None:
    create(final, "Dispute", priority="high")
    assert sum(criteria(start, final, LOOSE, STRICT).values()) == 1


def linked(start: Environment) -> tuple[Criterion, Criterion]:
    """A new issue, and a contact whose notes name it."""
    named = Criterion(
        id="named", text="named", kind="update", service="crm", table="contacts",
        targets=on(contact_of(start), states("notes", variables=("loose",))),
    )  # fmt: skip
    return LOOSE, named


def test_a_variable_is_bound_to_the_row_that_is_named_elsewhere(
    start: Environment, final: Environment
) -> None:
    create(final, "Dispute")
    named = create(final, "Dispute")
    final.call("crm.add_to_notes", {"contact_id": contact_of(start), "text": f"See {named}."})
    assert criteria(start, final, *linked(start)) == {"loose": True, "named": True}


def test_naming_a_row_that_does_not_fit_fails(start: Environment, final: Environment) -> None:
    create(final, "Dispute")
    other = create(final, "Another thing")
    final.call("crm.add_to_notes", {"contact_id": contact_of(start), "text": f"See {other}."})
    assert criteria(start, final, *linked(start)) == {"loose": True, "named": False}


def test_two_variables_are_told_apart_by_what_names_them(
    start: Environment, final: Environment
) -> None:
    first, second = LOOSE, LOOSE.model_copy(update={"id": "loose2"})
    names_second = issue("names", states("description", variables=("loose2",)))
    names_first = Criterion(
        id="named", text="named", kind="update", service="crm", table="contacts",
        targets=on(contact_of(start), states("notes", variables=("loose",))),
    )  # fmt: skip
    a, b = create(final, "Dispute"), create(final, "Dispute")
    create(final, "Summary", description=f"About {a}.")
    final.call("crm.add_to_notes", {"contact_id": contact_of(start), "text": f"See {b}."})
    assert all(criteria(start, final, first, second, names_second, names_first).values())


def test_twelve_like_rows_are_bound_in_bounded_time(
    start: Environment, final: Environment
) -> None:
    targets = tuple(Target(checks=LOOSE.targets[0].checks) for _ in range(12))
    many = LOOSE.model_copy(update={"targets": targets})
    for _ in range(11):
        create(final, "Dispute")
    assert criteria(start, final, many) == {"loose": False}
    create(final, "Dispute")
    assert criteria(start, final, many) == {"loose": True}


# -- texts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("said", ["1,200.00 USD", "$1200", "exactly 1200.0"])
def test_an_amount_counts_in_any_notation(
    start: Environment, final: Environment, said: str
) -> None:
    create(final, "Dispute", description=f"They owe {said}.")
    rubric = issue("total", states("description", ("money", "1200")))
    assert criteria(start, final, rubric) == {"total": True}


def test_a_text_that_also_states_a_decoy_fails(start: Environment, final: Environment) -> None:
    create(final, "Dispute", description="They owe 1200 or 1300.")
    rubric = issue("total", states("description", ("money", 1200), decoys=(("money", 1300),)))
    assert criteria(start, final, rubric) == {"total": False}


def test_appended_text_keeps_the_old(start: Environment, final: Environment) -> None:
    key = contact_of(start)
    old = start.state("crm").table("contacts")[key].notes
    rubric = Criterion(
        id="note", text="note", kind="update", service="crm", table="contacts",
        targets=(Target(key=key, checks=(states("notes", ("code", "INV-1"), keeps=old),)),),
    )  # fmt: skip
    over = final.fork()
    final.call("crm.add_to_notes", {"contact_id": key, "text": "INV-1"})
    over.call("crm.replace_notes", {"contact_id": key, "text": "INV-1"})
    assert criteria(start, final, rubric) == {"note": True}
    assert criteria(start, over, rubric) == {"note": False}


def test_a_fact_in_the_old_text_alone_does_not_count(
    start: Environment, final: Environment
) -> None:
    key = contact_of(start)
    final.call("crm.add_to_notes", {"contact_id": key, "text": "INV-1"})
    old = final.state("crm").table("contacts")[key].notes
    rubric = Criterion(
        id="note", text="note", kind="update", service="crm", table="contacts",
        targets=on(key, states("notes", ("code", "INV-1"), keeps=old)),
    )  # fmt: skip
    assert criteria(start, final, rubric) == {"note": False}


def test_a_member_of_a_list_is_enough(start: Environment, final: Environment) -> None:
    key = start.state("tracker").table("issues").keys()[0]
    label = Check(
        field="labels", mode="has", kind="tag", values=(Fact(kind="tag", value="Late"),)
    )
    rubric = Criterion(id="label", text="label", kind="update", service="tracker",
                       table="issues", targets=(Target(key=key, checks=(label,)),))  # fmt: skip
    assert criteria(start, final, rubric) == {"label": False}
    final.call("tracker.label_issue", {"issue_id": key, "label": "other"})
    final.call("tracker.label_issue", {"issue_id": key, "label": "late"})
    assert criteria(start, final, rubric) == {"label": True}


def test_the_final_answer_is_read_as_a_text(start: Environment, final: Environment) -> None:
    rubric = Criterion(
        id="answer", text="answer", kind="answer",
        targets=(Target(checks=(states("", ("money", 1200), decoys=(("money", 1300),)),)),),
    )  # fmt: skip
    for answer, ok in (("It is $1,200.", True), ("It is 1300 or 1200", False), (None, False)):
        assert judge((rubric,), (), start, final, answer=answer).criteria["answer"] is ok


def test_a_kind_without_a_verifier_is_an_error(start: Environment, final: Environment) -> None:
    with pytest.raises(UnknownName, match="verifier"):
        criteria(start, final, Criterion(id="x", text="x", kind="telepathy"))


# -- deletes -------------------------------------------------------------------------------


def test_a_delete_holds_once_the_row_is_gone(start: Environment, final: Environment) -> None:
    key = start.state("billing").table("invoices").keys()[0]
    rubric = Criterion(id="gone", text="gone", kind="delete", service="billing",
                       table="invoices", targets=(Target(key=key),))  # fmt: skip
    allowed = gate(Allowed(service="billing", table="invoices", key=key))
    assert criteria(start, final, rubric) == {"gone": False}
    final.call("billing.delete_invoice", {"invoice_id": key})
    assert criteria(start, final, rubric) == {"gone": True}
    assert held(start, final, allowed)
    assert not held(start, final, gate())


def test_an_update_of_a_row_that_is_gone_fails(start: Environment, final: Environment) -> None:
    key = start.state("billing").table("invoices").keys()[0]
    rubric = Criterion(id="due", text="due", kind="update", service="billing", table="invoices",
                       targets=on(key, is_("status", "status", "open")))  # fmt: skip
    final.call("billing.delete_invoice", {"invoice_id": key})
    verdict = judge((rubric,), (), start, final, findings=True)
    assert verdict.findings[0].found == f"invoices {key} is gone"


# -- the gate ------------------------------------------------------------------------------


def test_a_change_of_another_field_breaks_the_gate(
    start: Environment, final: Environment
) -> None:
    key = contact_of(start)
    allowed = gate(Allowed(service="crm", table="contacts", key=key, fields=("notes",)))
    final.call("crm.add_to_notes", {"contact_id": key, "text": "x"})
    assert held(start, final, allowed)
    final.call("crm.set_stage", {"contact_id": key, "stage": "churned"})
    assert not held(start, final, allowed)


def test_a_scratch_record_that_is_deleted_again_leaves_no_trace(
    start: Environment, final: Environment
) -> None:
    made = final.call("notes.write_note", {"title": "scratch"})
    assert not held(start, final, gate())
    final.call("notes.drop_note", {"note_id": made.data["id"]})
    assert held(start, final, gate())


def test_more_new_rows_than_allowed_break_the_gate(
    start: Environment, final: Environment
) -> None:
    limited = gate(new=(NewRows(service="tracker", table="issues", at_most=1),))
    create(final, "Dispute")
    assert held(start, final, limited)
    create(final, "Dispute")
    assert not held(start, final, limited)


def test_rows_written_on_the_side_may_be_any_number(
    start: Environment, final: Environment
) -> None:
    loose = gate(new=(NewRows(service="tracker", table="issues"),))
    for _ in range(3):
        create(final, "Dispute")
    assert held(start, final, loose)


def test_a_broken_gate_is_not_part_of_the_uniform_score(
    start: Environment, final: Environment
) -> None:
    create(final, "Dispute")
    create(final, "More")
    verdict = judge((LOOSE,), (gate(),), start, final)
    assert verdict.uniform == 1.0
    assert not verdict.success


# -- explanations --------------------------------------------------------------------------


def explained(start: Environment, final: Environment, rubric: Criterion) -> Verdict:
    return judge((rubric,), (gate(),), start, final, findings=True)


def test_a_finding_says_what_was_expected_and_what_is_there(
    start: Environment, final: Environment
) -> None:
    key = create(final, "Dispute", priority="low")
    verdict = explained(start, final, STRICT)
    assert (
        verdict.findings[0].expected
        == "a new row: title is Dispute; a new row: priority is high"
    )
    assert verdict.findings[0].found == f"new issues {key}: priority is 'low'"


def test_a_finding_of_the_gate_names_the_record(start: Environment, final: Environment) -> None:
    key = create(final, "Dispute", priority="low")
    assert (
        explained(start, final, STRICT).findings[1].found == f"tracker issues {key} was created"
    )


def test_the_verdict_sees_outcomes_not_calls(start: Environment, final: Environment) -> None:
    """Another way to the same state: two updates instead of one, reads, failures between."""
    key = contact_of(start)
    rubric = Criterion(id="stage", text="stage", kind="update", service="crm", table="contacts",
                       targets=on(key, is_("stage", "status", "churned")))  # fmt: skip
    final.call("crm.set_stage", {"contact_id": key, "stage": "lead"})
    final.call("crm.set_stage", {"contact_id": "nobody", "stage": "lead"})
    final.call("crm.get_contact", {"contact_id": key})
    final.call("crm.set_stage", {"contact_id": key, "stage": "churned"})
    assert criteria(start, final, rubric) == {"stage": True}
