"""The solver finds what an edge carries past its source, by calls that an agent could make."""

from __future__ import annotations

import pytest
from sample_services import Comment, Contact, Invoice, Mail, Note
from sample_tasks import Draft, draft, sample_world

from compoworld_core.proof.case import Case, Refuted
from compoworld_core.proof.probes import solver
from compoworld_core.proof.probes.solver_records import Records, known
from compoworld_core.world import World


@pytest.fixture(scope="module")
def world() -> World:
    return sample_world()


@pytest.fixture
def sound(world: World) -> Draft:
    return draft(world)


def probed(made: Draft) -> int:
    case = Case(made.candidate(), made.initial())
    case.prepare()
    return int(solver.probe(case)["edges"])


def refuted(made: Draft) -> str:
    with pytest.raises(Refuted) as caught:
        probed(made)
    return caught.value.why


def account_of(made: Draft) -> str:
    return str(made.row("crm", "co_hero").account_no)


def letter(made: Draft, key: str, body: str) -> None:
    """One more mail from the sender that the instruction describes."""
    hero: Mail = made.row("mailbox", "ml_hero")
    subject = f"Something else {key}"
    more = hero.model_copy(update={"id": key, "subject": subject, "body": body})
    made.rows["mailbox"].append(("mails", more))


def test_an_honest_task_has_no_detour(sound: Draft) -> None:
    assert probed(sound) == 4


def test_a_record_that_ties_two_keys_elsewhere_is_a_detour(sound: Draft) -> None:
    letter(sound, "ml_more", f"Our account is {account_of(sound)}.")
    why = refuted(sound)
    assert "is found without crm: mailbox.search_mails(" in why
    assert account_of(sound) in why


def test_a_chain_over_two_records_is_a_detour(sound: Draft) -> None:
    """The mail quotes an invoice, and the invoice has the account."""
    letter(sound, "ml_more", "Please see INV-4711.")
    row: Invoice = sound.row("billing", "in_o")
    told = {"id": "in_told", "number": "INV-4711", "account_no": account_of(sound)}
    sound.rows["billing"].append(
        ("invoices", row.model_copy(update={**told, "status": "paid"}))
    )
    why = refuted(sound)
    assert "mailbox.search_mails(" in why
    assert why.index("mailbox.search_mails(") < why.index("billing.list_invoices(")


def test_a_record_of_the_described_title_elsewhere_is_a_detour(sound: Draft) -> None:
    hero: Mail = sound.row("mailbox", "ml_hero")
    note = Note(id=77_001, title=hero.subject, body=f"They write from {hero.sender}.")
    sound.rows.setdefault("notes", []).append(("notes", note))
    assert "is found without mailbox: notes.list_notes(" in refuted(sound)


def test_a_value_that_comes_back_is_a_detour(sound: Draft) -> None:
    """The contact's owner has the address from which the mail came."""
    contact: Contact = sound.row("crm", "co_hero")
    sender = sound.row("mailbox", "ml_hero").sender
    sound.without("crm", "co_hero")
    owned = contact.model_copy(update={"owner": sender})
    sound.rows["crm"].insert(0, ("contacts", owned))
    assert f"{sender!r} is known before crm is asked" in refuted(sound)


def test_what_no_tool_shows_is_no_detour(sound: Draft) -> None:
    """The tracker has no tool that reads comments."""
    sender = sound.row("mailbox", "ml_hero").sender
    issue = next(iter(sound.world.states["tracker"].table("issues")))
    told = f"{sender} has the account {account_of(sound)}."
    comment = Comment(id="cm_told", issue_id=issue.id, body=told)
    sound.rows["tracker"] = [*sound.rows.get("tracker", []), ("comments", comment)]
    assert probed(sound) == 4


def test_one_of_many_records_that_a_key_means_is_a_guess(sound: Draft) -> None:
    letter(sound, "ml_right", f"Our account is {account_of(sound)}.")
    for n in range(3):
        letter(sound, f"ml_other{n}", f"Our account is AC-77000{n}.")
    assert probed(sound) == 4


def test_a_record_that_shares_something_with_the_described_one_is_another(sound: Draft) -> None:
    """The sender's second account has the hero's collector on its invoice, as the hero has."""
    letter(sound, "ml_more", "Please see INV-4711.")
    row: Invoice = sound.row("billing", "in_o")
    for key, number, account in (
        ("in_told", "INV-4711", "AC-700001"),
        ("in_more", "INV-4712", account_of(sound)),
    ):
        told = {"id": key, "number": number, "account_no": account, "status": "paid"}
        shared = {"collector": "the.collector@elsewhere.example"}
        sound.rows["billing"].append(("invoices", row.model_copy(update=told | shared)))
    assert probed(sound) == 4


def test_one_of_several_codes_in_a_text_is_a_guess(sound: Draft) -> None:
    """A rule that says who has which account is no use to those who do not know the case."""
    letter(sound, "ml_more", f"Lead: AC-700001.\nCustomer: {account_of(sound)}.")
    assert probed(sound) == 4


def test_another_description_of_the_instruction_is_no_start(sound: Draft) -> None:
    """What stands on the invoice INV-9917 is nothing that the mail's sender leads to."""
    row: Invoice = sound.row("billing", "in_o")
    sound.without("billing", "in_o")
    tied = row.model_copy(update={"account_no": account_of(sound), "status": "draft"})
    sound.rows["billing"].append(("invoices", tied))
    assert probed(sound) == 4


def test_colleagues_lead_nowhere(sound: Draft) -> None:
    """A customer's record leads on to what shares the account; a colleague's does not."""
    own = sound.world.states["crm"].ledger.actor.rpartition("@")[2]
    contact: Contact = sound.row("crm", "co_hero")
    row: Invoice = sound.row("billing", "in_o")
    for key, address in (("c", "kit@customer.example"), ("d", f"kit@{own}")):
        told = {"account_no": f"AC-70000{key}", "id": f"new_{key}"}
        sound.rows["crm"].append(
            ("contacts", contact.model_copy(update={**told, "email": address}))
        )
        sound.rows["billing"].append(
            ("invoices", row.model_copy(update={**told, "number": f"INV-700{key}"}))
        )
    assert reached(sound, "kit@customer.example") == {"crm", "billing"}
    assert reached(sound, f"kit@{own}") == {"crm"}


def reached(made: Draft, key: str) -> set[str]:
    """The services in which a key leads to something."""
    records = Records(made.initial())
    chains = known(records, [key], "", lambda _, chain: records.keys(chain.place))
    return {chain.place[0] for chain in chains}


def test_the_same_task_is_refuted_by_the_same_words(world: World) -> None:
    says = []
    for _ in range(2):
        made = draft(world)
        letter(made, "ml_more", f"Our account is {account_of(made)}.")
        says.append(refuted(made))
    assert says[0] == says[1]
