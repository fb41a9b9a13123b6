"""Makes the reference pages from the code: `make reference` writes them, tests compare them."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from compoworld_core import hookspecs, plugins
from compoworld_core.cli import cli

HERE = Path(__file__).parent / "reference"
MADE = "<!-- made from the code by `make reference`; a change here is lost -->\n"

CODES = (
    "Exit codes: 0 done; 1 the work's answer is no (a check failed, a task did not verify);"
    " 2 wrong usage; 130 interrupted."
)

SETTINGS = {
    "Both trainers": "compoworld_trainer_grpo.settings:Settings",
    "`sft`": "compoworld_trainer_grpo.settings:SftSettings",
    "`grpo`": "compoworld_trainer_grpo.settings:GrpoSettings",
    "`lora.…`": "compoworld_trainer_grpo.settings:Lora",
    "`launch.…`": "compoworld_trainer_grpo.settings:Launch",
    "`tiny.…`": "compoworld_trainer_grpo.settings:Tiny",
    "`size.…`": "compoworld_trainer_grpo.settings:Size",
    "The policy `local`": "compoworld_trainer_grpo.local:Options",
}
"""Title → class."""

TERMS = {
    "action": "compoworld_core.service:Tool",
    "affordances": "compoworld_tasks_walk.affordances:Affordances",
    "base": "compoworld_core.table:Base",
    "candidate": "compoworld_core.proof.case:Candidate",
    "card": "compoworld_core.cards:Card",
    "cast": "compoworld_core.cast:Cast",
    "catalogue": "compoworld_tasks_walk.catalogue:Catalogue",
    "certificate": "compoworld_core.records:Certificate",
    "change": "compoworld_core.state:Change",
    "check": "compoworld_core.records:Check",
    "composition": "compoworld_core.composition:compose",
    "conformance suite": "compoworld_core.testing:check_service",
    "context": "compoworld_core.context:Context",
    "criterion": "compoworld_core.records:Criterion",
    "dependency graph": "compoworld_core.graph:DependencyGraph",
    "entity": "compoworld_core.state:Entity",
    "environment": "compoworld_core.environment:Environment",
    "executor": "compoworld_core.protocols:Executor",
    "expectation": "compoworld_core.plan:Expect",
    "finding": "compoworld_core.records:Finding",
    "forms": "compoworld_core.types:Forms",
    "gate": "compoworld_core.records:Gate",
    "ledger": "compoworld_core.state:Ledger",
    "meaning": "compoworld_core.types:Meaning",
    "observation": "compoworld_core.observation:Observation",
    "plan": "compoworld_core.plan:Plan",
    "policy": "compoworld_core.protocols:Policy",
    "probe": "compoworld_core.records:Probe",
    "reference (to a record)": "compoworld_core.types:RefTo",
    "rejection": "compoworld_core.generation:Rejection",
    "reward": "compoworld_core.protocols:Reward",
    "run": "compoworld_core.run:Run",
    "s0": "compoworld_core.records:StartState",
    "service": "compoworld_core.service:Service",
    "simulator": "compoworld_core.protocols:Simulator",
    "span": "compoworld_core.records:Span",
    "state": "compoworld_core.state:State",
    "step": "compoworld_core.plan:Step",
    "table": "compoworld_core.table:Table",
    "task": "compoworld_core.records:Task",
    "task generator": "compoworld_core.protocols:TaskGenerator",
    "trainer": "compoworld_core.protocols:Trainer",
    "trajectory": "compoworld_core.records:Trajectory",
    "verdict": "compoworld_core.records:Verdict",
    "verifier": "compoworld_core.protocols:Verifier",
    "walk": "compoworld_core.graph:random_walk",
    "world": "compoworld_core.world:World",
    "world (of a certificate)": "compoworld_core.records:World",
}
"""Term → the object whose docstring explains it."""

RECORDS = (
    "Task", "DependencyGraph", "StartState", "Criterion", "Target", "Check", "Gate", "Allowed",
    "NewRows", "Plan", "Step", "Argument", "Fact", "Span", "Certificate", "Probe", "World",
    "Trajectory", "Message", "ToolCall", "Verdict", "Finding",
)  # fmt: skip
"""What task and trajectory files are made of."""

HOMES = ("records", "plan", "graph")
"""The modules of the core that define them."""


# -- the command line ----------------------------------------------------------------------


def commands(
    group: click.Group = cli, path: tuple[str, ...] = ("compoworld",)
) -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name, the core's before its subcommands."""
    context = click.Context(group, info_name=path[-1])
    yield " ".join(path), group
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, f"{path} lists {name} and does not have it"
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


