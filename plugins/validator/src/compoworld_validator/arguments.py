"""Arguments: a set for one tool, from what was seen of the service and from the schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from random import Random
from typing import Any

from attrs import define, field

from compoworld_core.service import Tool
from compoworld_core.testing.conformity import misfits
from compoworld_validator.reading import SCALARS, scalars
from compoworld_validator.values import QUERIES, drawn, kind, normal, offered, resolved, times

_SAMPLES = 24
"""Objects kept for each set of fields."""
_KEPT = 12
"""Accepted values kept for each parameter name."""
_COUNTS = ("limit", "pagesize", "perpage", "count", "maxresults", "max", "first", "page")
_WORD = re.compile(r"[^\W\d_]{4,}")


@define
class Pool:
    """Values that were seen or accepted, from which arguments are made."""

    rng: Random
    objects: dict[tuple[str, ...], list[dict[str, Any]]] = field(factory=dict)
    """Field names → normalised scalars of objects that were seen with these."""
    accepted: dict[str, list[Any]] = field(factory=dict)
    """Normalised parameter name → values that some tool accepted."""
    calls: dict[tuple[str, ...], list[dict[str, Any]]] = field(factory=dict)
    """Normalised names of required scalar parameters → values accepted together."""

    _pools: dict[tuple[str, str], list[Any]] = field(factory=dict)
    _texts: list[str] = field(factory=list)
    _worded: list[str] = field(factory=list)
    """Those of them that have a word."""
    _fits: dict[tuple[Any, ...], dict[tuple[str, ...], int]] = field(factory=dict)

    def learn(self, shown: Mapping[str, Any]) -> None:
        """Keep an object's scalars, some for each set of fields."""
        flat = scalars(shown)
        for name, value in shown.items():
            if isinstance(value, list) and value and isinstance(value[0], SCALARS):
                flat[normal(name)] = value[0]
        if not flat:
            return
        kept = self.objects.setdefault(tuple(sorted(flat)), [])
        if flat not in kept and len(kept) < _SAMPLES:
            kept.append(flat)
            self._pools.clear()
            self._texts.clear()

    def accept(self, tool: Tool, given: Mapping[str, Any]) -> None:
        """Remember what a tool took: the same name means the same elsewhere."""
        for name, value in given.items():
            one = value[0] if isinstance(value, list) and value else value
            known = self.accepted.setdefault(normal(name), [])
            if isinstance(one, SCALARS) and one not in known and len(known) < _KEPT:
                known.append(one)
        flat = {n: v for n, v in scalars(given).items() if n in map(normal, required(tool))}
        if not flat:
            return
        kept = self.calls.setdefault(tuple(sorted(flat)), [])
        if flat not in kept and len(kept) < _KEPT:
            kept.append(flat)

    def known(self) -> frozenset[Any]:
        """All scalar values that were seen."""
        kept = (row for group in self.objects.values() for row in group)
        return frozenset(value for row in kept for value in row.values())

    def arguments(self, tool: Tool, optional: float = 0) -> dict[str, Any]:
        """Arguments: references from objects that were seen, the rest from the schema.

        Args:
            optional: the chance of each parameter that may be left out.
        """
        needed = required(tool)
        parts = tool.input_schema.get("properties", {})
        row = self._row(needed)
        return {
            name: self.value(name, part, tool.input_schema, row)
            for name, part in parts.items()
            if name in needed or self.rng.random() < optional
        }

    def _row(self, needed: tuple[str, ...]) -> Mapping[str, Any]:
        names = [normal(name) for name in needed]
        row = dict(self._pick(self.objects, names))
        if self.rng.random() < 0.6:
            row.update(self._pick(self.calls, names))
        return row

    def _pick(
        self, groups: Mapping[tuple[str, ...], list[dict[str, Any]]], names: list[str]
    ) -> Mapping[str, Any]:
        key = (id(groups), len(groups), *names)
        fits = self._fits.get(key)
        if fits is None:
            fits = self._fits[key] = {
                fields: sum(2 if n in fields else bool(meant(n, fields)) for n in names)
                for fields in groups
            }
        if not fits:
            return {}
        best = max(fits.values())
        choices = [f for f, fit in fits.items() if fit == best or self.rng.random() < 0.25]
        return self.rng.choice(groups[self.rng.choice(choices)])

    def value(
        self, name: str, part: Any, root: Mapping[str, Any], row: Mapping[str, Any]
    ) -> Any:
        """A value for a parameter; `row` is the object that references come from."""
        one = resolved(part, root)
        wanted, plain = kind(one), normal(name)
        if "enum" in one or "const" in one or wanted == "boolean":
            return drawn(one, root, self.rng)
        if wanted == "array":
            return self._list(name, one, root, row)
        if wanted == "object":
            return self._object(one, root, row)
        tries = [self._seen(plain, wanted, row), self._word(plain, one, wanted)]
        tries = [v for v in tries if v is not None and not [*misfits(v, one, root)]]
        if tries and self.rng.random() < 0.85:
            return tries[0]
        return drawn(one, root, self.rng)

    def _list(
        self, name: str, one: Mapping[str, Any], root: Mapping[str, Any], row: Mapping[str, Any]
    ) -> list[Any]:
        items = one.get("items", {})
        examples = [each for each in one.get("examples", ()) if isinstance(each, list)]
        if examples and self.rng.random() < 0.5:
            filled: list[Any] = self._filled(self.rng.choice(examples))
            return filled
        count = max(one.get("minItems", 0), self.rng.choice((1, 1, 2)))
        found: list[Any] = []
        for _ in range(min(count, one.get("maxItems", count))):
            item = self.value(name, items, root, row if not found else {})
            if item not in found or len(found) < one.get("minItems", 0):
                found.append(item)
        return found

    def _object(
        self, one: Mapping[str, Any], root: Mapping[str, Any], row: Mapping[str, Any]
    ) -> dict[str, Any]:
        examples = [each for each in one.get("examples", ()) if isinstance(each, dict)]
        parts = one.get("properties", {})
        if examples and (not parts or self.rng.random() < 0.5):
            return {k: self._filled(v) for k, v in self.rng.choice(examples).items()}
        if not parts and self.objects:  # free: fields of something that was seen
            seen = self.rng.choice([kept for kept in self.objects.values() if kept])
            names = [n for n in self.rng.choice(seen) if n not in ("id", "object")]
            return {n: self._sentence() for n in names[: self.rng.choice((1, 1, 2))]}
        needed = one.get("required", ())
        chance = self.rng.choice((0, 0.3, 0.7))
        return {
            name: self.value(name, part, root, row)
            for name, part in parts.items()
            if name in needed or self.rng.random() < chance
        }

    def _seen(self, plain: str, wanted: str, row: Mapping[str, Any]) -> Any:
        """From the row, from what the name was accepted with, from other rows."""
        if plain in QUERIES and wanted == "string" and self.rng.random() < 0.5:
            return self._known_word() if self.rng.random() < 0.7 else self.rng.choice("aeo")
        if plain in _COUNTS:
            return None
        chance = self.rng.random()
        if chance < 0.25:
            taken = [v for v in self.accepted.get(plain, ()) if _fits(v, wanted)]
            if taken:
                return self.rng.choice(taken)
        found = reference(plain, row, wanted, self.rng)
        if found is not None and chance < 0.8:
            return found
        pool = self._pool(plain, wanted)
        return self.rng.choice(pool) if pool and self.rng.random() < 0.6 else None

    def taken(self, plain: str, row: Mapping[str, Any], wanted: str) -> Any:
        """What a record says for a parameter, as far as its name is one of its fields."""
        return reference(plain, row, wanted, self.rng)

    def _word(self, plain: str, one: Mapping[str, Any], wanted: str) -> Any:
        """A word that the description offers, a filled example, a time."""
        if wanted not in ("string", ""):
            return None
        words = offered(one)
        if words and self.rng.random() < 0.8:
            return self.rng.choice(words)
        examples = [each for each in one.get("examples", ()) if isinstance(each, str)]
        if examples:
            return self._filled(self.rng.choice(examples))
        if "pattern" in one:
            form = re.compile(one["pattern"])
            fits = [v for v in self._named(one["pattern"]) if form.search(v)]
            return self.rng.choice(fits) if fits and self.rng.random() < 0.7 else None
        return times(plain, self.rng) if not one.get("format") else None

    def _filled(self, example: Any) -> Any:
        if isinstance(example, list):
            return [self._filled(part) for part in example]
        if isinstance(example, dict):
            return {name: self._filled(part) for name, part in example.items()}
        if isinstance(example, str) and "{}" in example:
            return example.replace("{}", self._known_word())
        return example

    def _known_word(self) -> str:
        """A word of a text that was seen."""
        self._all_texts()
        texts = self._worded
        if not texts:
            return "amber"
        return str(self.rng.choice(_WORD.findall(self.rng.choice(texts))))

    def _all_texts(self) -> list[str]:
        if not self._texts:
            self._texts = sorted({v for v in self.known() if isinstance(v, str)})
            self._worded = [text for text in self._texts if _WORD.search(text)]
        return self._texts

    def _named(self, pattern: str) -> list[str]:
        """Texts that were seen, and what resource names among them lie below: `projects/p`."""
        texts = self._all_texts()
        if "/" not in pattern:
            return texts
        parted = [text.split("/") for text in texts if "/" in text]
        heads = {"/".join(parts[:n]) for parts in parted for n in range(1, len(parts))}
        return [*texts, *sorted(heads)]

    def _sentence(self) -> str:
        return str(drawn({"type": "string"}, {}, self.rng))

    def _pool(self, name: str, wanted: str) -> list[Any]:
        found = self._pools.get((name, wanted))
        if found is None:
            found = self._pools[name, wanted] = self._gathered(name, wanted)
        return found

    def _gathered(self, name: str, wanted: str) -> list[Any]:
        return [
            value
            for kept in self.objects.values()
            for row in kept[:8]
            for value in [reference(name, row, wanted)]
            if value is not None
        ]


