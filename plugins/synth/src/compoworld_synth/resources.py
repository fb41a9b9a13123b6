"""Resources: the entities of a server, their keys, their parents and which words name them.

Found over all tools before any role is given, since roles depend on the resources.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from attrs import define, field

from compoworld_synth import merging
from compoworld_synth.keys import key_stem, near_key, own_key
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import joined, singular, words
from compoworld_synth.operations import Operation
from compoworld_synth.scopes import option_names, scope_names

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

WRITES: Final = frozenset(
    {"create", "update", "delete", "upload", "upsert", "transition", "send"}
)
_ONE: Final = frozenset({"get", "update", "delete", "transition"})
READS: Final = frozenset({"get", "list", "search", "count"})
_PEOPLE: Final = word_set(
    "assignee owner author creator reporter sender recipient requester lead manager member"
    " assigned approver reviewer responder agent follower"
)


@define
class Resource:
    """A kind of record: its noun and what is known of it."""

    name: str
    noun: tuple[str, ...]
    groups: Counter[str] = field(factory=Counter)
    """Operations by the class of their verb."""
    keys: Counter[str] = field(factory=Counter)
    """Names of the parameters that took its key."""
    operations: list[Operation] = field(factory=list)
    natural: bool = False
    """Its key is a name that the creator chooses."""

    @property
    def keyed(self) -> bool:
        """Whether some operation addresses one record."""
        return bool(self.keys)

    @property
    def written(self) -> bool:
        """Whether some operation changes it."""
        return any(self.groups[group] for group in WRITES)

    @property
    def read(self) -> bool:
        """Whether some operation reads it."""
        return any(self.groups[group] for group in READS)


@define
class Catalogue:
    """The resources of a server and the parameters that scope all its tools."""

    resources: dict[str, Resource] = field(factory=dict)
    """By the joined spelling of the noun."""
    scope: frozenset[str] = frozenset()
    """Parameters of most tools (workspace, owner, repo): stored and filtered, never a key."""
    operations: tuple[Operation, ...] = ()
    """All that the server does, in its order."""
    options: frozenset[str] = frozenset()
    """Of a REST source: what its DELETEs take in the query: options of any call."""
    pairs: dict[str, Any] = field(factory=dict)
    """Memberships by name (`kinds.plan.Pair`): which operations join and part what."""
    _by_last: dict[str, list[Resource]] = field(factory=dict)

    def index(self) -> None:
        """Note the resources by their last word."""
        self._by_last = {}
        for item in self.resources.values():
            self._by_last.setdefault(joined(item.noun[-1:]), []).append(item)

    def named(self, name: str) -> Resource | None:
        """The resource of this name."""
        return next((each for each in self.resources.values() if each.name == name), None)

    def find(self, noun: Sequence[str]) -> Resource | None:
        """The resource of exactly this noun."""
        return self.resources.get(joined(noun)) if noun else None

    def ending(self, noun: Sequence[str]) -> list[Resource]:
        """The resources whose noun ends with these words."""
        if not noun:
            return []
        wanted = joined(noun)
        near = self._by_last.get(joined(noun[-1:]), [])
        return [item for item in near if joined(item.noun).endswith(wanted)]

    def referred(
        self, param: Param, near: Resource | None = None, inside: Sequence[str] = ()
    ) -> Resource | None:
        """The resource whose key the parameter takes, if its name says so.

        Args:
            near: what a bare `id` is the key of.
            inside: the noun that the operation is about: of a received email's attachment
                the `email_id` is the received email's.
        """
        stem = key_stem(param)
        if stem is None:
            return self._called(param)
        if not stem or stem == ("parent",):
            return near
        for cut in range(len(inside) - 1, len(stem), -1):
            whole = self.find(inside[:cut])
            if whole is not None and joined(inside[:cut]).endswith(joined(stem)):
                return whole
        if len(stem) > 1 and stem[-1:] == tuple(inside[-1:]) and stem[0] in _ANOTHER:
            return self.find(inside)
        if stem[-1] == "public" and len(stem) > 1 and self.find(stem) is None:
            stem = stem[:-1]  # `story_public_id`: the key of a story that people see
        exact = self.find(stem)
        if exact is not None:
            return exact
        if near is not None and len(near.noun) > 1:
            family = self.find((*near.noun[:-1], *stem)) or self.find((near.noun[0], *stem))
            if family is not None:
                return family
        several = [item for item in self.ending(stem) if item.keyed]
        if len(several) == 1:
            return several[0]
        if stem[-1] in _PEOPLE:
            return self.find(("user",)) or self.find(("member",))
        return self.find(stem[-1:]) if len(stem) > 1 and self.find(stem[-1:]) else None

    def _called(self, param: Param) -> Resource | None:
        """`customer`, "the ID of the customer": the resource that it is called after."""
        if (
            param.kind not in ("str", "int")
            or param.enum
            or not _BY_ID.search(param.description)
        ):
            return None
        found = self.find(tuple(singular(word) for word in words(param.name)))
        return found if found is not None and (found.keyed or found.read) else None


_ANOTHER: Final = word_set("reply parent previous original duplicate replied quoted")
"""First words of a reference from a record to another one of its kind."""
_BY_ID: Final = re.compile(r"\b(IDs?|identifiers?|GUID|UUID)\b")


def build(operations: Sequence[Operation]) -> Catalogue:
    """The catalogue of a server: nouns with a plain verb, merged where one thing has two."""
    catalogue = Catalogue(
        scope=scope_names(operations),
        operations=tuple(operations),
        options=option_names(operations),
    )
    for item in operations:
        phrase = item.phrase
        if not phrase.noun or phrase.group in ("", "compute", "assign", "unassign"):
            continue
        name = joined(phrase.noun)
        resource = catalogue.resources.get(name)
        if resource is None:
            resource = Resource("_".join(phrase.noun), phrase.noun)
            catalogue.resources[name] = resource
        resource.operations.append(item)
        key = own_key(item, phrase.noun, catalogue.scope)
        if key is not None and phrase.group in ("get", "update", "delete", "transition"):
            resource.keys[key.name] += 1
    catalogue.index()
    _give_fields(catalogue)
    merging.merge(catalogue)
    _count(catalogue)
    return catalogue


def _give_fields(catalogue: Catalogue) -> None:
    """Move `update_order_status(order_id, status)` to the order: it writes a field of it."""
    for name in sorted(catalogue.resources):
        resource = catalogue.resources[name]
        for item in list(resource.operations):
            whole = _whole(catalogue, item) if item.phrase.group == "update" else None
            kept = {each.phrase.group for each in resource.operations} - {"update"}
            if whole is None or kept & {"get", "list", "create", "delete"}:
                continue  # what is also read or made by itself is no field
            resource.operations.remove(item)
            whole.operations.append(item)
            item.notes.append(f"{'_'.join(item.phrase.noun)} is a field of the {whole.name}")
        if not resource.operations:
            del catalogue.resources[name]
    catalogue.index()


def _whole(catalogue: Catalogue, item: Operation) -> Resource | None:
    """The resource that the front of the noun names, where the rest names a parameter."""
    noun = item.phrase.noun
    for cut in range(1, len(noun)):
        whole = catalogue.find(noun[:cut])
        if whole is None or own_key(item, noun[:cut], catalogue.scope) is None:
            continue
        for param in item.params:
            if joined(words(param.name)) in (joined(noun[cut:]), joined(noun)):
                return whole
            if param.name.lower() in (f"new_{'_'.join(noun[cut:])}",):
                return whole
    return None


def _count(catalogue: Catalogue) -> None:
    """Count verbs and settle whether keys are natural names."""
    nouns = [resource.noun for resource in catalogue.resources.values()]
    for resource in catalogue.resources.values():
        listed = any(_lists(each) for each in resource.operations)
        for item in resource.operations:
            item.resource = resource.name
            resource.groups[item.phrase.group] += 1
            item.own = own_key(item, resource.noun, catalogue.scope)
            _contain(item, resource, catalogue)
            one = item.phrase.group in _ONE and not item.phrase.plural
            if item.own is None and one and listed:
                item.own = near_key(item, nouns)
                if item.own is not None:
                    resource.keys[item.own.name] += 1
            if item.own is None and item.phrase.group in (
                "get",
                "update",
                "delete",
                "transition",
            ):
                item.own = _foreign_key(item, catalogue)
                if item.own is not None:
                    item.notes.append(f"{item.own.name} names nothing else of the server")
        if not resource.keyed:
            _name_key(resource)
        elif all(_is_name(key, resource) for key in resource.keys):
            resource.natural = True


def _is_name(key: str, resource: Resource) -> bool:
    """`snapshot-name` of a snapshot: who makes one chooses it."""
    spoken = words(key)
    return spoken[-1] == "name" and joined(spoken[:-1]) in (
        joined(resource.noun), joined(resource.noun[-1:])
    )  # fmt: skip


def _contain(item: Operation, resource: Resource, catalogue: Catalogue) -> None:
    """A bare `id` of `db-cluster-get-user(id, name)` is the cluster's; the user has a name."""
    noun = item.phrase.noun
    bare = next((p for p in item.params if p.required and p.name.lower() == "id"), None)
    if bare is None or len(noun) < 2 or item.spec.rest is not None:
        return
    if item.phrase.position != "middle":
        return
    wholes = [catalogue.find(noun[:start]) for start in range(len(noun) - 1, 0, -1)]
    whole = next((one for one in wholes if one is not None and one is not resource), None)
    if whole is None or "id" not in {key.lower() for key in whole.keys}:
        return
    item.container = whole.name
    rest = {joined(noun[len(whole.noun) :]), joined(noun[-1:])}
    others = [p for p in item.params if p.required and p is not bare and p.kind == "str"]
    named = [p for p in others if p.name.lower() == "name" or joined(words(p.name)) in rest]
    addressed = item.phrase.group in ("get", "update", "delete", "transition")
    item.own = named[0] if addressed and len(named) == 1 else None
    resource.keys = Counter({k: n for k, n in resource.keys.items() if k.lower() != "id"})
    if item.own is not None:
        resource.keys[item.own.name] += 1
        resource.natural = True


