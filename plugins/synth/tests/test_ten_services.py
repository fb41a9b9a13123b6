"""Ten services from real listings, composed with the first-party packs, give proven tasks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from attrs import evolve
from compoworld_synth import sources
from compoworld_synth.pipeline import import_listing

SPECS = Path(__file__).parents[4] / "shared" / "mcp_specs"
SERVERS = (
    "ashby", "freshdesk", "pipedrive", "freshservice", "zendesk", "resend", "stripe", "shippo",
    "splitwise", "headless-commerce",
)  # fmt: skip
PACKS = "hubspot,gmail,slack,zendesk"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(not SPECS.is_dir(), reason=f"the listings are not at {SPECS}"),
]


def installed(name: str, root: Path) -> list[str]:
    """Import a listing below a folder, as if installed; the names of its services.

    Named apart from the first-party packs, some of which are of the same product.
    """
    listing = evolve(sources.read(SPECS / f"{name}.json").callable(), server=f"built_{name}")
    made = import_listing(listing, root / name, formatted=False)
    info = root / name / "src" / f"{made.package}-0.1.0.dist-info"
    info.mkdir()
    names = [each.name for each in made.services]
    entries = "\n".join(f"{each} = {made.package}.{each}:service" for each in names)
    (info / "entry_points.txt").write_text(f"[compoworld.services]\n{entries}\n")
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {made.package}\nVersion: 0.1.0\n"
    )
    return names


def test_default_generator_makes_tasks_over_ten_built_services(tmp_path: Path) -> None:
    built = [name for server in SERVERS for name in installed(server, tmp_path / "built")]
    paths = [str(tmp_path / "built" / server / "src") for server in SERVERS]
    program = str(Path(sys.executable).with_name("compoworld"))
    command = [
        program, "tasks", "generate", "--n", "6", "--k", "3", "--distractors", "0",
        "--walk", "4:7", "--seed", "3", "--scale", "60", "--max-tries", "60", "--json",
        "--services", f"{','.join(built)},{PACKS}", "--out", str(tmp_path / "run"),
    ]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.stdout.startswith("{"), done.stderr
    document = json.loads(done.stdout)
    assert document["accepted"] == 6, document["reasons"]
    over = document["services"]
    assert any(over[name]["accepted"] for name in built if name in over), over
