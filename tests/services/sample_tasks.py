"""A hand-made candidate over the sample services, planted and worded by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from attrs import define, field
from sample_services import SAMPLES, Contact, Invoice, Mail

from compoworld_core.cast import draw_cast
from compoworld_core.environment import Environment
from compoworld_core.expressions import (
    All,
    Condition,
    Const,
    Expr,
    Fn,
    Grep,
    Item,
    Lit,
    Out,
    Pick,
)
from compoworld_core.patch import Operation, Patch
from compoworld_core.plan import Argument, Carry, Expect, Fact, Goal, Plan, Selection, Step
from compoworld_core.proof.case import Candidate, start_environment
from compoworld_core.records import Span
from compoworld_core.records import World as OtherWorld
from compoworld_core.service import Service
from compoworld_core.world import Base, World, base_digest

WALK = ("mailbox", "crm", "billing", "tracker", "notes", "crm", "billing")
SERVICES: dict[str, Service[Any]] = {service.name: service for service in SAMPLES}


def sample_world(seed: int = 7, scale: int = 200) -> World:
    """The five sample services over one cast, without the registry."""
    cast = draw_cast(seed, scale)
    states = {name: s.new_state(cast, seed, scale) for name, s in SERVICES.items()}
    bases = {name: Base(state, base_digest(state)) for name, state in states.items()}
    return World(seed, scale, cast, SERVICES, bases)


@define
class Wording:
    """An instruction under construction, with what each phrase stands for."""

    text: str = ""
    spans: list[Span] = field(factory=list)

    def say(self, words: str) -> Wording:
        self.text += words
        return self

    def literal(self, kind: Any, value: Any, said: str | None = None) -> Wording:
        said = str(value) if said is None else said
        return self._mark(said, "literal", str(value), fact=Fact(kind=kind, value=value))

    def selection(self, target: str, noun: str, said: str) -> Wording:
        return self._mark(said, "selection", target, noun=noun)

    def reference(self, target: str, noun: str, said: str) -> Wording:
        return self._mark(said, "reference", target, noun=noun)

    def _mark(self, said: str, kind: Any, target: str, **more: Any) -> Wording:
        start = len(self.text)
        self.text += said
        span = Span(start=start, end=len(self.text), kind=kind, target=target, **more)
        self.spans.append(span)
        return self


@define
class Draft:
    """The parts of the candidate, to be changed by a test before they are put together."""

    world: World
    rows: dict[str, list[tuple[str, Any]]]
    """Service → (table, planted row)."""
    plan: Plan
    wording: Wording
    worlds: list[OtherWorld]
    walk: tuple[str, ...] = WALK

    def candidate(self) -> Candidate:
        """What a generator would hand over."""
        patches = {}
        for service, rows in self.rows.items():
            operations = [
                Operation(op="insert", table=table, row=row.model_dump(mode="json"), at=n + 0.5)
                for n, (table, row) in enumerate(rows)
            ]
            patches[service] = Patch(operations=operations)
        return Candidate(
            instruction=self.wording.text,
            services=tuple(dict.fromkeys(self.walk)),
            distractors=(),
            walk=self.walk,
            plan=self.plan,
            patches=patches,
            worlds=tuple(self.worlds),
            spans=tuple(self.wording.spans),
            provenance={"seed": self.world.seed, "generator": "by hand"},
        )

    def initial(self) -> Environment:
        """Its s0."""
        candidate = self.candidate()
        return start_environment(
            self.world.services, self.world.states, candidate.patches, candidate.services
        )

    def bases(self) -> dict[str, str]:
        """Service → digest of its base."""
        return {name: self.world.bases[name].digest for name in dict.fromkeys(self.walk)}

    def step(self, step: str, **changes: Any) -> None:
        """Change fields of a step of the plan."""
        steps = tuple(
            s.model_copy(update=changes) if s.id == step else s for s in self.plan.steps
        )
        self.plan = self.plan.model_copy(update={"steps": steps})

    def row(self, service: str, key: str) -> Any:
        """A planted row."""
        return next(row for _, row in self.rows[service] if row.id == key)

    def without(self, service: str, *keys: str) -> None:
        """Take planted rows out."""
        self.rows[service] = [pair for pair in self.rows[service] if pair[1].id not in keys]


def arg(name: str, expr: Expr) -> Argument:
    """A top-level argument."""
    return Argument(path=(name,), expr=expr)


def draft(world: World, topic: str = "Launch plan") -> Draft:
    """A chain over all five services, each edge with its other world."""
    title = f"{topic} questions"
    invoices = All(step="s3", items=("items",), where=(), path=())
    sender = Pick(
        step="s1",
        items=("items",),
        where=(
            Condition(path=("subject",), kind="title", equals=Lit(literal=title, kind="title")),
        ),
        path=("sender",),
    )  # fmt: skip
    contact = Out(step="s2", path=("items", 0, "id"))
    account = Out(step="s2b", path=("account_no",))
    total = Fn(name="sum", args=(All(step="s3", items=("items",), path=("amount",)),))
    issue = Out(step="s5", path=("id",))
    note = Out(step="s6", path=("id",))
    described = Pick(step="s8", items=("items",), path=("id",))
    owner = Out(step="s7b", path=("owner",))
    due = Lit(literal="2026-06-19", kind="date")
    number = Lit(literal="INV-9917", kind="code")
    steps = (
        Step(id="s1", visit=0, service="mailbox", tool="search_mails",
             arguments=(arg("subject", Lit(literal=title, kind="title")),)),
        Step(id="s2", visit=1, service="crm", tool="list_contacts",
             arguments=(arg("email", sender),)),
        Step(id="s2b", visit=1, service="crm", tool="get_contact",
             arguments=(arg("contact_id", contact),)),
        Step(id="s3", visit=2, service="billing", tool="list_invoices",
             arguments=(arg("account_no", account),
                        arg("status", Lit(literal="open", kind="status")))),
        Step(id="s4", visit=2, service="billing", tool="update_invoice", write=True,
             foreach=invoices,
             arguments=(arg("invoice_id", Item(path=("id",))), arg("due", due))),
        Step(id="s5", visit=3, service="tracker", tool="create_issue", write=True,
             arguments=(
                 arg("title", Lit(literal=f"{topic} dispute", kind="title")),
                 arg("description", Fn(name="text", args=(total,), kinds=("money",),
                                       template="They owe {} in all.")),
                 arg("priority", Const(literal="high")))),
        Step(id="s6", visit=4, service="notes", tool="write_note", write=True,
             arguments=(
                 arg("title", Lit(literal=f"{topic} minutes", kind="title")),
                 arg("body", Fn(name="text", args=(issue,), kinds=("id",),
                                template="Tracked as {}.")))),
        Step(id="s7", visit=5, service="crm", tool="add_to_notes", write=True,
             arguments=(arg("contact_id", contact),
                        arg("text", Fn(name="text", args=(note,), kinds=("id",),
                                       template="See note {}.")))),
        Step(id="s7b", visit=5, service="crm", tool="get_contact",
             arguments=(arg("contact_id", contact),)),
        Step(id="s8", visit=6, service="billing", tool="list_invoices",
             arguments=(arg("number", number),)),
        Step(id="s9", visit=6, service="billing", tool="update_invoice", write=True,
             arguments=(arg("invoice_id", described), arg("collector", owner))),
    )  # fmt: skip
    goals = (
        Goal(id="dues", step="s4", kind="update", service="billing", table="invoices",
             text="Each open invoice of the contact's account is due on 19 June 2026.",
             key=Item(path=("id",)),
             expects=(Expect(field="due", mode="equals", kind="date", exprs=(due,)),)),
        Goal(id="issue", step="s5", kind="create", service="tracker", table="issues",
             text="There is an issue that states the total.", new_id=("id",),
             expects=(
                 Expect(field="title", mode="equals", kind="title",
                        exprs=(Lit(literal=f"{topic} dispute", kind="title"),)),
                 Expect(field="description", mode="contains", kind="money", exprs=(total,),
                        kinds=("money",), decoys=(Fact(kind="money", value="770"),)),
                 Expect(field="priority", mode="equals", kind="status",
                        exprs=(Const(literal="high"),)))),
        Goal(id="note", step="s6", kind="create", service="notes", table="notes",
             text="There is a note that names the new issue.", new_id=("id",),
             expects=(
                 Expect(field="title", mode="equals", kind="title",
                        exprs=(Lit(literal=f"{topic} minutes", kind="title"),)),
                 Expect(field="body", mode="contains", kind="id", exprs=(issue,),
                        kinds=("id",)))),
        Goal(id="contact", step="s7", kind="update", service="crm", table="contacts",
             text="The contact's notes name the new note.", key=contact,
             expects=(Expect(field="notes", mode="contains", kind="id", exprs=(note,),
                             kinds=("id",), keeps=True),)),
        Goal(id="collector", step="s9", kind="update", service="billing", table="invoices",
             text="The contact's owner collects invoice INV-9917.", key=described,
             expects=(Expect(field="collector", mode="equals", kind="email", exprs=(owner,)),)),
    )  # fmt: skip
    selections = (
        Selection(id="mail", step="s1", service="mailbox", table="mails",
                  conditions=(("subject", "title", Lit(literal=title, kind="title")),),
                  key=Out(step="s1", path=("items", 0, "id"))),
        Selection(id="who", step="s2", service="crm", table="contacts",
                  conditions=(("email", "email", sender),), key=contact),
        Selection(id="dues", step="s3", service="billing", table="invoices", many=True,
                  conditions=(("account_no", "code", account),
                              ("status", "status", Lit(literal="open", kind="status"))),
                  key=All(step="s3", items=("items",), path=("id",))),
        Selection(id="other", step="s8", service="billing", table="invoices",
                  conditions=(("number", "code", number),), key=described),
    )  # fmt: skip
    carries = (
        Carry(edge=0, kind="email", expr=sender, source="field"),
        Carry(edge=1, kind="code", expr=account, source="field"),
        Carry(edge=2, kind="money", expr=total, source="aggregate"),
        Carry(edge=3, kind="id", expr=issue, source="id"),
        Carry(edge=4, kind="id", expr=note, source="id"),
        Carry(edge=5, kind="email", expr=owner, source="field"),
    )
    plan = Plan(steps=steps, goals=goals, selections=selections, carries=carries)
    return Draft(world, _rows(world, title), plan, _wording(topic, title), _worlds(world))


def _rows(world: World, title: str) -> dict[str, list[tuple[str, Any]]]:
    """Hero, shadow and sibling rows, and the invoice that is described by its number."""
    now, staff = world.cast.today, world.cast.staff

    def mail(key: str, sender: str, subject: str) -> tuple[str, Mail]:
        at = now - timedelta(hours=3)
        return "mails", Mail(id=key, sender=sender, subject=subject, received_at=at)

    def contact(key: str, email: str, account: str, owner: str) -> tuple[str, Contact]:
        row = Contact(id=key, name=f"Ana {key}", email=email, account_no=account, owner=owner,
                      notes="Prefers mail.")  # fmt: skip
        return "contacts", row

    def invoice(
        key: str, number: str, account: str, amount: str, status: str
    ) -> tuple[str, Invoice]:
        row = Invoice(id=key, number=number, account_no=account, amount=amount, status=status,
                      due="2026-03-20")  # fmt: skip
        return "invoices", row

    return {
        "mailbox": [
            mail("ml_hero", "ana@hero-mills.example", title),
            mail("ml_near", "bo@shadow-mills.example", f"{title} again"),
        ],
        "crm": [
            contact("co_hero", "ana@hero-mills.example", "AC-880011", staff[1].email),
            contact("co_shadow", "bo@shadow-mills.example", "AC-990022", staff[2].email),
        ],
        "billing": [
            invoice("in_h1", "INV-9911", "AC-880011", "120", "open"),
            invoice("in_h2", "INV-9912", "AC-880011", "80.50", "open"),
            invoice("in_h3", "INV-9913", "AC-880011", "900", "paid"),
            invoice("in_s1", "INV-9914", "AC-990022", "700", "open"),
            invoice("in_s2", "INV-9915", "AC-990022", "70", "open"),
            invoice("in_s3", "INV-9916", "AC-990022", "15", "paid"),
            invoice("in_o", "INV-9917", "AC-550033", "44", "open"),
        ],
    }


def _wording(topic: str, title: str) -> Wording:
    w = Wording()
    w.say("We must settle what is owed. Start from ")
    w.selection("mail", "mail", "the mail with the subject ").literal("title", title)
    w.say(" and take ").selection("who", "contact", "the contact with its sender's address")
    w.say(". Move the due date of ").selection("dues", "invoices", "all ")
    w.literal("status", "open").say(" invoices on their account to ")
    w.literal("date", "2026-06-19", "19 June 2026").say(". Open a high-priority issue called ")
    w.literal("title", f"{topic} dispute").say(" that states the total, write a note ")
    w.literal("title", f"{topic} minutes").say(" that gives the new issue's id and add the ")
    w.say("note's id to the notes of ").reference("who", "contact", "the contact")
    w.say(". Then let the contact's owner collect ")
    w.selection("other", "invoice", "invoice ").literal("code", "INV-9917").say(".")
    return w


def _worlds(world: World) -> list[OtherWorld]:
    def update(edge: int, table: str, key: str, says: str, **row: Any) -> OtherWorld:
        operation = Operation(op="update", table=table, id=key, row=row)
        patch = Patch(operations=[operation])
        return OtherWorld(edge=edge, service=WALK[edge], patch=patch, says=says)

    def next_id(edge: int, counter: str) -> OtherWorld:
        ledger = world.states[WALK[edge]].ledger.copy_out()
        ledger.counters[counter] = ledger.counters.get(counter, 0) + 1
        return OtherWorld(
            edge=edge, service=WALK[edge], patch=Patch(ledger=ledger), says="another next id"
        )

    return [
        update(0, "mails", "ml_hero", "another sender", sender="bo@shadow-mills.example"),
        update(1, "contacts", "co_hero", "another account", account_no="AC-990022"),
        update(2, "invoices", "in_h1", "another amount", amount="321"),
        next_id(3, "is_"),
        next_id(4, "#note"),
        update(5, "contacts", "co_hero", "another owner", owner=world.cast.staff[3].email),
    ]


__all__ = ["SERVICES", "WALK", "Draft", "Grep", "Wording", "arg", "draft", "sample_world"]
