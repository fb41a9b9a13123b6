"""Case: what a veto is asked about: one operation, the plan for it and all around it."""

from __future__ import annotations

from attrs import frozen

from compoworld_synth.design import ParamDesign
from compoworld_synth.kinds.plan import Plan
from compoworld_synth.operations import Operation
from compoworld_synth.resources import Catalogue, Resource


@frozen(eq=False)
class Case:
    """One operation with the plan for it."""

    item: Operation
    plan: Plan
    params: tuple[ParamDesign, ...]
    resource: Resource
    catalogue: Catalogue

    @property
    def by_path(self) -> bool:
        """Do a REST path and response schemas say what it does, so that no name is read?"""
        return self.item.spec.rest is not None
