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
        "context", "errors", "facts", "observation", "resources", "schema", "service", "state",
        "table", "testing", "types",
    }
)  # fmt: skip
"""Modules of `compoworld_core` that a service or its tests may import."""
_NAMES: Final = frozenset(
    {
        "breakpoint", "builtins", "compile", "ctypes", "delattr", "eval", "exec", "getattr",
        "globals", "importlib", "input", "locals", "memoryview", "open", "os", "pathlib",
        "pickle", "setattr", "shutil", "socket", "subprocess", "sys", "threading", "vars",
        "__import__", "__builtins__", "__loader__", "__spec__",
    }
)  # fmt: skip
_DUNDERS: Final = frozenset({"__name__", "__doc__", "__all__", "__version__", "__init__"})


def problems(name: str, content: bytes, package: str) -> list[str]:
    """What in a file is not for a service, one line each; empty where nothing is.

    Args:
        name: the file's path, for messages.
        content: Python source; anything else is a problem.
        package: the service's own package, which may be imported.
    """
    try:
        tree = ast.parse(content.decode("utf-8"))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return [f"{name}: no Python: {error}"]
    return [f"{name}:{line}: {why}" for line, why in sorted(_found(tree, package))]


def _found(tree: ast.Module, package: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if not _importable(alias.name, package):
                    yield node.lineno, f"imports {alias.name}"
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                yield node.lineno, "imports relatively; write the package's name"
            elif not _importable(module, package):
                yield node.lineno, f"imports from {module}"
            for alias in node.names:
                whole = f"{module}.{alias.name}"
                if alias.name in _NAMES or alias.name == "*":
                    yield node.lineno, f"imports {alias.name}"
                elif module == "compoworld_core" and not _of_the_core(alias.name):
                    yield node.lineno, f"imports {whole}"
        elif isinstance(node, ast.Name) and _banned(node.id):
            yield node.lineno, f"uses {node.id}"
        elif isinstance(node, ast.Attribute) and _banned(node.attr):
            yield node.lineno, f"uses .{node.attr}"
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            # Entities are frozen, so this can only change what judges the service.
            if not (isinstance(node.value, ast.Name) and node.value.id == "self"):
                yield node.lineno, f"assigns to .{node.attr}"
        elif isinstance(node, ast.arg) and node.arg == "monkeypatch":
            yield node.lineno, "uses monkeypatch"


def _importable(module: str, package: str) -> bool:
    first, _, rest = module.partition(".")
    if first == "compoworld_core":
        return not rest or rest.partition(".")[0] in _OF_THE_CORE
    return first == package or module in _MODULES or module == "collections.abc"


def _of_the_core(name: str) -> bool:
    """Public names begin with a capital letter, but for one; modules are of the list."""
    return name[:1].isupper() or name in _OF_THE_CORE or name == "compose"


def _banned(name: str) -> bool:
    dunder = name.startswith("__") and name.endswith("__") and name not in _DUNDERS
    return dunder or name in _NAMES