def cli_page() -> str:
    """The page of all commands."""
    parts = [
        "# The command line\n",
        MADE,
        "Every command takes `--help`.",
        CODES,
    ]
    for name, command in commands():
        parts.append(f"\n## {name}\n")
        parts.append(inspect.cleandoc(command.help or "").replace("\b\n", ""))
        context = click.Context(command, info_name=name)
        usage = " ".join(command.collect_usage_pieces(context))
        parts.append(f"\n```text\n{name} {usage}\n```\n")
        rows = [row for p in command.params if (row := _parameter(p, context))]
        if rows:
            parts += ["| option | default | what it does |", "|---|---|---|", *rows]
    return "\n".join(parts) + "\n"


def _parameter(parameter: click.Parameter, context: click.Context) -> str:
    if not isinstance(parameter, click.Option):
        return ""
    names = ", ".join((*parameter.opts, *parameter.secondary_opts))
    if not parameter.is_flag:
        names = f"{names} {parameter.make_metavar(context)}"
    default = parameter.get_default(context, call=False)
    shown = str(default) if parameter.show_default and default is not None else ""
    if parameter.required:
        shown = "required"
    if parameter.is_flag:
        shown = ""
    return f"| `{_cell(names)}` | {shown} | {_cell(parameter.help or '')} |"


def _cell(text: str) -> str:
    """Text as a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


# -- hooks ---------------------------------------------------------------------------------


def hooks() -> dict[str, Any]:
    """Name → hookspec, in the order of the source."""
    marked = f"{hookspecs.PROJECT}_spec"
    return {name: f for name, f in vars(hookspecs).items() if hasattr(f, marked)}


def signature_of(name: str, function: Any) -> str:
    """A hook as it is implemented: its name and arguments."""
    return f"{name}({', '.join(inspect.signature(function).parameters)})"


def hooks_page() -> str:
    """The page of all hooks."""
    intro = inspect.cleandoc(hookspecs.__doc__ or "")
    parts = ["# Hooks\n", MADE, intro + "\n"]
    parts += ["| hook | adds | see them with | what it is for |", "|---|---|---|---|"]
    for name, function in hooks().items():
        kind, listing = plugins.KINDS.get(name, ("", ""))
        text = " ".join(inspect.cleandoc(function.__doc__ or "").split())
        seen = f"`{listing}`" if listing else ""
        parts.append(f"| `{signature_of(name, function)}` | {kind} | {seen} | {text} |")
    protocols = importlib.import_module("compoworld_core.protocols")
    parts.append("\n## What the targets look like\n")
    parts.append(inspect.cleandoc(protocols.__doc__ or "") + "\n")
    for name, protocol in vars(protocols).items():
        if not getattr(protocol, "_is_protocol", False) or name == "Protocol":
            continue
        parts.append(f"### {name}\n\n{inspect.cleandoc(protocol.__doc__ or '')}\n")
        for attribute, function in vars(protocol).items():
            told = inspect.isfunction(function) and function.__doc__
            if told and (attribute == "__call__" or not attribute.startswith("_")):
                plain = str(inspect.signature(function)).replace("'", "")
                parts.append(f"```python\ndef {attribute}{plain}\n```\n")
                parts.append(inspect.cleandoc(told) + "\n")
    return "\n".join(parts).rstrip() + "\n"


# -- glossary, records ---------------------------------------------------------------------


def first_sentence(place: str) -> str:
    """The first paragraph of an object's docstring, on one line."""
    module, _, attribute = place.partition(":")
    found = getattr(importlib.import_module(module), attribute)
    text = inspect.cleandoc(found.__doc__ or "")
    assert text, f"{place} has no docstring to explain its term"
    return " ".join(text.partition("\n\n")[0].split())


