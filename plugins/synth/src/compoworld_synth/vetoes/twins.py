"""Twins: a veto of records that a server may know under two names."""

from __future__ import annotations

from compoworld_synth.design import Veto
from compoworld_synth.naming import joined
from compoworld_synth.resources import Catalogue, Resource
from compoworld_synth.vetoes.case import Case


def two_names(case: Case) -> Veto | None:
    """A noun only read or only written, beside a longer or shorter one that has the rest."""
    whole = _whole(case.resource, case.catalogue)
    if whole is not None:
        return Veto("two_names", True, f"it is a {whole.name} of a {whole.name}")
    if case.resource.written and case.resource.read:
        return None
    for other in case.catalogue.ending(case.resource.noun[-1:]):
        if other is case.resource:
            continue
        longer, shorter = sorted(
            (joined(other.noun), joined(case.resource.noun)), key=len, reverse=True
        )
        if longer.endswith(shorter):
            apart = case.resource.read and other.read  # the server itself tells them apart
            apart = apart and not _beside(case.resource, other, case.catalogue)
            return Veto("two_names", not apart, f"perhaps the same as {other.name}")
    return None


def _whole(resource: Resource, catalogue: Catalogue) -> Resource | None:
    """`subtask` beside tasks: the same kind of record, which tools of tasks address too."""
    last = resource.noun[-1]
    if not last.startswith("sub") or len(last) < len("sub") + 3:
        return None
    found = catalogue.ending((last.removeprefix("sub").strip("_-"),))
    return next((one for one in found if one.keyed and one.written), None)


def _beside(resource: Resource, other: Resource, catalogue: Catalogue) -> bool:
    """`list_label_stories` beside stories: records that others make, seen from their labels."""
    whole = catalogue.find(resource.noun[: -len(other.noun)])
    only = not resource.keyed and not resource.written and other.written and other.keyed
    return only and whole is not None and resource.noun[-len(other.noun) :] == other.noun
