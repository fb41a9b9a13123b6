"""Five small services that tests compose: a mailbox, a CRM, a billing, a tracker and notes."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Literal

from compoworld_core import UNSET, Context, Entity, IntRef, Ref, Service, State, Table
from compoworld_core.resources import Page, given, paginate, require
from compoworld_core.types import (
    Code,
    CustomerEmail,
    Date,
    DateTime,
    Email,
    Money,
    PersonName,
    StaffEmail,
    Status,
    StrSet,
    Text,
    Title,
)

# -- mailbox -------------------------------------------------------------------------------


class Mail(Entity):
    id: str
    sender: Email
    subject: Title
    body: Text = ""
    label: Status = "inbox"
    received_at: DateTime


class MailboxState(State):
    mails: Table[Mail] = Table()


mailbox = Service("mailbox", state=MailboxState, domain="samples", summary="Mails.")


@mailbox.tool(read_only=True)
def search_mails(
    state: MailboxState,
    subject: Title | None = None,
    sender: Email | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Page[Mail]:
    """Find mails.

    Args:
        subject: the exact subject.
        sender: only mails from this address.
    """
    rows = state.mails.where(**_set(subject=subject, sender=sender))
    return paginate(rows, limit, cursor)


@mailbox.tool(read_only=True)
def get_mail(state: MailboxState, mail_id: Ref[Mail]) -> Mail:
    """Show a mail."""
    return require(state.mails, mail_id, "mail")


@mailbox.tool(idempotent=True)
def label_mail(state: MailboxState, mail_id: Ref[Mail], label: Status) -> Mail:
    """Move a mail under another label."""
    require(state.mails, mail_id, "mail")
    return state.mails.update(mail_id, label=label)


@mailbox.seed
def seed_mailbox(ctx: Context, scale: int) -> MailboxState:
    rng = ctx.rng
    rows = []
    for n in range(scale):
        person = rng.choice(ctx.cast.customers)
        subject = f"{rng.choice(['Renewal', 'Quote', 'Visit', 'Contract'])} {n}"
        rows.append(
            Mail(
                id=ctx.new_id("ml_"),
                sender=person.email,
                subject=subject,
                body=f"Kind regards, {person.name}",
                label=rng.choice(["inbox", "archive"]),
                received_at=ctx.now - timedelta(hours=n),
            )
        )
    return MailboxState(mails=Table(rows))


# -- CRM -----------------------------------------------------------------------------------


class Contact(Entity):
    id: str
    name: PersonName
    email: CustomerEmail
    account_no: Code
    owner: StaffEmail
    stage: Literal["lead", "customer", "churned"] = "lead"
    notes: Text = ""


class CrmState(State):
    contacts: Table[Contact] = Table()


crm = Service("crm", state=CrmState, domain="samples", summary="Contacts.")


@crm.tool(read_only=True)
def list_contacts(
    state: CrmState,
    email: CustomerEmail | None = None,
    account_no: Code | None = None,
    stage: Literal["lead", "customer", "churned"] | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Page[Contact]:
    """List contacts."""
    rows = state.contacts.where(**_set(email=email, account_no=account_no, stage=stage))
    return paginate(rows, limit, cursor)


@crm.tool(read_only=True)
def get_contact(state: CrmState, contact_id: Ref[Contact]) -> Contact:
    """Show a contact."""
    return require(state.contacts, contact_id, "contact")


@crm.tool(idempotent=True)
def set_stage(
    state: CrmState, contact_id: Ref[Contact], stage: Literal["lead", "customer", "churned"]
) -> Contact:
    """Move a contact to a stage."""
    require(state.contacts, contact_id, "contact")
    return state.contacts.update(contact_id, stage=stage)


@crm.tool
def add_to_notes(state: CrmState, contact_id: Ref[Contact], text: Text) -> Contact:
    """Append a line to a contact's notes."""
    old = require(state.contacts, contact_id, "contact").notes
    return state.contacts.update(contact_id, notes=f"{old}\n{text}".strip())


@crm.tool(idempotent=True)
def replace_notes(state: CrmState, contact_id: Ref[Contact], text: Text) -> Contact:
    """Overwrite a contact's notes."""
    require(state.contacts, contact_id, "contact")
    return state.contacts.update(contact_id, notes=text)


@crm.seed
def seed_crm(ctx: Context, scale: int) -> CrmState:
    rng = ctx.rng
    people = ctx.cast.customers
    rows = [
        Contact(
            id=ctx.new_id("co_"),
            name=person.name,
            email=person.email,
            account_no=person.account_no,
            owner=rng.choice(ctx.cast.staff).email,
            stage=rng.choice(["lead", "customer"]),
            notes="Met at a fair.",
        )
        for person in (people[n % len(people)] for n in range(min(scale, len(people))))
    ]
    return CrmState(contacts=Table(rows))


# -- billing -------------------------------------------------------------------------------


class Invoice(Entity):
    id: str
    number: Code
    account_no: Code
    amount: Money
    status: Literal["draft", "open", "paid"] = "open"
    due: Date
    collector: StaffEmail | None = None


class BillingState(State):
    invoices: Table[Invoice] = Table()


billing = Service("billing", state=BillingState, domain="samples", summary="Invoices.")