def glossary_page() -> str:
    """The page of terms."""
    parts = ["# Glossary\n", MADE]
    for term, place in TERMS.items():
        where = place.replace(":", ".")
        parts.append(f"{term}\n: {first_sentence(place)} (`{where}`)\n")
    return "\n".join(parts).rstrip() + "\n"


def records_page() -> str:
    """The page of what task and trajectory files hold."""
    found: dict[str, ast.ClassDef] = {}
    for home in HOMES:
        module = importlib.import_module(f"compoworld_core.{home}")
        for node in ast.parse(inspect.getsource(module)).body:
            if isinstance(node, ast.ClassDef):
                found[node.name] = node
    parts = ["# Records\n", MADE]
    parts.append("The keys of the lines of `tasks.jsonl` and `trajectories.jsonl`.\n")
    for name in RECORDS:
        node = found[name]
        parts.append(f"## {name}\n\n{' '.join((ast.get_docstring(node) or '').split())}\n")
        parts += ["| key | type | what it holds |", "|---|---|---|"]
        parts += [f"| `{key}` | `{kind}` | {text} |" for key, kind, text in _fields(node)]
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, str, str]]:
    """(key, type, docstring below it) of each field of a record."""
    for place, item in enumerate(node.body):
        if not isinstance(item, ast.AnnAssign) or not isinstance(item.target, ast.Name):
            continue
        after = node.body[place + 1] if place + 1 < len(node.body) else None
        text = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            text = _cell(str(after.value.value))
        key = item.target.id.rstrip("_") if item.target.id == "schema_" else item.target.id
        yield key, _cell(ast.unparse(item.annotation)), text


def settings_page() -> str:
    """The page of what trainers, and the policy that plays their models, are told."""
    parts = ["# Settings of training\n", MADE]
    parts.append(
        "Given by dotted names (`--set launch.offload=all`), in the tables `all`, `sft` and"
        " `grpo` of a file (`--config`), and by presets; `compoworld train … --dry-run` shows"
        " what comes out.\nThose of the policy `local` are `--option NAME=VALUE` of"
        " `compoworld eval` and `compoworld rollouts run`.\n"
    )
    choices = dict(_choices("compoworld_trainer_grpo.settings"))
    for title, place in SETTINGS.items():
        home, _, name = place.partition(":")
        source = ast.parse(inspect.getsource(importlib.import_module(home)))
        node = next(n for n in source.body if isinstance(n, ast.ClassDef) and n.name == name)
        parts.append(f"## {title}\n\n{' '.join((ast.get_docstring(node) or '').split())}\n")
        parts += ["| name | type | default | what it is |", "|---|---|---|---|"]
        defaults = {
            item.target.id: _default(item.value)
            for item in node.body
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
        }
        for key, kind, text in _fields(node):
            words = choices.get(kind.rpartition(".")[2], kind)
            parts.append(f"| `{key}` | `{words}` | {defaults[key]} | {text} |")
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def _choices(module: str) -> Iterator[tuple[str, str]]:
    """Names that a module gives to sets of words, and the words."""
    for item in ast.parse(inspect.getsource(importlib.import_module(module))).body:
        if isinstance(item, ast.Assign) and ast.unparse(item.value).startswith("Literal["):
            (name,) = item.targets
            yield ast.unparse(name), _cell(ast.unparse(item.value))


def _default(value: ast.expr | None) -> str:
    """A field's default as it is written; empty where one must be given."""
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "Field":
        given = {each.arg: each.value for each in value.keywords}
        if "default_factory" in given:
            return f"`{ast.unparse(given['default_factory'])}()`"
        value = given.get("default")
    return "" if value is None else f"`{_cell(ast.unparse(value))}`"


PAGES = {
    "cli.md": cli_page,
    "glossary.md": glossary_page,
    "hooks.md": hooks_page,
    "records.md": records_page,
    "settings.md": settings_page,
}
"""File name → what makes its text."""


if __name__ == "__main__":
    for file, make in PAGES.items():
        path, text = HERE / file, make()
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path} written\n")
