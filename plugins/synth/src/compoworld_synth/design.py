"""The design of a service: what the analysis found out and the emitter writes down.

Plain frozen data between :func:`analyse` (rules over a listing) and the emission. Nothing here
decides anything; each judgement is already made and carries its evidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from attrs import frozen

if TYPE_CHECKING:
    from compoworld_synth.listing import Listing, ToolSpec
    from compoworld_synth.schemas import Param

Kind = Literal[
    "get",
    "current_get",
    "get_by",
    "get_or_list",
    "copy",
    "part_get",
    "part_update",
    "batch_update",
    "list",
    "search",
    "count",
    "create",
    "upload",
    "batch_create",
    "update",
    "current_update",
    "upsert",
    "transition",
    "delete",
    "batch_get",
    "batch_delete",
    "link_add",
    "link_remove",
    "link_list",
    "permissions",
    "simulated",
]
"""What an operation does to its entity.

* `get`: one record by its id (`id` role), not_found without; `get_or_list`: the list where the
  id is absent. `part_get`, `part_update`: the part that each record of `owner` has one of, by
  the key of its owner.
* `current_get`, `current_update`: the one record of a singleton.
* `get_by`: the record whose field has the value; `copy`: a new record like another.
* `list`, `search`, `count`: records that hold all given filters (and the query, if any).
* `create`, `upload`: a new record; `batch_create`: one for each item of the `items` parameter.
* `update`: given fields replaced (`replaces`: the absent ones go back to their defaults).
* `upsert`: update where the id is known, else create.
* `transition`: the constants of `sets` are written, given fields besides.
* `permissions`: those of the asked ones that the caller has, who owns all that is there.
* `delete`; `batch_get`, `batch_update`, `batch_delete` take a list of ids (`ids` role).
* `link_*`: membership rows between the two entities of `link`; `link_list` lists the records of
  `entity` that are linked with the one that the `id` role (of the other side) names.
"""

Role = Literal[
    "id",
    "ids",
    "ref",
    "refs",
    "field",
    "filter",
    "query",
    "limit",
    "cursor",
    "offset",
    "page",
    "sort",
    "order",
    "projection",
    "control",
    "confirm",
    "bag",
    "items",
    "alias",
    "refused",
    "mask",
    "token",
    "above",
    "tail",
    "select",
    "slim",
    "part",
    "hidden",
    "fixed",
    "trial",
    "unpaged",
]
"""What a parameter is to its operation.

* `id`: the key of the record; `ids`: several of them; `ref`: the key of another entity, written
  (create, update) or filtered by (list); `refs`: a list of such keys.
* `field`: a written value; `filter`: a compared value (`comparison` says how).
* `refused`: a filter in a language of its own, which a list does without: a call that gives it
  is an error.
* `mask`: the names of the fields that an update may write; those that it names and the call
  does not give are emptied. `token`: a second create with the same one makes nothing new.
* `above`: the resource name below which a new one lies; `tail`: the last part of its own.
* `alias`: another key of the record that a `ref` or the `id` names, in the entity's `field`.
* `select`: the names of the fields to be shown; `slim`: without it only the first few are.
  `part`: the field (or the child records) of that name are shown only with it. `hidden`:
  records whose flag `field` is set are left out without it (comparison `ne`: with it).
  `unpaged`: with it (a flag, or the value `all`) every row is shown at once.
  `fixed`: another value than `field` is refused: the answer has one form.
* `control` is accepted and changes nothing that anybody could see; nothing with a `projection`
  is believed, since it would change the answer. With `confirm` false or absent nothing is done,
  with `trial` true (or absent, where that is its default) neither.
  `bag`: an object whose keys are fields of the entity. `items`: a list of
  objects, each a record.
"""

Comparison = Literal["eq", "ne", "in", "ge", "gt", "le", "lt", "contains", "prefix", "below"]

FieldSource = Literal["written", "filter", "output", "described", "archetype"]
"""What says that a field exists; `described`: the text of a tool that shows such records."""

FieldType = Literal["str", "int", "float", "bool", "datetime", "date", "list", "object", "json"]

Grade = Literal["A", "B", "none"]


@frozen
class Veto:
    """A named reason to doubt: a hard one simulates the operation, a soft one costs grade A."""

    name: str
    hard: bool
    why: str


@frozen
class FieldDesign:
    """A field of an entity."""

    name: str
    """Identifier in the code: snake_case, allow-listed."""
    shown: str
    """The spelling that results show: the server's own."""
    type: FieldType
    item: FieldType = "str"
    """Type of the items, where the type is `list`."""
    semantic: str | None = None
    """A `compoworld_core.types.Kind`, where one is sure."""
    ref: str | None = None
    """Name of the entity whose key this is (each item's, for a list)."""
    required: bool = False
    """Every create must give it."""
    nullable: bool = True
    enum: tuple[Any, ...] = ()
    default: Any = None
    minimum: float | None = None
    maximum: float | None = None
    pattern: str | None = None
    invented: bool = False
    """No parameter and no output of the server says that it exists."""
    source: FieldSource = "written"
    description: str = ""
    unique: bool = False
    """Each record has its own value, by which a call may name it."""
    parts: tuple[FieldDesign, ...] = ()
    """What each thing holds that a nested object or list consists of."""
    several: bool = False
    """It holds a list of such things."""


