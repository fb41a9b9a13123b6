"""An endpoint with a scripted model and faults."""

from collections.abc import Iterator

import pytest
from compoworld_policy_openai.connection import close_clients
from compoworld_policy_openai.testing import configured_endpoint

from compoworld_core.testing.endpoint import ScriptedEndpoint


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedEndpoint]:
    with configured_endpoint(monkeypatch) as made:
        yield made
    close_clients()
