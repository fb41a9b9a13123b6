"""A plausible mailbox: customers writing about orders and invoices, colleagues, newsletters."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

from attrs import define, field

from compoworld_core import Context, Table
from compoworld_core.cast import Person
from compoworld_core.context import DIGITS, HEX, MIXED
from compoworld_services_productivity_collaboration.gmail.state import (
    SYSTEM_LABELS,
    Attachment,
    Contact,
    Filter,
    GmailState,
    Label,
    Mailbox,
    Message,
    service,
)

_OWN_LABELS = (
    "Customers", "Invoices", "Follow-up", "Contracts", "Travel", "Suppliers", "Hiring",
    "Complaints", "Newsletters", "Waiting",
)  # fmt: skip
_SUBJECTS = (
    "Question about order #{order}",
    "Invoice INV-{invoice}",
    "Late delivery of the {product}",
    "Quote for {count} × {product}",
    "Change of our billing address",
    "Damaged {product}",
    "Meeting on {day}",
    "Renewal of our contract",
    "New contact at {company}",
    "Payment of {amount}",
)
_ASKS = (
    "Could you tell me when order #{order} leaves the warehouse?",
    "We have not received invoice INV-{invoice} yet. Please send it again.",
    "The {product} arrived with a broken part. What do we do now?",
    "Please quote {count} pieces of the {product}.",
    "From {day} on please use our new billing address.",
    "We paid {amount} last week and miss the confirmation.",
    "Would {day} suit you for a short call?",
    "My colleague {colleague} will look after this from now on.",
    "We would like to go on with the contract under the same terms.",
)
_ANSWERS = (
    "Thank you for writing. I have passed this on to {colleague}.",
    "Thanks, {first}. The {product} is on its way and should be with you by {day}.",
    "Sorry about the trouble. We will send a replacement free of charge.",
    "I have noted it and will come back to you by {day}.",
    "The amount of {amount} came in this morning.",
    "That suits me well. I will send an invitation.",
)
_INTERNAL = (
    (
        "Notes from the {topic} meeting",
        "We finish it by {day}. {colleague} takes the lead.",
    ),
    (
        "{company} again",
        "They asked again about order #{order}. Can you call them?",
    ),
    ("Draft for {company}", "Please read it before {day}. The total is {amount}."),
    ("Stock of the {product}", "We are down to {count}. Shall I reorder?"),
    ("Holiday cover", "I am away from {day}. {colleague} covers for me."),
)
_BULK = (
    ("Your weekly digest", "Five things worth reading this week."),
    ("Save on {product}", "This week only: ten percent off every {product}."),
    ("Your parcel is on its way", "Delivery is planned for {day}."),
    ("Security notice", "A new device signed in to your account."),
)
_TOPICS = ("pricing", "warehouse", "onboarding", "quarterly", "website", "support rota")


@define
class _Draft:
    """A message before it has its ids: rows are numbered once all are in order of time."""

    date: datetime
    sender: Person | tuple[str, str]
    to: tuple[str, ...]
    subject: str
    body: str
    labels: list[str]
    answers: _Draft | None = None
    cc: tuple[str, ...] = ()
    files: list[tuple[str, str, str]] = field(factory=list)


class _Writer:
    """Writes the mailbox's messages."""

    def __init__(self, ctx: Context, own_labels: list[Label]) -> None:
        self.ctx, self.rng, self.cast = ctx, ctx.rng, ctx.cast
        self.me = self.cast.staff[0]
        self.labels = own_labels
        self.drafts: list[_Draft] = []

    def conversation(self, most: int) -> None:
        """One to four messages between the account's owner and somebody."""
        rng = self.rng
        start = self.cast.today - timedelta(minutes=int(rng.random() ** 1.6 * 90 * 1440) + 5)
        kind = rng.random()
        if kind < 0.16:
            self._bulk(start)
        elif kind < 0.36:
            self._internal(start, most)
        else:
            self._customer(start, most)

    def _customer(self, start: datetime, most: int) -> None:
        rng, person = self.rng, self.rng.choice(self.cast.customers)
        words = self._words(person)
        subject = rng.choice(_SUBJECTS).format(**words)
        mine = rng.random() < 0.2
        body = self._signed(rng.choice(_ASKS).format(**words), person)
        first = self._add(start, self.me if mine else person, person, subject, body)
        if rng.random() < 0.16:
            number = words["invoice"]
            text = f"Invoice INV-{number}\n{words['company']}\nTotal: {words['amount']}\n"
            first.files.append((f"invoice-{number}.pdf", "application/pdf", text))
        last, when = first, start
        for _ in range(min(most - 1, rng.choice((0, 0, 1, 1, 2, 3)))):
            when += timedelta(minutes=rng.randint(20, 3000))
            if when >= self.cast.today:
                break
            mine = not mine
            text = rng.choice(_ANSWERS if mine else _ASKS).format(**words)
            sender = self.me if mine else person
            last = self._add(when, sender, person, f"Re: {subject}", self._signed(text, sender))
            last.answers = first

    def _internal(self, start: datetime, most: int) -> None:
        rng = self.rng
        mate, person = rng.choice(self.cast.staff[1:]), rng.choice(self.cast.customers)
        subject, body = (text.format(**self._words(person)) for text in rng.choice(_INTERNAL))
        mine = rng.random() < 0.35
        first = self._add(start, self.me if mine else mate, mate, subject, body)
        if rng.random() < 0.3:
            first.cc = (rng.choice(self.cast.staff[1:]).email,)
        if most > 1 and rng.random() < 0.4:
            when = start + timedelta(minutes=rng.randint(5, 900))
            if when < self.cast.today:
                sender = mate if mine else self.me
                self._add(
                    when, sender, mate, f"Re: {subject}", "Will do, thanks."
                ).answers = first

    def _bulk(self, start: datetime) -> None:
        rng = self.rng
        company = rng.choice(self.cast.companies)
        words = self._words(rng.choice(self.cast.customers))
        subject, body = (text.format(**words) for text in rng.choice(_BULK))
        labels = ["INBOX", rng.choice(("CATEGORY_UPDATES", "CATEGORY_PROMOTIONS"))]
        if rng.random() < 0.15:
            labels = ["SPAM"]
        if rng.random() < 0.6:
            labels.append("UNREAD")
        sender = (f"news@{company.domain}", company.name)
        self.drafts.append(_Draft(start, sender, (self.me.email,), subject, body, labels))

    def unsent(self) -> None:
        """A message that was begun and not sent."""
        person = self.rng.choice(self.cast.customers)
        words = self._words(person)
        start = self.cast.today - timedelta(minutes=self.rng.randint(30, 20_000))
        subject = self.rng.choice(_SUBJECTS).format(**words)
        body = self.rng.choice(_ANSWERS).format(**words)
        self.drafts.append(_Draft(start, self.me, (person.email,), subject, body, ["DRAFT"]))

    def _add(
        self, when: datetime, sender: Person, other: Person, subject: str, body: str
    ) -> _Draft:
        rng = self.rng
        if sender is self.me:
            labels, to = ["SENT"], other.email
        else:
            to = self.me.email
            labels = ["INBOX"] if rng.random() < 0.6 else []
            recent = (self.cast.today - when).days < 10
            if rng.random() < (0.5 if recent else 0.06):
                labels.append("UNREAD")
            if rng.random() < 0.05:
                labels = ["TRASH"]
        if rng.random() < 0.08:
            labels.append("STARRED")
        if rng.random() < 0.1:
            labels.append("IMPORTANT")
        if self.labels and rng.random() < 0.3:
            labels.append(rng.choice(self.labels).id)
        made = _Draft(when, sender, (to,), subject, body, labels)
        self.drafts.append(made)
        return made

    def _signed(self, text: str, sender: Person) -> str:
        rng = self.rng
        lines = [rng.choice(("Hello,", "Hi,", "Good morning,")), "", text, ""]
        lines += [rng.choice(("Best regards", "Kind regards", "Thanks")), sender.first]
        if sender is not self.me and rng.random() < 0.25:
            lines += [sender.title, rng.choice((sender.company, sender.phone))]
        return "\n".join(lines)

    def _words(self, person: Person) -> dict[str, str]:
        rng = self.rng
        day = self.cast.today + timedelta(days=rng.randint(2, 40))
        return {
            "order": str(rng.randint(1001, 1999)),
            "invoice": str(rng.randint(2001, 2999)),
            "product": rng.choice(self.cast.products).name,
            "count": str(rng.choice((5, 10, 12, 20, 25, 40, 50))),
            "day": f"{day.day} {day:%B}",
            "company": person.company,
            "amount": f"${rng.randint(40, 4800):,}.{rng.choice(('00', '50', '90'))}",
            "colleague": rng.choice(self.cast.people).name,
            "first": person.first,
            "topic": rng.choice(_TOPICS),
        }

    def rows(self) -> tuple[list[Message], list[Attachment]]:
        """All messages in order of time, with their attachments."""
        ctx = self.ctx
        self.drafts.sort(key=lambda draft: draft.date)
        messages: list[Message] = []
        files: list[Attachment] = []
        known: dict[int, Message] = {}
        for draft in self.drafts:
            key = ctx.new_id("19", length=14, alphabet=HEX)
            first = known.get(id(draft.answers)) if draft.answers else None
            added = [
                Attachment(
                    id=ctx.new_id("ANGjdJ", length=14, alphabet=MIXED),
                    message_id=key,
                    filename=name,
                    mime_type=mime_type,
                    size=len(text) * 37 + 2048,
                    content=text,
                )
                for name, mime_type, text in draft.files
            ]
            files += added
            email, name = _who(draft.sender)
            header = ctx.new_id("CA", length=16, alphabet=MIXED)
            row = Message(
                id=key,
                thread_id=first.thread_id if first else key,
                date=draft.date,
                sender=email,
                sender_name=name,
                to=draft.to,
                cc=draft.cc,
                subject=draft.subject,
                body=draft.body,
                label_ids=tuple(draft.labels),
                attachment_ids=tuple(file.id for file in added),
                attachment_names=tuple(file.filename for file in added),
                rfc822_message_id=f"<{header}@mail.example>",
                in_reply_to=first.rfc822_message_id if first else None,
                draft_id=ctx.new_id("r-", length=18, alphabet=DIGITS)
                if "DRAFT" in draft.labels
                else None,
            )
            known[id(draft)] = row
            messages.append(row)
        return messages, files