def _lists(item: Operation) -> bool:
    """Whether it shows several records of its noun."""
    return item.phrase.group in ("list", "search") or (
        item.phrase.group == "get" and item.phrase.plural
    )


def _foreign_key(item: Operation, catalogue: Catalogue) -> Param | None:
    """The only required key whose name fits no entity: `pin_message(post_id)`."""
    if item.phrase.plural or item.spec.rest is not None:
        return None
    stems = [(param, key_stem(param)) for param in item.params if param.required]
    found = [
        param
        for param, stem in stems
        if stem
        and param.kind != "arr"
        and param.name not in catalogue.scope
        and catalogue.referred(param) is None
        and not any(
            joined(stem[:1]) == joined(one.noun[:1]) for one in _others(catalogue, item)
        )
    ]
    return found[0] if len(found) == 1 else None


def _others(catalogue: Catalogue, item: Operation) -> list[Resource]:
    return [one for one in catalogue.resources.values() if one.name != item.resource]


def _name_key(resource: Resource) -> None:
    """Take `name` for the key where get or delete know no other and create demands one."""
    for item in resource.operations:
        if item.phrase.group not in ("get", "delete", "update") or item.phrase.plural:
            continue
        for param in item.params:
            if param.required and param.name.lower() == "name" and param.kind == "str":
                resource.keys[param.name] += 1
                resource.natural = True
    if resource.natural:
        for item in resource.operations:
            named = [p for p in item.params if p.required and p.name.lower() == "name"]
            if named and item.phrase.group in ("get", "delete", "update", "transition"):
                item.own = named[0]
