"""The plugin manager: a bad plugin is kept apart, a good one gets its names in."""

import logging
from importlib.metadata import EntryPoint

import pytest

from compoworld_core import plugins
from compoworld_core.errors import DuplicateName, PluginError, UnknownName
from compoworld_core.hookspecs import Register, hookimpl
from compoworld_core.registry import Registry


class Mean:
    """A reward plugin."""

    @hookimpl
    def register_rewards(self, register: Register) -> None:
        register("mean", sum, summary="the mean")


def test_a_plugin_registers_under_its_distribution() -> None:
    found = plugins.load(installed=False)
    found.add(Mean(), "mean-plugin", "mean-dist")
    entry = found.registry("register_rewards").get("mean")
    assert (entry.target, entry.summary, entry.distribution) == (sum, "the mean", "mean-dist")


def test_a_plugin_added_later_is_seen() -> None:
    found = plugins.load(installed=False)
    assert found.registry("register_rewards").names() == []
    found.add(Mean(), "mean-plugin")
    assert found.registry("register_rewards").names() == ["mean"]


def test_a_misspelt_hook_is_refused_by_name() -> None:
    class Typo:
        @hookimpl
        def register_reward(self, register: Register) -> None:
            register("mean", sum)

    found = plugins.load(installed=False)
    with pytest.raises(PluginError, match=r"'typo' of typo-dist.*register_reward"):
        found.add(Typo(), "typo", "typo-dist")
    assert [each.name for each in found.plugins()] == ["services"]


def test_a_hook_with_an_unknown_argument_is_refused() -> None:
    class Wrong:
        @hookimpl
        def register_rewards(self, registry: Register) -> None:
            registry("mean", sum)

    with pytest.raises(PluginError, match="registry"):
        plugins.load(installed=False).add(Wrong(), "wrong")


def test_a_plugin_that_fails_to_import_is_named_and_the_rest_works(
    caplog: pytest.LogCaptureFixture,
) -> None:
    found = plugins.load(installed=False)
    with caplog.at_level(logging.WARNING):
        found.add_installed(
            [
                EntryPoint("absent", "no_such_plugin_module.plugin", "compoworld"),
                EntryPoint("json", "json", "compoworld"),
            ]
        )
    found.add(Mean(), "mean-plugin")
    (failure,) = found.failures
    assert str(failure).startswith("plugin 'absent' did not load: importing no_such_plugin_mod")
    assert "no_such_plugin_module" in caplog.text
    assert found.registry("register_rewards").names() == ["mean"]
    with pytest.raises(UnknownName, match="no_such_plugin_module"):
        found.registry("register_rewards").load("absent-reward")


def test_a_hook_that_raises_does_not_take_others_along() -> None:
    class Broken:
        @hookimpl
        def register_rewards(self, register: Register) -> None:
            raise ZeroDivisionError("oh")

    found = plugins.load(installed=False)
    found.add(Broken(), "broken", "broken-dist")
    found.add(Mean(), "mean-plugin")
    assert found.registry("register_rewards").names() == ["mean"]
    assert [str(each) for each in found.failures] == [
        "plugin 'broken' of broken-dist, register_rewards raised ZeroDivisionError: oh"
    ]


def test_a_clash_is_told_when_the_name_is_used() -> None:
    class Other:
        @hookimpl
        def register_rewards(self, register: Register) -> None:
            register("mean", max)
            register("top", max)

    found = plugins.load(installed=False)
    found.add(Mean(), "a-plugin", "a-dist")
    found.add(Other(), "b-plugin", "b-dist")
    registry = found.registry("register_rewards")
    assert registry.load("top") is max
    with pytest.raises(DuplicateName, match=r"a-dist.*b-dist"):
        registry.load("mean")


@pytest.mark.parametrize("target", [Mean, lambda: Mean(), Mean()])
def test_a_class_or_factory_is_called_and_an_object_is_taken(target: object) -> None:
    registry = Registry("executor")
    registry.register("one", target)
    assert isinstance(plugins.make(registry, "one"), Mean)


def test_disabled_plugins_stay_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPOWORLD_DISABLE_PLUGINS", "services, absent")
    found = plugins.load(installed=False)
    found.add_installed([EntryPoint("absent", "no_such_plugin_module", "compoworld")])
    assert (found.plugins(), found.failures) == ([], [])


def test_tracing_writes_hook_calls(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMPOWORLD_TRACE_PLUGINS", "1")
    found = plugins.load(installed=False)
    found.add(Mean(), "mean-plugin")
    found.registry("register_rewards")
    assert "register_rewards" in capsys.readouterr().err


def test_an_observer_that_raises_is_switched_off_and_others_go_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    seen: list[object] = []
    calls: list[object] = []

    class Broken:
        @hookimpl
        def observe(self, event: object) -> None:
            calls.append(event)
            raise ValueError("no")

    class Watching:
        @hookimpl
        def observe(self, event: object) -> None:
            seen.append(event)

    found = plugins.load(installed=False)
    found.add(Watching(), "watching")
    found.add(Broken(), "broken")
    with caplog.at_level(logging.ERROR):
        found.emit("first")
        found.emit("second")
    assert (seen, calls) == (["first", "second"], ["first"])
    assert "'broken'" in caplog.text


def test_installed_services_are_known_without_importing_them() -> None:
    registry = plugins.load(installed=False).registry("register_services")
    entry = registry.get("gmail")
    assert entry.target == "compoworld_services_productivity_collaboration.gmail:service"
    assert entry.distribution == "compoworld-services-productivity-collaboration"
