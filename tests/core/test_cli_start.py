"""The command line: exit codes, lazy subcommands, commands that others add."""

import sys
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import click
import pytest

from compoworld_core import cli, plugins
from compoworld_core.errors import PluginError
from compoworld_core.hookspecs import Register, hookimpl


@click.command()
def wave() -> None:
    """Wave."""
    click.echo("hello")


@click.command()
@click.pass_context
def no(ctx: click.Context) -> None:
    ctx.exit(1)


@click.command()
def interrupted() -> None:
    raise KeyboardInterrupt


@click.command()
def failing() -> None:
    raise PluginError("it broke")


def declare(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    monkeypatch.setattr(plugins, "command_points", lambda: list(points))


def test_help_lists_every_command_of_the_core(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--help"]) == 0
    told = capsys.readouterr().out
    assert [name for name in cli.COMMANDS if f"\n  {name} " not in told] == []


def test_no_command_is_wrong_usage() -> None:
    assert cli.run([]) == 2


def test_a_mistyped_command_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["servces"]) == 2
    told = capsys.readouterr().err
    assert "no command is called 'servces'. Closest: services" in told


def test_a_wrong_option_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["services", "list", "--domian", "x"]) == 2
    assert "--domian" in capsys.readouterr().err


def test_a_missing_module_is_an_error_on_use_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(cli.COMMANDS, "later", ("compoworld_core.cli.later:later", "Later."))
    assert cli.run(["--help"]) == 0
    assert cli.run(["later"]) == 1
    assert "No module named 'compoworld_core.cli.later'" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "code"), [("no", 1), ("interrupted", 130), ("failing", 1)])
def test_exit_codes(monkeypatch: pytest.MonkeyPatch, command: str, code: int) -> None:
    class Commands:
        @hookimpl
        def register_commands(self, register: Register) -> None:
            for each in (no, interrupted, failing):
                register(str(each.name), each)

    found = plugins.load(installed=False)
    found.add(Commands(), "commands")
    monkeypatch.setattr(plugins, "current", lambda: found)
    assert cli.run([command]) == code


def test_an_error_is_one_line_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(cli.COMMANDS, "failing", (f"{__name__}:failing", "Fail."))
    monkeypatch.setattr("compoworld_core.registry.resolve", lambda *_: failing)
    assert cli.run(["failing"]) == 1
    assert capsys.readouterr().err == "Error: it broke\n"


def test_a_declared_command_is_listed_without_importing_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    declare(monkeypatch, EntryPoint("later", "no_such_module:later", "compoworld.commands"))
    assert cli.run(["--help"]) == 0
    assert "later" in capsys.readouterr().out
    assert cli.run(["later"]) == 1
    assert "no_such_module" in capsys.readouterr().err


def test_a_declared_command_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    declare(monkeypatch, EntryPoint("wave", "wave_module:wave", "compoworld.commands"))
    monkeypatch.setattr("compoworld_core.registry.resolve", lambda *_: wave)
    assert cli.run(["wave"]) == 0
    assert capsys.readouterr().out == "hello\n"


def test_a_declared_command_that_is_none_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    declare(monkeypatch, EntryPoint("wave", "json:dumps", "compoworld.commands"))
    assert cli.run(["wave"]) == 1
    assert "is a function, not a command" in capsys.readouterr().err


def test_a_command_is_declared_for_a_group_by_a_dotted_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    declare(monkeypatch, EntryPoint("services.wave", "no_such:wave", "compoworld.commands"))
    assert cli.run(["services", "--help"]) == 0
    assert "wave" in capsys.readouterr().out
    assert cli.run(["--help"]) == 0
    assert "wave" not in capsys.readouterr().out
    monkeypatch.setitem(sys.modules, "no_such", SimpleNamespace(wave=wave))
    assert cli.run(["services", "wave"]) == 0
    assert capsys.readouterr().out == "hello\n"


@pytest.mark.parametrize("group", ["plugins", "rollouts", "services", "tasks"])
def test_a_mistyped_subcommand_is_wrong_usage(
    group: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run([group, "shwo"]) == 2
    told = capsys.readouterr().err
    assert f"no {group} command is called 'shwo'" in told
    assert f"compoworld {group} --help" in told


def test_plugins_list_shows_hooks_names_and_failures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Mean:
        @hookimpl
        def register_rewards(self, register: Register) -> None:
            register("mean", sum, summary="the mean")

    found = plugins.load(installed=False)
    found.add(Mean(), "mean-plugin", "mean-dist")
    monkeypatch.setattr(plugins, "current", lambda: found)
    assert cli.run(["plugins", "list"]) == 0
    told = capsys.readouterr().out.split()
    assert "mean-dist" in told
    assert "register_rewards" in told
    found.add_installed([EntryPoint("absent", "no_such_module", "compoworld")])
    assert cli.run(["plugins", "list", "--json"]) == 1
    assert "no_such_module" in capsys.readouterr().out
