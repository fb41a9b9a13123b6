"""Escape attempts: each does its worst inside, and the host looks at what came of it."""

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from compoworld_sandbox_bubblewrap import cgroup

from compoworld_core.sandbox import Ended, Limits

Python = Callable[..., Ended]


def test_a_plain_program_runs_and_says_so(python: Python) -> None:
    ended = python("print('hello')")
    assert (ended.status, ended.output, ended.stopped) == (0, "hello\n", "")


def test_no_listener_of_the_host_can_be_reached(python: Python) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ended = python(f"import socket; socket.create_connection(('127.0.0.1', {port}), 3)")
        assert "ConnectionRefusedError" in ended.output
        server.settimeout(0.05)
        with pytest.raises(TimeoutError):
            server.accept()


def test_there_is_no_network_but_its_own_loopback(python: Python) -> None:
    ended = python(
        "import socket; print([name for _, name in socket.if_nameindex()])\n"
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))"
    )
    assert "['lo']" in ended.output
    assert "Network is unreachable" in ended.output


def test_abstract_sockets_of_the_host_are_out_of_reach(python: Python) -> None:
    name = f"\0compoworld-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        ended = python(f"import socket; socket.socket(socket.AF_UNIX).connect({name!r})")
    assert "ConnectionRefusedError" in ended.output


