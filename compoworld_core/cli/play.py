"""``compoworld play``: call tools of a composition by hand, see what each call changes."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from typing import Any

import click
from attrs import asdict

from compoworld_core.cli import output, playing
from compoworld_core.composition import compose
from compoworld_core.environment import Environment
from compoworld_core.errors import ServiceError, UsageError
from compoworld_core.registry import closest
from compoworld_core.service import Tool
from compoworld_core.simulation import Simulation

WORDS = ("describe", "diff", "help", "quit", "tools")
HELP = """\
service.tool key=value ...   call a tool; or give its arguments as JSON: service.tool {"key": 1}
tools [service]              list tools
describe service.tool        show a tool's arguments
diff                         everything that changed since the start
quit                         leave (or end of input)"""


@click.command()
@click.argument("services", nargs=-1, required=True)
@click.option("--seed", default=0, show_default=True, help="Draws the world.")
@click.option("--scale", default=200, show_default=True, help="About how many records each.")
@playing.simulated
@output.json_option
def play(
    services: tuple[str, ...],
    seed: int,
    scale: int,
    simulator: str,
    simulator_options: dict[str, Any],
    simulate: tuple[str, ...],
    as_json: bool,
) -> None:
    """Call tools of SERVICES at a prompt, or from lines on standard input.

    Each line is `service.tool key=value ...` or `service.tool {"key": 1}`. With --json, one
    JSON document a call is written.
    """
    simulation = Simulation(simulator, simulator_options, simulate)
    environment = simulation.applied(compose(*services, seed=seed, scale=scale))
    start = environment.fork()
    if not as_json:
        count = len(environment.tools())
        output.note(
            f"{', '.join(environment.services)}: {output.counted(count, 'tool')}. Type help."
        )
    for line in _lines(environment):
        if line in ("quit", "exit"):
            break
        try:
            answer(environment, start, line, as_json=as_json)
        except (UsageError, ServiceError) as error:
            output.error(str(error))


def answer(environment: Environment, start: Environment, line: str, *, as_json: bool) -> None:
    """Do what one line asks and write the result."""
    word, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    if word == "help":
        output.line(HELP)
    elif word == "diff":
        _changes(start, environment)
    elif word == "tools":
        names = [
            name for name in environment.tools() if not rest or name.startswith(f"{rest}.")
        ]
        for name in names:
            output.line(f"{name}  {environment.tools()[name].summary}")
    elif word == "describe":
        tool = _tool(environment, rest)
        output.line(tool.description)
        output.line(json.dumps(tool.input_schema, indent=2, ensure_ascii=False))
    else:
        _call(environment, word, rest, as_json)


def arguments_of(tool: Tool, text: str) -> dict[str, Any]:
    """Arguments as typed by a person: a JSON object, or `key=value` words.

    A value is text where the parameter takes only text, and otherwise JSON if it reads as such.
    """
    if text.startswith("{"):
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"the arguments are not JSON: {error}") from error
        return dict(given)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"cannot read the arguments: {error}; close the quotes") from error
    found: dict[str, Any] = {}
    properties = tool.input_schema.get("properties", {})
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise UsageError(
                f"{word!r} is not key=value; {tool.full_name} takes: {', '.join(properties)}"
            )
        found[key] = _value(value, properties.get(key, {}))
    return found


def candidates(environment: Environment, before: str, word: str) -> list[str]:
    """What may complete a word, given the line before it."""
    tools = environment.tools()
    first = before.split()
    if not first or first[0] == "describe":
        options = [*tools, *(() if first else WORDS)]
    elif first[0] == "tools":
        options = list(environment.services)
    elif first[0] in tools:
        given = {each.partition("=")[0] for each in first[1:]}
        properties = tools[first[0]].input_schema.get("properties", {})
        options = [f"{name}=" for name in properties if name not in given]
    else:
        options = []
    return sorted(option for option in options if option.startswith(word))


def _call(environment: Environment, name: str, text: str, as_json: bool) -> None:
    arguments = arguments_of(_tool(environment, name), text)
    before = environment.fork()
    observation = environment.call(name, arguments)
    changes = before.diff(environment)
    if as_json:
        record = {
            "tool": name,
            "arguments": arguments,
            "is_error": observation.is_error,
            "text": observation.text,
            "changes": [asdict(change) for change in changes],
        }
        output.line(json.dumps(record, ensure_ascii=False, sort_keys=True, default=str))
        return
    output.line(_pretty(observation.text) if not observation.is_error else observation.text)
    for change in changes:
        output.line(f"~ {change}")


def _changes(before: Environment, after: Environment) -> None:
    changes = before.diff(after)
    for change in changes:
        output.line(f"~ {change}")
    if not changes:
        output.line("nothing changed")


def _tool(environment: Environment, name: str) -> Tool:
    tools = environment.tools()
    if name not in tools:
        near = closest(name, tools) or closest(name, WORDS)
        hint = f"Closest: {', '.join(near)}" if near else "Type: tools"
        raise UsageError(f"no tool is called {name!r}. {hint}")
    return tools[name]


def _value(text: str, schema: dict[str, Any]) -> Any:
    options = schema.get("anyOf", [schema])
    if options and all(option.get("type") == "string" for option in options):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _pretty(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text


def _lines(environment: Environment) -> Iterator[str]:
    """Lines from the prompt with completion, or from a pipe, echoed."""
    if not sys.stdin.isatty():
        for line in sys.stdin:
            if line.strip() and not line.lstrip().startswith("#"):
                yield line.strip()
        return
    _prepare_completion(environment)
    while True:
        try:
            line = input("> ").strip()
        except EOFError:
            return
        if line:
            yield line


def _prepare_completion(environment: Environment) -> None:
    try:
        import readline  # not on every platform; the prompt works without
    except ImportError:
        return

    def complete(word: str, index: int) -> str | None:
        before = readline.get_line_buffer()[: readline.get_begidx()]
        found = candidates(environment, before, word)
        if index >= len(found):
            return None
        return found[index] if found[index].endswith("=") else f"{found[index]} "

    readline.set_completer_delims(" \t\n")
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
