"""Values: escaped literals, safe identifiers and the annotations of fields and parameters."""

from __future__ import annotations

import keyword
import re
from typing import Any, Final

from compoworld_synth.design import Design, FieldDesign, ParamDesign

SEMANTIC: Final = {
    "person": "types.PersonName",
    "email": "types.Email",
    "phone": "types.Phone",
    "company": "types.Company",
    "currency": "types.Currency",
    "url": "types.Url",
    "file_name": "types.FileName",
    "text": "types.Text",
    "title": "types.Title",
    "status": "types.Status",
    "tag": "types.Tag",
    "country": "types.Country",
    "code": "types.Code",
}
"""Kind of meaning → the alias for text of that kind. Addresses are kept as plain `str` types
where a server takes any text."""

PLAIN: Final = {
    "str": "str",
    "int": "int",
    "float": "types.Number",
    "num": "types.Number",
    "bool": "bool",
    "datetime": "types.DateTime",
    "date": "types.Date",
    "json": "types.Json",
    "object": "types.Json",
    "list": "types.Json",
}

TAKEN: Final = frozenset(
    [
        "state",
        "ctx",
        "service",
        "kit",
        "ORIGINAL",
        "models",
        "types",
        "schema",
        "copy",
        "json",
        "dict",
        "construct",
        "validate",
        "ledger",
        "journal",
        "table",
        "tables",
        "fork",
        "freeze",
        "digest",
        "changes",
        "self",
        "str",
        "int",
        "bool",
        "tuple",
        "len",
        "key",
        "row",
        "rows",
        "Ref",
        "IntRef",
        "Annotated",
        "Literal",
        "Any",
        "Context",
        "Simulated",
    ]
)


LOCALS: Final = frozenset({
    "ctx", "service", "kit", "key", "row", "rows", "changes", "left", "right", "owner", "pairs",
    "item", "link",
})  # fmt: skip
"""Names that only functions use: parameters must not be called so, fields may."""


def literal(value: Any) -> str:
    """A Python literal of a JSON value; lone surrogates become question marks."""
    if isinstance(value, str):
        return repr(value.encode("utf-8", "replace").decode())
    if isinstance(value, list | tuple):
        inner = ", ".join(literal(item) for item in value)
        return f"({inner}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    return repr(value)


def identifier(name: str) -> str:
    """An identifier of ASCII letters, digits and `_` that shadows nothing."""
    plain = re.sub(r"[^0-9a-zA-Z_]+", "_", name).strip("_") or "field"
    plain = plain if not plain[0].isdigit() else f"n_{plain}"
    taken = keyword.iskeyword(plain) or plain in TAKEN or plain in LOCALS
    return f"{plain}_" if taken or plain.startswith("model_") else plain


def attribute(item: FieldDesign) -> str:
    """The attribute that holds a field: the server's spelling where that is an identifier."""
    plain = identifier(item.shown or item.name)
    bare = plain.removesuffix("_")
    free = bare if bare in LOCALS or bare == "state" else plain
    return f"{free}_" if free == "id" else free


def field_type(item: FieldDesign, design: Design) -> str:
    """The annotation of an entity's field.

    An invented one means nothing: generators of tasks build on fields by what they mean.
    """
    if item.invented:
        return "types.Json"
    if item.type == "list":
        inner = _inner(item.item, item, design)
        return "types.Json" if inner == "types.Json" else f"tuple[{inner}, ...]"
    return _inner(item.type, item, design)


def _inner(kind: str, item: FieldDesign, design: Design) -> str:
    target = design.by_entity.get(item.ref or "")
    if target is not None and kind in ("str", "int", "float"):
        return f'{"IntRef" if target.id_type == "int" else "Ref"}["{target.class_name}"]'
    if kind == "str" and item.semantic in SEMANTIC and item.semantic != "email":
        return SEMANTIC[item.semantic]
    if kind == "str" and item.semantic == "email":
        return 'Annotated[str, types.Meaning("email")]'
    if kind in ("int", "float") and item.semantic == "money":
        return "types.Money"
    if kind == "int" and item.semantic == "cents":
        return "types.Cents"
    return PLAIN[kind]


def parameter_type(item: ParamDesign, design: Design, field: FieldDesign | None) -> str:
    """The annotation of a top-level parameter."""
    param = item.param
    if param.numeric:
        return "types.Json"
    if param.enum and all(isinstance(value, str) for value in param.enum):
        return f"Literal[{', '.join(literal(value) for value in param.enum)}]"
    target = design.by_entity.get(item.ref or "")
    if target is not None and param.kind in ("str", "int", "num"):
        return f'{"IntRef" if target.id_type == "int" else "Ref"}["{target.class_name}"]'
    if param.kind == "arr":
        kind = param.items.kind if param.items else "any"
        return f"tuple[{PLAIN[kind]}, ...]" if kind in ("str", "int", "bool") else "types.Json"
    if param.kind in ("str", "int", "num", "bool") and field is not None:
        if field.type != "list":
            return field_type(field, design)
        return PLAIN.get(param.kind, "types.Json")
    return PLAIN.get(param.kind, "types.Json")