IdForm = Literal[
    "prefixed", "digits", "number", "uuid", "hex24", "hex32", "code", "natural", "path"
]
"""How keys look: `prefixed` is opaque (`tsk_…`), `number` an int, `digits` a string of digits,
`path` is a resource name (`projects/p/topics/t`, of `id_patterns`),
`natural` a name that the creator chooses (the create's `id` parameter gives it)."""


@frozen
class EntityDesign:
    """A kind of record that the service holds."""

    name: str
    """Singular, snake_case."""
    class_name: str
    table: str
    """Plural, snake_case; the name of the table in the state."""
    key: str
    """Name of the field that holds the key."""
    key_shown: str
    id_form: IdForm = "prefixed"
    id_type: Literal["str", "int"] = "str"
    id_patterns: tuple[str, ...] = ()
    """The patterns of keys that are resource names."""
    parents: tuple[str, ...] = ()
    """Entities whose key the record carries as a required reference."""
    fields: tuple[FieldDesign, ...] = ()
    """Without the key."""
    singleton: bool = False
    hub: bool = False
    """Held as a read-only copy that the world's shared facts fill, under the same ids."""
    children: tuple[tuple[str, str, str], ...] = ()
    """(property, entity, its field) of records that a reader shows with the one they are of."""

    @property
    def by_name(self) -> dict[str, FieldDesign]:
        """The fields by their name."""
        return {item.name: item for item in self.fields}


@frozen
class LinkDesign:
    """Membership between two entities: a table of pairs."""

    name: str
    """Singular, snake_case: `task_tag`."""
    class_name: str
    table: str
    left: str
    """Entity that owns the members: a task's tags."""
    right: str
    left_field: str
    """`task_id`."""
    right_field: str
    fields: tuple[FieldDesign, ...] = ()
    """What a pair says besides (a role)."""


@frozen
class ParamDesign:
    """A parameter with its role."""

    param: Param
    role: Role
    field: str | None = None
    """Name of the field that it writes or is compared with; the link's field in link kinds."""
    ref: str | None = None
    """Name of the entity whose key it takes."""
    comparison: Comparison = "eq"
    why: str = ""
    place: bool = False
    """It says where a record lies: a change compares it and does not write it."""
    also: tuple[str, ...] = ()
    """Other fields that tell the record apart and that a call may give in place of the key;
    `url` ends in the key, `me` is the caller."""


@frozen
class OperationDesign:
    """One thing that a tool does: most tools are one, a tool with an action enum is several."""

    action: Any | None
    """The value of the tool's action parameter that asks for it; None for a tool of one."""
    verb: str
    kind: Kind
    entity: str | None
    params: tuple[ParamDesign, ...] = ()
    action_param: str | None = None
    """Name of the parameter that chooses among the tool's operations."""
    sets: tuple[tuple[str, Any], ...] = ()
    """Constants that a transition writes: field, value (`"@now"`: the clock)."""
    link: str | None = None
    owner: str | None = None
    """Entity whose records have this one as a part each."""
    replaces: bool = False
    """An update after the manner of PUT."""
    shape: tuple[str, str] = ("", "")
    """Properties that hold a list's rows and the token of its next page; empty if unsaid."""
    evidence: tuple[str, ...] = ()
    vetoes: tuple[Veto, ...] = ()
    grade: Grade = "none"

    @property
    def deterministic(self) -> bool:
        """Whether it is believed, and no veto forbids it."""
        return self.kind != "simulated" and self.grade in ("A", "B")

    def of(self, *roles: Role) -> tuple[ParamDesign, ...]:
        """The parameters of these roles, in order."""
        return tuple(item for item in self.params if item.role in roles)


@frozen
class ToolDesign:
    """A tool of the listing and what its operations are."""

    spec: ToolSpec
    function: str
    """Identifier of the function: snake_case, unique in the service."""
    operations: tuple[OperationDesign, ...]
    kind: Literal["deterministic", "simulated"]
    """Deterministic only if all its operations are."""
    why: str
    """One sentence: the evidence, or the first reason against."""
    grade: Grade = "none"


@frozen
class Design:
    """A service: 10 to 40 tools over their entities, cut from a listing."""

    service: str
    """Identifier, snake_case."""
    domain: str
    tools: tuple[ToolDesign, ...]
    entities: tuple[EntityDesign, ...]
    links: tuple[LinkDesign, ...] = ()
    hubs: tuple[str, ...] = ()
    """Names of the entities here that are read-only copies, the same in every piece."""

    @property
    def by_entity(self) -> dict[str, EntityDesign]:
        """The entities by their name."""
        return {item.name: item for item in self.entities}


def analyse(listing: Listing) -> tuple[Design, ...]:
    """The designs of a listing, cut into services of 10 to 40 tools.

    Judged by rules alone, from the tools' names, schemas and descriptions; the server's own
    name decides nothing but the services' names.
    """
    from compoworld_synth.analysis import designs

    return designs(listing)