def test_files_outside_are_not_there(python: Python, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    secret.chmod(0o644)
    ended = python(
        "from pathlib import Path\n"
        f"for place in {[str(secret), '/etc/shadow', '/root/.bashrc']!r}:\n"
        "    try: print(Path(place).read_text())\n"
        "    except OSError as error: print('refused')\n"
    )
    assert ended.output == "refused\n" * 3


def test_what_is_readable_is_not_writable(python: Python, tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    shown.mkdir()
    (shown / "given.txt").write_text("as it was")
    (shown / "given.txt").chmod(0o666)
    shown.chmod(0o777)
    ended = python(
        f"import pathlib; pathlib.Path({str(shown / 'given.txt')!r}).write_text('changed')",
        readable=(shown,),
    )
    assert "Read-only file system" in ended.output
    assert (shown / "given.txt").read_text() == "as it was"


@pytest.mark.parametrize("place", ["/x", "/usr/x", "/etc/x", "/dev/x", "/run/x", "/proc/x"])
def test_nothing_outside_its_folders_can_be_written(python: Python, place: str) -> None:
    ended = python(f"open({place!r}, 'w')")
    assert ended.status == 1
    assert not Path(place).exists()


def test_the_hosts_folder_stays_as_it_is(python: Python, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("as it was")
    ended = python("open('a.txt', 'w').write('new')", folder=tmp_path, keep=("*.txt",))
    assert ended.files == {"a.txt": b"new"}
    assert (tmp_path / "a.txt").read_text() == "as it was"


def test_other_processes_are_neither_seen_nor_killed(python: Python) -> None:
    ended = python(
        "import os\n"
        f"try: os.kill({os.getpid()}, 9)\n"
        "except OSError as error: print(type(error).__name__)\n"
        "print(len([name for name in os.listdir('/proc') if name.isdigit()]))"
    )
    # bwrap's own first process, the one that gives up the rights, and this one
    assert ended.output == "ProcessLookupError\n3\n"


def test_a_fork_bomb_stops_at_the_limit(python: Python) -> None:
    ended = python(
        "import os, time\nmade = 0\n"
        "try:\n"
        "    while made < 500:\n"
        "        if os.fork() == 0: time.sleep(30)\n"
        "        made += 1\n"
        "except BlockingIOError: print('refused after', made)",
        Limits(seconds=20, processes=30),
    )
    refused, made = ended.output.rsplit(" ", 1)
    assert refused == "refused after"
    assert int(made) <= 30


def test_a_fork_bomb_without_end_is_ended(python: Python) -> None:
    started = time.monotonic()
    ended = python(
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        Limits(seconds=2, processes=20),
    )
    assert ended.stopped == "time"
    assert time.monotonic() - started < 10


def test_a_memory_bomb_of_one_process_is_refused(python: Python) -> None:
    ended = python("x = bytearray(1 << 30); print('got it')", Limits(memory_mb=200))
    assert "got it" not in ended.output
    assert not ended.fine


def test_a_memory_bomb_of_many_processes_is_stopped(python: Python) -> None:
    ended = python(
        "import os, time\n"
        "for _ in range(10): \n"
        "    if os.fork() == 0: x = b'x' * (120 << 20); time.sleep(9); os._exit(0)\n"
        "time.sleep(9); print('got it')",
        Limits(memory_mb=300, seconds=20),
    )
    assert ended.stopped == "memory"
    assert "got it" not in ended.output


def test_without_a_control_group_the_sum_is_watched(
    python: Python, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroup, "make", lambda limits: None)
    ended = python(
        "import os, time\n"
        "for _ in range(6):\n"
        "    if os.fork() == 0: x = b'x' * (120 << 20); time.sleep(9); os._exit(0)\n"
        "time.sleep(9); print('got it')",
        Limits(memory_mb=300, seconds=20),
    )
    assert ended.stopped == "memory"


def test_an_endless_loop_is_ended(python: Python) -> None:
    ended = python("while True: pass", Limits(seconds=1))
    assert (ended.status, ended.stopped) == (None, "time")


def test_a_process_left_behind_dies_with_the_job(python: Python) -> None:
    started = time.monotonic()
    ended = python(
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\n",
        Limits(seconds=30),
    )
    assert ended.fine
    assert time.monotonic() - started < 10


def test_a_file_that_grows_is_cut(python: Python) -> None:
    ended = python("open('big', 'wb').write(b'x' * (9 << 20))", Limits(file_mb=4))
    assert "File too large" in ended.output


@pytest.mark.parametrize("place", ["/job", "/tmp", "/dev/shm"])
def test_the_disk_is_limited(python: Python, place: str) -> None:
    ended = python(
        f"for n in range(20): open(f'{place}/{{n}}', 'wb').write(b'x' * (1 << 20))",
        Limits(disk_mb=8),
    )
    assert "No space left on device" in ended.output


def test_output_without_end_is_cut(python: Python) -> None:
    ended = python(
        "import sys\nfor _ in range(3000): sys.stdout.write('x' * 1000 + '\\n')",
        Limits(output_kb=64, seconds=20),
    )
    assert ended.fine
    assert len(ended.output) < 70_000
    assert "bytes left out" in ended.output


def test_no_secret_of_the_environment_comes_in(
    python: Python, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    ended = python(
        "import os, pathlib\n"
        "print(dict(os.environ))\n"
        "for place in pathlib.Path('/proc').glob('[0-9]*/environ'):\n"
        "    try: print(place.read_bytes())\n"
        "    except OSError: print('refused')\n"
    )
    assert "HOME" in ended.output
    assert "sk-secret" not in ended.output


def test_no_right_is_left_and_none_can_be_had(python: Python) -> None:
    ended = python(
        "import pathlib\n"
        "lines = pathlib.Path('/proc/self/status').read_text().splitlines()\n"
        "print([l.split()[1] for l in lines if l.startswith(('CapEff', 'CapPrm', 'NoNewP'))])"
    )
    assert ended.output == "['0000000000000000', '0000000000000000', '1']\n"


def test_a_link_in_the_folder_is_not_followed_on_the_way_in(
    python: Python, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text("the secret")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "linked").symlink_to(tmp_path)
    ended = python("import os; print(os.listdir())", folder=folder)
    assert ended.output == "[]\n"


def test_only_regular_files_of_the_list_come_back(python: Python) -> None:
    ended = python(
        "import os\n"
        "open('good.txt', 'w').write('good')\n"
        "open('other.md', 'w').write('not asked for')\n"
        "os.symlink('/etc/passwd', 'link.txt')\n"
        "os.mkfifo('pipe.txt')\n"
        "os.symlink('/usr/include', 'sub')\n"
        "os.mkdir('dir.txt')\n"
        "open('sparse.txt', 'wb').truncate(40 << 20)",
        keep=("*.txt", "sub/*"),
    )
    assert ended.fine
    assert ended.files == {"good.txt": b"good"}


def test_the_socket_that_is_given_is_the_way_out(python: Python, tmp_path: Path) -> None:
    place = tmp_path / "outside.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))
        place.chmod(0o666)
        server.listen()
        ended = python(
            "import socket; s = socket.socket(socket.AF_UNIX)\n"
            "s.connect('/run/outside.sock'); s.sendall(b'hello')",
            socket=place,
        )
        assert ended.fine, ended.output
        server.settimeout(2)
        with server.accept()[0] as met:
            assert met.recv(5) == b"hello"


@pytest.mark.parametrize("flag", ["-Ur", "-Urn", "-r"])
def test_no_namespace_can_be_made(python: Python, flag: str) -> None:
    ended = python(
        "import subprocess\n"
        f"print(subprocess.run(['unshare', {flag!r}, 'id', '-u']).returncode)"
    )
    assert ended.output.endswith("\n1\n")


def test_system_calls_that_no_job_needs_are_refused(python: Python) -> None:
    """Among them: a new user namespace by clone, tracing, keys of the kernel, io_uring."""
    ended = python(
        "import ctypes, platform\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "arm = platform.machine() == 'aarch64'\n"
        "clone, ptrace, keyctl, ring = (220, 117, 219, 425) if arm else (56, 101, 250, 425)\n"
        "for call in [(clone, 0x10000011, 0, 0, 0, 0), (ptrace, 0, 0, 0), (keyctl, 0, -3, 0),"
        " (ring, 1, 0)]:\n"
        "    print(libc.syscall(*call), ctypes.get_errno())"
    )
    assert ended.output == "-1 1\n" * 4


def test_groups_are_gone_afterwards(python: Python) -> None:
    python("print(1)")
    left = [*cgroup.ROOT.glob(f"*/compoworld-{os.getpid()}-*")]
    left += cgroup.ROOT.glob(f"compoworld-{os.getpid()}-*")
    assert left == []
