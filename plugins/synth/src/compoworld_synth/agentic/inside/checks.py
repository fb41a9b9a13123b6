"""Describes a service, or judges it: tests, conformance, interface, validator if there is one.

Runs inside the sandbox by its path; its one argument is a JSON object, see :func:`main`. It
imports nothing of the service itself: each judgement is a child's, so that what the service
does on import cannot reach the code that counts.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_DESCRIBE = """
import importlib, json, sys
module, _, name = sys.argv[1].partition(":")
service = getattr(importlib.import_module(module), name)
print("\\x1e" + json.dumps({
    t.name: {"kind": t.kind, "has_code": t.has_code, "schema": t.input_schema}
    for t in service.tools.values()
}))
"""
_CONFORM = """
import importlib, json, sys
from compoworld_core.testing import check_service
module, _, name = sys.argv[1].partition(":")
service = getattr(importlib.import_module(module), name)
print("\\x1e" + json.dumps([str(each) for each in check_service(service)]))
"""
_SUITE = re.compile(r"<testsuite [^>]*>")


def child(program: str, target: str) -> tuple[Any, str]:
    """What a child says about the service, after a record separator; or why it says nothing."""
    done = subprocess.run(  # noqa: S603  # our own text
        [sys.executable, "-c", program, target], capture_output=True, text=True, check=False
    )
    said = done.stdout.rpartition("\x1e")[2]
    try:
        return json.loads(said), ""
    except ValueError:
        lines = (done.stderr or done.stdout).strip().splitlines()
        return None, "\n".join(lines[-12:]) or f"status {done.returncode}"


def tests(*chosen: str) -> list[str]:
    """What fails among the tests; their counts are read from the report, not the status."""
    report = Path(tempfile.gettempdir(), "report.xml")
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", *chosen, "-q", "-p", "no:cacheprovider"]
    command += ["--import-mode=importlib", "--tb=short", "-o", "addopts="]
    command += [f"--junitxml={report}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    suite = _SUITE.search(report.read_text(errors="replace")) if report.exists() else None
    if suite is None:
        return [
            f"the tests did not run to their end:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        ]
    counts = {
        name: int(value)
        for name, value in re.findall(r'(tests|errors|failures|skipped)="(\d+)"', suite[0])
    }
    passed = counts["tests"] - counts["errors"] - counts["failures"] - counts["skipped"]
    if done.returncode == 0 and passed == counts["tests"] and passed > 0:
        return []
    return [f"tests: {passed} of {counts['tests']} pass\n{done.stdout[-6000:]}"]


def interface(target: str, before: dict[str, Any], wanted: list[str]) -> list[str]:
    """What is different of the tools that should not be, and what is still to be done."""
    found, why = child(_DESCRIBE, target)
    if found is None:
        return [f"the service does not import:\n{why}"]
    problems = []
    for name in sorted({*before, *found}):
        old, new = before.get(name), found.get(name)
        if new is None:
            problems.append(f"interface: the tool {name} is gone")
        elif old is None:
            problems.append(f"interface: the tool {name} is not in the listing")
        elif old["schema"] != new["schema"]:
            problems.append(f"interface: the arguments of {name} have changed")
        elif name in wanted and not new["has_code"]:
            problems.append(f"interface: {name} has no code yet; write it as @service.tool")
        elif name not in wanted and old["kind"] != new["kind"]:
            problems.append(f"interface: {name} was {old['kind']} and is {new['kind']}")
    return problems


def conformance(target: str) -> list[str]:
    """What the conformance suite finds."""
    found, why = child(_CONFORM, target)
    if found is None:
        return [f"the conformance suite did not run to its end:\n{why}"]
    return [f"conformance: {each}" for each in found]


def validation(
    service: str, wanted: list[str], command: list[str]
) -> tuple[list[str], dict[str, str]]:
    """What the independent validator finds of the tools in question, and tool → why it could
    not try one."""
    if not command:
        why = "not validated: pip install compoworld-validator"
        return [], dict.fromkeys(wanted, why)
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    try:
        found = json.loads(done.stdout)
        [found] = [s for s in found.get("services", [found]) if s["service"] == service]
        failed = [
            f"validation: {each['tool']}: {each['why']};"
            f" {json.dumps(each.get('sequence'))[:600]}"
            for each in found["quarantined"]
            if each["tool"] in wanted
        ]
        missed = [name for name in found["unreached"] if name in wanted]
    except (ValueError, LookupError, TypeError, AttributeError):
        return [f"the validator did not run to its end:\n{done.stderr[-2000:]}"], {}
    return failed, dict.fromkeys(missed, "validation found no arguments that it accepts")


def described(target: str) -> dict[str, Any]:
    """The tools as they are, and what the conformance suite has against them already."""
    found, why = child(_DESCRIBE, target)
    if found is None:
        return {"problems": [why]}
    return {"tools": found, "known": conformance(target), "problems": []}


def judged(settings: dict[str, Any]) -> dict[str, Any]:
    """What is wrong with the work, the cheap checks first."""
    target, wanted, own = settings["target"], settings["wanted"], settings["own"]
    unproven: dict[str, str] = {}
    problems = interface(target, settings["before"]["tools"], wanted)
    # Apart from those of the agent, whose import could change what the others see.
    problems += tests("tests", f"--ignore={own}")
    if Path(own).exists():
        problems += tests(own)
    if not problems:
        known = settings["before"]["known"]
        problems += [each for each in conformance(target) if each not in known]
    if not problems:
        problems, unproven = validation(settings["service"], wanted, settings["validator"])
    return {"problems": problems, "unproven": unproven}


def main(settings: dict[str, Any]) -> int:
    """Print what was asked for; 0 where all is well.

    Args:
        settings: mode (describe or judge), target ("module:service"), reply (a file for the
            answer, or empty); for judge also service (its name), before (the description),
            wanted (tools to be completed), own (the agent's file of tests) and validator
            (argv, or empty).
    """
    describe = settings["mode"] == "describe"
    answer = described(settings["target"]) if describe else judged(settings)
    if settings["reply"]:
        Path(settings["reply"]).write_text(json.dumps(answer))
    print("\n".join(answer["problems"]) or "nothing is wrong")  # noqa: T201  # for the agent
    return 1 if answer["problems"] else 0


if __name__ == "__main__":
    text = sys.argv[1]
    sys.exit(main(json.loads(Path(text[1:]).read_text() if text.startswith("@") else text)))
