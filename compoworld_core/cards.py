"""Cards: what each installed service is, known without importing it.

A pack ships a generated ``cards.json`` in its top-level package. A service without a card is
described once, in a child process, and remembered by distribution version under the user's
cache folder. Cards are attrs classes read by hand, since ``compoworld services list`` must not
pay for importing a validation library.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from compoworld_core.cache import cache_folder, remember
from compoworld_core.errors import PluginError, RecordError
from compoworld_core.registry import Entry, Registry, resolve

if TYPE_CHECKING:
    from compoworld_core.service import Service

SCHEMA = "compoworld/cards@1"
FILE = "cards.json"
KINDS = ("deterministic", "simulated", "quarantined")


@frozen
class ToolCard:
    """One tool in a service's card."""

    name: str
    kind: str
    summary: str
    read_only: bool


@frozen
class Card:
    """What is known of a service without importing it."""

    name: str
    domain: str
    summary: str
    tools: tuple[ToolCard, ...]
    digest: str
    """Of all tool descriptions and schemas: a changed tool makes a stale card visible."""

    def count(self, kind: str) -> int:
        """How many tools are of a kind."""
        return sum(tool.kind == kind for tool in self.tools)

    def as_json(self) -> dict[str, Any]:
        """The card as ``cards.json`` holds it."""
        tools = [
            {"kind": t.kind, "name": t.name, "read_only": t.read_only, "summary": t.summary}
            for t in self.tools
        ]
        return {
            "digest": self.digest,
            "domain": self.domain,
            "name": self.name,
            "summary": self.summary,
            "tools": tools,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Card:
        """Read a card; missing or mistyped keys raise KeyError or TypeError."""
        tools = tuple(
            ToolCard(t["name"], t["kind"], t["summary"], t["read_only"]) for t in data["tools"]
        )
        return cls(data["name"], data["domain"], data["summary"], tools, data["digest"])


@frozen
class Listed:
    """A service's card with the distribution that it comes from."""

    card: Card
    distribution: str


@frozen
class Unlisted:
    """A service that could not be described."""

    service: str
    why: str


def card_of(service: Service[Any]) -> Card:
    """Describe a loaded service."""
    described = [tool_record(tool) for tool in service.tools.values()]
    text = json.dumps(described, sort_keys=True, ensure_ascii=False)
    tools = tuple(
        ToolCard(tool.name, tool.kind, tool.summary, tool.read_only)
        for tool in service.tools.values()
    )
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    return Card(service.name, service.domain, service.summary, tools, digest)


def tool_record(tool: Any) -> dict[str, Any]:
    """A tool as ``compoworld services show --json`` gives it."""
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.input_schema,
        "output_schema": tool.output_schema,
        "annotations": tool.annotations,
        "kind": tool.kind,
    }


def all_cards(registry: Registry) -> tuple[list[Listed], list[Unlisted]]:
    """The cards of all registered services, sorted by name, and those that have none."""
    listed: list[Listed] = []
    unlisted: list[Unlisted] = []
    shipped: dict[str, dict[str, Card]] = {}
    strangers: dict[str, list[Entry]] = {}
    for entry in registry.entries():
        target = entry.target
        if not isinstance(target, str):
            listed.append(Listed(card_of(checked(target, entry.name)), entry.distribution))
            continue
        package = target.partition(":")[0].partition(".")[0]
        if package not in shipped:
            shipped[package] = shipped_cards(package)
        card = shipped[package].get(entry.name)
        if card is not None:
            listed.append(Listed(card, entry.distribution))
        else:
            strangers.setdefault(package, []).append(entry)
    for package, entries in strangers.items():
        cards, problems = _described(package, entries)
        listed += cards
        unlisted += problems
    unlisted += [Unlisted(name, str(error)) for name, error in registry.clashes.items()]
    return (
        sorted(listed, key=lambda each: each.card.name),
        sorted(unlisted, key=lambda each: each.service),
    )


def folder_of(package: str) -> Path | None:
    """The folder of an importable top-level package, found without importing it."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    places = spec.submodule_search_locations if spec is not None else None
    return Path(next(iter(places))) if places else None


def shipped_cards(package: str) -> dict[str, Card]:
    """The cards in a package's ``cards.json``; empty where it ships none."""
    folder = folder_of(package)
    path = folder / FILE if folder is not None else None
    return read(path) if path is not None and path.is_file() else {}


