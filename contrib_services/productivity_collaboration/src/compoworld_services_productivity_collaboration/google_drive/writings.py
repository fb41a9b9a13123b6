"""Texts of a company's documents: policies, manuals, contracts, price lists, notes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random

from attrs import frozen

from compoworld_core.cast import Cast, Person

CARRIERS = ("Northline", "Parcelway", "Swiftpost", "Harbor Freight Lines", "Greenvan")


@frozen
class Writing:
    """A document's name, kind and text."""

    name: str
    kind: str
    """doc, sheet, slides or the ending of a plain file."""
    text: str
    description: str = ""


Rules = tuple[str, str, Sequence[str], Sequence[Sequence[str]]]
"""(title, introduction, columns, rows) of a policy."""


class Writer:
    """Writes documents about the cast of a world."""

    def __init__(self, rng: Random, cast: Cast) -> None:
        self.rng, self.cast = rng, cast
        self._turn = 0

    def policy(self) -> Writing:
        """A document that says what to do for which case."""
        makers = (
            self._refunds, self._discounts, self._escalation, self._overdue, self._shipping,
            self._travel, self._access, self._retention, self._complaints, self._renewals,
        )  # fmt: skip
        maker = makers[self._turn % len(makers)]
        edition = self._turn // len(makers)
        self._turn += 1
        title, intro, columns, rows = maker()
        region = "" if edition == 0 else f" {self.rng.choice(self.cast.companies).country}"
        owner = self.rng.choice(self.cast.staff)
        lines = [f"# {title}{region}", "", intro, "", f"| {' | '.join(columns)} |"]
        lines.append(f"|{'---|' * len(columns)}")
        lines += [f"| {' | '.join(row)} |" for row in rows]
        lines += ["", f"Questions: {owner.name}, {owner.email}."]
        if edition:
            lines.append(f"Edition {edition + 1}, valid from {self._day(-60, 30)}.")
        name = f"{title}{region}" if edition < 2 else f"{title}{region} edition {edition + 1}"
        return Writing(name, "doc", "\n".join(lines), "What to do for which case.")

    def manual(self) -> Writing:
        """A product's manual: which fault calls for which step."""
        rng, product = self.rng, self.rng.choice(self.cast.products)
        steps = (
            "replace the battery", "hold the button for ten seconds", "clean the sensor",
            "send it to the workshop", "update the firmware", "tighten the four screws",
            "exchange it under warranty", "order the spare part",
        )  # fmt: skip
        codes = rng.sample(range(10, 99), 5)
        lines = [f"{product.name} ({product.sku})", "", "Faults and what to do:"]
        lines += [f"- Code E{code}: {rng.choice(steps)}." for code in sorted(codes)]
        lines += ["", f"Warranty: {rng.choice((12, 24, 36))} months from delivery."]
        lines.append(f"Spare parts: {rng.choice(self.cast.companies).name}.")
        return Writing(
            f"{product.name} manual", rng.choice(("doc", "pdf", "md")), "\n".join(lines)
        )

    def contract(self) -> Writing:
        """A customer's contract."""
        rng, person = self.rng, self.rng.choice(self.cast.customers)
        number = f"CT-{rng.randint(1000, 9999)}"
        text = (
            f"Contract {number}\n\nBetween {self.cast.company.name} and {person.company}.\n"
            f"Contact: {person.name}, {rng.choice((person.email, person.phone))}\n"
            f"Term: from {self._day(-400, -100)} to {self._day(20, 500)}\n"
            f"Yearly fee: {self._amount(2000, 60000)}\n"
            f"Notice: {rng.choice((30, 60, 90))} days\n"
            f"Payment: {rng.choice((14, 30, 45))} days net"
        )
        return Writing(f"Contract {number} {person.company}", rng.choice(("doc", "pdf")), text)

    def prices(self) -> Writing:
        """A list of products with their prices."""
        rng = self.rng
        chosen = rng.sample(self.cast.products, min(12, len(self.cast.products)))
        lines = ["sku,product,price,currency,minimum order"]
        lines += [
            f"{p.sku},{p.name},{p.price},{p.currency},{rng.choice((1, 5, 10))}" for p in chosen
        ]
        company = rng.choice(self.cast.companies).name
        return Writing(f"Price list {company}", rng.choice(("sheet", "csv")), "\n".join(lines))

    def roster(self) -> Writing:
        """Who looks after which customer."""
        rng = self.rng
        people = rng.sample(self.cast.customers, min(10, len(self.cast.customers)))
        lines = ["company,contact,owner,next call"]
        for person in people:
            owner = rng.choice(self.cast.staff)
            lines.append(f"{person.company},{person.name},{owner.email},{self._iso(1, 45)}")
        return Writing(f"Account owners {self._day(-60, 0)}", "sheet", "\n".join(lines))

    def notes(self) -> Writing:
        """Notes of a meeting."""
        rng, person = self.rng, self.rng.choice(self.cast.customers)
        mates = rng.sample(self.cast.staff, 2)
        topic = rng.choice(("kick-off", "review", "quarterly call", "site visit", "demo"))
        decided = (
            f"{mates[0].name} quotes {self._amount(300, 20000)} by {self._day(2, 30)}.",
            f"Order #{rng.randint(1001, 1999)} goes out by {self._day(2, 20)}.",
            f"{person.first} checks invoice INV-{rng.randint(2001, 2999)}.",
            f"Next call on {self._day(5, 40)}.",
            f"{mates[1].name} prepares the contract.",
        )
        lines = [f"Notes: {topic} with {person.company}, {self._day(-80, -1)}"]
        lines.append(f"Present: {person.name}, {mates[0].name}, {mates[1].name}")
        lines += ["", *(f"- {line}" for line in rng.sample(decided, 3))]
        day = self._day(-80, -1)
        return Writing(f"Notes {topic} {person.company} {day}", "doc", "\n".join(lines))

    def plan(self) -> Writing:
        """A plan or report of the company's own."""
        rng = self.rng
        area = rng.choice(("Marketing", "Hiring", "Warehouse", "Website", "Training", "Budget"))
        form = rng.choice(("plan", "report", "overview", "checklist"))
        lead = rng.choice(self.cast.staff)
        text = (
            f"{area} {form}\n\nLead: {lead.name}\nBudget: {self._amount(1000, 90000)}\n"
            f"Due: {self._day(5, 60)}\n\n1. Collect what is open.\n2. Agree on the order.\n"
            f"3. Report to {rng.choice(self.cast.staff).name}."
        )
        ending = rng.choice(("doc", "doc", "slides", "txt", "pdf"))
        return Writing(f"{area} {form} {self._day(-60, 20)}", ending, text)

    def remark(self, person: Person) -> str:
        """A comment on a document."""
        rng = self.rng
        return rng.choice(
            (
                f"Is {self._amount(50, 5000)} still right?",
                f"{person.first}, please check the second line.",
                f"This changes on {self._day(2, 40)}.",
                f"{rng.choice(self.cast.companies).name} asked for an exception.",
                "Looks good to me.",
                "The wording is too strict.",
            )
        )

    def _refunds(self) -> Rules:
        rng = self.rng
        limit = rng.choice((50, 80, 100, 150))
        rows = [
            ("damaged", "replace free of charge", f"{rng.choice((14, 30))} days"),
            ("late", f"refund {rng.choice((10, 15, 20))} percent", "7 days"),
            ("wrong item", "refund in full and collect", f"{rng.choice((14, 30))} days"),
            ("changed mind", f"refund less {rng.choice((5, 8, 10))} percent", "14 days"),
            (f"under ${limit}", "refund without return", "at once"),
        ]
        intro = "How to settle a return or refund, by its reason."
        return "Refund policy", intro, ("Reason", "What to do", "Within"), rows

    def _discounts(self) -> Rules:
        rng, rows, least = self.rng, [], 0
        for discount in sorted(rng.sample(range(3, 25), 4)):
            approver = rng.choice(self.cast.staff)
            rows.append((f"from ${least:,}", f"{discount} percent", approver.email))
            least += rng.choice((1000, 2500, 5000))
        intro = "The highest discount by the size of the order, and who approves it."
        return "Discount policy", intro, ("Order", "Discount", "Approval"), rows

    def _escalation(self) -> Rules:
        hours = sorted(self.rng.sample((1, 2, 4, 8, 24, 48, 72), 4))
        levels = ("urgent", "high", "normal", "low")
        rows = [
            (
                level,
                f"{hour} hour{'s' if hour > 1 else ''}",
                self.rng.choice(self.cast.staff).email,
            )
            for level, hour in zip(levels, hours, strict=True)
        ]
        intro = "Who takes a ticket over, and how fast it must be answered."
        return "Escalation policy", intro, ("Priority", "Answer within", "Escalate to"), rows

    def _overdue(self) -> Rules:
        days = sorted(self.rng.sample((5, 7, 10, 14, 21, 30, 45, 60), 4))
        steps = (
            "friendly reminder",
            "second reminder with fee",
            "phone call",
            "stop deliveries",
        )
        rows = [(f"{day} days", step) for day, step in zip(days, steps, strict=True)]
        return (
            "Overdue invoices",
            "What to do by the days past due.",
            ("Past due", "Step"),
            rows,
        )

    def _shipping(self) -> Rules:
        rng = self.rng
        countries = list(dict.fromkeys(c.country for c in self.cast.companies))[:6]
        rows = [
            (country, rng.choice(CARRIERS), f"{rng.randint(2, 9)} days")
            for country in countries
        ]
        intro = "Which carrier to use by the country of delivery."
        return "Shipping rules", intro, ("Country", "Carrier", "Time"), rows

    def _travel(self) -> Rules:
        rng = self.rng
        kinds = ("hotel per night", "meals per day", "train", "flight", "rental car per day")
        rows = [(kind, f"${rng.choice((40, 60, 90, 120, 180, 400))}") for kind in kinds]
        return "Travel expenses", "The most that is paid back.", ("Expense", "Limit"), rows

    def _access(self) -> Rules:
        rng = self.rng
        systems = ("CRM", "billing", "warehouse", "source code", "payroll")
        rows = [
            (system, rng.choice(self.cast.staff).email, rng.choice(("reader", "writer")))
            for system in systems
        ]
        intro = "Who grants access to which system, and which role is given."
        return "Access rules", intro, ("System", "Granted by", "Role"), rows

    def _retention(self) -> Rules:
        rng = self.rng
        kinds = ("invoices", "contracts", "applications", "support tickets", "recordings")
        rows = [(kind, f"{rng.choice((6, 12, 24, 36, 72, 120))} months") for kind in kinds]
        return "Retention periods", "How long records are kept.", ("Record", "Keep for"), rows

    def _complaints(self) -> Rules:
        rng = self.rng
        labels = rng.sample(("quality", "delivery", "billing", "service", "safety"), 4)
        rows = [
            (label, rng.choice(("call back", "write an apology", "offer a voucher", "visit")),
             f"${rng.choice((0, 10, 25, 50))}")
            for label in labels
        ]  # fmt: skip
        intro = "How to answer a complaint by its kind."
        return "Complaint handling", intro, ("Kind", "Answer", "Voucher"), rows

    def _renewals(self) -> Rules:
        rng = self.rng
        plans = ("Basic", "Team", "Business", "Enterprise")
        rows = [
            (
                plan,
                f"{rng.choice((30, 45, 60, 90))} days",
                f"{rng.choice((0, 3, 5, 8))} percent",
            )
            for plan in plans
        ]
        intro = "When to offer a renewal, and how much the price may rise."
        return "Renewal rules", intro, ("Plan", "Offer before end", "Increase"), rows

    def _when(self, first: int, last: int) -> datetime:
        return self.cast.today + timedelta(days=self.rng.randint(first, last))

    def _day(self, first: int, last: int) -> str:
        day = self._when(first, last)
        return f"{day.day} {day:%B %Y}"

    def _iso(self, first: int, last: int) -> str:
        return self._when(first, last).date().isoformat()

    def _amount(self, least: int, most: int) -> str:
        return f"${self.rng.randint(least, most):,}.00"
