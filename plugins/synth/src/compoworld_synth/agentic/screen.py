"""Screen: what a service has no use for, found in what a model wrote, before it is kept.

The sandbox is what protects the host; this is a second look at text that a person will install.
It is an allow-list of imports and a deny-list of names, and reads no intention.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

_MODULES: Final = frozenset(
    {
        "__future__", "base64", "bisect", "calendar", "collections", "copy", "datetime",
        "decimal", "enum", "fnmatch", "fractions", "functools", "hashlib", "heapq", "html",
        "itertools", "json", "math", "operator", "re", "statistics", "string", "textwrap",
        "types", "typing", "unicodedata", "urllib.parse", "zoneinfo", "attrs", "pydantic",
        "pytest",
    }
)  # fmt: skip
_OF_THE_CORE: Final = frozenset(
    {
        "context", "draws", "errors", "facts", "observation", "resources", "schema", "service",
        "state", "table", "testing", "types",
    }
)  # fmt: skip
"""Modules of `compoworld_core` that a service or its tests may import."""
_RUNTIME: Final = "compoworld_synth.runtime"
"""What emitted services call."""
_NAMES: Final = frozenset(
    {
        "breakpoint", "builtins", "compile", "ctypes", "delattr", "eval", "exec", "getattr",
        "globals", "importlib", "input", "locals", "memoryview", "open", "os", "Path",
        "pathlib", "pickle", "setattr", "shutil", "socket", "subprocess", "sys", "threading",
        "vars", "__import__", "__builtins__", "__loader__", "__spec__",
    }
)  # fmt: skip
_DUNDERS: Final = frozenset(
    {"__name__", "__package__", "__doc__", "__all__", "__version__", "__init__"}
)


def problems(name: str, content: bytes, package: str, before: bytes = b"") -> list[str]:
    """What in a file is not for a service, one line each; empty where nothing is.

    Args:
        name: the file's path, for messages.
        content: Python source; anything else is a problem.
        package: the service's own package, which may be imported.
        before: the file as its author had it: what stands there stays, but what its imports
            give to the rest of the file is for the old statements alone.
    """
    try:
        tree = ast.parse(content.decode("utf-8"))
        old = {ast.dump(each) for each in ast.parse(before).body}
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return [f"{name}: no Python: {error}"]
    kept = [each for each in tree.body if ast.dump(each) in old]
    held = frozenset(bound for each in kept for bound in _smuggled(each, package))
    new = (each for each in tree.body if ast.dump(each) not in old)
    found = (problem for each in new for problem in _found(each, package, held))
    return [f"{name}:{line}: {why}" for line, why in sorted(found)]


def _smuggled(statement: ast.stmt, package: str) -> Iterator[str]:
    """The names that an import binds which a model may not write itself."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        for alias in statement.names:
            single = ast.copy_location(_with(statement, alias), statement)
            if any(_found(single, package, frozenset())):
                yield alias.asname or alias.name.partition(".")[0]


def _with(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.stmt:
    """The import of one of its names alone."""
    if isinstance(statement, ast.Import):
        return ast.Import([alias])
    return ast.ImportFrom(statement.module, [alias], statement.level)


def _found(root: ast.AST, package: str, held: frozenset[str]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(root):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if not _importable(alias.name, package):
                    yield node.lineno, f"imports {alias.name}"
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, why) for why in _from(node, package))
        elif isinstance(node, ast.Name) and (_banned(node.id) or node.id in held):
            yield node.lineno, f"uses {node.id}"
        elif isinstance(node, ast.Attribute) and _banned(node.attr):
            yield node.lineno, f"uses .{node.attr}"
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            # Entities are frozen, so this can only change what judges the service.
            if not (isinstance(node.value, ast.Name) and node.value.id == "self"):
                yield node.lineno, f"assigns to .{node.attr}"
        elif isinstance(node, ast.arg) and node.arg == "monkeypatch":
            yield node.lineno, "uses monkeypatch"


def _from(node: ast.ImportFrom, package: str) -> Iterator[str]:
    """What is wrong with `from MODULE import NAMES`."""
    if node.level > 1:
        yield "imports from above its package"
    module = node.module or ""
    named = node.level == 0 and module in ("compoworld_core", "compoworld_synth")
    if node.level == 0 and not named and not _importable(module, package):
        yield f"imports from {module}"
    for alias in node.names:
        whole = f"{module}.{alias.name}"
        if alias.name in _NAMES or alias.name == "*":
            yield f"imports {alias.name}"
        elif named and whole != _RUNTIME and not _of_the_core(whole):
            yield f"imports {whole}"


def _importable(module: str, package: str) -> bool:
    first, _, rest = module.partition(".")
    if first == "compoworld_core":
        return not rest or rest.partition(".")[0] in _OF_THE_CORE
    own = first == package or module in (_RUNTIME, "collections.abc")
    return own or module in _MODULES


def _of_the_core(whole: str) -> bool:
    """Public names begin with a capital letter, but for one; modules are of the list."""
    first, _, name = whole.partition(".")
    known = name[:1].isupper() or name in _OF_THE_CORE or name == "compose"
    return first == "compoworld_core" and known


def _banned(name: str) -> bool:
    dunder = name.startswith("__") and name.endswith("__") and name not in _DUNDERS
    return dunder or name in _NAMES
