"""The plugin manager: finds what is installed on first look-up, keeps a bad plugin apart.

Nothing is loaded when this module is imported. ``COMPOWORLD_DISABLE_PLUGINS=a,b`` leaves
plugins out; ``COMPOWORLD_TRACE_PLUGINS=1`` writes each hook call to standard error.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from inspect import isroutine
from typing import Any

import pluggy
from attrs import frozen

from compoworld_core import hookspecs
from compoworld_core.errors import CompoWorldError, DuplicateName, PluginError
from compoworld_core.hookspecs import PROJECT, hookimpl
from compoworld_core.registry import Registry

KINDS = {
    "register_services": ("service", "compoworld services list"),
    "register_simulators": ("simulator", "compoworld plugins list"),
    "register_task_generators": ("task generator", "compoworld plugins list"),
    "register_verifiers": ("verifier", "compoworld plugins list"),
    "register_rewards": ("reward", "compoworld plugins list"),
    "register_trainers": ("trainer", "compoworld plugins list"),
    "register_policies": ("policy", "compoworld plugins list"),
    "register_users": ("user", "compoworld plugins list"),
    "register_executors": ("executor", "compoworld plugins list"),
    "register_sandboxes": ("sandbox", "compoworld plugins list"),
    "register_commands": ("command", "compoworld --help"),
}
"""Each registering hook with the noun for messages and the command that lists its names."""

BUILT_IN = "services"

_log = logging.getLogger("compoworld.plugins")


@frozen
class Loaded:
    """One plugin as ``compoworld plugins list`` shows it."""

    name: str
    distribution: str
    """Empty for the core's own."""
    hooks: tuple[str, ...]


@frozen
class _Bound:
    """The ``register`` that one plugin receives: it knows whose names these are."""

    registry: Registry
    distribution: str

    def __call__(self, name: str, target: object, *, summary: str = "") -> None:
        _add(self.registry, name, target, summary, self.distribution)


class InstalledServices:
    """The core's own plugin: every entry point of ``compoworld.services``, none imported."""

    @hookimpl
    def register_services(self, register: hookspecs.Register) -> None:
        """Add each entry point under its name."""
        for point in _points(f"{PROJECT}.services"):
            if isinstance(register, _Bound):
                _add(register.registry, point.name, point.value, "", _distribution(point))
            else:
                register(point.name, point.value)


class Plugins:
    """A pluggy manager with one registry per kind of strategy, filled when it is asked for."""

    def __init__(self) -> None:
        self.manager = pluggy.PluginManager(PROJECT)
        self.manager.add_hookspecs(hookspecs)
        self.failures: list[PluginError] = []
        """Plugins that did not load or broke a hook's contract, with the reason."""
        self._distributions: dict[str, str] = {}
        self._registries: dict[str, Registry] = {}
        self._silenced: set[str] = set()
        if os.environ.get("COMPOWORLD_TRACE_PLUGINS", "") not in ("", "0"):
            self.manager.trace.root.setwriter(sys.stderr.write)
            self.manager.enable_tracing()

    def add(self, plugin: object, name: str, distribution: str = "") -> None:
        """Register a plugin module or object; a misspelt hook in it is an error."""
        try:
            self.manager.register(plugin, name)
            self.manager.check_pending()
        except (pluggy.PluginValidationError, ValueError) as error:
            self._drop(plugin)
            why = " ".join(str(error).split())
            raise PluginError(f"{_called(name, distribution)} is refused: {why}") from error
        self._distributions[name] = distribution
        self._registries.clear()

    def add_installed(self, points: Iterable[EntryPoint]) -> None:
        """Import and add entry points; one that fails is kept in ``failures`` and logged."""
        for point in points:
            if self.manager.is_blocked(point.name):
                continue
            distribution = _distribution(point)
            try:
                module = point.load()
            except Exception as error:  # a stranger's module may raise anything on import
                self._fail(
                    PluginError(
                        f"{_called(point.name, distribution)} did not load: importing "
                        f"{point.value} raised {type(error).__name__}: {error}"
                    )
                )
                continue
            try:
                self.add(module, point.name, distribution)
            except PluginError as error:
                self._fail(error)

    def registry(self, hook: str) -> Registry:
        """The registry that a ``register_*`` hook fills."""
        if hook not in self._registries:
            registry = Registry(*KINDS[hook])
            self._registries[hook] = registry
            for plugin_name in self._names_with(hook):
                self._fill(registry, hook, plugin_name)
            registry.broken = self.failures
        return self._registries[hook]

    def plugins(self) -> list[Loaded]:
        """All plugins that loaded, sorted by name, with the hooks each implements."""
        found: list[Loaded] = []
        for name, plugin in self.manager.list_name_plugin():
            if plugin is None:
                continue
            callers = self.manager.get_hookcallers(plugin) or []
            hooks = tuple(sorted(caller.name for caller in callers))
            found.append(Loaded(name, self._distributions.get(name, ""), hooks))
        return sorted(found, key=lambda each: each.name)

    def emit(self, event: object) -> None:
        """Show an event to every observer; one that raises is logged and switched off."""
        for implementation in self.manager.hook.observe.get_hookimpls():
            name = implementation.plugin_name
            if name in self._silenced:
                continue
            try:
                implementation.function(*(event for _ in implementation.argnames))
            except Exception:
                self._silenced.add(name)
                _log.exception("observer of plugin %r raised and is switched off", name)

    def _names_with(self, hook: str) -> list[str]:
        caller = getattr(self.manager.hook, hook)
        return sorted({each.plugin_name for each in caller.get_hookimpls()})

    def _fill(self, registry: Registry, hook: str, plugin_name: str) -> None:
        distribution = self._distributions.get(plugin_name, "")
        others = [
            plugin
            for name, plugin in self.manager.list_name_plugin()
            if plugin is not None and name != plugin_name
        ]
        caller = self.manager.subset_hook_caller(hook, remove_plugins=others)
        try:
            caller(register=_Bound(registry, distribution))
        except CompoWorldError as error:
            self._fail(PluginError(f"{_called(plugin_name, distribution)}, {hook}: {error}"))
        except Exception as error:  # a stranger's hook may raise anything
            self._fail(
                PluginError(
                    f"{_called(plugin_name, distribution)}, {hook} raised "
                    f"{type(error).__name__}: {error}"
                )
            )

    def _drop(self, plugin: object) -> None:
        if self.manager.is_registered(plugin):
            self.manager.unregister(plugin)

    def _fail(self, error: PluginError) -> None:
        self.failures.append(error)
        _log.warning("%s", error)