@billing.tool(read_only=True)
def list_invoices(
    state: BillingState,
    account_no: Code | None = None,
    status: Literal["draft", "open", "paid"] | None = None,
    number: Code | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Page[Invoice]:
    """List invoices."""
    rows = state.invoices.where(**_set(account_no=account_no, status=status, number=number))
    return paginate(rows, limit, cursor)


@billing.tool(read_only=True)
def get_invoice(state: BillingState, invoice_id: Ref[Invoice]) -> Invoice:
    """Show an invoice."""
    return require(state.invoices, invoice_id, "invoice")


@billing.tool(idempotent=True)
def update_invoice(
    state: BillingState,
    invoice_id: Ref[Invoice],
    due: Date = UNSET,
    collector: StaffEmail = UNSET,
) -> Invoice:
    """Change an invoice."""
    require(state.invoices, invoice_id, "invoice")
    return state.invoices.update(invoice_id, **given(due=due, collector=collector))


@billing.tool(destructive=True)
def delete_invoice(state: BillingState, invoice_id: Ref[Invoice]) -> Invoice:
    """Remove an invoice."""
    require(state.invoices, invoice_id, "invoice")
    return state.invoices.delete(invoice_id)


@billing.seed
def seed_billing(ctx: Context, scale: int) -> BillingState:
    rng = ctx.rng
    rows = [
        Invoice(
            id=ctx.new_id("in_"),
            number=f"INV-{ctx.next_number('invoice', 2000)}",
            account_no=rng.choice(ctx.cast.customers).account_no,
            amount=Decimal(rng.randrange(1000, 90000)) / 10,
            status=rng.choice(["draft", "open", "paid"]),
            due=date(2026, 3, 1) + timedelta(days=rng.randrange(60)),
        )
        for _ in range(scale)
    ]
    return BillingState(invoices=Table(rows))


# -- tracker -------------------------------------------------------------------------------


class Issue(Entity):
    id: str
    title: Title
    description: Text = ""
    priority: Literal["low", "medium", "high"] = "medium"
    labels: StrSet = ()


class Comment(Entity):
    id: str
    issue_id: Ref[Issue]
    body: Text


class TrackerState(State):
    issues: Table[Issue] = Table()
    comments: Table[Comment] = Table()


tracker = Service("tracker", state=TrackerState, domain="samples", summary="Issues.")


@tracker.tool(read_only=True)
def list_issues(
    state: TrackerState, title: Title | None = None, limit: int = 20, cursor: str | None = None
) -> Page[Issue]:
    """List issues."""
    return paginate(state.issues.where(**_set(title=title)), limit, cursor)


@tracker.tool
def create_issue(
    state: TrackerState,
    ctx: Context,
    title: Title,
    description: Text = "",
    priority: Literal["low", "medium", "high"] = "medium",
) -> Issue:
    """Open an issue."""
    issue = Issue(id=ctx.new_id("is_"), title=title, description=description, priority=priority)
    return state.issues.insert(issue)


@tracker.tool(idempotent=True)
def label_issue(state: TrackerState, issue_id: Ref[Issue], label: str) -> Issue:
    """Add a label to an issue."""
    issue = require(state.issues, issue_id, "issue")
    return state.issues.update(issue_id, labels=(*issue.labels, label))


@tracker.tool
def comment_on_issue(
    state: TrackerState, ctx: Context, issue_id: Ref[Issue], body: Text
) -> Comment:
    """Comment on an issue."""
    require(state.issues, issue_id, "issue")
    return state.comments.insert(Comment(id=ctx.new_id("cm_"), issue_id=issue_id, body=body))


@tracker.seed
def seed_tracker(ctx: Context, scale: int) -> TrackerState:
    rows = [Issue(id=ctx.new_id("is_"), title=f"Bug {n}") for n in range(scale)]
    return TrackerState(issues=Table(rows))


# -- notes ---------------------------------------------------------------------------------


class Note(Entity):
    id: int
    title: Title
    body: Text = ""


class NotesState(State):
    notes: Table[Note] = Table()


notes = Service("notes", state=NotesState, domain="samples", summary="Notes.")


@notes.tool(read_only=True)
def list_notes(
    state: NotesState, title: Title | None = None, limit: int = 20, cursor: str | None = None
) -> Page[Note]:
    """List notes."""
    return paginate(state.notes.where(**_set(title=title)), limit, cursor)


@notes.tool
def write_note(state: NotesState, ctx: Context, title: Title, body: Text = "") -> Note:
    """Write a note."""
    note = Note(id=ctx.next_number("note", 100), title=title, body=body)
    return state.notes.insert(note)


@notes.tool(destructive=True)
def drop_note(state: NotesState, note_id: IntRef[Note]) -> Note:
    """Delete a note."""
    require(state.notes, note_id, "note")
    return state.notes.delete(note_id)


@notes.seed
def seed_notes(ctx: Context, scale: int) -> NotesState:
    rows = [Note(id=ctx.next_number("note", 100), title=f"Idea {n}") for n in range(scale)]
    return NotesState(notes=Table(rows))


def _set(**fields: object) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}


SAMPLES = (mailbox, crm, billing, tracker, notes)
