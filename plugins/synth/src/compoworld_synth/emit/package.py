"""Package: the folder of one distribution that holds the services of one listing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from compoworld_core import manifest
from compoworld_synth.design import Design
from compoworld_synth.emit import models, seed, tools
from compoworld_synth.emit.values import literal
from compoworld_synth.listing import Listing

_INIT = '''"""{service}: imported from a tool listing; manifest.toml says what each tool is."""

from pathlib import Path

from compoworld_core import manifest

from . import seed as seed
from .tools import service as service

manifest.apply(service, Path(__file__).with_name(manifest.FILE))
'''

_TEST = '''"""Each tool of {service} keeps the laws, and its seed is the same in any process."""

from compoworld_core import compose
from {package}.{service} import service


def test_seed_is_deterministic() -> None:
    assert compose(service, seed=3).digest() == compose(service, seed=3).digest()


def test_every_tool_is_listed() -> None:
    assert len(service.tools) == {count}
'''


def write(listing: Listing, designs: tuple[Design, ...], out: Path, package: str) -> None:
    """Write the distribution into `out`; names of files are identifiers."""
    root = out / "src" / package
    root.mkdir(parents=True)
    (out / "tests").mkdir()
    (root / "__init__.py").write_text('"""Imported services."""\n')
    (root / "py.typed").write_text("")
    for design in designs:
        _service(design, root / design.service)
        test = _TEST.format(package=package, service=design.service, count=len(design.tools))
        (out / "tests" / f"test_{design.service}.py").write_text(test)
    (out / "pyproject.toml").write_text(_project(package, designs))
    (out / "README.md").write_text(_readme(listing, designs), encoding="utf-8")


def _service(design: Design, folder: Path) -> None:
    folder.mkdir()
    text, simulated = tools.source(design)
    (folder / "models.py").write_text(models.source(design), encoding="utf-8")
    (folder / "tools.py").write_text(text, encoding="utf-8")
    (folder / "seed.py").write_text(seed.source(design), encoding="utf-8")
    (folder / "__init__.py").write_text(_INIT.format(service=design.service))
    schemas = {
        tool.spec.name: {
            "description": tool.spec.description,
            "input_schema": tool.spec.input_schema,
            "output_schema": tool.spec.output_schema,
            **({"method": tool.spec.rest.method} if tool.spec.rest is not None else {}),
        }
        for tool in design.tools
    }
    (folder / "schemas.json").write_text(json.dumps(schemas, indent=1))
    rows: list[dict[str, Any]] = []
    for tool in design.tools:
        why = simulated.get(tool.spec.name, "")
        entities = {op.entity for op in tool.operations if op.entity}
        invented = [
            f"{entity}.{item.shown}"
            for entity in sorted(entities)
            if entity in design.by_entity
            for item in design.by_entity[entity].fields
            if item.invented
        ]
        rows.append(
            {
                "name": tool.spec.name,
                "kind": "simulated" if why else "deterministic",
                "operations": [op.kind for op in tool.operations],
                "grade": tool.grade,
                "why": why,
                "evidence": [text for op in tool.operations for text in op.evidence],
                "vetoes": [
                    f"{'hard' if v.hard else 'soft'} {v.name}: {v.why}"
                    for op in tool.operations
                    for v in op.vetoes
                ],
                "invented": invented,
            }
        )
    manifest.write(folder / manifest.FILE, rows)


def _project(package: str, designs: tuple[Design, ...]) -> str:
    entries = "\n".join(f'{d.service} = "{package}.{d.service}:service"' for d in designs)
    return (
        '[build-system]\nrequires = ["hatchling>=1.27"]\nbuild-backend = "hatchling.build"\n\n'
        f'[project]\nname = "{package.replace("_", "-")}"\nversion = "0.1.0"\n'
        'description = "Imported services for CompoWorld"\nreadme = "README.md"\n'
        'requires-python = ">=3.11"\n'
        'dependencies = ["compoworld ~= 0.1.0", "compoworld-synth ~= 0.1.0"]\n\n'
        f'[project.entry-points."compoworld.services"]\n{entries}\n\n'
        f'[tool.hatch.build.targets.wheel]\npackages = ["src/{package}"]\n'
    )


def _readme(listing: Listing, designs: tuple[Design, ...]) -> str:
    lines = [f"# {literal(listing.server)[1:-1]}\n", "Imported by `compoworld synth import`.\n"]
    lines += [f"- `{d.service}`: {len(d.tools)} tools" for d in designs]
    return "\n".join(lines) + "\n"
