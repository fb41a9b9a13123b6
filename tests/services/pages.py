"""Runs the examples of a markdown page, from top to bottom, in one folder and one namespace."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(python|pycon|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, heading: str = "") -> list[tuple[str, str]]:
    """(language, text) of each example that is meant to run; of one section, if it is named."""
    text = page.read_text(encoding="utf-8")
    if heading:
        _, found, text = text.partition(f"\n## {heading}\n")
        assert found, f"{page.name} has no section {heading!r}"
        text = text.partition("\n## ")[0]
    return _BLOCK.findall(text)


def shell(script: str, folder: Path) -> str:
    """Run a script with the tested environment's commands first; its standard output."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-eu", "-c", script],
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    assert "Error:" not in done.stderr, f"{script}\n{done.stderr[-2000:]}"
    return done.stdout


def run_page(page: Path, folder: Path, heading: str = "") -> ModuleType:
    """Run all examples of a page in a folder; the module in which its Python ran."""
    name = f"page_{re.sub(r'[^a-z0-9]+', '_', page.stem.lower())}"
    module = ModuleType(name)
    module.__file__ = str(folder / f"{name}.py")
    sys.modules[name] = module
    source = Path(module.__file__)
    source.unlink(missing_ok=True)
    before = Path.cwd()
    os.chdir(folder)
    try:
        for language, text in blocks(page, heading):
            if language == "sh":
                shell(text, folder)
            elif language == "pycon":
                _check_session(text, module, page)
            else:
                # on disk too: the conformance suite imports a service anew in other processes,
                # where a page that ran the suite on import would start them without end
                assert "check_service(" not in text, "run the suite in a pycon block"
                earlier = source.read_text(encoding="utf-8") if source.exists() else ""
                source.write_text(earlier + text + "\n", encoding="utf-8")
                line = earlier.count("\n")
                code = compile("\n" * line + text, str(source), "exec")
                exec(code, module.__dict__)
    finally:
        os.chdir(before)
    return module


def _check_session(text: str, module: ModuleType, page: Path) -> None:
    test = doctest.DocTestParser().get_doctest(text, module.__dict__, page.name, str(page), 0)
    report: list[str] = []
    doctest.DocTestRunner().run(test, out=report.append, clear_globs=False)
    module.__dict__.update(test.globs)
    assert not report, "".join(report)
