"""Which sandbox is used, and the refusal where none works; no namespaces needed."""

import json
import os
import sys
from pathlib import Path

import pytest
from compoworld_sandbox_bubblewrap import bubblewrap, staging, syscalls
from compoworld_sandbox_bubblewrap.bubblewrap import BubblewrapSandbox
from compoworld_sandbox_bubblewrap.container import IMAGE, ContainerSandbox

from compoworld_core import plugins, sandbox
from compoworld_core.protocols import Sandbox
from compoworld_core.registry import Registry
from compoworld_core.sandbox import Job, Limits, NoSandbox


class Refusing:
    def refusal(self) -> str:
        return "not today"


def registry_of(monkeypatch: pytest.MonkeyPatch, **targets: object) -> None:
    made = Registry("sandbox")
    for name, target in targets.items():
        made.register(name, target)
    monkeypatch.setattr(plugins, "sandboxes", lambda: made)


def test_both_are_registered() -> None:
    assert {"bubblewrap", "container"} <= set(plugins.sandboxes())
    assert isinstance(BubblewrapSandbox(), Sandbox)
    assert isinstance(ContainerSandbox(), Sandbox)


def test_where_none_works_each_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    registry_of(monkeypatch, one=Refusing(), two=Refusing())
    with pytest.raises(NoSandbox, match=r"one: not today; two: not today"):
        sandbox.choose()


def test_where_none_is_installed_the_message_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    registry_of(monkeypatch)
    with pytest.raises(NoSandbox, match="pip install compoworld-sandbox-bubblewrap"):
        sandbox.choose()


def test_bubblewrap_refuses_without_its_program() -> None:
    assert "apt-get install bubblewrap" in BubblewrapSandbox("no-such-bwrap").refusal()


def test_bubblewrap_refuses_where_namespaces_are_forbidden(tmp_path: Path) -> None:
    program = script(tmp_path / "bwrap", "echo 'Operation not permitted' >&2; exit 1")
    refusal = BubblewrapSandbox(str(program)).refusal()
    assert "Operation not permitted" in refusal


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def container(tmp_path: Path, text: str, image: str = "image") -> ContainerSandbox:
    script(tmp_path / "docker", text)
    return ContainerSandbox({"PATH": f"{tmp_path}:/usr/bin:/bin", IMAGE: image})


def test_a_container_needs_a_runtime(tmp_path: Path) -> None:
    assert "neither docker nor podman" in ContainerSandbox({"PATH": str(tmp_path)}).refusal()


def test_a_container_needs_a_daemon(tmp_path: Path) -> None:
    assert "start its daemon" in container(tmp_path, "exit 1").refusal()


def test_a_container_needs_an_image(tmp_path: Path) -> None:
    assert IMAGE in container(tmp_path, "exit 0", "").refusal()
    missing = container(tmp_path, '[ "$1" = info ]')
    assert "no image" in missing.refusal()
    assert container(tmp_path, "exit 0").refusal() == ""


def test_a_container_has_no_network_no_rights_and_limits(tmp_path: Path) -> None:
    """A runtime that writes its arguments down and answers as the program inside would."""
    reply = json.dumps({"status": 3, "files": {"a.txt": "aGk=", "../b.txt": "aGk="}})
    made = container(
        tmp_path,
        f'[ "$1" = run ] && printf "%s\\n" "$@" > {tmp_path}/argv && echo \'{reply}\'',
    )
    ended = made.run(Job(("/bin/true",), keep=("*.txt",), limits=Limits(memory_mb=99)))
    argv = (tmp_path / "argv").read_text().splitlines()
    assert (ended.status, ended.files) == (3, {"a.txt": b"hi"})
    for words in (
        ["--network", "none"], ["--cap-drop", "ALL"], ["--memory", "99m"], ["--read-only"],
        ["--security-opt", "no-new-privileges"], ["--user", "65534:65534"],
        ["--pids-limit", "68"], ["--pull", "never"],
    ):  # fmt: skip
        assert any(argv[at : at + len(words)] == words for at in range(len(argv))), words


def test_a_container_over_its_time_is_removed(tmp_path: Path) -> None:
    made = container(
        tmp_path, f'[ "$1" = rm ] && echo "$3" > {tmp_path}/removed && exit; exec sleep 30'
    )
    ended = made.run(Job(("/bin/true",), limits=Limits(seconds=0.2)))
    assert (ended.status, ended.stopped) == (None, "time")
    assert (tmp_path / "removed").read_text().startswith(f"compoworld-{os.getpid()}-")


@pytest.mark.parametrize(
    "reply",
    [b"", b"{", b"[]", b'{"status": "0", "files": {}}', b'{"status": 0, "files": {"a": 1}}',
     b'{"status": true, "files": {}}', b'{"status": 0}', b"[" * 100_000],
)  # fmt: skip
def test_a_reply_that_is_none_is_no_success(reply: bytes) -> None:
    assert staging.read_reply(reply, Job(("/bin/true",))) == (None, {})


@pytest.mark.parametrize(
    ("path", "fits"),
    [
        ("src/a.py", True), ("src/b/a.py", False), ("/src/a.py", False), ("src/../a.py", False),
        ("../a.py", False), ("src//a.py", False), ("src/./a.py", False), ("src\\a.py", False),
        ("src/a\n.py", False), ("a.py", False),
    ],
)  # fmt: skip
def test_only_plain_paths_match(path: str, fits: bool) -> None:
    assert sandbox.matches(path, ("src/*.py", "*/*.py")) is fits


def test_the_interpreter_is_a_real_program() -> None:
    python, folders = staging.interpreter()
    assert Path(python).exists()
    assert Path(sys.base_prefix) in folders


def test_a_machine_whose_calls_are_unknown_gets_no_filter() -> None:
    assert syscalls.program("abacus") == b""
    assert len(syscalls.program("aarch64")) % 8 == 0


def test_bubblewrap_refuses_where_the_smallest_job_does_not_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "_PATIENCE", 0.1)
    program = script(tmp_path / "bwrap", "exec sleep 30")
    assert "did not end" in BubblewrapSandbox(str(program)).refusal()
