"""Jobs in the real sandbox; skipped, with the reason, where there is none."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from compoworld_sandbox_bubblewrap import bubblewrap
from compoworld_sandbox_bubblewrap.bubblewrap import BubblewrapSandbox

from compoworld_core.sandbox import Ended, Job, Limits

Python = Callable[..., Ended]


@pytest.fixture(params=["as root", "in a user namespace"])
def sandbox(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> BubblewrapSandbox:
    """Both ways to give up rights; root can take either, others only the second."""
    if request.param == "as root" and os.geteuid() != 0:
        pytest.skip("not root")
    if request.param != "as root":
        monkeypatch.setattr(bubblewrap, "_is_root", lambda: False)
    made = BubblewrapSandbox()
    refusal = made.refusal()
    if refusal:
        pytest.skip(f"no bubblewrap: {refusal}")
    return made


@pytest.fixture
def python(sandbox: BubblewrapSandbox) -> Python:
    """Run a Python text inside."""

    def run(
        text: str,
        limits: Limits | None = None,
        folder: Path | None = None,
        socket: Path | None = None,
        readable: tuple[Path, ...] = (),
        keep: tuple[str, ...] = (),
    ) -> Ended:
        job = Job(
            (sys.executable, "-I", "-c", text),
            folder=folder,
            readable=readable,
            socket=socket,
            keep=keep,
            limits=limits or Limits(seconds=20),
        )
        return sandbox.run(job)

    return run
