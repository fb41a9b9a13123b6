"""An endpoint that says what a test has written down, and the sample tasks."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from compoworld_policy_openai.connection import close_clients
from compoworld_policy_openai.testing import configured_endpoint

from compoworld_core.testing.endpoint import ScriptedEndpoint

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "services"))


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedEndpoint]:
    with configured_endpoint(monkeypatch) as made:
        yield made
    close_clients()
