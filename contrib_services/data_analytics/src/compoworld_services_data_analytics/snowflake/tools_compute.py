"""Compute tools: warehouses, and tasks that run statements on a schedule."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field

from compoworld_core import UNSET, Context, Forms, Ref
from compoworld_core.context import HEX
from compoworld_core.resources import Page, check, given, paginate, require
from compoworld_core.types import StaffEmail, Text, Title
from compoworld_services_data_analytics.snowflake import access, run, statement
from compoworld_services_data_analytics.snowflake.app import service
from compoworld_services_data_analytics.snowflake.state import (
    Job,
    Size,
    SnowflakeState,
    Warehouse,
)

Limit = Annotated[int, Field(ge=1, le=100)]
Seconds = Annotated[int, Field(ge=0, le=604_800)]
Minutes = Annotated[int, Field(ge=1, le=11_520)]
Definition = Annotated[
    str, Forms(**{"tasks.definition": "UPDATE customers SET notes = '' WHERE company = '{}'"})
]


@service.tool(read_only=True)
def list_warehouses(
    state: SnowflakeState,
    size: Size | None = None,
    warehouse_state: Literal["STARTED", "SUSPENDED"] | None = None,
    limit: Limit = 20,
    cursor: str | None = None,
) -> Page[Warehouse]:
    """List warehouses.

    Args:
        size: only those of this size.
        warehouse_state: only those that run, or that are suspended.
    """
    wanted = {"size": size, "state": warehouse_state}
    rows = state.warehouses.where(**{k: v for k, v in wanted.items() if v is not None})
    return paginate(rows, limit, cursor)


@service.tool
def create_warehouse(
    state: SnowflakeState,
    ctx: Context,
    warehouse_name: Title,
    size: Size = "X-SMALL",
    auto_suspend: Seconds = 600,
    auto_resume: bool = True,
    comment: Text = "",
) -> Warehouse:
    """Make a warehouse, started; needs role SYSADMIN.

    Args:
        warehouse_name: its name; anything but letters, digits and _ becomes _.
        auto_suspend: seconds of idle time after which it stops; 0 means never.
        auto_resume: whether a query starts it again.
    """
    access.require_role(state, ctx, "SYSADMIN", "ACCOUNTADMIN")
    name = re.sub(r"[^A-Z0-9_]+", "_", warehouse_name.upper()).strip("_")[:60]
    check(bool(name), "invalid_argument", "the name has no letter or digit")
    check(name not in state.warehouses, "conflict", f"warehouse {name} already exists")
    return state.warehouses.insert(
        Warehouse(
            id=name,
            size=size,
            auto_suspend=auto_suspend,
            auto_resume=auto_resume,
            comment=comment,
            owner="SYSADMIN",
            created_at=ctx.now,
        )
    )


@service.tool(idempotent=True)
def alter_warehouse(
    state: SnowflakeState,
    ctx: Context,
    warehouse_name: Ref[Warehouse],
    size: Size = UNSET,
    auto_suspend: Seconds = UNSET,
    auto_resume: bool = UNSET,
    comment: Text = UNSET,
) -> Warehouse:
    """Change a warehouse; what is not given stays. Needs role SYSADMIN."""
    access.require_role(state, ctx, "SYSADMIN", "ACCOUNTADMIN")
    require(state.warehouses, warehouse_name, "warehouse")
    changes = given(
        size=size, auto_suspend=auto_suspend, auto_resume=auto_resume, comment=comment
    )
    check(bool(changes), "invalid_argument", "name a property to change")
    return state.warehouses.update(warehouse_name, **changes)


@service.tool
def suspend_warehouse(
    state: SnowflakeState, ctx: Context, warehouse_name: Ref[Warehouse]
) -> Warehouse:
    """Stop a running warehouse; needs role SYSADMIN."""
    return _switch(state, ctx, warehouse_name, "STARTED", "SUSPENDED")


@service.tool
def resume_warehouse(
    state: SnowflakeState, ctx: Context, warehouse_name: Ref[Warehouse]
) -> Warehouse:
    """Start a suspended warehouse; needs role SYSADMIN."""
    return _switch(state, ctx, warehouse_name, "SUSPENDED", "STARTED")


def _switch(state: SnowflakeState, ctx: Context, name: str, old: str, new: str) -> Warehouse:
    access.require_role(state, ctx, "SYSADMIN", "ACCOUNTADMIN")
    warehouse = require(state.warehouses, name, "warehouse")
    check(
        warehouse.state == old,
        "failed_precondition",
        f"warehouse {name} is {warehouse.state.lower()} already",
    )
    return state.warehouses.update(warehouse.id, state=new)


@service.tool(read_only=True)
def list_tasks(
    state: SnowflakeState,
    warehouse: Ref[Warehouse] | None = None,
    task_state: Literal["started", "suspended"] | None = None,
    contact: StaffEmail | None = None,
    name: Title | None = None,
    limit: Limit = 20,
    cursor: str | None = None,
) -> Page[Job]:
    """List tasks.

    Args:
        warehouse: only those that run on it.
        task_state: only started or suspended ones.
        contact: only those with this contact address.
        name: only the task of this name.
    """
    wanted = {"warehouse": warehouse, "state": task_state, "contact": contact, "name": name}
    rows = state.tasks.where(**{k: v for k, v in wanted.items() if v is not None})
    return paginate(rows, limit, cursor)


@service.tool
def create_task(
    state: SnowflakeState,
    ctx: Context,
    name: Title,
    warehouse: Ref[Warehouse],
    definition: Definition,
    interval_minutes: Minutes = 1440,
    contact: StaffEmail | None = None,
    comment: Text = "",
) -> Job:
    """Make a task; it is suspended until resume_task.

    Args:
        name: its name, not used by another task.
        warehouse: where it runs.
        definition: the statement that it runs: SELECT, INSERT, UPDATE or DELETE.
        interval_minutes: minutes between two runs.
        contact: who hears of failures.
        comment: what it is for.
    """
    access.me(state, ctx)
    check(
        bool(name.strip()) and len(name) <= 255, "invalid_argument", "name: 1 to 255 characters"
    )
    check(state.tasks.first(name=name) is None, "conflict", f"a task {name!r} already exists")
    require(state.warehouses, warehouse, "warehouse")
    _check_definition(definition)
    return state.tasks.insert(
        Job(
            id=ctx.new_id(length=20, alphabet=HEX),
            name=name,
            warehouse=warehouse,
            interval_minutes=interval_minutes,
            definition=definition,
            contact=contact,
            comment=comment,
            created_at=ctx.now,
        )
    )


@service.tool(idempotent=True)
def alter_task(
    state: SnowflakeState,
    ctx: Context,
    task_id: Ref[Job],
    warehouse: Ref[Warehouse] = UNSET,
    definition: Definition = UNSET,
    interval_minutes: Minutes = UNSET,
    contact: StaffEmail | None = UNSET,
    comment: Text = UNSET,
) -> Job:
    """Change a suspended task; what is not given stays."""
    access.me(state, ctx)
    task = require(state.tasks, task_id, "task")
    check(
        task.state == "suspended",
        "failed_precondition",
        f"task {task.name!r} is started; suspend it with suspend_task first",
    )
    changes = given(
        warehouse=warehouse,
        definition=definition,
        interval_minutes=interval_minutes,
        contact=contact,
        comment=comment,
    )
    check(bool(changes), "invalid_argument", "name a property to change")
    if "warehouse" in changes:
        require(state.warehouses, warehouse, "warehouse")
    if "definition" in changes:
        _check_definition(definition)
    return state.tasks.update(task.id, **changes)


@service.tool
def resume_task(state: SnowflakeState, ctx: Context, task_id: Ref[Job]) -> Job:
    """Start the schedule of a suspended task."""
    return _schedule(state, ctx, task_id, "suspended", "started")


@service.tool
def suspend_task(state: SnowflakeState, ctx: Context, task_id: Ref[Job]) -> Job:
    """Stop the schedule of a started task."""
    return _schedule(state, ctx, task_id, "started", "suspended")


def _schedule(state: SnowflakeState, ctx: Context, key: str, old: str, new: str) -> Job:
    access.me(state, ctx)
    task = require(state.tasks, key, "task")
    check(
        task.state == old, "failed_precondition", f"task {task.name!r} is {task.state} already"
    )
    return state.tasks.update(task.id, state=new)


@service.tool(destructive=True)
def execute_task(state: SnowflakeState, ctx: Context, task_id: Ref[Job]) -> Job:
    """Run a task's statement now, started or not; its warehouse must run."""
    user = access.me(state, ctx)
    task = require(state.tasks, task_id, "task")
    warehouse = state.warehouses[task.warehouse]
    check(
        warehouse.state == "STARTED" or warehouse.auto_resume,
        "failed_precondition",
        f"warehouse {warehouse.id} is suspended; resume it with resume_warehouse",
    )
    if statement.parse(task.definition).verb in statement.READS:
        rows = len(run.query(state, ctx, task.definition).rows)
        outcome = f"{rows} rows read"
    else:
        result, _ = run.change(state, ctx, task.definition, user)
        outcome = f"{result.affected} rows affected"
    return state.tasks.update(task.id, last_run_at=ctx.now, last_result=outcome)


def _check_definition(definition: str) -> None:
    verb = statement.parse(definition).verb
    check(
        verb in statement.READS | statement.WRITES,
        "invalid_argument",
        "a task runs one SELECT, INSERT, UPDATE or DELETE statement",
    )
