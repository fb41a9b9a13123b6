"""``compoworld services affordances``: the command that this plugin adds to the group."""

import json

import pytest

from compoworld_core import cli


def test_the_plugin_adds_its_command_to_the_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["services", "affordances", "--help"]) == 0
    assert "--anew" in capsys.readouterr().out


def test_a_service_that_is_not_there_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["services", "affordances", "no_such_service"]) == 2
    assert "no service is called 'no_such_service'" in capsys.readouterr().err


def test_what_is_known_is_one_json_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["services", "affordances", "stripe", "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    assert "list_customers" in {lookup["tool"] for lookup in known["lookups"]}
