"""An endpoint with a scripted model, and the sample help desk."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from compoworld_policy_openai.connection import close_clients
from compoworld_policy_openai.testing import configured_endpoint

from compoworld_core import Service
from compoworld_core.testing.endpoint import ScriptedEndpoint

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "services"))


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedEndpoint]:
    with configured_endpoint(monkeypatch) as made:
        yield made
    close_clients()


@pytest.fixture(scope="session")
def desk() -> Service[Any]:
    from desk import service

    return service


@pytest.fixture(scope="session")
def ledgerbook() -> Service[Any]:
    from ledgerbook import service

    return service
