"""Every installed service passes the conformance suite."""

import pytest

from compoworld_core import plugins
from compoworld_core.composition import load_service
from compoworld_core.testing import check_service


@pytest.mark.parametrize("name", plugins.services().names())
def test_an_installed_service_passes_every_check(name: str) -> None:
    assert [str(failure) for failure in check_service(load_service(name))] == []