def _who(sender: Person | tuple[str, str]) -> tuple[str, str]:
    return sender if isinstance(sender, tuple) else (sender.email, sender.name)


def _contacts(ctx: Context, count: int) -> list[Contact]:
    rng, cast = ctx.rng, ctx.cast
    people = rng.sample(cast.customers, min(count, len(cast.customers)))
    rows = []
    for person in people:
        note = ""
        if rng.random() < 0.25:
            note = rng.choice(("Prefers the phone.", "Met at the trade fair.", "Writes late."))
        rows.append(
            Contact(
                id=ctx.new_id("c", length=16, alphabet=DIGITS),
                name=person.name,
                given_name=person.first,
                family_name=person.last,
                email=person.email,
                phone=person.phone if rng.random() < 0.7 else None,
                organization=person.company,
                job_title=person.title if rng.random() < 0.6 else None,
                notes=note,
                updated_at=cast.today - timedelta(hours=rng.randint(1, 2000)),
            )
        )
    return rows


def _filters(ctx: Context, labels: list[Label], count: int) -> list[Filter]:
    rng: Random = ctx.rng
    rows = []
    for company in rng.sample(ctx.cast.companies, min(count, len(ctx.cast.companies))):
        bulk = rng.random() < 0.4
        rows.append(
            Filter(
                id=ctx.new_id("ANe1Bm", length=16, alphabet=MIXED),
                sender=f"news@{company.domain}" if bulk else f"@{company.domain}",
                add_label_ids=() if bulk else (rng.choice(labels).id,),
                remove_label_ids=("INBOX",) if bulk else (),
            )
        )
    return rows


