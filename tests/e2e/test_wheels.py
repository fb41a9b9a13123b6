"""Plain pip is enough: the wheels, installed into a clean environment, are the product."""

import tomllib
import zipfile
from pathlib import Path

from sandbox import ROOT, Installed


def test_every_distribution_has_a_wheel_with_its_licence(wheels: list[Path]) -> None:
    projects = [ROOT / "pyproject.toml", *ROOT.glob("plugins/*/pyproject.toml")]
    projects += ROOT.glob("contrib_services/*/pyproject.toml")
    names = {tomllib.loads(p.read_text())["project"]["name"] for p in projects}
    assert {w.name.partition("-")[0].replace("_", "-") for w in wheels} == names


def test_a_wheel_of_services_ships_their_cards(wheels: list[Path]) -> None:
    packs = [wheel for wheel in wheels if wheel.name.startswith("compoworld_services_")]
    assert packs
    for pack in packs:
        files = zipfile.ZipFile(pack).namelist()
        assert [name for name in files if name.endswith("/cards.json")], pack.name


def test_the_installed_services_are_those_of_the_repository(installed: Installed) -> None:
    listed = {each["name"] for each in installed.json("services", "list")["services"]}
    declared: set[str] = set()
    for project in ROOT.glob("contrib_services/*/pyproject.toml"):
        points = tomllib.loads(project.read_text())["project"]["entry-points"]
        declared |= points["compoworld.services"].keys()
    assert declared <= listed


def test_an_installed_world_answers(installed: Installed) -> None:
    program = (
        "from compoworld_core import compose\n"
        "env = compose('gmail', 'slack', seed=7)\n"
        "print(env.meta.list_services().is_error, len(env.services))"
    )
    assert installed.python("-c", program).split() == ["False", "2"]


def test_the_installed_plugins_all_load(installed: Installed) -> None:
    installed.compoworld("plugins", "list")  # exit 1 where one does not
