"""Testing: a scripted endpoint that this process takes for the configured one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from compoworld_core.testing.endpoint import MODEL as SCRIPTED
from compoworld_core.testing.endpoint import ScriptedEndpoint, scripted_endpoint
from compoworld_policy_openai.endpoint import BASE_URL, KEY, MODEL

if TYPE_CHECKING:
    import pytest


@contextmanager
def configured_endpoint(patch: pytest.MonkeyPatch) -> Iterator[ScriptedEndpoint]:
    """A scripted endpoint that the environment names, without any key.

    Clients stay open, since to make one reads all certificates of the machine:
    :func:`compoworld_policy_openai.connection.close_clients` closes them.

    Args:
        patch: the test's own, which undoes the changes of the environment.
    """
    for name in (*BASE_URL, *MODEL, *KEY):
        patch.delenv(name, raising=False)
    with scripted_endpoint() as made:
        patch.setenv(BASE_URL[0], made.base_url)
        patch.setenv(MODEL[0], SCRIPTED)
        yield made
