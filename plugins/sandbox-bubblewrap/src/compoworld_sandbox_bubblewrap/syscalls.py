"""System calls that no job needs: refused, so that less of the kernel can be reached.

New namespaces above all: in a user namespace of its own, a job would have capabilities again
over code of the kernel that expects a careful user.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterator
from typing import Final

from attrs import frozen

# seccomp(2), linux/filter.h, linux/seccomp.h, linux/audit.h
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_NUMBER_AT, _MACHINE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
_NEW_USER_NAMESPACE: Final = 0x10000000
_X32: Final = 0x40000000
"""From here on x86_64 counts the calls of its 32-bit pointer form."""


@frozen
class _Machine:
    audit: int
    clone: int
    refused: tuple[int, ...]


_NEW_ON_ALL: Final = (425, 426, 427, 428, 429, 430, 431, 432, 433, 442)
"""io_uring_*, open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr."""
_CLONE3: Final = 435
_MACHINES: Final = {
    # ptrace, pivot_root, chroot, mount, umount2, init_module, kexec_load, add_key,
    # request_key, keyctl, unshare, perf_event_open, open_by_handle_at, setns,
    # process_vm_readv, process_vm_writev, finit_module, bpf, userfaultfd
    "x86_64": _Machine(
        0xC000003E, 56,
        (101, 155, 161, 165, 166, 175, 246, 248, 249, 250, 272, 298, 304, 308, 310, 311, 313,
         321, 323, *_NEW_ON_ALL),
    ),
    "aarch64": _Machine(
        0xC00000B7, 220,
        (117, 41, 51, 40, 39, 105, 104, 217, 218, 219, 97, 241, 265, 268, 270, 271, 273, 280,
         282, *_NEW_ON_ALL),
    ),
}  # fmt: skip


def program(machine: str = platform.machine()) -> bytes:
    """The filter for ``bwrap --seccomp``; empty for a machine whose calls are not listed."""
    known = _MACHINES.get(machine)
    if known is None:
        return b""
    return b"".join(struct.pack("=HBBI", *each) for each in _instructions(known))


def _instructions(machine: _Machine) -> Iterator[tuple[int, int, int, int]]:
    """Instructions as (code, jump if true, jump if false, operand)."""
    refuse = (_RETURN, 0, 0, _ERROR | errno.EPERM)
    yield (_LOAD, 0, 0, _MACHINE_AT)
    yield (_EQUAL, 1, 0, machine.audit)
    yield refuse
    yield (_LOAD, 0, 0, _NUMBER_AT)
    yield (_AT_LEAST, 0, 1, _X32)
    yield refuse
    for number in machine.refused:
        yield (_EQUAL, 0, 1, number)
        yield refuse
    # Its flags lie in memory, where no filter looks; the C library then uses clone.
    yield (_EQUAL, 0, 1, _CLONE3)
    yield (_RETURN, 0, 0, _ERROR | errno.ENOSYS)
    yield (_EQUAL, 0, 3, machine.clone)
    yield (_LOAD, 0, 0, _FIRST_ARGUMENT_AT)
    yield (_ANY_BIT, 0, 1, _NEW_USER_NAMESPACE)
    yield refuse
    yield (_RETURN, 0, 0, _ALLOW)
