"""`compoworld services`: JSON shapes are a contract; messages say what to type."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from compoworld_core import Service, State, plugins
from compoworld_core.cli import run
from compoworld_core.hookspecs import Register, hookimpl

PACK = '''
"""A pack of one service."""

from compoworld_core import Service, State


class LampState(State):
    """Nothing yet."""


service = Service("lamp", state=LampState, domain="home", summary="Lamps")


@service.tool(read_only=True)
def list_lamps(state: LampState, room: str | None = None, limit: int = 10) -> list[str]:
    """List the lamps.

    Args:
        room: only those in this room.
    """
    return []


@service.simulated
def dim_lamp(state: LampState, lamp_id: str) -> str:
    """Dim a lamp."""
    return lamp_id
'''


@pytest.fixture
def lamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A process in which one service is installed, from a pack without a card."""
    pack = tmp_path / "lamp_pack"
    pack.mkdir()
    (pack / "__init__.py").write_text("")
    (pack / "lamp.py").write_text(PACK)

    class Installed:
        @hookimpl
        def register_services(self, register: Register) -> None:
            register("lamp", "lamp_pack.lamp:service")

    monkeypatch.setenv("COMPOWORLD_DISABLE_PLUGINS", "services")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    found = plugins.load(installed=False)
    found.add(Installed(), "installed", "lamp-dist")
    monkeypatch.setattr(plugins, "current", lambda: found)
    yield pack
    for name in ("lamp_pack", "lamp_pack.lamp"):
        sys.modules.pop(name, None)


def test_list_has_the_promised_keys(lamp: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["services", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "services": [
            {
                "name": "lamp",
                "domain": "home",
                "tools": 2,
                "deterministic": 1,
                "simulated": 1,
                "quarantined": 0,
                "distribution": "lamp-dist",
                "summary": "Lamps",
            }
        ],
        "totals": {
            "services": 1,
            "tools": 2,
            "deterministic": 1,
            "simulated": 1,
            "quarantined": 0,
        },
        "problems": [],
    }


def test_list_for_a_person(lamp: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["services", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == [
        "NAME", "DOMAIN", "TOOLS", "SIMULATED", "QUARANTINED", "FROM", "SUMMARY",
    ]  # fmt: skip
    assert lines[1].split() == ["lamp", "home", "2", "1", "0", "lamp-dist", "Lamps"]
    assert lines[2] == "1 service, 2 tools"


def test_an_unknown_domain_is_wrong_usage(
    lamp: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["services", "list", "--domain", "hom"]) == 2
    assert "Closest: home" in capsys.readouterr().err


def test_a_broken_service_is_listed_as_a_problem(
    lamp: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (lamp / "lamp.py").write_text("raise RuntimeError('half written')")
    assert run(["services", "list", "--json"]) == 0
    told = capsys.readouterr()
    answer = json.loads(told.out)
    assert answer["totals"]["services"] == 0
    assert "half written" in answer["problems"][0]["why"]
    assert "half written" in told.err


def test_show_has_the_promised_keys(lamp: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["services", "show", "lamp", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["name"], answer["domain"]) == ("lamp", "home")
    listing, dimming = answer["tools"]
    assert set(listing) == {
        "name", "description", "input_schema", "output_schema", "annotations", "kind",
    }  # fmt: skip
    assert listing["annotations"]["readOnlyHint"] is True
    assert (listing["kind"], dimming["kind"]) == ("deterministic", "simulated")


def test_show_for_a_person_names_parameters(
    lamp: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["services", "show", "lamp"]) == 0
    told = capsys.readouterr().out
    assert "room: string" in told
    assert "only those in this room." in told
    assert "lamp_id*: string" in told
    assert "dim_lamp  [simulated]" in told


def test_a_mistyped_service_is_wrong_usage(
    lamp: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["services", "show", "lapm"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("Error: no service is called 'lapm'. Closest: lamp. All names: ")
    assert told.count("\n") == 1


def test_a_target_that_is_no_service_is_told(
    lamp: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (lamp / "lamp.py").write_text("service = 3")
    assert run(["services", "list", "--json"]) == 0
    assert "is registered with a int" in capsys.readouterr().out


def test_cards_are_written_checked_and_found_stale(
    lamp: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["services", "cards", "--check"]) == 1
    assert run(["services", "cards"]) == 0
    assert run(["services", "cards", "--check"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "lamp_pack  stale: write it anew: compoworld services cards",
        "lamp_pack  written",
        "lamp_pack  fresh",
    ]
    path = lamp / "cards.json"
    path.write_text(path.read_text().replace("Lamps", "Candles"))
    assert run(["services", "cards", "lamp-dist", "--check", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["packs"][0]["state"] == "stale"


def test_cards_of_an_unknown_pack_are_wrong_usage(
    lamp: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["services", "cards", "lamp-dits"]) == 2
    assert "Closest: lamp-dist" in capsys.readouterr().err


def test_cards_of_a_pack_that_does_not_load_fail(
    lamp: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (lamp / "lamp.py").write_text("raise RuntimeError('half written')")
    assert run(["services", "cards"]) == 1
    assert "half written" in capsys.readouterr().out
    assert not (lamp / "cards.json").exists()


def test_check_without_a_name_is_wrong_usage(
    lamp: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["services", "check"]) == 2
    assert "compoworld services check NAME" in capsys.readouterr().err


def test_check_reports_failures_as_promised(
    lamp: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    testing = pytest.importorskip("compoworld_core.testing")

    class Failure:
        check, why = "seeds are valid", "there is no seed"

    def failing(service: Service[State]) -> list[type[Failure]]:
        return [Failure]

    monkeypatch.setattr(testing, "check_service", failing)
    assert run(["services", "check", "lamp", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "checked": 1,
        "passed": 0,
        "failures": [
            {"service": "lamp", "check": "seeds are valid", "why": "there is no seed"}
        ],
    }
    monkeypatch.setattr(testing, "check_service", lambda service: [])
    assert run(["services", "check", "--all"]) == 0
