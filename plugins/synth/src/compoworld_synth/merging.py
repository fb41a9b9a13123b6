"""Merging: one kind of record that a server knows under two names, put together.

`list_project_tasks` beside `get_task`: the parent's name in front of, or inside, the child's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compoworld_synth.naming import joined, words

if TYPE_CHECKING:
    from compoworld_synth.operations import Operation
    from compoworld_synth.resources import Catalogue, Resource


def merge(catalogue: Catalogue) -> None:
    """Move operations of `parent_child` to `child` where they address the same records."""
    for name in sorted(catalogue.resources, key=lambda text: (-len(text), text)):
        resource = catalogue.resources[name]
        if len(resource.noun) < 2:
            continue
        target = _shorter(catalogue, resource) or _around(catalogue, resource)
        if target is None:
            continue
        for item in resource.operations:
            item.notes.append(f"{resource.name} is the {target.name} of a parent")
            target.operations.append(item)
        target.keys.update(resource.keys)
        del catalogue.resources[name]
    catalogue.index()


def _shorter(catalogue: Catalogue, resource: Resource) -> Resource | None:
    """The resource that this one is a longer name of, if the parameters prove it."""
    for start in range(1, len(resource.noun)):
        target = catalogue.find(resource.noun[start:])
        parent = catalogue.find(resource.noun[:start])
        if target is None or target is resource or not target.keyed:
            continue
        same = {joined(words(key)) for key in target.keys} & {
            joined(words(key)) for key in resource.keys
        }
        bare = {joined(words(key)) for key in resource.keys} <= {"id", "gid", "key", "sid"}
        if resource.keyed and same and not bare:
            if _told_apart(resource, target):
                continue
            return target
        if resource.keyed or parent is None or not parent.keyed:
            continue
        takes = all(
            any(catalogue.referred(param) is parent for param in item.params if param.required)
            for item in resource.operations
        )
        known = any(
            catalogue.referred(param) is parent
            for item in target.operations
            for param in item.params
            if item.phrase.group in ("create", "list", "search", "update")
        )
        plain = all(
            item.phrase.group in ("list", "create", "search", "get")
            for item in resource.operations
        )
        if takes and known and plain:
            return target
    return None


def _around(catalogue: Catalogue, resource: Resource) -> Resource | None:
    """The resource with the parent's name inside: `jira_issue_watcher`, a `jira_watcher`.

    Only where one tool makes what the other lists, both of the same parent.
    """
    noun = resource.noun
    for start in range(1, len(noun) - 1):
        for end in range(start + 1, len(noun)):
            parent = catalogue.find(noun[:end])
            target = catalogue.find((*noun[:start], *noun[end:]))
            if parent is None or target is None or target is resource or resource.keyed:
                continue
            listed = all(_does(one, ("list", "search")) for one in resource.operations)
            made = any(
                catalogue.referred(param) is parent
                for one in target.operations
                for param in one.params
                if one.phrase.group in ("create", "list")
            )
            seen = all(
                any(catalogue.referred(p) is parent for p in one.params if p.required)
                for one in resource.operations
            )
            if listed and made and seen:
                return target
    return None


def _told_apart(resource: Resource, target: Resource) -> bool:
    """Whether the server makes and shows records of either name, with the same arguments.

    `create_series_timer` and `create_timer`, `list_series_timers` and `list_timers` are about
    two kinds of thing, though both have a `timer_id`; `create_project_task(project_id)` is not.
    """
    shows = ("list", "search")
    for each in (resource, target):
        if not any(_does(one, shows) for one in each.operations):
            return False  # `get_card_item` beside `list_items`: cards are items too
    both = 0
    for groups in (("create",), shows, ("get",), ("update",), ("delete",)):
        mine = [one for one in resource.operations if _does(one, groups)]
        theirs = [one for one in target.operations if _does(one, groups)]
        alike = any(
            {p.name for p in one.params if p.required}
            == {p.name for p in other.params if p.required}
            for one in mine
            for other in theirs
        )
        both += alike
    return both > 1


def _does(item: Operation, groups: tuple[str, ...]) -> bool:
    several = item.phrase.group == "get" and item.phrase.plural
    return ("list" if several else item.phrase.group) in groups
