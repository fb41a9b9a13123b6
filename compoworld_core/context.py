"""Context: time, ids and randomness as the core hands them to tools and seeds.

Everything comes from the service's :class:`Ledger`, so the same state and calls give the same
bytes in any process. The ledger advances with committed writes only.
"""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final
from zlib import crc32

from compoworld_core.errors import UsageError
from compoworld_core.state import Ledger
from compoworld_core.table import WriteRefused

if TYPE_CHECKING:
    from compoworld_core.cast import Cast

LOWER: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
UPPER: Final = LOWER.upper()
HEX: Final = "0123456789abcdef"
DIGITS: Final = "0123456789"
MIXED: Final = LOWER + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Context:
    """What a tool may know besides its state and arguments."""

    __slots__ = ("_cast", "_rng", "ledger", "reading", "service")

    def __init__(
        self, ledger: Ledger, service: str, cast: Cast | None = None, *, reading: bool = False
    ) -> None:
        self.ledger, self.service, self._cast, self.reading = ledger, service, cast, reading
        self._rng: random.Random | None = None

    @property
    def now(self) -> datetime:
        """The service's virtual time (UTC)."""
        return self.ledger.now

    @property
    def actor(self) -> str:
        """Email address of the account whose credentials the caller uses."""
        return self.ledger.actor

    @property
    def rng(self) -> random.Random:
        """Random numbers that depend on the world's seed, the service and its writes so far."""
        if self._rng is None:
            self._rng = random.Random(f"{self.ledger.key}:{self.service}:{self.ledger.writes}")
        return self._rng

    @property
    def cast(self) -> Cast:
        """People, companies, products and dates that a world's services share; seeds only."""
        if self._cast is None:
            raise UsageError("ctx.cast exists only while seeding; tools read their state")
        return self._cast

    def new_id(self, prefix: str = "", *, length: int = 12, alphabet: str = LOWER) -> str:
        """A fresh opaque id: `prefix` + `length` characters; counted per prefix.

        A keyed permutation of the counter: ids never repeat, and none gives the next away.
        """
        size = len(alphabet)
        bits = (size**length).bit_length() - 1
        key = self.ledger.key ^ crc32(prefix.encode()) * _MIX_2
        value = _permute(self._count(prefix), key, bits)
        out = []
        for _ in range(length):
            value, digit = divmod(value, size)
            out.append(alphabet[digit])
        return prefix + "".join(out)

    def next_number(self, kind: str, start: int = 1) -> int:
        """The next public sequential number of a kind (issue 124, ticket 125)."""
        return start + self._count("#" + kind)

    def skip_numbers(self, kind: str, numbers: int) -> None:
        """Leave a gap, as deleted or foreign records do in products with public numbers."""
        counters = self.ledger.counters
        counters["#" + kind] = counters.get("#" + kind, 0) + numbers

    def _count(self, kind: str) -> int:
        if self.reading:
            raise WriteRefused("the tool is marked read_only and takes a new id or number")
        counters = self.ledger.counters
        number = counters.get(kind, 0)
        counters[kind] = number + 1
        return number


_MIX_1: Final = 0x9E3779B97F4A7C15
_MIX_2: Final = 0xBF58476D1CE4E5B9


def _permute(number: int, key: int, bits: int) -> int:
    """A keyed bijection on 0 … 2**bits - 1 (xor, odd multiply and shift, each invertible)."""
    mask = (1 << bits) - 1
    half = bits // 2 + 1
    value = (number ^ key) & mask
    for mix in (_MIX_1, _MIX_2, _MIX_1):
        value = (value * (mix | 1)) & mask
        value ^= value >> half
        value ^= (key * mix >> 7) & mask
    return value


TICK: Final = timedelta(seconds=47)
"""How far a committed write moves a service's clock."""


def advance(ledger: Ledger) -> None:
    """Count one committed write: the clock moves on, the random draws change."""
    values = ledger.__dict__  # past pydantic's __setattr__, which costs a microsecond each
    values["writes"] += 1
    values["now"] += TICK
