"""The four meta-tools: what an agent sees of an environment."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from compoworld_core.observation import Observation, brief, closest, refusal

if TYPE_CHECKING:
    from compoworld_core.environment import Environment

_SERVICE = {"type": "string", "description": "Name of a service, as list_services gives it."}
_TOOL = {"type": "string", "description": "Name of a tool, as list_tools gives it."}


def _schema(name: str, description: str, properties: dict[str, Any]) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


SCHEMAS: Final[list[dict[str, Any]]] = [
    _schema("list_services", "List the available services, with a summary of each.", {}),
    _schema("list_tools", "List the tools of one service.", {"service": _SERVICE}),
    _schema(
        "describe_tool",
        "Show what a tool does and the JSON Schema of its arguments.",
        {"service": _SERVICE, "tool": _TOOL},
    ),
    _schema(
        "call_tool",
        "Call a tool of a service and see its result.",
        {
            "service": _SERVICE,
            "tool": _TOOL,
            "arguments": {
                "type": "object",
                "description": "The tool's arguments, as describe_tool shows them.",
            },
        },
    ),
]
"""The meta-tools in the function-calling format that chat templates and endpoints take."""


class MetaTools:
    """`list_services`, `list_tools`, `describe_tool`, `call_tool` on one environment."""

    __slots__ = ("_environment",)

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    @staticmethod
    def schemas() -> list[dict[str, Any]]:
        """The four tools' schemas, as function-calling tools."""
        return deepcopy(SCHEMAS)

    def list_services(self) -> Observation:
        """Name, summary and number of tools of each service."""
        rows = [
            {"name": s.name, "summary": s.summary, "tools": len(s.tools)}
            for s in self._environment.services.values()
        ]
        return _result({"services": rows})

    def list_tools(self, service: str) -> Observation:
        """Name and first line of each tool of a service."""
        if wrong := _not_text(service=service):
            return wrong
        found = self._environment.services.get(service)
        if found is None:
            return self._no_service(service)
        rows = [{"name": t.name, "summary": t.summary} for t in found.tools.values()]
        return _result({"service": service, "tools": rows})

    def describe_tool(self, service: str, tool: str) -> Observation:
        """Description and argument schema of a tool."""
        if wrong := _not_text(service=service, tool=tool):
            return wrong
        found = self._environment.services.get(service)
        if found is None:
            return self._no_service(service)
        entry = found.tools.get(tool)
        if entry is None:
            near = closest(tool, list(found.tools))
            return refusal("not_found", f"{service} has no tool {brief(tool)!r}. {near}")
        return _result(
            {
                "service": service,
                "name": tool,
                "description": entry.description,
                "input_schema": entry.input_schema,
            }
        )

    def call_tool(
        self, service: str, tool: str, arguments: str | Mapping[str, Any] | None = None
    ) -> Observation:
        """Call a tool; `arguments` as a mapping or JSON text."""
        if not (type(service) is str and type(tool) is str) and (
            wrong := _not_text(service=service, tool=tool)
        ):
            return wrong
        given = "{}" if arguments is None else arguments
        return self._environment.call(f"{service}.{tool}", given)

    def dispatch(self, name: str, arguments: str | Mapping[str, Any]) -> Observation:
        """Run a meta-tool call as a model wrote it; what is wrong with it is an observation."""
        if wrong := _not_text(name=name):
            return wrong
        method = self._methods().get(name)
        if method is None:
            near = closest(name, list(self._methods()))
            return refusal("not_found", f"no tool {brief(name)!r}. {near}")
        values: Any = arguments
        if isinstance(arguments, str):
            try:
                values = json.loads(arguments or "{}", object_pairs_hook=unique)
            except DoubledKey as error:
                return refusal("invalid_argument", str(error))
            except (ValueError, RecursionError) as error:
                return refusal("invalid_argument", f"the arguments are not JSON: {error}")
        if not isinstance(values, Mapping):
            return refusal("invalid_argument", "the arguments must be a JSON object")
        wanted = _PARAMETERS[name]
        unknown = [brief(key) for key in values if key not in wanted][:_MOST_UNKNOWN]
        missing = [key for key in wanted if key not in values and key != "arguments"]
        if unknown or missing:
            lines = [f"{key}: unknown argument" for key in unknown]
            lines += [f"{key}: missing" for key in missing]
            takes = ", ".join(wanted) or "no arguments"
            return refusal("invalid_argument", "\n".join([*lines, f"{name} takes: {takes}"]))
        inner = values.get("arguments")
        if inner is not None and not isinstance(inner, str | Mapping):
            return refusal("invalid_argument", "arguments: must be an object")
        if isinstance(inner, str):
            try:
                json.loads(inner, object_pairs_hook=unique)
            except DoubledKey as error:
                return refusal("invalid_argument", str(error))
            except (ValueError, RecursionError):
                pass  # the environment says what is wrong with it
        return method(**values)

    def _methods(self) -> dict[str, Callable[..., Observation]]:
        return {
            "list_services": self.list_services,
            "list_tools": self.list_tools,
            "describe_tool": self.describe_tool,
            "call_tool": self.call_tool,
        }

    def _no_service(self, service: str) -> Observation:
        names = list(self._environment.services)
        return refusal("not_found", f"no service {brief(service)!r}. {closest(service, names)}")


class DoubledKey(ValueError):  # noqa: N818  # says what was found
    """A JSON object that has a key twice: which of the two was meant is not for us to guess."""


def unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON text, for `json.loads`; DoubledKey where a key is given twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        doubled = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise DoubledKey(f"{brief(doubled)}: given twice; give it once")
    return found


_MOST_UNKNOWN: Final = 8
"""Unknown arguments that an error names."""


_PARAMETERS: Final = {
    schema["function"]["name"]: tuple(schema["function"]["parameters"]["properties"])
    for schema in SCHEMAS
}


def _result(value: Any) -> Observation:
    # without `data`: it is read from the text, so nobody gets hold of a tool's own schema
    return Observation(json.dumps(value, ensure_ascii=False))


def _not_text(**names: object) -> Observation | None:
    """The refusal of the first name that is no text: a caller may write anything."""
    for what, name in names.items():
        if not isinstance(name, str):
            return refusal("invalid_argument", f"{what}: must be a string")
    return None
