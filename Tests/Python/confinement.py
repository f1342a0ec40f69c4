"""Runs a program behind the filters for system calls that systemd would make from the lines of a unit.

    python3 confinement.py UNIT PROGRAM [ARGUMENT]…

Of the unit it takes SystemCallFilter=, SystemCallErrorNumber=, RestrictAddressFamilies= and MemoryDenyWriteExecute=. The
rest of a unit needs systemd itself, and the rights of root.
"""

import ctypes
import errno
import functools
import mmap
import os
import socket
import subprocess
import sys

ALLOW, ERRNO = 0x7FFF0000, 0x00050000
EQUAL, MASKED_EQUAL = 4, 7
FAMILIES = range(64)
SHM_EXEC = 0o100000


class Comparison(ctypes.Structure):
    """`scmp_arg_cmp` of libseccomp: an argument of a call, and what it is compared with."""

    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


@functools.cache
def libseccomp():
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_load.argtypes = library.seccomp_release.argtypes = [ctypes.c_void_p]
    library.seccomp_rule_add_array.argtypes = [
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(Comparison),
    ]  # fmt: skip
    return library


def settings(unit):
    """The lines of a unit as pairs of key and value."""
    with open(unit) as file:
        lines = [line.strip() for line in file]
    return [tuple(line.split("=", 1)) for line in lines if "=" in line and not line.startswith(("#", ";"))]


def values(unit, key):
    return [value for name, value in settings(unit) if name == key]


@functools.cache
def calls(name):
    """The system calls of a set such as @mount; a plain name is the set of itself."""
    if not name.startswith("@"):
        return frozenset({name})
    listed = subprocess.run(["systemd-analyze", "syscall-filter", name], check=True, capture_output=True, text=True).stdout
    members = [line.strip() for line in listed.splitlines()[1:]]
    return frozenset().union(*(calls(member) for member in members if member and not member.startswith("#")))


def filtered(unit):
    """Whether the unit lists what is allowed, and the calls of the list: the first line decides which list it is."""
    listed, allows = set(), None
    for line in values(unit, "SystemCallFilter"):
        named = frozenset().union(*(calls(word) for word in line.removeprefix("~").split()))
        allows = not line.startswith("~") if allows is None else allows
        listed = listed - named if allows and line.startswith("~") else listed | named
    return bool(allows), listed | calls("@default") if allows else listed - calls("@default")


class Filter:
    """A filter in the kernel; a process keeps it, and so do the programs that it starts."""

    def __init__(self, default):
        self.context = libseccomp().seccomp_init(default)

    def add(self, action, name, *comparisons):
        number = libseccomp().seccomp_syscall_resolve_name(name.encode())
        # The sets name calls of all processors; those of others are negative.
        if number >= 0:
            array = (Comparison * max(1, len(comparisons)))(*comparisons)
            failed = libseccomp().seccomp_rule_add_array(self.context, action, number, len(comparisons), array)
            assert failed == 0, (name, failed)

    def load(self):
        assert libseccomp().seccomp_load(self.context) == 0
        libseccomp().seccomp_release(self.context)


def deny_calls(unit):
    allows, listed = filtered(unit)
    refused = ERRNO | getattr(errno, values(unit, "SystemCallErrorNumber")[0])
    filter = Filter(refused if allows else ALLOW)
    for name in listed:
        filter.add(ALLOW if allows else refused, name)
    filter.load()


def deny_families(unit):
    (line,) = values(unit, "RestrictAddressFamilies")
    allowed = {int(getattr(socket, name)) for name in line.split()}
    filter = Filter(ALLOW)
    for family in set(FAMILIES) - allowed:
        filter.add(ERRNO | errno.EAFNOSUPPORT, "socket", Comparison(0, EQUAL, family, 0))
    filter.load()


def deny_new_code():
    filter, executable = Filter(ALLOW), mmap.PROT_EXEC
    both = executable | mmap.PROT_WRITE
    filter.add(ERRNO | errno.EPERM, "mmap", Comparison(2, MASKED_EQUAL, both, both))
    for name in "mprotect", "pkey_mprotect":
        filter.add(ERRNO | errno.EPERM, name, Comparison(2, MASKED_EQUAL, executable, executable))
    filter.add(ERRNO | errno.EPERM, "shmat", Comparison(2, MASKED_EQUAL, SHM_EXEC, SHM_EXEC))
    filter.load()


if __name__ == "__main__":
    _, unit, *command = sys.argv
    if values(unit, "MemoryDenyWriteExecute") == ["yes"]:
        deny_new_code()
    deny_families(unit)
    deny_calls(unit)
    os.execvp(command[0], command)