def read(path: Path) -> dict[str, Card]:
    """Read a file of cards, by service name."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            raise RecordError(
                f"{path} has schema {data['schema']!r}; this version reads {SCHEMA}"
            )
        cards = [Card.from_json(each) for each in data["cards"]]
    except (ValueError, KeyError, TypeError) as error:
        raise RecordError(
            f"{path} is not a file of cards ({type(error).__name__}: {error}); "
            "write it anew: compoworld services cards"
        ) from error
    return {card.name: card for card in cards}


def text_of(cards: Sequence[Card]) -> str:
    """The text of ``cards.json`` for some cards."""
    ordered = [card.as_json() for card in sorted(cards, key=lambda each: each.name)]
    data = {"cards": ordered, "schema": SCHEMA}
    return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def checked(target: object, name: str) -> Service[Any]:
    """What is registered under a name, if it is a service of that name."""
    from compoworld_core.service import Service  # a listing of carded services needs no models

    if not isinstance(target, Service):
        raise PluginError(f"service {name!r} is registered with a {type(target).__name__}")
    if target.name != name:
        raise PluginError(
            f"service {target.name!r} is registered as {name!r}; give both the same name"
        )
    return target


def _described(package: str, entries: list[Entry]) -> tuple[list[Listed], list[Unlisted]]:
    """Describe services of one package that ship no card: from the cache, or in a child."""
    distributions = {entry.name: entry.distribution for entry in entries}
    path = cache_folder("cards") / f"{package}-{_fingerprint(package, entries)}.json"
    if path.is_file():
        try:
            known = read(path)
        except RecordError:  # a torn or older cache entry: describe anew, below
            known = {}
        if known.keys() == distributions.keys():
            return [Listed(card, distributions[name]) for name, card in known.items()], []
    described = _child(entries)
    cards = {
        name: Card.from_json(data["card"]) for name, data in described.items() if "card" in data
    }
    problems = [
        Unlisted(name, data["why"]) for name, data in described.items() if "card" not in data
    ]
    if not problems:
        remember(path, text_of(list(cards.values())))
    return [Listed(card, distributions[name]) for name, card in cards.items()], problems


def _child(entries: list[Entry]) -> dict[str, Any]:
    """Import services in a child process and return ``{name: {"card"} or {"why"}}``."""
    request = json.dumps({entry.name: [entry.target, entry.distribution] for entry in entries})
    command = [sys.executable, "-c", "from compoworld_core.cards import serve; serve()"]
    done = subprocess.run(  # noqa: S603  # our own interpreter and a constant program
        command, input=request, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        why = f"describing it in a child process failed (exit {done.returncode}): {last}"
        return {entry.name: {"why": why} for entry in entries}
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def serve() -> None:
    """Run in a child process: read names and targets, write what each service is."""
    stdout, sys.stdout = (
        sys.stdout,
        sys.stderr,
    )  # a service that prints must not spoil the answer
    answer: dict[str, Any] = {}
    for name, (target, distribution) in json.load(sys.stdin).items():
        try:
            service = resolve(target, f"service {name!r}", distribution)
            answer[name] = {"card": card_of(checked(service, name)).as_json()}
        except Exception as error:  # a stranger's service may raise anything
            answer[name] = {"why": str(error) or type(error).__name__}
    json.dump(answer, stdout)


def _fingerprint(package: str, entries: list[Entry]) -> str:
    """What a description depends on: versions, targets, the package's newest source."""
    versions = sorted({(e.distribution, _version(e.distribution)) for e in entries})
    targets = sorted((e.name, str(e.target)) for e in entries)
    folder = folder_of(package)
    sources = sorted(folder.rglob("*.py")) if folder is not None else []
    newest = max((source.stat().st_mtime_ns for source in sources), default=0)
    text = json.dumps([SCHEMA, versions, targets, len(sources), newest])
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution) if distribution else ""
    except importlib.metadata.PackageNotFoundError:
        return ""