def required(tool: Tool) -> tuple[str, ...]:
    """The required parameters, as the schema names them."""
    return tuple(tool.input_schema.get("required", ()))


def reference(name: str, row: Mapping[str, Any], wanted: str, rng: Random | None = None) -> Any:
    """The value of an object's field that a parameter's name means: `ticketid` → `id`."""
    found = [row[f] for f in meant(name, row) if _fits(row[f], wanted)]
    if not found:
        return None
    if rng is None or rng.random() < 0.7:
        return found[0]
    return rng.choice(found)


def meant(name: str, row: Iterable[str]) -> tuple[str, ...]:
    """The fields that a parameter's name may mean, likeliest first."""
    return _meant(name, tuple(row))


@lru_cache(maxsize=1 << 16)
def _meant(name: str, row: tuple[str, ...]) -> tuple[str, ...]:
    known = set(row)
    stem = name.removesuffix("s").removesuffix("id").removesuffix("name")
    fields = [
        name,
        name.removesuffix("s"),
        stem,
        *sorted((f for f in known if len(f) > 1 and name.endswith(f)), key=lambda f: -len(f)),
    ]
    fields.append("id")
    return tuple(f for f in dict.fromkeys(fields) if f in known)


def _fits(value: Any, wanted: str) -> bool:
    if isinstance(value, bool):
        return False
    if wanted in ("integer", "number"):
        return isinstance(value, int) or (wanted == "number" and isinstance(value, float))
    return isinstance(value, str) if wanted == "string" else isinstance(value, SCALARS)