@service.seed
def seed(ctx: Context, scale: int) -> GmailState:
    """A mailbox of about `scale` records."""
    cast, rng = ctx.cast, ctx.rng
    me = cast.staff[0]
    domain = cast.company.domain
    box = Mailbox(
        id=me.email,
        name=me.name,
        aliases=(f"hello@{domain}",),
        alias_name=cast.company.name,
        alias_signature=f"{cast.company.name}\n{cast.company.city}",
        forwarding=(cast.staff[1].email,),
    )
    own = [
        Label(id=ctx.new_id("Label_", length=10, alphabet=DIGITS), name=name)
        for name in rng.sample(_OWN_LABELS, 2 if scale < 100 else 6)
    ]
    system = [Label(id=name, name=name, type="system") for name in SYSTEM_LABELS]
    filters = _filters(ctx, own, max(1, scale // 60))
    contacts = _contacts(ctx, max(2, scale // 6))
    wanted = max(8, scale - len(system) - len(own) - len(filters) - len(contacts) - scale // 16)
    writer = _Writer(ctx, own)
    for _ in range(max(1, wanted // 25)):
        writer.unsent()
    while len(writer.drafts) < wanted:
        writer.conversation(wanted - len(writer.drafts))
    messages, files = writer.rows()
    return GmailState(
        mailboxes=Table([box]),
        labels=Table([*system, *own]),
        messages=Table(messages),
        attachments=Table(files),
        filters=Table(filters),
        contacts=Table(contacts),
    )
