"""A seeded call sequence as a record, here or in a fresh process: `python -m … MODULE:ATTR`."""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from hashlib import sha256
from typing import Any

from compoworld_core.service import Service
from compoworld_core.testing.trial import Trial, dump


def record(trial: Trial) -> dict[str, Any]:
    """What two processes must agree on: schemas, each observation, the final bytes."""
    environment = trial.environment()
    steps = [
        [tool.name, arguments, observation.text[:400], _hash(observation.text)]
        for tool, arguments, observation in trial.play(environment, "replay")
    ]
    schemas = {
        tool.name: _hash(json.dumps([tool.input_schema, tool.description]))
        for tool in trial.service.tools.values()
    }
    return {
        "schemas": schemas,
        "seed": _hash(trial.state().model_dump_json()),
        "steps": steps,
        "state": _hash(dump(environment, trial.service.name).decode()),
        "digest": environment.digest(),
    }


def _hash(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def _load(target: str, file: str) -> Service[Any]:
    module_name, _, attribute = target.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError:
        spec = importlib.util.spec_from_file_location(module_name, file) if file else None
        if spec is None or spec.loader is None:
            raise
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        spec.loader.exec_module(module)
    value: Any = module
    for part in attribute.split("."):
        value = getattr(value, part)
    assert isinstance(value, Service), f"{target} is not a service"
    return value


def main() -> None:
    """Write the record of one service as JSON to standard output."""
    request = json.load(sys.stdin)
    sys.path[:0] = [entry for entry in request["path"] if entry not in sys.path]
    service = _load(request["target"], request["file"])
    json.dump(record(Trial(service, request["seed"], request["calls"])), sys.stdout)


if __name__ == "__main__":
    main()