def load(*, installed: bool = True) -> Plugins:
    """Make a plugin set: the core's own, and what is installed unless told otherwise."""
    plugins = Plugins()
    for name in os.environ.get("COMPOWORLD_DISABLE_PLUGINS", "").split(","):
        if name.strip():
            plugins.manager.set_blocked(name.strip())
    if not plugins.manager.is_blocked(BUILT_IN):
        plugins.add(InstalledServices(), BUILT_IN)
    if installed:
        plugins.add_installed(_points(PROJECT))
    return plugins


@cache
def current() -> Plugins:
    """The process's plugin set, loaded on first use."""
    return load()


def services() -> Registry:
    """Services by name."""
    return current().registry("register_services")


def simulators() -> Registry:
    """Simulators by name."""
    return current().registry("register_simulators")


def task_generators() -> Registry:
    """Task generators by name."""
    return current().registry("register_task_generators")


def verifiers() -> Registry:
    """Verifiers by name."""
    return current().registry("register_verifiers")


def rewards() -> Registry:
    """Rewards by name."""
    return current().registry("register_rewards")


def trainers() -> Registry:
    """Trainers by name."""
    return current().registry("register_trainers")


def policies() -> Registry:
    """Policies by name."""
    return current().registry("register_policies")


def users() -> Registry:
    """Users, who answer a policy's questions, by name."""
    return current().registry("register_users")


def executors() -> Registry:
    """Executors by name."""
    return current().registry("register_executors")


def sandboxes() -> Registry:
    """Sandboxes by name."""
    return current().registry("register_sandboxes")


def commands() -> Registry:
    """Subcommands that plugins add by hook; see also :func:`command_points`."""
    return current().registry("register_commands")


def command_points() -> list[EntryPoint]:
    """Subcommands that distributions declare as entry points; imports nothing."""
    return _points(f"{PROJECT}.commands")


def make(registry: Registry, name: str) -> Any:
    """What a name stands for, ready for use: a class or a function is called, an object is it.

    For the kinds whose target "makes" or "is" one object without arguments; a policy's target
    is a factory of many, and a reward's is the function itself.
    """
    target = registry.load(name)
    if isinstance(target, type) or isroutine(target):
        return target()
    return target


def emit(event: object) -> None:
    """Show an event to every observer of this process."""
    current().emit(event)


def _add(
    registry: Registry, name: str, target: object, summary: str, distribution: str
) -> None:
    """Register; a clash is told when the name is used, so that other names stay usable."""
    try:
        registry.register(name, target, summary=summary, distribution=distribution)
    except DuplicateName as error:
        registry.clashes[name] = error


def _points(group: str) -> list[EntryPoint]:
    found = entry_points(group=group)
    return sorted(found, key=lambda each: (each.name, each.value, _distribution(each)))


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else ""


def _called(name: str, distribution: str) -> str:
    return f"plugin {name!r} of {distribution}" if distribution else f"plugin {name!r}"
