"""The shared facts of a composed world: the people, companies, products and dates that every
service of one world knows, and fresh ones to plant beside them."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any, TypeVar

from attrs import asdict, field, frozen

from compoworld_core import pools
from compoworld_core.errors import CompoWorldError, RecordError, UsageError

SCHEMA = "compoworld/cast@1"

_TRIES = 2000
"""Draws before a pool counts as exhausted; the pools are far larger than any world."""


@frozen(kw_only=True)
class Company:
    """An invented company."""

    name: str
    domain: str
    industry: str
    country: str
    """Country name in English, as in `Person.country`."""
    city: str
    mail_pattern: str = "{first}.{last}"
    """How its people's mail addresses are built."""


@frozen(kw_only=True)
class Person:
    """An invented person: one of our staff, or a contact at a customer's company."""

    name: str
    first: str
    last: str
    email: str
    phone: str
    """International notation, grouped: `+44 20 7946 0958`."""
    title: str
    company: str
    country: str
    account_no: str
    is_staff: bool


@frozen(kw_only=True)
class Product:
    """Something our company sells."""

    name: str
    sku: str
    price: Decimal
    currency: str = "USD"


@frozen(kw_only=True)
class Cast:
    """Who and what a composed world is about; drawn once per world, read-only."""

    company: Company
    """Our own company, where the staff works."""
    staff: tuple[Person, ...]
    customers: tuple[Person, ...]
    companies: tuple[Company, ...]
    """The customers' companies; our own is not among them."""
    products: tuple[Product, ...]
    today: datetime
    """The morning of a working day, UTC."""
    people: tuple[Person, ...] = field(init=False)
    """Staff first, then customers."""

    @people.default
    def _everybody(self) -> tuple[Person, ...]:
        return self.staff + self.customers

    def to_record(self) -> dict[str, Any]:
        """Return the cast as JSON values, for a run folder."""
        return {
            "schema": SCHEMA,
            "company": asdict(self.company),
            "staff": [asdict(person) for person in self.staff],
            "customers": [asdict(person) for person in self.customers],
            "companies": [asdict(company) for company in self.companies],
            "products": [{**asdict(p), "price": str(p.price)} for p in self.products],
            "today": self.today.isoformat(),
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Cast:
        """Read a cast that `to_record` wrote."""
        if record.get("schema") != SCHEMA:
            raise RecordError(
                f"this record is {record.get('schema')!r}, not a cast; expected {SCHEMA!r}"
            )
        return cls(
            company=Company(**record["company"]),
            staff=tuple(Person(**person) for person in record["staff"]),
            customers=tuple(Person(**person) for person in record["customers"]),
            companies=tuple(Company(**company) for company in record["companies"]),
            products=tuple(
                Product(**{**p, "price": Decimal(p["price"])}) for p in record["products"]
            ),
            today=datetime.fromisoformat(record["today"]),
        )


def draw_cast(seed: int, scale: int) -> Cast:
    """Draw the cast of a world whose services hold about `scale` records each."""
    if scale < 1:
        raise UsageError(f"scale is {scale}; it is a number of records, from 20 up")
    rng = Random(f"cast:{seed}")
    taken: set[object] = set()
    own = _enter(fresh_company(rng, taken), taken)
    staff = [
        _enter(fresh_person(rng, taken, company=own, is_staff=True), taken)
        for _ in range(min(60, max(12, scale // 5)))
    ]
    n_customers = max(14, scale * 3 // 5)
    companies = [
        _enter(fresh_company(rng, taken), taken) for _ in range(max(6, n_customers * 2 // 5))
    ]
    # Each company has one contact first; the rest crowd at a few, as in real address books.
    customers = []
    for n in range(n_customers):
        employer = companies[n] if n < len(companies) else _skewed(rng, companies)
        customers.append(_enter(fresh_person(rng, taken, company=employer), taken))
    rng.shuffle(customers)
    products = [
        _enter(fresh_product(rng, taken), taken) for _ in range(min(80, max(8, scale // 6)))
    ]
    return Cast(
        company=own,
        staff=tuple(staff),
        customers=tuple(customers),
        companies=tuple(companies),
        products=tuple(products),
        today=_working_day(rng),
    )


def fresh_company(rng: Random, taken: Container[object] = frozenset()) -> Company:
    """Draw a company whose name and domain are not in `taken`."""
    for _ in range(_TRIES):
        stem, sector = fresh_stem(rng), rng.choice(pools.SECTORS)
        name = f"{stem} {sector.word}"
        slug = f"{stem}{rng.choice(('', '-'))}{sector.word}".lower()
        domain = f"{slug}.example"
        if is_taken(name, taken) or is_taken(domain, taken):
            continue
        country = rng.choice(pools.HOME_COUNTRIES)
        return Company(
            name=name,
            domain=domain,
            industry=sector.industry,
            country=country.name,
            city=rng.choice(country.cities),
            mail_pattern=rng.choice(_MAIL_PATTERNS),
        )
    raise exhausted("company")


def fresh_person(
    rng: Random,
    taken: Container[object] = frozenset(),
    *,
    company: Company | None = None,
    is_staff: bool = False,
) -> Person:
    """Draw a person whose name, mail address, phone and account number are not in `taken`.

    Args:
        company: where the person works; a fresh company where it is not given.
    """
    employer = company or fresh_company(rng, taken)
    country = _COUNTRY_BY_NAME.get(employer.country, pools.HOME_COUNTRIES[0])
    for _ in range(_TRIES):
        first, last = rng.choice(pools.FIRST_NAMES), rng.choice(pools.LAST_NAMES)
        name = f"{first} {last}"
        email = _address(first, last, employer, taken)
        phone = fresh_phone(rng, country)
        account_no = f"AC-{rng.randrange(100_000, 1_000_000)}"
        if any(is_taken(value, taken) for value in (name, email, phone, account_no)):
            continue
        titles = pools.STAFF_TITLES if is_staff else pools.CUSTOMER_TITLES
        return Person(
            name=name,
            first=first,
            last=last,
            email=email,
            phone=phone,
            title=rng.choice(titles),
            company=employer.name,
            country=employer.country,
            account_no=account_no,
            is_staff=is_staff,
        )
    raise exhausted("person")


def fresh_product(rng: Random, taken: Container[object] = frozenset()) -> Product:
    """Draw a product whose name and stock number are not in `taken`."""
    for _ in range(_TRIES):
        noun = rng.choice(pools.PRODUCT_NOUNS)
        name = f"{rng.choice(pools.PRODUCT_LINES)} {noun}"
        letters = "".join(word[:3] for word in noun.split()[-1:]).upper()
        sku = f"{letters}-{rng.randrange(1000, 10_000)}"
        if is_taken(name, taken) or is_taken(sku, taken):
            continue
        price = Decimal(rng.randrange(8, 480)) + rng.choice(_PRICE_ENDINGS)
        return Product(name=name, sku=sku, price=price)
    raise exhausted("product")


def fresh_stem(rng: Random) -> str:
    """Draw an invented proper name such as `Yarholm`."""
    head = rng.choice(pools.STEM_HEADS)
    # Three equal letters in a row (Sorr, ridge) look like a slip.
    tails = [tail for tail in pools.STEM_TAILS if head[-2:] != tail[0] * 2]
    return head + rng.choice(tails)


def fresh_phone(rng: Random, country: pools.Country | None = None) -> str:
    """Draw a phone number in international notation."""
    at = country or rng.choice(pools.HOME_COUNTRIES)
    groups = ["".join(str(rng.randrange(10)) for _ in range(size)) for size in at.groups]
    # A national number starts with neither the trunk prefix nor a service digit.
    groups[0] = at.area or f"{rng.randrange(2, 9)}{groups[0][1:]}"
    return " ".join([f"+{at.calling}", *groups])


def is_taken(value: object, taken: Container[object]) -> bool:
    """Say whether a value, or its text in any case, is in `taken` (case-folded or as drawn)."""
    if value in taken:
        return True
    text = str(value)
    return text in taken or text.casefold() in taken


def exhausted(kind: str) -> CompoWorldError:
    """Make the error for a pool with nothing left to draw."""
    return CompoWorldError(
        f"no fresh {kind} is left: all that were drawn are taken; pass fewer taken values, "
        "or more examples to draw like"
    )


Made = TypeVar("Made", Company, Person, Product)

_MAIL_PATTERNS = ("{first}.{last}", "{first}.{last}", "{f}{last}", "{first}", "{first}_{last}")
_PRICE_ENDINGS = tuple(Decimal(cents) for cents in ("0.00", "0.50", "0.90", "0.95", "0.99"))
_COUNTRY_BY_NAME = {country.name: country for country in pools.HOME_COUNTRIES}
_FIRST_DAY = datetime(2026, 1, 12, 9, 0, tzinfo=UTC)


def _address(first: str, last: str, employer: Company, taken: Container[object]) -> str:
    """Build a mail address, falling back to longer patterns where it is taken."""
    email = ""
    patterns = (employer.mail_pattern, "{first}.{last}", "{f}.{last}")
    for pattern in patterns:
        local = pattern.format(first=first.lower(), last=last.lower(), f=first[0].lower())
        email = f"{local}@{employer.domain}"
        if not is_taken(email, taken):
            break
    return email


def _enter(made: Made, taken: set[object]) -> Made:
    """Note the keys of a made record as taken, and return it."""
    match made:
        case Company():
            taken.update((made.name, made.domain))
        case Person():
            taken.update((made.name, made.email, made.phone, made.account_no))
        case Product():
            taken.update((made.name, made.sku))
    return made


def _skewed(rng: Random, companies: Sequence[Company]) -> Company:
    """Choose a company, the first ones more often."""
    return companies[int(len(companies) * rng.random() ** 2)]


def _working_day(rng: Random) -> datetime:
    day = _FIRST_DAY + timedelta(days=rng.randrange(330))
    return day - timedelta(days=max(0, day.weekday() - 4))
